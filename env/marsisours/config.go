package marsisours

import (
	"errors"
	"fmt"

	"marsgym/internal/input"
)

// Limits of the state.
const (
	maxSeats  = 4
	maxRobots = 12 // of each colour
)

// Config holds what the rules leave open. A field is marked by where its
// default comes from: seed (the source states it), inferred or invented. M1 to
// M26 number the open questions.
type Config struct {
	Players int     `json:"players"` // seed: two to four
	Variant Variant `json:"variant"` // seed: the source ends with a quick game for two

	// Layout is the map (M1, M4). Invented: diamond13. Seed, for two players: four,
	// the four tiles of figure 2; invented: that they are drawn.
	Layout Layout `json:"layout"`
	// Stations names the cells of the four space stations (M2). Invented. The ground
	// under a station is part of the tile drawn there and counts for no seat (M24).
	// Inferred: no robot may stop there, and the stations are laid after the tiles.
	Stations Stations `json:"stations"`
	// Terrain names the set of tiles (M3). Invented.
	Terrain Terrain `json:"terrain"`
	// LastHasFour gives the last of two or three seats 4 tokens, the number that the
	// source gives the last of four, instead of one less than the seat before (M23).
	// Inferred: no.
	LastHasFour bool `json:"last_has_four"`
	// StartHand is the number of robots that start in the hand. Seed: 3, and 4 in the
	// quick game. StartJunk is the number that start in the junkyard (M5). Inferred:
	// all others; seed: 2 in the quick game.
	StartHand int `json:"start_hand"`
	StartJunk int `json:"start_junk"`

	// PassBonusOnPass gives a seat that passes a token and lets it lay a robot down
	// (M8), whatever it did before it passed (M25). Seed: yes.
	PassBonusOnPass bool `json:"pass_bonus_on_pass"`
	// PassBonusRepeats does so again in each of its later turns (M8). Inferred,
	// contested: yes. docs/games/mars-is-ours.md has both sides.
	PassBonusRepeats bool `json:"pass_bonus_repeats"`
	// MaintenanceLabs includes the labs in the maintenance (M9). Inferred: no, since
	// the source names only the map.
	MaintenanceLabs bool `json:"maintenance_labs"`
	// LyingLabActive gives a lying robot in a lab the effect of the lab (M9).
	// Inferred, contested: yes. docs/games/mars-is-ours.md has both sides.
	LyingLabActive bool `json:"lying_lab_active"`
	// RocketBonusOnCapture pays the tokens of the rocket lab also to a seat that takes
	// it by an attack (M10). Inferred: yes.
	RocketBonusOnCapture bool `json:"rocket_bonus_on_capture"`
	// IncomeCountsStone counts the stone among the kinds of ground that earn
	// tokens (M11). Inferred: yes.
	IncomeCountsStone bool `json:"income_counts_stone"`
	// DrillRerollsDefender rolls the defender's die again as well (M12).
	// Inferred: no.
	DrillRerollsDefender bool `json:"drill_rerolls_defender"`
	// TaxFirst taxes the leader before the income instead of after it (M13).
	// Inferred: no, by the order of the steps.
	TaxFirst bool `json:"tax_first"`
	// FastCount names the robots that count at the end of the quick game, by
	// 「持有最多機器人」, "who holds most robots" (M14). Inferred: those on the map.
	FastCount Count `json:"fast_count"`
	// SupplyFirst takes the supply before the maintenance (M15). Seed: no. On is
	// the order of the Japanese summary.
	SupplyFirst bool `json:"supply_first"`
	// StartBy is the seat that names the next starter (M15). Seed: the owner of the
	// marker.
	StartBy Namer `json:"start_by"`
	// ThroughStations lets robots walk across stations (M16). Inferred: yes, only
	// stopping there is forbidden.
	ThroughStations bool `json:"through_stations"`
	// MinMove is the fewest steps of a deployed robot (M17). Seed: 1.
	MinMove int `json:"min_move"`
	// LyingCounts counts lying robots for production, income and the stone (M18).
	// Inferred: yes, since only the tax leaves them out.
	LyingCounts bool `json:"lying_counts"`
	// LaydownOptional lets a seat that has passed take the token and lay no robot down
	// (M19). Seed: yes, by 「你可以執行2個動作」, "you may perform 2 actions". It has no
	// effect in the quick game.
	LaydownOptional bool `json:"laydown_optional"`
	// CaptureFromHand takes the robot that replaces a beaten one from the hand (M20).
	// Seed: no, from the junkyard, and only if that is empty from the hand.
	CaptureFromHand bool `json:"capture_from_hand"`
	// AutoPass passes for a seat without robots in hand (M21). Invented: no.
	AutoPass bool `json:"auto_pass"`
	// MoveLimit is the number of decisions after which a batch truncates a game, since
	// the rules do not bound an action phase (M22); 0 is no limit. Invented.
	MoveLimit int `json:"move_limit"`

	// Data holds what only the figures of the source show: maps, tiles and rewards (M1
	// to M4, M6, M7). nil is the data of the package.
	Data *Data `json:"data"`
}

