package martianrisk

import "marsgym/internal/kernel/elementary"

// BattleOdds returns the probability that the attacker wins a battle. higher is the
// height of the attacker's tower minus the defender's, -3 to 3.
func BattleOdds(higher int) float64 { return float64(float64(wins[higher+heights]) / throws) }

// Conquest is the distribution of the result of an attack fought to its end.
type Conquest struct {
	Odds float64 // probability of conquest
	// Left[i] is the probability that the attacker conquers and has i armies left in
	// the attacking region, before any move.
	Left []float64
	// Held[j] is the probability that the attacker is left with one army and the
	// defender with j.
	Held []float64
}

// NewConquest returns the distribution of an attack by a ≥ 1 armies on d ≥ 0, where
// the attacker's tower is higher by that many pieces.
//
// With w the odds of a battle, the attack ends at the d-th battle won, or at
// the a-1-th lost:
//
//	Left[a-k] = C(d-1+k, k) w^d (1-w)^k           k = 0 .. a-2
//	Held[d-k] = C(a-2+k, k) w^k (1-w)^(a-1)       k = 0 .. d-1
//
// two negative binomial distributions, each truncated where the other begins.
func NewConquest(a, d, higher int) Conquest {
	c := Conquest{Left: make([]float64, a+1), Held: make([]float64, d+1)}
	switch {
	case d == 0:
		c.Odds, c.Left[a] = 1, 1
		return c
	case a == 1:
		c.Held[d] = 1
		return c
	}
	w := BattleOdds(higher)
	p := elementary.Pow(w, float64(d))
	for k := range a - 1 {
		c.Left[a-k] = p
		c.Odds += p
		p = float64(p * ((1 - w) * float64(d+k) / float64(k+1)))
	}
	p = elementary.Pow(1-w, float64(a-1))
	for k := range d {
		c.Held[d-k] = p
		p = float64(p * (w * float64(a-1+k) / float64(k+1)))
	}
	return c
}

// conquestTable holds the probability of conquest of every attack in a game.
type conquestTable struct {
	cap  int // one more than the largest number of armies in a region
	odds []float64
}

// newConquestTable computes, with w the odds of a battle,
//
//	C(a, d) = w C(a, d-1) + (1-w) C(a-1, d)    C(a, 0) = 1    C(1, d) = 0
//
// where a ≥ 2 in C(a, 0), since one army does not attack.
func newConquestTable(most int) *conquestTable {
	c := &conquestTable{cap: most + 1}
	c.odds = make([]float64, (2*heights+1)*c.cap*c.cap)
	for higher := -heights; higher <= heights; higher++ {
		w := BattleOdds(higher)
		for a := 2; a < c.cap; a++ {
			c.odds[c.index(a, 0, higher)] = 1
			for d := 1; d < c.cap; d++ {
				c.odds[c.index(a, d, higher)] = float64(w*c.odds[c.index(a, d-1, higher)]) + float64((1-w)*c.odds[c.index(a-1, d, higher)])
			}
		}
	}
	return c
}

func (c *conquestTable) index(a, d, higher int) int { return c.attacker(a, higher) + c.defender(d, 0) }

// attacker and defender return the parts of an index that depend on the attacking region and on the
// other one, given the armies and the height of its tower.
func (c *conquestTable) attacker(a, height int) int { return ((height+heights)*c.cap + a) * c.cap }
func (c *conquestTable) defender(d, height int) int { return d - height*c.cap*c.cap }

// conquestOdds returns the probability that an attack fought to its end conquers, with
// more armies added to those of the attacking region.
func (r *Rules) conquestOdds(s *State, from, to, more int) float64 {
	return r.conquests.odds[r.conquestIndex(s, from, to, more)]
}

// conquestIndex returns the index of these odds.
func (r *Rules) conquestIndex(s *State, from, to, more int) int {
	c := r.conquests
	a := min(int(s.Armies[from])+more, c.cap-1)
	return c.attacker(a, s.height(uint8(from))) + c.defender(int(s.Armies[to]), s.height(uint8(to)))
}

// Stopping is the best rule for when to stop one attack, given the payoffs of its ends.
type Stopping struct {
	Value [][]float64 // [a+1, d+1]; value under the best rule; row 0 is unused
	Fight [][]bool    // [a+1, d+1]; whether another battle is better than to stop
}

// NewStopping returns the rule for up to a armies against up to d, where the attacker's
// tower is higher by that many pieces. payoff(i, j) is the value of stopping with i armies
// against j; j is 0 after a conquest.
//
//	V(i, j) = max(payoff(i, j), w V(i, j-1) + (1-w) V(i-1, j))    i ≥ 2, j ≥ 1
func NewStopping(a, d, higher int, payoff func(i, j int) float64) Stopping {
	s := Stopping{make([][]float64, a+1), make([][]bool, a+1)}
	w := BattleOdds(higher)
	for i := range a + 1 {
		s.Value[i], s.Fight[i] = make([]float64, d+1), make([]bool, d+1)
		if i == 0 {
			continue
		}
		for j := range d + 1 {
			v := payoff(i, j)
			if i >= 2 && j >= 1 {
				if on := float64(w*s.Value[i][j-1]) + float64((1-w)*s.Value[i-1][j]); on > v {
					v, s.Fight[i][j] = on, true
				}
			}
			s.Value[i][j] = v
		}
	}
	return s
}
