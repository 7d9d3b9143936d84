package martiandice_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/internal/test/golden"
)

// TestTranscript plays seeded games, the second with a roll-off that is tied again. Each
// line is a position and the action. The line after a roll shows its result.
func TestTranscript(t *testing.T) {
	for _, test := range []struct {
		file   string
		config martiandice.Config
		seed   uint64
	}{
		{"two.txt", martiandice.DefaultConfig(), 1},
		{"three.txt", config(3, func(c *martiandice.Config) { c.Target = 8 }), 201},
	} {
		r := newRules(t, test.config)
		golden.Check(t, test.file, transcript(t, r, test.seed))
	}
}

// transcript plays a game in which seat 0 is greedy and the others play at
// random.
func transcript(t *testing.T, r *martiandice.Rules, seed uint64) []byte {
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	dice, choices := rand.NewPCG(seed, 0), rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	row := make([]float64, r.Spec().Actions)
	for s := r.Initial(); ; {
		switch r.CurrentPlayer(s) {
		case game.Terminal:
			fmt.Fprintf(&b, "%-36s %v\n", r.Format(s), r.Returns(nil, s))
			return b.Bytes()
		case game.Chance:
			fmt.Fprintf(&b, "%s\n", r.Format(s))
			s = r.Sample(s, dice)
		default:
			legal := r.Legal(nil, s)
			a := legal[choices.IntN(len(legal))]
			if r.CurrentPlayer(s) == 0 {
				if err := greedy.Probs(row, []martiandice.State{s}); err != nil {
					t.Fatal(err)
				}
				a = game.Action(slices.Index(row, 1))
			}
			fmt.Fprintf(&b, "%-36s %s\n", r.Format(s), r.ActionName(a))
			if s, err = r.Apply(s, a); err != nil {
				t.Fatal(err)
			}
		}
	}
}
