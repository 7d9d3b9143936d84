package eval_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/record"
	"marsgym/eval"
	"marsgym/internal/jobs"
	"marsgym/internal/jobs/jobstest"
	"marsgym/internal/test/testgames"
)

// moments returns the sum, the sum of squares and the variance of some values.
func moments(values []float64) (total, squares, variance float64) {
	for _, x := range values {
		squares += x * x
	}
	total = sum(values)
	n := float64(len(values))
	return total, squares, squares/n - total*total/(n*n)
}

// TestMatchFigures computes the figures of a match from its recorded games: game i is of set i/P, in
// rotation i%P.
func TestMatchFigures(t *testing.T) {
	const players, sets = 3, 40
	g := testgames.Open(t, "martian-dice", players, reducedDice)
	random := bot(t, g, "random")
	entrants := []*agents.Agent{bot(t, g, "greedy"), random, {Name: "another", Policy: random.Policy}}
	share := map[string][]float64{}
	m, err := eval.RecordDuplicate(t.Context(), nil, g, entrants, players*sets, 5, nil, func(rec *record.Game) error {
		for seat, r := range rec.Position().Returns() {
			share[rec.Seats[seat]] = append(share[rec.Seats[seat]], g.Spec().WinShare(r))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const rounding = 1e-6 // of rewards
	for i, a := range entrants {
		var means []float64
		for games := range slices.Chunk(share[a.Name], players) {
			means = append(means, sum(games)/players)
		}
		if len(means) != sets {
			t.Fatalf("%s plays %d sets", a.Name, len(means))
		}
		total, squares, variance := moments(means)
		low, high := agrestiCoull(sets, total, squares)
		near(t, a.Name+": win", m.Win[i], total/sets, rounding)
		near(t, a.Name+": low", m.Low[i], low, rounding)
		near(t, a.Name+": high", m.High[i], high, rounding)
		if i > 0 {
			continue
		}
		independent := 0.0 // the variance of a set's mean with independent dice
		for rotation := range players {
			var games []float64
			for set := range sets {
				games = append(games, share[a.Name][set*players+rotation])
			}
			_, _, v := moments(games)
			independent += v / (players * players)
		}
		near(t, "the variance is reduced", m.VarianceReduction, independent/variance, 1e-4)
	}
}

// TestMatchLengths: a match has from one to ten million games.
func TestMatchLengths(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 10}`)
	two := []*agents.Agent{bot(t, g, "greedy"), bot(t, g, "random")}
	if m, err := eval.PlayDuplicate(t.Context(), g, two, 1, 1, nil); err != nil || m.Games != 2 {
		t.Errorf("a match of one game: %+v, %v; want one set", m, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that no match is played
	for games, want := range map[int]string{0: "0 games; want 1 to 10000000", 10_000_000: context.Canceled.Error(), 10_000_001: "want 1 to 10000000"} {
		_, err := eval.PlayDuplicate(ctx, g, two, games, 1, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a match of %d games: %v; want %q", games, err, want)
		}
		if _, err := eval.PlaySequential(ctx, g, two, eval.SequentialOptions{Margin: 0.01, Games: games}, 1, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a sequential match of at most %d games: %v; want %q", games, err, want)
		}
	}
	for margin, want := range map[float64]string{0: "the margin is 0", 1: "the margin is 1", math.NaN(): "the margin is NaN"} {
		if _, err := eval.PlaySequential(ctx, g, two, eval.SequentialOptions{Margin: margin, Games: 2}, 1, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("margin %v: %v", margin, err)
		}
	}
}

// cancelling is a policy that ends a context when it is first asked.
type cancelling struct {
	env.Policy
	cancel context.CancelFunc
	calls  int
}

func (c *cancelling) Probs(dst []float64, d env.Decisions) error {
	c.calls++
	c.cancel()
	return c.Policy.Probs(dst, d)
}

// TestMatchInterrupted: a match asks no policy after its context has ended.
func TestMatchInterrupted(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	ctx, cancel := context.WithCancel(t.Context())
	p := &cancelling{Policy: bot(t, g, "random").Policy, cancel: cancel}
	a := &agents.Agent{Name: "cancelling", Policy: p}
	// A policy is asked for 256 rows at a time, and so many games are played in more rows.
	if _, err := eval.PlayDuplicate(ctx, g, []*agents.Agent{a, a}, 8000, 1, nil); !errors.Is(err, context.Canceled) || p.calls != 1 {
		t.Errorf("error %v after %d calls; want %v after one", err, p.calls, context.Canceled)
	}
}

// TestRecordInterrupted: no game is written after the context has ended, or after an error.
func TestRecordInterrupted(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	two := []*agents.Agent{bot(t, g, "greedy"), bot(t, g, "random")}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, want := range []error{errFailing, context.Canceled} {
		written := 0
		_, err := eval.RecordDuplicate(ctx, nil, g, two, 8, 1, nil, func(*record.Game) error {
			written++
			if want == errFailing {
				return want
			}
			cancel()
			return nil
		})
		if !errors.Is(err, want) || written != 1 {
			t.Errorf("error %v after %d games; want %v after one", err, written, want)
		}
	}
}

// TestRecordTruncated: a recorded game says whether a limit ended it, and the match counts it.
func TestRecordTruncated(t *testing.T) {
	g := testgames.Open(t, "mars-is-ours", 2, `{"move_limit": 60}`)
	two := []*agents.Agent{bot(t, g, "greedy"), bot(t, g, "random")}
	truncated := 0
	m, err := eval.RecordDuplicate(t.Context(), nil, g, two, 20, 1, nil, func(rec *record.Game) error {
		if over := rec.Position().CurrentPlayer() < 0; over == rec.Truncated {
			t.Errorf("truncated %v at %s", rec.Truncated, rec.Position())
		}
		if rec.Truncated {
			truncated++
		}
		return nil
	})
	if err != nil || m.Truncated != truncated || truncated == 0 || !strings.Contains(m.Notes(), "won by nobody") {
		t.Errorf("%d recorded games are truncated; %+v, %v", truncated, m, err)
	}
}

// TestNotesLimits: common dice that save more than a thousand games are no figure, and one
// truncated game is worth a note.
func TestNotesLimits(t *testing.T) {
	for _, tt := range []struct {
		match eval.Match
		want  string
	}{
		{eval.Match{VarianceReduction: 1000}, " 1000.0 times"},
		{eval.Match{VarianceReduction: 1000.5}, " more than 1000 times"},
		{eval.Match{Truncated: 1}, "  1 of the games reached the move limit and count as won by nobody.\n"},
	} {
		if got := tt.match.Notes(); !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q; want %q", tt.match, got, tt.want)
		}
	}
}

// TestSequentialGames: a match that stays open is the duplicate match of as many games, in this
// process and in parts, and reports how far it is.
func TestSequentialGames(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 3, reducedDice)
	var entrants []*agents.Agent
	for _, name := range []string{"exact", "exact", "greedy"} {
		a, err := agents.Open(t.Context(), name, agents.Options{Game: g})
		if err != nil {
			t.Fatal(err)
		}
		entrants = append(entrants, a)
	}
	const games = 1051 // 351 sets: two blocks of 128 and one of 95
	want, err := eval.PlayDuplicate(t.Context(), g, entrants, games, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	encoded, count := jobstest.Encoded(eval.Kinds(), nil)
	for _, executor := range []jobs.Executor{nil, jobs.Local{}, encoded} {
		var done []float64
		got, err := eval.PlaySequential(t.Context(), g, entrants, eval.SequentialOptions{Margin: 1e-6, Games: games, Executor: executor}, 3, func(x float64) { done = append(done, x) })
		if err != nil || got.Verdict != eval.Open || got.Margin != 1e-6 {
			t.Fatalf("%+v, %v", got, err)
		}
		near(t, "the fair share", got.Fair, 1.0/3, 1e-15)
		if low, high := got.Low[0], got.High[0]; !(low < want.Low[0] && want.High[0] < high) {
			t.Errorf("the bounds %v to %v of a sequence are within the interval %v to %v of as many games", low, high, want.Low[0], want.High[0])
		}
		got.Low[0], got.High[0] = want.Low[0], want.High[0]
		if !reflect.DeepEqual(got.Match, want) {
			t.Errorf("by %T: %+v; want %+v", executor, got.Match, want)
		}
		if len(done) < 3 || !slices.IsSorted(done) || !(done[0] < 0.4) || done[len(done)-1] != 1 || !slices.ContainsFunc(done, func(x float64) bool { return math.Abs(x-256.0/351) <= 1e-12 }) {
			t.Errorf("by %T: the progress is %v", executor, done)
		}
	}
	if n := count.Load(); n != 64+64+48 {
		t.Errorf("%d jobs; want those of two sets or one", n)
	}
}
