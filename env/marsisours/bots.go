package marsisours

import (
	"math"
	"math/bits"

	"marsgym/env/game"
)

// BotNames implements [game.Bots].
func (r *Rules) BotNames() []string { return []string{"greedy"} }

// Bot implements [game.Bots].
func (r *Rules) Bot(string) (game.Policy[State], error) {
	return greedy{r}, nil
}

// greedy plays the action with the highest value of its seat, minus that of the best
// other seat, if the action phase ended at once and all seats then traded all their
// products and bought all the alchemy dice that they can. An attack counts by its
// expectation. The tax counts in decisions about products and in the last round only:
// earlier a seat can still avoid it by keeping products, and should not hold back.
type greedy struct{ r *Rules }

// Values in money. Chosen by matches against random play.
const (
	tokenValue    = 1.0 // as at the end
	dieValue      = 3.5
	handValue     = 1.5 // of a robot in hand before the end of the game
	standingValue = 2.0 // of a standing robot on the map before the end of the game
	labValue      = 3.0 // of a lab, for each later round
	trackFactor   = 0.95

	// In the quick game, in robots on the map. Chosen by exact evaluation.
	fastHandValue, fastJunkValue = 0.9, 0.2
	fastTargetCost               = 0.1 // for each robot of the other seat beside an own one
	fastWinValue                 = 2.0 // of the win, after the game
)

// Probs implements [game.Policy].
func (g greedy) Probs(dst []float64, states []State) error {
	clear(dst)
	var legal []game.Action
	var values []float64
	for i, s := range states {
		legal, values = g.r.Legal(legal[:0], s), values[:0]
		for _, a := range legal {
			next := s
			g.r.apply(&next, int(a))
			values = append(values, g.value(next, int(s.Mover), s.Phase >= Cashing || s.Round == lastRound))
		}
		dst[i*g.r.act.n+int(legal[game.BestOption(values)])] = 1
	}
	return nil
}

// value returns the value of seat p minus that of the best other seat, after the tax
// if tax is set.
func (g greedy) value(s State, p int, tax bool) float64 {
	switch s.Phase {
	case Rolling, Rerolling:
		sum := 0.0
		for _, o := range g.r.Outcomes(nil, s) {
			sum += float64(o.Prob * g.value(o.State, p, tax))
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

// endRound plays the rest of a round: all seats trade what they have, the leader is
// taxed if tax is set, and dice are bought. So what is lost on the way, such as tokens
// above ten, does not count.
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
			if s.Mover = game.NextSeat(s.Mover, g.r.cfg.Players); s.Mover == s.Start {
				g.r.startBuying(s)
			}
		case Buying:
			g.r.apply(s, a.buy+g.r.affordable(s))
		default:
			return
		}
	}
}

// seatValue returns the value of what a seat has, in money.
func (g greedy) seatValue(s *State, p int) float64 {
	seat := &s.Seats[p]
	if g.r.fast {
		return g.fastSeatValue(s, p)
	}
	w := float64(seat.Money) + float64(dieValue*float64(seat.Dice))
	if s.Phase >= Scoring {
		return w
	}
	left := float64(lastRound - s.Round)
	w += float64(tokenValue*float64(seat.Tokens)) + float64(handValue*float64(seat.Hand))
	w += standingValue * float64(bits.OnesCount64(s.Robots[p]&s.Standing&^allLabs))
	w += float64(left * labValue * float64(bits.OnesCount64(s.Robots[p]&allLabs)))
	for t, level := range seat.Track {
		pay := &g.r.rewards[t][level]
		w += float64(trackFactor * (float64(pay.Money) + float64(tokenValue*float64(pay.Tokens)) + float64(dieValue*float64(min(pay.Dice, s.diceLeft()))) + float64(pay.Robots)))
	}
	return w
}

// fastSeatValue is seatValue of the quick game, in robots on the map. After the game
// the win counts most, and a seat that has passed can use neither hand nor junkyard.
func (g greedy) fastSeatValue(s *State, p int) float64 {
	seat, w := &s.Seats[p], float64(g.r.counted(s, p))
	if s.Phase == Over {
		if g.r.winners(s)>>p&1 == 1 {
			w += fastWinValue
		}
		return w
	}
	if s.Passed>>p&1 == 0 {
		w += float64(fastHandValue*float64(seat.Hand)) + float64(fastJunkValue*float64(seat.Junk))
	}
	targets := bits.OnesCount64(g.r.board.neighboursOf(s.Robots[p]) & s.Robots[1-p])
	return w - float64(fastTargetCost*float64(targets))
}
