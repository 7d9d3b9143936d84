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
	"marsgym/internal/jobs"
	"marsgym/internal/kernel/elementary"
)

// Tournament is a round robin of duplicate matches with ratings.
type Tournament struct {
	Method     string      `json:"method"`     // "match"
	Agents     []string    `json:"agents"`     // [n] the highest rating first
	Win        [][]float64 `json:"win"`        // [n, n] win shares of one agent of the row, with agents of the column in all other seats
	Fair       float64     `json:"fair"`       // the win share of each of P equal agents: 1/P
	Rating     []float64   `json:"rating"`     // [n] see Ratings
	Low        []float64   `json:"low"`        // [n] of the interval around Rating
	High       []float64   `json:"high"`       //
	Anchor     string      `json:"anchor"`     // the agent with the rating 0, to which the other ratings are relative
	Confidence float64     `json:"confidence"` // of each interval
	Games      int         `json:"games"`      // of all matches
	Truncated  int         `json:"truncated"`  // of Games; these count as shared by all
	Seed       uint64      `json:"seed"`
}

// Pairing is the result of one match of a tournament: one agent A with agents B in all
// other seats, by their indices among the entrants.
type Pairing struct {
	A         int     `json:"a"`
	B         int     `json:"b"`
	Win       float64 `json:"win"`      // share of the win of A
	Variance  float64 `json:"variance"` // of Win
	Games     int     `json:"games"`
	Truncated int     `json:"truncated"` // of Games
}

// PlayTournament plays a duplicate match of at least the given number of games for
// each pair of agents and rates them. With more than two players, each ordered pair
// plays a match: one agent against agents of the other in all other seats. The first
// agent is the anchor.
//
// If one agent wins all its games, the likelihood has no maximum. So the ratings are
// those of the matches with one further set each, in which all win the fair share.
func PlayTournament(ctx context.Context, g env.Game, entrants []*agents.Agent, games int, seed uint64, progress func(done float64)) (Tournament, error) {
	return ResumeTournament(ctx, g, entrants, games, seed, nil, nil, progress)
}

// ResumeTournament is [PlayTournament] with the results of matches that it has played
// before: known are not played again, and played, if not nil, is called after each other
// match. Its error ends the tournament. The result is the same to the bit.
func ResumeTournament(ctx context.Context, g env.Game, entrants []*agents.Agent, games int, seed uint64, known []Pairing, played func(Pairing) error, progress func(done float64)) (Tournament, error) {
	return ResumeTournamentBy(ctx, nil, g, entrants, games, seed, known, played, progress)
}

