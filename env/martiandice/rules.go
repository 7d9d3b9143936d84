package martiandice

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"marsgym/env/game"
)

// The types of dice, in the order of the notation.
const (
	tank = iota
	ray
	human
	cow
	chicken
	types
)

var typeNames = [types]string{"tanks", "rays", "humans", "cows", "chickens"}

// The actions. The action that sets a type of dice aside is its index less one.
const (
	Rays game.Action = iota
	Humans
	Cows
	Chickens
	Roll
	Stop
	actions
)

var actionNames = [actions]string{"rays", "humans", "cows", "chickens", "roll", "stop"}

// diceType returns the type of dice that an action sets aside.
func diceType(a game.Action) int { return int(a) + 1 }

// Phase is what happens next.
type Phase uint8

const (
	Rolling  Phase = iota // chance: roll the dice that are not set aside
	Select                // the seat chooses a type to set aside
	Decide                // the seat rolls on or stops
	Drawing               // chance: draw the seat that starts
	TieBreak              // chance: the tied seats roll off
	Over                  // the game has ended
)

// Counts holds a number of dice of each type: tanks, rays, humans, cows, chickens.
type Counts [types]uint8

func (c Counts) total() int {
	return int(c[tank]) + int(c[ray]) + int(c[human]) + int(c[cow]) + int(c[chicken])
}

// State is a position of Martian Dice. It has 32 bytes, which a processor copies in
// two equal parts: a third more steps per second than with 28 bytes.
type State struct {
	Score [maxPlayers]uint8
	Aside Counts // set aside this turn, including the tanks of the last roll
	Roll  Counts // in Select the last roll without its tanks, else zero
	Seat  uint8  // the seat whose turn it is
	Start uint8  // the seat that starts each round
	Phase Phase
	Tied  uint16 // a bit for each seat that rolls off or, at the end, has won
	Count uint32 // the round, from 1, where rounds are limited; solitaire: turns taken
}

// Rules are the rules of Martian Dice under a Config.
type Rules struct {
	cfg   Config
	spec  game.Spec
	lay   layout
	codes *game.Codes
	rolls
	graph      func() *turnGraph // of a single turn; built on the first call
	expansions sync.Map          // of *expansion by expansionKey
	busts      sync.Map          // of bust by the dice set aside
}

// New returns the rules for a config. The error lists all faults of the config.
func New(cfg Config) (*Rules, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("martian-dice config: %w", err)
	}
	r := &Rules{cfg: cfg, lay: newLayout(cfg), rolls: newRolls(cfg)}
	r.spec = game.Spec{
		ID: "martian-dice", Title: "Martian Dice", Version: 1, Config: cfg,
		Players: cfg.Players, Actions: int(actions),
		Observation: r.lay.fields,
		Information: game.PerfectInformation, Chance: game.ExplicitStochastic, MinPlayers: 1, MaxPlayers: maxPlayers,
		// 200 rounds of the longest turns, in which each die is set aside alone.
		MoveLimit: 200 * cfg.Players * 2 * cfg.Dice,
	}
	if cfg.Players == 1 {
		r.spec.Unit, r.spec.Negated = "turns", true
	} else {
		r.spec.Win, r.spec.Loss = 1, -1/float64(cfg.Players-1)
	}
	r.codes = r.newCodes()
	r.graph = sync.OnceValue(r.newTurnGraph)
	return r, nil
}

// Spec implements [game.Rules].
func (r *Rules) Spec() game.Spec { return r.spec }

// Initial returns the state before the first roll, or before the draw of the seat
// that starts.
func (r *Rules) Initial() State {
	var s State
	if r.cfg.MaxRounds > 0 {
		s.Count = 1
	}
	if r.cfg.FirstPlayer == FirstRandom && r.cfg.Players > 1 {
		s.Phase = Drawing
	}
	return s
}

// CurrentPlayer implements [game.Rules].
func (r *Rules) CurrentPlayer(s State) game.Player {
	switch s.Phase {
	case Select, Decide:
		return game.Player(s.Seat)
	case Over:
		return game.Terminal
	}
	return game.Chance
}

// selectable reports whether a type of the last roll can be set aside.
func selectable(s *State, t int) bool {
	return s.Roll[t] > 0 && (t == ray || s.Aside[t] == 0)
}

// asideAfter returns the dice set aside after a legal action.
func (s *State) asideAfter(a game.Action) Counts {
	c := s.Aside
	if a <= Chickens {
		c[diceType(a)] += s.Roll[diceType(a)]
	}
	return c
}

// stuck reports whether no type of the last roll can be set aside.
func stuck(s *State) bool {
	return !selectable(s, ray) && !selectable(s, human) && !selectable(s, cow) && !selectable(s, chicken)
}

// Legal implements [game.Rules].
func (r *Rules) Legal(dst []game.Action, s State) []game.Action {
	switch s.Phase {
	case Select:
		for a := Rays; a <= Chickens; a++ {
			if selectable(&s, diceType(a)) {
				dst = append(dst, a)
			}
		}
		if r.cfg.AllowStopBeforeSelect {
			dst = append(dst, Stop)
		}
	case Decide:
		dst = append(dst, Roll, Stop)
	}
	return dst
}

