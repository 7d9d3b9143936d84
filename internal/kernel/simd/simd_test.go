package simd_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/kernel/simd"
	"marsgym/internal/kernel/simd/simdtest"
)

// TestVariable runs this test program again under each value of the variable.
func TestVariable(t *testing.T) {
	const inner = "MARSGYM_SIMD_TEST"
	if os.Getenv(inner) != "" {
		os.Stdout.WriteString("active " + simd.Active().String() + "\n")
		if err := simd.Err(); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
		}
		return
	}
	under := func(value string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestVariable$")
		cmd.Env = append(os.Environ(), inner+"=1", simd.Variable+"="+value)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	sets := simd.Sets()
	fastest := sets[len(sets)-1].String()
	for _, s := range sets {
		if got := under(s.String()); !strings.HasPrefix(got, "active "+s.String()+"\nPASS") {
			t.Errorf("%s=%s: %s", simd.Variable, s, got)
		}
	}
	if got := under(""); !strings.HasPrefix(got, "active "+fastest+"\nPASS") {
		t.Errorf("without the variable: %s", got)
	}
	for _, value := range []string{"AVX2", "sse", "go "} {
		got := under(value)
		if !strings.HasPrefix(got, "active "+fastest+"\n"+simd.Variable+" is \""+value+"\"; this program on this processor has the kernels go") {
			t.Errorf("%s=%s: %s", simd.Variable, value, got)
		}
	}
}

func TestEach(t *testing.T) {
	before := simd.Active()
	var got []simd.Set
	simdtest.Each(t, func(t *testing.T) { got = append(got, simd.Active()) })
	want := simd.Sets()
	if os.Getenv(simd.Variable) != "" {
		want = []simd.Set{before}
	}
	if !slices.Equal(got, want) {
		t.Errorf("Each ran %v, want %v", got, want)
	}
	if simd.Active() != before {
		t.Errorf("%v is active afterwards, want %v", simd.Active(), before)
	}
}

func TestUseRefuses(t *testing.T) {
	if slices.Contains(simd.Sets(), simd.NEON) && slices.Contains(simd.Sets(), simd.AVX2) {
		t.Fatal("a processor has NEON and AVX2")
	}
	for _, s := range []simd.Set{simd.NEON, simd.AVX2, simd.AVX512} {
		if slices.Contains(simd.Sets(), s) {
			continue
		}
		func() {
			defer func() {
				if got, want := recover(), "simd: this processor cannot run the kernels "+s.String(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			simd.Use(s)
		}()
	}
}
