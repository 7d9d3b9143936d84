package tabular

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// tabularPolicy implements [game.TabularPolicy].
type tabularPolicy struct {
	solution        any            // that made it
	byStart         []*policyTable // by start of the solution
	decisions, rows int
}

func (t *tabularPolicy) Decisions() int { return t.decisions }
func (t *tabularPolicy) Rows() int      { return t.rows }

// policyTable holds the probabilities of a policy in all roles.
type policyTable struct {
	// first [positions] is the index in probs of the first move of a position, if the
	// mover can reach the position and has more than one move.
	first []uint32
	probs []float64
}

// certain are the probabilities of a single move.
var certain = []float64{1}

// at returns the probabilities of the moves of a position.
func (p *policyTable) at(at uint32, moves int) []float64 {
	if moves == 1 {
		return certain
	}
	return p.probs[p.first[at]:][:moves]
}

// under returns the probabilities of the moves of n, at this number, if the roles play policies;
// nil if the role to move has none.
func (n *Node) under(policies []*policyTable, at uint32) []float64 {
	switch {
	case n.Mover < 0:
		return n.Probs
	case policies[n.Mover] == nil:
		return nil
	}
	return policies[n.Mover].at(at, len(n.Moves))
}

// Rows implements [game.Solution]. How many positions a network reaches is not known before;
// where a game numbers them, going through all of them takes longer. Measured in the quick
// game of Mars is Ours!: a third of the time of as many rows of a network.
func (sol *Solution[S]) Rows(bool) int {
	if sol.graph == nil {
		return sol.x.Len() / 3
	}
	return sol.x.Len()
}

// Tabulate implements [game.Solution]. For each seat it calls the policy with the positions
// that can come up if the other seats play anything, where there is more than one choice; no
// other positions matter. It returns an error if p returns numbers that are not probabilities,
// or a probability above zero for an illegal action. Probabilities whose sum differs from 1 by
// rounding are divided by their sum.
func (sol *Solution[S]) Tabulate(ctx context.Context, p game.Policy[S]) (game.TabularPolicy, error) {
	table, err := sol.tabulate(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("tabular: %w", err)
	}
	return table, nil
}

func (sol *Solution[S]) tabulate(ctx context.Context, p game.Policy[S]) (*tabularPolicy, error) {
	table := &tabularPolicy{solution: sol}
	for _, start := range sol.starts {
		w := &tabulation[S]{
			sol: sol, start: start, query: query[S]{rules: sol.rules, policy: p},
			table: table, dst: &policyTable{first: make([]uint32, sol.x.Len())},
		}
		table.byStart = append(table.byStart, w.dst)
		if l, ok := p.(game.Lookahead[S]); ok && l.Plies() >= 0 {
			var err error
			if w.ahead, err = sol.newBackup(ctx, l, start); err != nil {
				return nil, err
			}
			table.rows += w.ahead.rows
		}
		w.scorer, _ = p.(game.AfterstateScorer[S])
		for seat := range game.Player(sol.spec.Players) {
			if err := w.run(ctx, seat); err != nil {
				return nil, err
			}
		}
	}
	return table, nil
}

// tabulation tabulates a policy in the games from a start, one seat after the other.
type tabulation[S comparable] struct {
	sol    *Solution[S]
	query  query[S]
	start  start
	table  *tabularPolicy
	dst    *policyTable
	scorer game.AfterstateScorer[S] // the policy, or nil
	ahead  *backup[S]               // of the policy, or nil

	reach               // of the seat
	scores  []float64   // all that the scorer has returned
	slots   [2][]uint32 // [positions]; 1 + index in scores, or 0: of decisions and chance, and of ends
	options []uint32    // index in scores of each option, decision by decision
	movers  []game.Player
}