// Apply implements [game.Rules]. The text of an error names the rule that forbids a.
func (r *Rules) Apply(s State, a game.Action) (State, error) {
	switch {
	case s.Phase == Over:
		return s, game.ErrGameOver
	case s.Phase == Select && a >= Rays && a <= Chickens && selectable(&s, diceType(a)):
		t := diceType(a)
		s.Aside[t] += s.Roll[t]
		s.Roll, s.Phase = Counts{}, Decide
		if r.free(&s) == 0 {
			r.endTurn(&s)
		}
		return s, nil
	case s.Phase == Decide && a == Roll:
		s.Phase = Rolling
		return s, nil
	case a == Stop && (s.Phase == Decide || s.Phase == Select && r.cfg.AllowStopBeforeSelect):
		r.endTurn(&s)
		return s, nil
	}
	return s, r.illegal(s, a)
}

// illegal returns an error with the reason why a is illegal in s.
func (r *Rules) illegal(s State, a game.Action) error {
	switch {
	case a < 0 || a >= actions:
		return fmt.Errorf("there is no action %d: %w", a, game.ErrIllegalAction)
	case s.Phase != Select && s.Phase != Decide:
		return fmt.Errorf("the dice are to be rolled first: %w", game.ErrIllegalAction)
	case s.Phase == Select && a >= Roll:
		return fmt.Errorf("choose a type to set aside first: %w", game.ErrIllegalAction)
	case s.Phase == Decide:
		return fmt.Errorf("a type is set aside already, roll or stop: %w", game.ErrIllegalAction)
	case s.Roll[diceType(a)] == 0:
		return fmt.Errorf("no %s were rolled: %w", actionNames[a], game.ErrIllegalAction)
	}
	return fmt.Errorf("%s are set aside already, and may be taken once a turn: %w", actionNames[a], game.ErrIllegalAction)
}

// free returns the number of dice that are not set aside.
func (r *Rules) free(s *State) int { return r.cfg.Dice - s.Aside.total() }

// turnPoints returns the score of a turn that ends with these dice set aside.
func (r *Rules) turnPoints(aside Counts) int {
	if aside[tank] > aside[ray] {
		return 0
	}
	n := int(aside[human]) + int(aside[cow]) + int(aside[chicken])
	if aside[human] > 0 && aside[cow] > 0 && aside[chicken] > 0 {
		n += r.cfg.Bonus
	}
	return n
}

// maxPoints returns the most that a turn can score.
func (c Config) maxPoints() int {
	if c.Dice < 3 {
		return c.Dice
	}
	return c.Dice + c.Bonus
}

// maxScore returns the highest score that a seat can have.
func (c Config) maxScore() int { return c.Target - 1 + c.maxPoints() }

// endTurn scores the turn and passes the dice to the next seat.
func (r *Rules) endTurn(s *State) { r.pass(s, r.turnPoints(s.Aside)) }

// score returns the state after the turn of s.Seat, which scores points.
func (r *Rules) score(s State, points int) State {
	r.pass(&s, points)
	return s
}

// pass ends the turn of s.Seat, which scores points.
func (r *Rules) pass(s *State, points int) {
	s.Score[s.Seat] += uint8(points)
	s.Aside, s.Roll, s.Phase = Counts{}, Counts{}, Rolling
	if r.cfg.Players == 1 {
		s.Count++
		if int(s.Score[0]) >= r.cfg.Target {
			s.Phase, s.Tied = Over, 1
		}
		return
	}
	if s.Seat = game.NextSeat(s.Seat, r.cfg.Players); s.Seat == s.Start {
		r.endRound(s)
	}
}

// endRound ends the game if a seat has reached the target or this was the last
// round.
func (r *Rules) endRound(s *State) {
	score := s.Score[:r.cfg.Players]
	best := slices.Max(score)
	if int(best) < r.cfg.Target && (r.cfg.MaxRounds == 0 || int(s.Count) < r.cfg.MaxRounds) {
		if r.cfg.MaxRounds > 0 {
			s.Count++
		}
		return
	}
	for i, n := range score {
		if n == best {
			s.Tied |= 1 << i
		}
	}
	r.finish(s, TieBreak)
}

// finish ends the game if only one seat is left in Tied, else sets the phase next.
func (r *Rules) finish(s *State, next Phase) {
	s.Seat, s.Start, s.Count = 0, 0, 0
	s.Phase = next
	if bits.OnesCount16(s.Tied) == 1 {
		s.Phase = Over
	}
}

// Returns implements [game.Rules]. The winner gets 1 and each other seat -1/(P-1);
// k seats that share the win get 1/k of the win each. In solitaire the return is
// minus the number of turns.
func (r *Rules) Returns(dst []float64, s State) []float64 {
	switch {
	case s.Phase != Over:
		return r.spec.ShareWin(dst, 0)
	case r.cfg.Players == 1:
		return append(dst, -float64(s.Count))
	}
	return r.spec.ShareWin(dst, s.Tied)
}
