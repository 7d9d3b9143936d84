//go:build !purego

package sgemm

// tileNEON computes c = a·b, or c += a·b if add is set, for rows 1 to 6, halves 1 or 2
// times 8 columns, and k at least 1. Strides count elements: a by row (ars) and by p
// (acs), b by p (bs), c by row (cs).
//
//go:noescape
func tileNEON(rows, halves, k int, a *float32, ars, acs int, b *float32, bs int, c *float32, cs int, add bool)

// transpose8 sets dst[p·ds + j] = src[j·ss + p] for j below 8 and p below 8·blocks,
// blocks at least 1.
//
//go:noescape
func transpose8(blocks int, dst *float32, ds int, src *float32, ss int)

// listNEON is [listGo] for a row of k elements, at least 1.
//
//go:noescape
func listNEON(k int, x *float32, elements *int32) (count int)

// listDifferenceNEON is [listDifferenceGo] for rows of k elements, at least 1.
//
//go:noescape
func listDifferenceNEON(k int, x, y *float32, elements *int32) (count int)

// gatherNEON is [gatherGo] for m and n at least 1, and for the first columns, as many as
// kernel.columns returns. Rows of b and c have ld elements.
//
//go:noescape
func gatherNEON(m, n int, start *int, elements *int32, b *float32, ld int, c, init *float32, ldi int, floor float32)

// relu8 is [reluGo] for slices of 8·blocks elements, blocks at least 1.
//
//go:noescape
func relu8(blocks int, y *float32)

// reluGrad8 is [reluGradGo] for slices of 8·blocks elements, blocks at least 1.
//
//go:noescape
func reluGrad8(blocks int, dy, y *float32)

// adam8 is [adamGo], with the fields of c as an array, for slices of 8·blocks elements,
// blocks at least 1.
//
//go:noescape
func adam8(blocks int, c, w, m, v, grad *float32)
