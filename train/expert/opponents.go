package expert

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/kernel/elementary"
	"marsgym/models"
	"marsgym/train/method"
)

// MaxCopies is the largest number of [Options.Copies].
const MaxCopies = 1000

// pool holds the opponents in the rows of an Expert.
type pool[S comparable] struct {
	bots   []game.Policy[S]
	share  []float64 // [bots] fractions of the opponents
	rest   float64   // the fraction of networks
	seats  []uint16  // [N, P] 0 for the network itself, then the bots, then the copies; empty if no row meets opponents
	copies []Network // of this search
	prob   []float64 // [1+bots+copies] see method.Draw
	err    error     // of an opponent, in this search

	probs  []float64            // [A]
	obs    *models.Observations // nil where no row meets opponents
	scores []float32
}

// newPool returns the pool of rows in which no game has begun.
func newPool[S comparable](rules core.Rules[S], o method.Opponents, rows int) (p pool[S], err error) {
	if o.Fraction == 0 {
		return p, nil
	}
	spec := rules.Spec()
	p.seats = make([]uint16, rows*spec.Players)
	p.probs, p.rest = make([]float64, spec.Actions), o.Networks()
	p.obs = models.NewObservations(spec.ObsLen(), nil)
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
	if !e.cfg.Opponents.Meets(e.first + i) {
		return nil
	}
	return e.pool.seats[i*e.spec.Players:][:e.spec.Players]
}

// drawOpponents draws the opponents of the game that begins in row i.
func (e *searcher[S]) drawOpponents(i int) {
	if seats := e.opponents(i); seats != nil {
		method.Draw(seats, e.pool.prob, len(e.pool.bots), &e.dice[i])
	}
}

// setCopies sets the older copies that are drawn, each equally likely.
func (e *searcher[S]) setCopies(copies []Network) {
	p := &e.pool
	p.copies, p.prob = copies, append(append(p.prob[:0], 0), p.share...)
	if len(copies) == 0 {
		p.prob[0] = p.rest
	}
	for range copies {
		p.prob = append(p.prob, p.rest/float64(len(copies)))
	}
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
	p.obs.Reset()
	if logits := opt.Logits || e.cfg.Depth == Search; logits {
		p.scores = core.Resize(p.scores, e.spec.Actions)
		e.observe(p.obs, s, who)
		e.pool.copies[k](p.scores, nil, p.obs)
		for j, a := range legal { // in ascending order
			p.scores[j] = p.scores[a]
		}
	} else {
		p.scores = core.Resize(p.scores, len(legal))
		for _, a := range legal {
			e.observe(p.obs, e.rules.After(s, a), who)
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
	e.setCopies(opt.Copies)
	e.pool.err = nil
}

// check returns an error unless the seats are of opponents, as after a checkpoint was read.
func (p *pool[S]) check() error {
	most := len(p.bots) + MaxCopies
	for _, k := range p.seats {
		if int(k) > most {
			return fmt.Errorf("opponent %d; want at most %d", k, most)
		}
	}
	return nil
}
