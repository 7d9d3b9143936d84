package martianrisk

import (
	"cmp"
	"errors"
	"fmt"
)

// Limits of a Config. Chosen: the state holds 42 regions and six seats, and
// counts in bytes.
const (
	maxPlayers = 6
	maxRegions = 42
	maxCap     = 200
	maxRounds  = 250
)

// Config holds what the rules leave open. A field is marked by where its
// default comes from: seed (the source states it), inferred or invented. R1 to
// R24 number the open questions; docs/games/martian-risk.md has those that are no
// field.
type Config struct {
	Players int `json:"players"` // seed: three to six (R20)
	// Experimental allows two players (R20). Invented: off.
	Experimental bool `json:"experimental"`
	// Map is in full, or the name of one that comes with the program: "us",
	// of which the first RegionsPerPlayer times Players regions show, or
	// "strip" (R24). Inferred: "us", which the source likes best.
	Map Map `json:"map"`
	// RegionsPerPlayer is how many regions a map has for each player; 0 takes
	// a map as it is (R19). Seed: approximately seven.
	RegionsPerPlayer int `json:"regions_per_player"`
	// Unions pay at the start of a turn. Seed: a variant, "actually more like a
	// default".
	Unions bool `json:"unions"`

	// ArmyCap is the number of tokens of a player (R1). Seed: 25, with which
	// nobody can hold the 28 to 42 regions of more players. Invented: 0 stands for
	// 25, or for four more than regions where that is more.
	ArmyCap int `json:"army_cap"`
	// SetupArmies are placed before the first turn. Seed: 10.
	SetupArmies int `json:"setup_armies"`
	// LostArmies says where beaten armies go (R2). Inferred: to the supply.
	LostArmies Lost `json:"lost_armies"`
	// Trios is the number of large, medium and small tower pieces of a player, the
	// tower of the setup among them (R4). Seed: 5. 0 is a game without towers.
	Trios int `json:"trios"`

	// StrictRoll lets only a die of 3 or 4 begin a tower, whatever unions add to
	// it (R7). Seed: on, for "a player must roll at least a 3" to begin one. Off,
	// the points of unions count towards those 3.
	StrictRoll bool `json:"strict_roll"`
	// OneAttack allows one attack a turn (R10). Inferred: off, as in Risk.
	OneAttack bool `json:"one_attack"`
	// MergeLarge lets what is split off a tower go on a large piece of the same
	// seat, from the bottom up: the medium piece, with the small one or without,
	// on a lone large piece, the small one on a large and a medium (R14).
	// Inferred: on, for the source asks of the region only that its player
	// occupies it and that it is adjacent, and of towers that they are built from
	// the bottom up.
	MergeLarge bool `json:"merge_large"`
	// MergeSmall lets a small piece that is split off go on a lone medium piece
	// (R14). Inferred: on, for "miniature towers may be built upon".
	MergeSmall bool `json:"merge_small"`
	// FirstPlayer is who begins (R18). Seed: the dice decide.
	FirstPlayer First `json:"first_player"`

	// MaxRounds ends the game, which need not end by itself, after so many
	// rounds (R21); 0 never does, and a batch stops it (MoveLimit). Invented: 100.
	MaxRounds int `json:"max_rounds"`
	// Ranking divides the win among those who have armies left at the round limit,
	// ordered by regions, then by armies and tower points (R21). Invented: leader.
	Ranking Ranking `json:"ranking"`
}

// Lost says where beaten armies go.
type Lost string

const (
	ToSupply Lost = "supply" // to their owner's side of the map, to be placed again
	Out      Lost = "out"    // out of the game
)

// First says who begins.
type First string

const (
	FirstRandom First = "random" // a seat drawn before the setup
	FirstSeat   First = "0"      // seat 0
)

// Ranking says how the win is divided at the round limit, which the source does
// not have. Seats without armies get nothing, for "the object is to eliminate all
// of your opponents' armies from the game"; equal ranks get the mean of theirs.
type Ranking string

const (
	// Leader gives all to the first rank. It is the default, since it is nearest
	// to the source: one player wins, and to be second is worth nothing.
	Leader Ranking = "leader"
	// Linear gives rank i, from 0, of n seats with armies 2(n-1-i)/(n(n-1)), and
	// all to one alone: of three two thirds, a third, and nothing. It pays for
	// every rank gained, where "leader" tells nothing apart below the first.
	Linear Ranking = "linear"
	// Even gives each seat with armies the same, so that only eliminating others
	// pays.
	Even Ranking = "even"
)

