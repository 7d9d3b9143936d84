package game

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"marsgym/env/game/message"
)

// Spec describes a game under one config.
type Spec struct {
	ID      string          // lower case, as on the command line: "martian-dice"
	Title   string          // for people: "Martian Dice"; also its key in the tables of package message
	Label   message.Message // Title, if it has a number; else the zero value
	Version int             // of the rules; every change of the rules raises it
	Config  any             // of the rules; its JSON holds everything that they depend on

	Players int // P
	Actions int // A

	// The class of the game, in the terms of OpenSpiel's GameType. See also Utility.
	Information            Information
	Chance                 ChanceMode
	MinPlayers, MaxPlayers int // values of P that some config has

	// Observation names the parts of an observation in order, with their
	// lengths; they add up to D.
	Observation []Field

	// MoveLimit is the number of decisions after which a batch truncates a game: a
	// limit of the batch, not of the rules. 0 is none. See also ChanceLimit.
	MoveLimit int

	// Win and Loss are the returns of a sole winner and of a loser; a shared win lies
	// between, and the shares of all seats add up to 1. Both are zero where returns
	// are not shares of a win: Unit then names what they count. Negated is true where
	// less of it is better: a return is then the negated count. See also Counted.
	Win, Loss float64
	Unit      string
	Negated   bool

	// WrittenParts are the parts of the written rules that depend on the config's data, such
	// as a map: in Markdown, by the names with which the page of the game marks them. An
	// empty message leaves the part out.
	WrittenParts map[string]message.Message
}

// Information is what a seat knows of the state.
type Information string

// The kinds of information.
const (
	PerfectInformation   Information = "perfect"   // every seat observes the whole state
	ImperfectInformation Information = "imperfect" // some of it is hidden from a seat
)

// ChanceMode is whether a game has chance.
type ChanceMode string

// The chance modes.
const (
	Deterministic      ChanceMode = "deterministic"       // there are no chance states
	ExplicitStochastic ChanceMode = "explicit_stochastic" // Outcomes lists all chance
)

// Utility is how the returns of the seats are related.
type Utility string

// The utilities.
const (
	ZeroSum     Utility = "zero_sum"
	ConstantSum Utility = "constant_sum"
	GeneralSum  Utility = "general_sum"
)

// FullTitle is the title with the number of players: "Pig for 2 players".
func (s Spec) FullTitle() string {
	if s.Players == 1 {
		return s.Title + " for 1 player"
	}
	return fmt.Sprintf("%s for %d players", s.Title, s.Players)
}

// Called is the title in the tables of package message.
func (s Spec) Called() message.Message {
	if s.Label.IsZero() {
		return message.New(s.Title)
	}
	return s.Label
}

// Utility follows from Win and Loss.
func (s Spec) Utility() Utility {
	switch {
	case !s.HasWin():
		return GeneralSum
	case math.Abs(s.Win+float64(float64(s.Players-1)*s.Loss)) <= Tie:
		return ZeroSum
	}
	return ConstantSum
}

// Field is a named part of an observation.
type Field struct {
	Name string
	Len  int

	// Scales are what the counts of the field are divided by: number i is a count over
	// Scales[i mod len(Scales)], see [Quotients]. A scale of 0 marks numbers that are no
	// counts, such as odds. A field without Scales holds the counts themselves, such as the
	// zeros and ones of a one-hot field.
	Scales []int
}

// ObsScales returns the scale of each number of an observation [D].
func (s Spec) ObsScales() []int {
	list := make([]int, 0, s.ObsLen())
	for _, f := range s.Observation {
		for i := range f.Len {
			scale := 1
			if n := len(f.Scales); n > 0 {
				scale = f.Scales[i%n]
			}
			list = append(list, scale)
		}
	}
	return list
}

// Quotients sets dst[n] to n/scale, rounded once: the numbers with which an observation
// shows counts. A number times its scale, rounded to an integer, gives back the count, both in
// float32 and in float64. Without the rounding no such number exists for some counts: of all
// float32, the nearest to 53/100 gives the product nearest to 53, which is 52.999996. The
// product of n and 1/scale would be rounded twice, and differ for many more.
func Quotients(dst []float32, scale int) {
	for n := range dst {
		dst[n] = float32(n) / float32(scale)
	}
}

// ObsLen is D, the length of an observation.
func (s Spec) ObsLen() int {
	n := 0
	for _, f := range s.Observation {
		n += f.Len
	}
	return n
}

// ChanceLimit is the number of successive chance transitions after which a batch
// truncates a game: MoveLimit, at most 100,000, or 100,000 if there is no MoveLimit.
// Without a MoveLimit, searches and rollouts end a game after as many decisions. Chosen: far
// above the length of any game.
func (s Spec) ChanceLimit() int {
	const most = 100_000
	if s.MoveLimit > 0 {
		return min(s.MoveLimit, most)
	}
	return most
}

// Truncates reports whether a limit ends a game in which who is to move, after that many
// decisions. Chance is drawn first, up to ChanceLimit; if it is to move still, that is why.
func (s *Spec) Truncates(who Player, decisions int) bool {
	return who == Chance || who >= 0 && s.MoveLimit > 0 && decisions >= s.MoveLimit
}

// HasWin reports whether returns are shares of one win.
func (s Spec) HasWin() bool { return s.Win != s.Loss }

// WinShare returns the expected share of the win of an expected return: the
// probability of winning if wins are not shared. The game must have a win.
func (s Spec) WinShare(ret float64) float64 { return (ret - s.Loss) / (s.Win - s.Loss) }

// Counted returns the expected number of units of an expected return. The game must have no
// win.
func (s Spec) Counted(ret float64) float64 {
	if s.Negated {
		return 0 - ret // no negative zero
	}
	return ret
}

// Return returns the expected return of an expected share of the win. It is the
// inverse of WinShare.
func (s Spec) Return(share float64) float64 { return s.Loss + float64(share*(s.Win-s.Loss)) }

// ShareWin appends the returns of all seats: Loss and, for the winners, one bit for each
// seat, their equal share of the win on top. Without winners the game is not over, and the
// returns are 0.
func (s *Spec) ShareWin(dst []float64, winners uint16) []float64 {
	for seat := range s.Players {
		v := 0.0
		if winners != 0 {
			v = s.Loss
		}
		if winners>>seat&1 == 1 {
			v += (s.Win - s.Loss) / float64(bits.OnesCount16(winners))
		}
		dst = append(dst, v)
	}
	return dst
}

// RulesHash identifies the rules: SHA-256 in hex over id, version and config.
func (s Spec) RulesHash() string {
	return hash(fmt.Sprintf("%s\n%d\n%s", s.ID, s.Version, s.ConfigJSON()))
}

// ObsHash identifies the layout of the observation: SHA-256 in hex over its
// field names and lengths.
func (s Spec) ObsHash() string {
	var b strings.Builder
	for _, f := range s.Observation {
		fmt.Fprintf(&b, "%s %d\n", f.Name, f.Len)
	}
	return hash(b.String())
}

// ConfigJSON is the config in canonical form: compact, keys sorted. It panics
// if the config cannot be written as JSON, which is an error of the game.
func (s Spec) ConfigJSON() string {
	b, err := json.Marshal(s.Config)
	if err != nil {
		panic("game: config of " + s.ID + ": " + err.Error())
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic("game: config of " + s.ID + ": " + err.Error())
	}
	b, _ = json.Marshal(v) // maps are written in key order
	return string(b)
}

func hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}
