package expert

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/env/internal/core"
)

// Expert plays N rows by search, with a network's values at the leaves, and
// returns the values and action values that the search found as targets for the
// network. Row i of a run draws from rand.NewPCG(seed, i), whichever Expert holds
// it. One goroutine owns an Expert.
type Expert interface {
	// Reset starts a game in every row.
	Reset(seed uint64)
	// Search searches and plays in every row, and fills dst. When ctx is done it
	// returns the error of ctx with its work half done: call RestoreState or Reset
	// before the next Search.
	Search(ctx context.Context, dst *Targets, opt Options, net Network) error
	// AppendState appends all that resuming needs; RestoreState restores it.
	AppendState(dst []byte) ([]byte, error)
	RestoreState(src []byte) error
}

// Network fills the values [n, P] of observations [n, D], as expected returns in
// the order of play from the viewer. If policy is not nil it also fills the policy
// head's outputs [n, K]: scores [n] of the observations as afterstates or, for [Search],
// logits [n, A] of the observations as decisions.
type Network func(policy, values, obs []float32)

// Options are the settings of a search that change during a run.
type Options struct {
	Lambda        float64 // OnePly and Search: 0 for the values of the search alone, 1 to correct them by all of the play that followed
	Temperature   float64 // Search: of the completed values in shares of the win
	RandomPlay    bool    // play at random, while the values are untrained
	PolicyReplies bool    // OnePly: the policy's scores choose the move after the dice, not the values
}

// Depth is how far an Expert searches.
type Depth string

// The depths.
const (
	OnePly Depth = "one-ply"    // over one roll of the dice to the move after it
	Turn   Depth = "turn-exact" // to the end of the mover's turn
	Search Depth = "search"     // a tree, led by the network's policy and values
)

// ErrUnsupported is returned for a game that cannot be searched to a depth.
var ErrUnsupported = errors.New("the game does not support this search")

// Config are the settings of an Expert.
type Config struct {
	Depth Depth `json:"depth"`
	// RestartFraction is the fraction of searches that start from a state of the
	// game's StartSampler instead of the row's game, where it has one.
	RestartFraction float64 `json:"restart_fraction"`
	Turns           int     `json:"turns"`     // Turn: number of times that each searched turn is played
	Decisions       int     `json:"decisions"` // OnePly and Search: successive decisions of a row in a call of Expert.Search
	// ExplorationFraction is the fraction of turns (Turn) or decisions (OnePly) that
	// explore, and ExplorationRate the fraction of random actions in those.
	ExplorationFraction float64 `json:"exploration_fraction"`
	ExplorationRate     float64 `json:"exploration_rate"`
	Tree                Tree    `json:"tree,omitzero"` // Search
}

// Tree are the settings of the trees of [Search].
type Tree struct {
	// A fraction FullFraction of the decisions have Simulations and give policy
	// targets. The others have FastSimulations.
	Simulations     int     `json:"simulations"`
	FastSimulations int     `json:"fast_simulations"`
	FullFraction    float64 `json:"full_fraction"`
	Candidates      int     `json:"candidates"` // actions of a decision that have a simulation, at most
}

// Validate reports all faults at once.
func (c Config) Validate() error {
	var errs []error
	want := func(ok bool, field string, v any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s is %v; want %s", field, v, want))
		}
	}
	fraction := func(field string, x float64) { want(x >= 0 && x <= 1, field, x, "0 to 1") }
	want(c.Depth == OnePly || c.Depth == Turn || c.Depth == Search, "depth", c.Depth, `"one-ply", "turn-exact" or "search"`)
	want(c.Turns > 0 && c.Turns <= 1000, "turns", c.Turns, "1 to 1000")
	want(c.Decisions > 0 && c.Decisions <= 10_000, "decisions", c.Decisions, "1 to 10000")
	fraction("restart_fraction", c.RestartFraction)
	fraction("exploration_fraction", c.ExplorationFraction)
	fraction("exploration_rate", c.ExplorationRate)
	if t := c.Tree; c.Depth == Search {
		want(t.Simulations > 0 && t.Simulations <= maxSimulations, "tree.simulations", t.Simulations, fmt.Sprintf("1 to %d", maxSimulations))
		want(t.FastSimulations >= 0 && t.FastSimulations <= maxSimulations, "tree.fast_simulations", t.FastSimulations, fmt.Sprintf("0 to %d", maxSimulations))
		want(t.Candidates >= 2 && t.Candidates <= maxSimulations, "tree.candidates", t.Candidates, fmt.Sprintf("2 to %d", maxSimulations))
		fraction("tree.full_fraction", t.FullFraction)
	}
	return errors.Join(errs...)
}

