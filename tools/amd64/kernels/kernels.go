// Package kernels ends the programs that generate kernels for amd64. It refuses a kernel
// with an instruction that its processors may lack.
package kernels

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
)

// avx2 and avx512 are avo's names of the instruction set extensions that kernels may use.
// Package internal/kernel/simd detects these. A kernel whose name does not end in AVX512 runs on
// processors that have no more than avx2.
var (
	avx2   = []string{"AVX", "AVX2", "FMA3", "POPCNT", "SSE2"}
	avx512 = append(slices.Clone(avx2), "AVX512F", "AVX512BW", "BMI", "BMI2")
)

// Generate is [build.Generate], and ends the program with an error, and without a file, if
// it refuses a kernel.
func Generate() {
	build.Generate()
	out := flag.Lookup("out").Value.String()
	text, err := os.ReadFile(out)
	if err == nil {
		err = Check(string(text))
	}
	if err != nil {
		os.Remove(out)
		log.Fatal(err)
	}
}

var (
	// beyond matches registers that only instructions of AVX-512 have.
	beyond   = regexp.MustCompile(`\b(Z[0-9]+|[XY](1[6-9]|2[0-9]|3[01])|K[0-7])\b`)
	function = regexp.MustCompile(`(?m)(^// Requires: .*\n)?^TEXT ·(\w+)\(SB\).*\n`)
)

// Check returns an error if a function of an assembly file needs extensions that its name
// does not allow. avo lists the extensions of an instruction by its operands before it
// allocates registers, so their numbers are checked apart.
func Check(text string) error {
	found := function.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return fmt.Errorf("kernels: there is no function")
	}
	for i, f := range found {
		name, allowed, body := text[f[4]:f[5]], avx2, text[f[1]:]
		if i+1 < len(found) {
			body = text[f[1]:found[i+1][0]]
		}
		if strings.HasSuffix(name, "AVX512") {
			allowed = avx512
		} else {
			for line := range strings.Lines(body) {
				if r := beyond.FindString(line); r != "" {
					return fmt.Errorf("kernels: %s uses %s, which only AVX-512 has: %s", name, r, strings.TrimSpace(line))
				}
			}
		}
		if f[2] < 0 {
			continue
		}
		for _, x := range strings.Split(strings.TrimPrefix(strings.TrimSpace(text[f[2]:f[3]]), "// Requires: "), ", ") {
			if !slices.Contains(allowed, x) {
				return fmt.Errorf("kernels: %s needs %s; its processors have %s", name, x, strings.Join(allowed, ", "))
			}
		}
	}
	return nil
}
