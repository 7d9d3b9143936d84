// Package simdtest runs tests and benchmarks with every kernel of this processor, or with
// the one that MARSGYM_KERNELS names.
package simdtest

import (
	"os"
	"testing"

	"marsgym/internal/kernel/simd"
)

// Each runs f once with each set of kernels that this processor can run.
func Each(t *testing.T, f func(t *testing.T)) {
	for _, s := range sets() {
		t.Run(s.String(), func(t *testing.T) {
			defer simd.Use(simd.Use(s))
			f(t)
		})
	}
}

// EachB is [Each] for benchmarks.
func EachB(b *testing.B, f func(b *testing.B)) {
	for _, s := range sets() {
		b.Run(s.String(), func(b *testing.B) {
			defer simd.Use(simd.Use(s))
			f(b)
		})
	}
}

func sets() []simd.Set {
	if os.Getenv(simd.Variable) != "" {
		return []simd.Set{simd.Active()}
	}
	return simd.Sets()
}
