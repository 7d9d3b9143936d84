package env_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/test/testgames"
)

// TestWithoutPresenter: in a game that has only rules, positions are written as their states, rolls
// are outcomes, and what needs more says so or is empty.
func TestWithoutPresenter(t *testing.T) {
	g := env.NewGame(testgames.Coin{})
	air := g.Initial()
	tails, heads := air.Outcomes()[0].State, air.Outcomes()[1].State
	if air.AskRoll().String() != "the outcome" || air.OutcomeName(heads) != "{2}" || air.DrawRoll(tails, rand.NewPCG(1, 2)) != "{1}" {
		t.Errorf("%q, %q, %q", air.AskRoll().String(), air.OutcomeName(heads), air.DrawRoll(tails, rand.NewPCG(1, 2)))
	}
	for name, want := range map[string]env.Position{"{1}": tails, "{2}": heads} {
		for what, read := range map[string]func(string) (env.Position, error){"Outcome": air.Outcome, "ReadRoll": air.ReadRoll} {
			if got, err := read(name); err != nil || got != want {
				t.Errorf("%s of %s is %v, %v", what, name, got, err)
			}
			if _, err := read("{3}"); err == nil || err.Error() != `"{3}" is no outcome of "{0}"` {
				t.Errorf("%s of another state: %v", what, err)
			}
		}
	}
	claimed, err := heads.Apply(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		before, after env.Position
		roll          string
		want          []string
	}{{air, heads, "", []string{"{2}"}}, {air, heads, "heads", []string{"heads"}}, {heads, claimed, "", nil}} {
		if got := (message.Speaker{}).SayAll(tt.before.Narrate(tt.after, 0, tt.roll)); !slices.Equal(got, tt.want) {
			t.Errorf("from %s to %s by %q: %q; want %q", tt.before, tt.after, tt.roll, got, tt.want)
		}
	}
	if heads.Situation() != "" || heads.Scene() != nil || heads.Explain(message.Speaker{}, "claim") != nil || !heads.DescribeAction(1).IsZero() || heads.Render(message.Speaker{}) != "{2}" {
		t.Errorf("%q, %v, %q, %q, %q; want nothing", heads.Situation(), heads.Scene(), heads.Explain(message.Speaker{}, "claim"), heads.DescribeAction(1).String(), heads.Render(message.Speaker{}))
	}
	if _, err := g.Parse("{2}"); err == nil || err.Error() != "coin has no notation for positions" {
		t.Errorf("%v", err)
	}
}

// TestWithoutAbilities: what a game cannot do is an error that says so.
func TestWithoutAbilities(t *testing.T) {
	ctx := t.Context()
	coin, pig, dice := env.NewGame(testgames.Coin{}), env.NewGame(testgames.NewPig(t, 2, 10)), env.NewGame(testgames.NewMartianDice(t, 2, 4, 4))
	random, err := pig.Bot("random")
	if err != nil {
		t.Fatal(err)
	}
	s, err := pig.Solve(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]func() error{
		"coin: no exact solution":                       func() error { _, err := coin.Solve(ctx, nil); return err },
		"pig has no tables: no exact solution":          func() error { _, err := pig.TabulateRows(ctx, random, 0, 1); return err },
		"pig has no solution files: no exact solution":  func() error { _, err := pig.DecodeSolution(ctx, nil); return err },
		"coin has no solution files: no exact solution": func() error { _, err := coin.DecodeSolution(ctx, nil); return err },
		"pig: no odds tables":                           func() error { _, err := pig.OddsTables(game.AllOdds); return err },
		`coin has no bot "greedy"; it has random`:       func() error { _, err := coin.Bot("greedy"); return err },
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if _, err := s.ReadTable(random, nil); !errors.Is(err, game.ErrNoSolution) || err.Error() != "pig has no tables: no exact solution" {
		t.Errorf("a table of Pig: %v", err)
	}
	for _, look := range []func(env.Position) ([]float64, error){s.Value, s.Options} {
		if _, err := look(coin.Initial()); err == nil || err.Error() != "position {0} is of another game" {
			t.Errorf("%v", err)
		}
	}
	for _, g := range []env.Game{coin, pig, dice} {
		rows, width, ok := g.TableSize()
		_, estimated := g.Estimate()
		if want := g == dice; ok != want || estimated != want || (rows > 0 && width > 0) != want {
			t.Errorf("%s has a table of %d by %d: %v; an estimate: %v", g.Spec().ID, rows, width, ok, estimated)
		}
		if got := env.Solvable(g); got != (g != coin) {
			t.Errorf("%s is solvable: %v", g.Spec().ID, got)
		}
	}
}

// TestScorerProbs: the probabilities of a scorer are Choose of the scores of its afterstates, in one
// decision and in several.
func TestScorerProbs(t *testing.T) {
	for name, g := range map[string]env.Game{"pig": env.NewGame(testgames.NewPig(t, 2, 20)), "martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 5, 5))} {
		for _, rows := range []int{1, 4} {
			b := g.NewBatch(rows, 0)
			b.Reset(1)
			playRows(t, b, 9, 0)
			d := b.Decisions(nil)
			got, want := slices.Repeat([]float64{7}, rows*g.Spec().Actions), make([]float64, rows*g.Spec().Actions)
			if err := errors.Join(env.ScorerProbs(hashScorer{}, got, d), hashScorer{}.Probs(want, d)); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %v, %v; want %v", name, got, err, want)
			}
		}
	}
}

// sparse is a hashScorer that reads lists of the numbers that are not 0.
type sparse struct {
	hashScorer
	d int
}

