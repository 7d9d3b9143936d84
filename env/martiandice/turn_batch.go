package martiandice

import (
	"context"
	"iter"
	"math"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/kernel/expectimax"
	"marsgym/internal/parallel"
)

// turnBatch solves several turns at once, one in each lane, to the same bits as
// turnGraph.solve and turnGraph.propagateBest. The caller fills value[:ends] with the
// payoffs of the ends, in the lanes that it uses, and calls solve and then propagate.
type turnBatch struct {
	graph          *turnGraph
	value, rolling []expectimax.Vec // [live] values of the nodes, and of rolling on
	dist           []expectimax.Vec // [ends] probability of each end
	reach          []expectimax.Vec // [live] all 0 between calls
}

const maxEnds = maxDice + maxBonus + 1

// payoffs are the bits of the payoffs of the ends of a turn.
type payoffs [maxEnds]uint64

// solvedTurn is the value of a turn and the probability of each end.
type solvedTurn struct {
	value float64
	dist  [maxEnds]float64
}

// solvedTurns are turns whose payoffs recur.
type solvedTurns struct {
	mu sync.Mutex
	by map[payoffs]solvedTurn
}

func (s *solvedTurns) load(key *payoffs) (solvedTurn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.by[*key]
	return e, ok
}

func (s *solvedTurns) store(key *payoffs, e *solvedTurn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil || len(s.by) >= 1<<15 { // chosen: they take some 20 MB
		s.by = map[payoffs]solvedTurn{}
	}
	s.by[*key] = *e
}

func (t *turnGraph) newBatch() *turnBatch {
	// One allocation, since slices that lie a multiple of 4 KiB apart are slow to load
	// and store in turn (4K aliasing).
	v := make([]expectimax.Vec, 3*t.live+t.ends)
	return &turnBatch{t, v[:t.live], v[t.live:][:t.live], v[3*t.live:], v[2*t.live:][:t.live]}
}

// takeBatch returns a batch of the pool, or a new one.
func (t *turnGraph) takeBatch() *turnBatch {
	if b, ok := t.batches.Get().(*turnBatch); ok {
		return b
	}
	return t.newBatch()
}

// solve fills in value and rolling.
func (b *turnBatch) solve() { b.graph.lanes.Solve(b.value, b.rolling) }

// waveRanges is the number of ranges of a wave. Chosen: with more, a goroutine takes longer to find
// helpers than they to solve it.
const waveRanges = 8

// solveInWaves is solve on all cores.
func (b *turnBatch) solveInWaves() {
	g := b.graph.lanes
	waves := g.Waves()
	for k, first := range waves[:len(waves)-1] {
		n := waves[k+1] - first
		parallel.For(n, (n+waveRanges-1)/waveRanges, func(from, to int) {
			g.SolveNodes(b.value, b.rolling, first+from, first+to)
		})
	}
}

// propagate fills in dist, for best play from the start of the turns.
func (b *turnBatch) propagate() {
	clear(b.dist)
	for l := range expectimax.Width {
		b.reach[b.graph.start()][l] = 1
	}
	b.graph.lanes.Propagate(b.dist, b.reach, b.value, b.rolling)
}

// buildLanes fills in t.lanes.
func (t *turnGraph) buildLanes() {
	t.lanes = expectimax.New(t.ends, game.Tie)
	for i := t.ends; i < t.live; i++ {
		h := &t.holds[i]
		t.addNode(t.lanes, i, t.pairs[h.pairs.from:h.pairs.to], t.picks[h.picks.from:h.picks.to], 0)
	}
}

// addNode adds live hold i to g, with these choices. The numbers of live holds in forced
// rolls are raised by shift.
func (t *turnGraph) addNode(g *expectimax.Graph, i int, pairs []pair, picks []pick, shift int) {
	h := &t.holds[i]
	stop := int(h.points)
	if i == t.start() {
		stop = -1
	}
	g.Add(stop)
	for _, e := range t.forced[h.forced.from:h.forced.to] {
		to := int(e.to)
		if to >= t.ends {
			to += shift
		}
		g.Roll(e.prob, to)
	}
	for _, c := range pairs {
		g.Roll(c.prob, int(c.a), int(c.b))
	}
	for _, c := range picks {
		options := []int{int(c.to[0])}
		for _, to := range c.to[1:] {
			if to != c.to[0] {
				options = append(options, int(to))
			}
		}
		g.Roll(c.prob, options...)
	}
}

// lane is one of the lanes of a batch, for a computation that solves several
// turns one after another.
type lane struct {
	batch *turnBatch
	i     int
	wait  func() // returns when the batch is solved and propagated
}

// solve returns the value of a turn under best play, given the payoff pay[k*stride] of
// its end with k points, and fills dist [ends] with the probability of each end.
func (l *lane) solve(dist, pay []float64, stride int) float64 {
	for k := range dist {
		l.batch.value[k][l.i] = pay[k*stride]
	}
	l.wait()
	for k := range dist {
		dist[k] = l.batch.dist[k][l.i]
	}
	return l.batch.rolling[l.batch.graph.start()][l.i]
}

// recall is solve for payoffs that recur: it solves turns with the same payoffs once.
func (l *lane) recall(dist, pay []float64, stride int) float64 {
	var key payoffs
	for k := range dist {
		key[k] = math.Float64bits(pay[k*stride])
	}
	solved := &l.batch.graph.solved
	e, ok := solved.load(&key)
	if !ok {
		e.value = l.solve(e.dist[:len(dist)], pay, stride)
		solved.store(&key, &e)
	}
	copy(dist, e.dist[:])
	return e.value
}

// run calls f for each lane. The calls are coroutines of this goroutine: each runs
// until it calls solve of its lane, and when all have, the batch is solved for all. A
// call returns when there is no work left, so run begins no call after one has
// returned.
func (b *turnBatch) run(f func(l *lane)) {
	var waiting []func() (struct{}, bool) // resume a call; false if it has returned
	for i := range expectimax.Width {
		resume, _ := iter.Pull(func(yield func(struct{}) bool) {
			f(&lane{b, i, func() { yield(struct{}{}) }})
		})
		if _, ok := resume(); !ok {
			break
		}
		waiting = append(waiting, resume)
	}
	for len(waiting) > 0 {
		b.solve()
		b.propagate()
		waiting = slices.DeleteFunc(waiting, func(resume func() (struct{}, bool)) bool {
			_, ok := resume()
			return !ok
		})
	}
}

// forEach calls f with 0 to n-1 until a call fails or ctx is done, on all cores and
// with a call in each lane of a batch. The result of a call does not depend on the
// calls beside it. All lanes take the next call of all: with ranges of calls, whose last
// lanes idle, the solution for three players takes 1.5 times the CPU time.
func (t *turnGraph) forEach(ctx context.Context, n int, f func(i int, l *lane) error) error {
	batches := (n + expectimax.Width - 1) / expectimax.Width
	return parallel.Queue(ctx, n, batches, func(next func() (int, bool), fail func(error)) {
		b := t.takeBatch()
		defer t.batches.Put(b)
		b.run(func(l *lane) {
			for i, ok := next(); ok; i, ok = next() {
				if err := f(i, l); err != nil {
					fail(err)
				}
			}
		})
	})
}