// run tabulates the decisions of a seat.
func (w *tabulation[S]) run(ctx context.Context, seat game.Player) error {
	w.reach = newReach(w.sol.x)
	if w.scorer != nil {
		w.slots = [2][]uint32{make([]uint32, w.Len()), make([]uint32, w.Len())}
	}
	w.add(w.start.at)
	for len(w.todo) > 0 {
		var pending []uint32 // decisions for the next calls of the policy
		w.expand(func(at uint32, n *Node) {
			if len(n.Moves) > 1 && n.Mover == w.start.role(seat) {
				pending = append(pending, at)
			} else {
				w.follow(n, n.Probs)
			}
		})
		slices.Sort(pending) // similar positions have near numbers
		var err error
		switch {
		case w.ahead != nil:
			w.storeAhead(pending)
		case w.scorer != nil:
			err = batches(ctx, pending, w.state, func(part []uint32, states []S) error { return w.storeScored(part, states, seat) })
		default:
			err = batches(ctx, pending, w.state, func(part []uint32, states []S) error {
				w.table.rows += len(part)
				return w.query.decide(ctx, states, func(k int, probs []float64) { w.store(part[k], probs) })
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *tabulation[S]) state(at uint32) S { return w.sol.x.State(at, w.start.first) }

// store stores the probabilities of a decision and follows the moves above zero.
func (w *tabulation[S]) store(at uint32, probs []float64) {
	w.Node(&w.node, at)
	w.table.decisions++
	w.dst.first[at] = uint32(len(w.dst.probs))
	w.dst.probs = append(w.dst.probs, probs...)
	w.follow(&w.node, probs)
}

// storeAhead stores the choices of a policy that looks ahead.
func (w *tabulation[S]) storeAhead(list []uint32) {
	for _, at := range list {
		w.Node(&w.node, at)
		probs := make([]float64, len(w.node.Moves))
		probs[w.ahead.bestOf(&w.node)] = 1
		w.store(at, probs)
	}
}

// storeScored asks for the scores of the afterstates of decisions, each once, and stores
// what the policy chooses.
func (w *tabulation[S]) storeScored(part []uint32, states []S, seat game.Player) error {
	var after []S
	var ends []int // of each decision in options
	w.options = w.options[:0]
	for _, s := range states {
		var err error
		if after, err = w.afterstates(after, s); err != nil {
			return err
		}
		ends = append(ends, len(w.options))
	}
	w.movers = w.movers[:0]
	for range after {
		w.movers = append(w.movers, seat)
	}
	known := len(w.scores)
	w.scores = append(w.scores, make([]float64, len(after))...)
	for k := 0; k < len(after); k += batchSize {
		end := min(k+batchSize, len(after))
		if err := w.scorer.Score(w.scores[known+k:known+end], after[k:end], w.movers[k:end]); err != nil {
			return err
		}
	}
	w.table.rows += len(after)
	from := 0
	for k, at := range part {
		probs, err := w.query.choose(func() S { return w.state(at) }, w.scores, w.options[from:ends[k]])
		if err != nil {
			return err
		}
		w.store(at, probs)
		from = ends[k]
	}
	return nil
}

// afterstates appends the slots of the afterstates of a decision to options, and the
// afterstates that have no score yet to states.
func (w *tabulation[S]) afterstates(states []S, s S) ([]S, error) {
	from := len(states)
	rules := &w.sol.rules
	for _, a := range rules.Legal(nil, s) {
		after, err := rules.Apply(s, a)
		if err != nil {
			return nil, err
		}
		after = rules.Representative(after)
		mover := rules.CurrentPlayer(after)
		if mover == game.Chance && w.sol.graph == nil {
			// It has no number. Only options of the same decision can lead to it.
			k := slices.Index(states[from:], after)
			if k < 0 {
				k = len(states) - from
				states = append(states, after)
			}
			w.options = append(w.options, uint32(len(w.scores)+from+k))
			continue
		}
		to, _, err := w.sol.x.Number(after)
		if err != nil {
			return nil, err
		}
		slots := w.slots[0]
		if mover == game.Terminal {
			slots = w.slots[1]
		}
		if slots[to] == 0 {
			states = append(states, after)
			slots[to] = uint32(len(w.scores) + len(states))
		}
		w.options = append(w.options, slots[to]-1)
	}
	return states, nil
}
