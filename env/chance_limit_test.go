package env_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/models"
	"marsgym/train/expert"
)

// endless is a game that may never end. In the hall seat 0 goes out and wins, or goes
// into the maze, where chance moves from room to room for ever.
type endless struct {
	limit   int           // Spec.MoveLimit
	outside bool          // the game starts before the hall, and leads to it or into the maze with probability 1/2 each
	left    *atomic.Int64 // chance transitions until Sample panics
}

func newEndless(limit int, outside bool) endless {
	left := new(atomic.Int64)
	left.Store(3_000_000)
	return endless{limit, outside, left}
}

// place is the state of endless.
type place struct{ At uint8 } // 0 hall, 1 and 2 maze, 3 out, 4 before the hall

func (e endless) Spec() game.Spec {
	return game.Spec{ID: "endless", Title: "Endless", Version: 1, Players: 2, Actions: 2, MoveLimit: e.limit,
		Observation: []game.Field{{Name: "at", Len: 1}, {Name: "own", Len: 1}}, Win: 1, Loss: -1}
}

func (e endless) Initial() place {
	if e.outside {
		return place{4}
	}
	return place{}
}

func (endless) CurrentPlayer(s place) game.Player {
	return []game.Player{0, game.Chance, game.Chance, game.Terminal, game.Chance}[s.At]
}

func (endless) Legal(dst []game.Action, s place) []game.Action {
	if s.At == 0 {
		dst = append(dst, 0, 1)
	}
	return dst
}

func (endless) Outcomes(dst []game.Outcome[place], s place) []game.Outcome[place] {
	switch s.At {
	case 1, 2:
		dst = append(dst, game.Outcome[place]{State: place{3 - s.At}, Prob: 1})
	case 4:
		dst = append(dst, game.Outcome[place]{State: place{0}, Prob: 0.5}, game.Outcome[place]{State: place{1}, Prob: 0.5})
	}
	return dst
}

func (e endless) Sample(s place, r *rand.PCG) place {
	if e.left.Add(-1) < 0 {
		panic("chance is sampled for ever")
	}
	if s.At == 4 {
		return place{uint8(r.Uint64() & 1)}
	}
	return place{3 - s.At}
}

func (endless) Apply(s place, a game.Action) (place, error) {
	if s.At != 0 || a < 0 || a > 1 {
		return s, fmt.Errorf("%w: %d", game.ErrIllegalAction, a)
	}
	return []place{{1}, {3}}[a], nil
}

func (endless) Returns(dst []float64, s place) []float64 {
	if s.At == 3 {
		return append(dst, 1, -1)
	}
	return append(dst, 0, 0)
}

func (endless) Encode(dst []float32, s place, p game.Player) {
	dst[0], dst[1] = float32(s.At), float32(1-p)
}

// A turn is the choice in the hall.
func (endless) TurnStart(s place) (mover game.Player, ok bool) { return 0, s.At == 0 }

func (endless) NewRows(int) game.Rows[place, float32]    { return nil }
func (endless) TurnOf(s place) place                     { return s }
func (endless) SolveAll([]game.Plan[place], [][]float64) {}
func (endless) SampleStart(*rand.PCG) place              { return place{} }
func (endless) NewPlan() game.Plan[place]                { return &choice{} }

// choice is the plan of the turn. Its ends are the maze, with value 0 for both seats,
// and the way out.
type choice struct{}

func (choice) Begin(place) []place { return []place{{1}, {3}} }
func (choice) Known(dst []float64, s place) ([]float64, bool) {
	if s.At == 3 {
		return append(dst, 1, -1), true
	}
	return append(dst, 0, 0), true
}
func (choice) Value(dst []float64) []float64            { return append(dst, 1, -1) }
func (choice) Options(dst []float64, _ place) []float64 { return append(dst, 0, 1) }

// A game without a further decision is truncated after MoveLimit chance transitions, or
// after 100,000 if there is no MoveLimit, in restarted rows too.
func TestBatchTruncatesEndlessChance(t *testing.T) {
	for limit, room := range map[int]float32{50: 1, 51: 2, 0: 1} {
		b := env.NewGame(newEndless(limit, false)).NewBatch(2, 0)
		b.Reset(1)
		b.Restart(1, 1, 7)
		buf := b.Buffers()
		buf.Action[0], buf.Action[1] = 0, 0
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			got := readRow(b, i)
			if !got.truncated || got.terminated || got.finalPlayer != 0 || got.finalObs[0] != room || got.finalObs[1] != 1 {
				t.Errorf("limit %d, row %d: %+v; want it truncated in room %v, seen by seat 0", limit, i, got, room)
			}
			if got.player != 0 || got.obs[0] != 0 || got.reward[0] != 0 {
				t.Errorf("limit %d, row %d: %+v; want another game, and no reward", limit, i, got)
			}
		}
	}
}

