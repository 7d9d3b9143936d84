package search

// This test is inside the package to give simulations their results and edges their figures.

import (
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// still is a game for two in which seat 0 has one action for ever.
type still struct{ game.Rules[int] }

func (still) Spec() game.Spec {
	return game.Spec{Players: 2, Actions: 1, Win: 1, Loss: -1, MoveLimit: 100}
}
func (still) CurrentPlayer(int) game.Player                { return 0 }
func (still) Legal(dst []game.Action, _ int) []game.Action { return append(dst, 0) }

// newTestTree returns a tree of that game.
func newTestTree() *tree[int] {
	rules := core.New[int](still{})
	g := &Trees[int]{setup: &setup[int]{rules: rules, spec: rules.Spec(), d: 1, exploration: DefaultExploration}}
	return newTree(g)
}

// TestParts compares the parts of a search of any number of simulations with their results: the last
// half, the quarter before and the eighth before that.
func TestParts(t *testing.T) {
	for simulations := 1; simulations <= 40; simulations++ {
		x := newTestTree()
		x.reset(0, simulations, 1)
		var results []float64
		for k := range simulations {
			share := float64((k*k+3)%7) / 7
			results = append(results, share)
			x.backUp(nil, []float64{share, 1 - share})
		}
		got := make([]float64, Sizes*2)
		x.parts(got)
		last := math.NaN()
		for k := range Sizes {
			if list := results[simulations>>(k+1) : simulations>>k]; len(list) > 0 {
				last = 0
				for _, share := range list {
					last += share / float64(len(list))
				}
			}
			if !(math.Abs(got[2*k]-last) <= 1e-12 && math.Abs(got[2*k+1]-(1-last)) <= 1e-12) {
				t.Errorf("part %d of %d simulations is %v; want %v", k, simulations, got[2*k:][:2], last)
			}
		}
	}
}

// TestChoice: the most visits decide, then the sum of shares, then the lowest index; without visits
// the priors do.
func TestChoice(t *testing.T) {
	type figures struct {
		visits     int32
		sum, prior float64
	}
	for name, tt := range map[string]struct {
		edges []figures
		want  game.Action
	}{
		"most visits":         {[]figures{{3, 3, 0.1}, {4, 0, 0.1}, {2, 2, 0.8}}, 1},
		"the best of those":   {[]figures{{4, 1, 0.5}, {4, 2, 0.1}, {3, 3, 0.4}}, 1},
		"the first of equals": {[]figures{{1, 0, 0.9}, {2, 1, 0}, {2, 1, 0.1}}, 1},
		"no visits":           {[]figures{{0, 0, 0.2}, {0, 0, 0.3}, {0, 0, 0.5}}, 2},
		"equal priors":        {[]figures{{0, 0, 0.4}, {0, 0, 0.2}, {0, 0, 0.4}}, 0},
		"one visit":           {[]figures{{0, 0, 0.9}, {1, 0, 0.1}}, 1},
		"no number":           {[]figures{{1, math.NaN(), 0.9}, {1, 1, 0.1}}, 0},
	} {
		x := newTestTree()
		x.only = -1
		x.nodes = append(x.nodes, node[int]{n: int32(len(tt.edges))})
		for a, f := range tt.edges {
			x.edges = append(x.edges, edge{action: game.Action(a), visits: f.visits, sum: f.sum, prior: f.prior})
		}
		if got := x.choice(); got != tt.want {
			t.Errorf("%s: action %d; want %d", name, got, tt.want)
		}
		x.only = 7
		if got := x.choice(); got != 7 {
			t.Errorf("%s: action %d; want the only one", name, got)
		}
	}
}

// TestSelectEdge compares the edge that a simulation takes with the formula of PUCT, in shares of the
// win and in deviations, with simulations under way.
func TestSelectEdge(t *testing.T) {
	edges := []edge{
		{visits: 5, sum: 3, prior: 0.2}, {visits: 3, sum: 1, prior: 0.3, underWay: 2}, {prior: 0.15}, {visits: 1, sum: 1, prior: 0.05}, {prior: 0.3, underWay: 3},
	}
	for _, deviations := range []bool{false, true} {
		for c := 0.0; c < 4; c += 0.125 {
			for visits := int32(0); visits < 40; visits += 3 {
				x := newTestTree()
				x.g.exploration = Exploration{C: c, Deviations: deviations}
				x.edges = edges
				x.done, x.total, x.square = 12, []float64{7, 5}, []float64{6, 4}
				n := node[int]{n: int32(len(edges)), visits: visits, sum: 0.4 * float64(visits), underWay: 5, mover: 1}
				u := c
				if deviations { // of 12 results with the sum 5 and the squares 4, and two more 0.1 off the mean
					u *= math.Sqrt((4 - 12*math.Pow(5./12, 2) + 2*0.01) / 14)
				}
				seen := math.Max(1, float64(visits))
				want, most := 0, math.Inf(-1)
				for k, e := range edges {
					q := n.sum / seen
					if e.visits > 0 {
						q = e.sum / float64(e.visits)
					}
					if q += u * e.prior * math.Sqrt(seen+5) / float64(1+e.visits+e.underWay); q > most+1e-12 {
						want, most = k, q
					}
				}
				if got := x.selectEdge(&n); int(got) != want {
					t.Errorf("c %v, deviations %v, %d visits: edge %d; want %d", c, deviations, visits, got, want)
				}
			}
		}
	}
}

// TestDeviation: before the first simulation the deviation is 0.1, and of equal results it falls.
func TestDeviation(t *testing.T) {
	x := newTestTree()
	if got := x.deviation(0); !(math.Abs(got-0.1) <= 1e-12) {
		t.Errorf("before the first simulation it is %v", got)
	}
	for range 6 {
		x.backUp(nil, []float64{0.3, 0.7})
	}
	if got := x.deviation(0); !(math.Abs(got-math.Sqrt(0.02/8)) <= 1e-9) {
		t.Errorf("after six equal results it is %v", got)
	}
}

// coins are rules in which seat 0 flips one of two coins, 1 or 2, and wins by heads.
type coins struct{ game.Rules[int] }

func (coins) Spec() game.Spec {
	return game.Spec{Players: 2, Actions: 2, Win: 1, Loss: -1, Observation: []game.Field{{Name: "coin", Len: 1}}}
}

func (coins) CurrentPlayer(s int) game.Player {
	return []game.Player{0, game.Chance, game.Chance, game.Terminal, game.Terminal}[s]
}

func (c coins) Legal(dst []game.Action, s int) []game.Action {
	if s == 0 {
		dst = append(dst, 0, 1)
	}
	return dst
}

func (coins) Outcomes(dst []game.Outcome[int], _ int) []game.Outcome[int] {
	return append(dst, game.Outcome[int]{State: 3, Prob: 0.5}, game.Outcome[int]{State: 4, Prob: 0.5})
}

func (coins) Apply(_ int, a game.Action) (int, error) { return 1 + int(a), nil }

func (coins) Returns(dst []float64, s int) []float64 {
	ret := []float64{0, 0, 0, 1, -1}[s]
	return append(dst, ret, -ret)
}

// TestCommonRandomNumbers: the k-th simulations of all actions of the root have the same dice, those of
// stream k, so that as many flips of two coins win equally often.
func TestCommonRandomNumbers(t *testing.T) {
	const seed = 7
	rules := core.New[int](coins{})
	g := &Trees[int]{setup: &setup[int]{rules: rules, spec: rules.Spec(), d: 1, bot: game.Uniform[int]{Rules: coins{}}, exploration: DefaultExploration}}
	x := newTree(g)
	x.atOnce = 1
	g.all = append(g.all, x)
	x.reset(0, 101, seed) // the first one expands the root
	if err := g.run(t.Context(), func(int) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if x.edges[0].visits+x.edges[1].visits != 100 {
		t.Fatalf("%d and %d simulations; want 100", x.edges[0].visits, x.edges[1].visits)
	}
	for coin, e := range x.edges {
		won := 0.0
		for k := range uint64(e.visits) {
			var dice rand.PCG
			if dice.Seed(seed, k<<32); rules.Sampler.Sample(1+coin, &dice) == 3 {
				won++
			}
		}
		if e.sum != won || e.visits < 10 {
			t.Errorf("coin %d wins %v of %d; want %v", coin, e.sum, e.visits, won)
		}
	}
}

// fork are rules in which seat 0 doubles a number, or doubles it and adds one, until it is large, and
// wins by one that 3 divides.
type fork struct{ game.Rules[int] }

func (fork) Spec() game.Spec {
	return game.Spec{Players: 2, Actions: 2, Win: 1, Loss: -1, Observation: []game.Field{{Name: "number", Len: 1}}}
}

func (fork) CurrentPlayer(s int) game.Player {
	if s > 1000 {
		return game.Terminal
	}
	return 0
}

func (f fork) Legal(dst []game.Action, s int) []game.Action {
	if f.CurrentPlayer(s) == 0 {
		dst = append(dst, 0, 1)
	}
	return dst
}

func (fork) Apply(s int, a game.Action) (int, error) { return 2*s + int(a), nil }

func (f fork) Returns(dst []float64, s int) []float64 {
	switch {
	case f.CurrentPlayer(s) == 0:
		return append(dst, 0, 0)
	case s%3 == 0:
		return append(dst, 1, -1)
	}
	return append(dst, -1, 1)
}

// TestVisits: each simulation is counted once on its own path, also where several are under way
// together.
func TestVisits(t *testing.T) {
	const simulations = 500
	for _, atOnce := range []int{1, mostAtOnce} {
		rules := core.New[int](fork{})
		g := &Trees[int]{setup: &setup[int]{rules: rules, spec: rules.Spec(), d: 1, bot: game.Uniform[int]{Rules: fork{}}, exploration: DefaultExploration}}
		x := newTree(g)
		x.atOnce = atOnce
		g.all = append(g.all, x)
		x.reset(1, simulations, 7)
		if err := g.run(t.Context(), func(int) bool { return false }); err != nil {
			t.Fatal(err)
		}
		root, edges := x.nodes[0], x.edgesOf(&x.nodes[0])
		if root.visits != simulations || edges[0].visits+edges[1].visits != simulations-1 || x.done != simulations || root.sum != x.total[0] {
			t.Errorf("%d at once: %d visits of the root, %d and %d of its actions, %d simulations, %v of %v won", atOnce, root.visits, edges[0].visits, edges[1].visits, x.done, root.sum, x.total[0])
		}
		for _, n := range x.nodes {
			sum := int32(0)
			for _, e := range x.edgesOf(&n) {
				sum += e.visits
				if e.underWay != 0 {
					t.Errorf("%d at once: %d simulations are still under way from %d", atOnce, e.underWay, n.state)
				}
			}
			if n.underWay != 0 || n.visits < sum || n.visits > sum+int32(atOnce) {
				t.Errorf("%d at once: %d visits of %d, %d of its actions, %d under way", atOnce, n.visits, n.state, sum, n.underWay)
			}
		}
	}
}
