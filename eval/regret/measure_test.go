package regret_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/eval/regret"
	"marsgym/internal/dirlock"
	"marsgym/models"
)

const smallPig = `{"target": 20}`

// TestConcurrency: games are the same whatever the concurrency, and more games begin with them.
func TestConcurrency(t *testing.T) {
	s := solve(t, "pig", smallPig)
	one := s.measure(t, s.agents[4], regret.Options{Games: 40, Seed: 3, Worst: 5})
	if many := s.measure(t, s.agents[4], regret.Options{Games: 39, Seed: 3, Worst: 5, Concurrency: 16}); !reflect.DeepEqual(one, many) {
		t.Errorf("with a concurrency of 16\n%+v\nwant\n%+v", many, one)
	}
	if other := s.measure(t, s.agents[4], regret.Options{Games: 40, Seed: 4, Worst: 5}); other.Win == one.Win {
		t.Error("another seed has the same games")
	}
	if !(math.Abs(one.Win-(0.5-one.Regret)) < 1e-9) {
		t.Errorf("the win is %v with a regret of %v; want 1/2 in all, against optimal play", one.Win, one.Regret)
	}
	if one.Games != 40 || one.Mistakes == 0 || len(one.Worst) != 5 || one.Worst[0].Regret < one.Worst[4].Regret || one.Decisions < one.Mistakes {
		t.Errorf("%+v", one)
	}
}

// TestOpponents: the estimate is right against opponents that make mistakes, and with three seats, where
// a decision without regret moves value between the others.
func TestOpponents(t *testing.T) {
	if testing.Short() {
		t.Skip("plays thousands of games")
	}
	for _, tt := range []struct {
		id, config string
		others     []int // of the ten agents
	}{
		{"pig", smallPig, []int{0}}, {"pig", smallPig, []int{5}},
		{"martian-dice", `{"target": 2, "players": 3}`, []int{5, 3}},
	} {
		s := solve(t, tt.id, tt.config)
		e, err := eval.NewExactEvaluator(s.game, s.solution)
		if err != nil {
			t.Fatal(err)
		}
		var others []*agents.Agent
		for _, i := range tt.others {
			others = append(others, s.agents[i])
		}
		seats := []*agents.Agent{s.agents[5]}
		for i := range s.game.Spec().Players - 1 {
			seats = append(seats, others[i%len(others)])
		}
		m, err := e.Multiplayer(t.Context(), seats)
		if err != nil {
			t.Fatal(err)
		}
		r := s.measure(t, s.agents[5], regret.Options{Games: 900, Seed: 1, Others: others, Concurrency: 2})
		if !(r.Low <= m.Mean && m.Mean <= r.High && r.High-r.Low < 0.2) {
			t.Errorf("%s against %q: %.4f in %.4f to %.4f; want %.4f", tt.id, r.Others, r.Win, r.Low, r.High, m.Mean)
		}
	}
}

