package expert

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/models"
	"marsgym/train/method"
)

// Expert plays N rows by search, with a network's values at the leaves, and
// returns the values and action values that the search found as targets for the
// network. Row i of a run draws from rand.NewPCG(seed, i), whichever Expert holds
// it. One goroutine owns an Expert.
type Expert interface {
	// Reset starts a game in every row.
	Reset(seed uint64)
	// Search searches and plays in every row, and fills dst [Pieces], each with the targets
	// of some rows; several goroutines may call net at the same time. When ctx is done it
	// returns the error of ctx with its work half done: call RestoreState or Reset
	// before the next Search.
	Search(ctx context.Context, dst []Targets, opt Options, net Network) error
	// Pieces is the number of Targets that Search fills.
	Pieces() int
	// Target returns the kind of states whose values Search finds.
	Target() search.ValueTarget
	// AppendState appends all that resuming needs; RestoreState restores it.
	AppendState(dst []byte) ([]byte, error)
	RestoreState(src []byte) error
}

// Network fills the values [n, P] of n observations, as expected returns in
// the order of play from the viewer. If policy is not nil it also fills the policy
// head's outputs [n, K]: scores [n] of the observations as afterstates or, for [Search],
// logits [n, A] of the observations as decisions.
type Network func(policy, values []float32, obs *models.Observations)

// Options are the settings of a search that change during a run.
type Options struct {
	Lambda        float64 // OneMove and Search: 0 for the values of the search alone, 1 to correct them by all of the play that followed
	Temperature   float64 // Search: of the completed values in shares of the win
	RandomPlay    bool    // play at random, while the values are untrained
	PolicyReplies bool    // OneMove, where the network values afterstates: the policy's scores choose the move after the chance, not the values
	Logits        bool    // the policy has a logit for each action: leave Targets.AfterObs empty
	// Copies are older copies of the network, of which opponents play. They are called
	// without values, and never become fewer.
	Copies []Network
}

// Depth is how far an Expert searches.
type Depth string

// The depths.
const (
	OneMove Depth = "one-move"   // over one move and the chance after it to the next decision
	Turn    Depth = "turn-exact" // to the end of the mover's turn
	Search  Depth = "search"     // a tree, led by the network's policy and values
)

var depths = []Depth{OneMove, Turn, Search}

// ErrUnsupported is returned for a game that cannot be searched to a depth.
var ErrUnsupported = errors.New("the game does not support this search")

