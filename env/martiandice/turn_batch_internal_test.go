package martiandice

// In package martiandice: the exported API cannot solve turns for arbitrary payoffs.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/kernel/expectimax"
	"marsgym/internal/test/fulltest"
)

// somePayoffs fills pay with payoffs of the ends of a turn: from few numbers, so that
// many options tie, exactly or nearly; from a normal distribution; or like those of a
// game.
func somePayoffs(src *rand.Rand, pay []float64) {
	kind := src.IntN(4)
	for k := range pay {
		switch kind {
		case 0:
			pay[k] = float64(src.IntN(3))
		case 1:
			pay[k] = float64(src.IntN(3)) + game.Tie*3*(src.Float64()-0.5)
		case 2:
			pay[k] = src.NormFloat64()
		case 3:
			pay[k] = float64(k)*0.04 + 0.1*src.Float64()
		}
	}
}

// eachGraph calls f with the graph of the published game, and with one in which a player
// may stop before setting anything aside, so that decisions have up to five options.
func eachGraph(t *testing.T, f func(t *testing.T, g *turnGraph)) {
	for _, stop := range []bool{false, true} {
		cfg := DefaultConfig()
		cfg.AllowStopBeforeSelect = stop
		r, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("stop=%v", stop), func(t *testing.T) { f(t, r.newTurnGraph()) })
	}
}

func TestTurnBatch(t *testing.T) {
	fulltest.Gate(t)
	eachGraph(t, func(t *testing.T, g *turnGraph) {
		src := rand.New(rand.NewPCG(1, 0))
		b := g.newBatch()
		value, rolling := make([]float64, g.nodes()), make([]float64, g.live)
		dist, reach := make([]float64, g.ends), make([]float64, g.nodes())
		pay := make([]float64, g.ends)
		for range 30 {
			var pays [expectimax.Width][]float64
			for l := range pays {
				somePayoffs(src, pay)
				pays[l] = slices.Clone(pay)
				for k, x := range pay {
					b.value[k][l] = x
				}
			}
			b.solve()
			b.propagate()
			for l, pay := range pays {
				copy(value, pay)
				g.solve(value, rolling)
				clear(dist)
				reach[g.start()] = 1
				g.propagateBest(dist, reach, value, rolling)
				for i := range g.live {
					if got := b.value[i][l]; got != value[i] {
						t.Fatalf("lane %d: the value of node %d is %v, want %v", l, i, got, value[i])
					}
					if got := b.rolling[i][l]; got != rolling[i] {
						t.Fatalf("lane %d: the value of rolling from node %d is %v, want %v", l, i, got, rolling[i])
					}
					if got := b.reach[i][l]; got != 0 {
						t.Fatalf("lane %d: reach of node %d is left at %v", l, i, got)
					}
				}
				for k := range dist {
					if got := b.dist[k][l]; got != dist[k] {
						t.Fatalf("lane %d: %d points with probability %v, want %v", l, k, got, dist[k])
					}
				}
			}
		}
	})
}

// TestForEach: calls that solve different numbers of turns, one after another, each get
// the solutions of their own turns.
func TestForEach(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	g := r.graph()
	const stride = 2
	for _, n := range []int{0, 1, 7, 8, 9, 60} {
		var calls atomic.Int64
		err := g.forEach(context.Background(), n, func(i int, l *lane) error {
			calls.Add(1 << (i % 50))
			src := rand.New(rand.NewPCG(2, uint64(i)))
			value, rolling := make([]float64, g.nodes()), make([]float64, g.live)
			dist, pay := make([]float64, g.ends), make([]float64, g.ends*stride)
			for range i % 7 {
				somePayoffs(src, pay)
				for k := range dist {
					value[k] = pay[k*stride]
				}
				g.solve(value, rolling)
				if got := l.solve(dist, pay, stride); got != rolling[g.start()] {
					return fmt.Errorf("call %d: the value of a turn is %v, want %v", i, got, rolling[g.start()])
				}
				reach, want := make([]float64, g.nodes()), make([]float64, g.ends)
				reach[g.start()] = 1
				g.propagateBest(want, reach, value, rolling)
				if !slices.Equal(dist, want) {
					return fmt.Errorf("call %d: the ends of a turn have probabilities %v, want %v", i, dist, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		var want int64
		for i := range n {
			want += 1 << (i % 50)
		}
		if got := calls.Load(); got != want {
			t.Errorf("%d calls: they add up to %x, want %x", n, got, want)
		}
	}
}

// After an error no further call begins, the calls in progress end, and the error is
// returned.
func TestForEachFails(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	g := r.graph()
	bad := errors.New("bad")
	var begun, ended atomic.Int64
	err = g.forEach(context.Background(), 1000, func(i int, l *lane) error {
		begun.Add(1)
		defer ended.Add(1)
		dist := make([]float64, g.ends)
		l.solve(dist, dist, 1)
		if i == 3 {
			return bad
		}
		l.solve(dist, dist, 1)
		return nil
	})
	if !errors.Is(err, bad) {
		t.Errorf("got error %v, want %v", err, bad)
	}
	if begun.Load() != ended.Load() {
		t.Errorf("%d calls have begun, %d ended", begun.Load(), ended.Load())
	}
	stop, cancel := context.WithCancel(context.Background())
	most := int64(runtime.GOMAXPROCS(0) * expectimax.Width)
	begun.Store(0)
	err = g.forEach(stop, 1000, func(int, *lane) error {
		begun.Add(1)
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || begun.Load() > most {
		t.Errorf("cancelled: %d calls have begun, error %v", begun.Load(), err)
	}
}

// One turn, and one in each lane of a batch, with payoffs like those of a game.
func BenchmarkTurn(b *testing.B) {
	r, err := New(DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	g, batch := r.newTurnGraph(), r.newTurnGraph().newBatch()
	value, rolling := make([]float64, g.nodes()), make([]float64, g.live)
	dist, reach := make([]float64, g.ends), make([]float64, g.nodes())
	src := rand.New(rand.NewPCG(3, 0))
	for k := range g.ends {
		value[k] = 0.04 * float64(k)
		for l := range expectimax.Width {
			batch.value[k][l] = value[k] + 0.02*src.Float64()
		}
	}
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			g.solve(value, rolling)
			clear(dist)
			reach[g.start()] = 1
			g.propagateBest(dist, reach, value, rolling)
		}
	})
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			batch.solve()
			batch.propagate()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/expectimax.Width, "ns/turn")
	})
}
