package martiandice_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/internal/test/golden"
)

// Golden files have decisions of random games, with which other engines can be compared
// too: the position, each seat's probability of winning, and the mover's after each
// legal action. Ten decimals are the same on every machine.
func TestPositions(t *testing.T) {
	r, sol := published(t)
	golden.Check(t, "positions.txt", positions(t, r, sol, 300))
}

func TestPositionsThreePlayers(t *testing.T) {
	r, sol := three(t)
	golden.Check(t, "positions3.txt", positions(t, r, sol, 100))
}

// positions lists n decisions.
func positions(t *testing.T, r *martiandice.Rules, sol game.Solution[martiandice.State], n int) []byte {
	t.Helper()
	spec := r.Spec()
	var out bytes.Buffer
	src := rand.New(rand.NewPCG(1, 0))
	dice := rand.NewPCG(2, 0)
	st := r.Initial()
	for n > 0 {
		switch r.CurrentPlayer(st) {
		case game.Terminal:
			st = r.Initial()
			for i := range spec.Players { // any scores at which every seat may be to move
				st.Score[i] = uint8(src.IntN(target))
			}
		case game.Chance:
			st = r.Sample(st, dice)
		default:
			legal := r.Legal(nil, st)
			if src.IntN(4) == 0 {
				value, err := sol.Value(nil, st)
				if err != nil {
					t.Fatal(err)
				}
				options, err := sol.Options(nil, st)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s |", r.Format(st))
				for _, v := range value {
					fmt.Fprintf(&out, " %.10f", spec.WinShare(v))
				}
				out.WriteString(" |")
				for i, a := range legal {
					fmt.Fprintf(&out, " %s %.10f", r.ActionName(a), spec.WinShare(options[i]))
				}
				out.WriteByte('\n')
				n--
			}
			var err error
			if st, err = r.Apply(st, legal[src.IntN(len(legal))]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out.Bytes()
}
