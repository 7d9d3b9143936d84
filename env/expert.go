package env

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
)

// Expert searches a game in front of a network: it plays some rows by search
// upon the network's values, and tells what the values and the policy should
// have been. Row i of a run draws all it does from rand.NewPCG(seed, i),
// wherever it lives. One goroutine owns an Expert.
type Expert interface {
	// Reset begins anew.
	Reset(seed uint64)
	// Search plays on in every row and fills dst. When ctx is done it returns the
	// error of ctx, in the middle of its work: go on with RestoreState or Reset.
	Search(ctx context.Context, dst *Lessons, how Manner, net Network) error
	// AppendState appends all that resuming needs; RestoreState takes it back.
	AppendState(dst []byte) ([]byte, error)
	RestoreState(src []byte) error
}

// Network fills the values [n, P] of observations [n, D], in the order of play
// from the viewer, and, if not nil, the scores [n] that its policy gives to what
// is seen as states just after moves.
type Network func(scores, values, obs []float32)

// Manner says how to search and play at a stage of the learning.
type Manner struct {
	Lambda float64 // OnePly: weight of what comes of the play against what a search says
	Random bool    // take every action at random, as long as the values know nothing
	Scores bool    // OnePly: the policy's scores choose what follows the dice, and not the values
}

// Depth says how far an Expert searches.
type Depth string

// The depths.
const (
	OnePly Depth = "one-ply"    // over one roll of the dice to the move that follows
	Turn   Depth = "turn-exact" // to the end of the mover's turn
)

// ErrNoPlanner is returned where a game cannot be searched to that depth.
var ErrNoPlanner = errors.New("the game offers no search of whole turns")

// ExpertConfig are the settings of an Expert.
type ExpertConfig struct {
	Depth  Depth   `json:"depth"`
	Anew   float64 `json:"anew"`   // share of searches from the start of a turn drawn anew rather than from play, where the game offers a Planner
	Turns  int     `json:"turns"`  // Turn: turns played after each search
	Moves  int     `json:"moves"`  // OnePly: decisions taken, one after the other
	Strays float64 `json:"strays"` // share of the turns, or of the decisions if OnePly, in which the play strays
	Stray  float64 `json:"stray"`  // share of random actions in those
}

// Validate reports all faults at once.
func (c ExpertConfig) Validate() error {
	var errs []error
	want := func(ok bool, field string, v any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s is %v; want %s", field, v, want))
		}
	}
	share := func(field string, x float64) { want(x >= 0 && x <= 1, field, x, "0 to 1") }
	want(c.Depth == OnePly || c.Depth == Turn, "depth", c.Depth, `"one-ply" or "turn-exact"`)
	want(c.Turns > 0 && c.Turns <= 1000, "turns", c.Turns, "1 to 1000")
	want(c.Moves > 0 && c.Moves <= 10_000, "moves", c.Moves, "1 to 10000")
	share("anew", c.Anew)
	share("strays", c.Strays)
	share("stray", c.Stray)
	return errors.Join(errs...)
}

// Lessons are what an Expert has found. The slices are used again.
type Lessons struct {
	// Positions, and what they are worth.
	Obs   []float32 // [n, D] as the viewer sees them
	Value []float32 // [n, P] expected returns, in the order of play from the viewer

	// Decisions: the options of decision i are Start[i] to Start[i+1].
	Seen   []float32     // [m, D] the decisions, as the mover sees them
	Start  []int32       // [m+1]
	Action []game.Action // [k]
	After  []float32     // [k, D] the states just after, as the mover sees them
	Worth  []float32     // [k] expected return to the mover

	Decisions int // taken by all rows, those without a choice included
	Games     int // ended
}

func (l *Lessons) reset() {
	l.Obs, l.Value, l.Seen, l.After = l.Obs[:0], l.Value[:0], l.Seen[:0], l.After[:0]
	l.Start, l.Action, l.Worth = append(l.Start[:0], 0), l.Action[:0], l.Worth[:0]
	l.Decisions, l.Games = 0, 0
}

// searcher is what experts of all depths have in common.
type searcher[S comparable] struct {
	k     kit[S]
	spec  game.Spec
	d     int // D
	cfg   ExpertConfig
	first int // row 0 is row first of the run

	state []S        // [N]
	dice  []rand.PCG // [N]

	obs, seen []float32 // [n, D] asked about, [n, P] answered
	legal     []game.Action
	value     []float64 // [P]
	worth     []float64 // of options
}

func newSearcher[S comparable](k kit[S], cfg ExpertConfig, rows, first int) searcher[S] {
	spec := k.rules.Spec()
	return searcher[S]{
		k: k, spec: spec, d: spec.ObsLen(), cfg: cfg, first: first,
		state: make([]S, rows), dice: make([]rand.PCG, rows),
	}
}

