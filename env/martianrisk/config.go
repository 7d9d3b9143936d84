package martianrisk

import (
	"errors"
	"fmt"
	"slices"

	"marsgym/internal/input"
)

// Limits of a Config, set by the size of State: 42 regions, six seats, and counts in
// bytes.
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
	// Map is a map in full or the name of a map of this package: "us", of which the
	// game uses the first RegionsPerPlayer times Players regions, or "strip" (R24).
	// Inferred: "us", which the source recommends.
	Map Map `json:"map"`
	// RegionsPerPlayer is the number of regions of the map for each player; 0 takes
	// the whole map (R19). Seed: approximately seven.
	RegionsPerPlayer int `json:"regions_per_player"`
	// Unions give points at the start of a turn. Seed: a variant, "actually more like
	// a default".
	Unions bool `json:"unions"`

	// ArmyCap is the number of tokens of a player (R1). Seed: 25, with which nobody
	// can hold the 28 to 42 regions of four or more players. Invented: the default, 0,
	// stands for four more than the number of regions, but at least 25.
	ArmyCap int `json:"army_cap"`
	// SetupArmies is the number of armies that each player places before the first
	// turn. Seed: 10.
	SetupArmies int `json:"setup_armies"`
	// LostArmies is the destination of beaten armies (R2). Inferred: the supply.
	LostArmies Lost `json:"lost_armies"`
	// Trios is the number of large, medium and small tower pieces of a player,
	// including the tower of the setup (R4). Seed: 5. 0 is a game without towers.
	Trios int `json:"trios"`

	// StrictRoll requires a die of 3 or 4 to begin a tower, whatever unions add to it
	// (R7). Seed: on, by "a player must roll at least a 3" to begin one. Off, the
	// points of unions count towards the 3.
	StrictRoll bool `json:"strict_roll"`
	// OneAttack allows one attack a turn (R10). Inferred: off, as in Risk.
	OneAttack bool `json:"one_attack"`
	// MergeLarge lets the pieces split off a tower go on a large piece of the same
	// seat, from the bottom up: the medium piece, with or without the small one, on a
	// lone large piece, and the small piece on a large and a medium one (R14).
	// Inferred: on, since the source requires only that the player occupies the region
	// and that it is adjacent, and that towers are built from the bottom up.
	MergeLarge bool `json:"merge_large"`
	// MergeSmall lets a small piece that is split off go on a lone medium piece (R14).
	// Inferred: on, by "miniature towers may be built upon".
	MergeSmall bool `json:"merge_small"`
	// FirstPlayer is the rule for the first mover (R18). Seed: the dice decide.
	FirstPlayer First `json:"first_player"`

	// MaxRounds ends the game after that many rounds, since it may not end by itself
	// (R21). With 0 only the MoveLimit of a batch ends it. Invented: 100.
	MaxRounds int `json:"max_rounds"`
	// Ranking divides the win at the round limit among the seats with armies, ordered
	// by regions, then by armies plus tower points (R21). Invented: leader.
	Ranking Ranking `json:"ranking"`
}

// Lost is the destination of beaten armies.
type Lost string

const (
	ToSupply Lost = "supply" // to the owner, who can place them again
	Out      Lost = "out"    // out of the game
)

// First is a rule for the first mover.
type First string

const (
	FirstRandom First = "random" // a seat drawn before the setup
	FirstSeat   First = "0"      // seat 0
)

// Ranking is a rule for dividing the win at the round limit, which the source does not
// have. Seats without armies get nothing, since "the object is to eliminate all of your
// opponents' armies from the game"; tied seats get the mean of their ranks.
type Ranking string

const (
	// Leader gives the whole win to the first rank. It is the default, since it is
	// nearest to the source: one player wins, and the others get nothing.
	Leader Ranking = "leader"
	// Linear gives rank i, from 0, of n seats with armies 2(n-1-i)/(n(n-1)) of the
	// win, and a single seat all of it: of three seats 2/3, 1/3 and 0. It rewards every
	// rank, where Leader does not distinguish ranks below the first.
	Linear Ranking = "linear"
	// Even gives each seat with armies the same, so that only eliminations are
	// rewarded.
	Even Ranking = "even"
)

