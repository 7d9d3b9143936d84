package env

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// Vec is the Batch of a game whose state is S.
type Vec[S comparable] struct {
	rules core.Rules[S]
	tag   func() uint32 // rulesTag of the rules, computed once
	spec  game.Spec
	d     int // D
	first int // number of row 0 in the run
	buf   Buffers

	state   []S             // [N]
	shown   []S             // [N] the representatives in the buffers; state itself without symmetry
	label   [][]game.Action // [N] from their actions to those of the state; nil is the identity
	next    []S             // [N] scratch of Step
	final   []S             // [N] see Final
	moves   []int32         // [N] decisions taken in this game
	dice    []rand.PCG      // [N]
	started bool

	compact  game.CompactEncoder[S] // of a compact batch, else nil
	codes    int                    // C of a compact batch
	stepper  game.Stepper[S]        // one of the next two; nil if the rules play row by row
	rows     game.Rows[S, float32]  // or nil
	codeRows game.Rows[S, uint8]    // of a compact batch, or nil
	crn      []*core.Turns          // [N] common random numbers, nil in rows that were not restarted; nil if none was
	single   bool                   // the last step was row by row: stepRows must show all rows first
	before   []game.Player          // [N] scratch of stepRows: the players before the step
	held     []heldRow[S]           // scratch of stepRows

	marked struct { // by Mark
		state       []S
		moves       []int32
		dice, noise []rand.PCG
	}

	returns   []float64
	legal     []game.Action
	decisions decisionBatch[S]
	probs     []float64 // scratch of Act
	chance    core.Chance[S]
	outcomes  []game.Outcome[S] // of one row
}

// NewVec returns a batch of rows first to first+rows-1 of a run. It panics if
// there are none.
func NewVec[S comparable](rules game.Rules[S], rows, first int) *Vec[S] {
	return newVec(rules, onceTag(rules.Spec()), rows, first, Buffers{}, nil)
}

// compactEncoder returns what encodes observations as codes, and the codes.
func compactEncoder[S comparable](rules game.Rules[S]) (game.CompactEncoder[S], *game.Codes, error) {
	compact, ok := rules.(game.CompactEncoder[S])
	if !ok {
		return nil, nil, fmt.Errorf("%s: %w", rules.Spec().ID, game.ErrNoCodes)
	}
	codes, err := compact.Codes()
	return compact, codes, err
}

// newVec is NewVec with the tag of the rules, with buffers, of which those that are nil
// are allocated, and with the encoder of a compact batch, or nil.
func newVec[S comparable](rules game.Rules[S], tag func() uint32, rows, first int, buf Buffers, compact game.CompactEncoder[S]) *Vec[S] {
	if rows <= 0 || first < 0 {
		panic(fmt.Sprintf("env: a batch of %d rows from row %d", rows, first))
	}
	spec := rules.Spec()
	var codes *game.Codes
	size := 0
	if compact != nil {
		codes, _ = compact.Codes()
		size = codes.Len()
	}
	buf.complete(rows, spec, codes)
	v := &Vec[S]{
		rules: core.New(rules), tag: tag, spec: spec, d: spec.ObsLen(), first: first, buf: buf, compact: compact, codes: size,
		state: make([]S, rows), label: make([][]game.Action, rows), next: make([]S, rows), final: make([]S, rows),
		moves: make([]int32, rows), dice: make([]rand.PCG, rows, rows+1),
		returns: make([]float64, 0, spec.Players), legal: make([]game.Action, 0, spec.Actions),
	}
	v.shown = v.state
	if v.rules.Symmetry != nil {
		v.shown = make([]S, rows)
	}
	if compact != nil {
		if v.codeRows = compact.NewCompactRows(rows); v.codeRows != nil {
			v.stepper = v.codeRows
		}
	} else if v.rows = v.rules.Sampler.NewRows(rows); v.rows != nil {
		v.stepper = v.rows
	}
	if v.stepper != nil {
		v.before = make([]game.Player, rows)
	}
	v.decisions.rules, v.chance.Rules = v.rules, &v.rules
	return v
}

