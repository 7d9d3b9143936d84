package catalog_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

// FuzzReadRoll reads any roll of dice, tiles or lots in chance positions of all games. A roll
// that is accepted leads to one of the outcomes.
func FuzzReadRoll(f *testing.F) {
	var at []env.Position
	for _, e := range catalog.List() {
		for _, config := range []string{`{}`, `{"first_player": "random"}`, `{"experimental": true}`} {
			g, err := catalog.Open(e.ID, 0, []byte(config))
			if err != nil {
				continue // the game has no such field
			}
			at = append(at, rolls(f, g)...)
		}
	}
	for i, p := range at {
		drawn := p.DrawRoll(p.Sample(rand.NewPCG(1, 1)), rand.NewPCG(1, 2))
		f.Add(uint16(i), drawn)
		if next, err := p.ReadRoll(drawn); err != nil || !leadsTo(p, next) {
			f.Errorf("in %s the roll %q gives %v, %v", p, drawn, next, err)
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, roll string) {
		p := at[int(which)%len(at)]
		next, err := p.ReadRoll(roll)
		if err != nil {
			if n := len(err.Error()); n > 4096+64*len(roll) {
				t.Errorf("an error of %d bytes for a roll of %d", n, len(roll))
			}
			return
		}
		if !leadsTo(p, next) {
			t.Errorf("in %s the roll %q leads to %s, which is no outcome", p, roll, next)
		}
	})
}

func leadsTo(p, next env.Position) bool {
	return slices.ContainsFunc(p.Outcomes(), func(o game.Outcome[env.Position]) bool { return o.State == next })
}

// rolls returns up to thirty chance positions of random games.
func rolls(f *testing.F, g env.Game) (list []env.Position) {
	dice, choices := rand.NewPCG(1, 1), rand.New(rand.NewPCG(1, 2))
	for p, n := g.Initial(), 0; n < 300 && len(list) < 30; n++ {
		switch p.CurrentPlayer() {
		case game.Terminal:
			p = g.Initial()
		case game.Chance:
			list = append(list, p)
			p = p.Sample(dice)
		default:
			legal := p.Legal()
			next, err := p.Apply(legal[choices.IntN(len(legal))])
			if err != nil {
				f.Fatal(err)
			}
			p = next
		}
	}
	return list
}