// Games that are truncated before the first decision are skipped.
func TestEndlessBeforeFirstDecision(t *testing.T) {
	g := env.NewGame(newEndless(50, true))
	b, e := g.NewBatch(8, 0), env.New(g)
	b.Reset(1)
	o := e.Reset(1)
	for range 20 {
		for i := range b.Len() {
			if got := readRow(b, i); got.player != 0 || got.obs[0] != 0 {
				t.Fatalf("row %d: %+v; want a decision in the hall", i, got)
			}
			b.Buffers().Action[i] = 1
		}
		if o.Player != 0 || o.Obs[0] != 0 {
			t.Fatalf("%+v; want a decision in the hall", o)
		}
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
		if s, err := e.Step(1); err != nil || !s.Terminated {
			t.Fatalf("%+v, %v; want the end", s, err)
		}
		o = e.Next()
	}
}

func TestEnvTruncatesEndlessChance(t *testing.T) {
	e := env.New(env.NewGame(newEndless(50, false)))
	e.Reset(1)
	s, err := e.Step(0)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Truncated || s.Terminated || s.Player != game.Terminal || s.Obs[0] != 1 || s.Obs[1] != 1 {
		t.Errorf("%+v; want it truncated in room 1, seen by seat 0, and no seat to move", s)
	}
	if _, err := e.Step(0); !errors.Is(err, game.ErrGameOver) || !strings.Contains(err.Error(), "call Reset or Next") {
		t.Errorf("Step after a truncated game: %v", err)
	}
}

// A search truncates simulations in the maze, where no seat wins, and experts
// start another game.
func TestSearchOfEndlessChance(t *testing.T) {
	g := expert.NewGame(newEndless(50, false))
	network := func(scores, values, obs []float32) { clear(scores); clear(values) }
	for _, evaluator := range []*search.Evaluator{nil, {Forward: network}} {
		p, err := search.New(g, search.Config{Simulations: 64}, evaluator)
		if err != nil {
			t.Fatal(err)
		}
		probs, err := env.ActionProbabilities(t.Context(), p, g.Initial(), 2)
		if err != nil || probs[1] != 1 {
			t.Errorf("with an evaluator %v: probabilities %v, error %v; want the way out", evaluator != nil, probs, err)
		}
	}
	for _, depth := range []expert.Depth{expert.OneMove, expert.Turn, expert.Search} {
		tree := expert.Tree{Simulations: 8, FullFraction: 1, Candidates: 2}
		x, err := expert.New(g, expert.Config{Depth: depth, Turns: 4, Decisions: 4, Outcomes: 4, Tree: tree}, 4, 0)
		if err != nil {
			t.Fatal(err)
		}
		x.Reset(1)
		found := make([]expert.Targets, x.Pieces())
		games := 0
		for range 20 {
			x.Search(t.Context(), found, expert.Options{RandomPlay: true, Temperature: 0.1}, func(scores, values []float32, _ *models.Observations) { network(scores, values, nil) })
			for _, f := range found {
				games += f.Games
			}
		}
		if games < 50 {
			t.Errorf("%s: %d games; want every turn to end one", depth, games)
		}
	}
}

// A session ends a game where a batch truncates it: the chance before a decision does not count
// towards the limit of the chance after it.
func TestSessionTruncatesEndlessChance(t *testing.T) {
	const limit = 50
	s := env.NewSession(env.NewGame(newEndless(limit, true)))
	s.Restart(1, 0)
	before := len(s.Steps)
	if err := s.Apply(0); err != nil || before == 0 {
		t.Fatalf("%d transitions of chance before the hall, and error %v", before, err)
	}
	for n := range limit {
		if s.Over() {
			t.Fatalf("the game is over after %d transitions of chance; want %d", n, limit)
		}
		s.Roll()
	}
	if !s.AtLimit() {
		t.Errorf("the game is not truncated after %d transitions of chance", limit)
	}
}
