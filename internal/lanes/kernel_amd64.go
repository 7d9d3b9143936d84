//go:build amd64 && !purego

package lanes

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func detect() []kernel {
	ks := []kernel{portable}
	if cpu.X86.HasAVX2 {
		ks = append(ks, avx2)
		if cpu.X86.HasAVX512F {
			ks = append(ks, avx512)
		}
	}
	return ks
}

func (kern kernel) solve(g *Graph, value, rolling []Vec) {
	edges, pairs, picks := unsafe.SliceData(g.edges), unsafe.SliceData(g.pairs), unsafe.SliceData(g.picks)
	switch n := len(g.nodes) - 1; {
	case n == 0:
	case kern == avx512:
		solveAVX512(n, &g.nodes[0], edges, pairs, picks, &value[0], &value[g.ends], &rolling[g.ends])
	case kern == avx2:
		solveAVX2(n, &g.nodes[0], edges, pairs, picks, &value[0], &value[g.ends], &rolling[g.ends])
	default:
		solveGo(g, value, rolling)
	}
}

func (kern kernel) propagate(g *Graph, dist, reach, value, rolling []Vec) {
	edges, pairs, picks := unsafe.SliceData(g.edges), unsafe.SliceData(g.pairs), unsafe.SliceData(g.picks)
	switch n := len(g.nodes) - 1; {
	case n == 0:
	case kern == avx512:
		propagateAVX512(n, &g.nodes[n-1], edges, pairs, picks, unsafe.SliceData(dist), &reach[0], &value[0], &reach[g.ends+n-1], &rolling[g.ends+n-1], g.tie)
	case kern == avx2:
		propagateAVX2(n, &g.nodes[n-1], edges, pairs, picks, unsafe.SliceData(dist), &reach[0], &value[0], &reach[g.ends+n-1], &rolling[g.ends+n-1], g.tie)
	default:
		propagateGo(g, dist, reach, value, rolling)
	}
}

// solveAVX2 and solveAVX512 are [solveGo] for n nodes, n at least 1. out and rolling
// point to the elements of the first node.

//go:noescape
func solveAVX2(n int, nodes *node, edges *edge, pairs *pair, picks *pick, value, out, rolling *Vec)

//go:noescape
func solveAVX512(n int, nodes *node, edges *edge, pairs *pair, picks *pick, value, out, rolling *Vec)

// propagateAVX2 and propagateAVX512 are [propagateGo] for n nodes, n at least 1. nodes, from
// and rolling point to the elements of the last node; from is its reach.

//go:noescape
func propagateAVX2(n int, nodes *node, edges *edge, pairs *pair, picks *pick, dist, reach, value, from, rolling *Vec, tie float64)

//go:noescape
func propagateAVX512(n int, nodes *node, edges *edge, pairs *pair, picks *pick, dist, reach, value, from, rolling *Vec, tie float64)