// Targets are what an Expert found. The slices are reused.
type Targets struct {
	// Positions and their values.
	Obs   []float32 // [n, D] seen by the viewer
	Value []float32 // [n, P] expected returns, in the order of play from the viewer

	// Decisions: the options of decision i are Start[i] to Start[i+1].
	DecisionObs []float32     // [m, D] the decisions, seen by the mover
	Start       []int32       // [m+1]
	Action      []game.Action // [k]
	AfterObs    []float32     // [k, D] the afterstates, seen by the mover; of Search none
	ActionValue []float32     // [k] expected return of the mover
	Logit       []float32     // [k] of the network's policy; only of Search

	Decisions int // taken in all rows, those with one legal action included
	Games     int // ended
}

func (t *Targets) reset() {
	t.Obs, t.Value, t.DecisionObs, t.AfterObs = t.Obs[:0], t.Value[:0], t.DecisionObs[:0], t.AfterObs[:0]
	t.Start, t.Action, t.ActionValue, t.Logit = append(t.Start[:0], 0), t.Action[:0], t.ActionValue[:0], t.Logit[:0]
	t.Decisions, t.Games = 0, 0
}

// New returns an Expert of rows first to first+rows-1 of a run. The error wraps
// ErrUnsupported where the game cannot be searched to cfg.Depth: all need a game with a
// win, Turn a [game.TurnPlanner] as well.
func New[S comparable](rules game.Rules[S], cfg Config, rows, first int) (Expert, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	spec := rules.Spec()
	if !spec.HasWin() {
		return nil, fmt.Errorf("%s for %d counts %s, and search needs a game with a win: %w", spec.ID, spec.Players, spec.Unit, ErrUnsupported)
	}
	s := newSearcher(core.New(rules), cfg, rows, first)
	switch cfg.Depth {
	case OnePly:
		return newOnePly(s), nil
	case Search:
		return newGuided(s), nil
	}
	planner, ok := rules.(game.TurnPlanner[S])
	if !ok {
		return nil, fmt.Errorf("%s does not solve turns: %w", spec.ID, ErrUnsupported)
	}
	return newTurnExact(s, planner), nil
}

// searcher holds what experts of all depths need.
type searcher[S comparable] struct {
	rules   core.Rules[S]
	sampler game.StartSampler[S] // or nil
	spec    game.Spec
	d       int // D
	cfg     Config
	first   int // row 0 is row first of the run

	state []S        // [N]
	dice  []rand.PCG // [N]

	obs, output []float32 // [n, D] the network's input, [n, P] its values
	legal       []game.Action
	value       []float64 // [P]
	values      []float64 // [options]
}

func newSearcher[S comparable](rules core.Rules[S], cfg Config, rows, first int) searcher[S] {
	spec := rules.Spec()
	sampler, _ := rules.Rules.(game.StartSampler[S])
	return searcher[S]{
		rules: rules, sampler: sampler, spec: spec, d: spec.ObsLen(), cfg: cfg, first: first,
		state: make([]S, rows), dice: make([]rand.PCG, rows),
	}
}

// observe appends the observation of a seat.
func (e *searcher[S]) observe(dst []float32, s S, who game.Player) []float32 {
	n := len(dst)
	dst = slices.Grow(dst, e.d)[:n+e.d]
	e.rules.Encode(dst[n:], s, who)
	return dst
}

