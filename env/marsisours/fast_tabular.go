package marsisours

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"marsgym/env/game"
)

// fastTabular is the tabular policy of the quick game.
type fastTabular struct {
	x               *fastIndex
	byStarter       [2]*fastPolicy
	decisions, rows int
}

// Decisions implements [game.TabularPolicy].
func (st *fastTabular) Decisions() int { return st.decisions }

// Rows implements [game.TabularPolicy].
func (st *fastTabular) Rows() int { return st.rows }

// fastPolicy holds the probabilities of a policy in both roles, for one starter.
type fastPolicy struct {
	// first [positions] is the index in choices and probs of the first choice of a
	// position, if the mover can reach the position and has more than one choice.
	first   []uint32
	choices []uint8 // with a probability above zero; the last of a position has lastChoice set
	probs   []float64
	// reached [roles] are the positions that can come up if a role plays this policy
	// and the other plays anything.
	reached [2]bitset
}

const lastChoice = 1 << 7

// choicesAt yields the choices with a probability above zero in a position, and
// their probabilities.
func (p *fastPolicy) choicesAt(at uint32) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for k := p.first[at]; ; k++ {
			c := p.choices[k]
			if !yield(int(c&^lastChoice), p.probs[k]) || c&lastChoice != 0 {
				return
			}
		}
	}
}

// bitset is a set of positions.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

func (b bitset) add(i uint32) { b[i>>6] |= 1 << (i & 63) }

// fastBatch is the number of states in one call of a policy. Chosen: about 10 MB of
// observations.
const fastBatch = 1 << 14

// Tabulate implements [game.Solution]. For each seat it calls the policy with the
// positions that can come up if the other seat plays anything, where there is more
// than one choice; no other positions matter. Representatives depend on the seats, so
// that the policy may get another view of the same position if the other seat started.
func (s *fastSolution) Tabulate(ctx context.Context, p game.Policy[State]) (game.TabularPolicy, error) {
	table := &fastTabular{x: s.x}
	for starter := range table.byStarter {
		dst := &fastPolicy{first: make([]uint32, s.x.len())}
		var ahead *fastAhead
		if l, ok := p.(game.Lookahead[State]); ok && l.Plies() >= 0 {
			var err error
			if ahead, err = newFastAhead(ctx, s.x, l, uint8(starter)); err != nil {
				return nil, fmt.Errorf("mars-is-ours: %w", err)
			}
			table.rows += ahead.rows
		}
		for role := range dst.reached {
			dst.reached[role] = newBitset(s.x.len())
			w := &fastTabulation{
				fastReach: fastReach{fastIndex: s.x, set: dst.reached[role]},
				table:     table, dst: dst, role: role, starter: uint8(starter), policy: p, ahead: ahead,
			}
			if w.scorer, _ = p.(game.AfterstateScorer[State]); w.scorer != nil {
				w.slotOf = make([]uint32, s.x.len())
			}
			if err := w.run(ctx); err != nil {
				return nil, fmt.Errorf("mars-is-ours: %w", err)
			}
		}
		table.byStarter[starter] = dst
	}
	return table, nil
}

// Rows implements [game.Solution]. How many positions a network reaches is not known
// before; going through all positions takes longer. Measured: a third of the time of as
// many rows of a network.
func (s *fastSolution) Rows(bool) int { return s.x.len() / 3 }

// fastTabulation tabulates a policy in one role, for one starter.
type fastTabulation struct {
	fastReach
	table   *fastTabular
	dst     *fastPolicy
	role    int
	starter uint8 // the seat with role 0
	policy  game.Policy[State]
	scorer  game.AfterstateScorer[State] // the policy, or nil
	ahead   *fastAhead                   // of the policy, or nil

	pending []uint32 // decisions for the next calls of the policy

	states    []State
	decisions []fastDecision
	probs     []float64
	row       []float64 // probabilities of the choices of one decision
	scores    []float64 // all that the scorer has returned
	slotOf    []uint32  // [positions]; 1 + index in scores, or 0
	slots     []uint32  // index in scores of each option, decision by decision
	movers    []game.Player
	options   []float64 // scores of one decision
}

