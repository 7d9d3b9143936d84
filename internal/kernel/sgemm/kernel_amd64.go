//go:build amd64 && !purego

package sgemm

import (
	"slices"
	"sync"
)

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
	switch kern {
	case plain:
		return sparseGo(m, n, k, a, b, c, init, ldi, floor, gate)
	case avx2:
		return sparsePairs(m, n, k, a, b, c, init, ldi, floor, gate)
	}
	for j := 0; j < n; {
		columns, pairs := kern.columns(n-j), 0
		if columns >= 64 {
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
			count += sparseAVX512(m-i, n-j, k, &a[i*k], &b[j], n, &c[i*n+j], init, ldi, floor, gate)
		}
		j += columns
	}
	return count
}

// pairs are rows of a matrix, two by two: the columns in which one of a pair is not 0, and the
// elements of both.
type pairs struct {
	start  []int   // [pairs+1]
	column []int32 // those of pair i are start[i] to start[i+1]
	x, y   []float32
}

var pairPool = sync.Pool{New: func() any { return new(pairs) }}

// list replaces the pairs by those of the rows of a [m, k]. The last row of an odd number is a
// pair with itself. It returns the number of elements of a that are not 0.
func (p *pairs) list(m, k int, a []float32) (count int) {
	most := (m+1)/2*k + spare
	p.column = slices.Grow(p.column[:0], most)[:most]
	p.x, p.y = slices.Grow(p.x[:0], most)[:most], slices.Grow(p.y[:0], most)[:most]
	p.start = append(p.start[:0], 0)
	n := 0
	for i := 0; i < m; i += 2 {
		columns, elements := listPairAVX2(k, &a[i*k], &a[min(i+1, m-1)*k], &p.column[n], &p.x[n], &p.y[n])
		if i+1 == m {
			elements /= 2
		}
		n += columns
		count += elements
		p.start = append(p.start, n)
	}
	return count
}

// sparsePairs is [sparseGo] for m and k at least 1 with AVX2. The rows of a pair share the
// loads of b: rows that follow each other are often alike, such as the afterstates of a decision.
func sparsePairs(m, n, k int, a, b, c, init []float32, ldi int, floor float32, gate []float32) (count int) {
	const size = 32 // rows whose lists stay in the cache; chosen
	p := pairPool.Get().(*pairs)
	for i := 0; i < m; i += size {
		now := min(m-i, size)
		count += p.list(now, k, a[i*k:])
		for j := 0; j < n; {
			columns := 32
			if n-j < columns {
				columns = min(8, n-j)
			}
			gather := func(from, pairs, second, next int) {
				gatherPairsAVX2(pairs, columns, &p.start[from], &p.column[0], &p.x[0], &p.y[0], &b[j], n,
					&c[(i+2*from)*n+j], second, at(init, (i+2*from)*ldi+j), next, floor)
			}
			if now >= 2 {
				gather(0, now/2, n, ldi)
			}
			if now%2 > 0 {
				gather(now/2, 1, 0, 0)
			}
			j += columns
		}
	}
	pairPool.Put(p)
	if gate != nil {
		reluGrad(c[:m*n], gate[:m*n])
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
