package analysis_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/eval/analysis"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
)

// solved are games with their solutions.
var solved = []struct {
	id      string
	players int
	config  string // of the sample; full tests play the whole game
	games   int    // of the sample
	full    int    // games of full tests
}{
	{"martian-dice", 2, `{}`, 2, 100},
	{"martian-dice", 3, `{"dice": 6, "target": 8}`, 30, 20},
	{"mars-is-ours-fast", 2, `{}`, 8, 1000},
	{"martian-risk-tiny", 2, `{"max_rounds": 2}`, 20, 1000},
	{"pig", 2, `{"target": 50}`, 20, 1000},
}

// priced makes full tests price so many games of each kind: 1,000 take eight minutes of a
// core, most of them in Martian Dice for three.
var priced = flag.Int("games", 0, "games of each solved game in full tests (default 20 to 1000)")

// play plays a game whose seats take a random action in one of three decisions, and the
// best action in the others.
func play(t testing.TB, g env.Game, best env.Policy, seed uint64) *record.Game {
	t.Helper()
	names := make([]string, g.Spec().Players)
	for i := range names {
		names[i] = fmt.Sprint("player ", i)
	}
	rec, dice := record.New(g, names), rand.NewPCG(seed, 1)
	for {
		at := rec.Position()
		switch at.CurrentPlayer() {
		case game.Terminal:
			return rec
		case game.Chance:
			rec.Chance(at.Sample(dice))
			continue
		}
		legal := at.Legal()
		a := legal[dice.Uint64()%uint64(len(legal))]
		if dice.Uint64()%3 > 0 {
			probs, err := env.ActionProbabilities(t.Context(), best, at, g.Spec().Actions)
			if err != nil {
				t.Fatal(err)
			}
			a = env.SampleAction(probs, dice)
		}
		if err := rec.Apply(a); err != nil {
			t.Fatal(err)
		}
	}
}

// near fails unless two numbers are equal but for rounding.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Fatalf("%s is %v; want %v", what, got, want)
	}
}

