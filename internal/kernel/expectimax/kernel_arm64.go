//go:build !purego

package expectimax

import (
	"unsafe"

	"marsgym/internal/kernel/simd"
)

func solve(g *Graph, value, rolling []Vec, from, to int) {
	if simd.Active() != simd.NEON {
		solveGo(g, value, rolling, from, to)
		return
	}
	first := g.ends + from
	solveNEON(to-from, &g.nodes[from], unsafe.SliceData(g.edges), unsafe.SliceData(g.pairs), unsafe.SliceData(g.picks),
		&value[0][0], &value[first][0], &rolling[first][0])
}

func propagate(g *Graph, dist, reach, value, rolling []Vec) {
	n := len(g.nodes) - 1
	if n == 0 || simd.Active() != simd.NEON {
		propagateGo(g, dist, reach, value, rolling)
		return
	}
	propagateNEON(n, &g.nodes[n-1], unsafe.SliceData(g.edges), unsafe.SliceData(g.pairs), unsafe.SliceData(g.picks),
		lane(dist, 0), &reach[0][0], &value[0][0], &reach[g.ends+n-1][0], &rolling[g.ends+n-1][0], g.tie)
}

// solveNEON is [solveGo] for n nodes, n at least 1. out and rolling point to the elements
// of the first node.
//
//go:noescape
func solveNEON(n int, nodes *node, edges *edge, pairs *pair, picks *pick, value, out, rolling *float64)

// propagateNEON is [propagateGo] for n nodes, n at least 1. nodes, from and rolling point
// to the elements of the last node; from is its reach.
//
//go:noescape
func propagateNEON(n int, nodes *node, edges *edge, pairs *pair, picks *pick, dist, reach, value, from, rolling *float64, tie float64)
