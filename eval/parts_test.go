package eval_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/eval"
	"marsgym/internal/jobs"
	"marsgym/internal/jobs/jobstest"
	"marsgym/internal/test/fulltest"
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
	fulltest.Gate(t)
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
	// The last number of a table is at its end, and that of a match before the number of
	// truncated games.
	infinite := func(b []byte, end int) []byte {
		copy(b[len(b)-end-8:], []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f})
		return b
	}
	for _, test := range []struct {
		alter        func(b []byte, end int) []byte
		table, match string
	}{
		{func(b []byte, _ int) []byte { return b[:len(b)-1] }, "elements of 8 bytes in the remaining", "no length in the remaining 0 bytes"},
		{func(b []byte, _ int) []byte { return append(b, 0) }, "numbers and 1 bytes; want", "0 truncated games and 1 more bytes; want"},
		{infinite, "a probability is +Inf", "a share of the win is +Inf"},
		{func([]byte, int) []byte { return nil }, "no length in the remaining 0 bytes", "no length in the remaining 0 bytes"},
	} {
		x, err := eval.NewExactEvaluator(r.game, solution)
		if err != nil {
			t.Fatal(err)
		}
		x.Executor, _ = jobstest.Encoded(eval.Kinds(), func(b []byte) []byte { return test.alter(b, 0) })
		if _, err := x.Strength(t.Context(), a); err == nil || !strings.Contains(err.Error(), "of a table: ") || !strings.Contains(err.Error(), test.table) {
			t.Errorf("a damaged table: %v; want %q", err, test.table)
		}
		e, _ := jobstest.Encoded(eval.Kinds(), func(b []byte) []byte { return test.alter(b, 1) })
		if _, err := eval.RecordDuplicate(t.Context(), e, r.game, []*agents.Agent{a, a}, 4, 1, nil, nil); err == nil || !strings.Contains(err.Error(), "of a match: ") || !strings.Contains(err.Error(), test.match) {
			t.Errorf("a damaged match: %v; want %q", err, test.match)
		}
	}
}

// TestPartJobsRefuse: a worker says what is wrong with a job that no program of this build sends.
func TestPartJobsRefuse(t *testing.T) {
	const pig = `{"game": "pig", "config": {"target": 10}, "agents": [`
	for _, test := range []struct{ kind, args, seating, want string }{
		{eval.TabulateKind, `{`, pig + `]}`, "unexpected end of JSON input"},
		{eval.TabulateKind, `{}`, ``, "a job without a game"},
		{eval.TabulateKind, `{}`, `{`, "unexpected end of JSON input"},
		{eval.TabulateKind, `{}`, `{"game": "chess"}`, "chess"},
		{eval.TabulateKind, `{}`, pig + `]}`, "0 agents in a game for 2 players"},
		{eval.TabulateKind, `{}`, pig + `{"name": "random"}, {"name": "random"}, {"name": "random"}]}`, "3 agents in a game for 2 players"},
		{eval.TabulateKind, `{}`, pig + `{"name": "greedy"}]}`, "1 agents to tabulate, of which the first is greedy; want one network"},
		{eval.TabulateKind, `{}`, pig + `{"name": "random"}, {"name": "greedy"}]}`, "2 agents to tabulate, of which the first is random"},
		{eval.MatchKind, `{"sets": 0}`, pig + `{"name": "random"}, {"name": "random"}]}`, "0 sets; want 1 to"},
		{eval.MatchKind, `{"sets": 99999}`, pig + `{"name": "random"}, {"name": "random"}]}`, "99999 sets; want 1 to"},
		{eval.MatchKind, `{"sets": 1}`, pig + `{"name": "random"}]}`, "1 agents in a game for 2 players"},
		{eval.MatchKind, `{"sets": 1}`, pig + `{"name": "random"}, {"name": "search:1s"}]}`, "search:1s searches by the clock"},
		{eval.MatchKind, `{"sets": 1}`, pig + `{"name": "random"}, {"name": "../x"}]}`, "not a model file"}, // which a worker does not read
	} {
		var inputs []*jobs.Blob
		if test.seating != "" {
			inputs = append(inputs, jobs.NewBlob([]byte(test.seating)))
		}
		if _, err := eval.Kinds()[test.kind](t.Context(), []byte(test.args), inputs); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s of %s: %v; want %q", test.kind, test.args, test.seating, err, test.want)
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
