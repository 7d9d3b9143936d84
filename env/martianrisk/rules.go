package martianrisk

import (
	"fmt"
	"math/bits"
	"sync"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// Phase is the next step of a game.
type Phase uint8

const (
	Ordering  Phase = iota // chance: the seat that begins
	Towers                 // setup: a tower and an army into an unoccupied region
	Claiming               // setup: an army into an unoccupied region
	Filling                // setup: an army into an own region
	Rolling                // chance: the die of a turn
	Reinforce              // armies and tower pieces for the points of the turn
	Attack                 // the next battle, or the end of attacks
	Battle                 // chance: the battle between From and To
	Occupy                 // the number of armies that move from From to To, which is empty
	Fortify                // a tower is split, or not
	Small                  // the target of the small piece; the medium one is in To
	Over
	phases
)

// State is a position of Martian Risk, of 128 bytes. Sets of regions have a bit for
// each. The supplies and the seats still in the game follow from the rest.
type State struct {
	Own                  [maxPlayers]uint64 // regions of each seat
	Large, Medium, Small uint64             // regions with these tower pieces
	Armies               [maxRegions]uint8
	Lost                 [maxPlayers]uint8 // armies out of the game, if they go there
	Phase                Phase
	Mover                uint8 // the seat to move, or the winner
	Start                uint8 // the seat that begins each round
	Points               uint8 // to reinforce with; in the setup the armies that all seats have still to place
	From, To             uint8 // of the battle or of the move after it; else both 0
	Round                uint8 // from 1, if rounds are limited
	Low                  uint8 // 1 if only the low roll prevents a new tower (StrictRoll)
}

// Rules are the rules of Martian Risk under a Config.
type Rules struct {
	cfg   Config
	spec  game.Spec
	board *board
	n     int // regions
	// roundsLeft is the largest number of rounds that an observation tells apart.
	roundsLeft int

	numbers   *encoder[float32]
	codes     func() *encoder[uint8]           // built on the first call
	turns     [maxPlayers + 1][maxPlayers]turn // newTurns
	conquests *conquestTable
	layout    func() *layout  // of the map; built on the first call
	shares    [shares]float64 // meanShares

	// The first action of each kind, in their order.
	piece, battle, occupy, split, small, stack, end game.Action
}

// New returns the rules for a config, or an error that lists all faults of the config.
func New(cfg Config) (*Rules, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("martian-risk config: %w", err)
	}
	cfg, _ = cfg.withDefaults()
	r := &Rules{cfg: cfg, board: newBoard(cfg.Map), n: len(cfg.Map.Regions), conquests: newConquestTable(cfg.ArmyCap)}
	r.shares = r.meanShares()
	if !cfg.Unions {
		r.board.unions = nil
	}
	r.layout = sync.OnceValue(func() *layout { return newLayout(cfg.Map, r.board) })
	r.roundsLeft = min(cfg.MaxRounds, mostRoundsLeft)
	n, e := game.Action(r.n), game.Action(len(r.board.edges))
	r.piece = n
	r.battle = r.piece + n
	r.occupy = r.battle + e
	r.split = r.occupy + game.Action(cfg.ArmyCap) - 1
	r.small = r.split + e
	r.stack = r.small + n
	r.end = r.stack + 1
	r.spec = game.Spec{
		ID: "martian-risk", Title: "Martian Risk", Version: 2, Config: cfg,
		Players: cfg.Players, Actions: int(r.end) + 1,
		Information: game.PerfectInformation, Chance: game.ExplicitStochastic, MinPlayers: cfg.minPlayers(), MaxPlayers: maxPlayers,
		Win: 1, Loss: -1 / float64(cfg.Players-1), WrittenParts: cfg.writtenParts(),
	}
	_, r.spec.Observation = r.listFields(1)
	r.turns = newTurns(cfg.Players)
	r.numbers = newEncoder[float32](r)
	r.codes = sync.OnceValue(func() *encoder[uint8] { return newEncoder[uint8](r) })
	if r.n != 7*cfg.Players {
		r.spec.Label = message.New("Martian Risk on {0} regions", r.n)
		r.spec.Title = r.spec.Label.String()
	}
	if cfg.MaxRounds == 0 {
		r.spec.MoveLimit = 10_000 * cfg.Players // chosen: more than ten times what 100 rounds take at random
	}
	return r, nil
}

