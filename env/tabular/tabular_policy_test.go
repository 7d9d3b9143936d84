package tabular_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"marsgym/env/game"
)

func TestBadPolicies(t *testing.T) {
	// Position 3 has two moves of three.
	g := graphGame{players: 1, positions: []position{decide(0, 1, 2, 3), end(1), end(2), decide(0, 1, 2)}}
	sol := solve(t, g)
	for _, test := range []struct {
		name string
		row  []float64
		want string // "" if it is accepted
	}{
		{"certain", []float64{0, 1, 0}, ""},
		{"rounded", []float64{0.5, 0.5 + 9e-6, 0}, ""},
		{"not a number", []float64{math.NaN(), 1, 0}, "NaN"},
		{"infinite", []float64{math.Inf(1), 0, 0}, "+Inf"},
		{"negative", []float64{-0.5, 1.5, 0}, "-0.5"},
		{"illegal", []float64{0, 0.5, 0.5}, "illegal action 2"},
		{"illegal, not a number", []float64{0, 1, math.NaN()}, "illegal action 2"},
		{"short", []float64{0.5, 0.4, 0}, "sum to 0.9"},
		{"long", []float64{0.5, 0.5 + 2e-5, 0}, "sum to 1.00002"},
		{"none", []float64{0, 0, 0}, "sum to 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := sol.Tabulate(ctx, probs(func(row []float64, s int) {
				if s == 3 {
					copy(row, test.row)
				} else {
					copy(row, []float64{0, 0, 1})
				}
			}))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got error %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "position 3")):
				t.Errorf("got error %v, want one that contains %q", err, test.want)
			}
		})
	}
	if _, err := sol.Tabulate(ctx, probs(func(row []float64, s int) { row[0] = 1 })); err == nil || !strings.Contains(err.Error(), "the policy gives NaN as a probability") {
		t.Errorf("a policy that leaves elements out: %v", err)
	}
	// The probabilities are divided by their sum.
	st := tabulate(t, sol, probs(func(row []float64, s int) { copy(row, []float64{1 + 9e-6, 0, 0}) }))
	if got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{st}); err != nil || !near(got, []float64{1}, 1e-15) {
		t.Errorf("got %v, %v; want 1", got, err)
	}
}

func TestForeignPolicies(t *testing.T) {
	g := duel(2, 1, 1)
	a, b := solve(t, g), solve(t, g)
	own, foreign := tabulate(t, a, a.Policy()), tabulate(t, b, b.Policy())
	for _, test := range []struct {
		seats []game.TabularPolicy
		want  string
	}{
		{[]game.TabularPolicy{own, foreign}, "the policy of seat 1 belongs to another solution; call Tabulate of this one"},
		{[]game.TabularPolicy{foreign, own}, "the policy of seat 0 belongs to another solution"},
		{[]game.TabularPolicy{own, nil}, "the policy of seat 1 belongs to another solution"},
		{[]game.TabularPolicy{own}, "1 policies for 2 players"},
		{[]game.TabularPolicy{own, own, own}, "3 policies for 2 players"},
	} {
		if got, err := a.Evaluate(ctx, nil, test.seats); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Evaluate of %v gives %v, %v; want %q", test.seats, got, err, test.want)
		}
	}
	if _, err := a.BestResponse(ctx, []game.TabularPolicy{foreign, own}, 0); err != nil {
		t.Errorf("BestResponse reads the entry of its own seat: %v", err)
	}
	if _, err := a.BestResponse(ctx, []game.TabularPolicy{own, foreign}, 0); err == nil || !strings.Contains(err.Error(), "the policy of seat 1 belongs to another solution") {
		t.Errorf("BestResponse against the policy of another solution: %v", err)
	}
	for _, seat := range []game.Player{-1, 2} {
		if _, err := a.BestResponse(ctx, []game.TabularPolicy{own, own}, seat); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("seat %d; want 0 to 1", seat)) {
			t.Errorf("BestResponse of seat %d: %v", seat, err)
		}
	}
}

// numberScorer is an AfterstateScorer: it scores afterstates by their number, and records
// them.
type numberScorer struct {
	probs
	scored []int
}

func (l *numberScorer) Score(dst []float64, after []int, movers []game.Player) error {
	for i, s := range after {
		dst[i] = float64(s) * float64(1-2*movers[i])
	}
	l.scored = append(l.scored, after...)
	return nil
}

func (l *numberScorer) Greedy() bool { return true }

func (l *numberScorer) Choose(probs, scores []float64, first []uint32) {
	for i, from := range first[:len(first)-1] {
		l.choose(probs[from:first[i+1]], scores[from:first[i+1]])
	}
}

func (l *numberScorer) choose(probs, scores []float64) {
	clear(probs)
	best := 0
	for k := range scores {
		if scores[k] > scores[best] {
			best = k
		}
	}
	probs[best] = 1
}

// failingScorer is a scorer whose scores cannot be computed.
type failingScorer struct{ *numberScorer }

var errNoScores = errors.New("no scores")

func (failingScorer) Score([]float64, []int, []game.Player) error { return errNoScores }

// TestScorerFails: the error of a scorer ends its table.
func TestScorerFails(t *testing.T) {
	g := graphGame{players: 1, positions: []position{decide(0, 1, 2), end(1), end(2)}}
	if _, err := solve(t, g).Tabulate(ctx, failingScorer{&numberScorer{}}); !errors.Is(err, errNoScores) {
		t.Errorf("%v; want %v", err, errNoScores)
	}
}

func TestScorer(t *testing.T) {
	// Seat 0 may go to 1 or 2, seat 1 from both to 3 or 4, or from 1 to 5 alone.
	g := graphGame{players: 2, positions: []position{
		decide(0, 1, 2), decide(1, 3, 4), decide(1, 4, 3), end(3, 7), decide(1, 6), decide(0, 3, 6), end(1, 1),
	}}
	g.positions[6] = roll(1, 5, 1, 3)
	sol := solve(t, g)
	scorer := &numberScorer{probs: func(row []float64, s int) { t.Error("Probs of an AfterstateScorer is called") }}
	st := tabulate[int](t, sol, scorer)
	// Moves of seat 0 lead to 1, 2, 3, 6 and moves of seat 1 to 3, 4; 4 has one move
	// only.
	if st.Decisions() != 4 || st.Rows() != 6 || len(scorer.scored) != 6 {
		t.Errorf("%d decisions, %d rows, scored %v; want 4, 6, 6", st.Decisions(), st.Rows(), scorer.scored)
	}
	if n := sol.Rows(true); n != len(g.positions) {
		t.Errorf("an evaluation costs %d rows; want %d", n, len(g.positions))
	}
	same := tabulate(t, sol, probs(func(row []float64, s int) {
		clear(row)
		row[map[int]int{0: 1, 1: 0, 2: 1, 5: 1}[s]] = 1
	}))
	if same.Decisions() != 4 || same.Rows() != 4 {
		t.Errorf("%d decisions, %d rows; want 4, 4", same.Decisions(), same.Rows())
	}
	a, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{st, st})
	b, err2 := sol.Evaluate(ctx, nil, []game.TabularPolicy{same, same})
	if err != nil || err2 != nil || !near(a, b, 0) {
		t.Errorf("scores give %v, %v; the same as probabilities %v, %v", a, err, b, err2)
	}
}
