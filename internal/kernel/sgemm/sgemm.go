package sgemm

import (
	"fmt"
	"slices"
	"sync"
)

const (
	// kc is the largest number of products that a tile sums in registers. Measured: a
	// panel of B, kc by 32 columns, takes 24 KiB of a 32 KiB L1 cache.
	kc = 192
	// nc is the number of columns of B in a block. Chosen so that a packed
	// block, kc by nc, takes a fifth of a 1 MiB L2 cache.
	nc = 256
	// mc is the number of rows of A that are multiplied with one panel of B before
	// the next panel. Measured; a multiple of every kernel's rows.
	mc = 96
	// packRows and packStride are the smallest number of rows of A and the smallest
	// ldb for which it is faster to pack a B that is not transposed: below them, its
	// cache lines stay in the cache. Measured.
	packRows, packStride = 128, 513
)

// scratch is the temporary memory of a product. b comes first: an allocation of this
// size starts on a page, so the panels in b are aligned to cache lines.
type scratch struct {
	b [kc * nc]float32           // a packed block of B, or a block of Aᵀ
	c [maxRows * maxCols]float32 // a tile of C, for a panel wider than the rest of C
	x []float32                  // a block of A
}

// matrix returns n elements.
func (s *scratch) matrix(n int) []float32 {
	s.x = slices.Grow(s.x[:0], n)[:n]
	return s.x
}

var pool = sync.Pool{New: func() any { return new(scratch) }}

// Gemm computes C = op(A)·op(B), or C += op(A)·op(B) if add is set, for row-major
// matrices, where op(A) is A, or its transpose if tA is set, and op(B) likewise: op(A)
// is [m, k], op(B) is [k, n], C is [m, n]. C must not overlap A or B.
//
// Each element of C is one chain of additions, from its old value or 0, of the products
// in the order of k. So its bits depend neither on the other rows and columns nor on how
// the sum is split over several calls. Every kernel uses fused multiply-adds, so all agree
// to the bit.
//
// Gemm runs on the caller's goroutine. Several goroutines may call it at the same time.
// It does not allocate, except for scratch memory that it reuses. It panics if a size
// is negative, a leading dimension too small or a slice too short.
//
// Source: Van Zee and van de Geijn, "BLIS: A Framework for Rapidly
// Instantiating BLAS Functionality", ACM TOMS 41(3), 2015, except that A is not
// packed, and B only where that is faster.
func Gemm(tA, tB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool) {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("sgemm: negative size: m is %d, n %d, k %d", m, n, k))
	}
	if m == 0 || n == 0 {
		return
	}
	check("c", c, ldc, m, n, false)
	if k == 0 {
		if !add {
			for i := range m {
				clear(c[i*ldc:][:n])
			}
		}
		return
	}
	check("a", a, lda, m, k, tA)
	check("b", b, ldb, k, n, tB)
	if n == 1 && ldc == 1 && m > 1 {
		// A column is the transpose of a row, which uses all lanes of a vector.
		tA, tB, m, n, a, lda, b, ldb, ldc = !tB, !tA, 1, m, b, ldb, a, lda, m
	}
	s := pool.Get().(*scratch)
	for p := 0; p < k; p += kc {
		for j := 0; j < n; j += nc {
			s.block(tA, tB, m, min(n-j, nc), min(k-p, kc), a, lda, b, ldb, c[j:], ldc, p, j, add)
		}
		add = true
	}
	pool.Put(s)
}

// block is Gemm for the rows p to p+k-1 and the columns j to j+n-1 of op(B), where k
// and n are at most kc and nc. c starts at column j of C.
func (s *scratch) block(tA, tB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc, p, j int, add bool) {
	ars, acs := lda, 1 // strides of op(A) by row and by p
	if tA {
		ars, acs = 1, lda
	}
	kern := active()
	mr, nr := kern.shape()
	inPlace, last := 0, k // columns of B that are not packed, and the last rows that are of the others
	if tB {
		b = b[j*ldb+p:]
	} else if b = b[p*ldb+j:]; m < packRows || ldb < packStride {
		// A panel wider than the rest of C reads on in the next row: only rows after which there is too
		// little have to be packed.
		inPlace = n / nr * nr
		if rest := n - inPlace; rest > 0 {
			last = min(k, (kern.width(rest)-rest+ldb-1)/ldb)
		}
		if last == 0 {
			inPlace = n
		}
	}
	for jp := inPlace; jp < n; jp += nr {
		w := kern.width(n - jp)
		kern.pack(s.b[jp*k:][:w*last], w, tB, b[(k-last)*ldb:], ldb, jp, min(w, n-jp), last)
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
					kern.tile(rows, w, k, ap, ars, acs, bp, bs, cp, ldc, add)
					continue
				}
				for r := range rows {
					copy(s.c[r*w:], cp[r*ldc:][:cols])
				}
				packed, add := k-last, add // the first row that is
				if packed > 0 {
					kern.tile(rows, w, packed, ap, ars, acs, b[jp:], ldb, s.c[:], w, add)
					add = true
				}
				kern.tile(rows, w, last, ap[packed*acs:], ars, acs, bp, bs, s.c[:], w, add)
				for r := range rows {
					copy(cp[r*ldc:][:cols], s.c[r*w:])
				}
			}
		}
	}
}

// check panics unless x, with ld elements from row to row, can hold a matrix of
// [rows, cols], or of [cols, rows] if t is set.
func check(name string, x []float32, ld, rows, cols int, t bool) {
	if t {
		rows, cols = cols, rows
	}
	if ld < cols {
		panic(fmt.Sprintf("sgemm: ld%s is %d, less than the %d columns of %[1]s", name, ld, cols))
	}
	if rows == 0 || cols == 0 {
		return
	}
	if len(x) < cols || (len(x)-cols)/ld < rows-1 { // divided, as rows·ld can overflow
		panic(fmt.Sprintf("sgemm: %s has length %d, too short for %d rows of %d columns with ld%[1]s %[5]d", name, len(x), rows, cols, ld))
	}
}