// Spec implements [game.Rules].
func (r *Rules) Spec() game.Spec { return r.spec }

// Initial implements [game.Rules]: an empty map, before the dice decide who begins.
func (r *Rules) Initial() State {
	s := State{Points: uint8(r.cfg.Players * r.cfg.SetupArmies)}
	if r.cfg.FirstPlayer == FirstSeat {
		s.Phase = Towers
	}
	return s
}

// CurrentPlayer implements [game.Rules].
func (r *Rules) CurrentPlayer(s State) game.Player { return s.player() }

func (s *State) player() game.Player {
	switch s.Phase {
	case Ordering, Rolling, Battle:
		return game.Chance
	case Over:
		return game.Terminal
	}
	return game.Player(s.Mover)
}

// Legal implements [game.Rules].
func (r *Rules) Legal(dst []game.Action, s State) []game.Action {
	return r.appendLegal(dst, &s, r.supply(&s, s.Mover))
}

// appendLegal is Legal, given the mover's supply, which takes time to count.
func (r *Rules) appendLegal(dst []game.Action, s *State, supply int) []game.Action {
	own := s.Own[s.Mover]
	switch s.Phase {
	case Towers, Claiming:
		return appendSet(dst, 0, r.unoccupied(s))
	case Filling:
		return appendSet(dst, 0, own)
	case Reinforce:
		if supply > 0 {
			dst = appendSet(dst, 0, own)
		}
		dst = appendSet(dst, r.piece, r.buildable(s))
		return append(dst, r.end)
	case Attack:
		if s.From != s.To { // the one attack of the turn continues
			return append(dst, r.battle+game.Action(r.board.edge(int(s.From), int(s.To))), r.end)
		}
		for set := own & r.strong(s); set != 0; set &= set - 1 {
			u := bits.TrailingZeros64(set)
			dst = r.appendEdges(dst, r.battle, u, r.board.adj[u]&^own)
		}
		return append(dst, r.end)
	case Occupy:
		for n := range game.Action(s.Armies[s.From]) - 1 {
			dst = append(dst, r.occupy+n)
		}
	case Fortify:
		open := r.splitTargets(s)
		for set := own & s.Large & s.Medium; set != 0; set &= set - 1 {
			u := bits.TrailingZeros64(set)
			dst = r.appendEdges(dst, r.split, u, r.board.adj[u]&open)
		}
		return append(dst, r.end)
	case Small:
		dst = appendSet(dst, r.small, r.smallTargets(s))
		return append(dst, r.stack)
	}
	return dst
}

// appendSet appends from+i for each region i of a set.
func appendSet(dst []game.Action, from game.Action, set uint64) []game.Action {
	for ; set != 0; set &= set - 1 {
		dst = append(dst, from+game.Action(bits.TrailingZeros64(set)))
	}
	return dst
}

// appendEdges appends from plus the number of each border from u to a region of
// the set.
func (r *Rules) appendEdges(dst []game.Action, from game.Action, u int, set uint64) []game.Action {
	for ; set != 0; set &= set - 1 {
		dst = append(dst, from+game.Action(r.board.edge(u, bits.TrailingZeros64(set))))
	}
	return dst
}

// unoccupied returns the set of regions without an owner.
func (r *Rules) unoccupied(s *State) uint64 {
	set := r.board.all
	for _, own := range s.Own {
		set &^= own
	}
	return set
}

// onMap counts the armies of a seat on the map.
func (s *State) onMap(seat uint8) int {
	n := 0
	for set := s.Own[seat]; set != 0; set &= set - 1 {
		n += int(s.Armies[bits.TrailingZeros64(set)])
	}
	return n
}

