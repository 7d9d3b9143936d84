package tabular

import (
	"context"
	"slices"

	"marsgym/env/game"
)

// numberedPolicy holds the probabilities of a policy in both roles, where one seat has
// role 0.
type numberedPolicy struct {
	// first [positions] is the index in probs of the first move of a position, if the
	// mover can reach the position and has more than one move.
	first []uint32
	probs []float64
	// reached [roles] are the positions that can come up if a role plays this policy
	// and the other plays anything.
	reached [2]bitset
}

// probsAt returns the probabilities of the moves of n, at this number.
func (p *numberedPolicy) probsAt(at uint32, n *Node) []float64 {
	return p.probs[p.first[at]:][:len(n.Moves)]
}

// bitset is a set of positions.
type bitset []uint64

func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

// Rows implements [game.Solution]. How many positions a network reaches is not known
// before; going through all positions takes longer. Measured in the quick game of Mars is
// Ours!: a third of the time of as many rows of a network.
func (sol *NumberedSolution[S]) Rows(bool) int { return sol.values.Len() / 3 }

// Tabulate implements [game.Solution]. For each seat it calls the policy with the
// positions that can come up if the other seat plays anything, where there is more
// than one choice; no other positions matter.
func (sol *NumberedSolution[S]) Tabulate(ctx context.Context, p game.Policy[S]) (game.TabularPolicy, error) {
	table := &tabularPolicy{solution: &sol.solved}
	err := sol.starts(func(_ float64, start uint32, first game.Player) error {
		dst := &numberedPolicy{first: make([]uint32, sol.values.Len())}
		table.byFirst[first] = dst
		var ahead *numberedBackup[S]
		if l, ok := p.(game.Lookahead[S]); ok && l.Plies() >= 0 {
			var err error
			if ahead, err = newNumberedBackup(ctx, sol, l, start, first); err != nil {
				return err
			}
			table.rows += ahead.rows
		}
		for role := range dst.reached {
			w := &tabulation[S]{
				reach: newReach(sol.values.Numbering), table: table, dst: dst, role: role, player: game.Player(role) ^ first,
				first: first, ahead: ahead, query: query[S]{rules: sol.rules, policy: p},
			}
			dst.reached[role] = w.set
			if w.scorer, _ = p.(game.AfterstateScorer[S]); w.scorer != nil {
				w.slots = [2][]uint32{make([]uint32, sol.values.Len()), make([]uint32, sol.values.Len())}
			}
			if err := w.run(ctx, start); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return table, nil
}

// reach is a set of positions that can come up.
type reach[S comparable] struct {
	Numbering[S]
	set  bitset
	todo []uint32 // of the set, not expanded
	node Node     // working memory
}

func newReach[S comparable](x Numbering[S]) reach[S] {
	return reach[S]{Numbering: x, set: make(bitset, (x.Len()+63)/64)}
}

// add adds a position.
func (w *reach[S]) add(at uint32) {
	if !w.set.has(at) {
		w.set[at>>6] |= 1 << (at & 63)
		w.todo = append(w.todo, at)
	}
}

// follow adds the positions after a move.
func (w *reach[S]) follow(m Move) {
	if m.To == Ended {
		return
	}
	w.add(m.To)
	if m.Prob < 1 {
		w.add(m.Else)
	}
}

// expand calls f with each position of the set and its node, until none is left. f
// follows moves.
func (w *reach[S]) expand(f func(at uint32, n *Node)) {
	for len(w.todo) > 0 {
		at := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.Node(&w.node, at)
		f(at, &w.node)
	}
}

// followAll adds the positions after all moves.
func (w *reach[S]) followAll(n *Node) {
	for _, m := range n.Moves {
		w.follow(m)
	}
}

// tabulation tabulates a policy in one role.
type tabulation[S comparable] struct {
	reach[S]
	query[S]
	table  *tabularPolicy
	dst    *numberedPolicy
	role   int
	player game.Player              // the seat with this role
	first  game.Player              // the seat with role 0
	scorer game.AfterstateScorer[S] // the policy, or nil
	ahead  *numberedBackup[S]       // of the policy, or nil

	scores  []float64   // all that the scorer has returned
	slots   [2][]uint32 // [positions]; 1 + index in scores, or 0: of decisions, and of ends
	options []uint32    // index in scores of each option, decision by decision
	movers  []game.Player
}

func (w *tabulation[S]) run(ctx context.Context, start uint32) error {
	w.add(start)
	for len(w.todo) > 0 {
		var pending []uint32 // decisions for the next calls of the policy
		w.expand(func(at uint32, n *Node) {
			if len(n.Moves) > 1 && n.Role == w.role {
				pending = append(pending, at)
			} else {
				w.followAll(n)
			}
		})
		slices.Sort(pending) // similar positions have near numbers
		var err error
		switch {
		case w.ahead != nil:
			w.storeAhead(pending)
		case w.scorer != nil:
			err = batches(ctx, pending, w.state, w.storeScored)
		default:
			err = batches(ctx, pending, w.state, func(part []uint32, states []S) error {
				w.table.rows += len(part)
				return w.decide(ctx, states, func(k int, probs []float64) { w.store(part[k], probs) })
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *tabulation[S]) state(at uint32) S { return w.State(at, w.first) }

// store stores the probabilities of a decision and follows the moves above zero.
func (w *tabulation[S]) store(at uint32, probs []float64) {
	w.Node(&w.node, at)
	w.table.decisions++
	w.dst.first[at] = uint32(len(w.dst.probs))
	w.dst.probs = append(w.dst.probs, probs...)
	for k, x := range probs {
		if x > 0 {
			w.follow(w.node.Moves[k])
		}
	}
}

// storeAhead stores the choices of a policy that looks ahead.
func (w *tabulation[S]) storeAhead(list []uint32) {
	var value [2]float64
	for _, at := range list {
		w.Node(&w.node, at)
		probs := make([]float64, len(w.node.Moves))
		probs[w.ahead.best(&value, &w.node)] = 1
		w.store(at, probs)
	}
}

// storeScored asks for the scores of the afterstates of decisions, each once, and stores
// what the policy chooses.
func (w *tabulation[S]) storeScored(part []uint32, states []S) error {
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
	for len(w.movers) < len(after) {
		w.movers = append(w.movers, w.player)
	}
	known := len(w.scores)
	w.scores = append(w.scores, make([]float64, len(after))...)
	if err := w.scorer.Score(w.scores[known:], after, w.movers[:len(after)]); err != nil {
		return err
	}
	w.table.rows += len(after)
	from := 0
	for k, at := range part {
		probs, err := w.choose(func() S { return w.state(at) }, w.scores, w.options[from:ends[k]])
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
	symmetry, _ := w.rules.(game.Symmetry[S])
	w.legal = w.rules.Legal(w.legal[:0], s)
	for _, a := range w.legal {
		after, err := w.rules.Apply(s, a)
		if err != nil {
			return nil, err
		}
		if symmetry != nil {
			after, _ = symmetry.Canonical(after)
		}
		mover := w.rules.CurrentPlayer(after)
		if mover == game.Chance {
			// Only options of the same decision can lead to the same chance.
			k := slices.Index(states[from:], after)
			if k < 0 {
				k = len(states) - from
				states = append(states, after)
			}
			w.options = append(w.options, uint32(len(w.scores)+from+k))
			continue
		}
		to, _, err := w.Number(after)
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
