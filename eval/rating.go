package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"marsgym/internal/figure"
	"marsgym/internal/kernel/elementary"
	"marsgym/internal/parallel"
)

// Ratings returns Elo ratings [n] of agents; that of the first one is 0. win [n, n] is
// the share of the win of one agent of the row in a game for the given number of
// players, two or more, with agents of the column in all other seats; its diagonal is
// not read. Ratings are the strengths s = 10^(R/400) of the highest likelihood under
// Luce's choice rule, with equal weight for all pairs:
//
//	win[i][k] ≈ s(i) / (s(i) + (players−1)·s(k))
//
// For two players this is the Bradley-Terry model. Exact shares give exact ratings,
// but the model itself is an approximation, since strength has more than one
// dimension.
//
// Source: Luce, Individual Choice Behavior (1959); Hunter, "MM algorithms for
// generalized Bradley-Terry models", Annals of Statistics 32 (2004), eq. 3 for
// two players and section 5 for more, of whom only the first place is observed.
func Ratings(win [][]float64, players int) ([]float64, error) {
	if players < 2 {
		return nil, fmt.Errorf("ratings for %d players; want at least 2", players)
	}
	n, others := len(win), float64(players-1)
	strength, wins := make([]float64, n), make([]float64, n)
	for i := range win {
		if len(win[i]) != n {
			return nil, fmt.Errorf("agent %d has shares against %d agents; want %d", i, len(win[i]), n)
		}
		strength[i] = 1
		for k, w := range win[i] {
			if !(w >= 0 && w <= 1) {
				return nil, fmt.Errorf("the share of agent %d against agent %d is %v; want 0 to 1", i, k, w)
			}
			if k != i {
				wins[i] += w
				wins[k] += 1 - w
			}
		}
	}
	if n < 2 {
		return make([]float64, n), nil // there is nobody else
	}
	for i, w := range wins {
		if w == 0 || w == float64(2*(n-1)) {
			return nil, fmt.Errorf("agent %d always wins or always loses, so its rating is not finite", i)
		}
	}
	const limit = 1_000_000
	for range limit {
		moved := 0.0
		for i := range n {
			games := 0.0
			for k := range n {
				if k != i {
					games += 1/(strength[i]+float64(others*strength[k])) + others/(strength[k]+float64(others*strength[i]))
				}
			}
			next := wins[i] / games
			moved = max(moved, math.Abs(elementary.Log(next/strength[i])))
			strength[i] = next
		}
		if moved < 1e-13 {
			break
		}
	}
	ratings := make([]float64, n)
	for i, s := range strength {
		ratings[i] = 400 * elementary.Log10(s/strength[0])
	}
	return ratings, nil
}

// Result is the result of one match by which agents are rated: one agent A with agents B in all
// other seats, by their indices.
type Result struct {
	A, B  int
	Share float64 // of the win of A
	Games float64 // the number of independent games, each won or lost, whose share varies as much
}

// Interval is the interval of a rating. An end is infinite where the results set no bound, as for
// an agent that has lost all its games.
type Interval struct{ Low, High float64 }

// String returns the interval as text, such as "-30.1 to 12.0" or "below -381.2".
func (i Interval) String() string {
	switch {
	case math.IsInf(i.Low, -1) && math.IsInf(i.High, 1):
		return "unbounded"
	case math.IsInf(i.Low, -1):
		return "below " + figure.Fixed(i.High, 1)
	case math.IsInf(i.High, 1):
		return "above " + figure.Fixed(i.Low, 1)
	}
	return figure.Fixed(i.Low, 1) + " to " + figure.Fixed(i.High, 1)
}

// End is an end of an interval in JSON: null if it is infinite. Decoded, null is no number.
type End float64

// MarshalJSON implements [json.Marshaler].
func (e End) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(e), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(e))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *End) UnmarshalJSON(b []byte) error {
	x := math.NaN()
	if string(b) != "null" {
		if err := json.Unmarshal(b, &x); err != nil {
			return err
		}
	}
	*e = End(x)
	return nil
}

const (
	// unlikely is the part of its maximum to which the likelihood falls at the ends of an interval.
	// By Chernoff's bound, the share of independent games lies as far from its mean with at most
	// this probability on each side, for any number of games.
	unlikely = (1 - Confidence) / 2
	// farthest bounds the differences of ratings that are computed. Chosen: a weaker agent wins
	// one game in ten billion.
	farthest = 4000
)

