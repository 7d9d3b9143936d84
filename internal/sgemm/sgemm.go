package sgemm

import (
	"fmt"
	"sync"
)

const (
	// kc is the longest run of p that a tile sums in registers. Measured: a
	// panel of B, kc by 32 columns, takes 24 KiB of a 32 KiB L1 cache.
	kc = 192
	// nc is the number of columns of B in a block. Chosen so that a packed
	// block, kc by nc, takes a fifth of a 1 MiB L2 cache.
	nc = 256
	// mc is the number of rows of A that meet one panel of B before the next
	// panel does. Measured; a multiple of every kernel's rows.
	mc = 96
	// packRows and packStride are the fewest rows of A and the smallest ldb
	// at which packing pays for a B that is not transposed: below, its lines
	// stay in cache anyway. Measured.
	packRows, packStride = 128, 513
)

// scratch holds a packed block of B, and a tile of C for a panel that is
// wider than what is left of C. The block comes first: an allocation of this
// size starts on a page, so its panels are aligned to cache lines. For
// [SparseT] it is a block of Aᵀ; val and idx list what is not 0 in a row.
type scratch struct {
	b   [kc * nc]float32
	c   [maxRows * maxCols]float32
	val [kc + maxLanes]float32
	idx [kc + maxLanes]int32
}

var pool = sync.Pool{New: func() any { return new(scratch) }}

// Gemm computes C = alpha·op(A)·op(B) + beta·C for row-major matrices, where
// op transposes if tA or tB is set: op(A) is [m, k], op(B) is [k, n], C is
// [m, n]. C must not overlap A or B. If beta is 0, C is overwritten whatever
// it holds; if alpha is 0, NaN in A or B does not reach C.
//
// Each element of C is summed in the same order whatever m is and whichever
// row it is in, so splitting the rows of a product over calls changes no bit
// of it. Runs q of kc follow one another, p ascends within a run:
//
//	c(0) = beta·C[i, j]
//	c(q) = c(q−1) + alpha·Σ_p A[i, p]·B[p, j]
//
// The AVX2 and AVX-512 kernels fuse each multiply and add and agree bit for
// bit; the portable kernel rounds each product, so its last bits differ.
//
// Gemm runs on the caller's goroutine, may be called from several at once and
// does not allocate once its scratch is warm. It panics if a size is
// negative, a leading dimension too small or a slice too short.
//
// Source: Van Zee and van de Geijn, "BLIS: A Framework for Rapidly
// Instantiating BLAS Functionality", ACM TOMS 41(3), 2015, but A is read in
// place, and so is B where that is faster.
func Gemm(tA, tB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("sgemm: negative size: m is %d, n %d, k %d", m, n, k))
	}
	if m == 0 || n == 0 {
		return
	}
	check("c", c, ldc, m, n, false)
	if k > 0 {
		check("a", a, lda, m, k, tA)
		check("b", b, ldb, k, n, tB)
	}
	if alpha == 0 || k == 0 {
		scale(m, n, beta, c, ldc)
		return
	}
	s := pool.Get().(*scratch)
	for p := 0; p < k; p += kc {
		for j := 0; j < n; j += nc {
			s.block(tA, tB, m, min(n-j, nc), min(k-p, kc), alpha, a, lda, b, ldb, beta, c[j:], ldc, p, j)
		}
		beta = 1
	}
	pool.Put(s)
}

// block is Gemm for rows p to p+k and columns j to j+n of op(B), at most kc
// and nc. c starts at column j of C.
func (s *scratch) block(tA, tB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc, p, j int) {
	ars, acs := lda, 1 // strides of op(A) by row and by p
	if tA {
		ars, acs = 1, lda
	}
	kern := active
	mr, nr := kern.shape()
	inPlace := 0 // columns of B that are not packed
	if !tB {
		b = b[p*ldb+j:]
		if m < packRows || ldb < packStride {
			inPlace = n / nr * nr
		}
	} else {
		b = b[j*ldb+p:]
	}
	for jp := inPlace; jp < n; jp += nr {
		w := kern.width(n - jp)
		kern.pack(s.b[jp*k:][:w*k], w, tB, b, ldb, jp, min(w, n-jp), k)
	}
	for i0 := 0; i0 < m; i0 += mc {
		i1 := min(m, i0+mc)
		for jp := 0; jp < n; jp += nr {
			w := kern.width(n - jp)
			bp, bs := s.b[jp*k:], w
			if jp < inPlace {
				bp, bs = b[jp:], ldb
			}
			cols := min(w, n-jp)
			for i := i0; i < i1; i += mr {
				rows := min(mr, i1-i)
				ap, cp := a[i*ars+p*acs:], c[i*ldc+jp:]
				if cols == w {
					kern.tile(rows, w, k, ap, ars, acs, bp, bs, cp, ldc, alpha, beta)
					continue
				}
				for r := range rows {
					copy(s.c[r*w:], cp[r*ldc:][:cols])
				}
				kern.tile(rows, w, k, ap, ars, acs, bp, bs, s.c[:], w, alpha, beta)
				for r := range rows {
					copy(cp[r*ldc:][:cols], s.c[r*w:])
				}
			}
		}
	}
}

// check panics unless x, with ld elements from row to row, can hold [rows,
// cols], or its transpose if t is set.
func check(name string, x []float32, ld, rows, cols int, t bool) {
	if t {
		rows, cols = cols, rows
	}
	if ld < cols {
		panic(fmt.Sprintf("sgemm: ld%s is %d, less than the %d columns of %[1]s", name, ld, cols))
	}
	if len(x) < cols || (len(x)-cols)/ld < rows-1 { // divided, as rows·ld can overflow
		panic(fmt.Sprintf("sgemm: %s has length %d, too short for %d rows of %d columns with ld%[1]s %[5]d", name, len(x), rows, cols, ld))
	}
}

// scale computes C = beta·C.
func scale(m, n int, beta float32, c []float32, ldc int) {
	for i := range m {
		row := c[i*ldc:][:n]
		switch beta {
		case 0:
			clear(row)
		case 1:
		default:
			for j := range row {
				row[j] *= beta
			}
		}
	}
}