// Spec implements [Batch].
func (v *Vec[S]) Spec() game.Spec { return v.spec }

// Len implements [Batch].
func (v *Vec[S]) Len() int { return len(v.state) }

// Buffers implements [Batch].
func (v *Vec[S]) Buffers() *Buffers { return &v.buf }

// Reset implements [Batch].
func (v *Vec[S]) Reset(seed uint64) {
	clear(v.buf.Reward)
	clear(v.buf.Terminated)
	clear(v.buf.Truncated)
	v.crn = nil
	for i := range v.state {
		v.seed(i, seed, uint64(v.first+i))
		v.start(i)
	}
	v.showAll()
	v.started = true
}

// Restart implements [Batch].
func (v *Vec[S]) Restart(i int, seed, row uint64) {
	if v.crn == nil {
		v.crn = make([]*core.Turns, len(v.state))
	}
	v.crn[i] = &core.Turns{Seed: seed, Row: row, Noise: &v.buf.Noise[i]}
	v.seed(i, seed, row)
	v.start(i)
	v.show(i)
}

// Next implements [Batch].
func (v *Vec[S]) Next(i int) { v.Begin([]int{i}, nil) }

// Begin implements [Batch].
func (v *Vec[S]) Begin(rows []int, seeds []uint64) {
	for k, i := range rows {
		if seeds != nil {
			if v.crn != nil {
				v.crn[i] = nil
			}
			v.seed(i, seeds[k], uint64(v.first+i))
		}
		v.start(i)
	}
	v.showAll()
}

// Place implements [Batch].
func (v *Vec[S]) Place(i int, at Position) error {
	p, ok := at.(position[S])
	if !ok {
		return fmt.Errorf("env: %s is a position of another game; want one of %s", at, v.spec.ID)
	}
	who := v.settle(i, &p.s)
	if who < 0 {
		return fmt.Errorf("env: no decision follows in the game from %s", at)
	}
	v.state[i], v.buf.Player[i], v.moves[i] = p.s, who, 0
	v.showAll()
	return nil
}

// start starts a game in row i. It skips games that end, or are truncated, before the
// first decision.
func (v *Vec[S]) start(i int) {
	v.moves[i] = 0
	core.Begin(v.spec.ID, func() bool {
		v.state[i] = v.rules.Initial()
		v.buf.Player[i] = v.settle(i, &v.state[i])
		return v.buf.Player[i] >= 0
	})
}

// seed seeds the generators of row i.
func (v *Vec[S]) seed(i int, seed, row uint64) { core.Seed(&v.dice[i], &v.buf.Noise[i], seed, row) }

// settle draws chance in row i, and returns the current player.
func (v *Vec[S]) settle(i int, s *S) game.Player {
	var turns *core.Turns
	if v.crn != nil {
		turns = v.crn[i]
	}
	return v.rules.Draw(s, &v.dice[i], turns, v.rules.ChanceLimit, nil)
}

// show fills the observation and the action mask of row i.
func (v *Vec[S]) show(i int) {
	s := &v.state[i]
	if v.rules.Symmetry != nil {
		v.shown[i], v.label[i] = v.rules.Symmetry.Canonical(*s)
		s = &v.shown[i]
	}
	if v.compact != nil {
		v.compact.EncodeCompact(v.buf.Codes[i*v.codes:(i+1)*v.codes], *s, v.buf.Player[i])
	} else {
		v.rules.Encode(v.buf.Obs[i*v.d:(i+1)*v.d], *s, v.buf.Player[i])
	}
	mask := v.buf.Mask[i*v.spec.Actions : (i+1)*v.spec.Actions]
	clear(mask)
	v.legal = v.rules.Legal(v.legal[:0], *s)
	for _, a := range v.legal {
		mask[a] = true
	}
}

// Step implements [Batch].
func (v *Vec[S]) Step() error {
	if !v.started {
		return errors.New("env: Step before Reset")
	}
	if v.byRows() && !(v.single && v.mostHeld()) {
		return v.stepRows()
	}
	return v.stepSingly()
}

