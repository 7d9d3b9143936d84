package eval

import (
	"context"
	"fmt"
	"math"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/jobs"
	"marsgym/internal/kernel/elementary"
)

// SequentialOptions are the stopping rule of a sequential match.
type SequentialOptions struct {
	Margin float64 // of the win: a difference from the fair share within it counts as equal
	Games  int     // the largest number of games

	Executor jobs.Executor // see [RecordDuplicate]
}

// Verdict is the result of a sequential match.
type Verdict string

// The verdicts on the share of the first agent, compared with the fair share.
const (
	Stronger Verdict = "stronger"
	Weaker   Verdict = "weaker"
	Equal    Verdict = "equal" // within the margin
	Open     Verdict = "open"  // undecided after the largest number of games
)

// SequentialMatch is a match that was played until the strength of the first agent
// was decided. Low[0] and High[0] are bounds of a [ConfidenceSequence], so the verdict
// is wrong with a probability of at most 1−Confidence at any length of the match. The
// intervals of the other agents are those of a match of fixed length. Truncated games count as
// shared by all, so that they make no agent weaker.
type SequentialMatch struct {
	Match
	Verdict Verdict `json:"verdict"`
	Fair    float64 `json:"fair"`   // the win share of each of P equal agents: 1/P
	Margin  float64 `json:"margin"` // of the verdict equal
}

// Notes is [Match.Notes].
func (m SequentialMatch) Notes() string { return m.notes("shared by all") }

// PlaySequential plays a duplicate match between agents [P] until it is decided
// whether the first agent wins more than the fair share, less, or, within the margin,
// the same. It tests this after blocks of sets; each block has a quarter of the sets
// played before, for any number of cores.
func PlaySequential(ctx context.Context, g env.Game, entrants []*agents.Agent, opt SequentialOptions, seed uint64, progress func(done float64)) (SequentialMatch, error) {
	const block = 128 // sets of the first block; chosen: some hundred games
	if !(opt.Margin > 0 && opt.Margin < 1) {
		return SequentialMatch{}, fmt.Errorf("the margin is %v; want more than 0 and less than 1", opt.Margin)
	}
	if err := checkGames(opt.Games); err != nil {
		return SequentialMatch{}, err
	}
	d, err := newDuplicate(g, entrants, seed)
	if err != nil {
		return SequentialMatch{}, err
	}
	d.executor = opt.Executor
	fair, p := 1/float64(len(entrants)), len(entrants)
	most := (opt.Games + p - 1) / p
	seq := NewConfidenceSequence(1 - Confidence)
	for d.sets() < most {
		from := d.sets()
		var report func(float64)
		sets := min(max(block, from/4), most-from)
		if progress != nil {
			report = func(done float64) { progress((float64(from) + float64(done*float64(sets))) / float64(most)) }
		}
		if err := d.play(ctx, sets, report); err != nil {
			return SequentialMatch{}, err
		}
		for set := from; set < d.sets(); set++ {
			d.divide(set)
			seq.Add(d.mean(set, 0))
		}
		if seq.verdict(fair, opt.Margin) != Open {
			break
		}
	}
	m := SequentialMatch{Match: d.match(), Verdict: seq.verdict(fair, opt.Margin), Fair: fair, Margin: opt.Margin}
	m.Low[0], m.High[0] = seq.Interval()
	return m, nil
}

// ConfidenceSequence computes intervals for the mean of a stream of independent
// values between 0 and 1. With a probability of at least 1−α all intervals of the
// stream contain the mean. Nothing else is assumed of the values. It is the
// empirical Bernstein sequence with predictable weights,
//
//	Σ λᵢxᵢ / Σ λᵢ ± (log(2/α) + Σ 4(xᵢ−μᵢ₋₁)² ψ(λᵢ)) / Σ λᵢ,  ψ(λ) = (−log(1−λ) − λ)/4
//
// with λᵢ from the mean and the variance of the values before, and the tightest
// bounds so far.
//
// Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables
// by betting", J. R. Stat. Soc. B 86 (2024), theorem 2 and eq. 15.
type ConfidenceSequence struct {
	log               float64 // of 2/α
	n, sum, squares   float64 // squares are of the differences from the mean at the time
	weights, weighted float64
	slack             float64
	low, high         float64
}

// NewConfidenceSequence returns a sequence with the error probability α, between 0
// and 1.
func NewConfidenceSequence(alpha float64) *ConfidenceSequence {
	return &ConfidenceSequence{log: elementary.Log(2 / alpha), high: 1}
}

// Add adds a value between 0 and 1.
func (s *ConfidenceSequence) Add(x float64) {
	const bound = 0.5 // of λ, as in the paper
	mean, variance := (0.5+s.sum)/(s.n+1), (0.25+s.squares)/(s.n+1)
	n := s.n + 1
	λ := min(bound, math.Sqrt(2*s.log/(variance*n*elementary.Log(1+n))))
	s.weights += λ
	s.weighted += float64(λ * x)
	s.slack += float64((x - mean) * (x - mean) * (-elementary.Log(1-λ) - λ))
	s.n, s.sum = n, s.sum+x
	now := (0.5 + s.sum) / (n + 1)
	s.squares += float64((x - now) * (x - now))
	mid, half := s.weighted/s.weights, (s.log+s.slack)/s.weights
	s.low, s.high = max(s.low, mid-half), min(s.high, mid+half)
}

// Interval returns the current interval. It is empty, low > high, with a probability
// of at most α if all values have the same mean.
func (s *ConfidenceSequence) Interval() (low, high float64) { return s.low, s.high }

func (s *ConfidenceSequence) verdict(fair, margin float64) Verdict {
	switch {
	case s.low > fair:
		return Stronger
	case s.high < fair:
		return Weaker
	case s.low >= fair-margin && s.high <= fair+margin:
		return Equal
	}
	return Open
}