// NewExpert implements [Game].
func (h *handle[S]) NewExpert(cfg ExpertConfig, rows, first int) (Expert, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if !h.spec.HasWin() {
		return nil, fmt.Errorf("%s for %d counts %s, and search is for games with a winner: %w", h.spec.ID, h.spec.Players, h.spec.Unit, ErrNoPlanner)
	}
	s := newSearcher(h.kit, cfg, rows, first)
	if cfg.Depth == OnePly {
		return newPlyExpert(s), nil
	}
	planner, ok := h.rules.(game.Planner[S])
	if !ok {
		return nil, fmt.Errorf("%s: %w", h.spec.ID, ErrNoPlanner)
	}
	e := &turnExpert[S]{searcher: s, planner: planner, turns: make([]turnSearch[S], rows), known: make([][]float64, rows)}
	for range rows {
		e.plans = append(e.plans, planner.NewPlan())
	}
	return e, nil
}

// see appends what a seat sees of s.
func (e *searcher[S]) see(dst []float32, s S, who game.Player) []float32 {
	n := len(dst)
	dst = slices.Grow(dst, e.d)[:n+e.d]
	e.k.rules.Encode(dst[n:], s, who)
	return dst
}

// ask asks for the values of obs and, if scores is not nil, for those.
func (e *searcher[S]) ask(net Network, scores []float32) {
	e.seen = resize(e.seen, len(e.obs)/e.d*e.spec.Players)
	if len(e.obs) > 0 {
		net(scores, e.seen, e.obs)
	}
}

// seat is the value to a seat of the i-th state asked about, seen by a viewer.
func (e *searcher[S]) seat(i int, viewer, seat game.Player) float64 {
	p := e.spec.Players
	return float64(e.seen[i*p+(int(seat)+p-int(viewer))%p])
}

// lesson adds that s, as a viewer sees it, is worth so much to each seat [P].
func (e *searcher[S]) lesson(dst *Lessons, s S, viewer game.Player, values []float64) {
	dst.Obs = e.see(dst.Obs, s, viewer)
	for j := range values {
		dst.Value = append(dst.Value, float32(values[(int(viewer)+j)%len(values)]))
	}
}

// decision adds a decision with what its options are worth, if that differs.
func (e *searcher[S]) decision(dst *Lessons, s S, who game.Player, legal []game.Action, worth []float64) {
	if slices.Max(worth)-slices.Min(worth) <= game.Tie {
		return
	}
	dst.Seen = e.see(dst.Seen, s, who)
	for i, a := range legal {
		dst.After = e.see(dst.After, e.k.apply(s, a), who)
		dst.Action = append(dst.Action, a)
		dst.Worth = append(dst.Worth, float32(worth[i]))
	}
	dst.Start = append(dst.Start, int32(len(dst.Action)))
}

// choose picks the best option, the first among ties, or with probability stray
// any of them.
func (e *searcher[S]) choose(worth []float64, stray float64, dice *rand.PCG) int {
	if stray > 0 && chance(dice) < stray {
		return int(chance(dice) * float64(len(worth)))
	}
	best := 0
	for i, w := range worth {
		if w > worth[best]+game.Tie {
			best = i
		}
	}
	return best
}

// stray is the share of random actions in what comes next.
func (e *searcher[S]) stray(how Manner, dice *rand.PCG) float64 {
	if strays := chance(dice) < e.cfg.Strays; how.Random {
		return 1
	} else if strays {
		return e.cfg.Stray
	}
	return 0
}

// appendState appends the states and generators.
func (e *searcher[S]) appendState(dst []byte) (_ []byte, err error) {
	for i := range e.state {
		if dst, err = binary.Append(dst, binary.LittleEndian, e.state[i]); err != nil {
			return nil, fmt.Errorf("env: the state of %s cannot be written: %w", e.spec.ID, err)
		}
		if dst, err = e.dice[i].AppendBinary(dst); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// restoreState takes back what appendState wrote, and returns what follows, of
// which there must be so many bytes.
func (e *searcher[S]) restoreState(src []byte, more int) (rest []byte, err error) {
	var zero S
	const generator = 20 // bytes of a rand.PCG
	size := binary.Size(zero)
	if want := len(e.state)*(size+generator) + more; len(src) != want {
		return nil, fmt.Errorf("env: %d bytes of state for %d rows of %s; want %d", len(src), len(e.state), e.spec.ID, want)
	}
	for i := range e.state {
		if _, err := binary.Decode(src[:size], binary.LittleEndian, &e.state[i]); err != nil {
			return nil, fmt.Errorf("env: row %d: %w", i, err)
		}
		if err := e.k.known(e.state[i]); err != nil {
			return nil, fmt.Errorf("env: row %d: %w", i, err)
		}
		if err := e.dice[i].UnmarshalBinary(src[size : size+generator]); err != nil {
			return nil, fmt.Errorf("env: row %d: %w", i, err)
		}
		src = src[size+generator:]
	}
	return src, nil
}
