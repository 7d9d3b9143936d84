package sgemm

import (
	"math"
	"slices"
)

// Epilogue is what a product does to its result [m, n], in this order.
type Epilogue struct {
	Bias []float32 // [n] is added to each row, if not nil
	ReLU bool      // numbers below 0 become 0
	Gate []float32 // [m, n]; if not nil, numbers become 0 where those of Gate are not above 0
}

// start returns where the sums of C [m, n] start and the lowest number of the result:
// from C if add is set, else from the bias, with ldi numbers from row to row.
func (e *Epilogue) start(n int, c []float32, add bool) (init []float32, ldi int, floor float32) {
	init, floor = e.Bias, float32(math.Inf(-1))
	if add {
		init, ldi = c, n
	}
	if e.ReLU {
		floor = 0
	}
	return init, ldi, floor
}

// Sparse sets C [m, n] to A·B, for A [m, k] and B [k, n], with an epilogue. It takes less
// time than [Gemm] if A is mostly zeros, and little more otherwise.
//
// If B is finite the sums are those of Gemm to the bit, started from the bias, except
// for the sign of a 0 to which a product has underflowed. Whether a NaN or an infinity
// in B that is multiplied by a 0 of A has an effect on C is undefined. The epilogue
// keeps NaN.
func Sparse(m, n, k int, a, b, c []float32, e Epilogue) {
	if min(m, n) <= 0 {
		return
	}
	check("a", a, k, m, k, false)
	check("b", b, n, k, n, false)
	check("c", c, n, m, n, false)
	e.check(m, n)
	if k == 0 {
		dense(m, n, k, a, b, c, e)
		return
	}
	// The number of rows after which a dense matrix is noticed is chosen. From a
	// density of 0.5 on Gemm is faster; measured.
	const size = 48
	for m > 0 {
		now := min(m, size)
		init, ldi, floor := e.start(n, c, false)
		count := active().sparse(now, n, k, a, b, c, init, ldi, floor, e.Gate)
		a, c, m = a[now*k:], c[now*n:], m-now
		if e.Gate != nil {
			e.Gate = e.Gate[now*n:]
		}
		if 2*count > now*k {
			dense(m, n, k, a, b, c, e)
			return
		}
	}
}

// check panics if the epilogue is not one for C [m, n].
func (e *Epilogue) check(m, n int) {
	if e.Bias != nil {
		same("bias", len(e.Bias), n)
	}
	if e.Gate != nil {
		check("gate", e.Gate, n, m, n, false)
	}
}

// dense is Sparse by [Gemm].
func dense(m, n, k int, a, b, c []float32, e Epilogue) {
	c = c[:m*n]
	if e.Bias != nil {
		for row := c; len(row) > 0; row = row[n:] {
			copy(row, e.Bias)
		}
	}
	Gemm(false, false, m, n, k, a, k, b, n, c, n, e.Bias != nil)
	if e.ReLU {
		rectify(c)
	}
	if e.Gate != nil {
		reluGrad(c, e.Gate[:m*n])
	}
}

// narrow is the largest number of columns for which [SparseT] computes the transpose of C. Measured
// from a density of 0.1 on; hidden layers are denser.
const narrow = 16

// SparseT computes C = Aᵀ·B, for A [k, m] with lda numbers from row to row, B [k, n] and
// C [m, n], as [Gemm] does. It takes less time if A is mostly zeros, and is otherwise like
// [Sparse].
func SparseT(m, n, k int, a []float32, lda int, b, c []float32) {
	if min(m, n) <= 0 {
		return
	}
	check("a", a, lda, k, m, false)
	check("b", b, n, k, n, false)
	check("c", c, n, m, n, false)
	if k == 0 {
		clear(c[:m*n])
		return
	}
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	if n <= narrow {
		// The rows of Cᵀ are long, and its product has nothing to list.
		t := s.matrix(n * m)
		Gemm(true, false, n, m, k, b, n, a, lda, t, m, false)
		Transpose(c[:m*n], t, n, m)
		return
	}
	var none Epilogue
	for p := 0; p < k; {
		now, count := min(k-p, kc), 0
		for i := 0; i < m; i += nc {
			rows, c := min(m-i, nc), c[i*n:]
			active().transpose(s.b[:], now, a[p*lda+i:], lda, now, rows)
			init, ldi, floor := none.start(n, c, p > 0)
			count += active().sparse(rows, n, now, s.b[:], b[p*n:], c, init, ldi, floor, nil)
		}
		// From a density of 0.4 on Gemm is faster; measured.
		if p += now; 5*count > 2*now*m && p < k {
			Gemm(true, false, m, n, k-p, a[p*lda:], lda, b[p*n:], n, c, n, true)
			return
		}
	}
}

// ColumnSums fills dst [n] with the sums of the columns of B [k, n].
func ColumnSums(k, n int, b, dst []float32) {
	check("b", b, n, k, n, false)
	same("dst", len(dst), n)
	if k == 0 || n == 0 {
		clear(dst)
		return
	}
	var none Epilogue
	for p := 0; p < k; p += kc {
		init, ldi, floor := none.start(n, dst, p > 0)
		now := min(k-p, kc)
		active().sparse(1, n, now, ones[:now], b[p*n:], dst, init, ldi, floor, nil)
	}
}

var ones = [kc]float32(slices.Repeat([]float32{1}, kc))

// Transpose fills dst [cols, rows] with the transpose of src [rows, cols]. For a sparse
// product with a transposed B, transpose B and call Sparse.
func Transpose(dst, src []float32, rows, cols int) {
	same("dst", len(dst), rows*cols)
	same("src", len(src), rows*cols)
	active().transpose(dst, rows, src, cols, rows, cols)
}
