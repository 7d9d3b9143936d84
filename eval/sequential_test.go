package eval_test

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/test/testgames"
)

// TestConfidenceSequence: at most a fraction α of the sequences has an interval without
// the mean, for values like those of duplicate sets, and the intervals become narrow.
func TestConfidenceSequence(t *testing.T) {
	const alpha, sequences, values = 0.1, 500, 2000
	for _, p := range [][3]float64{{0.25, 0.5, 0.25}, {0.02, 0.95, 0.03}, {0.01, 0.04, 0.95}} { // of 0, 1/2 and 1
		r := rand.New(rand.NewPCG(1, 2))
		mean, missed, width := p[1]/2+p[2], 0, 0.0
		for range sequences {
			s, miss := eval.NewConfidenceSequence(alpha), false
			for range values {
				u, x := r.Float64(), 1.0
				if u < p[0] {
					x = 0
				} else if u < p[0]+p[1] {
					x = 0.5
				}
				s.Add(x)
				low, high := s.Interval()
				miss = miss || mean < low || high < mean
			}
			if miss {
				missed++
			}
			low, high := s.Interval()
			width += (high - low) / sequences
		}
		t.Logf("of %v: %d of %d miss, the width after %d is %.4f", p, missed, sequences, values, width)
		// The expected number is at most 50; more than 70 have a probability of 0.001.
		if missed > 70 {
			t.Errorf("of %v: %d of %d sequences miss the mean", p, missed, sequences)
		}
		if !(width < 0.1) {
			t.Errorf("of %v: the width is %g after %d values", p, width, values)
		}
	}
}

// TestPlaySequential: a match stops with the verdict that follows from the exact
// strength, and is the same on any number of cores.
func TestPlaySequential(t *testing.T) {
	r := reduced(t, 2)
	twin := &agents.Agent{Name: "twin", Policy: r.greedy.Policy}
	nearly := &agents.Agent{Name: "nearly greedy", Policy: testgames.Mixture{A: r.greedy, B: r.random, Prob: 0.999}}
	for _, tt := range []struct {
		a, b *agents.Agent
		most int
		want eval.Verdict
	}{
		{r.greedy, r.random, 100_000, eval.Stronger},
		{r.random, r.greedy, 100_000, eval.Weaker},
		{r.greedy, r.exact, 100_000, eval.Weaker},
		{r.greedy, twin, 100_000, eval.Equal},
		{nearly, r.greedy, 100_000, eval.Equal},
		{r.greedy, r.exact, 300, eval.Open},
	} {
		entrants := []*agents.Agent{tt.a, tt.b}
		play := func(cores int) eval.SequentialMatch {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			m, err := eval.PlaySequential(t.Context(), r.game, entrants, eval.SequentialOptions{Margin: 0.01, Games: tt.most}, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		m := play(2)
		t.Logf("%s against %s: %s after %d games, %.4f to %.4f", tt.a.Name, tt.b.Name, m.Verdict, m.Games, m.Low[0], m.High[0])
		if m.Verdict != tt.want || (m.Games >= tt.most) != (tt.want == eval.Open) {
			t.Errorf("%s against %s: %s after %d games; want %s", tt.a.Name, tt.b.Name, m.Verdict, m.Games, tt.want)
		}
		sets := 128
		for 2*sets < min(m.Games, tt.most) {
			sets += max(128, sets/4)
		}
		if m.Games != min(2*sets, tt.most) {
			t.Errorf("%s against %s ends after %d games, within a block; want %d", tt.a.Name, tt.b.Name, m.Games, min(2*sets, tt.most))
		}
		p := pair(t, r.evaluator, tt.a, tt.b)
		if !(m.Low[0] <= p.Win && p.Win <= m.High[0]) {
			t.Errorf("%s wins %g, outside of %g to %g", tt.a.Name, p.Win, m.Low[0], m.High[0])
		}
		if again := play(1); !reflect.DeepEqual(again, m) {
			t.Errorf("on one core %+v, on two %+v", again, m)
		}
	}
	if _, err := eval.PlaySequential(t.Context(), r.game, []*agents.Agent{r.greedy, r.exact}, eval.SequentialOptions{Games: 10}, 1, nil); err == nil || !strings.Contains(err.Error(), "the margin is 0; want more than 0") {
		t.Errorf("without a margin: %v", err)
	}
}

// TestPlaySequentialTruncated: games that end at the move limit make no agent weaker.
func TestPlaySequentialTruncated(t *testing.T) {
	g := testgames.Open(t, "mars-is-ours", 3, `{"move_limit": 70}`)
	entrants := make([]*agents.Agent, 3)
	for i := range entrants {
		a, err := agents.Open(t.Context(), "random", agents.Options{Game: g})
		if err != nil {
			t.Fatal(err)
		}
		entrants[i] = a
	}
	m, err := eval.PlaySequential(t.Context(), g, entrants, eval.SequentialOptions{Margin: 0.01, Games: 1200}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Verdict != eval.Open || m.Truncated == 0 || m.Win[0] < m.Low[0] || m.Win[0] > m.High[0] || !strings.Contains(m.Notes(), "shared by all") {
		t.Errorf("%+v\n%s", m, m.Notes())
	}
}
