package web

import (
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/eval/analysis"
	"marsgym/internal/test/fulltest"
)

// TestGuides plays every guided game: the person follows it, and its agents answer. Choices are
// legal, and those that it calls best are, in games that are solved within a moment.
func TestGuides(t *testing.T) {
	app := New(Options{})
	for _, id := range catalog.IDs() {
		if n := len(slices.DeleteFunc(slices.Clone(guides), func(g guide) bool { return !slices.Contains(g.Games, id) })); n != 1 {
			t.Errorf("%s has %d guided games", id, n)
		}
	}
	for _, g := range guides {
		at := &Request{Address: g.Address}
		var exact analysis.Valuer
		for i, step := range g.Steps {
			var r *replay
			for { // the turns of the others
				var err error
				if r, err = at.replay(t.Context()); err != nil {
					t.Fatalf("%s, step %d: %v", g.Game, i, err)
				}
				if who := r.rec.Position().CurrentPlayer(); who == 0 {
					break
				} else if who < 0 {
					t.Fatalf("%s, step %d: nobody is to move in %v", g.Game, i, r.rec.Position())
				}
				answer, err := app.play(t.Context(), at)
				if err != nil {
					t.Fatal(err)
				}
				at.Address = answer.(*View).Address
			}
			if exact == nil && step.Best && (g.Game == "martian-dice" || fulltest.On()) {
				exact = solve(t, r.game)
			}
			if exact != nil && step.Best {
				options, err := analysis.Decide(t.Context(), r.game, r.rec.Position(), exact)
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range options {
					if o.Action == step.Move && !(o.Regret.Value <= 1e-12) {
						t.Errorf("%s, step %d: %s loses %g in %v", g.Game, i, step.Move, o.Regret.Value, r.rec.Position())
					}
				}
			}
			at.Moves = append(slices.Clone(at.Moves), step.Move)
		}
		if _, err := at.replay(t.Context()); err != nil {
			t.Errorf("%s: %v", g.Game, err)
		}
	}
}

func solve(t *testing.T, g env.Game) analysis.Valuer {
	t.Helper()
	s, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return analysis.NewExact(g.Spec(), s)
}
