package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"marsgym/eval"
)

// TestIntervalsOfChain: where each agent has played only the one before and won half of the games,
// the profile has a closed form. At a rating R of agent k the k differences are R/k each, so that
//
//	k·kl(1/2, p) = c·log(200),  R = k·400·log₁₀(p/(1−p)),  kl(1/2, p) = −log(4p(1−p))/2
//
// and c is the mean of 1/games over the k matches, each with the weight 1/(win·(1−win)) that follows from
// the ratings given, since the estimates of the differences are independent. So long a chain takes all its ratings at once: one after the other, they move too
// slowly.
func TestIntervalsOfChain(t *testing.T) {
	const n = 41
	var results []eval.Result
	ratings := make([]float64, n) // of which only the weights depend
	for k := 1; k < n; k++ {
		ratings[k] = 150 * float64(k*k%5)
		r := eval.Result{A: k - 1, B: k, Share: 0.5, Games: float64(20 + 30*(k%2))}
		if k%3 == 0 {
			r.A, r.B = r.B, r.A
		}
		results = append(results, r)
	}
	got, err := eval.Intervals(t.Context(), ratings, 2, results)
	if err != nil {
		t.Fatal(err)
	}
	variance, weights := 0.0, 0.0
	for k := 1; k < n; k++ {
		win := luce(ratings[k], ratings[k-1], 2)
		weight := 1 / (win * (1 - win))
		variance, weights = variance+weight/results[k-1].Games, weights+weight
		c := variance / weights
		p := (1 + math.Sqrt(1-math.Exp(-2*c*math.Log(200)/float64(k)))) / 2
		want := float64(k) * 400 * math.Log10(p/(1-p))
		if !(math.Abs(got[k].High-want) <= 1e-3 && math.Abs(got[k].Low+want) <= 1e-3) {
			t.Errorf("agent %d has %v; want ± %.4f", k, got[k], want)
		}
	}
}

// TestIntervalsUnbounded: who has won all games of a chain has no upper end, and those behind it
// have both.
func TestIntervalsUnbounded(t *testing.T) {
	inf := math.Inf(1)
	results := []eval.Result{{A: 0, B: 1, Share: 0.5, Games: 20}, {A: 2, B: 1, Share: 1, Games: 20}, {A: 3, B: 2, Share: 0, Games: 20}}
	got, err := eval.Intervals(t.Context(), []float64{0, 0, 300, 0}, 2, results)
	if err != nil {
		t.Fatal(err)
	}
	if got[2].High != inf || !(got[2].Low > -400) || !(got[1].Low > -400 && got[1].High < 400) || math.Abs(got[1].Low+got[1].High) > 1e-3 {
		t.Errorf("the intervals are %v", got)
	}
	if got[3].Low != -inf || !(got[3].High > 3000) { // the best one is at most 4000 ahead
		t.Errorf("who has lost to the best of all has %v; want no bound, since that one has none", got[3])
	}
}

// TestIntervalsErrors: ratings that are too far apart, and a context that is done.
func TestIntervalsErrors(t *testing.T) {
	results := []eval.Result{{A: 0, B: 1, Share: 0.5, Games: 20}}
	if _, err := eval.Intervals(t.Context(), []float64{0, 1e6}, 2, results); err == nil || !strings.Contains(err.Error(), "too far apart") {
		t.Errorf("a million Elo apart: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eval.Intervals(ctx, []float64{0, 0}, 2, results); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRatingsLimits: shares of 0 and 1 have ratings unless an agent has no others, and what is no
// share has none.
func TestRatingsLimits(t *testing.T) {
	if got, err := eval.Ratings([][]float64{{0}}, 2); err != nil || len(got) != 1 || got[0] != 0 {
		t.Errorf("one agent: %v, %v", got, err)
	}
	// Agent 0 beats 1, which beats 2, which beats 0.
	got, err := eval.Ratings([][]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, 2)
	if err != nil || !(math.Abs(got[1]) <= 1e-6 && math.Abs(got[2]) <= 1e-6) {
		t.Errorf("a ring: %v, %v; want equal ratings", got, err)
	}
	for want, bad := range map[string][][]float64{
		"agent 0 always wins or always loses":                       {{0, 1}, {0, 0}},
		"agent 2 always wins or always loses":                       {{0, 0.5, 1}, {0.5, 0, 1}, {0, 0, 0}},
		"the share of agent 0 against agent 1 is 1.5; want 0 to 1":  {{0, 1.5}, {0.5, 0}},
		"the share of agent 1 against agent 0 is -0.5; want 0 to 1": {{0, 0.5}, {-0.5, 0}},
		"agent 1 has shares against 1 agents; want 2":               {{0, 0.5}, {0.5}},
	} {
		if _, err := eval.Ratings(bad, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := eval.Ratings([][]float64{{0.5}}, 1); err == nil || !strings.Contains(err.Error(), "ratings for 1 players; want at least 2") {
		t.Errorf("for one player: %v", err)
	}
	var e eval.End
	if err := json.Unmarshal([]byte(`"x"`), &e); err == nil || !strings.Contains(err.Error(), "cannot unmarshal string") {
		t.Errorf("an end that is text: %v", err)
	}
}
