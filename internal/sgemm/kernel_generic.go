//go:build !amd64 || purego

package sgemm

func detect() []kernel { return []kernel{portable} }

func (kernel) tile(_, _, k int, a []float32, _, acs int, b []float32, bs int, c []float32, _ int, alpha, beta float32) {
	tileGo(k, a, acs, b, bs, c, alpha, beta)
}

func (kernel) transpose(dst []float32, ds int, src []float32, ss, n, k int) {
	transposeGo(dst, ds, src, ss, n, k)
}
