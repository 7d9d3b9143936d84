package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/jobs"
)

// Tournament is a round robin of duplicate matches with ratings.
type Tournament struct {
	Method     string      `json:"method"`      // "match"
	Agents     []string    `json:"agents"`      // [n] the highest rating first
	Win        [][]float64 `json:"win"`         // [n, n] of the win in its games: the share of one agent of the row, with agents of the column in all other seats; on the diagonal Fair, without a game
	Fair       float64     `json:"fair"`        // the win share of each of P equal agents: 1/P
	Rating     []float64   `json:"rating"`      // [n] see PlayTournament
	Low        []End       `json:"low"`         // [n] of the interval of Rating; see Intervals
	High       []End       `json:"high"`        //
	Anchor     string      `json:"anchor"`      // the agent with the rating 0, to which the other ratings are relative
	Confidence float64     `json:"confidence"`  // of each interval
	Games      int         `json:"games"`       // of all matches
	PriorGames int         `json:"prior_games"` // of each match, which only Rating counts
	Truncated  int         `json:"truncated"`   // of Games; won by nobody in Win, and shared by all in Rating
	Seed       uint64      `json:"seed"`
}

// Pairing is the result of one match of a tournament: one agent A with agents B in all
// other seats, by their indices among the entrants.
type Pairing struct {
	A         int     `json:"a"`
	B         int     `json:"b"`
	Share     float64 `json:"share"`    // of the win of A, which counts as shared by all where a game is truncated
	Variance  float64 `json:"variance"` // of Share (see [sample.meanVariance])
	Games     int     `json:"games"`
	Truncated int     `json:"truncated"` // of Games
}

// PlayTournament plays a duplicate match of at least the given number of games for
// each pair of agents and rates them. With more than two players, each ordered pair
// plays a match: one agent against agents of the other in all other seats. The first
// agent is the anchor.
//
// If one agent wins all its games, the likelihood has no maximum. So the ratings are smoothed:
// they are the [Ratings] of the matches with one further set each, in which all win the fair
// share. The win shares and the intervals are those of the matches alone: the interval of an
// agent that always wins has no upper end.
func PlayTournament(ctx context.Context, g env.Game, entrants []*agents.Agent, games int, seed uint64, progress func(done float64)) (Tournament, error) {
	return ResumeTournament(ctx, nil, g, entrants, games, seed, nil, nil, progress)
}

// ResumeTournament is [PlayTournament] by an executor (see [RecordDuplicate]), with the results
// of matches that it has played before: known are not played again, and played, if not nil, is
// called after each other match. Its error ends the tournament. The result is the same to the
// bit.
func ResumeTournament(ctx context.Context, executor jobs.Executor, g env.Game, entrants []*agents.Agent, games int, seed uint64, known []Pairing, played func(Pairing) error, progress func(done float64)) (Tournament, error) {
	n, p := len(entrants), g.Spec().Players
	if n < 2 {
		return Tournament{}, fmt.Errorf("a tournament of %d agents; want at least 2", n)
	}
	if err := checkGames(games); err != nil {
		return Tournament{}, err
	}
	t := Tournament{Method: "match", Fair: 1 / float64(p), Anchor: entrants[0].Name, Confidence: Confidence, PriorGames: p, Seed: seed}
	win, smoothed := square(n), square(n) // without the further set, and with it
	var results []Result
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
				for set := range sets {
					s.add(d.mean(set, 0) + float64(t.Fair*d.unclaimed(set)))
				}
				m = Pairing{A: i, B: k, Share: s.mean(), Variance: s.meanVariance(), Games: sets * p, Truncated: d.truncated}
				if played != nil {
					if err := played(m); err != nil {
						return Tournament{}, err
					}
				}
			}
			done++
			shared := float64(t.Fair * float64(m.Truncated) / float64(m.Games))
			win[i][k], smoothed[i][k] = m.Share-shared, m.shareWith(t.Fair, p)
			results = append(results, m.result(p))
			if p == 2 {
				win[k][i], smoothed[k][i] = 1-m.Share-shared, 1-smoothed[i][k]
			}
			t.Games += m.Games
			t.Truncated += m.Truncated
		}
	}
	rating, err := Ratings(smoothed, p)
	if err != nil {
		return Tournament{}, err
	}
	intervals, err := Intervals(ctx, rating, p, results)
	if err != nil {
		return Tournament{}, err
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
		win[i][i] = t.Fair
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(rating[k], rating[i]) })
	for _, i := range order {
		t.Agents = append(t.Agents, entrants[i].Name)
		t.Rating = append(t.Rating, rating[i])
		t.Low, t.High = append(t.Low, End(intervals[i].Low)), append(t.High, End(intervals[i].High))
		row := make([]float64, n)
		for k := range row {
			row[k] = win[i][order[k]]
		}
		t.Win = append(t.Win, row)
	}
	return t, nil
}

// shareWith returns Share with one further set, in which A wins this share.
func (m Pairing) shareWith(further float64, players int) float64 {
	sets := float64(m.Games / players)
	return (float64(m.Share*sets) + further) / (sets + 1)
}

// result returns the result of the match. The number of independent games is that of the sets,
// times what common dice save; its variance is at most as high as for one game a set.
func (m Pairing) result(players int) Result {
	sets := float64(m.Games / players)
	s := sample{n: sets, sum: float64(m.Share * sets)}
	p := s.padded() // like Variance
	return Result{A: m.A, B: m.B, Share: m.Share, Games: sets * p.mean() * (1 - p.mean()) / (m.Variance * p.n)}
}

// Interval returns the interval of the rating of agent i.
func (t Tournament) Interval(i int) Interval { return Interval{float64(t.Low[i]), float64(t.High[i])} }
