package marsisours

import (
	"fmt"
	"math/bits"

	"marsgym/env/game"
)

// Numbers of the rules, all from the source.
const (
	lastRound  = 3
	supply     = 2  // robots a round
	maxTokens  = 10 // on the token track
	firstToken = 7  // of the starter; each next seat has one less
	lastToken  = 4  // of the last of four
	poolDice   = 12 // alchemy dice
	dicePrice  = 3  // tokens
	attackCost = 2  // tokens a robot
	rocketGift = 4  // tokens
	stonePay   = 5  // money
	shieldPlus = 2
	maxAttack  = 4 // robots in an attack: a cell has no more neighbours
	maxLevels  = 10
)

// Phase is the next step of a game.
type Phase uint8

const (
	Laying    Phase = iota // chance: the next tile of the map
	Drawing                // chance: the starter
	Acting                 // the seat places, attacks or passes
	Rolling                // chance: an attack
	Missed                 // the seat may roll again, by the drill
	Rerolling              // chance: the attack, again
	LayDown                // the seat, which has passed, may lay a robot down
	Cashing                // the seat trades products
	Buying                 // the seat buys alchemy dice, by the vacuum
	Naming                 // the seat names the next starter
	Scoring                // chance: the next alchemy die
	Over                   // the game has ended
	phases
)

// State is a position, of 104 bytes. The quick game uses Robots, Hand, Junk, Phase,
// Start, Mover, Place, Attackers and Passed only.
type State struct {
	Robots   [maxSeats]uint64 // by seat: the places of its robots
	Standing uint64           // the places of robots that stand
	Terrain  [2]uint64        // low and high bit of the terrain, of cells that robots can stand on; while Laying of all
	Seats    [maxSeats]Seat
	Round    uint8
	Phase    Phase
	Start    uint8 // the seat with the starter's marker
	Mover    uint8 // the seat to act
	// From Rolling to Rerolling, Place is the target of the attack and Attackers the
	// number of attacking robots. While Laying, Place is the number of the next tile.
	Place, Attackers uint8
	Die              uint8 // the defender's, if a second roll by the drill leaves it
	Passed           uint8 // bit per seat, in the action phase
}

// Seat holds the pieces and points of a seat.
type Seat struct {
	Money                    uint16
	Tokens, Hand, Junk, Dice uint8
	Track                    [products]uint8 // gem, soda, metal, turf
}

// Rules are the rules of Mars is Ours! under a Config.
type Rules struct {
	cfg      Config
	spec     game.Spec
	board    *board
	pool     *pool
	act      actions
	numbers  *encoder[float32]
	codes    *encoder[uint8]
	relative [maxSeats + 1][maxSeats]uint8 // newRelative
	fast     bool
	all      uint8 // the bits of all seats
	pass     uint64
	levels   int
	rewards  [products][maxLevels]Reward
	slot     [firstLab + labs]uint8 // of a place among those of the actions
	place    []uint8                // of a slot
	views    []view
	sources  [][8]uint8
	// lowestOfAll holds the views in which a set of cells is the smallest, or is nil on a
	// board that is not small.
	lowestOfAll []uint8
	trace       func(s State, step string) // see tell
	lost        *[maxSeats]int             // with a trace: tokens above ten that the seats have lost; below 0 they became money
}

