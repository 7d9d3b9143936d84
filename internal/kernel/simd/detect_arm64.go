//go:build !purego

package simd

// detect returns NEON without asking: every processor that runs Go's arm64 has it.
func detect() []Set { return []Set{Go, NEON} }
