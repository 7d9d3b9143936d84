package simd_test

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/test/fulltest"
)

// mayFuse are functions in which the bits of a result need not be the same on every
// processor, or that fuse by math.FMA.
var mayFuse = []string{
	"marsgym/internal/kernel/elementary.Exp",  // by math.FMA
	"marsgym/internal/kernel/sgemm.",          // kernels
	"marsgym/internal/plot.",                  // pictures
	"marsgym/env/martianrisk.(*layout)",       // the same
	"marsgym/env/martianrisk.(*placedRegion)", // the same
	"marsgym/train.Config.memory",             // an estimate
}

// TestNothingIsFused builds the commands for arm64, where the compiler fuses x*y + z unless
// it is written float64(x*y) + z, and looks for the instructions. Seeded results must not
// depend on what a compiler fuses.
func TestNothingIsFused(t *testing.T) {
	fulltest.Gate(t)
	fused := map[string]bool{}
	byFMA := false
	for _, command := range []string{"train", "eval", "solve", "play", "web", "worker"} {
		for _, f := range build(t, "arm64", "build", "marsgym/cmd/"+command) {
			if !strings.HasPrefix(f.name, "marsgym/") || !fuses(f.code) {
				continue
			}
			byFMA = byFMA || f.name == "marsgym/internal/kernel/elementary.Exp"
			if !slices.ContainsFunc(mayFuse, func(prefix string) bool { return strings.HasPrefix(f.name, prefix) }) {
				fused[f.name] = true
			}
		}
	}
	if !byFMA {
		t.Error("elementary.Exp has no fused multiply-add; this test looks for the wrong instructions")
	}
	for _, name := range slices.Sorted(maps.Keys(fused)) {
		t.Errorf("%s fuses a product with a sum: write float64(x*y) + z; go tool objdump -s shows the line", name)
	}
}

// fuses reports whether arm64 code has an instruction of the class of FMADD, FMSUB, FNMADD
// and FNMSUB for numbers of 32 or 64 bits.
//
// Source: Arm Architecture Reference Manual for A-profile, DDI 0487, chapter C4.1,
// floating-point data-processing (3 source).
func fuses(code []byte) bool {
	for ; len(code) >= 4; code = code[4:] {
		if w := binary.LittleEndian.Uint32(code); w>>24 == 0x1f && w>>22&3 <= 1 {
			return true
		}
	}
	return false
}
