package simd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestKernelsNeedWhatIsDetected reads the machine code of the kernels for amd64, on any
// machine. The instructions of those for AVX2 have registers below 16 and no masks, since
// AVX2 has no others, and what each set needs is what detect asks for.
func TestKernelsNeedWhatIsDetected(t *testing.T) {
	needs := map[bool]map[string]bool{false: {}, true: {}} // by whether it is for AVX-512
	for _, name := range []string{"expectimax", "sgemm"} { // their tests are small programs that have them
		for _, kernel := range kernels(t, build(t, "amd64", "test", "-c", "marsgym/internal/kernel/"+name), name+"/kernel_amd64.s") {
			found, err := needed(kernel.code)
			if err != nil {
				t.Errorf("%s: %v", kernel.name, err)
			}
			maps.Copy(needs[strings.HasSuffix(kernel.name, "AVX512")], found)
		}
	}
	avx2, avx512 := detected(t)
	for name := range needs[true] {
		if avx2[name] {
			delete(needs[true], name) // detect asks for AVX2 first
		}
	}
	for _, test := range []struct {
		set        string
		need, have map[string]bool
	}{{"AVX2", needs[false], avx2}, {"AVX512", needs[true], avx512}} {
		need, have := slices.Sorted(maps.Keys(test.need)), slices.Sorted(maps.Keys(test.have))
		if !slices.Equal(need, have) {
			t.Errorf("kernels for %s need %v, and detect asks for %v", test.set, need, have)
		}
	}
}

// needed returns the features that the instructions of a function need.
func needed(code []byte) (map[string]bool, error) {
	found := map[string]bool{}
	for len(code) > 0 {
		i, size, err := decode(code)
		if err != nil {
			return nil, err
		}
		list, err := features(i)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			found[f] = true
		}
		code = code[size:]
	}
	return found, nil
}

// detected returns the features that detect_amd64.go asks for, in the order of its two
// conditions.
func detected(t *testing.T) (avx2, avx512 map[string]bool) {
	file, err := parser.ParseFile(token.NewFileSet(), "detect_amd64.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []map[string]bool
	ast.Inspect(file, func(n ast.Node) bool {
		if n, ok := n.(*ast.IfStmt); ok {
			names := map[string]bool{}
			ast.Inspect(n.Cond, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "Has") {
					names[s.Sel.Name] = true
				}
				return true
			})
			found = append(found, names)
		}
		return true
	})
	if len(found) != 2 {
		t.Fatalf("detect_amd64.go has %d conditions, want 2", len(found))
	}
	return found[0], found[1]
}

// TestNeeded feeds the decoder with single instructions.
func TestNeeded(t *testing.T) {
	for _, test := range []struct {
		name string
		code []byte
		want string
	}{
		{"VADDPD Y15, Y1, Y2", []byte{0xC4, 0xC1, 0x75, 0x58, 0xD7}, "HasAVX"},
		{"VMOVUPD Y17 from memory", []byte{0x62, 0xE1, 0xFD, 0x28, 0x10, 0x08}, "needs AVX-512 VL"},
		{"VADDPD Z1, Z1, Z2", []byte{0x62, 0xF1, 0xF5, 0x48, 0x58, 0xD1}, "HasAVX512F"},
		{"KMOVW K1, AX", []byte{0xC5, 0xF8, 0x93, 0xC1}, "HasAVX512F"},
		{"KMOVQ K1, AX", []byte{0xC4, 0xE1, 0xFB, 0x93, 0xC1}, "HasAVX512BW"},
		{"SHLXQ", []byte{0xC4, 0xE2, 0xF1, 0xF7, 0xC0}, "HasBMI2"},
		{"BLSRQ", []byte{0xC4, 0xE2, 0xF8, 0xF3, 0xC8}, "HasBMI1"},
		{"POPCNTQ", []byte{0xF3, 0x48, 0x0F, 0xB8, 0xC1}, "HasPOPCNT"},
		{"VFMADD231PS Y", []byte{0xC4, 0xE2, 0x75, 0xB8, 0xD1}, "HasFMA"},
		{"ADDQ and RET", []byte{0x48, 0x83, 0xC0, 0x08, 0xC3}, ""},
		{"half of an ADDQ", []byte{0x48, 0x83}, "ends within"},
	} {
		found, err := needed(test.code)
		if err != nil {
			if test.want == "" || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", test.name, err, test.want)
			}
			continue
		}
		if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); got != test.want {
			t.Errorf("%s needs %q, want %q", test.name, got, test.want)
		}
	}
}
