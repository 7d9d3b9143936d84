//go:build (amd64 || arm64) && !purego

package sgemm

// transpose is [transposeGo].
func (kern kernel) transpose(dst []float32, ds int, src []float32, ss, n, k int) {
	if kern == plain || n < 8 || k < 8 {
		transposeGo(dst, ds, src, ss, n, k)
		return
	}
	// If n or k is not a multiple of 8, the last block overlaps the one before it.
	for j := 0; j < n; j += 8 {
		j := min(j, n-8)
		transpose8(k/8, &dst[j], ds, &src[j*ss], ss)
		if k%8 != 0 {
			transpose8(1, &dst[(k-8)*ds+j], ds, &src[j*ss+k-8], ss)
		}
	}
}

// gather is [gatherGo] for m at least 1.
func (kern kernel) gather(m, n int, start []int, elements []element, b, c, init []float32, ldi int, floor float32) {
	if kern == plain {
		gatherGo(m, n, start, elements, b, c, init, ldi, floor)
		return
	}
	for j := 0; j < n; {
		j += kern.gatherColumns(m, n-j, &start[0], &elements[0].column, &b[j], n, &c[j], at(init, j), ldi, floor)
	}
}

// at returns the address of x[i], or nil if x is nil.
func at(x []float32, i int) *float32 {
	if x == nil {
		return nil
	}
	return &x[i]
}

// relu, reluGrad and adam process the first elements, as many as fill whole vectors,
// and return their number.

func (kern kernel) relu(y []float32) int {
	blocks := kern.blocks(len(y))
	if blocks > 0 {
		relu8(blocks, &y[0])
	}
	return 8 * blocks
}

func (kern kernel) reluGrad(dy, y []float32) int {
	blocks := kern.blocks(len(y))
	if blocks > 0 {
		reluGrad8(blocks, &dy[0], &y[0])
	}
	return 8 * blocks
}

func (kern kernel) adam(c *Adam, w, m, v, g []float32) int {
	blocks := kern.blocks(len(w))
	if blocks > 0 {
		adam8(blocks, &c.Scale, &w[0], &m[0], &v[0], &g[0])
	}
	return 8 * blocks
}

func (kern kernel) blocks(n int) int {
	if kern == plain {
		return 0
	}
	return n / 8
}
