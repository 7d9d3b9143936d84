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
	firstToken = 7  // of the starter; each seat behind has one less
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

// Phase says what happens next.
type Phase uint8

const (
	Laying    Phase = iota // chance: the next tile of the map
	Drawing                // chance: who starts
	Acting                 // the seat places, attacks or passes
	Rolling                // chance: an attack
	Missed                 // the seat may roll again, by the drill
	Rerolling              // chance: the attack, again
	LayDown                // the seat, which has passed, may lay a robot down
	Cashing                // the seat trades products
	Buying                 // the seat buys alchemy dice, by the vacuum
	Naming                 // the seat names the next starter
	Scoring                // chance: the next alchemy die
	Over                   // nobody moves
	phases
)

// State is a position: 104 bytes, in whole words. In the quick game robots, hands,
// junkyards and who has passed are all that is used.
type State struct {
	Robots   [maxSeats]uint64 // by seat: the places of its robots
	Standing uint64           // the places of robots that stand
	Terrain  [2]uint64        // of each cell to stand on, in two bits; of all while Laying
	Seats    [maxSeats]Seat
	Round    uint8
	Phase    Phase
	Start    uint8 // the seat with the starter's marker
	Mover    uint8 // who acts
	// Place is what is attacked and Attackers by how many, from Rolling to
	// Rerolling; while Laying it is the number of the next tile.
	Place, Attackers uint8
	Die              uint8 // the defender's, where the drill leaves it
	Passed           uint8 // bit per seat, in the action phase
}

// Seat is what a seat has.
type Seat struct {
	Money                    uint16
	Tokens, Hand, Junk, Dice uint8
	Track                    [products]uint8 // gem, soda, metal, turf
}

// Rules are the rules of Mars is Ours! under a Config.
type Rules struct {
	cfg     Config
	spec    game.Spec
	board   *board
	pool    *pool
	act     actions
	lay     layout
	fast    bool
	all     uint8 // the bits of all seats
	pass    uint64
	levels  int
	rewards [products][maxLevels]Reward
	slot    [firstLab + labs]uint8 // of a place among those of the actions
	place   []uint8                // of a slot
	views   []view
	sources [][8]uint8
}

// New returns the rules for a config, or all that is wrong with it.
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
		pool = nil // what the ground carries is nothing to the quick game
	}
	board, err := newBoard(cfg.Data.Layouts[cfg.Layout], cfg.Stations, pool)
	if err != nil {
		return nil, fmt.Errorf("mars-is-ours config: layout %s, terrain %s: %w", cfg.Layout, cfg.Terrain, err)
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
	r.act, r.lay = newActions(r), newLayout(r)
	r.views, r.sources = newViews(r)
	r.spec = game.Spec{
		ID: "mars-is-ours", Title: "Mars is Ours!", Version: 2, Config: cfg,
		Players: cfg.Players, Actions: r.act.n, Observation: r.lay.fields, MoveLimit: cfg.MoveLimit,
		Information: game.PerfectInformation, Chance: game.ExplicitStochastic, MinPlayers: 2, MaxPlayers: cfg.mostPlayers(),
		Win: 1, Loss: -1 / float64(cfg.Players-1),
	}
	if r.fast {
		r.spec.ID, r.spec.Title = "mars-is-ours-fast", "Mars is Ours! (quick)"
	}
	return r, nil
}

// Spec implements [game.Rules].
func (r *Rules) Spec() game.Spec { return r.spec }

// Initial is the state before the first tile is laid, or before the draw for the
// start where there is none to lay.
func (r *Rules) Initial() State {
	s := State{Terrain: r.board.terrain}
	if len(r.board.units) == 0 {
		s.Phase = Drawing
	}
	return s
}

// CurrentPlayer implements [game.Rules].
func (r *Rules) CurrentPlayer(s State) game.Player {
	switch s.Phase {
	case Acting, Missed, LayDown, Cashing, Buying, Naming:
		return game.Player(s.Mover)
	case Over:
		return game.Terminal
	}
	return game.Chance
}

// Returns implements [game.Rules]: 1 for the winner and -1/(P-1) for the others, a
// win shared by k counting 1/k.
func (r *Rules) Returns(dst []float64, s State) []float64 {
	winners := uint8(0)
	if s.Phase == Over {
		winners = r.winners(&s)
	}
	for p := range r.cfg.Players {
		v := 0.0
		if s.Phase == Over {
			v = r.spec.Loss
			if winners>>p&1 == 1 {
				v += (r.spec.Win - r.spec.Loss) / float64(bits.OnesCount8(winners))
			}
		}
		dst = append(dst, v)
	}
	return dst
}

// winners are the seats with most money; in the quick game the one with most
// robots, or the starter.
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

// counted is the number of robots that count in the quick game.
func (r *Rules) counted(s *State, p int) int {
	return r.cfg.FastCount.of(bits.OnesCount64(s.Robots[p]), int(s.Seats[p].Hand), int(s.Seats[p].Junk))
}

// occupied is the set of all places with a robot.
func (s *State) occupied() uint64 {
	return s.Robots[0] | s.Robots[1] | s.Robots[2] | s.Robots[3]
}

// owner is the seat whose robot is in a place, or none.
func (s *State) owner(place int) (p int, ok bool) {
	for p := range s.Robots {
		if s.Robots[p]>>place&1 == 1 {
			return p, true
		}
	}
	return 0, false
}

// hasLab reports whether a seat has the power of a lab.
func (r *Rules) hasLab(s *State, p, lab int) bool {
	bit := uint64(1) << (firstLab + lab)
	return s.Robots[p]&bit != 0 && (r.cfg.LyingLabActive || s.Standing&bit != 0)
}

// cost is what each attacking robot of a seat costs.
func (r *Rules) cost(s *State, p int) int {
	switch {
	case r.fast:
		return 0
	case r.hasLab(s, p, fair):
		return 1
	}
	return attackCost
}

// reach is where a robot of seat p can be placed on the map: within three steps
// of a station around the robots of others, beside a robot of its own, or, by
// the rocket, anywhere.
func (r *Rules) reach(s *State, p int) uint64 {
	b, own, all := r.board, s.Robots[p], s.occupied()
	empty := b.standable &^ all
	if r.hasLab(s, p, rocket) {
		return empty
	}
	pass, at := r.pass&^(all&^own), b.stations
	set := b.neighboursOf(own)
	for step := 1; step <= maxSteps; step++ {
		if at = b.neighboursOf(at) & pass; step >= r.cfg.MinMove {
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
	n := 1 // in a lab one fights one
	if place < firstLab {
		n = bits.OnesCount64(r.board.neighbours[place] & own)
	}
	if cost := r.cost(s, p); cost > 0 {
		n = min(n, int(s.Seats[p].Tokens)/cost)
	}
	return n
}

// gain gives tokens to a seat. What is above ten is lost, or money by the
// converter.
func (r *Rules) gain(s *State, p, n int) {
	seat := &s.Seats[p]
	n += int(seat.Tokens)
	if n > maxTokens {
		if r.hasLab(s, p, converter) {
			seat.Money += uint16(n - maxTokens)
		}
		n = maxTokens
	}
	seat.Tokens = uint8(n)
}

// diceLeft is the number of alchemy dice that nobody has.
func (s *State) diceLeft() int {
	n := poolDice
	for p := range s.Seats {
		n -= int(s.Seats[p].Dice)
	}
	return n
}
