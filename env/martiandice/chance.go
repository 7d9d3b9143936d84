package martiandice

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/random"
)

// roll is one result of rolling a number of dice, without their order.
type roll struct {
	Counts
	prob float64
}

// rolls are the tables of the chance states of a config.
type rolls struct {
	results  [][]roll        // [dice+1]; at most C(17, 4) = 2,380 results of 13 dice
	draw     []*random.Table // [dice+1]; samples an index of results
	columns  [][]sample      // [dice+1]; the same tables for the rows of a batch
	rollOff  *random.Table   // the number of rays among TieDice
	rays     []float64       // [TieDice+1]; probability of each number of rays among TieDice
	mostRays [][]float64     // [P+1][P+1]; mostRays[k][j]: probability that j given seats of k tied ones, and no others, roll most rays
}

func newRolls(cfg Config) rolls {
	f := cfg.Faces
	sides := float64(f.Tank + f.Ray + f.Human + f.Cow + f.Chicken)
	face := [types]float64{
		float64(f.Tank) / sides, float64(f.Ray) / sides,
		float64(f.Human) / sides, float64(f.Cow) / sides, float64(f.Chicken) / sides,
	}
	var t rolls
	for n := range cfg.Dice + 1 {
		results := multinomial(n, face)
		probs := make([]float64, len(results))
		for i := range results {
			probs[i] = results[i].prob
		}
		t.results = append(t.results, results)
		draw := random.New(probs)
		columns := make([]sample, draw.Len())
		for i := range columns {
			keep, other := draw.Column(i)
			columns[i] = sample{keep, foursOf(&results[i].Counts), foursOf(&results[other].Counts)}
		}
		t.draw, t.columns = append(t.draw, draw), append(t.columns, columns)
	}
	t.rays = make([]float64, cfg.TieDice+1)
	for _, x := range multinomial(cfg.TieDice, face) {
		t.rays[x.Counts[ray]] += x.prob
	}
	t.rollOff = random.New(t.rays)
	t.mostRays = rollOffs(cfg.Players, t.rays)
	return t
}

// multinomial lists the results of n dice whose probabilities are above zero:
//
//	n!/∏cₜ! · ∏faceₜ^cₜ
func multinomial(n int, face [types]float64) []roll {
	var list []roll
	var c Counts
	var fill func(t, left int, p float64)
	fill = func(t, left int, p float64) {
		if t == types-1 {
			c[t] = uint8(left)
			for i := range left {
				p *= face[t] * float64(left-i) / float64(i+1)
			}
			if p > 0 {
				list = append(list, roll{c, p})
			}
			return
		}
		// p has the factor C(left, k) · face^k.
		for k := 0; k <= left; k++ {
			c[t] = uint8(k)
			fill(t+1, left-k, p)
			p *= face[t] * float64(left-k) / float64(k+1)
		}
	}
	fill(0, n, 1)
	return list
}

// rollOffs returns, for k tied seats with the given distribution of rays each, the
// probability [k][j] that j given seats of them, and no others, have the most.
func rollOffs(players int, rays []float64) [][]float64 {
	most := make([][]float64, players+1)
	for k := range most {
		most[k] = make([]float64, k+1)
		for j := 1; j <= k; j++ {
			below := 0.0
			for _, p := range rays {
				most[k][j] += float64(pow(p, j) * pow(below, k-j))
				below += p
			}
		}
	}
	return most
}

func pow(x float64, n int) float64 {
	p := 1.0
	for range n {
		p *= x
	}
	return p
}

// rolled changes s, in phase Rolling, to the state after the dice show c.
func (r *Rules) rolled(s *State, c Counts) {
	s.Aside[tank] += c[tank]
	c[tank] = 0
	s.Roll, s.Phase = c, Select
	if stuck(s) {
		r.endTurn(s)
	}
}

// rolledOff returns the state after the seats in most have rolled most rays.
func (r *Rules) rolledOff(s State, most uint16) State {
	s.Tied = most
	next := TieBreak
	if r.cfg.TieBreak == Share {
		next = Over
	}
	r.finish(&s, next)
	return s
}

// started returns the state after the draw of the seat that starts.
func started(s State, seat int) State {
	s.Phase, s.Seat, s.Start = Rolling, uint8(seat), uint8(seat)
	return s
}

// Outcomes implements [game.Rules].
func (r *Rules) Outcomes(dst []game.Outcome[State], s State) []game.Outcome[State] {
	switch s.Phase {
	case Drawing:
		for i := range r.cfg.Players {
			dst = append(dst, game.Outcome[State]{State: started(s, i), Prob: 1 / float64(r.cfg.Players)})
		}
	case TieBreak:
		k := bits.OnesCount16(s.Tied)
		for most := s.Tied; most > 0; most = (most - 1) & s.Tied { // every subset
			p := r.mostRays[k][bits.OnesCount16(most)]
			dst = append(dst, game.Outcome[State]{State: r.rolledOff(s, most), Prob: p})
		}
	case Rolling:
		results := r.results[r.free(&s)]
		dst = slices.Grow(dst, len(results))
		// Rolls that end the turn differ only in the points of the turn.
		var ended [maxDice + maxBonus + 1]float64
		for _, x := range results {
			after := s
			r.rolled(&after, x.Counts)
			if after.Phase == Select {
				dst = append(dst, game.Outcome[State]{State: after, Prob: x.prob})
				continue
			}
			aside := s.Aside
			aside[tank] += x.Counts[tank]
			ended[r.turnPoints(aside)] += x.prob
		}
		for points, p := range ended {
			if p > 0 {
				dst = append(dst, game.Outcome[State]{State: r.score(s, points), Prob: p})
			}
		}
	}
	return dst
}

// Sample implements [game.Sampler]. A roll of any number of dice takes one draw from
// an alias table.
func (r *Rules) Sample(s State, src *rand.PCG) State {
	switch s.Phase {
	case Drawing:
		return started(s, random.Below(src, r.cfg.Players))
	case TieBreak:
		best, most := -1, uint16(0)
		for left := s.Tied; left > 0; left &= left - 1 {
			seat := left & -left
			switch n := r.rollOff.Draw(src); {
			case n > best:
				best, most = n, seat
			case n == best:
				most |= seat
			}
		}
		return r.rolledOff(s, most)
	case Rolling:
		n := r.free(&s)
		r.rolled(&s, r.results[n][r.draw[n].Draw(src)].Counts)
	}
	return s
}