// New returns the rules for a config, or an error that lists all faults of the config.
func New(cfg Config) (*Rules, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("mars-is-ours config: %w", err)
	}
	cfg = cfg.withDefaults()
	pool, err := newPool(cfg.Data.Tiles[cfg.Terrain].Tiles)
	if err != nil {
		return nil, fmt.Errorf("mars-is-ours config: %w", err)
	}
	if cfg.Variant == Fast2 {
		pool = nil // the quick game has no terrain
	}
	board, err := newBoard(cfg.Data.Layouts[cfg.Layout], cfg.Stations, pool)
	if err != nil {
		return nil, fmt.Errorf("mars-is-ours config: layout %s, terrain %s: %w", cfg.Layout, cfg.Terrain, err)
	}
	if least := len(board.units) + 1; cfg.Variant != Fast2 && cfg.MoveLimit > 0 && cfg.MoveLimit < least {
		return nil, fmt.Errorf("mars-is-ours config: move_limit is %d; want 0, or at least %d to lay the map and draw the starter", cfg.MoveLimit, least)
	}
	r := &Rules{cfg: cfg, board: board, pool: pool, fast: cfg.Variant == Fast2, all: 1<<cfg.Players - 1}
	r.pass = board.standable
	if cfg.ThroughStations {
		r.pass |= board.stations
	}
	for t, track := range cfg.Data.tracks() {
		r.levels = copy(r.rewards[t][:], track.Levels)
	}
	r.place = board.free
	if r.fast {
		board.terrain = [2]uint64{}
	} else {
		for l := range labs {
			r.place = append(r.place, uint8(firstLab+l))
		}
	}
	for i, p := range r.place {
		r.slot[p] = uint8(i)
	}
	r.act, r.relative = newActions(r), newRelative(cfg.Players)
	r.numbers, r.codes = newEncoder[float32](r), newEncoder[uint8](r)
	r.views, r.sources = newViews(r)
	if board.cells <= smallBoard {
		r.lowestOfAll = r.listLowest()
	}
	r.spec = game.Spec{
		ID: "mars-is-ours", Title: "Mars is Ours!", Version: 2, Config: cfg,
		Players: cfg.Players, Actions: r.act.n, Observation: r.numbers.lay.fields, MoveLimit: cfg.MoveLimit,
		Information: game.PerfectInformation, Chance: game.ExplicitStochastic, MinPlayers: 2, MaxPlayers: cfg.mostPlayers(),
		Win: 1, Loss: -1 / float64(cfg.Players-1), WrittenParts: cfg.writtenParts(),
	}
	if r.fast {
		r.spec.ID, r.spec.Title = "mars-is-ours-fast", "Mars is Ours! (quick)"
	}
	return r, nil
}

// Spec implements [game.Rules].
func (r *Rules) Spec() game.Spec { return r.spec }

// Initial implements [game.Rules]: the state before the first tile is laid, or before
// the starter is drawn if the map has no tiles to lay.
func (r *Rules) Initial() State {
	s := State{Terrain: r.board.terrain}
	if len(r.board.units) == 0 {
		s.Phase = Drawing
	}
	return s
}

// CurrentPlayer implements [game.Rules].
func (r *Rules) CurrentPlayer(s State) game.Player { return s.player() }

func (s *State) player() game.Player {
	switch s.Phase {
	case Acting, Missed, LayDown, Cashing, Buying, Naming:
		return game.Player(s.Mover)
	case Over:
		return game.Terminal
	}
	return game.Chance
}

// Returns implements [game.Rules]: 1 for a sole winner, -1/(P-1) for a loser, and for
// each of k winners a share of 1/k of the win.
func (r *Rules) Returns(dst []float64, s State) []float64 {
	winners := uint8(0)
	if s.Phase == Over {
		winners = r.winners(&s)
	}
	return r.spec.ShareWin(dst, uint16(winners))
}

// winners returns the seats with most money; in the quick game the seat with most
// robots, or on a tie the starter.
func (r *Rules) winners(s *State) uint8 {
	best, set := -1, uint8(0)
	for p := range r.cfg.Players {
		n := int(s.Seats[p].Money)
		if r.fast {
			n = r.counted(s, p)
		}
		if n > best {
			best, set = n, 0
		}
		if n == best {
			set |= 1 << p
		}
	}
	if r.fast && set == r.all {
		return 1 << s.Start
	}
	return set
}

// counted returns the number of robots of seat p that count in the quick game.
func (r *Rules) counted(s *State, p int) int {
	return r.cfg.FastCount.of(bits.OnesCount64(s.Robots[p]), int(s.Seats[p].Hand), int(s.Seats[p].Junk))
}

// occupied returns the set of all places with a robot.
func (s *State) occupied() uint64 {
	return s.Robots[0] | s.Robots[1] | s.Robots[2] | s.Robots[3]
}

