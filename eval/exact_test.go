package eval_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/eval"
	"marsgym/models"
)

// room is a game with a judge and its agents.
type room struct {
	game                  env.Game
	judge                 *eval.ExactEvaluator
	exact, greedy, random *agents.Agent
}

func newRoom(t testing.TB, id string, players int, config string) room {
	t.Helper()
	g, err := catalog.Open(id, players, []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := room{game: g}
	if r.judge, err = eval.NewExactEvaluator(g, s); err != nil {
		t.Fatal(err)
	}
	r.exact = &agents.Agent{Name: "exact", Policy: s.Policy()}
	r.greedy, r.random = player(t, g, "greedy"), player(t, g, "random")
	return r
}

func player(t testing.TB, g env.Game, name string) *agents.Agent {
	t.Helper()
	p, err := g.Bot(name)
	if err != nil {
		t.Fatal(err)
	}
	return &agents.Agent{Name: name, Policy: p}
}

// The reduced games are solved at once.
const (
	reducedDice = `{"dice": 4, "target": 6}`
	reducedPig  = `{"target": 30}`
)

func reduced(t testing.TB, players int) room {
	return newRoom(t, "martian-dice", players, reducedDice)
}

// published is Martian Dice for two, solved once.
func published(t testing.TB) room {
	if testing.Short() {
		t.Skip("solves the published game")
	}
	publishedOnce.Do(func() { publishedRoom = newRoom(t, "martian-dice", 2, "{}") })
	return publishedRoom
}

var (
	publishedOnce sync.Once
	publishedRoom room
)

// The value of Martian Dice for two to the seats, from a solver that was written
// in another language before this one.
const first, second = 0.4841229766, 0.5158770234

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12f, want %.12f", what, got, want)
	}
}

func pair(t *testing.T, j *eval.ExactEvaluator, a, b *agents.Agent) eval.Pair {
	t.Helper()
	p, err := j.Pair(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBestPlay(t *testing.T) {
	r := published(t)
	p := pair(t, r.judge, r.exact, r.exact)
	near(t, "best play moving first", p.WinFirst, first, 1e-9)
	near(t, "best play moving second", p.WinSecond, second, 1e-9)
	near(t, "its exploitability", p.Exploitability, 0, 1e-10)
}

// TestPair checks what holds of any agent, whoever it is.
func TestPair(t *testing.T) {
	for _, r := range []room{reduced(t, 2), newRoom(t, "pig", 2, reducedPig)} {
		best := pair(t, r.judge, r.exact, r.exact)
		for _, a := range []*agents.Agent{r.greedy, r.random} {
			what := r.game.Spec().ID + ": " + a.Name
			p, q := pair(t, r.judge, a, r.exact), pair(t, r.judge, r.exact, a)
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

func TestSeats(t *testing.T) {
	r := reduced(t, 3)
	seats := []*agents.Agent{r.random, r.exact, r.greedy}
	win, err := r.judge.WinShares(t.Context(), seats)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the sum of shares", win[0]+win[1]+win[2], 1, 1e-12)
	e, err := r.judge.Exploitability(t.Context(), r.random)
	if err != nil || !(e > 0.1 && e < 2.0/3) {
		t.Errorf("exploitability of random at a table of three: %g, %v", e, err)
	}
}

// TestNetworks compares the exact strength of networks of both heads, playing
// their best action or drawing, with what they win in matches.
func TestNetworks(t *testing.T) {
	for _, r := range []room{reduced(t, 2), newRoom(t, "pig", 2, reducedPig)} {
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
				p := pair(t, r.judge, a, r.greedy)
				m, err := eval.PlayDuplicate(t.Context(), r.game, []*agents.Agent{a, r.greedy}, 4000, 1, nil)
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

// counted counts how often a policy is asked.
type counted struct {
	env.Policy
	n int
}

func (c *counted) Probs(dst []float64, d env.Decisions) error {
	c.n++
	return c.Policy.Probs(dst, d)
}

// TestAskedOnce: a Judge remembers what an agent does, but for Strength.
func TestAskedOnce(t *testing.T) {
	r := reduced(t, 2)
	mlp, err := models.NewMLP(models.Shape{
		Obs: r.game.Spec().ObsLen(), Hidden: []int{4}, Head: models.Logits, Actions: r.game.Spec().Actions, Players: 2,
	}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Policy: agents.NewNet(r.game.Spec(), mlp, false)}
	a := &agents.Agent{Name: "network", Policy: c}
	s, err := r.judge.Strength(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	once := c.n
	p := pair(t, r.judge, a, r.exact)
	if again := c.n - once; again != once || once == 0 {
		t.Errorf("Strength asked %d times, and Pair after it %d", once, again)
	}
	pair(t, r.judge, a, r.greedy)
	pair(t, r.judge, r.greedy, a)
	if c.n != 2*once {
		t.Errorf("asked %d times, want %d", c.n, 2*once)
	}
	s.Cost.Seconds, p.Cost.Seconds = 0, 0
	if s != p {
		t.Errorf("Strength is %+v and Pair %+v", s, p)
	}
}

func TestJudgeRefuses(t *testing.T) {
	r := reduced(t, 3)
	if _, err := r.judge.WinShares(t.Context(), []*agents.Agent{r.exact}); err == nil || !strings.Contains(err.Error(), "1 agents for a table of 3") {
		t.Errorf("one agent for three seats: %v", err)
	}
	if _, err := r.judge.Pair(t.Context(), r.exact, r.greedy); err == nil {
		t.Error("a pair at a table of three was evaluated")
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
		t.Errorf("a judge of wins for solitaire: %v", err)
	}
	two := reduced(t, 2)
	if _, err := two.judge.WinShares(t.Context(), []*agents.Agent{two.exact, {Name: "stranger", Policy: failing{}}}); err == nil || !strings.Contains(err.Error(), "stranger") {
		t.Errorf("an agent that fails: %v", err)
	}
}