// supply counts the armies that a seat can still place.
func (r *Rules) supply(s *State, seat uint8) int {
	return r.cfg.ArmyCap - s.onMap(seat) - int(s.Lost[seat])
}

// pieces counts the tower pieces that a seat can still place.
func (r *Rules) pieces(s *State, seat uint8) (large, medium, small int) {
	own := s.Own[seat]
	return r.cfg.Trios - bits.OnesCount64(own&s.Large),
		r.cfg.Trios - bits.OnesCount64(own&s.Medium),
		r.cfg.Trios - bits.OnesCount64(own&s.Small)
}

// Points that the pieces of a tower cost. Source: "The lower section of a tower
// (the large piece) counts as three points, the middle section counts as two
// points, and the upper section counts as one point."
const (
	largeCost  = 3
	mediumCost = 2
	smallCost  = 1
)

// buildable returns the set of regions where the mover can place the next tower piece.
// Towers, and pieces split off them, are built from the bottom up.
func (r *Rules) buildable(s *State) (set uint64) {
	large, medium, small := r.pieces(s, s.Mover)
	if small > 0 && s.Points >= smallCost {
		set = s.Medium &^ s.Small
	}
	if medium > 0 && s.Points >= mediumCost {
		set |= s.Large &^ s.Medium
	}
	if s.Low == 0 {
		set |= s.startableWith(large)
	}
	return set & s.Own[s.Mover]
}

// startable returns the set of regions where the mover could begin a tower after a roll
// that is high enough.
func (r *Rules) startable(s *State) uint64 {
	large, _, _ := r.pieces(s, s.Mover)
	return s.startableWith(large)
}

// startableWith is startable, given how many large pieces the mover has left.
func (s *State) startableWith(large int) uint64 {
	if large == 0 || s.Points < largeCost {
		return 0
	}
	return s.Own[s.Mover] &^ (s.Large | s.Medium | s.Small)
}

// splitTargets returns the set of regions of the mover to which the medium piece of a
// split tower, with or without the small one, can go from an adjacent region.
func (r *Rules) splitTargets(s *State) uint64 {
	pieces := s.Medium | s.Small
	if !r.cfg.MergeLarge {
		pieces |= s.Large
	}
	return s.Own[s.Mover] &^ pieces
}

// smallTargets returns the set of regions to which the small piece of a split tower can
// go.
func (r *Rules) smallTargets(s *State) uint64 {
	set := r.board.all &^ (s.Large | s.Medium | s.Small)
	if r.cfg.MergeLarge {
		set |= s.Large & s.Medium &^ s.Small
	}
	if r.cfg.MergeSmall {
		set |= s.Medium &^ (s.Large | s.Small)
	}
	return set & s.Own[s.Mover] & r.board.adj[s.To]
}

// canAttack reports whether the mover can attack.
func (r *Rules) canAttack(s *State) bool {
	own := s.Own[s.Mover]
	for set := own & r.strong(s); set != 0; set &= set - 1 {
		if r.board.adj[bits.TrailingZeros64(set)]&^own != 0 {
			return true
		}
	}
	return false
}

// canSplit reports whether the mover can split a tower.
func (r *Rules) canSplit(s *State) bool {
	open := r.splitTargets(s)
	for set := s.Own[s.Mover] & s.Large & s.Medium; set != 0; set &= set - 1 {
		if r.board.adj[bits.TrailingZeros64(set)]&open != 0 {
			return true
		}
	}
	return false
}

// owner returns the seat that holds a region, or -1.
func (s *State) owner(i int) int {
	for p, own := range s.Own {
		if own>>i&1 != 0 {
			return p
		}
	}
	return -1
}

// height returns the number of tower pieces in a region.
func (s *State) height(i uint8) int {
	i &= 63 // for faster shifts
	return int(s.Large>>i&1 + s.Medium>>i&1 + s.Small>>i&1)
}

// bonus counts the unions that a seat holds.
func (r *Rules) bonus(s *State, seat uint8) int {
	n := 0
	for _, u := range r.board.unions {
		if u&^s.Own[seat] == 0 {
			n++
		}
	}
	return n
}
