package eval

import (
	"context"
	"fmt"
	"math"

	"marsgym/agents"
	"marsgym/env"
)

// Settling says when a match has been played long enough.
type SequentialOptions struct {
	Margin float64 // of the win: a difference from a fair share that is surely smaller is none
	Games  int     // the most
}

// Verdict says how a match was settled.
type Verdict string

// The verdicts on the first agent, against what each of equals wins.
const (
	Stronger Verdict = "stronger"
	Weaker   Verdict = "weaker"
	Equal    Verdict = "equal" // within the margin
	Open     Verdict = "open"  // when the games ran out
)

// Settled is a match that was played until the difference was settled. Low and
// High of the first agent hold its true share, at every time at once, with the
// Confidence: so the verdict is wrong with a probability of at most 1 less the
// Confidence, however long was played. Those of the others are of a match of a
// length fixed beforehand.
type SequentialMatch struct {
	Match
	Verdict Verdict `json:"verdict"`
	Fair    float64 `json:"fair"`   // what each of equals wins
	Margin  float64 `json:"margin"` // of the verdict equal
}

// Settle plays mirrored sets between agents [P] until it is settled whether the
// first wins more than a fair share of the others, less, or, to within a margin,
// as much. It looks after blocks of sets, each a quarter of what was played
// before, whatever the number of cores.
func PlaySequential(ctx context.Context, g env.Game, who []*agents.Agent, how SequentialOptions, seed uint64, progress func(done float64)) (SequentialMatch, error) {
	const block = 128 // sets; chosen: some hundred games to begin with
	if !(how.Margin > 0 && how.Margin < 1) {
		return SequentialMatch{}, fmt.Errorf("the margin is %v; want more than 0 and less than 1", how.Margin)
	}
	if err := checkGames(how.Games); err != nil {
		return SequentialMatch{}, err
	}
	m, err := newMirror(g, who, seed)
	if err != nil {
		return SequentialMatch{}, err
	}
	fair, p := 1/float64(len(who)), len(who)
	most := (how.Games + p - 1) / p
	seq := NewConfidenceSequence(1 - Confidence)
	for m.sets() < most {
		from := m.sets()
		var report func(float64)
		sets := min(max(block, from/4), most-from)
		if progress != nil {
			report = func(done float64) { progress((float64(from) + done*float64(sets)) / float64(most)) }
		}
		if err := m.play(ctx, sets, report); err != nil {
			return SequentialMatch{}, err
		}
		for set := from; set < m.sets(); set++ {
			seq.Add(m.mean(set, 0))
		}
		if seq.verdict(fair, how.Margin) != Open {
			break
		}
	}
	r := SequentialMatch{Match: m.match(), Verdict: seq.verdict(fair, how.Margin), Fair: fair, Margin: how.Margin}
	r.Low[0], r.High[0] = seq.Interval()
	return r, nil
}

// Sequence is a confidence sequence: intervals for the mean of independent
// values between 0 and 1 as they come, which hold it at all times at once with a
// probability of at least 1−α. Nothing else is assumed of the values. It is the
// empirical Bernstein sequence with predictable weights,
//
//	Σ λᵢxᵢ / Σ λᵢ ± (log(2/α) + Σ 4(xᵢ−μᵢ₋₁)² ψ(λᵢ)) / Σ λᵢ,  ψ(λ) = (−log(1−λ) − λ)/4
//
// with λᵢ from the mean and the variance of the values before, and the narrowest
// bounds so far.
//
// Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables
// by betting", J. R. Stat. Soc. B 86 (2024), theorem 2 and eq. 15.
type ConfidenceSequence struct {
	log               float64 // of 2/α
	n, sum, squares   float64 // squares are of the distances from the means at the time
	weights, weighted float64
	slack             float64
	low, high         float64
}

// NewSequence returns the sequence of an error α, between 0 and 1.
func NewConfidenceSequence(alpha float64) *ConfidenceSequence {
	return &ConfidenceSequence{log: math.Log(2 / alpha), high: 1}
}

// Add adds a value between 0 and 1.
func (s *ConfidenceSequence) Add(x float64) {
	const bound = 0.5 // of λ; the paper's
	mean, variance := (0.5+s.sum)/(s.n+1), (0.25+s.squares)/(s.n+1)
	n := s.n + 1
	λ := min(bound, math.Sqrt(2*s.log/(variance*n*math.Log(1+n))))
	s.weights += λ
	s.weighted += λ * x
	s.slack += (x - mean) * (x - mean) * (-math.Log(1-λ) - λ)
	s.n, s.sum = n, s.sum+x
	now := (0.5 + s.sum) / (n + 1)
	s.squares += (x - now) * (x - now)
	mid, half := s.weighted/s.weights, (s.log+s.slack)/s.weights
	s.low, s.high = max(s.low, mid-half), min(s.high, mid+half)
}

// Interval is the interval so far. Where it is empty, which has a probability of
// at most α, the values were not of one mean, or α was unlucky.
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
