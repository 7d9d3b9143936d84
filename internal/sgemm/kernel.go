package sgemm

import "marsgym/internal/simd"

// kernel is the implementation of the inner loops for a set of instructions.
type kernel simd.Set

const (
	plain  = kernel(simd.Go)
	neon   = kernel(simd.NEON)
	avx2   = kernel(simd.AVX2)
	avx512 = kernel(simd.AVX512)
)

// active returns the kernel in use.
func active() kernel { return kernel(simd.Active()) }

// maxRows and maxCols are the size of the largest tile of any kernel.
const maxRows, maxCols = 8, 32

// shape returns the rows and columns of a full tile: 8 or 6 rows of two vectors (of four
// with NEON), or one row of four numbers. Chosen to hide the latency of an addition and
// to fit in the registers together with a row of B and an element of A.
func (kern kernel) shape() (mr, nr int) {
	switch kern {
	case avx512:
		return 8, 32
	case avx2, neon:
		return 6, 16
	}
	return 1, 4
}

// width returns the width of the next panel if n columns remain: nr, or half of it if
// the kernel has such a tile and n columns fit in it.
func (kern kernel) width(n int) int {
	_, nr := kern.shape()
	if kern != plain && n <= nr/2 {
		return nr / 2
	}
	return nr
}

// pack fills panel [k, w] with the columns j to j+n-1 of op(B), padded with zeros.
func (kern kernel) pack(panel []float32, w int, tB bool, b []float32, ldb, j, n, k int) {
	if n < w {
		clear(panel)
	}
	if tB {
		kern.transpose(panel, w, b[j*ldb:], ldb, n, k)
		return
	}
	for p := range k {
		copy(panel[p*w:][:w], b[p*ldb+j:][:n])
	}
}

// tileGo computes c = a·b, or c += a·b if add is set, for one row and 4 columns. The
// strides, in elements, are those of a by p (acs) and of b by p (bs).
func tileGo(k int, a []float32, acs int, b []float32, bs int, c []float32, add bool) {
	var s0, s1, s2, s3 float32
	if add {
		s0, s1, s2, s3 = c[0], c[1], c[2], c[3]
	}
	for p := range k {
		x, y := a[p*acs], (*[4]float32)(b[p*bs:])
		// The conversions prevent fused multiply-adds, so that the bits are the same
		// on every architecture.
		s0 += float32(x * y[0])
		s1 += float32(x * y[1])
		s2 += float32(x * y[2])
		s3 += float32(x * y[3])
	}
	c[0], c[1], c[2], c[3] = s0, s1, s2, s3
}

// transposeGo sets dst[p·ds + j] = src[j·ss + p] for 0 <= j < n and 0 <= p < k.
func transposeGo(dst []float32, ds int, src []float32, ss, n, k int) {
	for j := range n {
		for p, v := range src[j*ss:][:k] {
			dst[p*ds+j] = v
		}
	}
}
