//go:build purego || !(amd64 || arm64)

package sgemm

func (kernel) tile(_, _, k int, a []float32, _, acs int, b []float32, bs int, c []float32, _ int, add bool) {
	tileGo(k, a, acs, b, bs, c, add)
}

func (kernel) transpose(dst []float32, ds int, src []float32, ss, n, k int) {
	transposeGo(dst, ds, src, ss, n, k)
}

func (kernel) list(dst []element, x []float32) int { return listGo(dst, x) }

func (kernel) listDifference(dst []element, x, y []float32) int { return listDifferenceGo(dst, x, y) }

func (kernel) gather(m, n int, start []int, elements []element, b, c, init []float32, ldi int, floor float32) {
	gatherGo(m, n, start, elements, b, c, init, ldi, floor)
}

func (kernel) sparse(m, n, k int, a, b, c, init []float32, ldi int, floor float32, gate []float32) (count int) {
	return sparseGo(m, n, k, a, b, c, init, ldi, floor, gate)
}

func (kernel) relu(y []float32) int                   { return 0 }
func (kernel) reluGrad(dy, y []float32) int           { return 0 }
func (kernel) adam(c *Adam, w, m, v, g []float32) int { return 0 }
