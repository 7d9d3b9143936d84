package sgemm

// Sparse computes C = op(A)·B as [Gemm] does, in less time where A is mostly
// zeros and hardly more where it is not. op(A) is [m, k].
//
// Where B is finite the result is that of Gemm to the bit, but for the sign of
// a 0 to which a product has underflowed. NaN and infinities in B reach C
// through a 0 of A only where Gemm is at work, for many rows or for none.
func Sparse(tA bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	dense := min(m, n, k) <= 0
	if !dense {
		check("a", a, lda, m, k, tA)
		rows := min(k, sampled)
		dense = tA && nonZeros(rows, m, a, lda) > most(rows*m)
	}
	if dense {
		Gemm(tA, false, m, n, k, 1, a, lda, b, ldb, 0, c, ldc)
		return
	}
	check("b", b, ldb, k, n, false)
	check("c", c, ldc, m, n, false)
	s := pool.Get().(*scratch)
	done := m
	for p := 0; p < k; p += kc {
		k, b := min(k-p, kc), b[p*ldb:]
		switch {
		case tA:
			for i := 0; i < m; i += nc {
				m := min(m-i, nc)
				active.transpose(s.b[:], k, a[p*lda+i:], lda, k, m)
				active.sparse(s, m, n, k, s.b[:], k, b, ldb, c[i*ldc:], ldc, p > 0, k)
			}
		case p == 0:
			done -= active.sparse(s, m, n, k, a, lda, b, ldb, c, ldc, false, most(k))
		case done > 0:
			active.sparse(s, done, n, k, a[p:], lda, b, ldb, c, ldc, true, k)
		}
	}
	pool.Put(s)
	if done < m {
		Gemm(false, false, m-done, n, k, 1, a[done*lda:], lda, b, ldb, 0, c[done*ldc:], ldc)
	}
}

// most is the number of k elements that may differ from 0 for [Gemm] not to be
// faster. Measured: its kernels reach that point at 0.4 to 0.5.
func most(k int) int { return 3 * k / 8 }

// sampled is the number of rows that show whether a transposed A is sparse: it
// is worked on by column, and these can differ. Chosen.
const sampled = 4

// nonZeros counts what is not 0 in A, of shape [m, k].
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

// sparseGo computes C = A·B, or C += A·B if add is set, for k up to kc. It
// skips the zeros of A, and stops at a row in which more than most elements
// differ from 0. It returns how many rows are left. Sums are made in acc.
func sparseGo(acc []float32, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool, most int) (left int) {
	for i := range m {
		row := a[i*lda:][:k]
		if most < k && nonZeros(1, k, row, k) > most {
			return m - i
		}
		for j := 0; j < n; j += len(acc) {
			acc := acc[:min(len(acc), n-j)]
			clear(acc)
			for p, x := range row {
				if x == 0 {
					continue
				}
				for j, y := range b[p*ldb+j:][:len(acc)] {
					acc[j] += float32(x * y)
				}
			}
			c := c[i*ldc+j:][:len(acc)]
			if add {
				for j, s := range acc {
					acc[j] = s + c[j]
				}
			}
			copy(c, acc)
		}
	}
	return 0
}
