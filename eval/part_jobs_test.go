package eval_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/jobs"
	"marsgym/internal/jobs/jobstest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// TestPartJobErrors: a worker says what is wrong with a job.
func TestPartJobErrors(t *testing.T) {
	all := eval.Kinds()
	const greedy = `{"game": "pig", "config": {"target": 10}, "agents": [{"name": "greedy"}]}`
	for _, tt := range []struct{ kind, args, seating, want string }{
		{eval.MatchKind, `{"sets": 0}`, greedy, "0 sets; want 1 to 4096"},
		{eval.MatchKind, `{"sets": 4097}`, greedy, "4097 sets; want 1 to 4096"},
		{eval.MatchKind, `{"sets": 4096}`, "", "a job without a game"},
		{eval.MatchKind, `{"sets": "x"}`, greedy, "cannot unmarshal"},
		{eval.MatchKind, `{"sets": 1}`, `{"game": "pig", "config": {"target": 10}, "agents": []}`, "0 agents in a game for 2 players"},
		{eval.MatchKind, `{"sets": 1}`, greedy, "1 agents in a game for 2 players"},
		{eval.MatchKind, `{"sets": 1}`, `{"game": "pig", "config": {"target": 10}, "agents": [{"name": "greedy"}, {"name": "greedy"}, {"name": "greedy"}]}`, "3 agents in a game for 2 players"},
		{eval.MatchKind, `{"sets": 1}`, `{"game": "pig", "config": {"target": 10}, "agents": [{"name": "greedy"}, {"name": "search:1ms"}]}`, "search:1ms searches by the clock"},
		{eval.MatchKind, `{"sets": 1}`, `{"game": "pig", "config": {"target": 10}, "agents": [{"name": "greedy"}, {"name": "nobody"}]}`, "not a model file"},
		{eval.MatchKind, `{"sets": 1}`, `[]`, "cannot unmarshal"},
		{eval.TabulateKind, `{"from": "x"}`, greedy, "cannot unmarshal"},
		{eval.TabulateKind, `{"from": 0, "to": 1}`, "", "a job without a game"},
		{eval.TabulateKind, `{"from": 0, "to": 1}`, greedy, "1 agents to tabulate, of which the first is greedy; want one network"},
	} {
		var inputs []*jobs.Blob
		if tt.seating != "" {
			inputs = append(inputs, jobs.NewBlob([]byte(tt.seating)))
		}
		if _, err := all[tt.kind](t.Context(), []byte(tt.args), inputs); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s of %s: %v; want %q", tt.kind, tt.args, tt.seating, err, tt.want)
		}
	}
}

// TestPartResults: a result is refused for a number that it cannot hold, and taken at its limits.
func TestPartResults(t *testing.T) {
	r := reduced(t, 2)
	a := network(t, r.game, models.Score, true)
	solution, err := r.game.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := func(x float64) func([]byte) []byte { // sets the first number
		return func(b []byte) []byte {
			_, used := binary.Uvarint(b)
			binary.LittleEndian.PutUint64(b[used:], math.Float64bits(x))
			return b
		}
	}
	fewer := func(b []byte) []byte { // numbers
		n, used := binary.Uvarint(b)
		return slices.Concat(binary.AppendUvarint(nil, n-1), b[used+8:])
	}
	longer := func(b []byte) []byte { return append(b, 0) }
	for name, tt := range map[string]struct {
		alter        func([]byte) []byte
		table, match string // parts of the errors; "" for none
	}{
		"unchanged":       {func(b []byte) []byte { return b }, "", ""},
		"one number less": {fewer, "numbers and 0 bytes; want", "3 shares, 0 truncated games and 0 more bytes; want those of 2 games"},
		"more bytes":      {longer, "numbers and 1 bytes; want", "want those of 2 games"},
		"empty":           {func([]byte) []byte { return nil }, "no length in the remaining 0 bytes", "no length in the remaining 0 bytes"},
		"more than one":   {first(1.5), "a probability is 1.5", "a share of the win is 1.5"},
		"less than zero":  {first(-0.25), "a probability is -0.25", "a share of the win is -0.25"},
		"not a number":    {first(math.NaN()), "a probability is NaN", "a share of the win is NaN"},
	} {
		e, _ := jobstest.Encoded(eval.Kinds(), tt.alter)
		x, err := eval.NewExactEvaluator(r.game, solution)
		if err != nil {
			t.Fatal(err)
		}
		x.Executor = e
		if _, err := x.Strength(t.Context(), a); tt.table == "" && err != nil || tt.table != "" && (err == nil || !strings.Contains(err.Error(), tt.table)) {
			t.Errorf("a table, %s: %v; want %q", name, err, tt.table)
		}
		if _, err := eval.RecordDuplicate(t.Context(), e, r.game, []*agents.Agent{a, a}, 4, 1, nil, nil); tt.match == "" && err != nil || tt.match != "" && (err == nil || !strings.Contains(err.Error(), tt.match)) {
			t.Errorf("a match, %s: %v; want %q", name, err, tt.match)
		}
	}
	for truncated, want := range map[byte]string{2: "", 3: "3 truncated games and 0 more bytes; want those of 2 games"} {
		e, _ := jobstest.Encoded(eval.Kinds(), func(b []byte) []byte {
			b[len(b)-1] = truncated
			return b
		})
		m, err := eval.RecordDuplicate(t.Context(), e, r.game, []*agents.Agent{a, a}, 4, 1, nil, nil) // in two parts
		if want == "" && (err != nil || m.Truncated != 4) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d truncated games: %+v, %v; want %q", truncated, m, err, want)
		}
	}
}

