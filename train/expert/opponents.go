package expert

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/kernel/elementary"
)

// Opponents hold the seats of some games beside the network. Only what they play is
// theirs: all decisions are searched, and are targets, as if the network played on.
type Opponents struct {
	Fraction float64 // of the rows, in whose games opponents play in all seats but one, which each game draws
	// Bots maps bots of the game to the fractions of these games in which they have all
	// other seats. In the others each seat has one of [Options.Copies], all as likely, or
	// without any the network itself.
	Bots map[string]float64
}

// MaxCopies is the largest number of [Options.Copies].
const MaxCopies = 1000

// pool holds the opponents in the rows of an Expert.
type pool[S comparable] struct {
	bots   []game.Policy[S]
	share  []float64 // [bots] fractions of the opponents
	seats  []uint16  // [rows with opponents, P] 0 for the network itself, then the bots, then the copies
	copies []Network // of this search
	err    error     // of an opponent, in this search

	probs  []float64 // [A]
	obs    []float32
	scores []float32
}

// newPool returns the pool of rows in which no game has begun.
func newPool[S comparable](rules core.Rules[S], o *Opponents, rows int) (p pool[S], err error) {
	if o == nil {
		return p, nil
	}
	spec := rules.Spec()
	p.seats = make([]uint16, int(math.Round(o.Fraction*float64(rows)))*spec.Players)
	p.probs = make([]float64, spec.Actions)
	for _, name := range slices.Sorted(maps.Keys(o.Bots)) {
		if o.Bots[name] == 0 {
			continue
		}
		bot, err := rules.Bot(name)
		if err != nil {
			return p, err
		}
		p.bots, p.share = append(p.bots, bot), append(p.share, o.Bots[name])
	}
	return p, nil
}

// opponents returns those in the seats [P] of row i, or nil.
func (e *searcher[S]) opponents(i int) []uint16 {
	p := e.spec.Players
	if (i+1)*p > len(e.pool.seats) {
		return nil
	}
	return e.pool.seats[i*p:][:p]
}

// drawOpponents draws the opponents of the game that begins in row i.
func (e *searcher[S]) drawOpponents(i int) {
	seats, dice := e.opponents(i), &e.dice[i]
	if seats == nil {
		return
	}
	own, bot := int(core.Uniform(dice)*float64(len(seats))), e.drawBot(dice)
	for seat := range seats {
		seats[seat] = bot
		switch {
		case seat == own:
			seats[seat] = 0
		case bot == 0 && len(e.pool.copies) > 0:
			seats[seat] = uint16(1 + len(e.pool.bots) + int(core.Uniform(dice)*float64(len(e.pool.copies))))
		}
	}
}

// drawBot draws the number of a bot; 0 is none.
func (e *searcher[S]) drawBot(dice *rand.PCG) uint16 {
	u := core.Uniform(dice)
	for k, share := range e.pool.share {
		if u -= share; u < 0 {
			return uint16(1 + k)
		}
	}
	return 0
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
	p := &e.pool
	if k < len(p.bots) {
		if err := p.bots[k].Probs(p.probs, []S{s}); err != nil {
			p.err = fmt.Errorf("expert: a bot of %s: %w", e.spec.ID, err)
			return 0
		}
		return slices.Index(legal, core.SampleAction(p.probs, dice))
	}
	if k -= len(p.bots); k >= len(e.pool.copies) {
		p.err = fmt.Errorf("expert: an opponent is copy %d of %d", k, len(e.pool.copies))
		return 0
	}
	p.obs = p.obs[:0]
	if logits := opt.Logits || e.cfg.Depth == Search; logits {
		p.scores = core.Resize(p.scores, e.spec.Actions)
		p.obs = e.observe(p.obs, s, who)
		e.pool.copies[k](p.scores, nil, p.obs)
		for j, a := range legal { // in ascending order
			p.scores[j] = p.scores[a]
		}
	} else {
		p.scores = core.Resize(p.scores, len(legal))
		for _, a := range legal {
			p.obs = e.observe(p.obs, e.rules.After(s, a), who)
		}
		e.pool.copies[k](p.scores, nil, p.obs)
	}
	return sampleSoftmax(p.scores[:len(legal)], dice)
}

// sampleSoftmax draws an index from the softmax of scores.
func sampleSoftmax(scores []float32, dice *rand.PCG) int {
	most, sum := slices.Max(scores), 0.0
	for _, x := range scores {
		sum += elementary.Exp(float64(x - most))
	}
	u := core.Uniform(dice) * sum
	for j, x := range scores {
		if u -= elementary.Exp(float64(x - most)); u < 0 {
			return j
		}
	}
	return len(scores) - 1 // u is within rounding of sum
}

// beginSearch readies the pool for a call of Expert.Search.
func (e *searcher[S]) beginSearch(opt Options) {
	e.pool.copies, e.pool.err = opt.Copies, nil
}

// size is the number of bytes of appendState.
func (p *pool[S]) size() int { return 2 * len(p.seats) }

// appendState appends all that restoreState needs.
func (p *pool[S]) appendState(dst []byte) []byte {
	for _, k := range p.seats {
		dst = binary.LittleEndian.AppendUint16(dst, k)
	}
	return dst
}

// restoreState restores what appendState wrote, of size bytes.
func (p *pool[S]) restoreState(src []byte) error {
	for i := range p.seats {
		p.seats[i] = binary.LittleEndian.Uint16(src[2*i:])
		if most := len(p.bots) + MaxCopies; int(p.seats[i]) > most {
			return fmt.Errorf("expert: opponent %d; want at most %d", p.seats[i], most)
		}
	}
	return nil
}
