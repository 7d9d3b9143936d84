package martiandice_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
)

// published returns the published game for two and its solution. It skips the test in
// short mode, since solving takes a minute under the race detector.
func published(t testing.TB) (*martiandice.Rules, game.Solution[martiandice.State]) {
	t.Helper()
	if testing.Short() {
		t.Skip("solves the published game")
	}
	return solved()
}

var solved = sync.OnceValues(func() (*martiandice.Rules, game.Solution[martiandice.State]) {
	r, err := martiandice.New(martiandice.DefaultConfig())
	if err != nil {
		panic(err)
	}
	sol, err := r.Solve(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	return r, sol
})

// win returns the probability that the seat to move wins.
func win(t testing.TB, position string) float64 {
	t.Helper()
	r, sol := published(t)
	s := parse(t, r, position)
	v, err := sol.Value(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	if sum := v[0] + v[1]; !(math.Abs(sum) <= 1e-12) {
		t.Errorf("at %s the values %v do not sum to 0", position, v)
	}
	return r.Spec().WinShare(v[s.Seat])
}

func TestPublished(t *testing.T) {
	r, sol := published(t)
	// Computed by independent programs, like the value of a turn.
	if got, want := win(t, "0-0@0"), 0.4841229766; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("the first player wins with probability %.12f, want %v", got, want)
	}
	if !(sol.Residual() < 1e-12) {
		t.Errorf("residual is %v", sol.Residual())
	}
	facts := sol.Facts()
	if len(facts) != 1 || facts[0].Name != "expected_turn_score" || !(math.Abs(facts[0].Value-3.110381746838) <= 1e-11) {
		t.Errorf("facts are %+v, want a turn of value 3.110381746838", facts)
	}

	// Best play against best play has the values of the solution.
	best := tabulate(t, sol, sol.Policy())
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	seats := []game.TabularPolicy{best, best}
	value, err := sol.Value(nil, r.Initial())
	if err != nil {
		t.Fatal(err)
	}
	got, err := sol.Evaluate(ctx, nil, seats)
	if err != nil || !near(got, value, 1e-12) {
		t.Errorf("best play against itself has values %v, %v; want %v", got, err, value)
	}
	for seat := range game.Player(2) {
		got, err := sol.BestResponse(ctx, seats, seat)
		if err != nil || !(math.Abs(got-value[seat]) <= 1e-12) {
			t.Errorf("the best response of seat %d to best play has value %v, %v; want %v", seat, got, err, value[seat])
		}
		// Against greedy best play gains some 2 % over its value.
		seats := []game.TabularPolicy{best, best}
		seats[1-seat] = tabulate(t, sol, greedy)
		pays, err := sol.Evaluate(ctx, nil, seats)
		if err != nil {
			t.Fatal(err)
		}
		most, err := sol.BestResponse(ctx, seats, seat)
		if err != nil || !(pays[seat] > value[seat]+0.02) || !(most >= pays[seat]) {
			t.Errorf("against greedy seat %d gets %v by best play and %v by a best response, %v", seat, pays[seat], most, err)
		}
	}
}

func TestCounts(t *testing.T) {
	r, sol := published(t)
	const (
		starts  = 25*25 + 41*25 // scores below 25 but for the seat that has had its turn, up to 24 + 16
		choices = 10844         // see TestDecisions
		holds   = 775 - 6 - 1   // see TestTurnGraphSize; the start of a turn is no decision
	)
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name            string
		policy          policy
		decisions, rows int
	}{
		{"best", sol.Policy(), starts * (choices + holds), 0},
		{"greedy", greedy, choices + holds, choices + holds},
		{"uniform", game.Uniform[martiandice.State]{Rules: r}, choices + holds, choices + holds},
		// Holds after a choice, of which 180 are hopeless; ends of the turn with 0 to
		// 16 points; holds after the decision to roll.
		{"scorer", constant{}, starts * (choices + holds), starts * (holds + 180 + 17 + holds)},
	} {
		g := tabulate(t, sol, test.policy)
		if g.Decisions() != test.decisions || g.Rows() != test.rows {
			t.Errorf("%s: %d decisions and %d rows, want %d and %d", test.name, g.Decisions(), g.Rows(), test.decisions, test.rows)
		}
	}
}

// constant is the cheapest AfterstateScorer: all afterstates have the same score.
type constant struct{}

func (constant) Score(dst []float64, _ []martiandice.State, _ []game.Player) error {
	clear(dst)
	return nil
}

func (constant) Greedy() bool { return true }

func (constant) Choose(probs, _ []float64, first []uint32) {
	clear(probs)
	for _, from := range first[:len(first)-1] {
		probs[from] = 1
	}
}

func (constant) Probs([]float64, []martiandice.State) error {
	return errors.New("Probs of an AfterstateScorer is called")
}