// TestExact prices games of all solved games. The values are those of the solution, luck
// has the mean 0 in each chance position, the losses are the regrets, and the parts add up
// to the result.
func TestExact(t *testing.T) {
	for _, tt := range solved {
		t.Run(fmt.Sprint(tt.id, " for ", tt.players), func(t *testing.T) {
			if tt.id == "mars-is-ours-fast" {
				fulltest.Gate(t) // it is the largest
			}
			n, config := tt.games, tt.config
			if testing.Short() && config == `{}` {
				t.Skip("solves a whole game")
			}
			if fulltest.On() {
				n, config = cmp.Or(*priced, tt.full), `{}`
			}
			g, err := catalog.Open(tt.id, tt.players, []byte(config))
			if err != nil {
				t.Fatal(err)
			}
			s, err := g.Solve(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{} // chance positions
			for seed := range n {
				check(t, g, s, play(t, g, s.Policy(), uint64(seed)), seen)
			}
		})
	}
}

// check compares the price of a game with the solution.
func check(t *testing.T, g env.Game, s env.Solution, rec *record.Game, seen map[string]bool) {
	spec := g.Spec()
	value := func(p env.Position) []float64 {
		v, err := s.Value(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range v {
			v[i] = spec.WinShare(v[i])
		}
		return v
	}
	got, err := analysis.Analyse(t.Context(), rec, analysis.NewExact(spec, s))
	if err != nil {
		t.Fatal(err)
	}
	luck, losses, others := make([]float64, spec.Players), make([]float64, spec.Players), make([]float64, spec.Players)
	decisions := got.Decisions
	for i, step := range rec.Steps {
		before, after := value(step.Before), value(step.After)
		near(t, "the value before a step", got.Values[i].Mean[0], before[0])
		if step.Chance() {
			for q := range luck {
				luck[q] += after[q] - before[q]
			}
			meanLuck(t, step.Before, before, value, seen)
			continue
		}
		mover := step.Before.CurrentPlayer()
		options, err := s.Options(step.Before)
		if err != nil {
			t.Fatal(err)
		}
		chosen, best := math.NaN(), math.Inf(-1)
		for k, a := range step.Before.Legal() {
			best = max(best, spec.WinShare(options[k]))
			if a == step.Action {
				chosen = spec.WinShare(options[k])
			}
		}
		for q := range others {
			if q != int(mover) {
				others[q] += after[q] - before[q]
			}
		}
		losses[mover] += best - chosen
		near(t, "the value of "+step.Before.String(), before[mover], best)
		if len(options) == 1 {
			continue
		}
		d := decisions[0]
		decisions = decisions[1:]
		if d.Step != i || d.Seat != int(mover) || d.Position != step.Before.String() || d.Action != g.ActionName(step.Action) || len(d.Options) != len(options) {
			t.Fatalf("step %d of seat %d, %s at %s, is priced as %+v", i, mover, g.ActionName(step.Action), step.Before, d)
		}
		near(t, "the value of a decision", d.Value.Value, best)
		near(t, "a loss", d.Loss.Value, best-chosen)
		if d.Mistake() != (d.Loss.Value > game.Tie) || !d.Loss.Exact {
			t.Fatalf("%+v is a mistake: %v", d, d.Mistake())
		}
		for k, o := range d.Options {
			near(t, "the regret of "+o.Action, o.Regret.Value, best-o.Value.Value)
			if k > 0 && o.Regret.Value < d.Options[k-1].Regret.Value-game.Tie {
				t.Fatalf("option %s is ranked below a worse one: %+v", o.Action, d.Options)
			}
		}
	}
	if len(decisions) > 0 {
		t.Fatalf("priced without being in the game: %+v", decisions)
	}
	start, end := value(g.Initial()), value(rec.Position())
	near(t, "the value at the end", got.Values[len(rec.Steps)].Mean[0], end[0])
	for q, x := range got.Seats {
		near(t, "the result", x.Result.Value, end[q])
		near(t, "the start", x.Start.Value, start[q])
		near(t, "the luck", x.Luck.Value, luck[q])
		near(t, "the losses", x.Losses.Value, losses[q])
		near(t, "the change by others", x.Others.Value, others[q])
		near(t, "the correction", x.Correction.Value, 0)
		near(t, "the sum", x.Start.Value+x.Luck.Value-x.Losses.Value+x.Others.Value, x.Result.Value)
		if spec.Players == 2 {
			near(t, "the errors of the other seat", x.Others.Value, losses[1-q])
		}
	}
}

// meanLuck checks that the change of value has the mean 0 over the outcomes of a chance
// position.
func meanLuck(t *testing.T, at env.Position, before []float64, value func(env.Position) []float64, seen map[string]bool) {
	if seen[at.String()] {
		return
	}
	seen[at.String()] = true
	mean := make([]float64, len(before))
	for _, o := range at.Outcomes() {
		for q, x := range value(o.State) {
			mean[q] += o.Prob * (x - before[q])
		}
	}
	for q, x := range mean {
		near(t, fmt.Sprintf("the mean luck of seat %d at %s", q, at), x, 0)
	}
}

// TestAnalyseSeats: without the options of a seat, exact prices are the same, and the parts of
// estimated results still add up.
func TestAnalyseSeats(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 30}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := play(t, g, s.Policy(), 1)
	for _, v := range []analysis.Valuer{analysis.NewExact(g.Spec(), s), &analysis.Searches{Game: g, Name: "greedy", Number: 4, Simulations: 20, Seed: 1}} {
		whole := analyse(t, rec, v)
		for _, seats := range [][]int{nil, {1}} {
			part, err := analysis.AnalyseSeats(t.Context(), rec, v, seats)
			if err != nil || len(part.Decisions) != len(whole.Decisions) || len(part.Decisions) == 0 {
				t.Fatalf("%d decisions, want %d; %v", len(part.Decisions), len(whole.Decisions), err)
			}
			for i, d := range part.Decisions {
				if priced := slices.Contains(seats, d.Seat); priced != (d.Options != nil) || d.Action != whole.Decisions[i].Action {
					t.Fatalf("%+v, want options only for the seats %v", d, seats)
				}
				if v.Exact() {
					near(t, "a loss", d.Loss.Value, whole.Decisions[i].Loss.Value)
				}
			}
			for q, x := range part.Seats {
				near(t, "the sum", x.Start.Value+x.Luck.Value-x.Losses.Value+x.Others.Value+x.Correction.Value, x.Result.Value)
				if v.Exact() {
					near(t, "the losses", x.Losses.Value, whole.Seats[q].Losses.Value)
				}
			}
		}
	}
}

// TestOutcomes: the values of outcomes have the mean of the position, the best comes first, and
// too many are not estimated.
func TestOutcomes(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 30}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := g.Parse("9-8@1 turn 4 rolling")
	if err != nil {
		t.Fatal(err)
	}
	v := analysis.NewExact(g.Spec(), s)
	list, err := analysis.Outcomes(t.Context(), at, v, 1)
	if err != nil || len(list) != 6 {
		t.Fatalf("%d outcomes, %v", len(list), err)
	}
	values, err := v.Values(t.Context(), []env.Position{at})
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for i, o := range list {
		mean += o.Prob * o.Value.Value
		if o.Outcome != at.OutcomeName(o.After) || i > 0 && o.Value.Value > list[i-1].Value.Value {
			t.Errorf("outcome %d is %+v", i, o)
		}
	}
	near(t, "the mean", mean, values[0].Mean[1])
	dice := testgames.Open(t, "martian-dice", 2, `{}`)
	if at, err = dice.Parse("0-0@0"); err != nil {
		t.Fatal(err)
	}
	if _, err := analysis.Outcomes(t.Context(), at, &analysis.Searches{Game: dice, Number: 2, Simulations: 1}, 0); err == nil || !strings.Contains(err.Error(), "up to 100 are estimated") {
		t.Errorf("of the first roll: %v", err)
	}
}
