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
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	// The number of rows listed at once: their lists stay in a 32 KiB cache. Chosen.
	const size = 32
	for m > 0 {
		now := min(m, size)
		s.rows.Reset(k)
		s.rows.Append(a[:now*k])
		if s.rows.isDense() {
			// The others are likely as dense.
			affine(m, n, k, a, b, c, bias, relu)
			return
		}
		s.rows.gather(0, now, n, b, c, false, bias, relu)
		a, c, m = a[now*k:], c[now*n:], m-now
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
	// The first rows are a sample of whether A is sparse, since rows differ less than
	// columns. Their number is chosen, the density measured.
	if rows := min(k, 4); k == 0 || 10*nonZeros(a[:rows*m]) > 3*rows*m {
		Gemm(true, false, m, n, k, a, m, b, n, c, n, false)
		return
	}
	s := pool.Get().(*scratch)
	for p := 0; p < k; p += kc {
		k := min(k-p, kc)
		for i := 0; i < m; i += nc {
			now := min(m-i, nc)
			active.transpose(s.b[:], k, a[p*m+i:], m, k, now)
			s.rows.Reset(k)
			s.rows.Append(s.b[:now*k])
			s.rows.gather(0, now, n, b[p*n:], c[i*n:], p > 0, nil, false)
		}
	}
	pool.Put(s)
}

// Transpose fills dst [cols, rows] with the transpose of src [rows, cols]. For a sparse
// product with a transposed B, transpose B and call Sparse.
func Transpose(dst, src []float32, rows, cols int) {
	same("dst", len(dst), rows*cols)
	same("src", len(src), rows*cols)
	active.transpose(dst, rows, src, cols, rows, cols)
}

// nonZeros returns the number of elements that are not 0.
func nonZeros(x []float32) (count int) {
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}
