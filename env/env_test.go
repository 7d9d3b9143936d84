package env_test

import (
	"errors"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// An Env plays the games of row 0 of a batch, in the actions of the game.
func TestEnv(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 20), Moves: 30}),
		"martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 13, 10)),
		"solitaire":    env.NewGame(testgames.NewMartianDice(t, 1, 13, 10)),
	} {
		const seed = 8
		b, e := g.NewBatch(1, 0), env.New(g)
		b.Reset(seed)
		o := e.Reset(seed)
		terminated, truncated := 0, 0
		for k := range 600 {
			d := b.Decisions(nil)
			if got, want := e.Position().String(), d.Position(0).String(); got != want {
				t.Fatalf("%s, step %d: the position is %s, want %s", name, k, got, want)
			}
			checkObservation(t, e.Position(), o, g.Spec())
			act(b)
			a, label := b.Buffers().Action[0], d.Relabel(0)
			if label != nil {
				a = label[a]
			}
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
			mover := o.Player
			s, err := e.Step(a)
			if err != nil {
				t.Fatal(err)
			}
			want := readRow(b, 0)
			var reward []float32
			for _, r := range s.Reward {
				reward = append(reward, float32(r))
			}
			if !slices.Equal(reward, want.reward) || s.Terminated != want.terminated || s.Truncated != want.truncated {
				t.Fatalf("%s, step %d: %+v, want %+v", name, k, s, want)
			}
			o = s.Observation
			if !s.Terminated && !s.Truncated {
				continue
			}
			if s.Terminated {
				terminated++
				// The last observation is that of the player who moved last.
				last := make([]float32, g.Spec().ObsLen())
				e.Position().Observe(last, mover)
				if o.Player != game.Terminal || slices.Contains(o.Mask, true) || !slices.Equal(o.Obs, last) {
					t.Fatalf("%s, step %d: at the end player %d observes %v, want %v", name, k, o.Player, o.Obs, last)
				}
			} else {
				truncated++
				checkObservation(t, e.Position(), o, g.Spec())
			}
			if _, err := e.Step(a); !errors.Is(err, game.ErrGameOver) {
				t.Fatalf("%s: a step after the end gave error %v, want ErrGameOver", name, err)
			}
			o = e.Next()
		}
		if terminated == 0 || truncated == 0 && name == "pig" {
			t.Errorf("%s: %d games terminated and %d truncated: this tests nothing", name, terminated, truncated)
		}
	}
}

// checkObservation compares an observation of the current player with the position.
func checkObservation(t *testing.T, p env.Position, o env.Observation, spec game.Spec) {
	t.Helper()
	obs, mask := make([]float32, spec.ObsLen()), make([]bool, spec.Actions)
	p.Observe(obs, p.CurrentPlayer())
	for _, a := range p.Legal() {
		mask[a] = true
	}
	if o.Player != p.CurrentPlayer() || !slices.Equal(o.Obs, obs) || !slices.Equal(o.Mask, mask) {
		t.Fatalf("in position %s: got %+v, want %v, %v, seat %d", p, o, obs, mask, p.CurrentPlayer())
	}
}

func TestEnvErrors(t *testing.T) {
	e := env.New(env.NewGame(testgames.NewPig(t, 2, 20)))
	if _, err := e.Step(0); !errors.Is(err, game.ErrGameOver) {
		t.Errorf("a step before Reset gave error %v, want ErrGameOver", err)
	}
	e.Reset(1)
	before := e.Position().String()
	for _, a := range []game.Action{1, 2, -1} { // hold, which is illegal at first, and two that do not exist
		if s, err := e.Step(a); !errors.Is(err, game.ErrIllegalAction) || s.Obs != nil {
			t.Errorf("action %d gave %+v, error %v, want ErrIllegalAction", a, s, err)
		}
	}
	if got := e.Position().String(); got != before {
		t.Errorf("illegal actions led from %s to %s", before, got)
	}
	first := e.Reset(2)
	if again := e.Reset(2); !slices.Equal(first.Obs, again.Obs) {
		t.Error("two games from the same seed start with different observations")
	}
}
