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

// gatherColumns is [gatherGo] for the first of n columns, and returns their number.
func (kern kernel) gatherColumns(m, n int, start *int, elements *int32, b *float32, ld int, c, init *float32, ldi int, floor float32) int {
	if kern != avx512 {
		gatherAVX2(m, n, start, elements, b, ld, c, init, ldi, floor)
		return kern.columns(n)
	}
	gatherAVX512(m, n, start, elements, b, ld, c, init, ldi, floor)
	if n >= 256 {
		return 256
	}
	return kern.columns(n)
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
