//go:build amd64 && !purego

package expectimax

import (
	"unsafe"

	"marsgym/internal/kernel/simd"
)

func solve(g *Graph, value, rolling []Vec, from, to int) {
	edges, pairs, picks := unsafe.SliceData(g.edges), unsafe.SliceData(g.pairs), unsafe.SliceData(g.picks)
	switch first := g.ends + from; simd.Active() {
	case simd.AVX512:
		solveAVX512(to-from, &g.nodes[from], edges, pairs, picks, &value[0][0], &value[first][0], &rolling[first][0])
	case simd.AVX2:
		for l := 0; l < Width; l += 8 {
			solveAVX2(to-from, &g.nodes[from], edges, pairs, picks, &value[0][l], &value[first][l], &rolling[first][l])
		}
	default:
		solveGo(g, value, rolling, from, to)
	}
}

func propagate(g *Graph, dist, reach, value, rolling []Vec) {
	edges, pairs, picks := unsafe.SliceData(g.edges), unsafe.SliceData(g.pairs), unsafe.SliceData(g.picks)
	switch n, kern := len(g.nodes)-1, simd.Active(); {
	case n == 0:
	case kern == simd.AVX512:
		propagateAVX512(n, &g.nodes[n-1], edges, pairs, picks, lane(dist, 0), &reach[0][0], &value[0][0], &reach[g.ends+n-1][0], &rolling[g.ends+n-1][0], g.tie)
	case kern == simd.AVX2:
		for l := 0; l < Width; l += 8 {
			propagateAVX2(n, &g.nodes[n-1], edges, pairs, picks, lane(dist, l), &reach[0][l], &value[0][l], &reach[g.ends+n-1][l], &rolling[g.ends+n-1][l], g.tie)
		}
	default:
		propagateGo(g, dist, reach, value, rolling)
	}
}

// solveAVX2 and solveAVX512 are [solveGo] for n nodes, n at least 1. out and rolling
// point to the elements of the first node. The kernels of AVX2 handle the lane that the
// arguments point to and the next seven, those of AVX-512 all lanes.

//go:noescape
func solveAVX2(n int, nodes *node, edges *edge, pairs *pair, picks *pick, value, out, rolling *float64)

//go:noescape
func solveAVX512(n int, nodes *node, edges *edge, pairs *pair, picks *pick, value, out, rolling *float64)

// propagateAVX2 and propagateAVX512 are [propagateGo] for n nodes, n at least 1. nodes, from
// and rolling point to the elements of the last node; from is its reach.

//go:noescape
func propagateAVX2(n int, nodes *node, edges *edge, pairs *pair, picks *pick, dist, reach, value, from, rolling *float64, tie float64)

//go:noescape
func propagateAVX512(n int, nodes *node, edges *edge, pairs *pair, picks *pick, dist, reach, value, from, rolling *float64, tie float64)
