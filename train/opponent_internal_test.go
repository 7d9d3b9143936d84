// In package train for the helpers of other tests.
package train

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
)

// stopping is a policy that cancels a context at a call, and returns its error.
type stopping struct {
	env.Policy
	calls  atomic.Int64 // before it cancels
	cancel context.CancelFunc
}

func (p *stopping) ProbsContext(ctx context.Context, dst []float64, d env.Decisions) error {
	if p.calls.Add(-1) == 0 {
		p.cancel()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.Probs(dst, d)
}

// TestOpponent trains against an agent in all other seats, and stops in the middle of
// a rollout.
func TestOpponent(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"players": 3, "dice": 5, "target": 6}`)
	cfg := poolConfig(models.Logits)
	cfg.Openings = Openings{Fraction: 0.5, Decisions: 4}
	bot, err := g.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	var last Metrics
	// run trains until the agent has been called so often, or to the end for 0.
	run := func(opt Options, name string, calls int64) ([]byte, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := &stopping{Policy: bot, cancel: cancel}
		p.calls.Store(calls)
		opt.Game, opt.Learner, opt.Opponent = g, gorgonia.New, &agents.Agent{Name: name, Policy: p}
		opt.Report = func(m Metrics) { last = m }
		if _, err := Run(ctx, cfg, opt); err != nil {
			return nil, err
		}
		return os.ReadFile(filepath.Join(opt.Dir, agents.ModelFile))
	}
	want, err := run(Options{Dir: t.TempDir()}, "greedy", 0)
	if err != nil {
		t.Fatal(err)
	}
	if m := last.Pool; m == nil || m.Opponents != 1 || m.Bots["greedy"].Value() != m.Win.Value() || !(m.Win.Value() > 0 && m.Win.Value() < 0.5) {
		t.Errorf("the metrics of the pool are %+v", m)
	}
	opt := Options{Dir: t.TempDir()}
	for _, calls := range []int64{5, 150} { // in the first iteration, and later
		if _, err := run(opt, "greedy", calls); !errors.Is(err, ErrInterrupted) {
			t.Fatalf("stopped at call %d: %v", calls, err)
		}
		opt.Resume = true
	}
	if got := last.Iteration; got == 0 || got > 6 {
		t.Errorf("stopped after %d iterations; want 1 to 6 of 12", got)
	}
	if _, err := run(opt, "random", 0); err == nil || !strings.Contains(err.Error(), `plays against ["greedy"]; want ["random"]`) {
		t.Errorf("resumed against another agent: %v", err)
	}
	alone := Options{Game: g, Dir: opt.Dir, Learner: gorgonia.New, Resume: true}
	cfg.Opponents.Fraction = 0
	if _, err := Run(t.Context(), cfg, alone); !errors.Is(err, ErrSettings) {
		t.Errorf("resumed under other settings: %v", err)
	}
	cfg.Opponents.Fraction = 0.5
	if got, err := run(opt, "greedy", 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the model differs if interrupted, error %v", err)
	}

	expert := DefaultConfig(TurnExact)
	if _, err := Run(t.Context(), expert, Options{Game: g, Dir: t.TempDir(), Learner: gorgonia.New, Opponent: &agents.Agent{Policy: bot}}); err == nil || !strings.Contains(err.Error(), "has no opponent") {
		t.Errorf("expert iteration against an agent: %v", err)
	}
}

// TestResumeWithoutOpponent goes on with a response as if it played itself.
func TestResumeWithoutOpponent(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := poolConfig(models.Logits)
	cfg.Opponents = Opponents{}
	bot, err := g.Bot("random")
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Game: g, Dir: t.TempDir(), Learner: gorgonia.New, Opponent: &agents.Agent{Name: "random", Policy: bot}}
	if _, err := Run(t.Context(), cfg, opt); err != nil {
		t.Fatal(err)
	}
	opt.Opponent, opt.Resume = nil, true
	if _, err := Run(t.Context(), cfg, opt); err == nil || !strings.Contains(err.Error(), "go on with the command that began it") {
		t.Errorf("a response is resumed without its opponent: %v", err)
	}
}

// TestStart begins with the weights of another network.
func TestStart(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	cfg := poolConfig(models.Logits)
	cfg.Hidden, cfg.LearningRate = []int{8}, Schedule{0, 0}
	start := newTestNetwork(t, g, models.Logits)
	mlp, err := Run(t.Context(), cfg, Options{Game: g, Dir: t.TempDir(), Learner: gorgonia.New, Start: start})
	if err != nil || !slices.Equal(mlp.Weights(), start.Weights()) {
		t.Errorf("without a learning rate the weights differ from those at the start, error %v", err)
	}
	cfg.Hidden = []int{9}
	if _, err := Run(t.Context(), cfg, Options{Game: g, Dir: t.TempDir(), Learner: gorgonia.New, Start: start}); err == nil || !strings.Contains(err.Error(), "the network to start with: ") {
		t.Errorf("a network of another shape: %v", err)
	}
}
