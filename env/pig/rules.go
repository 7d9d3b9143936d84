package pig

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/random"
)

// The actions.
const (
	Roll game.Action = iota
	Hold
	actions
)

// Limits of a Config. Chosen: the state holds ten scores of a byte each, and
// a winner may be five points above the target.
const (
	maxPlayers = 10
	maxTarget  = 250
)

// Config holds the numbers of the rules.
type Config struct {
	Players int `json:"players"` // seed: two; the source mentions more
	Target  int `json:"target"`  // seed: 100 points
}

// DefaultConfig is the published game.
func DefaultConfig() Config { return Config{Players: 2, Target: 100} }

// Validate reports all faults of a config at once.
func (c Config) Validate() error {
	var errs []error
	if c.Players < 2 || c.Players > maxPlayers {
		errs = append(errs, fmt.Errorf("players is %d; want 2 to %d", c.Players, maxPlayers))
	}
	if c.Target < 2 || c.Target > maxTarget {
		errs = append(errs, fmt.Errorf("target is %d; want 2 to %d", c.Target, maxTarget))
	}
	return errors.Join(errs...)
}

// Phase is what happens next. With its four bytes a State has 16 bytes, which a
// processor copies at once: twice as many steps per second as with 13.
type Phase uint32

const (
	Deciding Phase = iota // the seat rolls or holds
	Rolling               // chance: the die is rolled
	Over                  // the seat has won
)

// State is a position of Pig: 16 bytes.
type State struct {
	Score [maxPlayers]uint8
	Total uint8 // points of the turn, not yet in Score
	Seat  uint8 // the seat whose turn it is, or that has won
	Phase Phase
}

// Rules are the rules of Pig under a Config.
type Rules struct {
	cfg   Config
	spec  game.Spec
	codes *game.Codes
	over  [256]float32 // points over the target, for Encode
}

// New returns the rules for a config. The error lists all faults of the config.
func New(cfg Config) (*Rules, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("pig config: %w", err)
	}
	r := &Rules{
		cfg: cfg,
		spec: game.Spec{
			ID: "pig", Title: "Pig", Version: 1, Config: cfg,
			Players: cfg.Players, Actions: int(actions),
			Observation: fields(cfg),
			Information: game.PerfectInformation, Chance: game.ExplicitStochastic, MinPlayers: 2, MaxPlayers: maxPlayers,
			// Chosen: more than ten times the length of games of random play.
			MoveLimit: 20 * cfg.Players * cfg.Target,
			Win:       1, Loss: -1 / float64(cfg.Players-1),
		},
	}
	game.Quotients(r.over[:], cfg.Target)
	codes, err := game.NewCodes(r.spec, nil, nil)
	r.codes = codes
	return r, err
}

// Spec implements [game.Rules].
func (r *Rules) Spec() game.Spec { return r.spec }

// Initial returns the start of the first seat's turn.
func (r *Rules) Initial() State { return State{} }

// CurrentPlayer implements [game.Rules].
func (r *Rules) CurrentPlayer(s State) game.Player {
	switch s.Phase {
	case Deciding:
		return game.Player(s.Seat)
	case Rolling:
		return game.Chance
	}
	return game.Terminal
}

// Legal implements [game.Rules].
func (r *Rules) Legal(dst []game.Action, s State) []game.Action {
	if s.Phase != Deciding {
		return dst
	}
	dst = append(dst, Roll)
	if s.Total > 0 {
		dst = append(dst, Hold)
	}
	return dst
}

// Apply implements [game.Rules]. The text of an error names the rule that forbids a.
func (r *Rules) Apply(s State, a game.Action) (State, error) {
	switch {
	case s.Phase == Over:
		return s, game.ErrGameOver
	case s.Phase == Rolling:
		return s, fmt.Errorf("the die is to be rolled first: %w", game.ErrIllegalAction)
	case a == Roll:
		s.Phase = Rolling
		return s, nil
	case a == Hold && s.Total > 0:
		s.Score[s.Seat] += s.Total
		r.pass(&s)
		return s, nil
	case a == Hold:
		return s, fmt.Errorf("a turn begins with a roll: %w", game.ErrIllegalAction)
	}
	return s, fmt.Errorf("there is no action %d: %w", a, game.ErrIllegalAction)
}

// pass gives the die to the next seat.
func (r *Rules) pass(s *State) {
	s.Total, s.Phase = 0, Deciding
	s.Seat = game.NextSeat(s.Seat, r.cfg.Players)
}

// land changes s to the state after the die shows face, 1 to 6.
func (r *Rules) land(s *State, face uint8) {
	if face == 1 {
		r.pass(s)
		return
	}
	s.Total += face
	s.Phase = Deciding
	if score := s.Score[s.Seat] + s.Total; int(score) >= r.cfg.Target {
		s.Score[s.Seat], s.Total, s.Phase = score, 0, Over
	}
}

// Outcomes implements [game.Rules].
func (r *Rules) Outcomes(dst []game.Outcome[State], s State) []game.Outcome[State] {
	if s.Phase != Rolling {
		return dst
	}
	for face := uint8(1); face <= 6; face++ {
		next := s
		r.land(&next, face)
		dst = append(dst, game.Outcome[State]{State: next, Prob: 1.0 / 6})
	}
	return dst
}

// Sample implements [game.Sampler].
func (r *Rules) Sample(s State, dice *rand.PCG) State {
	r.land(&s, uint8(random.Below(dice, 6)+1))
	return s
}

// Returns implements [game.Rules]: 1 for the winner and -1/(P-1) for each other seat.
func (r *Rules) Returns(dst []float64, s State) []float64 {
	if s.Phase != Over {
		return r.spec.ShareWin(dst, 0)
	}
	return r.spec.ShareWin(dst, 1<<s.Seat)
}
