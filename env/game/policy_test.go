package game_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"marsgym/env/game"
)

// steps are rules in which the state is the number of legal actions, of four: the last ones.
type steps struct{ game.Rules[uint8] }

func (steps) Spec() game.Spec { return game.Spec{Actions: 4} }
func (steps) Legal(dst []game.Action, s uint8) []game.Action {
	for a := 4 - game.Action(s); a < 4; a++ {
		dst = append(dst, a)
	}
	return dst
}

func TestUniform(t *testing.T) {
	dst := slices.Repeat([]float64{7}, 12)
	if err := (game.Uniform[uint8]{Rules: steps{}}).Probs(dst, []uint8{1, 4, 2}); err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 0, 0, 1, 0.25, 0.25, 0.25, 0.25, 0, 0, 0.5, 0.5}; !slices.Equal(dst, want) {
		t.Errorf("the probabilities are %v; want %v", dst, want)
	}
}

// plain is a policy that counts its calls, and slow one that takes a context.
type plain struct{ calls *[]string }
type slow struct{ plain }

func (p plain) Probs([]float64, []uint8) error {
	*p.calls = append(*p.calls, "plain")
	return nil
}

func (p slow) ProbsContext(ctx context.Context, _ []float64, states []uint8) error {
	*p.calls = append(*p.calls, fmt.Sprint("context ", states))
	return ctx.Err()
}

// TestProbs: a policy that can take long gets the context.
func TestProbs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var calls []string
	if err := game.Probs[uint8](ctx, plain{&calls}, nil, []uint8{1}); err != nil {
		t.Errorf("without a context: %v", err)
	}
	if err := game.Probs[uint8](ctx, slow{plain{&calls}}, nil, []uint8{2}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context: %v", err)
	}
	if !slices.Equal(calls, []string{"plain", "context [2]"}) {
		t.Errorf("the calls are %q", calls)
	}
}
