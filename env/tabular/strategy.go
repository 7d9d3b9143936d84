package tabular

import (
	"context"
	"errors"
	"fmt"
	"math"

	"marsgym/env/game"
)

// strategy keeps game.TabularPolicy.
type strategy struct {
	of              any       // the solution that made it
	probs           []float64 // of graph.moves
	decisions, rows int
}

func (s *strategy) Decisions() int { return s.decisions }
func (s *strategy) Rows() int      { return s.rows }

const (
	// batch is the number of states shown to a policy at once. Chosen: large
	// enough for a network, small enough for its activations to stay in cache.
	batch = 4096

	// slack is how far the probabilities of a decision may sum from 1. Chosen:
	// float32 softmax over some hundred actions stays within.
	slack = 1e-5
)

// Expand asks p for its decisions in every position that offers a choice. It
// returns an error if p gives something that is not a probability, or gives a
// chance to what is illegal. What does not sum to 1 by rounding is divided by
// its sum.
func (sol *Solution[S]) Tabulate(ctx context.Context, p game.Policy[S]) (game.TabularPolicy, error) {
	st := &strategy{of: sol, probs: make([]float64, len(sol.moves))}
	var open []int32 // positions that offer a choice
	for i, x := range sol.nodes {
		if x.turn >= 0 && x.n > 1 {
			open = append(open, int32(i))
		} else if x.turn >= 0 {
			st.probs[x.first] = 1
		}
	}
	st.decisions = len(open)
	expand := sol.ask
	if _, ok := p.(game.AfterstateScorer[S]); ok {
		expand = sol.score
	}
	if err := expand(ctx, st, p, open); err != nil {
		return nil, fmt.Errorf("tabular: %w", err)
	}
	return st, nil
}

// ask fills st.probs of the open positions with Probs.
func (sol *Solution[S]) ask(ctx context.Context, st *strategy, p game.Policy[S], open []int32) error {
	st.rows = len(open)
	actions := sol.rules.Spec().Actions
	dst := make([]float64, batch*actions)
	states := make([]S, 0, batch)
	var legal []game.Action
	for len(open) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(batch, len(open))
		states = states[:0]
		for _, i := range open[:n] {
			states = append(states, sol.states[i])
		}
		rows := dst[:n*actions]
		for k := range rows {
			rows[k] = math.NaN() // an element left out is found below
		}
		if err := game.Probs(ctx, p, rows, states); err != nil {
			return err
		}
		for k, i := range open[:n] {
			row := rows[k*actions : (k+1)*actions]
			legal = sol.rules.Legal(legal[:0], states[k])
			probs := sol.probsOf(st, i)
			for e, a := range legal {
				probs[e] = row[a]
				row[a] = 0
			}
			for a, x := range row {
				if x != 0 {
					return fmt.Errorf("in position %s the policy gives probability %v to the illegal action %d", sol.text(states[k]), x, a)
				}
			}
			if err := normalise(probs); err != nil {
				return fmt.Errorf("in position %s the policy gives %w", sol.text(states[k]), err)
			}
		}
		open = open[n:]
	}
	return nil
}

// score fills st.probs of the open positions with Choose of the scores of where
// they lead, each asked for once.
func (sol *Solution[S]) score(ctx context.Context, st *strategy, p game.Policy[S], open []int32) error {
	scorer := p.(game.AfterstateScorer[S])
	slot := make([]int32, len(sol.nodes)*sol.players) // 1 + index in scores, by afterstate and mover
	var after []S
	var movers []game.Player
	for _, i := range open {
		mover := sol.nodes[i].turn
		for _, j := range sol.next(i) {
			if k := &slot[int(j)*sol.players+int(mover)]; *k == 0 {
				after = append(after, sol.states[j])
				movers = append(movers, mover)
				*k = int32(len(after))
			}
		}
	}
	st.rows = len(after)
	scores := make([]float64, len(after))
	for k := 0; k < len(after); k += batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(k+batch, len(after))
		if err := scorer.Score(scores[k:end], after[k:end], movers[k:end]); err != nil {
			return err
		}
	}
	var options []float64
	for _, i := range open {
		options = options[:0]
		for _, j := range sol.next(i) {
			options = append(options, scores[slot[int(j)*sol.players+int(sol.nodes[i].turn)]-1])
		}
		probs := sol.probsOf(st, i)
		scorer.Choose(probs, options)
		if err := normalise(probs); err != nil {
			return fmt.Errorf("in position %s the policy gives %w", sol.text(sol.states[i]), err)
		}
	}
	return nil
}

// probsOf is the part of st.probs that belongs to decision i.
func (sol *Solution[S]) probsOf(st *strategy, i int32) []float64 {
	x := sol.nodes[i]
	return st.probs[x.first : x.first+x.n]
}

// normalise divides probabilities by their sum, which must be near 1.
func normalise(probs []float64) error {
	sum := 0.0
	for _, x := range probs {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%v as a probability", x)
		}
		sum += x
	}
	if !(math.Abs(sum-1) <= slack) {
		return fmt.Errorf("probabilities that sum to %v", sum)
	}
	for k := range probs {
		probs[k] /= sum
	}
	return nil
}

// Evaluate appends the expected returns [P] from the start when the given
// strategies [P] sit at the table. It returns an error if they are not of this
// solution, or if their game may never end.
func (sol *Solution[S]) Evaluate(ctx context.Context, dst []float64, seats []game.TabularPolicy) ([]float64, error) {
	probs, err := sol.table(seats, game.Terminal)
	if err != nil {
		return dst, err
	}
	p, err := sol.price(ctx, probs, nil)
	if err != nil {
		return dst, err
	}
	return append(dst, p.at(0)...), nil
}

// BestResponse is the most that a seat can expect from the start against the
// strategies of the others; its own entry in seats is ignored. It returns an
// error if the others are not of this solution, or if the game may never end.
func (sol *Solution[S]) BestResponse(ctx context.Context, seats []game.TabularPolicy, seat game.Player) (float64, error) {
	if seat < 0 || int(seat) >= sol.players {
		return 0, fmt.Errorf("tabular: seat %d, want 0 to %d", seat, sol.players-1)
	}
	probs, err := sol.table(seats, seat)
	if err != nil {
		return 0, err
	}
	p, err := sol.price(ctx, probs, nil)
	if err != nil {
		return 0, err
	}
	return p.at(0)[seat], nil
}

// table reads the strategies of all seats but one.
func (sol *Solution[S]) table(seats []game.TabularPolicy, but game.Player) ([][]float64, error) {
	if len(seats) != sol.players {
		return nil, fmt.Errorf("tabular: %d strategies for %d seats", len(seats), sol.players)
	}
	probs := make([][]float64, len(seats))
	for i, s := range seats {
		if game.Player(i) == but {
			continue
		}
		st, ok := s.(*strategy)
		if !ok || st.of != any(sol) {
			return nil, errors.New("tabular: the strategy of seat " + fmt.Sprint(i) + " is not of this solution; make it with its Expand")
		}
		probs[i] = st.probs
	}
	return probs, nil
}