// owner returns the seat with a robot in a place, if there is one.
func (s *State) owner(place int) (p int, ok bool) {
	for p := range s.Robots {
		if s.Robots[p]>>place&1 == 1 {
			return p, true
		}
	}
	return 0, false
}

// ownerOf returns the seat with a robot in a place that has one. It has no branch, since
// none could be predicted.
func (s *State) ownerOf(place int) int {
	return int(s.Robots[1]>>place&1 | s.Robots[2]>>place&1<<1 | s.Robots[3]>>place&1*3)
}

// hasLab reports whether a seat has the effect of a lab.
func (r *Rules) hasLab(s *State, p, lab int) bool {
	bit := uint64(1) << (firstLab + lab)
	return s.Robots[p]&bit != 0 && (r.cfg.LyingLabActive || s.Standing&bit != 0)
}

// cost returns the tokens that a seat pays for each attacking robot.
func (r *Rules) cost(s *State, p int) int {
	switch {
	case r.fast:
		return 0
	case r.hasLab(s, p, fair):
		return 1
	}
	return attackCost
}

// reach returns the cells on which seat p can place a robot: empty cells within three
// steps of a station, not through robots of others, those beside an own robot, or
// with the rocket lab all.
func (r *Rules) reach(s *State, p int) uint64 {
	b, own, all := r.board, s.Robots[p], s.occupied()
	empty := b.standable &^ all
	if r.hasLab(s, p, rocket) {
		return empty
	}
	pass := r.pass &^ (all &^ own)
	at, set := b.doors&pass, b.neighboursOf(own)
	for step := 1; step <= maxSteps; step++ {
		if step > 1 {
			at = b.neighboursOf(at) & pass
		}
		if step >= r.cfg.MinMove {
			set |= at
		}
	}
	return set & empty
}

// canPlace reports whether seat p, which has a robot in hand, can put it there.
func (r *Rules) canPlace(s *State, p, place int) bool {
	bit := uint64(1) << place
	switch {
	case s.occupied()&bit != 0:
		return false
	case place >= firstLab, r.board.neighbours[place]&s.Robots[p] != 0:
		return true
	}
	return r.reach(s, p)&bit != 0
}

// strength is the largest number of robots with which seat p, which has a robot
// in hand, can attack a place; 0 if it cannot.
func (r *Rules) strength(s *State, p, place int) int {
	own := s.Robots[p]
	if (s.occupied()&^own)>>place&1 == 0 {
		return 0
	}
	return min(r.beside(s, p, place), r.mostAttackers(s, p))
}

// mostAttackers returns the largest number of robots that seat p can pay to attack with.
func (r *Rules) mostAttackers(s *State, p int) int {
	tokens := int(s.Seats[p].Tokens)
	switch r.cost(s, p) {
	case 0:
		return maxAttack
	case 1:
		return min(maxAttack, tokens)
	}
	return min(maxAttack, tokens/attackCost) // no slow division by a variable
}

// beside returns the number of robots of a seat that can attack a place from beside it.
func (r *Rules) beside(s *State, p, place int) int {
	if place >= firstLab {
		return 1 // in a lab one fights one
	}
	return bits.OnesCount64(r.board.neighbours[place] & s.Robots[p])
}

// gain gives tokens to a seat. Tokens above ten are lost, or with the converter lab
// become money.
func (r *Rules) gain(s *State, p, n int) {
	seat := &s.Seats[p]
	n += int(seat.Tokens)
	if n > maxTokens {
		if r.hasLab(s, p, converter) {
			seat.Money += uint16(n - maxTokens)
			if r.lost != nil {
				r.lost[p] -= n - maxTokens
			}
		} else if r.lost != nil {
			r.lost[p] += n - maxTokens
		}
		n = maxTokens
	}
	seat.Tokens = uint8(n)
}

// diceLeft returns the number of alchemy dice that no seat has.
func (s *State) diceLeft() int {
	n := poolDice
	for p := range s.Seats {
		n -= int(s.Seats[p].Dice)
	}
	return n
}
