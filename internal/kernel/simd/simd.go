// Package simd chooses the vector instructions that kernels use. Of those that this program
// has kernels for and that the processor can run, it takes the fastest, or the ones that the
// environment variable MARSGYM_KERNELS names.
//
// Packages sgemm and expectimax have the kernels. Every set computes the same bits, so the
// choice changes only the speed.
package simd

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Set is a set of instructions.
type Set uint8

// The sets, each with a kernel for every loop.
const (
	Go     Set = iota // plain Go, on any processor
	NEON              // arm64
	AVX2              // amd64 with AVX2, FMA and POPCNT
	AVX512            // the same with AVX-512 F and BW, BMI1 and BMI2
)

var names = [...]string{Go: "go", NEON: "neon", AVX2: "avx2", AVX512: "avx512"}

// String returns the name of the set, as in [Variable].
func (s Set) String() string { return names[s] }

// Variable is the environment variable that selects the kernels by name. Slower kernels
// are of use in tests and in reports of bugs.
const Variable = "MARSGYM_KERNELS"

var (
	sets        = detect()
	active, err = choose(os.Getenv(Variable), sets)
)

// Sets returns the sets that this processor can run, the slowest first.
func Sets() []Set { return slices.Clone(sets) }

// Active returns the set in use.
func Active() Set { return active }

// Err returns the fault in the value of [Variable], if there is one. The fastest set is
// then in use. Commands refuse to start with it.
func Err() error { return err }

// choose returns the set of that name, or the fastest one without a name.
func choose(name string, sets []Set) (Set, error) {
	fastest := sets[len(sets)-1]
	if name == "" {
		return fastest, nil
	}
	var known []string
	for _, s := range sets {
		if s.String() == name {
			return s, nil
		}
		known = append(known, s.String())
	}
	return fastest, fmt.Errorf("%s is %q; this program on this processor has the kernels %s", Variable, name, strings.Join(known, ", "))
}

// Use makes a set the active one and returns the one before. Only tests call it: kernels
// must not be running.
func Use(s Set) (before Set) {
	if !slices.Contains(sets, s) {
		panic("simd: this processor cannot run the kernels " + s.String())
	}
	before, active = active, s
	return before
}
