// Package sgemm multiplies float32 matrices on one goroutine.
package sgemm

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Gemm computes C = alpha·op(A)·op(B) + beta·C for row-major matrices, where
// op transposes if tA or tB is set: op(A) is [m, k], op(B) is [k, n], C is
// [m, n]. Each element of C is summed in the same order whatever m is, so
// splitting the rows of a product over calls changes no bit of it.
func Gemm(tA, tB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	flag := func(t bool) blas.Transpose {
		if t {
			return blas.Trans
		}
		return blas.NoTrans
	}
	gonum.Implementation{}.Sgemm(flag(tA), flag(tB), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}
