package martiandice

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/kernel/expectimax"
	"marsgym/internal/parallel"
)

// scoredGraph returns the turn as a policy sees it that chooses by the scores of
// afterstates. Unlike best play it tells hopeless holds apart, so they are ends of their
// own: numbers are those of ends, hopeless holds and live holds, in this order.
func (t *turnGraph) scoredGraph() *expectimax.Graph {
	dead := uint16(len(t.hopeless))
	number := func(node uint16) uint16 {
		switch {
		case int(node) < t.ends:
			return node
		case int(node) < t.live:
			return node + dead
		}
		return node - uint16(t.live-t.ends)
	}
	g := expectimax.New(t.ends+len(t.hopeless), game.Tie)
	for i := t.ends; i < t.live; i++ {
		pairs, picks := t.merge(&t.holds[i], number)
		t.addNode(g, i, pairs, picks, len(t.hopeless))
	}
	return g
}

// scoredTurns are turns of a policy that takes the options with the highest scores, one
// in each lane.
type scoredTurns struct {
	turn   []State       // [rows] the afterstates of one turn
	mover  []game.Player // [rows]
	states []State       // [rows, lanes] those of all turns, of which the same are alike
	movers []game.Player
	scores []float64 // [rows, lanes]

	value, rolling []expectimax.Vec // [numbers] scores of the numbers of scoredGraph, and of rolling on
	dist           []expectimax.Vec // [ends and hopeless holds] probability of each
	reach          []expectimax.Vec // [numbers] all 0 between calls
}

func (t *turnGraph) newScoredTurns() *scoredTurns {
	rows, n := t.afterstatesPerTurn(), t.scored().Len()
	all := expectimax.Width * rows
	v := make([]expectimax.Vec, 3*n+t.ends+len(t.hopeless)) // one allocation: see newBatch
	return &scoredTurns{
		turn: make([]State, rows), mover: make([]game.Player, rows),
		states: make([]State, all), movers: make([]game.Player, all), scores: make([]float64, all),
		value: v[:n], rolling: v[n:][:n], reach: v[2*n:][:n], dist: v[3*n:],
	}
}

// tabulateScorer is tabulateRows for a policy that takes the options with the highest scores.
func (s *Solution) tabulateScorer(ctx context.Context, p game.AfterstateScorer[State], first, end int) ([]float64, error) {
	n, t := end-first, s.turn
	dist := make([]float64, n*t.ends)
	pool := sync.Pool{New: func() any { return t.newScoredTurns() }}
	err := parallel.ForContext(ctx, n, expectimax.Width, func(from, to int) error {
		b := pool.Get().(*scoredTurns)
		defer pool.Put(b)
		return b.tabulate(s, dist[from*t.ends:to*t.ends], p, first+from, first+to)
	})
	if err != nil {
		return nil, err
	}
	return dist, nil
}

// tabulate adds to all [to-from, ends] the probabilities of the ends of the turns from
// starts from <= i < to.
func (b *scoredTurns) tabulate(s *Solution, all []float64, p game.AfterstateScorer[State], from, to int) error {
	t := s.turn
	lanes := to - from
	for l := range lanes {
		s.fillAfterstates(b.turn, b.mover, s.turnStart(from+l))
		for i, after := range b.turn {
			b.states[i*lanes+l], b.movers[i*lanes+l] = after, b.mover[i]
		}
	}
	scores := b.scores[:lanes*len(b.turn)]
	if err := p.Score(scores, b.states[:len(scores)], b.movers[:len(scores)]); err != nil {
		return err
	}
	if slices.ContainsFunc(scores, math.IsNaN) {
		return errors.New("the policy's scores contain NaN")
	}
	// In the order of fillAfterstates.
	ends, live, dead := t.ends, t.start()-t.ends, len(t.hopeless)
	fill := func(dst []expectimax.Vec, first int) {
		for k := range dst {
			copy(dst[k][:], scores[(first+k)*lanes:][:lanes])
		}
	}
	fill(b.value[:ends], 0)
	fill(b.value[ends:][:dead], ends+live)
	fill(b.value[ends+dead:][:live], ends)
	fill(b.rolling[ends+dead:][:live], ends+live+dead)
	clear(b.dist)
	for l := range expectimax.Width {
		b.reach[len(b.reach)-1][l] = 1 // the start of the turn
	}
	t.scored().Propagate(b.dist, b.reach, b.value, b.rolling)
	for l := range lanes {
		dist := all[l*t.ends:][:t.ends]
		for k, p := range b.dist {
			if k >= ends {
				k = 0 // hopeless holds end without points
			}
			dist[k] += p[l]
		}
	}
	return nil
}
