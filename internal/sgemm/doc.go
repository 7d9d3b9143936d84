// Package sgemm multiplies float32 matrices on one goroutine, at about the
// speed of a tuned C library but without cgo: in assembly where the processor
// has AVX2 or AVX-512, in plain Go elsewhere or with the build tag purego.
//
// [Gemm] is the product. [BLAS] hands it to gorgonia:
//
//	gorgonia.Use(sgemm.BLAS{})
//
// [Sparse] is the same product where many numbers are zeros, as in what a game
// shows and behind a rectifier. Beside them are the few other loops over numbers
// that take time in a network: [AddReLU], [ReLUGrad], [Adam].
package sgemm

//go:generate go -C asm run . -out ../kernel_amd64.s -stubs ../stubs_amd64.go -pkg sgemm
