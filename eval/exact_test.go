package eval_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/eval"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// testGame is a solved game with its evaluator and agents.
type testGame struct {
	game                  env.Game
	evaluator             *eval.ExactEvaluator
	exact, greedy, random *agents.Agent
}

func newTestGame(t testing.TB, id string, players int, config string) testGame {
	t.Helper()
	g, err := catalog.Open(id, players, []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := testGame{game: g}
	if r.evaluator, err = eval.NewExactEvaluator(g, s); err != nil {
		t.Fatal(err)
	}
	r.exact = &agents.Agent{Name: "exact", Policy: s.Policy()}
	r.greedy, r.random = bot(t, g, "greedy"), bot(t, g, "random")
	return r
}

func bot(t testing.TB, g env.Game, name string) *agents.Agent {
	t.Helper()
	p, err := g.Bot(name)
	if err != nil {
		t.Fatal(err)
	}
	return &agents.Agent{Name: name, Policy: p}
}

// The reduced games take no time to solve.
const (
	reducedDice = `{"dice": 4, "target": 6}`
	reducedPig  = `{"target": 30}`
)

// most returns a number of games or seats, or the number for short tests.
func most(n, short int) int {
	if testing.Short() {
		return short
	}
	return n
}

func reduced(t testing.TB, players int) testGame {
	return newTestGame(t, "martian-dice", players, reducedDice)
}

// published is Martian Dice for two players under the published rules, solved once.
func published(t testing.TB) testGame {
	if testing.Short() {
		t.Skip("solves the published game")
	}
	publishedOnce.Do(func() { publishedGame = newTestGame(t, "martian-dice", 2, "{}") })
	return publishedGame
}

var (
	publishedOnce sync.Once
	publishedGame testGame
)

// The win probabilities of the seats in Martian Dice for two players, from an earlier
// solver in another language.
const first, second = 0.4841229766, 0.5158770234

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12f, want %.12f", what, got, want)
	}
}