// Variant is the published game or its quick game.
type Variant string

const (
	Standard Variant = "standard"
	Fast2    Variant = "fast2" // one action phase for two, without labs, tokens and score
)

// Layout names a map of the Data.
type Layout string

const (
	Auto      Layout = "auto" // four for two players, diamond13 for more
	Diamond13 Layout = "diamond13"
	Nine      Layout = "nine" // invented: a map of a size between the two others
	Four      Layout = "four"
)

// Stations names a set of stations of a map.
type Stations string

const (
	Corners   Stations = "corners"
	TipsInner Stations = "tips_inner"
)

// Terrain names a set of tiles of the Data.
type Terrain string

const (
	Quarters Terrain = "quarters" // a quarter of each kind on each tile
	Mono     Terrain = "mono"     // each tile of one kind
	Random48 Terrain = "random48" // every quarter by itself
)

// Count is a rule for which robots count.
type Count string

const (
	CountMap        Count = "map"          // on the map
	CountMapAndHand Count = "map_and_hand" // also in hand
	CountAll        Count = "all"          // also in hand and in the junkyard
)

// of returns the number of robots that count.
func (c Count) of(onMap, hand, junk int) int {
	switch c {
	case CountMapAndHand:
		return onMap + hand
	case CountAll:
		return onMap + hand + junk
	}
	return onMap
}

// Namer is a rule for the seat that names the next starter.
type Namer string

const (
	ByMarker Namer = "marker" // the starter of this round
	ByLeader Namer = "leader" // the seat with most money; on a tie the starter of this round
)

// DefaultConfig is the published game for three players.
func DefaultConfig() Config {
	return Config{
		Players: 3, Variant: Standard, Layout: Auto, Stations: Corners, Terrain: Quarters,
		StartHand: 3, StartJunk: 9, PassBonusOnPass: true, PassBonusRepeats: true,
		LyingLabActive: true, RocketBonusOnCapture: true, IncomeCountsStone: true,
		FastCount: CountMap, StartBy: ByMarker, ThroughStations: true, MinMove: 1,
		LyingCounts: true, LaydownOptional: true, MoveLimit: 1000,
	}
}

// FastConfig is the published quick game for two players.
func FastConfig() Config {
	c := DefaultConfig()
	c.Players, c.Variant, c.StartHand, c.StartJunk = 2, Fast2, 4, 2
	return c
}

// withDefaults fills in the layout and the data where the config leaves them to the
// package.
func (c Config) withDefaults() Config {
	if c.Layout == Auto {
		c.Layout = Diamond13
		if c.Players == 2 {
			c.Layout = Four
		}
	}
	if c.Data == nil {
		c.Data = published
	}
	c.Data = c.Data.withoutSources()
	return c
}

// mostPlayers is the largest number of players of the variant.
func (c Config) mostPlayers() int {
	if c.Variant == Fast2 {
		return 2
	}
	return maxSeats
}

// Validate reports all faults of a config at once.
func (c Config) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	within := func(field string, v, lo, hi int) {
		if v < lo || v > hi {
			fault("%s is %d; want %s", field, v, input.Range(lo, hi))
		}
	}
	if c.Variant != Standard && c.Variant != Fast2 {
		fault("variant is %q; want %q or %q", c.Variant, Standard, Fast2)
	}
	within("players", c.Players, 2, c.mostPlayers())
	within("start_hand", c.StartHand, 1, maxRobots)
	within("start_junk", c.StartJunk, 0, maxRobots-c.StartHand)
	within("min_move", c.MinMove, 1, maxSteps)
	within("move_limit", c.MoveLimit, 0, 1<<30)
	if c.FastCount != CountMap && c.FastCount != CountMapAndHand && c.FastCount != CountAll {
		fault("fast_count is %q; want %q, %q or %q", c.FastCount, CountMap, CountMapAndHand, CountAll)
	}
	if c.StartBy != ByMarker && c.StartBy != ByLeader {
		fault("start_by is %q; want %q or %q", c.StartBy, ByMarker, ByLeader)
	}
	c = c.withDefaults()
	if err := c.Data.validate(); err != nil {
		fault("data: %w", err)
		return errors.Join(errs...)
	}
	m, ok := c.Data.Layouts[c.Layout]
	if !ok {
		fault("layout is %q; want auto or one of: %s", c.Layout, keys(c.Data.Layouts))
	} else if _, ok := m.Stations[c.Stations]; !ok {
		fault("stations is %q; the layout %s has: %s", c.Stations, c.Layout, keys(m.Stations))
	}
	if _, ok := c.Data.Tiles[c.Terrain]; !ok {
		fault("terrain is %q; want one of: %s", c.Terrain, keys(c.Data.Tiles))
	}
	return errors.Join(errs...)
}
