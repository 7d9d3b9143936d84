package marsisours_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/tabular"
)

// halfRobots is the published board with half the robots.
func halfRobots(t testing.TB) *marsisours.Rules { return quick(t, nil, nil, 2, 1, nil) }

// play calls f with the positions of random games.
func play(t testing.TB, r *marsisours.Rules, games int, f func(s state)) {
	t.Helper()
	dice := rand.New(rand.NewPCG(1, 2))
	for range games {
		for s := r.Initial(); ; {
			f(s)
			if r.CurrentPlayer(s) == game.Terminal {
				break
			}
			if o := r.Outcomes(nil, s); len(o) > 0 {
				s = o[dice.IntN(len(o))].State
				continue
			}
			legal := r.Legal(nil, s)
			next, err := r.Apply(s, legal[dice.IntN(len(legal))])
			if err != nil {
				t.Fatal(err)
			}
			s = next
		}
	}
}

// swap returns a position with the seats exchanged.
func swap(s state) state {
	s.Robots[0], s.Robots[1] = s.Robots[1], s.Robots[0]
	s.Seats[0], s.Seats[1] = s.Seats[1], s.Seats[0]
	s.Start, s.Mover = 1-s.Start, 1-s.Mover
	s.Passed = s.Passed&1<<1 | s.Passed>>1
	return s
}

// checkPositions compares the values of positions with those of their options, of
// their representatives, and with the seats exchanged.
func checkPositions(t *testing.T, r *marsisours.Rules, sol solution, games int) {
	t.Helper()
	play(t, r, games, func(s state) {
		v, err := sol.Value(nil, s)
		if err != nil || !(math.Abs(v[0]+v[1]) <= 1e-15) {
			t.Fatalf("%s: value %v, %v; want a sum of 0", r.Format(s), v, err)
		}
		if s.Phase == marsisours.Drawing {
			return
		}
		if r.CurrentPlayer(s) != game.Terminal {
			if w, _ := sol.Value(nil, swap(s)); !near(w, []float64{v[1], v[0]}, 1e-15) {
				t.Errorf("%s: value %v, and %v with the seats exchanged", r.Format(s), v, w)
			}
		}
		if r.CurrentPlayer(s) < 0 {
			return
		}
		options, err := sol.Options(nil, s)
		if err != nil || !(math.Abs(slices.Max(options)-v[s.Mover]) <= 1e-12) {
			t.Errorf("%s: value %v, options %v, %v", r.Format(s), v, options, err)
		}
		c, relabel := r.Canonical(s)
		if other, _ := r.Canonical(swap(s)); other != swap(c) {
			t.Errorf("%s has the representative %s, and with the seats exchanged %s", r.Format(s), r.Format(c), r.Format(other))
		}
		seen, _ := sol.Options(nil, c)
		legal := r.Legal(nil, s)
		for k, a := range r.Legal(nil, c) {
			if relabel != nil {
				a = relabel[a]
			}
			if at, ok := slices.BinarySearch(legal, a); !ok || !(math.Abs(options[at]-seen[k]) <= 1e-15) {
				t.Errorf("%s: options %v, and of its representative %v", r.Format(s), options, seen)
			}
		}
	})
}

// checkLoss compares the sum of a policy's regrets with its loss to best play, and its
// best response with both.
func checkLoss(t *testing.T, sol solution, p policy, name string) {
	t.Helper()
	ctx := context.Background()
	best, own := tabulate(t, sol, sol.Policy()), tabulate(t, sol, p)
	for seat := range game.Player(2) {
		seats := []game.TabularPolicy{best, best}
		even, err := sol.Evaluate(ctx, nil, seats)
		if err != nil || !near(even, []float64{0, 0}, 1e-12) {
			t.Errorf("best play against itself: %v, %v; want 0 for each seat", even, err)
		}
		seats[seat] = own
		v, err := sol.Evaluate(ctx, nil, seats)
		if err != nil {
			t.Fatal(err)
		}
		cost := 0.0
		if err := sol.Regrets(ctx, p, seat, func(r game.Regret[state]) error { cost += r.Cost(); return nil }); err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(cost+v[seat]) <= 1e-11) {
			t.Errorf("%s loses %v in seat %d, and its regrets sum to %v", name, -v[seat], seat, cost)
		}
		most, err := sol.BestResponse(ctx, seats, 1-seat)
		if err != nil || !(most >= v[1-seat]-1e-12) {
			t.Errorf("the best response to %s in seat %d wins %v, %v; best play %v", name, seat, most, err, v[1-seat])
		}
		t.Logf("%s in seat %d: wins %.6f against best play, %.6f against its best response", name, seat, (1+v[seat])/2, (1-most)/2)
	}
}