func pair(t *testing.T, e *eval.ExactEvaluator, a, b *agents.Agent) eval.Pair {
	t.Helper()
	p, err := e.Pair(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBestPlay(t *testing.T) {
	r := published(t)
	p := pair(t, r.evaluator, r.exact, r.exact)
	near(t, "best play moving first", p.WinFirst, first, 1e-9)
	near(t, "best play moving second", p.WinSecond, second, 1e-9)
	near(t, "its exploitability", p.Exploitability, 0, 1e-10)
}

// TestPair checks what holds for any agent.
func TestPair(t *testing.T) {
	for _, r := range []testGame{reduced(t, 2), newTestGame(t, "pig", 2, reducedPig)} {
		best := pair(t, r.evaluator, r.exact, r.exact)
		for _, a := range []*agents.Agent{r.greedy, r.random} {
			what := r.game.Spec().ID + ": " + a.Name
			p, q := pair(t, r.evaluator, a, r.exact), pair(t, r.evaluator, r.exact, a)
			near(t, what+" first and best play second", p.WinFirst+q.WinSecond, 1, 1e-12)
			near(t, what+" second and best play first", p.WinSecond+q.WinFirst, 1, 1e-12)
			near(t, what+", the mean", p.Win, (p.WinFirst+p.WinSecond)/2, 1e-15)
			if !(p.WinFirst < best.WinFirst && p.WinSecond < best.WinSecond) {
				t.Errorf("%s wins %g and %g against best play, which wins %g and %g", what, p.WinFirst, p.WinSecond, best.WinFirst, best.WinSecond)
			}
			// A best response does at least as well as best play.
			if !(p.Exploitability >= 0.5-p.Win-1e-12 && p.Exploitability < 0.5) {
				t.Errorf("%s wins %g and has the exploitability %g", what, p.Win, p.Exploitability)
			}
			if p.A != a.Name || p.B != "exact" || p.Method != "exact" || p.Cost.Decisions == 0 || p.Cost.Rows == 0 {
				t.Errorf("%s: %+v", what, p)
			}
		}
	}
}

func TestWinShares(t *testing.T) {
	r := reduced(t, 3)
	seats := []*agents.Agent{r.random, r.exact, r.greedy}
	win, err := r.evaluator.WinShares(t.Context(), seats)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the sum of shares", win[0]+win[1]+win[2], 1, 1e-12)
	e, err := r.evaluator.Exploitability(t.Context(), r.random)
	if err != nil || !(e > 0.1 && e < 2.0/3) {
		t.Errorf("exploitability of random with three players: %g, %v", e, err)
	}
}

// TestNetworks compares the exact strength of networks with both heads, by argmax and
// by sampling, with their results in matches.
func TestNetworks(t *testing.T) {
	for _, r := range []testGame{reduced(t, 2), newTestGame(t, "pig", 2, reducedPig)} {
		spec := r.game.Spec()
		for i, head := range []models.Head{models.Logits, models.Score} {
			shape := agents.MetaOf(spec).Net
			shape.Hidden, shape.Head = []int{8}, head
			mlp, err := models.NewMLP(shape, rand.NewPCG(1, uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			var wins []float64
			for _, sample := range []bool{false, true} {
				a := &agents.Agent{Name: string(head), Policy: agents.NewNet(spec, mlp, sample)}
				p := pair(t, r.evaluator, a, r.greedy)
				m, err := eval.PlayDuplicate(t.Context(), r.game, []*agents.Agent{a, r.greedy}, most(4000, 400), 1, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !(m.Low[0] <= p.Win && p.Win <= m.High[0]) {
					t.Errorf("%s, %s, sample %t: wins %g exactly, and in a match %g to %g", spec.ID, head, sample, p.Win, m.Low[0], m.High[0])
				}
				wins = append(wins, p.Win)
			}
			if wins[0] == wins[1] {
				t.Errorf("%s, %s: argmax and sample both win %g", spec.ID, head, wins[0])
			}
		}
	}
}

// counted counts the calls of a policy.
type counted struct {
	env.Policy
	n int
}

func (c *counted) Probs(dst []float64, d env.Decisions) error {
	c.n++
	return c.Policy.Probs(dst, d)
}

// TestTabulatedOnce: an ExactEvaluator tabulates an agent once, except in Strength.
func TestTabulatedOnce(t *testing.T) {
	r := reduced(t, 2)
	mlp, err := models.NewMLP(models.Shape{
		Obs: r.game.Spec().ObsLen(), Hidden: []int{4}, Head: models.Logits, Actions: r.game.Spec().Actions, Players: 2,
	}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Policy: agents.NewNet(r.game.Spec(), mlp, false)}
	a := &agents.Agent{Name: "network", Policy: c}
	s, err := r.evaluator.Strength(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	once := c.n
	p := pair(t, r.evaluator, a, r.exact)
	if again := c.n - once; again != once || once == 0 {
		t.Errorf("Strength calls the policy %d times, and Pair after it %d", once, again)
	}
	pair(t, r.evaluator, a, r.greedy)
	pair(t, r.evaluator, r.greedy, a)
	if c.n != 2*once {
		t.Errorf("%d calls of the policy, want %d", c.n, 2*once)
	}
	s.Cost.Seconds, p.Cost.Seconds = 0, 0
	if s != p {
		t.Errorf("Strength is %+v and Pair %+v", s, p)
	}
}

func TestExactErrors(t *testing.T) {
	r := reduced(t, 3)
	if _, err := r.evaluator.WinShares(t.Context(), []*agents.Agent{r.exact}); err == nil || !strings.Contains(err.Error(), "1 agents in a game for 3 players") {
		t.Errorf("one agent for three seats: %v", err)
	}
	if _, err := r.evaluator.Pair(t.Context(), r.exact, r.greedy); err == nil || !strings.Contains(err.Error(), "a pair of agents needs a game for 2 players") {
		t.Errorf("a pair in a game for three players: %v", err)
	}
	g, err := catalog.Open("martian-dice", 1, []byte(reducedDice))
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eval.NewExactEvaluator(g, s); err == nil || !strings.Contains(err.Error(), "counts turns") {
		t.Errorf("an evaluator of wins for solitaire: %v", err)
	}
	two := reduced(t, 2)
	if _, err := two.evaluator.WinShares(t.Context(), []*agents.Agent{two.exact, {Name: "broken", Policy: failing{}}}); !errors.Is(err, errFailing) || !strings.Contains(err.Error(), "tabulating broken: ") {
		t.Errorf("an agent that fails: %v", err)
	}
}

func TestMultiplayer(t *testing.T) {
	fulltest.Gate(t)
	for players := 2; players <= most(4, 3); players++ {
		r := reduced(t, players)
		entrants := []*agents.Agent{r.greedy, r.random, r.exact, r.exact}[:players]
		exact, err := r.evaluator.Multiplayer(t.Context(), entrants)
		if err != nil {
			t.Fatal(err)
		}
		m, err := eval.PlayDuplicate(t.Context(), r.game, entrants, most(10_000, 300), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !(m.Low[0] <= exact.Mean && exact.Mean <= m.High[0]) {
			t.Errorf("for %d players %s wins %g exactly, and in a match %g to %g", players, exact.Seats, exact.Mean, m.Low[0], m.High[0])
		}
		seats, err := r.evaluator.WinShares(t.Context(), entrants)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(exact.Win, seats) || exact.WinBySeat[0] != seats[0] || len(exact.WinBySeat) != players {
			t.Errorf("%+v; in this order the seats win %v", exact, seats)
		}
		exploit, err := r.evaluator.Exploitability(t.Context(), r.greedy)
		if err != nil || exact.Exploitability != exploit || exact.Cost.Decisions == 0 || exact.Method != "exact" {
			t.Errorf("%+v; the exploitability is %g, %v", exact, exploit, err)
		}
		near(t, "the fair share", exact.Fair, 1/float64(players), 1e-15)
		near(t, "the mean", exact.Mean*float64(players), sum(exact.WinBySeat), 1e-12)
	}
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func TestRotations(t *testing.T) {
	r := reduced(t, 3)
	win, err := r.evaluator.Rotations(t.Context(), []*agents.Agent{r.random, r.exact, r.greedy})
	if err != nil {
		t.Fatal(err)
	}
	for rotation, seats := range [][]*agents.Agent{
		{r.random, r.exact, r.greedy}, {r.greedy, r.random, r.exact}, {r.exact, r.greedy, r.random},
	} {
		want, err := r.evaluator.WinShares(t.Context(), seats)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if seat := (i + rotation) % 3; win[i][seat] != want[seat] {
				t.Errorf("rotated by %d, agent %d wins %g; want %g", rotation, i, win[i][seat], want[seat])
			}
		}
	}
}

func TestReport(t *testing.T) {
	r := reduced(t, 3)
	var steps []string
	r.evaluator.Report = func(step string) { steps = append(steps, step) }
	if _, err := r.evaluator.Multiplayer(t.Context(), []*agents.Agent{r.greedy, r.random, r.random}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"tabulating greedy", "tabulating random",
		"evaluating greedy, random, random", "evaluating random, greedy, random", "evaluating random, random, greedy",
		"best response to greedy in seat 0", "best response to greedy in seat 1", "best response to greedy in seat 2",
	}
	if !slices.Equal(steps, want) {
		t.Errorf("the steps are %q", steps)
	}
}

func TestMultiplayerErrors(t *testing.T) {
	r := reduced(t, 3)
	for _, entrants := range [][]*agents.Agent{nil, {r.exact}, {r.exact, r.greedy}} {
		if _, err := r.evaluator.Multiplayer(t.Context(), entrants); err == nil || !strings.Contains(err.Error(), "in a game for 3 players") {
			t.Errorf("%d agents for three seats: %v", len(entrants), err)
		}
	}
}

// TestExactReturns: in a game without a win each seat has an expected return.
func TestExactReturns(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 1, reducedDice)
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	best, err := s.Value(g.Initial())
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	exact := &agents.Agent{Name: "exact", Policy: s.Policy()}
	returns, cost, err := eval.ExactReturns(t.Context(), g, s, []*agents.Agent{exact}, func(step string) { steps = append(steps, step) })
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the return of best play", returns[0], best[0], 1e-12)
	if cost.Decisions == 0 || !slices.Equal(steps, []string{"tabulating exact", "evaluating exact"}) {
		t.Errorf("cost %+v, steps %q", cost, steps)
	}
	returns, _, err = eval.ExactReturns(t.Context(), g, s, []*agents.Agent{bot(t, g, "greedy")}, nil)
	if err != nil || !(returns[0] < best[0]) {
		t.Errorf("greedy returns %v, %v; best play %v", returns, err, best)
	}
	if _, _, err := eval.ExactReturns(t.Context(), g, s, nil, nil); err == nil || !strings.Contains(err.Error(), "0 agents in a game for 1 players") {
		t.Errorf("no agents: %v", err)
	}
}
