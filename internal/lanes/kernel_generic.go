//go:build !amd64 || purego

package lanes

func detect() []kernel { return []kernel{portable} }

func (kernel) solve(g *Graph, value, rolling []Vec) { solveGo(g, value, rolling) }

func (kernel) propagate(g *Graph, dist, reach, value, rolling []Vec) {
	propagateGo(g, dist, reach, value, rolling)
}
