package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"marsgym/agents"
	"marsgym/env"
)

// Pool is a round robin of mirrored matches, and the ratings it comes to.
type Tournament struct {
	Method     string      `json:"method"`     // "match"
	Agents     []string    `json:"agents"`     // the highest rating first
	Win        [][]float64 `json:"win"`        // of one agent of the row, all others of the column, the mean over its seats
	Fair       float64     `json:"fair"`       // what each of equals wins
	Rating     []float64   `json:"rating"`     // Elo, see Ratings
	Low        []float64   `json:"low"`        // of the interval around Rating
	High       []float64   `json:"high"`       //
	Anchor     string      `json:"anchor"`     // the agent whose rating is 0 by definition, and the others' relative to it
	Confidence float64     `json:"confidence"` // of each interval
	Games      int         `json:"games"`      // of all matches
	Truncated  int         `json:"truncated"`  // of Games: cut off, and counted as shared by all
	Seed       uint64      `json:"seed"`
}

// RoundRobin plays a match of at least so many games for each two agents of a
// pool, or, at larger tables, for one agent of each among those of each other,
// and rates them. The first agent is the anchor.
//
// Where one agent always wins the likelihood has no maximum. So the ratings are
// those of the matches with one set more, in which all win a fair share.
func PlayTournament(ctx context.Context, g env.Game, who []*agents.Agent, games int, seed uint64, progress func(done float64)) (Tournament, error) {
	n, p := len(who), g.Spec().Players
	if n < 2 {
		return Tournament{}, fmt.Errorf("a pool of %d agents; want at least 2", n)
	}
	if err := checkGames(games); err != nil {
		return Tournament{}, err
	}
	r := Tournament{Method: "match", Fair: 1 / float64(p), Anchor: who[0].Name, Confidence: Confidence, Seed: seed}
	won, spread := square(n), square(n) // the means, and their variances
	tables, done := n*(n-1), 0
	if p == 2 {
		tables /= 2 // each tells of both agents
	}
	sets := (games + p - 1) / p
	for i, a := range who {
		for k, b := range who {
			if i == k || p == 2 && i > k {
				continue
			}
			m, err := newMirror(g, append([]*agents.Agent{a}, slices.Repeat([]*agents.Agent{b}, p-1)...), seed)
			if err != nil {
				return Tournament{}, err
			}
			m.first = uint64(done * sets)
			var report func(float64)
			if progress != nil {
				report = func(share float64) { progress((float64(done) + share) / float64(tables)) }
			}
			if err := m.play(ctx, sets, report); err != nil {
				return Tournament{}, err
			}
			done++
			var s sample
			s.add(r.Fair)
			for set := range sets {
				s.add(m.mean(set, 0) + r.Fair*m.unpaid(set))
			}
			won[i][k], spread[i][k] = s.mean(), s.spread()
			if p == 2 {
				won[k][i] = 1 - won[i][k]
			}
			r.Games += sets * p
			r.Truncated += m.truncated
		}
	}
	rating, err := Ratings(won, p)
	if err != nil {
		return Tournament{}, err
	}
	errs, err := ratingErrors(rating, spread, p)
	if err != nil {
		return Tournament{}, err
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
		won[i][i] = r.Fair
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(rating[k], rating[i]) })
	for _, i := range order {
		r.Agents = append(r.Agents, who[i].Name)
		r.Rating = append(r.Rating, rating[i])
		r.Low, r.High = append(r.Low, rating[i]-z*errs[i]), append(r.High, rating[i]+z*errs[i])
		row := make([]float64, n)
		for k := range row {
			row[k] = won[i][order[k]]
		}
		r.Win = append(r.Win, row)
	}
	return r, nil
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// ratingErrors returns the standard errors [n] of ratings, relative to the first
// agent's, given the variances [n, n] of the shares they were made from; at a
// table of two those below the diagonal are not read. With p the shares that the
// ratings expect,
//
//	cov(θ) = H⁻¹ C H⁻¹,  H = Σ p(1−p) dd',  C = Σ var dd',  d = eᵢ − eₖ
//
// summed over the tables and without the first agent; it holds even if the model
// does not (the sandwich estimator).
//
// Source: Huber, "The behavior of maximum likelihood estimates under nonstandard
// conditions", Proc. Fifth Berkeley Symposium (1967).
func ratingErrors(rating []float64, spread [][]float64, seats int) ([]float64, error) {
	n, scale := len(rating), 400/math.Ln10
	h, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	add := func(m *mat.Dense, i, k int, x float64) {
		for _, e := range [][3]int{{i, i, 1}, {k, k, 1}, {i, k, -1}, {k, i, -1}} {
			m.Set(e[0], e[1], m.At(e[0], e[1])+float64(e[2])*x)
		}
	}
	for i := range n {
		for k := range n {
			if i == k {
				continue
			}
			p := 1 / (1 + float64(seats-1)*math.Exp((rating[k]-rating[i])/scale))
			add(h, i, k, p*(1-p))
			switch {
			case seats > 2:
				add(c, i, k, spread[i][k])
			case i < k:
				add(c, i, k, 4*spread[i][k]) // both shares are off by as much
			}
		}
	}
	errs := make([]float64, n)
	var inverse, half, cov mat.Dense
	if err := inverse.Inverse(h.Slice(1, n, 1, n)); err != nil {
		return nil, errors.New("some agents are too far apart to be rated; play more games, or leave them out")
	}
	half.Mul(&inverse, c.Slice(1, n, 1, n))
	cov.Mul(&half, &inverse)
	for i := 1; i < n; i++ {
		errs[i] = scale * math.Sqrt(cov.At(i-1, i-1))
	}
	return errs, nil
}
