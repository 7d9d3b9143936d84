package expectimax

// The conversions of products forbid fusing them with a sum, so that the bits
// are the same on every architecture.

// solveGo fills in value and rolling of the nodes from <= i < to, node by node.
func solveGo(g *Graph, value, rolling []Vec, from, to int) {
	for i := from; i < to; i++ {
		n, next := &g.nodes[i], &g.nodes[i+1]
		var sum Vec
		for k := n.edges; k < next.edges; k++ {
			e := &g.edges[k]
			v := e.to.in(value)
			for l := range sum {
				sum[l] += float64(e.prob * v[l])
			}
		}
		for k := n.pairs; k < next.pairs; k++ {
			c := &g.pairs[k]
			a, b := c.a.in(value), c.b.in(value)
			for l := range sum {
				sum[l] += float64(c.prob * max(a[l], b[l]))
			}
		}
		for k := n.picks; k < next.picks; k++ {
			c := &g.picks[k]
			v := c.best(value)
			for l := range sum {
				sum[l] += float64(c.prob * v[l])
			}
		}
		rolling[g.ends+i] = sum
		if n.stop != none {
			stop := offset(n.stop).in(value)
			for l := range sum {
				sum[l] = max(sum[l], stop[l])
			}
		}
		value[g.ends+i] = sum
	}
}

// best returns the values of the best option.
func (c *pick) best(value []Vec) Vec {
	v := *c.to[0].in(value)
	for _, to := range c.to[1:c.n] {
		for l, x := range to.in(value) {
			v[l] = max(v[l], x)
		}
	}
	return v
}

// propagateGo does all of Propagate except adding reach to dist at the ends.
func propagateGo(g *Graph, dist, reach, value, rolling []Vec) {
	for i := len(g.nodes) - 2; i >= 0; i-- {
		p := reach[g.ends+i]
		if p == (Vec{}) {
			continue
		}
		reach[g.ends+i] = Vec{}
		n, next := &g.nodes[i], &g.nodes[i+1]
		if n.stop != none {
			stop, ends, roll := offset(n.stop).in(value), offset(n.stop).in(dist), &rolling[g.ends+i]
			for l := range p {
				if stop[l] > roll[l]+g.tie {
					ends[l] += p[l]
					p[l] = 0
				}
			}
			if p == (Vec{}) {
				continue
			}
		}
		for k := n.edges; k < next.edges; k++ {
			e := &g.edges[k]
			to := e.to.in(reach)
			for l := range p {
				to[l] += float64(p[l] * e.prob)
			}
		}
		for k := n.pairs; k < next.pairs; k++ {
			c := &g.pairs[k]
			a, b, toA, toB := c.a.in(value), c.b.in(value), c.a.in(reach), c.b.in(reach)
			for l := range p {
				if q := float64(p[l] * c.prob); b[l] > a[l]+g.tie {
					toB[l] += q
				} else {
					toA[l] += q
				}
			}
		}
		for k := n.picks; k < next.picks; k++ {
			c := &g.picks[k]
			v := c.best(value)
			for l := range p {
				o := 0
				for v := v[l] - g.tie; c.to[o].in(value)[l] < v; {
					o++
				}
				c.to[o].in(reach)[l] += float64(p[l] * c.prob)
			}
		}
	}
}
