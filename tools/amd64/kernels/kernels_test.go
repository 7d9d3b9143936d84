package kernels_test

import (
	"strings"
	"testing"

	"marsgym/tools/amd64/kernels"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"// Requires: AVX, FMA3\nTEXT ·aAVX2(SB), NOSPLIT, $0\n\tVADDPD Y15, Y1, Y2\n", ""},
		{"// Requires: AVX, AVX512F\nTEXT ·aAVX512(SB), NOSPLIT, $0\n\tVADDPD Z16, Z1, K1, Z2\n", ""},
		{"TEXT ·aAVX2(SB), NOSPLIT, $0\n\tVADDPD Y16, Y1, Y2\n", "aAVX2 uses Y16"},
		{"TEXT ·a8(SB), NOSPLIT, $0\n\tVMOVUPS (AX), X31\n", "a8 uses X31"},
		{"TEXT ·aAVX2(SB), NOSPLIT, $0\n\tVPTEST Y1, Y1\n\tKMOVW K1, AX\n", "aAVX2 uses K1"},
		{"// Requires: AVX\nTEXT ·bAVX2(SB), NOSPLIT, $0\n\tRET\n\n// Requires: AVX512F, AVX512VL\nTEXT ·aAVX2(SB), NOSPLIT, $0\n\tVPXORQ Y1, Y1, Y1\n", "aAVX2 needs AVX512F"},
		{"// Requires: AVX512DQ\nTEXT ·aAVX512(SB), NOSPLIT, $0\n\tKMOVB K1, AX\n", "aAVX512 needs AVX512DQ"},
		{"// nothing\n", "no function"},
	} {
		err := kernels.Check(test.text)
		if got := ""; err != nil {
			got = err.Error()
			if test.want == "" || !strings.Contains(got, test.want) {
				t.Errorf("%q: %v, want %q", test.text, got, test.want)
			}
		} else if test.want != "" {
			t.Errorf("%q is accepted; want %q", test.text, test.want)
		}
	}
}
