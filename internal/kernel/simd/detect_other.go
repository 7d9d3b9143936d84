//go:build purego || !(amd64 || arm64)

package simd

func detect() []Set { return []Set{Go} }