func (w *fastTabulation) run(ctx context.Context) error {
	w.reach(w.indexOf(w.start()))
	for len(w.todo) > 0 {
		for len(w.todo) > 0 {
			at := w.todo[len(w.todo)-1]
			w.todo = w.todo[:len(w.todo)-1]
			w.expand(at)
		}
		slices.Sort(w.pending) // similar positions have near numbers
		for part := range slices.Chunk(w.pending, fastBatch) {
			if err := ctx.Err(); err != nil {
				return err
			}
			query := w.queryProbs
			switch {
			case w.ahead != nil:
				query = w.queryAhead
			case w.scorer != nil:
				query = w.queryScores
			}
			if err := query(ctx, part); err != nil {
				return err
			}
		}
		w.pending = w.pending[:0]
	}
	return nil
}

// start returns the position in which a game starts.
func (x *fastIndex) start() fastPos {
	var s State
	x.r.startGame(&s, 0)
	p, _ := x.find(&s)
	return p
}

// fastReach is a set of positions that can come up.
type fastReach struct {
	*fastIndex
	set  bitset
	todo []uint32 // of the set, not expanded
}

// reach adds a position.
func (w *fastReach) reach(at uint32) {
	if !w.set.has(at) {
		w.set.add(at)
		w.todo = append(w.todo, at)
	}
}

// expand reaches the successors of a position. If the policy has a choice in it, it
// adds the position to pending instead.
func (w *fastTabulation) expand(at uint32) {
	pos := w.position(at)
	if w.over(pos) {
		return
	}
	moves := w.legal(pos)
	if len(moves) > 0 && pos.mover() == w.role {
		w.pending = append(w.pending, at)
		return
	}
	w.followAll(pos, moves)
}

// followAll reaches the successors of a position after any choice.
func (w *fastReach) followAll(pos fastPos, moves []fastMove) {
	l := w.successors(pos)
	for choice := range len(moves) + 1 {
		w.follow(moves, &l, choice)
	}
}

// follow reaches the successors after a choice.
func (w *fastReach) follow(moves []fastMove, l *fastSuccessors, choice int) {
	switch {
	case choice < len(moves) && moves[choice].robots > 0:
		w.reach(w.base[moves[choice].to] + l.won)
		w.reach(l.lost)
	case choice < len(moves):
		w.reach(w.base[moves[choice].to] + l.placed)
	case !l.ends:
		w.reach(l.pass)
	}
}

// queryProbs calls Probs of the policy with decisions and stores the result.
func (w *fastTabulation) queryProbs(ctx context.Context, part []uint32) error {
	n := w.r.spec.Actions
	w.states, w.decisions = w.states[:0], w.decisions[:0]
	for _, at := range part {
		d := w.decision(w.position(at), w.starter)
		w.states, w.decisions = append(w.states, d.state), append(w.decisions, d)
	}
	w.probs = slices.Grow(w.probs[:0], len(part)*n)[:len(part)*n]
	for i := range w.probs {
		w.probs[i] = math.NaN() // store finds elements that the policy leaves out
	}
	if err := game.Probs(ctx, w.policy, w.probs, w.states); err != nil {
		return err
	}
	w.table.rows += len(part)
	for i, at := range part {
		row, d := w.probs[i*n:][:n], &w.decisions[i]
		w.row = w.row[:0]
		for choice := range len(d.moves) + 1 {
			a := d.action(choice)
			w.row = append(w.row, row[a])
			row[a] = 0
		}
		for _, v := range row {
			if v != 0 {
				return fmt.Errorf("at %q the policy gives probability %v to an illegal action", w.r.Format(w.states[i]), v)
			}
		}
		if err := w.store(at, w.position(at)); err != nil {
			return err
		}
	}
	return nil
}

