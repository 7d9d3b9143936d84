package search_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// plainLookahead is a look-ahead by recursion over positions.
type plainLookahead struct {
	g    env.Game
	e    *search.Evaluator
	done map[string][]float64 // values of decisions, by position and plies
}

// row returns the network's values by seat for an observation of viewer.
func (l plainLookahead) row(obs []float32, viewer game.Player) []float64 {
	out, values := make([]float32, l.g.Spec().Players), make([]float64, l.g.Spec().Players)
	l.e.Forward(nil, out, obs)
	game.SeatOrder(values, out, viewer)
	return values
}

// value returns the values of a position after so many plies; the last move before it
// was seen as the afterstate obs by mover. reach is the probability of the chance since
// then; chance that is less likely than rounding errors counts as 0, since it can go on
// for ever.
func (l plainLookahead) value(p env.Position, plies int, obs []float32, mover game.Player, reach float64) []float64 {
	who := p.CurrentPlayer()
	switch {
	case who == game.Terminal:
		return p.Returns()
	case plies == 0 && l.e.Target == search.Afterstate:
		return l.row(obs, mover)
	case who == game.Chance && reach < 1e-14:
		return make([]float64, l.g.Spec().Players)
	case who == game.Chance:
		sum := make([]float64, l.g.Spec().Players)
		for _, o := range p.Outcomes() {
			for seat, v := range l.value(o.State, plies, nil, mover, reach*o.Prob) {
				sum[seat] += o.Prob * v
			}
		}
		return sum
	}
	key := fmt.Sprint(p, plies)
	if l.done[key] == nil {
		if plies == 0 {
			l.done[key] = l.row(p.Decisions().Obs(), who)
		} else {
			_, l.done[key] = l.choose(p, plies-1)
		}
	}
	return l.done[key]
}

// choose returns the best action of the representative of a decision, and its values.
func (l plainLookahead) choose(p env.Position, plies int) (best game.Action, values []float64) {
	d, who := p.Decisions(), p.CurrentPlayer()
	after, length := d.Afterstates(), l.g.Spec().ObsLen()
	for i, a := range after.Action { // in ascending order
		real := a
		if label := d.Relabel(0); label != nil {
			real = label[a]
		}
		next, err := p.Apply(real)
		if err != nil {
			panic(err)
		}
		v := l.value(next, plies, after.Obs[i*length:][:length], who, 1)
		if values == nil || v[who] > values[who]+game.Tie {
			best, values = a, v
		}
	}
	return best, values
}