// ResumeTournamentBy is ResumeTournament by an executor (see [PlayDuplicateBy]).
func ResumeTournamentBy(ctx context.Context, executor jobs.Executor, g env.Game, entrants []*agents.Agent, games int, seed uint64, known []Pairing, played func(Pairing) error, progress func(done float64)) (Tournament, error) {
	n, p := len(entrants), g.Spec().Players
	if n < 2 {
		return Tournament{}, fmt.Errorf("a tournament of %d agents; want at least 2", n)
	}
	if err := checkGames(games); err != nil {
		return Tournament{}, err
	}
	t := Tournament{Method: "match", Fair: 1 / float64(p), Anchor: entrants[0].Name, Confidence: Confidence, Seed: seed}
	won, variance := square(n), square(n) // the means of the matches, and their variances
	matches, done := n*(n-1), 0
	if p == 2 {
		matches /= 2 // each gives the shares of both agents
	}
	sets := (games + p - 1) / p
	for i, a := range entrants {
		for k, b := range entrants {
			if i == k || p == 2 && i > k {
				continue
			}
			at := slices.IndexFunc(known, func(m Pairing) bool { return m.A == i && m.B == k })
			var m Pairing
			if at >= 0 {
				m = known[at]
			} else {
				d, err := newDuplicate(g, append([]*agents.Agent{a}, slices.Repeat([]*agents.Agent{b}, p-1)...), seed)
				if err != nil {
					return Tournament{}, err
				}
				d.executor, d.first = executor, uint64(done*sets)
				var report func(float64)
				if progress != nil {
					report = func(part float64) { progress((float64(done) + part) / float64(matches)) }
				}
				if err := d.play(ctx, sets, report); err != nil {
					return Tournament{}, err
				}
				var s sample
				s.add(t.Fair)
				for set := range sets {
					s.add(d.mean(set, 0) + float64(t.Fair*d.unclaimed(set)))
				}
				m = Pairing{A: i, B: k, Win: s.mean(), Variance: s.meanVariance(), Games: sets * p, Truncated: d.truncated}
				if played != nil {
					if err := played(m); err != nil {
						return Tournament{}, err
					}
				}
			}
			done++
			won[i][k], variance[i][k] = m.Win, m.Variance
			if p == 2 {
				won[k][i] = 1 - won[i][k]
			}
			t.Games += m.Games
			t.Truncated += m.Truncated
		}
	}
	rating, err := Ratings(won, p)
	if err != nil {
		return Tournament{}, err
	}
	errs, err := ratingErrors(rating, variance, p)
	if err != nil {
		return Tournament{}, err
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
		won[i][i] = t.Fair
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(rating[k], rating[i]) })
	for _, i := range order {
		t.Agents = append(t.Agents, entrants[i].Name)
		t.Rating = append(t.Rating, rating[i])
		t.Low, t.High = append(t.Low, rating[i]-float64(z*errs[i])), append(t.High, rating[i]+float64(z*errs[i]))
		row := make([]float64, n)
		for k := range row {
			row[k] = won[i][order[k]]
		}
		t.Win = append(t.Win, row)
	}
	return t, nil
}

// ratingErrors returns the standard errors [n] of ratings, relative to the rating of
// the first agent, given the variances [n, n] of the win shares from which they were
// computed; for two players, those below the diagonal are not read. With the win
// shares p that the ratings predict,
//
//	cov(θ) = H⁻¹ C H⁻¹,  H = Σ p(1−p) dd',  C = Σ var dd',  d = eᵢ − eₖ
//
// summed over the matches and without the first agent. It holds even if the model
// does not (the sandwich estimator).
//
// Source: Huber, "The behavior of maximum likelihood estimates under nonstandard
// conditions", Proc. Fifth Berkeley Symposium (1967).
func ratingErrors(rating []float64, variance [][]float64, players int) ([]float64, error) {
	n, scale := len(rating), 400/math.Ln10
	h, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	add := func(m *mat.Dense, i, k int, x float64) {
		for _, e := range [][3]int{{i, i, 1}, {k, k, 1}, {i, k, -1}, {k, i, -1}} {
			m.Set(e[0], e[1], m.At(e[0], e[1])+float64(float64(e[2])*x))
		}
	}
	for i := range n {
		for k := range n {
			if i == k {
				continue
			}
			p := 1 / (1 + float64(float64(players-1)*elementary.Exp((rating[k]-rating[i])/scale)))
			add(h, i, k, p*(1-p))
			switch {
			case players > 2:
				add(c, i, k, variance[i][k])
			case i < k:
				add(c, i, k, 4*variance[i][k]) // both shares have the same error
			}
		}
	}
	errs := make([]float64, n)
	var inverse, half, cov mat.Dense
	if err := inverse.Inverse(h.Slice(1, n, 1, n)); err != nil {
		return nil, errors.New("the ratings of some agents are too far apart to be computed; play more games, or leave these agents out")
	}
	half.Mul(&inverse, c.Slice(1, n, 1, n))
	cov.Mul(&half, &inverse)
	for i := 1; i < n; i++ {
		errs[i] = scale * math.Sqrt(cov.At(i-1, i-1))
	}
	return errs, nil
}