// stepSingly is Step row by row.
func (v *Vec[S]) stepSingly() error {
	v.single = true
	for i, a := range v.buf.Action {
		if a == Hold {
			continue
		}
		if uint(a) >= uint(v.spec.Actions) {
			return v.rowError(i)
		}
		if label := v.label[i]; label != nil {
			a = label[a]
		}
		var err error
		if v.next[i], err = v.rules.Apply(v.state[i], a); err != nil {
			return v.rowError(i)
		}
	}
	clear(v.buf.Reward)
	clear(v.buf.Terminated)
	clear(v.buf.Truncated)
	for i, a := range v.buf.Action {
		if a == Hold {
			continue
		}
		s := &v.state[i]
		*s = v.next[i]
		who := v.settle(i, s)
		v.moves[i]++
		terminated, truncated := who == game.Terminal, v.spec.Truncates(who, int(v.moves[i]))
		v.buf.Terminated[i], v.buf.Truncated[i] = terminated, truncated
		if terminated || truncated {
			v.end(i, who, v.buf.Player[i])
		} else {
			v.buf.Player[i] = who
		}
		v.show(i)
	}
	return nil
}

// rowError is the error of the illegal action of row i.
func (v *Vec[S]) rowError(i int) error {
	a := v.buf.Action[i]
	err := fmt.Errorf("actions are 0 to %d: %w", v.spec.Actions-1, game.ErrIllegalAction)
	if uint(a) < uint(v.spec.Actions) {
		if label := v.label[i]; label != nil {
			a = label[a]
		}
		_, err = v.rules.Apply(v.state[i], a)
	}
	return &RowError{i, v.buf.Action[i], err}
}

// end writes the results of the game that has ended in row i, after the given player
// acted last, and starts the next game.
func (v *Vec[S]) end(i int, who, last game.Player) {
	if who == game.Terminal {
		v.returns = v.rules.Returns(v.returns[:0], v.state[i])
		for p, r := range v.returns {
			v.buf.Reward[i*v.spec.Players+p] = float32(r)
		}
	}
	if who < 0 {
		who = last
	}
	v.final[i] = v.state[i]
	if s := v.rules.Representative(v.final[i]); v.compact != nil {
		v.compact.EncodeCompact(v.buf.FinalCodes[i*v.codes:(i+1)*v.codes], s, who)
	} else {
		v.rules.Encode(v.buf.FinalObs[i*v.d:(i+1)*v.d], s, who)
	}
	v.buf.FinalPlayer[i] = who
	v.start(i)
}

// Final implements [Batch].
func (v *Vec[S]) Final(i int) Position { return position[S]{&v.rules, v.final[i]} }

// Mark implements [Batch].
func (v *Vec[S]) Mark() {
	m := &v.marked
	m.state, m.moves = append(m.state[:0], v.state...), append(m.moves[:0], v.moves...)
	m.dice, m.noise = append(m.dice[:0], v.dice...), append(m.noise[:0], v.buf.Noise...)
}

// Rewind implements [Batch].
func (v *Vec[S]) Rewind() {
	m := &v.marked
	copy(v.state, m.state)
	copy(v.moves, m.moves)
	copy(v.dice, m.dice)
	copy(v.buf.Noise, m.noise)
	for i, s := range v.state {
		v.buf.Player[i] = v.rules.CurrentPlayer(s)
	}
	v.showAll()
}

// Afterstates implements [Batch].
func (v *Vec[S]) Afterstates(dst *Afterstates) { afterstates(&v.rules, dst, v.shown) }

// Decisions implements [Batch].
func (v *Vec[S]) Decisions(rows []int) Decisions {
	q := &v.decisions
	q.reset()
	if rows == nil {
		q.states, q.shown, q.label = v.state, v.shown, v.label
		q.obs, q.mask = v.buf.Obs, v.buf.Mask
		return q
	}
	for _, i := range rows {
		q.add(v.state[i], v.shown[i], v.label[i])
	}
	return q
}

