//go:build cgo

// In package main, since nothing can import it.
package main

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/test/golden"
)

// TestGolden: games of the first legal action against random opponents, from a drawn seat,
// are those of earlier releases.
func TestGolden(t *testing.T) {
	for _, id := range []string{"pig", "martian-dice", "mars-is-ours-fast", "martian-risk-tiny"} {
		g := open(t, id, 2, "")
		s, buf := table(t, g, seating{Opponents: named("random"), Seat: -1}, 3)
		if err := s.Reset(newJob(g), 7); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		for range 60 {
			at, _ := s.At(0, false)
			fmt.Fprintf(&b, "%d %s\n", buf.Player[0], at)
			buf.Action[0] = game.Action(slices.Index(buf.Mask, true))
			if err := s.Step(newJob(g)); err != nil {
				t.Fatal(err)
			}
			if buf.Terminated[0] || buf.Truncated[0] {
				final, _ := s.At(0, true)
				fmt.Fprintf(&b, "end %s %v %v\n", final, buf.Reward, buf.Truncated[0])
			}
		}
		golden.Check(t, id+".txt", b.Bytes())
	}
}
