package martianrisk

import "math"

// BattleOdds is the probability that the attacker wins a battle, given how many
// pieces higher his tower is, -3 to 3.
func BattleOdds(higher int) float64 { return float64(wins[higher+heights]) / throws }

// Conquest is what an attack comes to that goes on to its end.
type Conquest struct {
	Odds float64 // of conquest
	// Left[i] is the probability that the attacker conquers with i armies left
	// in the region that he attacked from, before any move.
	Left []float64
	// Held[j] is the probability that the attacker is down to one army and j
	// defend.
	Held []float64
}

// NewConquest returns the outcome of an attack by a armies, one or more, on d,
// none or more, where the attacker's tower is so many pieces higher.
//
// With w the odds of a battle, the attack ends at the d-th battle won, or at
// the a-1-th lost:
//
//	Left[a-k] = C(d-1+k, k) w^d (1-w)^k           k = 0 .. a-2
//	Held[d-k] = C(a-2+k, k) w^k (1-w)^(a-1)       k = 0 .. d-1
//
// two negative binomial distributions, each cut off where the other begins.
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
	p := math.Pow(w, float64(d))
	for k := range a - 1 {
		c.Left[a-k] = p
		c.Odds += p
		p *= (1 - w) * float64(d+k) / float64(k+1)
	}
	p = math.Pow(1-w, float64(a-1))
	for k := range d {
		c.Held[d-k] = p
		p *= w * float64(a-1+k) / float64(k+1)
	}
	return c
}

// conquests are the odds of conquest of all attacks that a game can see.
type conquests struct {
	cap  int // more than any region's armies
	odds []float64
}

// newConquests fills the table, with w the odds of a battle, by
//
//	C(a, d) = w C(a, d-1) + (1-w) C(a-1, d)    C(a, 0) = 1    C(1, d) = 0
func newConquests(most int) *conquests {
	c := &conquests{cap: most + 1}
	c.odds = make([]float64, (2*heights+1)*c.cap*c.cap)
	for higher := -heights; higher <= heights; higher++ {
		w := BattleOdds(higher)
		for a := 1; a < c.cap; a++ {
			c.odds[c.index(a, 0, higher)] = 1
			for d := 1; a > 1 && d < c.cap; d++ {
				c.odds[c.index(a, d, higher)] = w*c.odds[c.index(a, d-1, higher)] + (1-w)*c.odds[c.index(a-1, d, higher)]
			}
		}
	}
	return c
}

func (c *conquests) index(a, d, higher int) int { return ((higher+heights)*c.cap+a)*c.cap + d }

// conquest is how likely an attack is to conquer, with so many armies more.
func (r *Rules) conquest(s *State, from, to, more int) float64 {
	c := r.conquests
	a := min(int(s.Armies[from])+more, c.cap-1)
	return c.odds[c.index(a, int(s.Armies[to]), s.height(uint8(from))-s.height(uint8(to)))]
}

// Stopping is the best rule for when to break off one attack, given what its
// ends are worth.
type Stopping struct {
	Value [][]float64 // [a+1, d+1] with best play from there; row 0 is unused
	Fight [][]bool    // [a+1, d+1] whether the next battle is worth more than to stop
}

// NewStopping returns the rule for up to a armies against up to d, the
// attacker's tower being so many pieces higher. payoff(i, j) is what it is
// worth to end with i armies against j; j is 0 after a conquest.
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
				if on := w*s.Value[i][j-1] + (1-w)*s.Value[i-1][j]; on > v {
					v, s.Fight[i][j] = on, true
				}
			}
			s.Value[i][j] = v
		}
	}
	return s
}
