package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/env/record"
	"marsgym/eval"
	"marsgym/eval/analysis"
	"marsgym/internal/test/testgames"
)

// playBots plays a game of bots.
func playBots(t testing.TB, g env.Game, seed uint64, names ...string) *record.Game {
	t.Helper()
	rec, dice := record.New(g, names), rand.NewPCG(seed, 2)
	var bots []env.Policy
	for _, name := range names {
		p, err := g.Bot(name)
		if err != nil {
			t.Fatal(err)
		}
		bots = append(bots, p)
	}
	for {
		at := rec.Position()
		switch who := at.CurrentPlayer(); who {
		case game.Terminal:
			return rec
		case game.Chance:
			rec.Chance(at.Sample(dice))
		default:
			probs, err := env.ActionProbabilities(t.Context(), bots[who], at, g.Spec().Actions)
			if err != nil {
				t.Fatal(err)
			}
			if err := rec.Apply(env.SampleAction(probs, dice)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func analyse(t testing.TB, rec *record.Game, v analysis.Valuer) *analysis.Game {
	t.Helper()
	a, err := analysis.Analyse(t.Context(), rec, v)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestReport: the luck-adjusted result of a bot is nearer to its exact strength than its
// result, and the intervals contain it.
func TestReport(t *testing.T) {
	const games = 200
	g := testgames.Open(t, "pig", 2, `{"target": 25}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := analysis.NewExact(g.Spec(), s)
	var list []*analysis.Game
	for i := range games {
		names := []string{"greedy", "random"}
		if i%2 == 1 {
			names = []string{"random", "greedy"}
		}
		list = append(list, analyse(t, playBots(t, g, uint64(i), names...), v))
	}
	r := analysis.NewReport(g.Spec(), v, list, 7)
	if !r.Exact || r.Method != "exact" || r.Unfinished != 0 || len(r.Games) != games || len(r.Worst) != 7 || len(r.Summary) != 2 {
		t.Fatalf("the report is %+v", r)
	}
	for i, m := range r.Worst {
		if i > 0 && m.Loss.Value > r.Worst[i-1].Loss.Value || m.Player != list[m.Game-1].Seats[m.Seat].Name {
			t.Errorf("mistake %d is %+v", i, m)
		}
	}
	best := r.Summary[0]
	exact := matchup(t, g, s, "greedy", "random")
	if best.Name != "greedy" || best.Games != games {
		t.Fatalf("the player with the smallest losses is %+v", best)
	}
	for what, m := range map[string]analysis.Mean{"result": best.Result, "adjusted result": best.Adjusted} {
		if !(m.Interval[0] <= exact && exact <= m.Interval[1]) {
			t.Errorf("the interval %v of the %s does not contain %v", m.Interval, what, exact)
		}
	}
	if width := func(m analysis.Mean) float64 { return m.Interval[1] - m.Interval[0] }; !(width(best.Adjusted) < 0.85*width(best.Result)) {
		t.Errorf("adjusted for luck the interval is %v wide, before %v", width(best.Adjusted), width(best.Result))
	}
	if !(math.Abs(best.Luck.Value) < 0.1) || best.Luck.Interval != nil {
		t.Errorf("luck has the mean %+v", best.Luck)
	}
	total, decisions, mistakes := 0.0, 0, 0
	for _, x := range list {
		for _, s := range x.Seats {
			if s.Name == best.Name {
				total, decisions, mistakes = total+s.Losses.Value, decisions+s.Decisions, mistakes+s.Mistakes
			}
		}
	}
	near(t, "the loss a game", best.Losses.Value, total/games)
	near(t, "the loss a decision", best.Loss.Value, total/float64(decisions))
	near(t, "the mistakes a game", best.Mistakes, float64(mistakes)/games)
	near(t, "the rating", float64(best.Rating.Value), analysis.Rating(total/games, 2))
	if best.Decisions != decisions || !(best.Rating.Interval[0] < best.Rating.Value && best.Rating.Value < best.Rating.Interval[1] && best.Rating.Interval[1] <= 0) {
		t.Errorf("%d decisions, want %d; rating %+v", best.Decisions, decisions, best.Rating)
	}
}

// matchup returns the exact share of the win of one bot against another, the mean of both
// seats.
func matchup(t *testing.T, g env.Game, s env.Solution, names ...string) float64 {
	share := 0.0
	for seat := range 2 {
		tables := make([]game.TabularPolicy, 2)
		for i, name := range names {
			p, err := g.Bot(name)
			if err != nil {
				t.Fatal(err)
			}
			if tables[(i+seat)%2], err = s.Tabulate(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		returns, err := s.Evaluate(t.Context(), tables)
		if err != nil {
			t.Fatal(err)
		}
		share += g.Spec().WinShare(returns[seat]) / 2
	}
	return share
}

// TestRating: a player that loses nothing is rated 0, and one that loses the difference
// between 1/2 and its share against best play has the rating of that share.
func TestRating(t *testing.T) {
	for _, tt := range []struct {
		loss    float64
		players int
		want    float64
	}{{0, 2, 0}, {0, 5, 0}, {0.5 - 1./11, 2, -400}, {1./3 - 1./6, 3, 400 * math.Log10(0.4)}, {0.5, 2, math.Inf(-1)}, {0.7, 2, math.Inf(-1)}, {-0.5, 2, math.Inf(1)}, {-0.7, 2, math.Inf(1)}} {
		if got := analysis.Rating(tt.loss, tt.players); got != tt.want && !(math.Abs(got-tt.want) <= 1e-9) {
			t.Errorf("a loss of %v for %d players: %v, want %v", tt.loss, tt.players, got, tt.want)
		}
	}
}

// TestSingleGame: nothing is known of the spread of a single game; an unfinished game has
// the value of its last position.
func TestSingleGame(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := analysis.NewExact(g.Spec(), s)
	rec := record.New(g, []string{"a", "b"})
	if err := rec.Apply(pig.Roll); err != nil {
		t.Fatal(err)
	}
	a := analyse(t, rec, v)
	r := analysis.NewReport(g.Spec(), v, []*analysis.Game{a}, 7)
	if p := r.Summary[0]; r.Unfinished != 1 || len(r.Worst) != 0 || p.Games != 1 || p.Result.Interval != nil || p.Rating != nil {
		t.Errorf("the report of an unfinished game is %+v", r)
	}
	near(t, "the result", a.Seats[0].Result.Value, a.Seats[0].Start.Value)
}

// TestWithoutWin prices a game that counts turns.
func TestWithoutWin(t *testing.T) {
	g, err := catalog.Open("martian-dice", 1, []byte(`{"dice": 4, "target": 6}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := analysis.NewExact(g.Spec(), s)
	rec := playBots(t, g, 1, "random")
	a := analyse(t, rec, v)
	x := a.Seats[0]
	near(t, "the result", x.Result.Value, rec.Position().Returns()[0])
	near(t, "the sum", x.Start.Value+x.Luck.Value-x.Losses.Value, x.Result.Value)
	if r := analysis.NewReport(g.Spec(), v, []*analysis.Game{a}, 1); r.Unit != "turns" || r.Summary[0].Rating != nil || !(x.Losses.Value > 0) {
		t.Errorf("the report is %+v", r)
	}
}

// TestRollouts compares estimated prices with the exact values of the agent's play.
func TestRollouts(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := g.Spec()
	v := &analysis.Rollouts{Game: g, Agent: s.Policy(), Name: "exact", Number: 400, Seed: 1}
	rec := playBots(t, g, 3, "random", "greedy")
	exact, estimated := analyse(t, rec, analysis.NewExact(spec, s)), analyse(t, rec, v)
	if estimated.Method != "rollouts:400:exact" || len(estimated.Decisions) != len(exact.Decisions) || !estimated.Ended {
		t.Fatalf("%+v", estimated)
	}
	inside, all := 0, 0
	count := func(got, want analysis.Number) {
		all++
		if got.Exact && math.Abs(got.Value-want.Value) > 1e-9 {
			t.Errorf("%+v is said to be exact; want %v", got, want.Value)
		}
		if got.Low-1e-9 <= want.Value && want.Value <= got.High+1e-9 {
			inside++
		}
	}
	for i, d := range estimated.Decisions {
		want := map[string]analysis.Number{}
		for _, o := range exact.Decisions[i].Options {
			want[o.Action] = o.Value
		}
		for _, o := range d.Options {
			count(o.Value, want[o.Action])
		}
	}
	for q, x := range estimated.Seats {
		w := exact.Seats[q]
		count(x.Start, w.Start)
		count(x.Luck, w.Luck)
		near(t, "the sum", x.Start.Value+x.Luck.Value-x.Losses.Value+x.Others.Value+x.Correction.Value, x.Result.Value)
		if x.Start.Exact || !x.Result.Exact {
			t.Errorf("the start is exact: %v; the result: %v", x.Start.Exact, x.Result.Exact)
		}
	}
	if all < 20 || all-inside > 1+all/20 {
		t.Errorf("%d of %d intervals contain the exact values", inside, all)
	}
	again := analyse(t, rec, v)
	if again.Seats[0] != estimated.Seats[0] {
		t.Errorf("again: %+v, before %+v", again.Seats[0], estimated.Seats[0])
	}
}

// TestRolloutsLimit: rollouts see the end of a game that takes as many decisions as the move limit
// allows, and the chance after the last one. One decision more is truncated, where both seats have
// half of the win.
func TestRolloutsLimit(t *testing.T) {
	const limit = 7
	for length, want := range map[int]float64{limit - 1: 0, limit: 1, limit + 1: 0.5} {
		for _, chance := range []bool{false, true} {
			g := env.NewGame(testgames.March{Length: length, Moves: limit, Chance: chance})
			bot, err := g.Bot("random")
			if err != nil {
				t.Fatal(err)
			}
			v := &analysis.Rollouts{Game: g, Agent: bot, Name: "random", Number: 2}
			values, err := v.Values(t.Context(), []env.Position{g.Initial()})
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("the share of seat 0, with %d decisions to the end and a limit of %d", length, limit), values[0].Mean[0], want)
		}
	}
}

// TestDecide ranks the options of a position.
func TestDecide(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 60}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"0-0@0 turn 10": "roll", "20-0@0 turn 30": "hold"} {
		p, err := g.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		o, err := analysis.Decide(t.Context(), g, p, analysis.NewExact(g.Spec(), s))
		if err != nil || len(o) != 2 || o[0].Action != want || o[0].Regret.Value != 0 || !(o[1].Regret.Value > 0) {
			t.Errorf("%s: %+v, %v; want %s first", p, o, err, want)
		}
	}
}

// TestRatingOf: the rating of one game is that of its losses, with the interval of their
// estimate.
func TestRatingOf(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		losses   analysis.Number
		value    float64
		interval []float64
		text     string
	}{
		{analysis.Number{Value: 0.1, Low: 0.1, High: 0.1, Exact: true}, analysis.Rating(0.1, 2), nil, "-70.4"},
		{analysis.Number{Value: 0.1, Low: -0.1, High: 0.3}, analysis.Rating(0.1, 2), []float64{analysis.Rating(0.3, 2), 0}, "-70.4 (-240.8 to 0.0)"},
		{analysis.Number{Value: -0.1, Low: -0.3, High: 0.1}, 0, []float64{analysis.Rating(0.1, 2), 0}, "0.0 (-70.4 to 0.0)"},
		{analysis.Number{Value: 0.1, Low: 0.02, High: 0.6}, analysis.Rating(0.1, 2), []float64{-inf, analysis.Rating(0.02, 2)}, "-70.4 (below -13.9)"},
		{analysis.Number{Value: 0.5, Low: 0.1, High: 0.6}, -inf, []float64{-inf, analysis.Rating(0.1, 2)}, "below -70.4"},
		{analysis.Number{Value: 0.5, Low: 0.5, High: 0.5, Exact: true}, -inf, nil, "too low to tell"},
	} {
		m := analysis.RatingOf(test.losses, 2)
		var interval []float64
		for _, x := range m.Interval {
			interval = append(interval, float64(x))
		}
		if float64(m.Value) != test.value || !slices.Equal(interval, test.interval) || m.Text != test.text {
			t.Errorf("%+v: %+v, want %v %v %q", test.losses, m, test.value, test.interval, test.text)
		}
	}
}

// TestRatingCoverage: intervals of the ratings of records contain the rating of the expected loss,
// for seeded samples of losses of which a part is large; they narrow with the number of games, and
// games without a loss prove no best play.
func TestRatingCoverage(t *testing.T) {
	const samples, part, most = 300, 0.2, 0.5 // the expected loss is 0.05 a game
	rated := func(losses []float64) *analysis.Rated {
		list := make([]*analysis.Game, len(losses))
		for i, x := range losses {
			exact := analysis.Number{Value: x, Low: x, High: x, Exact: true}
			list[i] = &analysis.Game{Ended: true, Seats: []analysis.Seat{{Name: "a", Losses: exact, Decisions: 1}, {Name: "b", Decisions: 1}}}
		}
		g := testgames.Open(t, "pig", 2, `{"target": 15}`)
		r := analysis.NewReport(g.Spec(), analysis.NewExact(g.Spec(), nil), list, 0)
		return r.Summary[slices.IndexFunc(r.Summary, func(p analysis.Player) bool { return p.Name == "a" })].Rating
	}
	want, width := eval.End(analysis.Rating(part*most/2, 2)), math.Inf(1)
	for _, games := range []int{4, 20, 200} {
		covered, halves := 0, 0.0
		for seed := range uint64(samples) {
			dice := rand.New(rand.NewPCG(seed, uint64(games)))
			losses := make([]float64, games)
			for i := range losses {
				if dice.Float64() < part {
					losses[i] = most * dice.Float64()
				}
			}
			r := rated(losses)
			if r.Interval[0] <= want && want <= r.Interval[1] {
				covered++
			}
			halves += math.Atan(float64(r.Interval[1]-r.Interval[0])/400) / samples // finite
		}
		if covered < samples*99/100 {
			t.Errorf("%d games: %d of %d intervals contain the rating", games, covered, samples)
		}
		if !(halves < width) {
			t.Errorf("%d games: the intervals are no narrower: %v, %v", games, halves, width)
		}
		width = halves
	}
	few, many := rated(make([]float64, 10)).Interval, rated(make([]float64, 1000)).Interval
	if !(few[0] < many[0] && many[0] < -0.1 && few[1] == 0 && many[1] == 0) {
		t.Errorf("without a loss in 10 games %v, in 1000 %v", few, many)
	}
}

// TestReportIntervals: the interval of a result is that of the match of the same games, and all
// intervals are wider than 0 and within what is possible, also where all games are alike.
func TestReportIntervals(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 15}`)
	for _, tt := range []struct {
		results  []float64
		adjusted float64 // of each game
		losses   float64
	}{{[]float64{1, 1, 1, 1}, 1.07, 0}, {[]float64{1, 1, 1, 1}, 0.9975, 0.047}, {[]float64{0, 0}, -0.2, 0.9}, {[]float64{1, 0, 1}, 0.5, 1.4}} {
		var list []*analysis.Game
		exact := func(x float64) analysis.Number { return analysis.Number{Value: x, Low: x, High: x, Exact: true} }
		for _, x := range tt.results {
			list = append(list, &analysis.Game{Ended: true, Seats: []analysis.Seat{
				{Name: "a", Result: exact(x), Luck: exact(x - tt.adjusted), Losses: exact(tt.losses), Decisions: 3}, {Name: "b", Decisions: 1}}})
		}
		r := analysis.NewReport(g.Spec(), analysis.NewExact(g.Spec(), nil), list, 0)
		p := r.Summary[slices.IndexFunc(r.Summary, func(p analysis.Player) bool { return p.Name == "a" })]
		low, high := eval.ShareInterval(tt.results)
		if p.Result.Interval[0] != low || p.Result.Interval[1] != high {
			t.Errorf("%v: the result is %+v; a match has %v to %v", tt.results, p.Result, low, high)
		}
		most := map[string]float64{"result": 1, "adjusted": 1, "losses": math.Inf(1), "loss a decision": 1}
		for what, m := range map[string]analysis.Mean{"result": p.Result, "adjusted": p.Adjusted, "losses": p.Losses, "loss a decision": p.Loss} {
			if x := m.Interval; !(0 <= x[0] && x[0] < x[1] && x[1] <= most[what]) {
				t.Errorf("%v: the interval of the %s is %v", tt, what, x)
			}
		}
	}
}
