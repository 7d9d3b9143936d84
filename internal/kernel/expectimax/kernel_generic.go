//go:build purego || !(amd64 || arm64)

package expectimax

func solve(g *Graph, value, rolling []Vec) { solveGo(g, value, rolling) }

func propagate(g *Graph, dist, reach, value, rolling []Vec) {
	propagateGo(g, dist, reach, value, rolling)
}
