//go:build purego || !(amd64 || arm64)

package expectimax

func solve(g *Graph, value, rolling []Vec, from, to int) { solveGo(g, value, rolling, from, to) }

func propagate(g *Graph, dist, reach, value, rolling []Vec) {
	propagateGo(g, dist, reach, value, rolling)
}