// DefaultConfig is the published game for three players.
func DefaultConfig() Config {
	return Config{
		Players: 3, Map: Map{Name: "us"}, RegionsPerPlayer: 7, Unions: true,
		SetupArmies: 10, LostArmies: ToSupply, Trios: 5,
		StrictRoll: true, MergeLarge: true, MergeSmall: true,
		FirstPlayer: FirstRandom, MaxRounds: 100, Ranking: Leader,
	}
}

// SmallConfig is a preset for learning experiments, not the published size: the twelve
// westernmost states for three players, and 20 rounds.
func SmallConfig() Config {
	c := DefaultConfig()
	c.RegionsPerPlayer, c.SetupArmies, c.ArmyCap, c.Trios, c.MaxRounds = 4, 6, 16, 2, 20
	return c
}

// TinyConfig is a preset with an exact solution, far from the published size: two
// players on a strip of four regions.
func TinyConfig() Config {
	c := DefaultConfig()
	c.Players, c.Experimental, c.Map, c.RegionsPerPlayer = 2, true, Map{Name: "strip"}, 0
	c.SetupArmies, c.ArmyCap, c.Trios, c.MaxRounds, c.FirstPlayer = 3, 5, 1, 3, FirstSeat
	return c
}

// withDefaults returns c with its map in full and its cap as a number, or c and an
// error if the map is unknown.
func (c Config) withDefaults() (Config, error) {
	if c.Map.isName() {
		m, err := namedMap(c.Map.Name, c.RegionsPerPlayer*c.Players, c.Unions)
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

// minPlayers returns the smallest number of players.
func (c Config) minPlayers() int {
	if c.Experimental {
		return 2
	}
	return 3
}

// Validate reports all faults of a config at once.
func (c Config) Validate() error {
	c, err := c.withDefaults()
	errs := []error{err}
	within := func(field string, v, lo, hi int) {
		if v < lo || v > hi {
			errs = append(errs, fmt.Errorf("%s is %d; want %s", field, v, input.Range(lo, hi)))
		}
	}
	within("players", c.Players, c.minPlayers(), maxPlayers)
	within("regions_per_player", c.RegionsPerPlayer, 0, maxRegions/2)
	within("setup_armies", c.SetupArmies, 1, 40)
	within("trios", c.Trios, 0, 50)
	within("max_rounds", c.MaxRounds, 0, maxRounds)
	oneOf(&errs, "lost_armies", c.LostArmies, ToSupply, Out)
	oneOf(&errs, "first_player", c.FirstPlayer, FirstRandom, FirstSeat)
	oneOf(&errs, "ranking", c.Ranking, Linear, Leader, Even)
	if err == nil {
		errs = append(errs, c.Map.validate())
		n := len(c.Map.Regions)
		within("the number of regions", n, c.Players, maxRegions)
		if want := c.RegionsPerPlayer * c.Players; want != 0 && n != want {
			errs = append(errs, fmt.Errorf("the map has %d regions; want %d, since regions_per_player is %d, or set it to 0 for any map", n, want, c.RegionsPerPlayer))
		}
		if c.SetupArmies*c.Players < n {
			errs = append(errs, fmt.Errorf("setup_armies is %d; want enough armies to fill the %d regions", c.SetupArmies, n))
		}
		within("army_cap", c.ArmyCap, max(2, c.SetupArmies), maxCap)
		if warning := c.Warning(); warning != "" && c.MaxRounds == 0 {
			errs = append(errs, fmt.Errorf("army_cap is %d: the game is %s, and max_rounds is 0; want one of them higher", c.ArmyCap, warning))
		}
	}
	return errors.Join(errs...)
}

// Warning returns the reason why no player can conquer the whole map, or "". A player
// who conquers it has an army in every region.
func (c Config) Warning() string {
	c, err := c.withDefaults()
	if n := len(c.Map.Regions); err == nil && n > c.ArmyCap {
		return fmt.Sprintf("unwinnable: %d > %d", n, c.ArmyCap)
	}
	return ""
}

// oneOf adds an error if v is not one of the known values.
func oneOf[T ~string](errs *[]error, field string, v T, known ...T) {
	if !slices.Contains(known, v) {
		*errs = append(*errs, fmt.Errorf("%s is %q; want one of %q", field, v, known))
	}
}