// Intervals returns the intervals [n] of ratings [n] relative to the first agent, from the results
// of matches. They hold the ratings R at which the profile likelihood is at least unlikely times the
// highest:
//
//	Σ (kl(share, win(R)) − kl(share, win(R̂))) ≤ c(i)·log(1/unlikely),  kl(x, p) = x·log(x/p) + (1−x)·log((1−x)/(1−p))
//
// with the win shares win(R) of [Ratings] and the equal weights there; c(i) adjusts for the numbers
// of games. For two agents it is 1/games. The error is that of ctx, if that is done before.
//
// Source: Pace, Salvan and Sartori, "Adjusting composite likelihood ratio statistics", Statistica
// Sinica 21 (2011), section 2; Chernoff, Annals of Mathematical Statistics 23 (1952).
func Intervals(ctx context.Context, ratings []float64, players int, results []Result) ([]Interval, error) {
	adjust, err := adjustments(ratings, players, results)
	if err != nil {
		return nil, err
	}
	p := profile{ctx: ctx, results: results, others: elementary.Log(float64(players - 1)), at: make([]float64, len(ratings))}
	p.fit(0)
	list, best := make([]Interval, len(ratings)), p.at
	lowest := p.loss()
	parallel.For(len(ratings)-1, 1, func(k, _ int) {
		i, p := k+1, p
		most := lowest - float64(adjust[i]*elementary.Log(unlikely))
		end := func(side float64) float64 {
			p.at = slices.Clone(best)
			inside, outside := best[i], 0.0
			within := func(x float64) bool {
				p.at[i] = x
				p.fit(i)
				return p.loss() <= most
			}
			for reach := 0.1; ; reach *= 2 { // chosen: 17 Elo first
				if outside = max(-strongest, min(best[i]+float64(side*reach), strongest)); !within(outside) {
					break
				}
				if inside = outside; inside == side*strongest {
					return math.Inf(int(side))
				}
			}
			for range 40 {
				if x := (inside + outside) / 2; within(x) {
					inside = x
				} else {
					outside = x
				}
			}
			return inside * eloScale
		}
		list[i] = Interval{end(-1), end(1)}
	})
	return list, ctx.Err()
}

// eloScale is the rating of a logarithm of strengths of 1.
const eloScale = 400 / math.Ln10

// strongest is the largest logarithm of strengths that is computed.
const strongest = farthest / eloScale

// profile is the likelihood of results, given some logarithms of strengths.
type profile struct {
	ctx     context.Context
	results []Result
	others  float64   // the logarithm of the number of other seats
	at      []float64 // [n] logarithms of strengths; that of the first agent stays 0
}

// ahead returns how far A of a result is ahead of all others, in log-odds.
func (p *profile) ahead(r Result) float64 { return p.at[r.A] - p.at[r.B] - p.others }

// loss returns the sum of kl over the results.
func (p *profile) loss() float64 {
	sum := 0.0
	for _, r := range p.results {
		d := p.ahead(r)
		sum += xLog(r.Share, r.Share) + xLog(1-r.Share, 1-r.Share)
		sum += xLog(r.Share, 1+elementary.Exp(-d)) + xLog(1-r.Share, 1+elementary.Exp(d))
	}
	return sum
}

// xLog returns x·log(y), which is 0 for x = 0.
func xLog(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return float64(x * elementary.Log(y))
}

// fit minimises the loss over the strengths, without the first one and the fixed one: all at once
// as far as that goes, then one after the other, where some are infinite. It stops when ctx is done.
func (p *profile) fit(fixed int) {
	const sweeps, small = 1000, 1e-9
	p.newton(fixed)
	for range sweeps {
		if p.ctx.Err() != nil {
			return
		}
		moved := 0.0
		for i := 1; i < len(p.at); i++ {
			if i != fixed {
				before := p.at[i]
				p.solve(i)
				moved = max(moved, math.Abs(p.at[i]-before))
			}
		}
		if moved < small {
			return
		}
	}
}

