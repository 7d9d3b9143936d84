package sgemm

import "testing"

// ReLUGrad is reluGrad.
var ReLUGrad = reluGrad

// EachKernel runs f once with each kernel that this processor can run.
func EachKernel(t *testing.T, f func(t *testing.T)) {
	defer func(kern kernel) { active = kern }(active)
	for _, active = range kernels {
		t.Run(active.name(), f)
	}
}

// EachKernelB is [EachKernel] for benchmarks.
func EachKernelB(b *testing.B, f func(b *testing.B)) {
	defer func(kern kernel) { active = kern }(active)
	for _, active = range kernels {
		b.Run(active.name(), f)
	}
}

func (kern kernel) name() string {
	return [...]string{"portable", "avx2", "avx512"}[kern]
}