func (s sparse) ScoreSparse(dst []float64, start []int, numbers []game.Element) error {
	obs := make([]float32, len(dst)*s.d)
	for i := range dst {
		for _, x := range numbers[start[i]:start[i+1]] {
			obs[i*s.d+int(x.Index)] = x.Value
		}
	}
	return s.Score(dst, obs)
}

// broken is a scorer that fails.
type broken struct{ hashScorer }

var errBroken = errors.New("no score")

func (broken) Score([]float64, []float32) error { return errBroken }

// TestSparseScorers: a scorer has the same exact values whether it reads whole observations or lists,
// in games that list the numbers of an observation and in others; and its error ends the evaluation.
func TestSparseScorers(t *testing.T) {
	for name, g := range map[string]env.Game{"pig": env.NewGame(testgames.NewPig(t, 2, 15)), "martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 5, 6))} {
		s, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var values [2][]float64
		for k, p := range []env.Policy{hashScorer{}, sparse{d: g.Spec().ObsLen()}} {
			table, err := s.Tabulate(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			best, err := s.Tabulate(t.Context(), s.Policy())
			if err != nil {
				t.Fatal(err)
			}
			if values[k], err = s.Evaluate(t.Context(), []game.TabularPolicy{table, best}); err != nil {
				t.Fatal(err)
			}
		}
		if !(math.Abs(values[0][0]-values[1][0]) <= 1e-12) {
			t.Errorf("%s: a scorer of lists has the values %v; of observations %v", name, values[1], values[0])
		}
		if _, err := s.Tabulate(t.Context(), broken{}); !errors.Is(err, errBroken) {
			t.Errorf("%s: a scorer that fails: %v", name, err)
		}
	}
}

// TestRegrets: a regret is the difference of two options of its position, which is in the situation
// that it names; and an error of the caller ends the list.
func TestRegrets(t *testing.T) {
	g := env.NewGame(testgames.NewPig(t, 2, 15))
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	random, err := g.Bot("random")
	if err != nil {
		t.Fatal(err)
	}
	errEnough := errors.New("enough")
	n := 0
	err = s.Regrets(t.Context(), random, 1, func(r env.Regret) error {
		n++
		p := r.Position()
		options, err := s.Options(p)
		if err != nil {
			t.Fatal(err)
		}
		value := map[game.Action]float64{}
		for i, a := range p.Legal() {
			value[a] = options[i]
		}
		if p.CurrentPlayer() != 1 || !(math.Abs(value[r.Best]-value[r.Action]-r.Loss) <= 1e-12) || r.Kind == "" || r.Situation != p.Situation() || r.Situation == "" {
			t.Errorf("at %s: %+v; the options are worth %v", p, r, options)
		}
		if n == 5 {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) || n != 5 {
		t.Errorf("after %d regrets: %v", n, err)
	}
}

// TestSituation: only a seat that is to move is in a situation.
func TestSituation(t *testing.T) {
	g := env.NewGame(testgames.NewPig(t, 2, 100))
	for text, want := range map[string]string{"10-0@0": "early, ahead", "10-90@0": "late, behind", "10-90@0 turn 4 rolling": ""} {
		p, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Situation(); got != want {
			t.Errorf("%s: %q; want %q", text, got, want)
		}
	}
}

// TestSceneOptions: the options of a scene are the legal actions with their names and texts; those
// without a short text of the game have the text as their kind.
func TestSceneOptions(t *testing.T) {
	short := 0
	for _, id := range []string{"pig", "martian-dice", "mars-is-ours-fast", "martian-risk-tiny"} {
		g := testgames.Open(t, id, 0, "{}")
		e := env.New(g)
		e.Reset(1)
		for range 30 {
			p := e.Position()
			legal, options := p.Legal(), p.Scene().Options
			if len(options) != len(legal) {
				t.Fatalf("%s: %d options of %d actions at %s", id, len(options), len(legal), p)
			}
			for i, o := range options {
				if o.Action != legal[i] || o.Name != g.ActionName(o.Action) || o.Text.String() != p.DescribeAction(o.Action).String() || o.Kind.IsZero() {
					t.Errorf("%s: option %d of %s is %+v", id, i, p, o)
				}
				if o.Kind.String() != o.Text.String() {
					short++
				}
			}
			if s, err := e.Step(legal[len(legal)-1]); err != nil || s.Terminated {
				break
			}
		}
	}
	if short == 0 {
		t.Error("no option has a short text")
	}
	over := testgames.Open(t, "pig", 2, `{"target": 50}`)
	p, err := over.Parse("50-3 over 0")
	if err != nil {
		t.Fatal(err)
	}
	if o := p.Scene().Options; o == nil || len(o) > 0 {
		t.Errorf("at the end the options are %v; want an empty list", o)
	}
}

// TestFailingPolicy: the error of a policy is that of its probabilities in a position.
func TestFailingPolicy(t *testing.T) {
	g := env.NewGame(testgames.NewPig(t, 2, 20))
	if _, err := env.ActionProbabilities(t.Context(), failingPolicy{}, g.Initial(), 2); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
	if err := env.ScorerProbs(broken{}, make([]float64, 2), g.Initial().Decisions()); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
	if _, err := env.ActionProbabilities(t.Context(), failingPolicy{}, nil, 2); err == nil || !strings.Contains(err.Error(), "the policy or the position is nil") {
		t.Errorf("%v", err)
	}
}

type failingPolicy struct{}

func (failingPolicy) Probs([]float64, env.Decisions) error { return errBroken }
