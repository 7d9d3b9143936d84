//go:build amd64 && !purego

package sgemm

// tile computes c = a·b, or c += a·b if add is set, for up to mr rows and w columns,
// where w is a [kernel.width] and the strides are as in [tileAVX2].
func (kern kernel) tile(rows, w, k int, a []float32, ars, acs int, b []float32, bs int, c []float32, cs int, add bool) {
	switch kern {
	case avx512:
		tileAVX512(rows, w/16, k, &a[0], ars, acs, &b[0], bs, &c[0], cs, add)
	case avx2:
		tileAVX2(rows, w/8, k, &a[0], ars, acs, &b[0], bs, &c[0], cs, add)
	default:
		tileGo(k, a, acs, b, bs, c, add)
	}
}

// transpose is [transposeGo].
func (kern kernel) transpose(dst []float32, ds int, src []float32, ss, n, k int) {
	if kern == plain || n < 8 || k < 8 {
		transposeGo(dst, ds, src, ss, n, k)
		return
	}
	// If n or k is not a multiple of 8, the last block overlaps the one before it.
	for j := 0; j < n; j += 8 {
		j := min(j, n-8)
		transposeAVX2(k/8, &dst[j], ds, &src[j*ss], ss)
		if k%8 != 0 {
			transposeAVX2(1, &dst[(k-8)*ds+j], ds, &src[j*ss+k-8], ss)
		}
	}
}

// list is [listGo] for x of at least one element.
func (kern kernel) list(dst []element, x []float32) int {
	switch kern {
	case avx512:
		return listAVX512(len(x), &x[0], &dst[0].column)
	case avx2:
		return listAVX2(len(x), &x[0], &dst[0].column)
	}
	return listGo(dst, x)
}

// listDifference is [listDifferenceGo] for x of at least one element.
func (kern kernel) listDifference(dst []element, x, y []float32) int {
	switch kern {
	case avx512:
		return listDifferenceAVX512(len(x), &x[0], &y[0], &dst[0].column)
	case avx2:
		return listDifferenceAVX2(len(x), &x[0], &y[0], &dst[0].column)
	}
	return listDifferenceGo(dst, x, y)
}

// gather is [gatherGo] for m at least 1.
func (kern kernel) gather(m, n int, start []int, elements []element, b, c, init []float32, ldi int, floor float32) {
	if kern == plain {
		gatherGo(m, n, start, elements, b, c, init, ldi, floor)
		return
	}
	for j := 0; j < n; {
		if kern == avx512 {
			gatherAVX512(m, n-j, &start[0], &elements[0].column, &b[j], n, &c[j], at(init, j), ldi, floor)
		} else {
			gatherAVX2(m, n-j, &start[0], &elements[0].column, &b[j], n, &c[j], at(init, j), ldi, floor)
		}
		if kern == avx512 && n-j >= 256 {
			j += 256
		} else {
			j += kern.columns(n - j)
		}
	}
}

// sparse is [sparseGo] for m and k at least 1.
func (kern kernel) sparse(m, n, k int, a, b, c, init []float32, ldi int, floor float32, gate []float32) (count int) {
	if kern == plain {
		return sparseGo(m, n, k, a, b, c, init, ldi, floor, gate)
	}
	for j := 0; j < n; {
		columns, pairs := kern.columns(n-j), 0
		if kern == avx512 && columns >= 64 {
			pairs = m / 2
		}
		count = 0
		switch {
		case pairs == 0:
		case columns == 128:
			count = sparsePairs8AVX512(pairs, k, &a[0], &b[j], n, &c[j], at(init, j), ldi, floor, at(gate, j))
		default:
			count = sparsePairs4AVX512(pairs, k, &a[0], &b[j], n, &c[j], at(init, j), ldi, floor, at(gate, j))
		}
		if i := 2 * pairs; i < m {
			init, gate := at(init, i*ldi+j), at(gate, i*n+j)
			if kern == avx512 {
				count += sparseAVX512(m-i, n-j, k, &a[i*k], &b[j], n, &c[i*n+j], init, ldi, floor, gate)
			} else {
				count += sparseAVX2(m-i, n-j, k, &a[i*k], &b[j], n, &c[i*n+j], init, ldi, floor, gate)
			}
		}
		j += columns
	}
	return count
}

// at returns the address of x[i], or nil if x is nil.
func at(x []float32, i int) *float32 {
	if x == nil {
		return nil
	}
	return &x[i]
}

// columns returns how many of n columns the kernels for sparse matrices compute at once:
// those of eight vectors, of four, or at most of one.
func (kern kernel) columns(n int) int {
	lanes := 8
	if kern == avx512 {
		lanes = 16
	}
	switch {
	case n >= 8*lanes:
		return 8 * lanes
	case n >= 4*lanes:
		return 4 * lanes
	}
	return min(n, lanes)
}

// relu, reluGrad and adam process the first elements, as many as fill whole vectors,
// and return their number.

func (kern kernel) relu(y []float32) int {
	blocks := kern.blocks(len(y))
	if blocks > 0 {
		reluAVX2(blocks, &y[0])
	}
	return 8 * blocks
}

func (kern kernel) reluGrad(dy, y []float32) int {
	blocks := kern.blocks(len(y))
	if blocks > 0 {
		reluGradAVX2(blocks, &dy[0], &y[0])
	}
	return 8 * blocks
}

func (kern kernel) adam(c *Adam, w, m, v, g []float32) int {
	blocks := kern.blocks(len(w))
	if blocks > 0 {
		adamAVX2(blocks, &c.Scale, &w[0], &m[0], &v[0], &g[0])
	}
	return 8 * blocks
}

func (kern kernel) blocks(n int) int {
	if kern == plain {
		return 0
	}
	return n / 8
}