// DefaultConfig is the published game for three.
func DefaultConfig() Config {
	return Config{
		Players: 3, Map: Map{Name: "us"}, RegionsPerPlayer: 7, Unions: true,
		SetupArmies: 10, LostArmies: ToSupply, Trios: 5,
		StrictRoll: true, MergeLarge: true, MergeSmall: true,
		FirstPlayer: FirstRandom, MaxRounds: 100, Ranking: Leader,
	}
}

// SmallConfig is a preset for learning experiments, not the published size: the
// twelve westernmost states for three, and 20 rounds.
func SmallConfig() Config {
	c := DefaultConfig()
	c.RegionsPerPlayer, c.SetupArmies, c.ArmyCap, c.Trios, c.MaxRounds = 4, 6, 16, 2, 20
	return c
}

// TinyConfig is a preset that is solved exactly, far from the published size:
// two players on a strip of four regions.
func TinyConfig() Config {
	c := DefaultConfig()
	c.Players, c.Experimental, c.Map, c.RegionsPerPlayer = 2, true, Map{Name: "strip"}, 0
	c.SetupArmies, c.ArmyCap, c.Trios, c.MaxRounds, c.FirstPlayer = 3, 5, 1, 3, FirstSeat
	return c
}

// resolved is c with its map in full and its cap as a number, or c with an error
// if the map is not known.
func (c Config) resolved() (Config, error) {
	if c.Map.isName() {
		m, err := namedMap(c.Map.Name, c.RegionsPerPlayer*c.Players)
		if err != nil {
			return c, err
		}
		c.Map = m
	}
	if c.ArmyCap == 0 {
		c.ArmyCap = max(25, len(c.Map.Regions)+4)
	}
	return c, nil
}

// leastPlayers is the smallest number of players.
func (c Config) leastPlayers() int {
	if c.Experimental {
		return 2
	}
	return 3
}

// Validate reports all faults of a config at once.
func (c Config) Validate() error {
	c, err := c.resolved()
	errs := []error{err}
	within := func(field string, v, lo, hi int) {
		if v < lo || v > hi {
			errs = append(errs, fmt.Errorf("%s is %d; want %d to %d", field, v, lo, hi))
		}
	}
	within("players", c.Players, c.leastPlayers(), maxPlayers)
	within("regions_per_player", c.RegionsPerPlayer, 0, 10)
	within("setup_armies", c.SetupArmies, 1, 40)
	within("trios", c.Trios, 0, 50)
	within("max_rounds", c.MaxRounds, 0, maxRounds)
	oneOf(&errs, "lost_armies", c.LostArmies, ToSupply, Out)
	oneOf(&errs, "first_player", c.FirstPlayer, FirstRandom, FirstSeat)
	oneOf(&errs, "ranking", c.Ranking, Linear, Leader, Even)
	if err == nil {
		errs = append(errs, c.Map.validate())
		n := len(c.Map.Regions)
		within("the number of regions", n, c.Players, min(10*c.Players, maxRegions))
		if want := c.RegionsPerPlayer * c.Players; want != 0 && n != want {
			errs = append(errs, fmt.Errorf("the map has %d regions; want %d, for regions_per_player is %d, and 0 there takes any map", n, want, c.RegionsPerPlayer))
		}
		if c.SetupArmies*c.Players < n {
			errs = append(errs, fmt.Errorf("setup_armies is %d; want as many as fill the %d regions", c.SetupArmies, n))
		}
		within("army_cap", c.ArmyCap, max(2, c.SetupArmies), maxCap)
		if warning := c.Warning(); warning != "" && c.MaxRounds == 0 {
			errs = append(errs, fmt.Errorf("army_cap is %d: the game is %s, and max_rounds is 0; want one of them higher", c.ArmyCap, warning))
		}
	}
	return errors.Join(errs...)
}

// Warning says why nobody can ever conquer the whole map, or is empty. Who does
// holds an army in every region.
func (c Config) Warning() string {
	c, err := c.resolved()
	if n := len(c.Map.Regions); err == nil && n > c.ArmyCap {
		return fmt.Sprintf("unwinnable: %d > %d", n, c.ArmyCap)
	}
	return ""
}

func oneOf[T cmp.Ordered](errs *[]error, field string, v T, known ...T) {
	for _, k := range known {
		if v == k {
			return
		}
	}
	*errs = append(*errs, fmt.Errorf("%s is %#v; want one of %#v", field, v, known))
}
