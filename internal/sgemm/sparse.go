package sgemm

// Sparse sets C [m, n] to A·B, for A [m, k] and B [k, n]. If bias [n] is not nil it is
// added to each row, and if relu is set elements below 0 become 0. Sparse takes less
// time than [Gemm] if A is mostly zeros, and little more otherwise.
//
// If B is finite the sums are those of Gemm to the bit, started from bias, except for
// the sign of a 0 to which a product has underflowed. Whether a NaN or an infinity in B
// that is multiplied by a 0 of A has an effect on C is undefined. A NaN in C stays.
func Sparse(m, n, k int, a, b, c, bias []float32, relu bool) {
	if min(m, n) <= 0 {
		return
	}
	check("a", a, k, m, k, false)
	check("b", b, n, k, n, false)
	check("c", c, n, m, n, false)
	if k == 0 {
		affine(m, n, k, a, b, c, bias, relu)
		return
	}
	// The number of rows after which a dense matrix is noticed is chosen. From a
	// density of 0.5 on Gemm is faster; measured.
	const size = 32
	for m > 0 {
		now := min(m, size)
		init, ldi, floor := start(n, c, false, bias, relu)
		count := active.sparse(now, n, k, a, b, c, init, ldi, floor)
		a, c, m = a[now*k:], c[now*n:], m-now
		if 2*count > now*k {
			affine(m, n, k, a, b, c, bias, relu)
			return
		}
	}
}

// affine is Sparse by [Gemm].
func affine(m, n, k int, a, b, c, bias []float32, relu bool) {
	if bias != nil {
		for i := range m {
			copy(c[i*n:][:n], bias)
		}
	}
	Gemm(false, false, m, n, k, a, k, b, n, c, n, bias != nil)
	if relu {
		rectify(c[:m*n])
	}
}

// SparseT computes C = Aᵀ·B, for A [k, m], B [k, n] and C [m, n], as [Gemm] does. It takes
// less time if A is mostly zeros, and is otherwise like [Sparse].
func SparseT(m, n, k int, a, b, c []float32) {
	if min(m, n) <= 0 {
		return
	}
	check("a", a, m, k, m, false)
	check("b", b, n, k, n, false)
	check("c", c, n, m, n, false)
	if k == 0 {
		clear(c[:m*n])
		return
	}
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	for p := 0; p < k; {
		now, count := min(k-p, kc), 0
		for i := 0; i < m; i += nc {
			rows, c := min(m-i, nc), c[i*n:]
			active.transpose(s.b[:], now, a[p*m+i:], m, now, rows)
			init, ldi, floor := start(n, c, p > 0, nil, false)
			count += active.sparse(rows, n, now, s.b[:], b[p*n:], c, init, ldi, floor)
		}
		// From a density of 0.4 on Gemm is faster; measured.
		if p += now; 5*count > 2*now*m && p < k {
			Gemm(true, false, m, n, k-p, a[p*m:], m, b[p*n:], n, c, n, true)
			return
		}
	}
}

// Transpose fills dst [cols, rows] with the transpose of src [rows, cols]. For a sparse
// product with a transposed B, transpose B and call Sparse.
func Transpose(dst, src []float32, rows, cols int) {
	same("dst", len(dst), rows*cols)
	same("src", len(src), rows*cols)
	active.transpose(dst, rows, src, cols, rows, cols)
}
