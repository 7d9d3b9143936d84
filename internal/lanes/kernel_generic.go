//go:build !amd64 || purego

package lanes

func detect() []kernel { return []kernel{portable} }

func (kernel) solve(g *Graph, value, rolling []Vec) { solveGo(g, value, rolling) }

func (kernel) spread(g *Graph, dist, reach, value, rolling []Vec) {
	spreadGo(g, dist, reach, value, rolling)
}