// store stores the probabilities in row as those of a decision and follows the
// choices above zero.
func (w *fastTabulation) store(at uint32, pos fastPos) error {
	sum := 0.0
	for _, v := range w.row {
		if !(v >= 0) {
			return fmt.Errorf("at %q the policy gives %v as a probability", w.r.Format(w.state(pos, w.starter)), v)
		}
		sum += v
	}
	if !(math.Abs(sum-1) <= 1e-5) { // chosen: more than the rounding error of a float32 softmax
		return fmt.Errorf("at %q the probabilities of the policy sum to %v", w.r.Format(w.state(pos, w.starter)), sum)
	}
	dst, moves, l := w.dst, w.legal(pos), w.successors(pos)
	w.table.decisions++
	dst.first[at] = uint32(len(dst.choices))
	for choice, v := range w.row {
		if v > 0 {
			dst.choices = append(dst.choices, uint8(choice))
			dst.probs = append(dst.probs, v/sum)
			w.follow(moves, &l, choice)
		}
	}
	dst.choices[len(dst.choices)-1] |= lastChoice
	return nil
}

// queryAhead stores the choices of a policy that looks ahead.
func (w *fastTabulation) queryAhead(_ context.Context, part []uint32) error {
	for _, at := range part {
		pos := w.position(at)
		w.row = slices.Grow(w.row[:0], len(w.legal(pos))+1)[:len(w.legal(pos))+1]
		clear(w.row)
		var value [2]float64
		w.row[w.ahead.best(&value, pos)] = 1
		if err := w.store(at, pos); err != nil {
			return err
		}
	}
	return nil
}

// queryScores calls Score of the policy with the afterstates of decisions, each once,
// and stores the result of Choose.
func (w *fastTabulation) queryScores(_ context.Context, part []uint32) error {
	w.states, w.movers, w.slots = w.states[:0], w.movers[:0], w.slots[:0]
	for _, at := range part {
		w.afterstates(w.position(at))
	}
	for range w.states {
		w.movers = append(w.movers, game.Player(uint8(w.role)^w.starter))
	}
	known := len(w.scores)
	w.scores = append(w.scores, make([]float64, len(w.states))...)
	if err := w.scorer.Score(w.scores[known:], w.states, w.movers); err != nil {
		return err
	}
	w.table.rows += len(w.states)
	slots := w.slots
	for _, at := range part {
		pos := w.position(at)
		n := len(w.legal(pos)) + 1
		w.options = w.options[:0]
		for _, slot := range slots[:n] {
			w.options = append(w.options, w.scores[slot])
		}
		slots = slots[n:]
		w.row = slices.Grow(w.row[:0], n)[:n]
		w.scorer.Choose(w.row, w.options, []uint32{0, uint32(n)})
		if err := w.store(at, pos); err != nil {
			return err
		}
	}
	return nil
}

// afterstates appends the slots of the afterstates of a decision to slots, and the
// afterstates that have no score yet to states.
func (w *fastTabulation) afterstates(pos fastPos) {
	d, from := w.decision(pos, w.starter), len(w.states)
	for choice := range len(d.moves) + 1 {
		after, err := w.r.Apply(d.state, d.action(choice))
		if err != nil {
			panic("mars-is-ours: Apply refuses a legal action: " + err.Error())
		}
		after, _ = w.r.Canonical(after)
		if after.Phase == Rolling {
			// Only options of the same decision can lead to the same attack.
			k := slices.Index(w.states[from:], after)
			if k < 0 {
				k = len(w.states) - from
				w.states = append(w.states, after)
			}
			w.slots = append(w.slots, uint32(len(w.scores)+from+k))
			continue
		}
		to, err := w.find(&after)
		if err != nil {
			panic("mars-is-ours: " + err.Error())
		}
		if after.Phase == Over {
			// The afterstates of a role never have that role to move while both may
			// act, so the slots of such positions are free for ends of the game.
			to.turn = uint8(w.role)
		}
		slot := &w.slotOf[w.indexOf(to)]
		if *slot == 0 {
			w.states = append(w.states, after)
			*slot = uint32(len(w.scores) + len(w.states))
		}
		w.slots = append(w.slots, *slot-1)
	}
}
