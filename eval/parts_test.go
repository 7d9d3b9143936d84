package eval_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/eval"
	"marsgym/internal/jobs"
	"marsgym/internal/jobs/jobstest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// network writes an untrained network of a game to a file, and opens it.
func network(t *testing.T, g env.Game, head models.Head, sample bool) *agents.Agent {
	t.Helper()
	spec := g.Spec()
	file := filepath.Join(t.TempDir(), agents.ModelFile)
	mlp, err := models.NewMLP(models.Shape{Obs: spec.ObsLen(), Hidden: []int{8}, Head: head, Actions: spec.Actions, Players: spec.Players}, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	f := &models.File{Meta: agents.MetaOf(spec), MLP: mlp}
	if err := f.Save(file); err != nil {
		t.Fatal(err)
	}
	a, err := agents.Open(t.Context(), file, agents.Options{Game: g, Sample: sample})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestExactParts compares exact evaluations of networks for three players in this process
// with those whose tables are computed in parts.
func TestExactParts(t *testing.T) {
	whole := newTestGame(t, "martian-dice", 3, `{"dice": 5, "target": 10}`)
	solution, err := whole.game.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		head   models.Head
		sample bool
	}{{models.Score, false}, {models.Score, true}, {models.Logits, false}} {
		a := network(t, whole.game, tt.head, tt.sample)
		entrants := []*agents.Agent{a, whole.greedy, whole.random}
		want, err := whole.evaluator.Multiplayer(t.Context(), entrants)
		if err != nil {
			t.Fatal(err)
		}
		encoded, count := jobstest.Encoded(eval.Kinds(), nil)
		for name, executor := range map[string]jobs.Executor{"this process": jobs.Local{}, "others": encoded} {
			parts, err := eval.NewExactEvaluator(whole.game, solution)
			if err != nil {
				t.Fatal(err)
			}
			parts.Executor = executor
			done := 0.0
			parts.Progress = func(x float64) { done = max(done, x) }
			got, err := parts.Multiplayer(t.Context(), entrants)
			if err != nil {
				t.Fatal(err)
			}
			if done != 1 {
				t.Errorf("%v is done at the end; want 1", done)
			}
			got.Cost.Seconds, want.Cost.Seconds = 0, 0
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, sample %v, by %s: %+v; want %+v", tt.head, tt.sample, name, got, want)
			}
		}
		if n := count.Load(); n < 2 {
			t.Errorf("%d jobs; want several", n)
		}
	}
}

// TestMatchParts compares matches in this process with those that are played in parts.
func TestMatchParts(t *testing.T) {
	g := reduced(t, 2).game
	open := func(name string, seed uint64) *agents.Agent {
		a, err := agents.Open(t.Context(), name, agents.Options{Game: g, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	entrants := []*agents.Agent{open("exact", 0), network(t, g, models.Score, true), open("search:5", 3), open("greedy", 0)}
	e, count := jobstest.Encoded(eval.Kinds(), nil)
	for _, pair := range [][]*agents.Agent{entrants[:2], entrants[1:3], entrants[2:]} {
		want, err := eval.PlayDuplicate(t.Context(), g, pair, 400, 7, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, executor := range []jobs.Executor{jobs.Local{}, e} {
			done := 0.0
			got, err := eval.RecordDuplicate(t.Context(), executor, g, pair, 400, 7, func(x float64) { done = max(done, x) }, nil)
			if err != nil || !reflect.DeepEqual(got, want) || done != 1 {
				t.Errorf("by %T: %+v, %v, done %v; want %+v", executor, got, err, done, want)
			}
		}
	}
	if n := count.Load(); n != 3*50 {
		t.Errorf("%d jobs; want 50 of 4 sets for each match", n)
	}
	want, err := eval.PlayTournament(t.Context(), g, entrants, 100, 7, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := eval.ResumeTournament(t.Context(), e, g, entrants, 100, 7, nil, nil, nil)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	before := count.Load()
	clock := []*agents.Agent{open("search:1ms", 0), entrants[3]}
	if _, err := eval.RecordDuplicate(t.Context(), e, g, clock, 2, 1, nil, nil); err != nil || count.Load() != before {
		t.Errorf("a search by the clock: %v, and %d jobs; want none", err, count.Load()-before)
	}
}

// TestPartsRefuse damages results.
func TestPartsRefuse(t *testing.T) {
	r := reduced(t, 2)
	a := network(t, r.game, models.Score, false)
	solution, err := r.game.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, alter := range map[string]func([]byte) []byte{
		"short": func(b []byte) []byte { return b[:len(b)-1] },
		"long":  func(b []byte) []byte { return append(b, 0) },
		"negative": func(b []byte) []byte {
			b[len(b)-9] |= 0x80
			b[len(b)-10] |= 0x80
			b[len(b)-2] |= 0x80
			b[len(b)-1] |= 0x80
			return b
		},
		"empty": func([]byte) []byte { return nil },
	} {
		e, _ := jobstest.Encoded(eval.Kinds(), alter)
		x, err := eval.NewExactEvaluator(r.game, solution)
		if err != nil {
			t.Fatal(err)
		}
		x.Executor = e
		if _, err := x.Strength(t.Context(), a); err == nil {
			t.Errorf("a table that is %s is accepted", name)
		}
		if _, err := eval.RecordDuplicate(t.Context(), e, r.game, []*agents.Agent{a, a}, 4, 1, nil, nil); err == nil {
			t.Errorf("a match that is %s is accepted", name)
		}
	}
}

// FuzzPartJobs reads foreign jobs.
func FuzzPartJobs(f *testing.F) {
	f.Add("tabulate", []byte(`{"from": 0, "to": 1}`), []byte(`{"game": "pig", "config": {"target": 10}, "agents": [{"name": "greedy"}]}`))
	f.Add("match", []byte(`{"seed": 1, "first": 2, "sets": 1}`), []byte(`{"game": "pig", "config": {"players": 2, "target": 10}, "agents": [{"name": "random"}, {"name": "random"}]}`))
	f.Add("match", []byte(`{"sets": 99999}`), []byte(`{"game": "pig", "agents": [{"name": "../x", "model": "00"}]}`))
	all := eval.Kinds()
	f.Fuzz(func(t *testing.T, kind string, args, seating []byte) {
		if run := all[kind]; run != nil && len(args) < 60 {
			if r, err := run(t.Context(), args, []*jobs.Blob{jobs.NewBlob(seating)}); err == nil && len(r.Bytes) == 0 {
				t.Error("an empty result")
			}
		}
	})
}

// lengths is an executor that only counts tasks.
type lengths struct{ n int }

var errCounted = errors.New("the tasks are counted")

func (l *lengths) Do(_ context.Context, tasks []jobs.Task) error {
	l.n = len(tasks)
	return errCounted
}

// TestSlowParts: the parts of a match between agents that search are small, so that an interrupt
// loses little.
func TestSlowParts(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	for name, want := range map[string]int{"greedy": 63, "search:1": 63, "search:200": 100, "search:5000": 500} {
		a, err := agents.Open(t.Context(), name, agents.Options{Game: g})
		if err != nil {
			t.Fatal(err)
		}
		var l lengths
		_, err = eval.RecordDuplicate(t.Context(), &l, g, []*agents.Agent{a, a}, 1000, 1, nil, nil)
		if !errors.Is(err, errCounted) || l.n != want {
			t.Errorf("%s: %d parts, %v; want %d", name, l.n, err, want)
		}
	}
}
