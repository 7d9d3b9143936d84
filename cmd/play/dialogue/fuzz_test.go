package dialogue_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"marsgym/cmd/play/dialogue"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// FuzzHuman types any lines. The choice is a legal action, or the error is ErrQuit.
func FuzzHuman(f *testing.F) {
	var positions []env.Position
	var games []env.Game
	for _, id := range []string{"pig", "martian-dice", "mars-is-ours", "martian-risk"} {
		g := testgames.Open(f, id, 0, "{}")
		p := g.Initial()
		for p.CurrentPlayer() == game.Chance {
			p = p.Outcomes()[0].State
		}
		games, positions = append(games, g), append(positions, p)
		f.Add(uint8(len(games)-1), g.ActionName(p.Legal()[0])+"\n")
		f.Add(uint8(len(games)-1), "?\n\nhelp\nh\nzz\nend\nquit\n")
	}
	f.Fuzz(func(t *testing.T, which uint8, script string) {
		i := int(which) % len(games)
		g, p := games[i], positions[i]
		if strings.Count(script, "\n") > 100 {
			return
		}
		probs, err := env.ActionProbabilities(t.Context(), dialogue.NewHuman(g, strings.NewReader(script), io.Discard), p, g.Spec().Actions)
		if err != nil {
			if !errors.Is(err, dialogue.ErrQuit) {
				t.Fatal(err)
			}
			return
		}
		total := 0.0
		for _, a := range p.Legal() {
			total += probs[a]
		}
		if total != 1 {
			t.Fatalf("the legal actions have the total probability %[2]v after %[1]q", script, total)
		}
	})
}
