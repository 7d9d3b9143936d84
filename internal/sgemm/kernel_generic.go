//go:build !amd64 || purego

package sgemm

func detect() []kernel { return []kernel{portable} }

func (kernel) tile(_, _, k int, a []float32, _, acs int, b []float32, bs int, c []float32, _ int, alpha, beta float32) {
	tileGo(k, a, acs, b, bs, c, alpha, beta)
}

func (kernel) transpose(dst []float32, ds int, src []float32, ss, n, k int) {
	transposeGo(dst, ds, src, ss, n, k)
}

func (kernel) sparse(s *scratch, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, add bool, most, slack int) (left int) {
	return sparseGo(s.c[:], m, n, k, a, lda, b, ldb, c, ldc, add, most, slack)
}

func (kernel) addReLU(y, b []float32) int             { return 0 }
func (kernel) reluGrad(dy, y []float32) int           { return 0 }
func (kernel) adam(c *Adam, w, m, v, g []float32) int { return 0 }