// saveNetwork writes a random network to a file, with values of that target.
func saveNetwork(t testing.TB, g env.Game, target search.ValueTarget, kind models.ValueKind) string {
	t.Helper()
	shape := agents.MetaOf(g.Spec()).Net
	shape.Hidden, shape.Head, shape.Values = []int{8}, models.Logits, kind
	mlp, err := models.NewMLP(shape, rand.NewPCG(7, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i := range mlp.Weights() { // a new network's values are almost 0
		mlp.Weights()[i] *= 5
	}
	f := models.File{Meta: agents.MetaOf(g.Spec()), MLP: mlp}
	f.Meta.ValueTarget = string(target)
	name := filepath.Join(t.TempDir(), agents.ModelFile)
	if err := f.Save(name); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLookahead(t *testing.T) {
	for _, test := range []struct {
		id, config string
		target     search.ValueTarget
		kind       models.ValueKind
		plies      int // at most
	}{
		{"pig", `{"target": 20, "players": 3}`, search.Decision, models.ValueReturns, 3},
		{"martian-dice", `{"dice": 3, "target": 4, "players": 3}`, search.Decision, models.ValueShares, 2},
		{"mars-is-ours-fast", `{}`, search.Decision, models.ValueReturns, 1},
		{"mars-is-ours-fast", `{}`, search.Afterstate, models.ValueReturns, 2},
		{"martian-risk-tiny", `{}`, search.Decision, models.ValueReturns, 1},
	} {
		g := testgames.Open(t, test.id, 0, test.config)
		file := saveNetwork(t, g, test.target, test.kind)
		f, err := models.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := agents.NewEvaluator(g.Spec(), f)
		if err != nil {
			t.Fatal(err)
		}
		plain := plainLookahead{g, e, map[string][]float64{}}
		var positions []env.Position
		dice := rand.New(rand.NewPCG(1, 2))
		for len(positions) < 30 {
			for p := g.Initial(); p.CurrentPlayer() != game.Terminal; {
				if p.CurrentPlayer() == game.Chance {
					p = p.Sample(rand.NewPCG(dice.Uint64(), 0))
					continue
				}
				if dice.IntN(6) == 0 {
					positions = append(positions, p)
				}
				legal := p.Legal()
				if p, err = p.Apply(legal[dice.IntN(len(legal))]); err != nil {
					t.Fatal(err)
				}
			}
		}
		for plies := range test.plies + 1 {
			a := searchAgent(t, g, fmt.Sprintf("lookahead:%d:%s", plies, file), 1)
			for _, p := range positions[:30] {
				d := p.Decisions()
				probs := make([]float64, g.Spec().Actions)
				if err := env.Probs(t.Context(), a, probs, d); err != nil {
					t.Fatalf("%s by %d plies at %s: %v", test.id, plies, p, err)
				}
				if want, _ := plain.choose(p, plies); probs[want] != 1 {
					t.Errorf("%s %s, %s by %d plies at %s: action %d; want %d", test.id, test.config, test.target, plies, p, slices.Index(probs, 1), want)
				}
			}
		}
	}
}

// TestLookaheadRepeats: the actions depend neither on the decisions that are asked at
// the same time nor on the number of cores.
func TestLookaheadRepeats(t *testing.T) {
	g := testgames.Open(t, "mars-is-ours-fast", 0, "{}")
	a := searchAgent(t, g, "lookahead:1:"+saveNetwork(t, g, search.Decision, models.ValueReturns), 1)
	const rows = 150
	batch := g.NewBatch(rows, 0)
	batch.Reset(1)
	n := g.Spec().Actions
	all := make([]float64, rows*n)
	for range 4 {
		d := batch.Decisions(nil)
		for _, cores := range []int{1, 3} {
			old := runtime.GOMAXPROCS(cores)
			err := env.Probs(t.Context(), a, all, d)
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				one := make([]float64, n)
				if err := env.Probs(t.Context(), a, one, d.Position(i).Decisions()); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(one, all[i*n:][:n]) {
					t.Fatalf("on %d cores, row %d: another action among %d decisions than alone", cores, i, rows)
				}
			}
		}
		for i := range rows {
			batch.Buffers().Action[i] = game.Action(slices.Index(all[i*n:][:n], 1))
		}
		if err := batch.Step(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLookaheadErrors(t *testing.T) {
	g := testgames.Reduced(t)
	file := saveNetwork(t, g, search.Decision, models.ValueShares)
	for name, want := range map[string]string{
		"lookahead": `unknown agent "lookahead"`, "lookahead:": `unknown agent "lookahead:"`, "lookahead:2": `unknown agent "lookahead:2"`, "lookahead:2:": `unknown agent `,
		"lookahead:x:" + file: `unknown agent "lookahead:x:`, "lookahead:2:runs/none": `unknown agent "runs/none"`,
	} {
		if _, err := agents.Open(t.Context(), name, agents.Options{Game: g}); !errors.Is(err, agents.ErrUnknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	for name, want := range map[string]string{
		"lookahead:-1:" + file: "want 0 to 20",
		"lookahead:21:" + file: "want 0 to 20",
	} {
		if _, err := agents.Open(t.Context(), name, agents.Options{Game: g}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	whole, err := catalog.Open("martian-risk", 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := searchAgent(t, whole, "lookahead:9:"+saveNetwork(t, whole, search.Decision, models.ValueReturns), 1)
	p := whole.Initial()
	for p.CurrentPlayer() == game.Chance {
		p = p.Sample(rand.NewPCG(1, 1))
	}
	if err := env.Probs(t.Context(), a, make([]float64, whole.Spec().Actions), p.Decisions()); !errors.Is(err, search.ErrBranches) {
		t.Errorf("nine plies: %v; want %v", err, search.ErrBranches)
	}
	if got := agents.ModelName("lookahead:2:" + file); got != file {
		t.Errorf("the model is %q; want %q", got, file)
	}
}

// TestLookaheadTurns: a game without plans of turns refuses a look-ahead on values of starts
// of turns, and turns ahead are bounded.
func TestLookaheadTurns(t *testing.T) {
	risk := testgames.Open(t, "martian-risk-tiny", 0, "{}")
	file := saveNetwork(t, risk, search.TurnStart, models.ValueReturns)
	if _, err := agents.Open(t.Context(), "lookahead:0:"+file, agents.Options{Game: risk}); err == nil || !strings.Contains(err.Error(), "starts of turns") {
		t.Errorf("without plans: %v", err)
	}
	pig := testgames.Open(t, "pig", 0, "{}")
	a := searchAgent(t, pig, "lookahead:9:"+saveNetwork(t, pig, search.TurnStart, models.ValueReturns), 1)
	if err := env.Probs(t.Context(), a, make([]float64, pig.Spec().Actions), pig.Initial().Decisions()); !errors.Is(err, search.ErrBranches) {
		t.Errorf("nine turns: %v; want %v", err, search.ErrBranches)
	}
}
