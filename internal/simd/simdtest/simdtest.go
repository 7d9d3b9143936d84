// Package simdtest runs tests and benchmarks with every kernel of this processor.
package simdtest

import (
	"testing"

	"marsgym/internal/simd"
)

// Each runs f once with each set of kernels that this processor can run.
func Each(t *testing.T, f func(t *testing.T)) {
	for _, s := range simd.Sets() {
		t.Run(s.String(), func(t *testing.T) {
			defer simd.Use(simd.Use(s))
			f(t)
		})
	}
}

// EachB is [Each] for benchmarks.
func EachB(b *testing.B, f func(b *testing.B)) {
	for _, s := range simd.Sets() {
		b.Run(s.String(), func(b *testing.B) {
			defer simd.Use(simd.Use(s))
			f(b)
		})
	}
}