func TestFastHalf(t *testing.T) {
	r := halfRobots(t)
	sol := solve(t, r)
	checkPositions(t, r, sol, 200)
	checkLoss(t, sol, game.Uniform[state]{Rules: r}, "random")
}

// TestFastPublished solves the published game. It takes a minute:
//
//	go test -run FastPublished ./env/marsisours -full -v
func TestFastPublished(t *testing.T) {
	r := newRules(t, marsisours.FastConfig())
	const positions = 8_659_196
	if n := r.Estimate().Positions; n != positions {
		t.Errorf("there are %d positions; want %d", n, positions)
	}
	if !*full {
		t.Skip("without -full")
	}
	work := new(game.SolverState)
	sol, err := r.SolveFrom(context.Background(), work, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := sol.Rows(true); n != positions/3 {
		t.Errorf("an evaluation costs %d rows; want %d", n, positions/3)
	}
	facts := sol.Facts()
	t.Logf("%d values, residual %g, %v", len(work.Values), sol.Residual(), facts)
	// A second program, which shares no code with this one, computes 0.692361974403673.
	if v := facts[0].Value; facts[0].Name != "starter_wins" || !(math.Abs(v-0.692361974403673) <= 1e-14) {
		t.Errorf("%v; want 0.692361974403673", facts[0])
	}
	if facts[1].Name != "error_bound" || !(facts[1].Value < 1e-12) {
		t.Errorf("%v; want less than 1e-12", facts[1])
	}
	checkPositions(t, r, sol, 2000)
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	checkLoss(t, sol, greedy, "greedy")
	checkLoss(t, sol, game.Uniform[state]{Rules: r}, "random")
}

// TestFastReadings logs, for each reading of 「持有最多機器人」, "who holds most
// robots", the share that the starter of the quick game wins, and the share by passing
// at once. Without -full each seat has half the robots.
//
//	go test -run FastReadings ./env/marsisours -full -v
func TestFastReadings(t *testing.T) {
	for _, test := range []struct {
		count               marsisours.Count
		half, whole, passes float64
	}{
		{marsisours.CountMap, 0.756944444444, 0.692361974404, 0},
		{marsisours.CountMapAndHand, 1, 1, 1},
		{marsisours.CountAll, 1, 1, 1},
	} {
		hand, junk, want := 2, 1, test.half
		if *full {
			hand, junk, want = 4, 2, test.whole
		}
		r := quick(t, nil, nil, hand, junk, func(c *marsisours.Config) { c.FastCount = test.count })
		options, err := solve(t, r).Options(nil, r.StartGame(r.Initial(), 0))
		if err != nil {
			t.Fatal(err)
		}
		best, pass := r.Spec().WinShare(slices.Max(options)), r.Spec().WinShare(options[len(options)-1])
		t.Logf("%-12s  the starter wins %.4f %%, by passing at once %.4f %%", test.count, 100*best, 100*pass)
		if !(math.Abs(best-want) <= 1e-12) || !(math.Abs(pass-test.passes) <= 1e-12) {
			t.Errorf("%s: the starter wins %v, by passing %v; want %v and %v", test.count, best, pass, want, test.passes)
		}
	}
}

// TestFastResume interrupts a solution, resumes it with another GOMAXPROCS, and checks
// that the bits are the same.
func TestFastResume(t *testing.T) {
	r := halfRobots(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := new(game.SolverState)
	last := 0.0
	_, err := r.SolveFrom(context.Background(), want, func(done float64) {
		if done < last || done > 1 {
			t.Errorf("progress is %v after %v", done, last)
		}
		last = done
	})
	if err != nil || last != 1 || want.Done != 1 {
		t.Fatalf("progress ends with %v, done is %v, %v; want 1", last, want.Done, err)
	}
	runtime.GOMAXPROCS(3)
	work := new(game.SolverState)
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(context.Background())
		half := (work.Done + 1) / 2
		_, err := r.SolveFrom(ctx, work, func(done float64) {
			if done > half {
				cancel()
			}
		})
		cancel()
		if err == nil {
			if stops == 0 {
				t.Error("it was never interrupted")
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		work = &game.SolverState{Values: slices.Clone(work.Values), Next: work.Next, Done: work.Done, Residual: work.Residual}
	}
	if !slices.Equal(work.Values, want.Values) || work.Residual != want.Residual || work.Next != want.Next {
		t.Error("after interruptions the values are different")
	}
	if n, steps, err := r.StateSize(); err != nil || n != len(work.Values) || steps != work.Next {
		t.Errorf("there are %d values after %d steps; StateSize returns %d and %d, %v", len(work.Values), work.Next, n, steps, err)
	}
	sol, err := r.SolveFrom(context.Background(), work, nil)
	if err != nil || sol.Residual() != 2*want.Residual {
		t.Fatalf("from complete values: %v", err)
	}
	all := make([]int, sol.Equations())
	for i := range all {
		all[i] = i
	}
	if d, err := sol.Violation(context.Background(), all); err != nil || !(d <= want.Residual) {
		t.Errorf("the violation is %v, %v; the residual is %v", d, err, want.Residual)
	}
	work.Values[len(all)/2] += 1e-6
	if d, err := sol.Violation(context.Background(), all); err != nil || !(d > 1e-7) {
		t.Errorf("with a wrong value the violation is %v, %v", d, err)
	}
	work.Values = work.Values[1:]
	if _, err := r.SolveFrom(context.Background(), work, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d values for %d positions", len(all)-1, len(all))) {
		t.Errorf("from values of another game: %v", err)
	}
}

func TestFastNoSolution(t *testing.T) {
	for want, r := range map[string]*marsisours.Rules{
		"only the quick game is solved":   newRules(t, config(2, nil)),
		"cells to stand on, more than 14": quick(t, nil, nil, 4, 2, func(c *marsisours.Config) { c.Layout = marsisours.Nine }),
		"with these robots there are ":    quick(t, nil, nil, 4, 8, nil),
	} {
		if _, err := r.Solve(context.Background(), nil); !errors.Is(err, game.ErrNoSolution) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want ErrNoSolution and %q", err, want)
		}
	}
}

// fill is a faulty policy that gives every action the same number.
type fill float64

func (f fill) Probs(dst []float64, _ []state) error {
	for i := range dst {
		dst[i] = float64(f)
	}
	return nil
}

// lazy is a faulty policy that writes nothing.
type lazy struct{}

func (lazy) Probs([]float64, []state) error { return nil }

var errPolicy = errors.New("the policy fails")

type failing struct{}

func (failing) Probs([]float64, []state) error { return errPolicy }

func TestFastFaults(t *testing.T) {
	ctx := context.Background()
	cells, stations := []string{"aa", "aa"}, []string{"a1"}
	r := quick(t, cells, stations, 2, 1, nil)
	sol, other := solve(t, r), solve(t, r)
	for text, p := range map[string]policy{
		"illegal": fill(1. / 16), "sum to 0": fill(0), "NaN": lazy{}, "-1": fill(-1), "the policy fails": failing{},
	} {
		if _, err := sol.Tabulate(ctx, p); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v; want one with %q", err, text)
		}
	}
	own, foreign := tabulate(t, sol, sol.Policy()), tabulate(t, other, other.Policy())
	const another = "the policy of seat 1 belongs to another solution"
	for _, test := range []struct {
		seats []game.TabularPolicy
		want  string
	}{{nil, "0 policies for 2 players"}, {[]game.TabularPolicy{own}, "1 policies for 2 players"}, {[]game.TabularPolicy{own, nil}, another}, {[]game.TabularPolicy{own, foreign}, another}} {
		if _, err := sol.Evaluate(ctx, nil, test.seats); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Evaluate of %v: %v; want %q", test.seats, err, test.want)
		}
	}
	if _, err := sol.BestResponse(ctx, []game.TabularPolicy{own, own}, 2); err == nil || !strings.Contains(err.Error(), "seat 2; want 0 to 1") {
		t.Errorf("the best response of seat 2: %v", err)
	}
	if err := sol.Regrets(ctx, sol.Policy(), -1, nil); err == nil || !strings.Contains(err.Error(), "seat -1; want 0 to 1") {
		t.Errorf("the regrets of seat -1: %v", err)
	}
	stop := errors.New("enough")
	if err := sol.Regrets(ctx, game.Uniform[state]{Rules: r}, 0, func(game.Regret[state]) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Regrets returns %v; want the error of yield", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := sol.Tabulate(cancelled, sol.Policy())
	_, err2 := sol.Evaluate(cancelled, nil, []game.TabularPolicy{own, own})
	_, err3 := r.Solve(cancelled, nil)
	for _, err := range []error{err, err2, err3} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("when cancelled the error is %v", err)
		}
	}
	s := r.StartGame(r.Initial(), 0)
	s.Seats[0].Hand = 9
	if _, err := sol.Value(nil, s); err == nil || !strings.Contains(err.Error(), "a seat has more than 3 robots") {
		t.Errorf("the value of a position with too many robots: %v", err)
	}
	if err := sol.Policy().Probs(make([]float64, r.Spec().Actions), []state{r.Initial()}); err == nil || !strings.Contains(err.Error(), "is not a decision") {
		t.Errorf("the choice in a chance state: %v", err)
	}
}

