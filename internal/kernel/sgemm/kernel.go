package sgemm

import "marsgym/internal/kernel/simd"

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
	var s0, s1, s2, s3 float64
	if add {
		s0, s1, s2, s3 = float64(c[0]), float64(c[1]), float64(c[2]), float64(c[3])
	}
	for p := range k {
		x, y := float64(a[p*acs]), (*[4]float32)(b[p*bs:])
		// These are fma(x, y, s), which is too large for the compiler to inline.
		y0, y1, y2, y3 := float64(y[0]), float64(y[1]), float64(y[2]), float64(y[3])
		t0, t1, t2, t3 := float64(x*y0)+s0, float64(x*y1)+s1, float64(x*y2)+s2, float64(x*y3)+s3
		if (doubtful(t0) || doubtful(t1) || doubtful(t2) || doubtful(t3)) && x != 0 {
			s0, s1, s2, s3 = fma(x, y0, s0), fma(x, y1, s1), fma(x, y2, s2), fma(x, y3, s3)
			continue
		}
		s0, s1, s2, s3 = float64(float32(t0)), float64(float32(t1)), float64(float32(t2)), float64(float32(t3))
	}
	c[0], c[1], c[2], c[3] = float32(s0), float32(s1), float32(s2), float32(s3)
}

// transposeGo sets dst[p·ds + j] = src[j·ss + p] for 0 <= j < n and 0 <= p < k.
func transposeGo(dst []float32, ds int, src []float32, ss, n, k int) {
	for j := range n {
		for p, v := range src[j*ss:][:k] {
			dst[p*ds+j] = v
		}
	}
}
