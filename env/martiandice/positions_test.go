package martiandice_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/internal/golden"
)

// TestPositions compares the solution for two at 300 decisions of random games
// with a golden file, which other engines can be held against as well: the
// position, each seat's probability of winning, and the mover's after each
// legal action. Ten decimals are the same on every machine.
func TestPositions(t *testing.T) {
	r := newRules(t, martiandice.DefaultConfig())
	s, err := r.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := r.Spec()
	var out bytes.Buffer
	src := rand.New(rand.NewPCG(1, 0))
	dice := rand.NewPCG(2, 0)
	st := r.Initial()
	for n := 0; n < 300; {
		switch r.Turn(st) {
		case game.Nobody:
			st = r.Initial()
			// Anywhere in a game: the totals at which one may be to move.
			st.Score[0], st.Score[1] = uint8(src.IntN(25)), uint8(src.IntN(25))
		case game.Chance:
			st = r.Sample(st, dice)
		default:
			legal := r.Legal(nil, st)
			if src.IntN(4) == 0 {
				value, err := s.Value(nil, st)
				if err != nil {
					t.Fatal(err)
				}
				options, err := s.Options(nil, st)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s | %.10f %.10f |", r.Format(st), spec.WinShare(value[0]), spec.WinShare(value[1]))
				for i, a := range legal {
					fmt.Fprintf(&out, " %s %.10f", r.ActionName(a), spec.WinShare(options[i]))
				}
				out.WriteByte('\n')
				n++
			}
			if st, err = r.Apply(st, legal[src.IntN(len(legal))]); err != nil {
				t.Fatal(err)
			}
		}
	}
	golden.Check(t, "positions.txt", out.Bytes())
}
