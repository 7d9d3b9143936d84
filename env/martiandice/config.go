package martiandice

import (
	"errors"
	"fmt"

	"marsgym/internal/input"
)

// Limits of a Config. Chosen: the state holds ten scores of a byte each.
const (
	maxPlayers = 10
	maxDice    = 13
	maxTarget  = 200
	maxBonus   = 20
)

// Config holds what the rules leave open. Each field names the origin of its
// default: seed (a source states it), inferred or invented.
type Config struct {
	Players  int   `json:"players"`  // seed: two or more; 1 is solitaire: fewest turns (invented)
	Dice     int   `json:"dice"`     // seed: 13
	Target   int   `json:"target"`   // seed: 25 or more starts the end
	Bonus    int   `json:"bonus"`    // seed: 3 for one of each earthling type
	Faces    Faces `json:"faces"`    // seed: the German rules
	TieDice  int   `json:"tie_dice"` // seed: 6
	TieBreak Tie   `json:"tie_break"`

	// AllowStopBeforeSelect allows a player to stop instead of choosing a type.
	// Inferred: off, since stopping is a later step than choosing.
	AllowStopBeforeSelect bool `json:"allow_stop_before_select"`
	// FirstPlayer is the seat that starts each round. Inferred: the sources let the
	// players choose; here seat 0, and matches rotate the agents over the seats.
	FirstPlayer First `json:"first_player"`
	// MaxRounds is the number of rounds after which the most points win; 0 is no
	// limit. Invented: 0, and a batch truncates a game after some 200 rounds
	// (MoveLimit).
	MaxRounds int `json:"max_rounds"`
}

// Faces counts the faces of a die. The three earthling types have the same number:
// the observation and the solver treat them as interchangeable.
type Faces struct {
	Tank    int `json:"tank"`
	Ray     int `json:"ray"`
	Human   int `json:"human"`
	Cow     int `json:"cow"`
	Chicken int `json:"chicken"`
}

// Tie is the rule for a tie in the roll-off.
type Tie string

const (
	Repeat Tie = "repeat" // the seats still tied roll again (inferred: play reports)
	Share  Tie = "share"  // a tie in the first roll-off is a shared win
)

// First is the rule for the seat that starts.
type First string

const (
	FirstSeat   First = "0"      // seat 0
	FirstRandom First = "random" // a seat drawn before the first roll
)

// DefaultConfig is the published game for two.
func DefaultConfig() Config {
	return Config{
		Players: 2, Dice: 13, Target: 25, Bonus: 3,
		Faces:   Faces{Tank: 1, Ray: 2, Human: 1, Cow: 1, Chicken: 1},
		TieDice: 6, TieBreak: Repeat, FirstPlayer: FirstSeat,
	}
}

// Validate reports all faults of a config at once.
func (c Config) Validate() error {
	var errs []error
	within := func(field string, v, lo, hi int) {
		if v < lo || v > hi {
			errs = append(errs, fmt.Errorf("%s is %d; want %s", field, v, input.Range(lo, hi)))
		}
	}
	within("players", c.Players, 1, maxPlayers)
	within("dice", c.Dice, 1, maxDice)
	within("target", c.Target, 1, maxTarget)
	within("bonus", c.Bonus, 0, maxBonus)
	within("tie_dice", c.TieDice, 1, maxDice)
	within("max_rounds", c.MaxRounds, 0, 60000)
	within("faces.tank", c.Faces.Tank, 0, 100)
	within("faces.ray", c.Faces.Ray, 1, 100)
	within("faces.human", c.Faces.Human, 1, 100)
	if c.Faces.Cow != c.Faces.Human || c.Faces.Chicken != c.Faces.Human {
		errs = append(errs, fmt.Errorf("faces.human, faces.cow and faces.chicken are %d, %d and %d; want three equal numbers",
			c.Faces.Human, c.Faces.Cow, c.Faces.Chicken))
	}
	if c.TieBreak != Repeat && c.TieBreak != Share {
		errs = append(errs, fmt.Errorf("tie_break is %q; want %q or %q", c.TieBreak, Repeat, Share))
	}
	if c.FirstPlayer != FirstSeat && c.FirstPlayer != FirstRandom {
		errs = append(errs, fmt.Errorf("first_player is %q; want %q or %q", c.FirstPlayer, FirstSeat, FirstRandom))
	}
	if c.Players == 1 && c.MaxRounds != 0 {
		errs = append(errs, fmt.Errorf("max_rounds is %d; want 0 in solitaire, which counts turns", c.MaxRounds))
	}
	return errors.Join(errs...)
}
