package train_test

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"strings"
	"sync"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/jobs"
	"marsgym/internal/jobs/jobstest"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
	"marsgym/train"
)

// selfPlay are the jobs of self-play, computed by a function.
func selfPlay(compute jobs.Func) map[string]jobs.Func {
	return map[string]jobs.Func{train.SelfPlayKind: compute}
}

// someOpponents are bots and older copies of which the third replaces the first.
var someOpponents = train.Opponents{Fraction: 0.75, Bots: map[string]float64{"greedy": 0.25}, Size: 2, Interval: 0.15, Power: 2}

// TestOpponentsMatter trains by each algorithm with older copies, with bots and with neither.
func TestOpponentsMatter(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`)
	for _, a := range []train.Algorithm{train.OneMove, train.Search, train.TurnExact} {
		models := map[string]string{}
		for name, o := range map[string]train.Opponents{
			"none": {}, "copies": {Fraction: 1, Size: 3, Interval: 0.1}, "greedy": {Fraction: 1, Bots: map[string]float64{"greedy": 1}, Interval: 1},
			"no copy in time": {Fraction: 1, Size: 3, Interval: 1},
		} {
			cfg, dir := short(a), t.TempDir()
			cfg.Steps, cfg.Opponents = 1000, o
			if fulltest.On() {
				cfg.Steps = 3000
			}
			if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: dir, Learner: learner}); err != nil {
				t.Fatal(err)
			}
			model := string(read(t, dir, agents.ModelFile))
			if same := models[model]; same != "" {
				t.Errorf("%s: the same model with %s and %s", a, name, same)
			}
			models[model] = name
		}
	}
}

// TestEncoded compares training in this process with training whose self-play goes
// through bytes.
func TestEncoded(t *testing.T) {
	dice, pig := testgames.Open(t, "martian-dice", 0, `{"dice": 5, "target": 6}`), testgames.Open(t, "pig", 0, `{"target": 10}`)
	for _, tt := range []struct {
		algorithm train.Algorithm
		game      env.Game
		opponents train.Opponents
		lag       int
	}{
		{train.TurnExact, dice, train.Opponents{}, 0}, {train.OneMove, dice, train.Opponents{}, 0},
		{train.OneMove, pig, train.Opponents{}, 0}, {train.OneMove, pig, someOpponents, 0},
		{train.Search, pig, train.Opponents{}, 0}, {train.Search, pig, someOpponents, 0},
		{train.TurnExact, dice, someOpponents, 1},
	} {
		t.Run(string(tt.algorithm), func(t *testing.T) {
			cfg, local, remote := short(tt.algorithm), t.TempDir(), t.TempDir()
			cfg.Steps, cfg.Opponents, cfg.Expert.PolicyLag = 1000, tt.opponents, tt.lag
			if _, err := train.Run(t.Context(), cfg, train.Options{Game: tt.game, Dir: local, Learner: learner}); err != nil {
				t.Fatal(err)
			}
			e, count := jobstest.Encoded(selfPlay(train.SelfPlay()), nil)
			if _, err := train.Run(t.Context(), cfg, train.Options{Game: tt.game, Dir: remote, Learner: learner, Executor: e}); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(read(t, local, agents.ModelFile), read(t, remote, agents.ModelFile)) || count.Load() == 0 {
				t.Errorf("another model after %d jobs", count.Load())
			}
			same(t, remote, local)
		})
	}
}

// TestReceiveRefuses damages each byte of some results in turn, or each seventh, so that no
// number of 8 bytes is left out. A result is refused, or its numbers are possible and training
// goes on.
func TestReceiveRefuses(t *testing.T) {
	g, compute := testgames.Open(t, "pig", 0, `{"target": 10}`), train.SelfPlay()
	cfg := short(train.OneMove)
	cfg.Rows, cfg.Steps, cfg.Expert.Search.Decisions = 2, 1, 2
	each := 7
	if fulltest.On() {
		each = 1
	}
	damaged, refused := 0, 0
	for at := 0; at < 200; at += each {
		for _, alter := range []func([]byte) []byte{
			func(b []byte) []byte { b[at%len(b)] ^= 0x81; return b },
			func(b []byte) []byte { return b[:len(b)*at/200] },
			func(b []byte) []byte { return append(b, 0) },
		} {
			damaged++
			e, _ := jobstest.Encoded(selfPlay(compute), alter)
			if _, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: t.TempDir(), Learner: learner, Executor: e}); err != nil {
				refused++
				if !strings.Contains(err.Error(), "the result of part ") {
					t.Fatalf("byte %d: %v", at, err)
				}
			}
		}
	}
	if refused < damaged*2/3 {
		t.Errorf("%d of %d damaged results were refused; want all that are cut or too long, at least", refused, damaged)
	}
}

// TestReceiveRefusesStates: a run does not go on from a state that is none, or count decisions
// that nobody has time for.
func TestReceiveRefusesStates(t *testing.T) {
	g, compute := testgames.Open(t, "pig", 0, `{"target": 10}`), train.SelfPlay()
	cfg := short(train.OneMove)
	cfg.Rows, cfg.Steps = 2, 1
	// ones is a difference of another bit in each of n bytes.
	ones := func(n int) func(_, found []byte) ([]byte, []byte) {
		return func(_, found []byte) ([]byte, []byte) {
			var b bytes.Buffer
			w, _ := flate.NewWriter(&b, flate.BestSpeed)
			w.Write(bytes.Repeat([]byte{1}, n))
			w.Close()
			return b.Bytes(), found
		}
	}
	for want, change := range map[string]func(state, found []byte) ([]byte, []byte){
		"":                          func(state, found []byte) ([]byte, []byte) { return state, found },
		"the state of pig: row 0: ": ones(1 << 20),
		"the difference of the states: unexpected EOF": ones(100),
		"4611686018427387904 decisions, ": func(state, found []byte) ([]byte, []byte) {
			_, n := binary.Uvarint(found)
			return state, append(binary.AppendUvarint(nil, 1<<62), found[n:]...)
		},
	} {
		e, _ := jobstest.Encoded(selfPlay(compute), func(b []byte) []byte {
			state, rest, err := jobs.CutSlice[byte](b)
			if err != nil {
				t.Fatal(err)
			}
			_, n := binary.Uvarint(rest) // the number of what was found
			found, after, err := jobs.CutSlice[byte](rest[n:])
			if err != nil {
				t.Fatal(err)
			}
			state, found = change(state, found)
			return append(jobs.AppendSlice(append(jobs.AppendSlice(nil, state), rest[:n]...), found), after...)
		})
		_, err := train.Run(t.Context(), cfg, train.Options{Game: g, Dir: t.TempDir(), Learner: learner, Executor: e})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// FuzzSelfPlayJob reads foreign jobs.
func FuzzSelfPlayJob(f *testing.F) {
	g := testgames.Open(f, "pig", 0, `{"target": 10}`)
	cfg := short(train.OneMove)
	cfg.Rows, cfg.Steps, cfg.Expert.Search.Decisions = 2, 1, 2
	compute := train.SelfPlay()
	var (
		sent jobs.Job
		mu   sync.Mutex
	)
	spy := func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
		mu.Lock()
		sent = jobs.Job{Args: args, Inputs: inputs}
		mu.Unlock()
		return compute(ctx, args, inputs)
	}
	if _, err := train.Run(f.Context(), cfg, train.Options{Game: g, Dir: f.TempDir(), Learner: learner, Executor: jobs.Encoded{Kinds: selfPlay(spy)}}); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(sent.Args), sent.Inputs[1].Bytes, sent.Inputs[2].Bytes)
	f.Add([]byte(`{"part": 1, "done": 2}`), []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, args, weights, state []byte) {
		r, err := compute(t.Context(), args, []*jobs.Blob{sent.Inputs[0], jobs.NewBlob(weights), jobs.NewBlob(state)})
		if err == nil && len(r.Bytes) == 0 {
			t.Error("an empty result")
		}
	})
}
