package sgemm

// Sparse computes C = A·B as [Gemm] does. It takes less time if A [m, k] is mostly
// zeros, and little more otherwise.
//
// If B is finite the result is that of Gemm to the bit, except for the sign of a 0 to
// which a product has underflowed. Whether a NaN or an infinity in B that is multiplied
// by a 0 of A has an effect on C is undefined.
func Sparse(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	if min(m, n, k) <= 0 {
		Gemm(false, false, m, n, k, 1, a, lda, b, ldb, 0, c, ldc)
		return
	}
	check("a", a, lda, m, k, false)
	check("b", b, ldb, k, n, false)
	check("c", c, ldc, m, n, false)
	// most is the largest number of non-zeros in a row for which this is faster.
	// Measured: Gemm is faster from a density of 0.4 to 0.5 on. The first block
	// determines how many rows are sparse enough.
	most := 2 * min(k, kc) / 5
	slack, done := most/2, m
	s := pool.Get().(*scratch)
	for p := 0; p < k && done > 0; p += kc {
		for j := 0; j < n && done > 0; j += nc {
			done -= active.sparse(s, done, min(n-j, nc), min(k-p, kc), a[p:], lda, b[p*ldb+j:], ldb, c[j:], ldc, p > 0, most, slack)
			most = kc
		}
	}
	pool.Put(s)
	if done < m {
		Gemm(false, false, m-done, n, k, 1, a[done*lda:], lda, b, ldb, 0, c[done*ldc:], ldc)
	}
}

// SparseT computes C = Aᵀ·B, with A [k, m], as [Sparse] computes A·B.
func SparseT(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	if min(m, n, k) > 0 {
		check("a", a, lda, m, k, true)
		check("b", b, ldb, k, n, false)
		check("c", c, ldc, m, n, false)
	}
	// The first rows are a sample of whether A is sparse, since rows differ less than
	// columns. Their number is chosen, the density measured.
	if rows := min(k, 4); min(m, n, k) <= 0 || nonZeros(rows, m, a, lda) > rows*m/4 {
		Gemm(true, false, m, n, k, 1, a, lda, b, ldb, 0, c, ldc)
		return
	}
	s := pool.Get().(*scratch)
	for p := 0; p < k; p += kc {
		k := min(k-p, kc)
		for i := 0; i < m; i += nc {
			m := min(m-i, nc)
			active.transpose(s.b[:], k, a[p*lda+i:], lda, k, m)
			for j := 0; j < n; j += nc {
				active.sparse(s, m, min(n-j, nc), k, s.b[:], k, b[p*ldb+j:], ldb, c[i*ldc+j:], ldc, p > 0, kc, 0)
			}
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

// nonZeros returns the number of elements of A [m, k] that are not 0.
func nonZeros(m, k int, a []float32, lda int) int {
	count := 0
	for i := range m {
		for _, x := range a[i*lda:][:k] {
			if x != 0 {
				count++
			}
		}
	}
	return count
}

// sparseGo computes C = A·B, or C += A·B if add is set, for k up to kc, and skips the
// zeros of A. It stops at the first row where the non-zeros so far, that row included,
// exceed most per row by more than slack in total, and returns the number of rows that
// remain. acc is scratch for at least n elements.
func sparseGo(acc []float32, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool, most, slack int) (left int) {
	for i := range m {
		row := a[i*lda:][:k]
		if slack += most - nonZeros(1, k, row, k); slack < 0 {
			return m - i
		}
		acc := acc[:n]
		clear(acc)
		for p, x := range row {
			if x == 0 {
				continue
			}
			for j, y := range b[p*ldb:][:n] {
				acc[j] += float32(x * y)
			}
		}
		row = c[i*ldc:][:n]
		if add {
			for j, v := range row {
				acc[j] += v
			}
		}
		copy(row, acc)
	}
	return 0
}