// evaluate calls the network with obs, and fills scores if that is not nil.
func (e *searcher[S]) evaluate(net Network, scores []float32) {
	e.output = core.Resize(e.output, len(e.obs)/e.d*e.spec.Players)
	if len(e.obs) > 0 {
		net(scores, e.output, e.obs)
	}
}

// seatValues writes the network's value of observation i, seen by viewer, to dst
// [P] by seat.
func (e *searcher[S]) seatValues(dst []float64, i int, viewer game.Player) {
	game.SeatOrder(dst, e.output[i*e.spec.Players:][:e.spec.Players], viewer)
}

// addValue adds a value target: s, seen by viewer, has these values [P] by seat.
func (e *searcher[S]) addValue(dst *Targets, s S, viewer game.Player, values []float64) {
	dst.Obs = e.observe(dst.Obs, s, viewer)
	n := len(dst.Value)
	dst.Value = slices.Grow(dst.Value, len(values))[:n+len(values)]
	game.MoverOrder(dst.Value[n:], values, viewer)
}

// addDecision adds a decision with the values of its options, unless all are equal.
func (e *searcher[S]) addDecision(dst *Targets, s S, who game.Player, legal []game.Action, values []float64) {
	if slices.Max(values)-slices.Min(values) <= game.Tie {
		return
	}
	dst.DecisionObs = e.observe(dst.DecisionObs, s, who)
	for i, a := range legal {
		dst.AfterObs = e.observe(dst.AfterObs, e.rules.After(s, a), who)
		dst.Action = append(dst.Action, a)
		dst.ActionValue = append(dst.ActionValue, float32(values[i]))
	}
	dst.Start = append(dst.Start, int32(len(dst.Action)))
}

// choose returns the index of the best option, ties to the first, or with
// probability rate a random one.
func (e *searcher[S]) choose(values []float64, rate float64, dice *rand.PCG) int {
	if rate > 0 && core.Uniform(dice) < rate {
		return int(core.Uniform(dice) * float64(len(values)))
	}
	best := 0
	for i, v := range values {
		if v > values[best]+game.Tie {
			best = i
		}
	}
	return best
}

// explorationRate draws the fraction of random actions of the next turn or
// decision.
func (e *searcher[S]) explorationRate(opt Options, dice *rand.PCG) float64 {
	if explores := core.Uniform(dice) < e.cfg.ExplorationFraction; opt.RandomPlay {
		return 1
	} else if explores {
		return e.cfg.ExplorationRate
	}
	return 0
}

// appendState appends the states and generators.
func (e *searcher[S]) appendState(dst []byte) (_ []byte, err error) {
	for i := range e.state {
		if dst, err = binary.Append(dst, binary.LittleEndian, e.state[i]); err != nil {
			return nil, fmt.Errorf("expert: the state of %s cannot be written: %w", e.spec.ID, err)
		}
		if dst, err = e.dice[i].AppendBinary(dst); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// restoreState restores what appendState wrote, and returns the rest, which must
// have this many bytes.
func (e *searcher[S]) restoreState(src []byte, more int) (rest []byte, err error) {
	var zero S
	const generator = 20 // bytes of a rand.PCG
	size := binary.Size(zero)
	if want := len(e.state)*(size+generator) + more; len(src) != want {
		return nil, fmt.Errorf("expert: %d bytes of state for %d rows of %s; want %d", len(src), len(e.state), e.spec.ID, want)
	}
	for i := range e.state {
		if _, err := binary.Decode(src[:size], binary.LittleEndian, &e.state[i]); err != nil {
			return nil, fmt.Errorf("expert: row %d: %w", i, err)
		}
		if err := e.rules.Validate(e.state[i]); err != nil {
			return nil, fmt.Errorf("expert: row %d: %w", i, err)
		}
		if err := e.dice[i].UnmarshalBinary(src[size : size+generator]); err != nil {
			return nil, fmt.Errorf("expert: row %d: %w", i, err)
		}
		src = src[size+generator:]
	}
	return src, nil
}
