// Package sgemm multiplies float32 matrices on one goroutine. It is about as fast as a
// tuned C library but needs no cgo: it uses assembly if the processor has AVX2, AVX-512
// or NEON, and plain Go otherwise or with the build tag purego.
//
// [Gemm] computes the product. [Sparse] and [SparseT] compute it faster for a matrix
// with many zeros, such as outputs of ReLU, and [Rows] hold one whose zeros are left out,
// such as observations of games. [ColumnSums] and [Adam] are the other loops that take
// much of the time of a network's backward pass.
package sgemm

//go:generate go -C ../../../tools run ./amd64/sgemm -out ../internal/kernel/sgemm/kernel_amd64.s -stubs ../internal/kernel/sgemm/stubs_amd64.go -pkg sgemm
//go:generate go -C ../../../tools run ./arm64/sgemm -out ../internal/kernel/sgemm/kernel_arm64.s
