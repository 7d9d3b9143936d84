package martiandice_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// bruteForce solves the game for two literally by its rules, in rationals: the dice are
// ordered and nothing is merged. Counts of dice are tanks, rays, humans, cows, chickens.
type bruteForce struct {
	dice, target int
	win          map[start]*big.Rat // probability that the seat to move wins
}

// start is the start of a turn.
type start struct {
	score [2]int // by seat
	seat  int
}

var (
	one   = big.NewRat(1, 1)
	half  = big.NewRat(1, 2)
	faces = [6]int{0, 1, 1, 2, 3, 4} // "1 Panzer, 2 Todesstrahlen, 1 Mensch, 1 Kuh sowie 1 Huhn"
)

func points(aside [5]int) int {
	if aside[0] > aside[1] { // "If there are more Tanks than Death Rays"
		return 0
	}
	n := aside[2] + aside[3] + aside[4]
	if aside[2] > 0 && aside[3] > 0 && aside[4] > 0 { // "one of all three"
		n += 3
	}
	return n
}

// ends has the probability of each number of points of a turn.
type ends []*big.Rat

// value returns the expected payoff.
func (e ends) value(pay []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for k, p := range e {
		sum.Add(sum, new(big.Rat).Mul(p, pay[k]))
	}
	return sum
}

func certainly(points, most int) ends {
	e := make(ends, most+1)
	for k := range e {
		e[k] = new(big.Rat)
	}
	e[points].Set(one)
	return e
}

// turn returns the ends of a turn under best play.
func (b *bruteForce) turn(pay []*big.Rat) ends {
	return b.roll([5]int{}, pay, map[[5]int]ends{})
}

// roll returns the ends under best play when the dice that are not aside are rolled.
func (b *bruteForce) roll(aside [5]int, pay []*big.Rat, known map[[5]int]ends) ends {
	if e, ok := known[aside]; ok {
		return e
	}
	free := b.dice
	for _, n := range aside {
		free -= n
	}
	sides := 1
	for range free {
		sides *= len(faces)
	}
	sum := certainly(0, len(pay)-1)
	sum[0].SetInt64(0)
	for rolled := range sides { // the dice are its digits
		var shown [5]int
		for range free {
			shown[faces[rolled%len(faces)]]++
			rolled /= len(faces)
		}
		for k, p := range b.choose(aside, shown, pay, known) {
			sum[k].Add(sum[k], p)
		}
	}
	each := big.NewRat(1, int64(sides))
	for _, p := range sum {
		p.Mul(p, each)
	}
	known[aside] = sum
	return sum
}

// choose returns the ends under best play when the dice show these counts.
func (b *bruteForce) choose(aside, shown [5]int, pay []*big.Rat, known map[[5]int]ends) (best ends) {
	aside[0] += shown[0] // all tanks are set aside
	try := func(e ends) {
		if best == nil || e.value(pay).Cmp(best.value(pay)) > 0 {
			best = e
		}
	}
	for t := 1; t < 5; t++ {
		// One type, all of it; an earthling type once per turn.
		if shown[t] == 0 || t > 1 && aside[t] > 0 {
			continue
		}
		next := aside
		next[t] += shown[t]
		try(certainly(points(next), len(pay)-1)) // stop
		if next[0]+next[1]+next[2]+next[3]+next[4] < b.dice {
			try(b.roll(next, pay, known))
		}
	}
	if best == nil { // "If you cannot set aside any dice … proceed to Scoring"
		return certainly(points(aside), len(pay)-1)
	}
	return best
}

// pay returns the value of each end of the turn to the seat that moves from s, by
// points. If nothing is not nil, it is the value of a turn without points.
func (b *bruteForce) pay(s start, nothing *big.Rat) []*big.Rat {
	most := b.dice
	if b.dice >= 3 {
		most += 3 // the bonus takes three dice
	}
	var pay []*big.Rat
	for k := range most + 1 {
		next := start{s.score, 1 - s.seat}
		next.score[s.seat] += k
		mine, other := next.score[s.seat], next.score[1-s.seat]
		var w *big.Rat
		switch {
		case s.seat == 0 || mine < b.target && other < b.target:
			// The round or the game continues: the other seat moves.
			if k == 0 && nothing != nil {
				w = nothing
			} else {
				w = new(big.Rat).Sub(one, b.value(next))
			}
		case mine > other:
			w = one
		case mine == other:
			w = half // a fair roll-off
		default:
			w = new(big.Rat)
		}
		pay = append(pay, w)
	}
	return pay
}

// value returns the probability that the seat to move wins.
func (b *bruteForce) value(s start) *big.Rat {
	if v, ok := b.win[s]; ok {
		return v
	}
	if s.score[0] >= b.target { // seat 1 has the last turn
		pay := b.pay(s, nil)
		b.win[s] = b.turn(pay).value(pay)
		return b.win[s]
	}
	// Two turns without points lead back here. With w(i) for the probability that seat
	// i wins when it is to move and e(i) for the ends of its turn,
	//
	//	w(i) = Σ(k>0) e(i)[k]·pay(i)[k] + e(i)[0]·(1 - w(1-i))
	//
	// Each e(i) is best for the w that it leads to.
	w := [2]*big.Rat{half, half}
	for {
		var c, q [2]*big.Rat
		var best [2]*big.Rat
		for i := range 2 {
			pay := b.pay(start{s.score, i}, new(big.Rat).Sub(one, w[1-i]))
			e := b.turn(pay)
			best[i] = e.value(pay)
			q[i] = e[0]
			c[i] = new(big.Rat).Sub(best[i], new(big.Rat).Mul(q[i], pay[0]))
		}
		if best[0].Cmp(w[0]) == 0 && best[1].Cmp(w[1]) == 0 {
			break
		}
		// w(0) = c(0) + q(0)·(1 - c(1) - q(1)·(1 - w(0)))
		qq := new(big.Rat).Mul(q[0], q[1])
		x := new(big.Rat).Sub(one, c[1])
		x.Sub(x, q[1]).Mul(x, q[0]).Add(x, c[0])
		x.Quo(x, new(big.Rat).Sub(one, qq))
		y := new(big.Rat).Sub(one, x)
		y.Mul(y, q[1]).Add(y, c[1])
		w = [2]*big.Rat{x, y}
	}
	b.win[start{s.score, 0}], b.win[start{s.score, 1}] = w[0], w[1]
	return b.win[s]
}

func TestBruteForce(t *testing.T) {
	for _, size := range [][2]int{{1, 2}, {2, 2}, {2, 4}, {3, 2}, {3, 3}} { // dice, target
		b := &bruteForce{size[0], size[1], map[start]*big.Rat{}}
		r := newRules(t, small(2, b.dice, b.target, nil))
		sol := solve(t, r)
		b.value(start{})
		for s, want := range b.win {
			text := fmt.Sprintf("%d-%d@%d", s.score[0], s.score[1], s.seat)
			v, err := sol.Value(nil, parse(t, r, text))
			if err != nil {
				t.Fatal(err)
			}
			got := r.Spec().WinShare(v[s.seat])
			if want, _ := want.Float64(); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("with %d dice to %d points the mover wins from %s with probability %v, want %v", b.dice, b.target, text, got, want)
			}
		}
	}
}