// Config are the settings of an Expert.
type Config struct {
	Depth     Depth  `json:"depth"`
	Starts    Starts `json:"starts"`
	Turns     int    `json:"turns"`     // Turn: number of times that each searched turn is played
	Decisions int    `json:"decisions"` // other than Turn: successive decisions of a row in a call of Expert.Search
	// Outcomes is the largest number of outcomes of chance after an action that OneMove
	// lists in a game that does not merge them; where there are more it samples as many.
	Outcomes int `json:"outcomes,omitzero"`
	// ExplorationFraction is the fraction of episodes (OneMove), turns (Turn) or
	// decisions (Search, and OneMove where the network values afterstates) that explore,
	// and ExplorationRate the fraction of random actions in those.
	ExplorationFraction float64 `json:"exploration_fraction"`
	ExplorationRate     float64 `json:"exploration_rate"`
	Tree                Tree    `json:"tree,omitzero"` // Search

	// Opponents hold the seats of some games beside the network. Only what they play is
	// theirs: all decisions are searched, and are targets, as if the network played on.
	// Only Fraction and Bots are used; the networks are [Options.Copies], each equally likely.
	Opponents method.Opponents `json:"-"`
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

// PartRows returns the number of rows of an Expert of a run: few, so that many cores share the
// rows, but no fewer than use the vectors of a processor and batches of a network well. Chosen: with one row,
// search took some 10 % longer on one core than with four, and one-move did not.
func (c Config) PartRows() int {
	switch c.Depth {
	case OneMove:
		return 1
	case Search:
		return 2
	}
	return 16 // turns are solved at once
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
	want(slices.Contains(depths, c.Depth), "depth", c.Depth, fmt.Sprintf("one of %q", depths))
	want(c.Turns > 0 && c.Turns <= 1000, "turns", c.Turns, "1 to 1000")
	want(c.Decisions > 0 && c.Decisions <= 10_000, "decisions", c.Decisions, "1 to 10000")
	want(c.Depth != OneMove || c.Outcomes > 0 && c.Outcomes <= 10_000, "outcomes", c.Outcomes, "1 to 10000")
	fraction("starts.sample", c.Starts.Sample)
	fraction("starts.walk", c.Starts.Walk)
	fraction("starts.archive", c.Starts.Archive)
	fraction("starts.disagree", c.Starts.Disagree)
	want(!(c.Starts.sum() > 1+1e-9), "starts (the sum)", c.Starts.sum(), "at most 1")
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

// New returns an Expert of rows first to first+rows-1 of a run. The error wraps
// ErrUnsupported where the game cannot be searched to cfg.Depth: all but OneMove need a
// game with a win, Turn a [game.TurnPlanner] as well. It wraps ErrNoStartSampler where
// cfg.Starts has samples and the game has none.
func New(g env.Game, cfg Config, rows, first int) (Expert, error) {
	x, err := of(g)
	if err != nil {
		return nil, err
	}
	return x.newExpert(cfg, rows, first)
}

func (x *experts[S]) newExpert(cfg Config, rows, first int) (Expert, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	spec, plans := x.rules.Spec(), x.rules.Planner != nil
	if cfg.Depth != OneMove && !spec.HasWin() {
		return nil, fmt.Errorf("%s counts %s, and search needs a game with a win: %w", spec.FullTitle(), spec.Unit, ErrUnsupported)
	}
	if cfg.Depth == Turn && !plans {
		return nil, fmt.Errorf("%s does not solve turns: %w", spec.ID, ErrUnsupported)
	}
	if cfg.Starts.Sample > 0 && !plans {
		return nil, fmt.Errorf("starts.sample is %v: %s: %w; use walk, archive or disagree", cfg.Starts.Sample, spec.ID, ErrNoStartSampler)
	}
	if cfg.Depth == Turn {
		return newTurnExact(x.rules, cfg, rows, first)
	}
	s, err := newSearcher(x.rules, cfg, rows, first)
	if err != nil {
		return nil, err
	}
	if cfg.Depth == OneMove {
		return newOneMove(s), nil
	}
	return newGuided(s), nil
}

// searcher holds what experts of all depths need.
type searcher[S comparable] struct {
	rules core.Rules[S]
	spec  game.Spec
	d     int // D
	cfg   Config
	first int // row 0 is row first of the run

	state   []S        // [N]
	dice    []rand.PCG // [N]
	archive archive[S] // of no rows, if no start needs it
	pool    pool[S]
	saved   []any // lists of which a checkpoint holds the numbers, beside states and dice

	obs     *models.Observations // [n, D] the network's input
	output  []float32            // [n, P] its values
	row     []float32            // [D] an observation with its zeros
	numbers []game.Element       // an observation without them
	legal   []game.Action
	value   []float64 // [P]
	values  []float64 // [options]
}

func newSearcher[S comparable](rules core.Rules[S], cfg Config, rows, first int) (searcher[S], error) {
	spec := rules.Spec()
	e := searcher[S]{
		rules: rules, spec: spec, d: spec.ObsLen(), cfg: cfg, first: first,
		state: make([]S, rows), dice: make([]rand.PCG, rows),
		obs: models.NewObservations(spec.ObsLen(), nil), row: make([]float32, spec.ObsLen()),
	}
	if cfg.Starts.Archives() {
		e.archive = newArchive[S](rows)
	}
	var err error
	e.pool, err = newPool(rules, cfg.Opponents, rows)
	e.saved = []any{e.archive.count, e.archive.ring, e.pool.seats}
	return e, err
}

// reset seeds the generators, empties the archives and calls start for each row.
func (e *searcher[S]) reset(seed uint64, start func(i int)) {
	e.archive.reset()
	e.setCopies(nil)
	for i := range e.state {
		e.dice[i].Seed(seed, uint64(e.first+i))
		start(i)
	}
}

// observe appends the observation of a seat.
func (e *searcher[S]) observe(dst *models.Observations, s S, who game.Player) {
	if e.rules.Sparse == nil {
		e.rules.Encode(e.row, s, who)
		dst.Append(e.row)
		return
	}
	dst.AppendSparse(e.encode(s, who))
}

// encode returns the numbers of an observation, of a game that lists them, until the next call.
func (e *searcher[S]) encode(s S, who game.Player) []game.Element {
	e.numbers = e.rules.Sparse.EncodeSparse(e.numbers[:0], s, who)
	return e.numbers
}

// evaluate calls the network with obs, and fills scores if that is not nil.
func (e *searcher[S]) evaluate(net Network, scores []float32) {
	e.output = core.Resize(e.output, e.obs.Len()*e.spec.Players)
	if e.obs.Len() > 0 {
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
	e.observe(dst.Obs, s, viewer)
	n := len(dst.Value)
	dst.Value = slices.Grow(dst.Value, len(values))[:n+len(values)]
	game.MoverOrder(dst.Value[n:], values, viewer)
}

// addDecision adds a decision with the values of its options, unless all are equal. Its
// observation is the next row of dst.Obs if shared is set.
func (e *searcher[S]) addDecision(dst *Targets, s S, who game.Player, legal []game.Action, values []float64, opt Options, shared bool) {
	if slices.Max(values)-slices.Min(values) <= game.Tie {
		return
	}
	if shared {
		dst.Row = append(dst.Row, int32(dst.Obs.Len()))
	} else {
		e.observe(dst.DecisionObs, s, who)
	}
	for i, a := range legal {
		if !opt.Logits {
			e.observe(dst.AfterObs, e.rules.After(s, a), who)
		}
		dst.Action = append(dst.Action, a)
		dst.ActionValue = append(dst.ActionValue, float32(values[i]))
	}
	dst.Start = append(dst.Start, int32(len(dst.Action)))
}

// choose returns the index of the best option, the first if a network's value is no number,
// or with probability rate a random one.
func (e *searcher[S]) choose(values []float64, rate float64, dice *rand.PCG) int {
	if rate > 0 && core.Uniform(dice) < rate {
		return int(core.Uniform(dice) * float64(len(values)))
	}
	return max(0, game.BestOption(values))
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

// AppendState implements [Expert].
func (e *searcher[S]) AppendState(dst []byte) (_ []byte, err error) {
	for i := range e.state {
		if dst, err = binary.Append(dst, binary.LittleEndian, e.state[i]); err != nil {
			return nil, fmt.Errorf("expert: the state of %s cannot be written: %w", e.spec.ID, err)
		}
		if dst, err = e.dice[i].AppendBinary(dst); err != nil {
			return nil, err
		}
	}
	for _, list := range e.saved {
		if dst, err = binary.Append(dst, binary.LittleEndian, list); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// Pieces implements [Expert].
func (e *searcher[S]) Pieces() int { return 1 }

// stateSize returns the number of bytes that AppendState appends.
func (e *searcher[S]) stateSize() int {
	var zero S
	size := len(e.state) * (binary.Size(zero) + generatorSize)
	for _, list := range e.saved {
		size += binary.Size(list)
	}
	return size
}

// wrongSize is the error of a state of another size.
func (e *searcher[S]) wrongSize(got, want, rows int) error {
	return fmt.Errorf("expert: %d bytes of state for %d rows of %s; want %d", got, rows, e.spec.ID, want)
}

// RestoreState implements [Expert].
func (e *searcher[S]) RestoreState(src []byte) error {
	if want := e.stateSize(); len(src) != want {
		return e.wrongSize(len(src), want, len(e.state))
	}
	if err := e.read(bytes.NewReader(src)); err != nil {
		return fmt.Errorf("expert: the state of %s: %w", e.spec.ID, err)
	}
	return nil
}

const generatorSize = 20 // bytes of a rand.PCG

// read reads what AppendState wrote.
func (e *searcher[S]) read(src *bytes.Reader) error {
	var generator [generatorSize]byte
	for i := range e.state {
		err := binary.Read(src, binary.LittleEndian, &e.state[i])
		if err == nil {
			err = e.checkPosition(e.state[i])
		}
		if err == nil {
			_, err = io.ReadFull(src, generator[:])
		}
		if err == nil {
			err = e.dice[i].UnmarshalBinary(generator[:])
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	for _, list := range e.saved {
		if err := binary.Read(src, binary.LittleEndian, list); err != nil {
			return err
		}
	}
	return errors.Join(e.archive.check(e.checkPosition), e.pool.check())
}

// checkPosition returns an error unless s is a state in which a search can start.
func (e *searcher[S]) checkPosition(s S) error {
	if err := e.rules.Validate(s); err != nil {
		return err
	}
	if !e.isPosition(s) {
		return errors.New("no search can start from the state")
	}
	return nil
}

// episodes is a searcher whose rows play decision by decision.
type episodes[S comparable] struct {
	searcher[S]
	moves []uint32 // [N] decisions of the row's episode so far
}

func newEpisodes[S comparable](s searcher[S]) episodes[S] {
	moves := make([]uint32, len(s.state))
	s.saved = append(s.saved, moves)
	return episodes[S]{s, moves}
}

// follow is what follows a decision.
type follow int8

const (
	running    follow = iota
	terminated        // by the rules
	truncated
)

// advance plays from the state after a decision of row i to the next decision, unless the
// episode is over.
func (e *episodes[S]) advance(i int, after S) follow {
	e.state[i] = after
	e.moves[i]++
	switch who := e.rules.Settle(&e.state[i], &e.dice[i]); {
	case who == game.Terminal:
		return terminated
	case e.spec.Truncates(who, int(e.moves[i])):
		return truncated
	}
	e.state[i] = e.rules.Representative(e.state[i])
	return running
}
