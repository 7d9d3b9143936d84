package expert

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/env/internal/core"
)

// Opponents hold the seats of some games beside the network. Only what they play is
// theirs: all decisions are searched, and are targets, as if the network played on.
type Opponents struct {
	Fraction float64 // of the rows, in whose games opponents play in all seats but one, which each game draws
	// Bots maps bots of the game to their fractions of the opponents. The others are
	// [Options.Copies], each as likely or, without any, the network itself.
	Bots map[string]float64
}

// MaxCopies is the largest number of [Options.Copies].
const MaxCopies = 1000

// tables hold the opponents in the rows of an Expert.
type tables[S comparable] struct {
	bots  []game.Policy[S]
	share []float64 // [bots] fractions of the opponents
	seats []uint16  // [rows with opponents, P] 0 for the network itself, then the bots, then the copies
	err   error     // of an opponent, in this search

	probs  []float64 // [A]
	obs    []float32
	scores []float32
}

// newTables returns the tables of rows in which no game has begun.
func newTables[S comparable](rules core.Rules[S], o *Opponents, rows int) (t tables[S], err error) {
	if o == nil {
		return t, nil
	}
	spec := rules.Spec()
	t.seats = make([]uint16, int(math.Round(o.Fraction*float64(rows)))*spec.Players)
	t.probs = make([]float64, spec.Actions)
	own, _ := rules.Rules.(game.Bots[S])
	for _, name := range slices.Sorted(maps.Keys(o.Bots)) {
		if o.Bots[name] == 0 {
			continue
		}
		var bot game.Policy[S]
		switch {
		case name == "random":
			bot = game.Uniform[S]{Rules: rules.Rules}
		case own == nil:
			return t, fmt.Errorf("%s has no bot %q", spec.ID, name)
		default:
			if bot, err = own.Bot(name); err != nil {
				return t, err
			}
		}
		t.bots, t.share = append(t.bots, bot), append(t.share, o.Bots[name])
	}
	return t, nil
}

// opponents returns those in the seats [P] of row i, or nil.
func (e *searcher[S]) opponents(i int) []uint16 {
	p := e.spec.Players
	if (i+1)*p > len(e.tables.seats) {
		return nil
	}
	return e.tables.seats[i*p:][:p]
}

// newTable draws the opponents of the game that begins in row i.
func (e *searcher[S]) newTable(i int) {
	seats, dice := e.opponents(i), &e.dice[i]
	if seats == nil {
		return
	}
	own := int(core.Uniform(dice) * float64(len(seats)))
	for seat := range seats {
		seats[seat] = 0
		if seat != own {
			seats[seat] = e.drawOpponent(dice)
		}
	}
}

// drawOpponent draws the number of an opponent.
func (e *searcher[S]) drawOpponent(dice *rand.PCG) uint16 {
	u := core.Uniform(dice)
	for k, share := range e.tables.share {
		if u -= share; u < 0 {
			return uint16(1 + k)
		}
	}
	if len(e.copies) == 0 {
		return 0
	}
	return uint16(1 + len(e.tables.bots) + int(core.Uniform(dice)*float64(len(e.copies))))
}

// act returns the index of the action that is taken in row i, of legal ones with these
// values: that of the opponent in the seat, or else the best one or, with probability
// rate, a random one. s is a representative.
func (e *searcher[S]) act(i int, s S, who game.Player, legal []game.Action, values []float64, rate float64, opt Options) int {
	if k, ok := e.reply(i, s, who, legal, opt); ok {
		return k
	}
	return e.choose(values, rate, &e.dice[i])
}

// reply returns the index of the action that the opponent in a seat takes; ok is false
// where the network plays itself.
func (e *searcher[S]) reply(i int, s S, who game.Player, legal []game.Action, opt Options) (index int, ok bool) {
	seats := e.opponents(i)
	if seats == nil || seats[who] == 0 || opt.RandomPlay {
		return 0, false
	}
	return e.ask(int(seats[who])-1, s, who, legal, opt, &e.dice[i]), true
}

// ask returns the index of the action that a bot, or a copy, takes.
func (e *searcher[S]) ask(k int, s S, who game.Player, legal []game.Action, opt Options, dice *rand.PCG) int {
	t := &e.tables
	if k < len(t.bots) {
		if err := t.bots[k].Probs(t.probs, []S{s}); err != nil {
			t.err = fmt.Errorf("expert: a bot of %s: %w", e.spec.ID, err)
			return 0
		}
		return slices.Index(legal, core.SampleAction(t.probs, dice))
	}
	if k -= len(t.bots); k >= len(e.copies) {
		t.err = fmt.Errorf("expert: an opponent is copy %d of %d", k, len(e.copies))
		return 0
	}
	t.obs = t.obs[:0]
	if logits := opt.Logits || e.cfg.Depth == Search; logits {
		t.scores = core.Resize(t.scores, e.spec.Actions)
		t.obs = e.observe(t.obs, s, who)
		e.copies[k](t.scores, nil, t.obs)
		for j, a := range legal { // in ascending order
			t.scores[j] = t.scores[a]
		}
	} else {
		t.scores = core.Resize(t.scores, len(legal))
		for _, a := range legal {
			t.obs = e.observe(t.obs, e.rules.After(s, a), who)
		}
		e.copies[k](t.scores, nil, t.obs)
	}
	return sampleSoftmax(t.scores[:len(legal)], dice)
}

// sampleSoftmax draws an index from the softmax of scores.
func sampleSoftmax(scores []float32, dice *rand.PCG) int {
	most, sum := slices.Max(scores), 0.0
	for _, x := range scores {
		sum += math.Exp(float64(x - most))
	}
	u := core.Uniform(dice) * sum
	for j, x := range scores {
		if u -= math.Exp(float64(x - most)); u < 0 {
			return j
		}
	}
	return len(scores) - 1 // u is within rounding of sum
}

// beginSearch readies the tables for a call of Expert.Search.
func (e *searcher[S]) beginSearch(opt Options) {
	e.copies, e.tables.err = opt.Copies, nil
}

// size is the number of bytes of appendState.
func (t *tables[S]) size() int { return 2 * len(t.seats) }

// appendState appends all that restoreState needs.
func (t *tables[S]) appendState(dst []byte) []byte {
	for _, k := range t.seats {
		dst = binary.LittleEndian.AppendUint16(dst, k)
	}
	return dst
}

// restoreState restores what appendState wrote, of size bytes.
func (t *tables[S]) restoreState(src []byte) error {
	for i := range t.seats {
		t.seats[i] = binary.LittleEndian.Uint16(src[2*i:])
		if most := len(t.bots) + MaxCopies; int(t.seats[i]) > most {
			return fmt.Errorf("expert: opponent %d; want at most %d", t.seats[i], most)
		}
	}
	return nil
}
