package elementary_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/internal/kernel/elementary"
)

// functions are those of the package with the functions of package math that they stand
// for, and where their arguments are drawn from.
var functions = []struct {
	name      string
	f, std    func(float64) float64
	low, high float64
	digest    string // of the values at arguments that every processor draws alike
}{
	{"Exp", elementary.Exp, math.Exp, -750, 709.7, "ef35e346bf3dfca3"},
	{"Exp near 0", elementary.Exp, math.Exp, -20, 5, "fd9f48b3c9277c28"},
	{"Log", elementary.Log, math.Log, 0, 1e6, "181b8a5a603bd22c"},
	{"Log near 1", elementary.Log, math.Log, 0, 3, "172bd6682032b9e2"},
	{"Log10", elementary.Log10, math.Log10, 0, 1e4, "f81a5b7017b7cf89"},
	{"Pow 3.7", power(elementary.Pow, 3.7), power(math.Pow, 3.7), 0, 10, "7b68d6a7a4ccc2bc"},
	{"Pow -0.4", power(elementary.Pow, -0.4), power(math.Pow, -0.4), 0, 10, "194e4b4571635a95"},
	{"Cos", elementary.Cos, math.Cos, -10, 10, "a2d060703dbc72d1"},
	{"Cos far away", elementary.Cos, math.Cos, -1e5, 1e5, "7e20b09d4c28dff0"},
}

func power(pow func(x, y float64) float64, y float64) func(float64) float64 {
	return func(x float64) float64 { return pow(x, y) }
}

// TestBits compares a digest of many values with the one of every other processor.
func TestBits(t *testing.T) {
	for _, test := range functions {
		sum, r := sha256.New(), rand.New(rand.NewPCG(1, 2))
		for range 50_000 {
			x := test.low + float64((test.high-test.low)*r.Float64())
			binary.Write(sum, binary.LittleEndian, test.f(x))
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != test.digest {
			t.Errorf("%s: the digest of the values is %s, want %s", test.name, got, test.digest)
		}
	}
}

// TestAccuracy compares with package math, whose errors are below two units in the last
// place, and near zeros of the functions below 1e-16.
func TestAccuracy(t *testing.T) {
	for _, test := range functions {
		r := rand.New(rand.NewPCG(3, 4))
		for range 50_000 {
			x := test.low + (test.high-test.low)*r.Float64()
			got, want := test.f(x), test.std(x)
			if tol := max(4e-16*math.Abs(want), 1e-16); want < 0x1p-1022 && want > 0 {
				if !(math.Abs(got-want) <= 0x1p-1073) { // a unit of subnormal numbers
					t.Fatalf("%s: %v for %v, want %v", test.name, got, x, want)
				}
			} else if !(math.Abs(got-want) <= 2*tol) {
				t.Fatalf("%s: %v for %v, want %v", test.name, got, x, want)
			}
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"Exp(0)", elementary.Exp(0), 1},
		{"Exp(-Inf)", elementary.Exp(-inf), 0},
		{"Exp(+Inf)", elementary.Exp(inf), inf},
		{"Exp(NaN)", elementary.Exp(nan), nan},
		{"Exp(710)", elementary.Exp(710), inf},
		{"Exp(-746)", elementary.Exp(-746), 0},
		{"Exp(-745)", elementary.Exp(-745), math.SmallestNonzeroFloat64},
		{"Log(1)", elementary.Log(1), 0},
		{"Log(0)", elementary.Log(0), -inf},
		{"Log(-1)", elementary.Log(-1), nan},
		{"Log(+Inf)", elementary.Log(inf), inf},
		{"Log(NaN)", elementary.Log(nan), nan},
		{"Log of the least number", elementary.Log(math.SmallestNonzeroFloat64), -744.4400719213812},
		{"Log10(1000)", elementary.Log10(1000), 3},
		{"Pow(0, 0)", elementary.Pow(0, 0), 1},
		{"Pow(0, 0.5)", elementary.Pow(0, 0.5), 0},
		{"Pow(1, 0.3)", elementary.Pow(1, 0.3), 1},
		{"Pow(2, 10)", elementary.Pow(2, 10), 1024},
		{"Cos(0)", elementary.Cos(0), 1},
		{"Cos(π)", elementary.Cos(math.Pi), -1},
	} {
		if got, want := test.got, test.want; got != want && (got == got || want == want) {
			t.Errorf("%s is %v, want %v", test.name, got, want)
		}
	}
	if x := elementary.Exp(709.78); !(math.Abs(x/1.7928227943945155e308-1) < 1e-14) {
		t.Errorf("Exp(709.78) is %v", x)
	}
}

// Normal draws the numbers of NormFloat64, whose last bits depend on the processor.
func TestNormal(t *testing.T) {
	sum := sha256.New()
	a, b := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
	beyond := 0
	for range 200_000 {
		got, want := elementary.Normal(a), b.NormFloat64()
		if !(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
			t.Fatalf("%v, want %v", got, want)
		}
		if math.Abs(got) > 3.45 {
			beyond++
		}
		binary.Write(sum, binary.LittleEndian, got)
	}
	if beyond < 50 {
		t.Errorf("%d numbers lie beyond the last layer; the tail is not tested", beyond)
	}
	const want = "8459090b7acaa1c3"
	if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != want {
		t.Errorf("the digest of the numbers is %s, want %s", got, want)
	}
}

func BenchmarkExp(b *testing.B) {
	x := 0.5
	for b.Loop() {
		elementary.Exp(x)
		x = -x
	}
}

func BenchmarkLog(b *testing.B) {
	x := 0.5
	for b.Loop() {
		elementary.Log(x)
		x = 1 / x
	}
}
