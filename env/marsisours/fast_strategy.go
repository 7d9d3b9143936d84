package marsisours

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"marsgym/env/game"
)

// fastStrategy is a policy written out, by the seat that starts.
type fastStrategy struct {
	x               *fastIndex
	by              [2]*fastPlay
	decisions, rows int
}

// Decisions implements [game.TabularPolicy].
func (st *fastStrategy) Decisions() int { return st.decisions }

// Rows implements [game.TabularPolicy].
func (st *fastStrategy) Rows() int { return st.rows }

// fastPlay is what a policy does in both roles.
type fastPlay struct {
	// first [positions] is where the choices of a position begin in choices and
	// prob, where its mover's role comes there and has a choice.
	first   []uint32
	choices []uint8 // by index in the order of the moves; the last of a position is marked by lastChoice
	prob    []float64
	// reached are the positions that can come up when a role plays like this,
	// whatever the other does.
	reached [2]bitset
}

const lastChoice = 1 << 7

// choicesAt are what the mover may do in a position where it has a choice, with
// their probabilities.
func (y *fastPlay) choicesAt(at uint32) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for k := y.first[at]; ; k++ {
			c := y.choices[k]
			if !yield(int(c&^lastChoice), y.prob[k]) || c&lastChoice != 0 {
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

// fastBatch is the number of states that a policy is shown at once. Chosen: some
// 10 MB of observations.
const fastBatch = 1 << 14

// Tabulate implements [game.Solution]. It follows each seat of the policy, against
// whatever the other may do, and asks about the positions with a choice that
// come up then: no others can matter. Representatives go by seats, so that a
// policy may see the same position from another side if the other seat started.
func (s *FastSolution) Tabulate(ctx context.Context, p game.Policy[State]) (game.TabularPolicy, error) {
	st := &fastStrategy{x: s.x}
	for starter := range st.by {
		y := &fastPlay{first: make([]uint32, s.x.len())}
		for role := range y.reached {
			y.reached[role] = newBitset(s.x.len())
			w := &fastWalk{fastIndex: s.x, st: st, play: y, role: role, starter: uint8(starter), policy: p}
			if w.scorer, _ = p.(game.AfterstateScorer[State]); w.scorer != nil {
				w.slot = make([]uint32, s.x.len())
			}
			if err := w.run(ctx); err != nil {
				return nil, fmt.Errorf("mars-is-ours: %w", err)
			}
		}
		st.by[starter] = y
	}
	return st, nil
}

// fastWalk follows a role of a policy through the game.
type fastWalk struct {
	*fastIndex
	st      *fastStrategy
	play    *fastPlay
	role    int
	starter uint8 // the seat that has role 0
	policy  game.Policy[State]
	scorer  game.AfterstateScorer[State] // the policy, or nil

	todo []uint32 // reached, but not looked at
	ask  []uint32 // decisions of the policy, to be asked for

	states   []State
	labelled []fastLabels
	out      []float64
	row      []float64 // probabilities of the choices of one decision
	scores   []float64 // of a scorer, all that there are
	slot     []uint32  // [positions]; 1 + index in scores, if there
	slots    []uint32  // index in scores, of the options of decisions one behind the other
	movers   []game.Player
	options  []float64 // scores of one decision
}

func (w *fastWalk) run(ctx context.Context) error {
	w.reach(w.at(w.start()))
	for len(w.todo) > 0 {
		for len(w.todo) > 0 {
			at := w.todo[len(w.todo)-1]
			w.todo = w.todo[:len(w.todo)-1]
			w.expand(at)
		}
		slices.Sort(w.ask) // near each other lie positions that look alike
		for part := range slices.Chunk(w.ask, fastBatch) {
			if err := ctx.Err(); err != nil {
				return err
			}
			put := w.put
			if w.scorer != nil {
				put = w.score
			}
			if err := put(ctx, part); err != nil {
				return err
			}
		}
		w.ask = w.ask[:0]
	}
	return nil
}

// start is the position in which a game begins.
func (x *fastIndex) start() fastPos {
	var s State
	x.r.start(&s, 0)
	p, _ := x.find(&s)
	return p
}

// reach adds a position.
func (w *fastWalk) reach(at uint32) {
	if set := w.play.reached[w.role]; !set.has(at) {
		set.add(at)
		w.todo = append(w.todo, at)
	}
}

// expand goes on from a position, or notes that the policy is to be asked.
func (w *fastWalk) expand(at uint32) {
	pos := w.pos(at)
	if w.over(pos) {
		return
	}
	moves := w.legal(pos)
	if len(moves) > 0 && pos.mover() == w.role {
		w.ask = append(w.ask, at)
		return
	}
	l := w.leads(pos)
	for choice := range len(moves) + 1 {
		w.follow(moves, &l, choice)
	}
}

// follow reaches what a choice leads to.
func (w *fastWalk) follow(moves []fastMove, l *fastLeads, choice int) {
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

// put asks for the probabilities of decisions.
func (w *fastWalk) put(ctx context.Context, part []uint32) error {
	n := w.r.spec.Actions
	w.states, w.labelled = w.states[:0], w.labelled[:0]
	for _, at := range part {
		l := w.labels(w.pos(at), w.starter)
		w.states, w.labelled = append(w.states, l.state), append(w.labelled, l)
	}
	w.out = slices.Grow(w.out[:0], len(part)*n)[:len(part)*n]
	for i := range w.out {
		w.out[i] = math.NaN() // what is left out is found below
	}
	if err := game.Probs(ctx, w.policy, w.out, w.states); err != nil {
		return err
	}
	w.st.rows += len(part)
	for i, at := range part {
		row, l := w.out[i*n:][:n], &w.labelled[i]
		w.row = w.row[:0]
		for choice := range len(l.moves) + 1 {
			a := l.action(choice)
			w.row = append(w.row, row[a])
			row[a] = 0
		}
		for _, v := range row {
			if v != 0 {
				return fmt.Errorf("at %q the policy gives probability %v to what is illegal", w.r.Format(w.states[i]), v)
			}
		}
		if err := w.note(at, w.pos(at)); err != nil {
			return err
		}
	}
	return nil
}

// note writes down the probabilities in row for a decision and follows them.
func (w *fastWalk) note(at uint32, pos fastPos) error {
	sum := 0.0
	for _, v := range w.row {
		if !(v >= 0) {
			return fmt.Errorf("at %q the policy gives %v as a probability", w.r.Format(w.state(pos, w.starter)), v)
		}
		sum += v
	}
	if !(math.Abs(sum-1) <= 1e-5) { // chosen: what a softmax of floats stays within
		return fmt.Errorf("at %q the probabilities of the policy sum to %v", w.r.Format(w.state(pos, w.starter)), sum)
	}
	y, moves, l := w.play, w.legal(pos), w.leads(pos)
	w.st.decisions++
	y.first[at] = uint32(len(y.choices))
	for choice, v := range w.row {
		if v > 0 {
			y.choices = append(y.choices, uint8(choice))
			y.prob = append(y.prob, v/sum)
			w.follow(moves, &l, choice)
		}
	}
	y.choices[len(y.choices)-1] |= lastChoice
	return nil
}

// score asks for the scores of the states just after the options of decisions,
// each once, and chooses.
func (w *fastWalk) score(_ context.Context, part []uint32) error {
	w.states, w.movers, w.slots = w.states[:0], w.movers[:0], w.slots[:0]
	for _, at := range part {
		w.afterstates(w.pos(at))
	}
	for range w.states {
		w.movers = append(w.movers, game.Player(uint8(w.role)^w.starter))
	}
	known := len(w.scores)
	w.scores = append(w.scores, make([]float64, len(w.states))...)
	if err := w.scorer.Score(w.scores[known:], w.states, w.movers); err != nil {
		return err
	}
	w.st.rows += len(w.states)
	slots := w.slots
	for _, at := range part {
		pos := w.pos(at)
		n := len(w.legal(pos)) + 1
		w.options = w.options[:0]
		for _, slot := range slots[:n] {
			w.options = append(w.options, w.scores[slot])
		}
		slots = slots[n:]
		w.row = slices.Grow(w.row[:0], n)[:n]
		w.scorer.Choose(w.row, w.options)
		if err := w.note(at, pos); err != nil {
			return err
		}
	}
	return nil
}

// afterstates appends the slots of the scores of a decision's options, and the
// states that have none yet.
func (w *fastWalk) afterstates(pos fastPos) {
	l, from := w.labels(pos, w.starter), len(w.states)
	for choice := range len(l.moves) + 1 {
		after, err := w.r.Apply(l.state, l.action(choice))
		if err != nil {
			panic("mars-is-ours: a legal action is refused: " + err.Error())
		}
		after, _ = w.r.Canonical(after)
		if after.Phase == Rolling {
			// Only an option of the same decision can lead to the same battle.
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
			// What follows an action of this role is never its own turn while both
			// may act: the slots of such positions serve for ends.
			to.turn = uint8(w.role)
		}
		slot := &w.slot[w.at(to)]
		if *slot == 0 {
			w.states = append(w.states, after)
			*slot = uint32(len(w.scores) + len(w.states))
		}
		w.slots = append(w.slots, *slot-1)
	}
}