// Act implements [Batch].
func (v *Vec[S]) Act(ctx context.Context, p Policy, rows []int) error {
	if err := ctx.Err(); err != nil { // few policies look at ctx
		return err
	}
	n := v.spec.Actions
	v.probs = core.Resize(v.probs, len(rows)*n)
	if err := Probs(ctx, p, v.probs, v.Decisions(rows)); err != nil {
		return err
	}
	for k, i := range rows {
		v.buf.Action[i] = core.SampleAction(v.probs[k*n:(k+1)*n], &v.buf.Noise[i])
	}
	return nil
}

// onceTag returns a function that returns rulesTag, and computes it at its first call.
func onceTag(spec game.Spec) func() uint32 {
	return sync.OnceValue(func() uint32 { return rulesTag(spec) })
}

// rulesTag is the start of the rules hash, by which a state names its rules. It is not 0, as
// in states of older releases.
func rulesTag(spec game.Spec) uint32 {
	sum, err := hex.DecodeString(spec.RulesHash()[:8])
	if err != nil {
		panic("env: " + err.Error())
	}
	return max(1, binary.BigEndian.Uint32(sum))
}

// AppendState implements [Batch]. The state begins with the number of rows and the tag of
// the rules.
func (v *Vec[S]) AppendState(dst []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v.state)))
	dst = binary.LittleEndian.AppendUint32(dst, v.tag())
	var err error
	for i := range v.state {
		if dst, err = binary.Append(dst, binary.LittleEndian, v.state[i]); err != nil {
			return nil, fmt.Errorf("env: the state of %s cannot be written: %w", v.spec.ID, err)
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v.moves[i]))
		for _, g := range []*rand.PCG{&v.dice[i], &v.buf.Noise[i]} {
			if dst, err = g.AppendBinary(dst); err != nil {
				return nil, err
			}
		}
	}
	return dst, nil
}

// RestoreState implements [Batch].
func (v *Vec[S]) RestoreState(src []byte) error {
	var zero S
	const generator = 20 // bytes of a rand.PCG
	size := binary.Size(zero)
	if want := 8 + len(v.state)*(size+4+2*generator); len(src) != want {
		return fmt.Errorf("env: %d bytes of state for %d rows of %s; want %d", len(src), len(v.state), v.spec.ID, want)
	}
	if n := binary.LittleEndian.Uint32(src); n != uint32(len(v.state)) {
		return fmt.Errorf("env: the state of %d rows for a batch of %d", n, len(v.state))
	}
	if tag := binary.LittleEndian.Uint32(src[4:]); tag != 0 && tag != v.tag() {
		return fmt.Errorf("env: the state is of another game than %s, or of one with other settings; restore it to a batch of the game that it was saved from", v.spec.ID)
	}
	src = src[8:]
	v.started = false // until all rows are restored
	v.crn = nil
	for i := range v.state {
		if _, err := binary.Decode(src[:size], binary.LittleEndian, &v.state[i]); err != nil {
			return fmt.Errorf("env: row %d: %w", i, err)
		}
		if err := v.rules.Validate(v.state[i]); err != nil {
			return fmt.Errorf("env: row %d: %w", i, err)
		}
		v.moves[i] = int32(binary.LittleEndian.Uint32(src[size:]))
		if v.moves[i] < 0 {
			return fmt.Errorf("env: row %d has taken %d decisions", i, v.moves[i])
		}
		src = src[size+4:]
		for _, g := range []*rand.PCG{&v.dice[i], &v.buf.Noise[i]} {
			if err := g.UnmarshalBinary(src[:generator]); err != nil {
				return fmt.Errorf("env: row %d: %w", i, err)
			}
			src = src[generator:]
		}
		v.buf.Player[i] = v.rules.CurrentPlayer(v.state[i])
		if v.buf.Player[i] < 0 {
			return fmt.Errorf("env: row %d holds a state without a decision", i)
		}
	}
	v.showAll()
	clear(v.buf.Reward)
	clear(v.buf.Terminated)
	clear(v.buf.Truncated)
	v.started = true
	return nil
}