func BenchmarkFastSolve(b *testing.B) {
	if testing.Short() {
		b.Skip("takes long")
	}
	r := newRules(b, marsisours.FastConfig())
	for b.Loop() {
		solve(b, r)
	}
	b.ReportMetric(float64(r.Estimate().Positions)*float64(b.N)/b.Elapsed().Seconds(), "positions/s")
}

// startedBySeat0 is the quick game without the draw of the starter.
type startedBySeat0 struct{ *marsisours.Rules }

func (r startedBySeat0) Initial() state { return r.StartGame(r.Rules.Initial(), 0) }

// BenchmarkFastByTabular solves the games that seat 0 starts, half of the quick game,
// by package tabular. It takes 5 GB:
//
//	go test -run '^$' -bench FastByTabular -benchtime 1x ./env/marsisours -full
func BenchmarkFastByTabular(b *testing.B) {
	if !*full {
		b.Skip("without -full")
	}
	r := startedBySeat0{newRules(b, marsisours.FastConfig())}
	want, err := solve(b, r.Rules).Value(nil, r.Initial())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		sol, err := tabular.Solve(context.Background(), r, tabular.Options{MaxStates: 10_000_000})
		if err != nil {
			b.Fatal(err)
		}
		if got, err := sol.Value(nil, r.Initial()); err != nil || !near(got, want, 1e-12) {
			b.Errorf("value %v, %v; want %v", got, err, want)
		}
		b.ReportMetric(float64(sol.Len()), "positions")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e9, "GB")
}

func BenchmarkFastTabular(b *testing.B) {
	if testing.Short() {
		b.Skip("takes long")
	}
	r := newRules(b, marsisours.FastConfig())
	sol, ctx := solve(b, r), context.Background()
	uniform := game.Uniform[state]{Rules: r}
	table := tabulate(b, sol, uniform)
	b.Run("tabulate", func(b *testing.B) {
		for b.Loop() {
			tabulate(b, sol, uniform)
		}
	})
	b.Run("evaluate", func(b *testing.B) {
		for b.Loop() {
			if _, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{table, table}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("best response", func(b *testing.B) {
		for b.Loop() {
			if _, err := sol.BestResponse(ctx, []game.TabularPolicy{table, table}, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("regrets", func(b *testing.B) {
		for b.Loop() {
			if err := sol.Regrets(ctx, uniform, 0, func(game.Regret[state]) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
