package expectimax_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/kernel/expectimax"
	"marsgym/internal/kernel/simd/simdtest"
)

const tie = 1e-3

// plain is a graph in its simplest form.
type plain struct {
	ends  int
	nodes []plainNode
}

type plainNode struct {
	stop  int // -1 for none
	rolls []plainRoll
}

type plainRoll struct {
	prob    float64
	options []int
}

// random returns a graph with so many ends and nodes. Nodes may lack rolls of some kind,
// or have none at all.
func random(src *rand.Rand, ends, nodes int) plain {
	g := plain{ends: ends}
	for i := range nodes {
		n := plainNode{stop: src.IntN(ends+1) - 1}
		for options := 1; options <= min(5, ends+i); options++ {
			for range src.IntN(4) {
				n.rolls = append(n.rolls, plainRoll{src.Float64(), src.Perm(ends + i)[:options]})
			}
		}
		// Rolls with three options or more have any order.
		from := slices.IndexFunc(n.rolls, func(r plainRoll) bool { return len(r.options) > 2 })
		if from >= 0 {
			more := n.rolls[from:]
			src.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
		}
		g.nodes = append(g.nodes, n)
	}
	return g
}

func (p plain) graph() *expectimax.Graph {
	g := expectimax.New(p.ends, tie)
	for _, n := range p.nodes {
		g.Add(n.stop)
		for _, r := range n.rolls {
			g.Roll(r.prob, r.options...)
		}
	}
	return g
}

// solve is Solve for one lane.
func (p plain) solve(value, rolling []float64) {
	for i, n := range p.nodes {
		sum := 0.0
		for _, r := range n.rolls {
			best := value[r.options[0]]
			for _, o := range r.options {
				best = max(best, value[o])
			}
			sum += float64(r.prob * best)
		}
		rolling[p.ends+i], value[p.ends+i] = sum, sum
		if n.stop >= 0 {
			value[p.ends+i] = max(sum, value[n.stop])
		}
	}
}

// propagate is Propagate for one lane.
func (p plain) propagate(dist, reach, value, rolling []float64) {
	for i := len(p.nodes) - 1; i >= 0; i-- {
		n, q := p.nodes[i], reach[p.ends+i]
		if n.stop >= 0 && value[n.stop] > rolling[p.ends+i]+tie {
			dist[n.stop] += q
			continue
		}
		for _, r := range n.rolls {
			best := value[r.options[0]]
			for _, o := range r.options {
				best = max(best, value[o])
			}
			to := slices.IndexFunc(r.options, func(o int) bool { return value[o] >= best-tie })
			if len(r.options) == 2 { // the kernels round this comparison in another way
				to = 0
				if value[r.options[1]] > value[r.options[0]]+tie {
					to = 1
				}
			}
			reach[r.options[to]] += float64(q * r.prob)
		}
	}
	for i := range dist {
		dist[i] += reach[i]
	}
}

// payoff returns random numbers of which many tie, exactly or nearly.
func payoff(src *rand.Rand) float64 {
	x := float64(src.IntN(5) - 2)
	switch src.IntN(4) {
	case 0:
		x += tie * (src.Float64() - 0.5) * 4
	case 1:
		x += tie
	}
	return x
}