// TestPartProgress: the progress of a match is the fraction of its parts that are done, also where
// the last one is shorter, and a part that fails is not done.
func TestPartProgress(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 10}`)
	a, err := agents.Open(t.Context(), "greedy", agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	var done []float64
	m, err := eval.RecordDuplicate(t.Context(), jobs.Local{}, g, []*agents.Agent{a, a}, 259, 1, func(x float64) { done = append(done, x) }, nil)
	if err != nil || m.Games != 260 || len(done) != 44 { // 130 sets by 3
		t.Fatalf("%+v, %v; %d parts", m, err, len(done))
	}
	for i, x := range done {
		near(t, "the progress", x, float64(i+1)/44, 1e-15)
	}
	failed := &agents.Agent{Name: "failing", Policy: failing{}, Source: a.Source}
	_, err = eval.RecordDuplicate(t.Context(), jobs.Local{}, g, []*agents.Agent{failed, failed}, 259, 1, func(x float64) { t.Errorf("%v is done", x) }, nil)
	if !errors.Is(err, errFailing) {
		t.Errorf("a part fails: %v", err)
	}
}

// seen is an executor that keeps the jobs of its tasks.
type seen struct{ list []jobs.Job }

func (s *seen) Do(_ context.Context, tasks []jobs.Task) error {
	for _, task := range tasks {
		j, err := task.Job()
		if err != nil {
			return err
		}
		s.list = append(s.list, j)
	}
	return errCounted
}

// TestPartSizes: a look-ahead takes longer than a network, so its parts are smaller; no part has
// more sets than a worker accepts; and a model that several agents share is one input.
func TestPartSizes(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 10}`)
	net := network(t, g, models.Logits, false)
	ahead, err := agents.Open(t.Context(), "lookahead:0:"+net.Name, agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	greedy, err := agents.Open(t.Context(), "greedy", agents.Options{Game: g})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a, b         *agents.Agent
		games        int
		jobs, inputs int
	}{
		{net, net, 2000, 63, 2},                // 1000 sets by 16
		{ahead, net, 2000, 100, 2},             // by 10
		{ahead, greedy, 2000, 100, 2},          // by 10
		{greedy, greedy, 2000, 63, 1},          // by 16
		{greedy, greedy, 1_000_000, 123, 1},    // by 4096
		{greedy, greedy, 2 * 4096 * 64, 64, 1}, // by 4096
	} {
		var s seen
		if _, err := eval.RecordDuplicate(t.Context(), &s, g, []*agents.Agent{tt.a, tt.b}, tt.games, 1, nil, nil); !errors.Is(err, errCounted) {
			t.Fatal(err)
		}
		if len(s.list) != tt.jobs || len(s.list[0].Inputs) != tt.inputs {
			t.Errorf("%s against %s, %d games: %d jobs with %d inputs; want %d with %d", tt.a.Name, tt.b.Name, tt.games, len(s.list), len(s.list[0].Inputs), tt.jobs, tt.inputs)
		}
	}
}

// TestExactPartsOfBots: an executor tabulates networks alone; bots are tabulated in this process.
func TestExactPartsOfBots(t *testing.T) {
	r := reduced(t, 2)
	solution, err := r.game.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	greedy, err := agents.Open(t.Context(), "greedy", agents.Options{Game: r.game})
	if err != nil {
		t.Fatal(err)
	}
	ahead, err := agents.Open(t.Context(), "lookahead:0:"+network(t, r.game, models.Score, false).Name, agents.Options{Game: r.game})
	if err != nil {
		t.Fatal(err)
	}
	encoded, count := jobstest.Encoded(eval.Kinds(), nil)
	x, err := eval.NewExactEvaluator(r.game, solution)
	if err != nil {
		t.Fatal(err)
	}
	x.Executor = encoded
	for _, a := range []*agents.Agent{greedy, ahead} {
		want, err := r.evaluator.Strength(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Strength(t.Context(), a)
		got.Cost.Seconds, want.Cost.Seconds = 0, 0
		if err != nil || got != want || count.Load() > 0 {
			t.Errorf("%s: %+v, %v, by %d jobs; want %+v by none", a.Name, got, err, count.Load(), want)
		}
	}
}

// TestExactPartFails: a part of a table that fails ends the evaluation, and counts as no progress.
func TestExactPartFails(t *testing.T) {
	r := reduced(t, 2)
	a := network(t, r.game, models.Score, false)
	a.Policy = failing{}
	r.evaluator.Executor = jobs.Local{}
	r.evaluator.Progress = func(x float64) { t.Errorf("%v is done", x) }
	if _, err := r.evaluator.Strength(t.Context(), a); !errors.Is(err, errFailing) {
		t.Errorf("%v", err)
	}
}
