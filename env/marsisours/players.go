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
	tokenWorth = 1.0 // as at the end
	dieWorth   = 3.5
	handWorth  = 1.5 // of a robot in hand, while there is a round to come
	standWorth = 2.0 // of a robot that holds its ground for another round
	labWorth   = 3.0 // of a lab, for each round to come
	trackWorth = 0.95

	// In the quick game, in robots on the map. Chosen by exact evaluation.
	fastHand, fastJunk = 0.9, 0.2
	fastBeside         = 0.1 // lost for a robot of the other's beside one's own
	fastWin            = 2.0 // of the win, once the game is over
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
			g.r.take(&next, int(a))
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
	g.finish(&s, tax)
	best := math.Inf(-1)
	for q := range g.r.cfg.Players {
		if q != p {
			best = max(best, g.worth(&s, q))
		}
	}
	return g.worth(&s, p) - best
}

// finish ends a round: all trade what they have, the leader is taxed if that is to
// count, and dice are bought. So nothing counts that is lost on the way, such as
// tokens above ten.
func (g greedy) finish(s *State, tax bool) {
	a := &g.r.act
	for {
		switch s.Phase {
		case Cashing:
			all := (1<<products - 1) &^ s.Seats[s.Mover].empty()
			if tax {
				g.r.take(s, a.cash+all)
				continue
			}
			for ; all != 0; all &= all - 1 {
				g.r.cash(s, int(s.Mover), bits.TrailingZeros(uint(all)))
			}
			if s.Mover = g.r.after(s.Mover); s.Mover == s.Start {
				g.r.askBuy(s)
			}
		case Buying:
			g.r.take(s, a.buy+g.r.affordable(s))
		default:
			return
		}
	}
}

// worth is what a seat has.
func (g greedy) worth(s *State, p int) float64 {
	seat := &s.Seats[p]
	if g.r.fast {
		return g.fastWorth(s, p)
	}
	w := float64(seat.Money) + dieWorth*float64(seat.Dice)
	if s.Phase >= Scoring {
		return w
	}
	left := float64(lastRound - s.Round)
	w += tokenWorth*float64(seat.Tokens) + handWorth*float64(seat.Hand)
	w += standWorth * float64(bits.OnesCount64(s.Robots[p]&s.Standing&^allLabs))
	w += left * labWorth * float64(bits.OnesCount64(s.Robots[p]&allLabs))
	for t, level := range seat.Track {
		pay := &g.r.rewards[t][level]
		w += trackWorth * (float64(pay.Money) + tokenWorth*float64(pay.Tokens) + dieWorth*float64(min(pay.Dice, s.stock())) + float64(pay.Robots))
	}
	return w
}

// fastWorth is what a seat of the quick game has. At the end the win decides, and
// who has passed can use neither hand nor junkyard.
func (g greedy) fastWorth(s *State, p int) float64 {
	seat, w := &s.Seats[p], float64(g.r.held(s, p))
	if s.Phase == Over {
		if g.r.winners(s)>>p&1 == 1 {
			w += fastWin
		}
		return w
	}
	if s.Passed>>p&1 == 0 {
		w += fastHand*float64(seat.Hand) + fastJunk*float64(seat.Junk)
	}
	targets := bits.OnesCount64(g.r.board.spread(s.Robots[p]) & s.Robots[1-p])
	return w - fastBeside*float64(targets)
}
