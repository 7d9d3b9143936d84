//go:build !purego

package sgemm

import "sync"

// tile computes c = a·b, or c += a·b if add is set, for up to mr rows and w columns,
// where w is a [kernel.width] and the strides are as in [tileNEON].
func (kern kernel) tile(rows, w, k int, a []float32, ars, acs int, b []float32, bs int, c []float32, cs int, add bool) {
	if kern == plain {
		tileGo(k, a, acs, b, bs, c, add)
		return
	}
	tileNEON(rows, w/8, k, &a[0], ars, acs, &b[0], bs, &c[0], cs, add)
}

// list is [listGo] for x of at least one element.
func (kern kernel) list(dst []element, x []float32) int {
	if kern == plain {
		return listGo(dst, x)
	}
	return listNEON(len(x), &x[0], &dst[0].column)
}

// listDifference is [listDifferenceGo] for x of at least one element.
func (kern kernel) listDifference(dst []element, x, y []float32) int {
	if kern == plain {
		return listDifferenceGo(dst, x, y)
	}
	return listDifferenceNEON(len(x), &x[0], &y[0], &dst[0].column)
}

// gatherColumns is [gatherGo] for the first of n columns, and returns their number.
func (kern kernel) gatherColumns(m, n int, start *int, elements *int32, b *float32, ld int, c, init *float32, ldi int, floor float32) int {
	gatherNEON(m, n, start, elements, b, ld, c, init, ldi, floor)
	return kern.columns(n)
}

// columns returns how many of n columns [gatherNEON] computes: those of 16, 8, 4, 2 or 1
// vectors, or fewer.
func (kern kernel) columns(n int) int {
	for c := 64; c >= 4; c /= 2 {
		if n >= c {
			return c
		}
	}
	return n
}

var rowsPool = sync.Pool{New: func() any { return new(Rows) }}

// sparse is [sparseGo] for m and k at least 1. It lists the elements of some rows and
// gathers, since no registers hold the sums of all columns of the default network.
func (kern kernel) sparse(m, n, k int, a, b, c, init []float32, ldi int, floor float32, gate []float32) (count int) {
	if kern == plain {
		return sparseGo(m, n, k, a, b, c, init, ldi, floor, gate)
	}
	const size = 32 // rows whose lists stay in the cache; chosen
	r := rowsPool.Get().(*Rows)
	for i := 0; i < m; i += size {
		now := min(m-i, size)
		r.Reset(k)
		r.Append(a[i*k:][:now*k])
		count += len(r.elements)
		elements := r.elements[:max(1, len(r.elements))] // the kernel takes the address of the first
		init := init
		if init != nil {
			init = init[i*ldi:]
		}
		kern.gather(now, n, r.start, elements, b, c[i*n:], init, ldi, floor)
	}
	rowsPool.Put(r)
	if gate != nil {
		reluGrad(c[:m*n], gate[:m*n])
	}
	return count
}
