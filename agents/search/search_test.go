package search_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
)

func searchAgent(t testing.TB, g env.Game, name string, seed uint64) *agents.Agent {
	t.Helper()
	a, err := agents.Open(t.Context(), name, agents.Options{Game: g, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// chosen returns the name of the action that an agent takes with probability 1.
func chosen(t testing.TB, g env.Game, a *agents.Agent, position string) string {
	t.Helper()
	p, err := g.Parse(position)
	if err != nil {
		t.Fatal(err)
	}
	probs, err := env.ActionProbabilities(t.Context(), a, p, g.Spec().Actions)
	if err != nil {
		t.Fatal(err)
	}
	return g.ActionName(game.Action(slices.Index(probs, 1)))
}

// TestSearchTactics: positions with one action that is clearly best.
func TestSearchTactics(t *testing.T) {
	tests := []struct {
		id       string
		players  int
		position string
		want     string
	}{
		{"martian-dice", 2, "25-20@1 aside R3H6", "stop"},      // wins 26 to 25 in the last turn
		{"martian-dice", 2, "25-20@1 aside R3H3", "roll"},      // 23 points are not enough
		{"martian-dice", 3, "25-24-20@2 aside R3H6", "stop"},   // each player maximises its own share
		{"martian-dice", 3, "20-25-24@2 aside T3R1H2", "roll"}, // without a further roll no points
		{"martian-dice", 4, "25-24-22-20@3 aside R3H6", "stop"},
		{"martian-dice", 2, "25-20@1 aside T2R2 roll H1C8", "cows"}, // eight points win, and one does not
		{"pig", 2, "0-99@0 turn 60", "hold"},                        // a further roll gains little and can lose the game
		{"pig", 3, "99-99-0@2 turn 95", "roll"},                     // the others nearly always win
	}
	for _, tt := range tests {
		g, err := catalog.Open(tt.id, tt.players, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := chosen(t, g, searchAgent(t, g, "search:300", 1), tt.position); got != tt.want {
			t.Errorf("%s: %s; want %s", tt.position, got, tt.want)
		}
	}
}

// TestSearchConverges: with more simulations the exploitability of a search falls.
func TestSearchConverges(t *testing.T) {
	fulltest.Gate(t)
	for _, tt := range []struct {
		id, config  string
		simulations [3]string
		most        float64 // exploitability of the last
	}{
		{"martian-dice", `{"dice": 3, "target": 4}`, [3]string{"search:8", "search:64", "search:200"}, 0.008},
		{"martian-dice", `{"dice": 3, "target": 2, "players": 3}`, [3]string{"search:4", "search:32", "search:200"}, 0.005},
	} {
		g := testgames.Open(t, tt.id, 0, tt.config)
		s, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		evaluator, err := eval.NewExactEvaluator(g, s)
		if err != nil {
			t.Fatal(err)
		}
		last := 1.0
		for _, name := range tt.simulations {
			e, err := evaluator.Exploitability(t.Context(), searchAgent(t, g, name, 1))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s %s %s: exploitability %.5f", tt.id, tt.config, name, e)
			if !(e < last) {
				t.Errorf("%s %s: %s has the exploitability %g, and fewer simulations %g", tt.id, tt.config, name, e, last)
			}
			last = e
		}
		if !(last <= tt.most) {
			t.Errorf("%s %s: the last exploitability is %g", tt.id, tt.config, last)
		}
	}
}

// regret returns the sum of the regrets of an agent in some positions.
func regret(t testing.TB, g env.Game, s env.Solution, a *agents.Agent, positions []string) (sum float64) {
	t.Helper()
	for _, text := range positions {
		p, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		options, err := s.Options(p)
		if err != nil {
			t.Fatal(err)
		}
		probs, err := env.ActionProbabilities(t.Context(), a, p, g.Spec().Actions)
		if err != nil {
			t.Fatal(err)
		}
		for i, legal := range p.Legal() {
			sum += probs[legal] * (g.Spec().WinShare(slices.Max(options)) - g.Spec().WinShare(options[i]))
		}
	}
	return sum
}

// TestSearchRegret: in positions of Pig in which greedy is far from best play, a search
// has a smaller regret.
func TestSearchRegret(t *testing.T) {
	fulltest.Gate(t)
	g := testgames.Open(t, "pig", 0, `{"target": 60}`)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	positions := []string{"10-55@0 turn 21", "0-50@0 turn 24", "30-58@0 turn 22", "55-20@1 turn 22", "50-40@1 turn 14", "38-58@0 turn 21"}
	greedy := regret(t, g, s, searchAgent(t, g, "greedy", 1), positions)
	few, many := regret(t, g, s, searchAgent(t, g, "search:10", 1), positions), regret(t, g, s, searchAgent(t, g, "search:1500", 1), positions)
	t.Logf("greedy %.4f, 10 simulations %.4f, 1500 %.4f", greedy, few, many)
	if !(many < few && many < greedy/3) {
		t.Errorf("1500 simulations lose %g, 10 lose %g, greedy %g", many, few, greedy)
	}
}

// TestSearchStronger: more simulations win more.
func TestSearchStronger(t *testing.T) {
	fulltest.Gate(t)
	g := testgames.Reduced(t)
	m, err := eval.PlayDuplicate(t.Context(), g, []*agents.Agent{searchAgent(t, g, "search:60", 1), searchAgent(t, g, "search:5", 1)}, 800, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(m.Low[0] > 0.5) {
		t.Errorf("60 simulations against 5 win %g to %g", m.Low[0], m.High[0])
	}
}

// TestSearchRepeats: the result depends on the position and the seed, not on other
// searches or the number of cores.
func TestSearchRepeats(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 4, "target": 6, "players": 3}`)
	entrants := []*agents.Agent{searchAgent(t, g, "search:9", 1), searchAgent(t, g, "search:9", 2), searchAgent(t, g, "search:9", 1)}
	play := func(cores int) eval.Match {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		m, err := eval.PlayDuplicate(t.Context(), g, entrants, 90, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	want := play(1)
	for _, cores := range []int{1, 3} {
		if got := play(cores); !slices.Equal(got.Win, want.Win) {
			t.Errorf("on %d cores %v, on one %v", cores, got.Win, want.Win)
		}
	}
	if want.Win[0] == want.Win[1] {
		t.Error("seeds 1 and 2 give the same result")
	}
}

// TestSearchTogether: a decision is searched alike alone, where its simulations share the cores,
// among others, and on any number of cores.
func TestSearchTogether(t *testing.T) {
	g, err := catalog.Open("mars-is-ours-fast", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, dice := g.Initial(), rand.NewPCG(3, 0)
	var all []env.Position
	for len(all) < 9 {
		switch at.CurrentPlayer() {
		case game.Chance:
			at = at.Sample(dice)
			continue
		case game.Terminal:
			at = g.Initial()
			continue
		}
		all = append(all, at)
		legal := at.Legal()
		if at, err = at.Apply(legal[dice.Uint64()%uint64(len(legal))]); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"search:150", "search:150:pretrained"} {
		a, n := searchAgent(t, g, name, 1), g.Spec().Actions
		want := make([]float64, len(all)*n)
		if err := a.Probs(want, env.DecisionsOf(all)); err != nil {
			t.Fatal(err)
		}
		for _, cores := range []int{1, 3} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				got := make([]float64, n)
				for i, p := range all {
					if err := a.Probs(got, p.Decisions()); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want[i*n:][:n]) {
						t.Errorf("%s on %d cores: another choice in %v alone", name, cores, p)
					}
				}
			}()
		}
	}
}

// TestSearchWithNetwork: a search with the pretrained network as evaluator has a small
// regret.
func TestSearchWithNetwork(t *testing.T) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	positions := []string{"0-0@0 aside T2 roll R3H4C3K1", "13-17@1 aside T3R2H4", "24-20@1 aside T3R2H4 roll R2C1K1", "20-22@0 aside T1H3C2 roll R3K3H1", "8-3@1 aside T5R5H2", "24-20@0 aside T1R2H2"}
	if r := regret(t, g, s, searchAgent(t, g, "search:200:pretrained", 1), positions); !(r <= 0.002) {
		t.Errorf("the regret with the pretrained network is %g in six decisions", r)
	}
}

// TestSearchTime: a search with a time limit ends, even if the tree is exhausted.
func TestSearchTime(t *testing.T) {
	g := testgames.Reduced(t)
	for _, name := range []string{"search:5ms", "search:1ns"} {
		if got := chosen(t, g, searchAgent(t, g, name, 1), "6-5@1 aside H2"); got != "stop" && got != "roll" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	g := testgames.Reduced(t)
	for name, want := range map[string]string{
		"search:": `unknown agent "search:": want one of`, "search:0": `unknown agent "search:0"`, "search:-5": `unknown agent "search:-5"`,
		"search:fast": `unknown agent "search:fast"`, "search:-1s": `unknown agent "search:-1s"`, "search:100:": `unknown agent "": agents are`,
		"search:100:runs/none": `unknown agent "runs/none": agents are`, "search:99999999999": "simulations are 99999999999; want 1 to 10000000",
	} {
		_, err := agents.Open(t.Context(), name, agents.Options{Game: g})
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, agents.ErrUnknown) != strings.HasPrefix(want, "unknown") {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	alone := testgames.Open(t, "martian-dice", 0, `{"players": 1}`)
	if _, err := agents.Open(t.Context(), agents.Search, agents.Options{Game: alone}); err == nil || !strings.Contains(err.Error(), "a game with a win") {
		t.Errorf("of solitaire: %v", err)
	}
	if _, err := search.New(g, search.Config{Simulations: 1, Time: 1}, nil); err == nil || !strings.Contains(err.Error(), "want either simulations or time") {
		t.Errorf("simulations and time: %v", err)
	}
}

// TestSearchInterrupted: a long search ends when its context ends, whether or not the
// tree is exhausted.
func TestSearchInterrupted(t *testing.T) {
	for name, config := range map[string]string{"pig": `{"target": 100}`, "martian-dice": `{"dice": 2, "target": 1}`} {
		g, err := catalog.Open(name, 2, []byte(config))
		if err != nil {
			t.Fatal(err)
		}
		a, err := agents.Open(t.Context(), "search:10000000", agents.Options{Game: g})
		if err != nil {
			t.Fatal(err)
		}
		e := env.New(g)
		e.Reset(1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := env.ActionProbabilities(ctx, a, e.Position(), g.Spec().Actions); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", name, err, context.Canceled)
		}
	}
}

// TestOneSimulation: a search that has time for nothing but the root goes by the network.
func TestOneSimulation(t *testing.T) {
	for _, id := range []string{"mars-is-ours-fast", "martian-risk-small"} {
		g := testgames.Open(t, id, 0, "{}")
		entrants := []*agents.Agent{searchAgent(t, g, "search:1:pretrained", 1)}
		for len(entrants) < g.Spec().Players {
			entrants = append(entrants, searchAgent(t, g, "random", 1))
		}
		m, err := eval.PlayDuplicate(t.Context(), g, entrants, 60, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.Win[0] < 0.75 {
			t.Errorf("%s: it wins %g against random; want more than 0.75", id, m.Win[0])
		}
	}
}

// TestForced: where the only legal action is a roll, estimates vary as little as after it, since
// simulations have dice of their own.
func TestForced(t *testing.T) {
	fulltest.Gate(t)
	const seeds, simulations = 40, 1000
	g := testgames.Open(t, "pig", 0, `{"target": 40}`)
	ratio := 0.0
	positions := []string{"20-20@0 turn 0", "0-20@1 turn 0", "30-35@0 turn 0"}
	for _, text := range positions {
		at, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		rolled, err := at.Apply(at.Legal()[0])
		if err != nil || len(at.Legal()) != 1 {
			t.Fatal(at.Legal(), err)
		}
		var sum, squares [2]float64
		for seed := range uint64(seeds) {
			e, err := search.New(g, search.Config{Simulations: simulations, Seed: seed}, nil)
			if err != nil {
				t.Fatal(err)
			}
			dst := make([]float64, 2*search.Sizes*2)
			if err := e.Values(t.Context(), dst, []env.Position{at, rolled}); err != nil {
				t.Fatal(err)
			}
			for k := range sum {
				x := dst[k*search.Sizes*2]
				sum[k], squares[k] = sum[k]+x, squares[k]+x*x
			}
		}
		variance := func(k int) float64 { return squares[k] - sum[k]*sum[k]/seeds }
		ratio += variance(0) / variance(1) / float64(len(positions))
	}
	if ratio > 1.5 {
		t.Errorf("the variance is %.2f times that after the roll", ratio)
	}
}