func TestKernels(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		src := rand.New(rand.NewPCG(1, 0))
		for n := range 200 {
			p := random(src, 1+n%7, n/3)
			g := p.graph()
			size := p.ends + len(p.nodes)
			if g.Len() != size {
				t.Fatalf("Len is %d, want %d", g.Len(), size)
			}
			value, rolling := make([]expectimax.Vec, size), make([]expectimax.Vec, size)
			dist, reach := make([]expectimax.Vec, p.ends), make([]expectimax.Vec, size)
			var want [4][expectimax.Width][]float64 // the same for each lane
			for l := range expectimax.Width {
				for k, x := range [][]expectimax.Vec{value, rolling, dist, reach} {
					want[k][l] = make([]float64, len(x))
				}
				for i := range p.ends {
					value[i][l] = payoff(src)
					want[0][l][i] = value[i][l]
				}
				for range src.IntN(3) { // also with all of reach 0
					i := src.IntN(size)
					reach[i][l] += src.Float64()
					want[3][l][i] = reach[i][l]
				}
				p.solve(want[0][l], want[1][l])
				p.propagate(want[2][l], want[3][l], want[0][l], want[1][l])
				clear(want[3][l])
			}
			g.Solve(value, rolling)
			g.Propagate(dist, reach, value, rolling)
			for k, x := range [][]expectimax.Vec{value, rolling, dist, reach} {
				name := []string{"value", "rolling", "dist", "reach"}[k]
				for i := range x {
					for l, got := range x[i] {
						if want := want[k][l][i]; got != want {
							t.Fatalf("graph %d of %d ends, lane %d: %s of %d is %v, want %v", n, p.ends, l, name, i, got, want)
						}
					}
				}
			}
		}
	})
}

// TestGolden: every kernel computes these bits on every processor. The numbers are drawn
// without rounding, and near each other, so that many differ by about tie.
func TestGolden(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		src, sum := rand.New(rand.NewPCG(4, 0)), sha256.New()
		for n := range 30 {
			p := random(src, 1+n%7, 2*n)
			g := p.graph()
			value, rolling := make([]expectimax.Vec, g.Len()), make([]expectimax.Vec, g.Len())
			dist, reach := make([]expectimax.Vec, p.ends), make([]expectimax.Vec, g.Len())
			for i := range g.Len() {
				for l := range expectimax.Width {
					value[i][l] = float64(src.IntN(64)-32) / 1024
					reach[i][l] = float64(src.IntN(3)) / 4
				}
			}
			g.Solve(value, rolling)
			g.Propagate(dist, reach, value, rolling)
			for _, x := range [][]expectimax.Vec{value, rolling, dist} {
				if err := binary.Write(sum, binary.LittleEndian, x); err != nil {
					t.Fatal(err)
				}
			}
		}
		const want = "bfb3ba6d268ae060"
		if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != want {
			t.Errorf("the results have the hash %s, want %s", got, want)
		}
	})
}

func TestRefuses(t *testing.T) {
	four := func() *expectimax.Graph { // three ends and a node
		g := expectimax.New(3, tie)
		g.Add(2)
		return g
	}
	vecs := func(n int) []expectimax.Vec { return make([]expectimax.Vec, n) }
	for name, test := range map[string]struct {
		f    func()
		want string
	}{
		"a stop that is no end":     {func() { four().Add(3) }, "3 is not below 3"},
		"a roll of no node":         {func() { expectimax.New(3, tie).Roll(1, 0) }, "index out of range"},
		"a roll to its own node":    {func() { four().Roll(1, 3) }, "3 is not below 3"},
		"a roll to a negative":      {func() { four().Roll(1, -1) }, "-1 is not below 3"},
		"an option twice":           {func() { four().Roll(1, 1, 1) }, "option 1 is repeated"},
		"no option":                 {func() { four().Roll(1) }, "a roll with 0 options"},
		"one option after two":      {func() { g := four(); g.Roll(0.5, 0, 1); g.Roll(0.5, 0) }, "a roll with 1 options comes too late"},
		"two options after three":   {func() { g := four(); g.Roll(0.5, 0, 1, 2); g.Roll(0.5, 0, 1) }, "a roll with 2 options comes too late"},
		"more options than five":    {func() { g := expectimax.New(9, tie); g.Add(-1); g.Roll(1, 0, 1, 2, 3, 4, 5) }, "a roll with 6 options"},
		"values of another length":  {func() { four().Solve(vecs(3), vecs(4)) }, "3 vectors, want 4"},
		"rolling of another length": {func() { four().Solve(vecs(4), vecs(5)) }, "5 vectors, want 4"},
		"dist of another length":    {func() { four().Propagate(vecs(4), vecs(4), vecs(4), vecs(4)) }, "4 vectors, want 3"},
		"reach of another length":   {func() { four().Propagate(vecs(3), vecs(3), vecs(4), vecs(4)) }, "3 vectors, want 4"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, test.want) {
					t.Errorf("%s: panic %q, want %q", name, got, test.want)
				}
			}()
			test.f()
		}()
	}
}

