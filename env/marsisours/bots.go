package marsisours

import (
	"fmt"
	"math"
	"math/bits"

	"marsgym/env/game"
)

// BotNames implements [game.Bots].
func (r *Rules) BotNames() []string { return []string{"greedy"} }

// Bot implements [game.Bots].
func (r *Rules) Bot(name string) (game.Policy[State], error) {
	if name != "greedy" {
		return nil, fmt.Errorf("%s has no player %q", r.spec.ID, name)
	}
	return greedy{r}, nil
}

// greedy takes the action after which it would stand best if the action phase
// ended at once, on average over the dice of an attack, and all seats traded all
// their products and bought all the alchemy dice they can. The tax counts where
// products are traded, and in the last round. Before, it can still be avoided by
// keeping products, and who fears it holds back.
type greedy struct{ r *Rules }

// What greedy thinks things are worth, in money. Chosen by matches with random play.
const (
	tokenValue    = 1.0 // as at the end
	dieValue      = 3.5
	handValue     = 1.5 // of a robot in hand, while there is a round to come
	standingValue = 2.0 // of a robot that holds its ground for another round
	labValue      = 3.0 // of a lab, for each round to come
	trackFactor   = 0.95

	// In the quick game, in robots on the map. Chosen by exact evaluation.
	fastHandValue, fastJunkValue = 0.9, 0.2
	fastTargetCost               = 0.1 // lost for a robot of the other's beside one's own
	fastWinValue                 = 2.0 // of the win, once the game is over
)

// Probs implements [game.Policy].
func (g greedy) Probs(dst []float64, states []State) error {
	clear(dst)
	var legal []game.Action
	for i, s := range states {
		legal = g.r.Legal(legal[:0], s)
		best, at := math.Inf(-1), legal[0]
		for _, a := range legal {
			next := s
			g.r.apply(&next, int(a))
			if v := g.value(next, int(s.Mover), s.Phase >= Cashing || s.Round == lastRound); v > best+game.Tie {
				best, at = v, a
			}
		}
		dst[i*g.r.act.n+int(at)] = 1
	}
	return nil
}

// value is how far seat p is ahead of the best other, after the tax if that counts.
func (g greedy) value(s State, p int, tax bool) float64 {
	switch s.Phase {
	case Rolling, Rerolling:
		sum := 0.0
		for _, o := range g.r.Outcomes(nil, s) {
			sum += o.Prob * g.value(o.State, p, tax)
		}
		return sum
	case Missed:
		s.Phase = Rerolling
		return g.value(s, p, tax)
	case Acting, LayDown:
		if !g.r.fast {
			g.r.income(&s)
		}
	}
	g.endRound(&s, tax)
	best := math.Inf(-1)
	for q := range g.r.cfg.Players {
		if q != p {
			best = max(best, g.seatValue(&s, q))
		}
	}
	return g.seatValue(&s, p) - best
}

// endRound ends a round: all trade what they have, the leader is taxed if that is to
// count, and dice are bought. So nothing counts that is lost on the way, such as
// tokens above ten.
func (g greedy) endRound(s *State, tax bool) {
	a := &g.r.act
	for {
		switch s.Phase {
		case Cashing:
			all := (1<<products - 1) &^ s.Seats[s.Mover].empty()
			if tax {
				g.r.apply(s, a.cash+all)
				continue
			}
			for ; all != 0; all &= all - 1 {
				g.r.cash(s, int(s.Mover), bits.TrailingZeros(uint(all)))
			}
			if s.Mover = g.r.nextSeat(s.Mover); s.Mover == s.Start {
				g.r.startBuying(s)
			}
		case Buying:
			g.r.apply(s, a.buy+g.r.affordable(s))
		default:
			return
		}
	}
}

// seatValue is what a seat has.
func (g greedy) seatValue(s *State, p int) float64 {
	seat := &s.Seats[p]
	if g.r.fast {
		return g.fastSeatValue(s, p)
	}
	w := float64(seat.Money) + dieValue*float64(seat.Dice)
	if s.Phase >= Scoring {
		return w
	}
	left := float64(lastRound - s.Round)
	w += tokenValue*float64(seat.Tokens) + handValue*float64(seat.Hand)
	w += standingValue * float64(bits.OnesCount64(s.Robots[p]&s.Standing&^allLabs))
	w += left * labValue * float64(bits.OnesCount64(s.Robots[p]&allLabs))
	for t, level := range seat.Track {
		pay := &g.r.rewards[t][level]
		w += trackFactor * (float64(pay.Money) + tokenValue*float64(pay.Tokens) + dieValue*float64(min(pay.Dice, s.diceLeft())) + float64(pay.Robots))
	}
	return w
}

// fastSeatValue is what a seat of the quick game has. At the end the win decides, and
// who has passed can use neither hand nor junkyard.
func (g greedy) fastSeatValue(s *State, p int) float64 {
	seat, w := &s.Seats[p], float64(g.r.counted(s, p))
	if s.Phase == Over {
		if g.r.winners(s)>>p&1 == 1 {
			w += fastWinValue
		}
		return w
	}
	if s.Passed>>p&1 == 0 {
		w += fastHandValue*float64(seat.Hand) + fastJunkValue*float64(seat.Junk)
	}
	targets := bits.OnesCount64(g.r.board.neighboursOf(s.Robots[p]) & s.Robots[1-p])
	return w - fastTargetCost*float64(targets)
}
