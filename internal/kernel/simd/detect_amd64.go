//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// detect asks for the features of every instruction in a kernel and for no others, which
// TestKernelsNeedWhatIsDetected compares with the built program.
func detect() []Set {
	x := &cpu.X86
	sets := []Set{Go}
	if x.HasAVX && x.HasAVX2 && x.HasFMA && x.HasPOPCNT {
		sets = append(sets, AVX2)
		if x.HasAVX512F && x.HasAVX512BW && x.HasBMI1 && x.HasBMI2 {
			sets = append(sets, AVX512)
		}
	}
	return sets
}