// Solve and Propagate do not allocate.
func TestAllocs(t *testing.T) {
	p := random(rand.New(rand.NewPCG(2, 0)), 5, 30)
	g := p.graph()
	value, rolling := make([]expectimax.Vec, g.Len()), make([]expectimax.Vec, g.Len())
	dist, reach := make([]expectimax.Vec, p.ends), make([]expectimax.Vec, g.Len())
	if n := testing.AllocsPerRun(10, func() {
		g.Solve(value, rolling)
		g.Propagate(dist, reach, value, rolling)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleGraph() {
	// A die, rolled once or twice: the last roll pays its face, and a one pays nothing.
	g := expectimax.New(7, 0)
	g.Add(-1)
	for face := 1; face <= 6; face++ {
		if face == 1 {
			g.Roll(1.0/6, 0)
		} else {
			g.Roll(1.0/6, face)
		}
	}
	const second = 7
	g.Add(-1)
	g.Roll(1.0/6, 0)
	for face := 2; face <= 6; face++ {
		g.Roll(1.0/6, face, second)
	}
	value, rolling := make([]expectimax.Vec, g.Len()), make([]expectimax.Vec, g.Len())
	for points := range 7 {
		value[points] = expectimax.Vec{float64(points), float64(points * points)} // two sets of payoffs
	}
	g.Solve(value, rolling)
	fmt.Printf("%.3f %.3f\n", rolling[8][0], rolling[8][1])
	// Output: 3.611 17.833
}

// A graph about as large as a turn of Martian Dice.
func BenchmarkGraph(b *testing.B) {
	src := rand.New(rand.NewPCG(3, 0))
	const ends, nodes = 17, 769
	g := expectimax.New(ends, tie)
	for i := range nodes {
		g.Add(src.IntN(ends))
		for n, options := range []int{14, 20, 8} { // number of rolls with one, two and three options
			for range options {
				g.Roll(1.0/42, src.Perm(ends + i)[:n+1]...)
			}
		}
	}
	value, rolling := make([]expectimax.Vec, g.Len()), make([]expectimax.Vec, g.Len())
	dist, reach := make([]expectimax.Vec, ends), make([]expectimax.Vec, g.Len())
	for i := range ends {
		for l := range value[i] {
			value[i][l] = src.Float64()
		}
	}
	simdtest.EachB(b, func(b *testing.B) {
		b.Run("solve", func(b *testing.B) {
			for b.Loop() {
				g.Solve(value, rolling)
			}
		})
		b.Run("propagate", func(b *testing.B) {
			for b.Loop() {
				for i := range reach {
					reach[i] = expectimax.Vec{0: 1, 7: 1}
				}
				g.Propagate(dist, reach, value, rolling)
			}
		})
	})
}

// TestWaves solves the nodes of each wave in reverse, which gives what Solve does if none of them
// leads to another.
func TestWaves(t *testing.T) {
	src := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		g := random(src, 3, src.IntN(40)).graph()
		var want, got [2][]expectimax.Vec // value and rolling
		for k := range want {
			want[k], got[k] = make([]expectimax.Vec, g.Len()), make([]expectimax.Vec, g.Len())
		}
		for i := range 3 {
			for l := range want[0][i] {
				want[0][i][l] = src.Float64()
			}
			got[0][i] = want[0][i]
		}
		g.Solve(want[0], want[1])
		waves := g.Waves()
		for k, first := range waves[:len(waves)-1] {
			for i := waves[k+1] - 1; i >= first; i-- {
				g.SolveNodes(got[0], got[1], i, i+1)
			}
		}
		for k := range want {
			if !slices.Equal(got[k], want[k]) {
				t.Fatalf("waves %v of %d nodes give %v, want %v", waves, g.Len(), got[k], want[k])
			}
		}
	}
}