func TestCancel(t *testing.T) {
	r, sol := published(t)
	layers := 0
	stop, cancel := context.WithCancel(ctx)
	_, err := r.Solve(stop, func(float64) {
		layers++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || layers != 1 {
		t.Errorf("got error %v after %d reports; want context.Canceled after the first", err, layers)
	}
	best := tabulate(t, sol, sol.Policy())
	for name, call := range map[string]func() error{
		"Solve":           func() error { _, err := r.Solve(stop, nil); return err },
		"Evaluate":        func() error { _, err := sol.Evaluate(stop, nil, []game.TabularPolicy{best, best}); return err },
		"BestResponse":    func() error { _, err := sol.BestResponse(stop, []game.TabularPolicy{best, best}, 0); return err },
		"Tabulate best":   func() error { _, err := sol.Tabulate(stop, sol.Policy()); return err },
		"Tabulate scorer": func() error { _, err := sol.Tabulate(stop, constant{}); return err },
		"Tabulate":        func() error { _, err := sol.Tabulate(stop, byAction{hashed{r, 1, true}}); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v, want context.Canceled", name, err)
		}
	}
}

func TestProgress(t *testing.T) {
	r := newRules(t, small(2, 3, 4, nil))
	last := 0.0
	_, err := r.Solve(ctx, func(done float64) {
		if !(done > last && done <= 1) {
			t.Errorf("%v done after %v", done, last)
		}
		last = done
	})
	if err != nil || last != 1 {
		t.Errorf("ended with %v done, error %v", last, err)
	}
}

func TestNoSolution(t *testing.T) {
	for _, test := range []struct {
		config martiandice.Config
		want   string
	}{
		{config(2, rounds(10)), "with 13 dice and max_rounds 10 has more than"},
		{config(2, rounds(60000)), "with 13 dice and max_rounds 60000 has more than"},
		{small(4, 4, 20, rounds(5)), "martian-dice for 4 players to 20 points with 4 dice and max_rounds 5 has more than"},
		{config(6, nil), "martian-dice for 6 players has "},
		{config(10, nil), "martian-dice for 10 players has "},
	} {
		if _, err := newRules(t, test.config).Solve(ctx, nil); !errors.Is(err, game.ErrNoSolution) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got error %v, want ErrNoSolution and %q", test.config, err, test.want)
		}
	}
}

func TestTabulateRejects(t *testing.T) {
	r := newRules(t, small(2, 2, 3, stopAtOnce))
	sol, other := solve(t, r), solve(t, r)
	for _, test := range []struct {
		policy policy
		want   string
	}{
		{fill(math.NaN()), "the policy gives NaN as a probability"},
		{fill(-1), "the policy gives -1 as a probability"},
		{fill(0.1), "the policy gives probabilities that sum to"},
		{scores{constant{}, math.NaN(), false}, "the policy's scores contain NaN"},
		{scores{constant{}, math.NaN(), true}, "the policy's scores contain NaN"}, // turns are solved at once
	} {
		if _, err := sol.Tabulate(ctx, test.policy); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got error %v, want %q", test.policy, err, test.want)
		}
	}
	g := tabulate(t, sol, sol.Policy())
	if _, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{g}); err == nil || !strings.Contains(err.Error(), "1 policies for 2 players") {
		t.Errorf("one policy for two players: %v", err)
	}
	if _, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{g, tabulate(t, other, other.Policy())}); err == nil || !strings.Contains(err.Error(), "the policy of seat 1 belongs to another solution") {
		t.Errorf("a policy of another solution: %v", err)
	}
	for _, seat := range []game.Player{-1, 2} {
		if _, err := sol.BestResponse(ctx, []game.TabularPolicy{g, g}, seat); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("seat %d; want 0 to 1", seat)) {
			t.Errorf("seat %d: %v", seat, err)
		}
	}
	stop := tabulate(t, sol, stopper{})
	if _, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{stop, stop}); !errors.Is(err, game.ErrNoSolution) {
		t.Errorf("policies that never score: got error %v, want ErrNoSolution", err)
	}
	late := martiandice.State{Score: [10]uint8{0, 3}} // the game would have ended
	if v, err := sol.Value(nil, late); err == nil || !strings.Contains(err.Error(), "seat 1 has 3 points before its turn; the game would have ended at 3") {
		t.Errorf("a position that cannot come up, %s, has values %v, %v", r.Format(late), v, err)
	}
}

// fill gives the same probability to all actions, legal or not.
type fill float64

func (f fill) Probs(dst []float64, _ []martiandice.State) error {
	for i := range dst {
		dst[i] = float64(f)
	}
	return nil
}

// scores gives the same score to all afterstates.
type scores struct {
	constant
	score  float64
	greedy bool
}

func (s scores) Score(dst []float64, _ []martiandice.State, _ []game.Player) error {
	return fill(s.score).Probs(dst, nil)
}
func (s scores) Greedy() bool { return s.greedy }

// stopper always stops.
type stopper struct{}

func (stopper) Probs(dst []float64, states []martiandice.State) error {
	clear(dst)
	n := len(dst) / len(states)
	for i := range states {
		dst[i*n+int(martiandice.Stop)] = 1
	}
	return nil
}

func BenchmarkSolve(b *testing.B) {
	r := newRules(b, martiandice.DefaultConfig())
	for b.Loop() {
		solve(b, r)
	}
}

func BenchmarkTabulate(b *testing.B) {
	_, sol := published(b)
	for b.Loop() {
		tabulate(b, sol, constant{})
	}
}

func BenchmarkEvaluate(b *testing.B) {
	r, sol := published(b)
	g := tabulate(b, sol, game.Uniform[martiandice.State]{Rules: r})
	for b.Loop() {
		if _, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{g, g}); err != nil {
			b.Fatal(err)
		}
	}
}