// TestFile: a measurement continues its file after it was interrupted at any byte, and refuses other
// files.
func TestFile(t *testing.T) {
	s := solve(t, "pig", smallPig)
	path := filepath.Join(t.TempDir(), "games.jsonl")
	a := s.agents[4]
	want := s.measure(t, a, regret.Options{Games: 20, Seed: 3})
	if got := s.measure(t, a, regret.Options{Games: 20, Seed: 3, File: path}); !reflect.DeepEqual(got, want) {
		t.Errorf("with a file\n%+v\nwant\n%+v", got, want)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := strings.Index(string(whole), "\n") + 1
	for _, size := range []int{0, header, header + 1, len(whole) / 2, len(whole) - 1, len(whole)} {
		if err := os.WriteFile(path, whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		if got := s.measure(t, a, regret.Options{Games: 20, Seed: 3, File: path}); !reflect.DeepEqual(got, want) {
			t.Errorf("after %d bytes\n%+v\nwant\n%+v", size, got, want)
		}
		if again, _ := os.ReadFile(path); len(again) != len(whole) {
			t.Errorf("after %d bytes the file has %d; want %d", size, len(again), len(whole))
		}
	}
	asked := false
	none := func(context.Context, *env.Session) (regret.Choice, error) {
		asked = true
		return regret.Choice{}, errors.New("asked")
	}
	o := regret.Options{Games: 20, Seed: 3, File: path, Others: []*agents.Agent{s.exact}, Concurrency: 1}
	if got, err := regret.Measure(t.Context(), s.game, s.solution, none, a.Name, o); err != nil || asked || !reflect.DeepEqual(got, want) {
		t.Errorf("a finished measurement: %+v, %v, asked %t", got, err, asked)
	}
	for name, change := range map[string]func(*regret.Options){
		"holds games of another measurement": func(o *regret.Options) { o.Seed = 4 },
		"is no file of measured games":       func(o *regret.Options) { os.WriteFile(path, []byte("{}\n"), 0o666) },
		"name another file":                  func(o *regret.Options) { os.WriteFile(path, []byte("mine"), 0o666) },
		"line 2 is damaged":                  func(o *regret.Options) { os.WriteFile(path, []byte(string(whole[:header])+"{}\n"), 0o666) },
		"a directory":                        func(o *regret.Options) { o.File = filepath.Dir(path) },
	} {
		o := o
		os.WriteFile(path, whole, 0o666)
		if change(&o); true {
			before, _ := os.ReadFile(path)
			_, err := regret.Measure(t.Context(), s.game, s.solution, none, a.Name, o)
			if after, _ := os.ReadFile(path); err == nil || !strings.Contains(err.Error(), name) || string(after) != string(before) {
				t.Errorf("%v; want %q, and the file as it was", err, name)
			}
		}
	}
}

// TestErrors: an error of the policy, or a cancelled context, ends a measurement, whose file keeps the
// games that have ended.
func TestErrors(t *testing.T) {
	s := solve(t, "pig", smallPig)
	policy, broken := regret.Agent(s.agents[4]), errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, end := range []struct {
		do   func() error
		want error
	}{{func() error { return broken }, broken}, {func() error { cancel(); return ctx.Err() }, context.Canceled}} {
		path := filepath.Join(t.TempDir(), "games.jsonl")
		var calls atomic.Int64
		o := regret.Options{Games: 60, Seed: 3, File: path, Others: []*agents.Agent{s.exact}, Concurrency: 4}
		_, err := regret.Measure(ctx, s.game, s.solution, func(ctx context.Context, g *env.Session) (regret.Choice, error) {
			if calls.Add(1) > 100 {
				return regret.Choice{}, end.do()
			}
			return policy(ctx, g)
		}, s.agents[4].Name, o)
		content, _ := os.ReadFile(path)
		if kept := strings.Count(string(content), "\n") - 1; !errors.Is(err, end.want) || kept < 3 || kept >= 60 {
			t.Errorf("%v, and %d games kept; want %v", err, kept, end.want)
		}
		want := s.measure(t, s.agents[4], regret.Options{Games: 60, Seed: 3})
		if got := s.measure(t, s.agents[4], regret.Options{Games: 60, Seed: 3, File: path}); !reflect.DeepEqual(got, want) {
			t.Errorf("resumed\n%+v\nwant\n%+v", got, want)
		}
	}
}

// TestBounds: no call begins at a bound, and the estimate is of the games that had ended.
func TestBounds(t *testing.T) {
	s := solve(t, "pig", smallPig)
	var calls atomic.Int64
	policy := func(ctx context.Context, g *env.Session) (regret.Choice, error) {
		calls.Add(1)
		time.Sleep(time.Millisecond) // so that calls overlap
		return regret.Choice{Action: -1, Cost: 0.5}, nil
	}
	for _, o := range []regret.Options{{MaxCalls: 50, Concurrency: 1}, {MaxCost: 25, Concurrency: 1, Retries: 2}, {MaxCalls: 50, Concurrency: 8, Retries: 3}} {
		calls.Store(0)
		o.Games, o.Others = 100, []*agents.Agent{s.exact}
		r, err := regret.Measure(t.Context(), s.game, s.solution, policy, "none", o)
		if err != nil || !r.Stopped || calls.Load() != 50 || r.Games%2 != 0 || r.Calls > 50 || r.Illegal != r.Calls || r.Drawn*(o.Retries+1) != r.Calls || r.Cost != float64(r.Calls)/2 {
			t.Errorf("%d calls: %+v, %v", calls.Load(), r, err)
		}
		if o.Retries == 0 && r.Games == 0 {
			t.Error("no game has ended")
		}
	}
	illegal := func(context.Context, *env.Session) (regret.Choice, error) { return regret.Choice{Action: 99}, nil }
	o := regret.Options{Games: 2, Others: []*agents.Agent{s.exact}, Concurrency: 1}
	if _, err := regret.Measure(t.Context(), s.game, s.solution, illegal, "none", o); err == nil || !strings.Contains(err.Error(), "none chose action 99") {
		t.Errorf("an illegal action: %v", err)
	}
	o.Others = nil
	if _, err := regret.Measure(t.Context(), s.game, s.solution, illegal, "none", o); err == nil || !strings.Contains(err.Error(), "0 agents in the other seats") {
		t.Errorf("no opponent: %v", err)
	}
}

// TestPlayOn stops at decisions of the seat, with and without those of one legal action.
func TestPlayOn(t *testing.T) {
	s := solve(t, "pig", smallPig)
	for seat := range game.Player(2) {
		for _, forced := range []bool{false, true} {
			g := env.NewSession(s.game)
			g.Seed(5)
			stops := 0
			for {
				if err := regret.PlayOn(t.Context(), g, seat, []*agents.Agent{s.exact}, forced); err != nil {
					t.Fatal(err)
				}
				if g.Over() {
					break
				}
				legal := g.Position().Legal()
				if stops++; g.Position().CurrentPlayer() != seat || forced && len(legal) == 1 {
					t.Fatalf("stopped at %s", g.Position())
				}
				if err := g.Apply(legal[len(legal)-1]); err != nil {
					t.Fatal(err)
				}
			}
			if stops == 0 || math.Abs(g.Position().Returns()[0]) != 1 {
				t.Errorf("%d stops, and it ended at %s", stops, g.Position())
			}
		}
	}
}

// TestLock: one measurement at a time uses a file.
func TestLock(t *testing.T) {
	s := solve(t, "pig", smallPig)
	path := filepath.Join(t.TempDir(), "games.jsonl")
	o := regret.Options{Games: 20, Seed: 3, File: path, Others: []*agents.Agent{s.exact}, Concurrency: 1}
	policy := regret.Agent(s.agents[4])
	var once sync.Once
	if _, err := regret.Measure(t.Context(), s.game, s.solution, func(ctx context.Context, g *env.Session) (regret.Choice, error) {
		once.Do(func() {
			if _, err := regret.Measure(ctx, s.game, s.solution, policy, "slips", o); !errors.Is(err, dirlock.ErrBusy) {
				t.Errorf("a second measurement: %v; want %v", err, dirlock.ErrBusy)
			}
		})
		return policy(ctx, g)
	}, "slips", o); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestIdentity: agents that play differently have different identities, also where their names are
// equal.
func TestIdentity(t *testing.T) {
	g, err := catalog.Open("pig", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, x := range []struct {
		name          string
		sample        bool
		seed, weights uint64
		old           bool // it plays as one before
	}{
		{name: "run"}, {name: "run", seed: 1, old: true}, {name: "run", sample: true}, {name: "run", weights: 1},
		{name: "search:2"}, {name: "search:2", seed: 1}, {name: "search:2", sample: true, old: true},
		{name: "search:2:run"}, {name: "search:2:run", seed: 1}, {name: "search:2:run", weights: 1},
		{name: "greedy"}, {name: "greedy", sample: true, seed: 1, old: true},
	} {
		a, err := agents.Open(t.Context(), x.name, agents.Options{Game: g, Sample: x.sample, Seed: x.seed, Load: func(string) (*models.File, error) {
			meta := agents.MetaOf(g.Spec())
			meta.Net.Hidden, meta.Net.Head = []int{4}, "logits"
			net, err := models.NewMLP(meta.Net, rand.NewPCG(x.weights, 1))
			return &models.File{Meta: meta, MLP: net}, err
		}})
		if err != nil {
			t.Fatal(err)
		}
		identity, err := regret.Identity(a)
		if err != nil || seen[identity] != x.old || !strings.HasPrefix(identity, x.name) {
			t.Errorf("%+v is %q, %v", x, identity, err)
		}
		seen[identity] = true
	}
}
