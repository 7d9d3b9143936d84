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
		return sparseGroups(m, n, k, a, b, c, init, ldi, floor, gate)
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

// groupRows is the number of rows of a group.
const groupRows = 3

// groups are rows of a matrix, some at a time: the columns in which one of a group is not 0, and
// the elements of each row there.
type groups struct {
	start  []int     // [groups+1]
	column []int32   // those of group i are start[i] to start[i+1]
	value  []float32 // [groupRows, stride]
	stride int
	rows   Rows // the rows that are left
}

var groupPool = sync.Pool{New: func() any { return new(groups) }}

// list replaces the groups by those of the rows of a [m, k]. It returns the number of elements
// that are not 0.
func (g *groups) list(m, k int, a []float32) (count int) {
	g.stride = m/groupRows*k + spare
	g.column = slices.Grow(g.column[:0], g.stride)[:g.stride]
	g.value = slices.Grow(g.value[:0], groupRows*g.stride)[:groupRows*g.stride]
	g.start = append(g.start[:0], 0)
	n := 0
	for ; len(a) >= groupRows*k; a = a[groupRows*k:] {
		columns, elements := listGroupAVX2(k, &a[0], &g.column[n], &g.value[n], g.stride)
		n += columns
		count += elements
		g.start = append(g.start, n)
	}
	g.rows.Reset(k)
	g.rows.Append(a)
	return count + len(g.rows.elements)
}

// sparseGroups is [sparseGo] for m and k at least 1 with AVX2.
func sparseGroups(m, n, k int, a, b, c, init []float32, ldi int, floor float32, gate []float32) (count int) {
	const size = 48 // rows whose lists stay in the cache, whole groups; chosen
	g := groupPool.Get().(*groups)
	for i := 0; i < m; i += size {
		now := min(m-i, size)
		count += g.list(now, k, a[i*k:(i+now)*k])
		for j := 0; j < n && now >= groupRows; {
			columns := min(8, n-j)
			for columns < 32 && 2*columns <= n-j {
				columns *= 2
			}
			gatherGroupsAVX2(now/groupRows, columns, &g.start[0], &g.column[0], &g.value[0], g.stride,
				&b[j], n, &c[i*n+j], at(init, i*ldi+j), ldi, floor)
			j += columns
		}
		if rest := i + now/groupRows*groupRows; rest < i+now {
			elements := g.rows.elements[:max(1, len(g.rows.elements))] // the kernel takes the address of the first
			var from []float32
			if init != nil {
				from = init[rest*ldi:]
			}
			avx2.gather(i+now-rest, n, g.rows.start, elements, b, c[rest*n:], from, ldi, floor)
		}
	}
	groupPool.Put(g)
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