// newton moves the strengths of fit by Newton's method, by half steps and shorter ones where a whole
// one does not lower the loss, until they move by less than the loss shows.
func (p *profile) newton(fixed int) {
	const most, little, done = 100, 1e-6, 1e-11
	row, n := make([]int, len(p.at)), 0 // of the system of equations, -1 for strengths that stay
	for i := range row {
		if row[i] = -1; i != 0 && i != fixed {
			row[i], n = n, n+1
		}
	}
	if n == 0 {
		return
	}
	lowest := p.loss()
	for range most {
		if p.ctx.Err() != nil {
			return
		}
		slope, curve := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for _, r := range p.results {
			win, a, b := 1/(1+elementary.Exp(-p.ahead(r))), row[r.A], row[r.B]
			x := float64(win * (1 - win))
			if a >= 0 {
				slope.SetVec(a, slope.AtVec(a)+win-r.Share)
				curve.SetSym(a, a, curve.At(a, a)+x)
			}
			if b >= 0 {
				slope.SetVec(b, slope.AtVec(b)-(win-r.Share))
				curve.SetSym(b, b, curve.At(b, b)+x)
			}
			if a >= 0 && b >= 0 {
				curve.SetSym(a, b, curve.At(a, b)-x)
			}
		}
		var factors mat.Cholesky
		var step mat.VecDense
		if !factors.Factorize(curve) || factors.SolveVecTo(&step, slope) != nil {
			return
		}
		before, moved, now := slices.Clone(p.at), 0.0, 0.0
		for part := 1.0; ; part /= 2 {
			moved = 0
			for i, k := range row {
				if k >= 0 {
					p.at[i] = min(max(before[i]-float64(part*step.AtVec(k)), -strongest), strongest)
					moved = max(moved, math.Abs(p.at[i]-before[i]))
				}
			}
			if now = p.loss(); now < lowest || moved < little {
				break
			}
		}
		if lowest = now; moved < done {
			return
		}
	}
}

// solve sets the strength of agent i to where the loss is lowest: a zero of an increasing slope.
func (p *profile) solve(i int) {
	low, high := -strongest, strongest
	for range 100 {
		slope, curve := 0.0, 0.0
		for _, r := range p.results {
			if r.A != i && r.B != i {
				continue
			}
			win := 1 / (1 + elementary.Exp(-p.ahead(r)))
			curve += float64(win * (1 - win))
			if r.A == i {
				slope += win - r.Share
			} else {
				slope -= win - r.Share
			}
		}
		before := p.at[i]
		if slope < 0 {
			low = before
		} else {
			high = before
		}
		next := before - slope/curve
		if !(low <= next && next <= high) {
			next = (low + high) / 2
		}
		if p.at[i] = next; math.Abs(next-before) < 1e-11 {
			return
		}
	}
}

// adjustments returns c [n] of [Intervals]. With the win shares p that the ratings predict,
//
//	c(i) = cov(i, i) / H⁻¹(i, i),  cov = H⁻¹ C H⁻¹,  H = Σ p(1−p) dd',  C = Σ p(1−p)/games dd',  d = e(A) − e(B)
//
// summed over the results and without the first agent. cov is the sandwich estimator.
//
// Source: Huber, "The behavior of maximum likelihood estimates under nonstandard conditions",
// Proc. Fifth Berkeley Symposium (1967).
func adjustments(ratings []float64, players int, results []Result) ([]float64, error) {
	n := len(ratings)
	h, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	add := func(m *mat.Dense, r Result, x float64) {
		for _, e := range [][3]int{{r.A, r.A, 1}, {r.B, r.B, 1}, {r.A, r.B, -1}, {r.B, r.A, -1}} {
			m.Set(e[0], e[1], m.At(e[0], e[1])+float64(float64(e[2])*x))
		}
	}
	for _, r := range results {
		p := 1 / (1 + float64(float64(players-1)*elementary.Exp((ratings[r.B]-ratings[r.A])/eloScale)))
		add(h, r, p*(1-p))
		add(c, r, p*(1-p)/r.Games)
	}
	var inverse, half, cov mat.Dense
	if err := inverse.Inverse(h.Slice(1, n, 1, n)); err != nil {
		return nil, errors.New("the ratings of some agents are too far apart to be computed; play more games, or leave these agents out")
	}
	half.Mul(&inverse, c.Slice(1, n, 1, n))
	cov.Mul(&half, &inverse)
	adjust := make([]float64, n)
	for i := 1; i < n; i++ {
		adjust[i] = cov.At(i-1, i-1) / inverse.At(i-1, i-1)
	}
	return adjust, nil
}
