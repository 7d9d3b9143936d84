package martianrisk

import (
	"math/rand/v2"
	"strconv"

	"marsgym/env/game"
	"marsgym/internal/random"
)

const (
	sides   = 4                             // of every die
	throws  = sides * sides * sides * sides // of the two dice of both sides of a battle
	heights = 3                             // of a full tower
)

// wins holds the number of the 256 throws in which the attacker's total is higher, by
// the difference between the attacker's tower and the defender's, from -3 to 3: 15, 35,
// 66, 106, 150, 190, 221.
var wins = func() (n [2*heights + 1]int) {
	var totals [2*sides + 1]int // number of throws of two dice by total
	for a := 1; a <= sides; a++ {
		for b := 1; b <= sides; b++ {
			totals[a+b]++
		}
	}
	for d := range n {
		for a, x := range totals {
			for b, y := range totals {
				if a+d-heights > b {
					n[d] += x * y
				}
			}
		}
	}
	return n
}()

// winningThrows returns the number of throws that win the battle between From and To.
func (s *State) winningThrows() int { return wins[s.height(s.From)-s.height(s.To)+heights] }

// Outcomes implements [game.Rules].
func (r *Rules) Outcomes(dst []game.Outcome[State], s State) []game.Outcome[State] {
	switch s.Phase {
	case Ordering:
		for p := range r.cfg.Players {
			next := s
			next.setStart(p)
			dst = append(dst, game.Outcome[State]{State: next, Prob: 1 / float64(r.cfg.Players)})
		}
	case Rolling:
		first := len(dst)
		for die := 1; die <= sides; die++ {
			next := s
			r.startTurn(&next, die)
			// Points that cannot be spent are lost, so that rolls can lead to equal states.
			if n := len(dst); n > first && dst[n-1].State == next {
				dst[n-1].Prob += 1. / sides
				continue
			}
			dst = append(dst, game.Outcome[State]{State: next, Prob: 1. / sides})
		}
	case Battle:
		won, lost := s, s
		r.resolveBattle(&won, true)
		r.resolveBattle(&lost, false)
		p := float64(float64(s.winningThrows()) / throws)
		dst = append(dst, game.Outcome[State]{State: won, Prob: p}, game.Outcome[State]{State: lost, Prob: 1 - p})
	}
	return dst
}

// OutcomeName implements [game.Presenter]: the seat that begins, the lowest roll with
// that effect, or "won" or "lost".
func (r *Rules) OutcomeName(s, next State) string {
	switch s.Phase {
	case Ordering:
		return strconv.Itoa(int(next.Start))
	case Rolling:
		for die := 1; die <= sides; die++ {
			result := s
			if r.startTurn(&result, die); result == next {
				return strconv.Itoa(die)
			}
		}
	case Battle:
		won := s
		if r.resolveBattle(&won, true); won == next {
			return "won"
		}
		return "lost"
	}
	return ""
}

// Sample implements [game.Sampler].
func (r *Rules) Sample(s State, dice *rand.PCG) State {
	r.sample(&s, dice)
	return s
}

func (r *Rules) sample(s *State, dice *rand.PCG) {
	switch s.Phase {
	case Ordering:
		s.setStart(random.Below(dice, r.cfg.Players))
	case Rolling:
		r.startTurn(s, random.Below(dice, sides)+1)
	case Battle:
		r.resolveBattle(s, random.Below(dice, throws) < s.winningThrows())
	}
}

// setStart makes a seat the first to move.
func (s *State) setStart(seat int) {
	s.Start, s.Mover, s.Phase = uint8(seat), uint8(seat), Towers
}
