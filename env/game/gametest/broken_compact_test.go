package gametest_test

import (
	"errors"

	"marsgym/env/game"
)

// compactCupRows are cupRows that show codes.
type compactCupRows struct {
	*cupRows
	g      *cups
	change func(obs []uint8) // of what is shown; or nil
}

func (r *compactCupRows) Show(states []state, players []game.Player, shown []state, relabel [][]game.Action, obs []uint8, mask []bool) {
	d := len(obs) / len(states)
	r.show(states, players, shown, relabel, make([]float32, len(obs)), mask)
	for i, s := range shown {
		r.g.encodeCompact(obs[i*d:][:d], s, players[i])
	}
	if r.change != nil {
		r.change(obs)
	}
}

// breakCodes changes the codes of g.
func breakCodes(g *cups, change func(c *game.Codes)) {
	codes := g.codes
	g.codes = func() (*game.Codes, error) {
		c, err := codes()
		changed := *c
		change(&changed)
		return &changed, err
	}
}

// breakCompact calls f after an observation has been encoded as codes.
func breakCompact(g *cups, f func(dst []uint8, s state)) {
	encode := g.encodeCompact
	g.encodeCompact = func(dst []uint8, s state, p game.Player) {
		encode(dst, s, p)
		f(dst, s)
	}
}

// brokenCompact break a clause about codes.
var brokenCompact = []breach{
	{"the error of Codes wraps ErrNoCodes", func(g *cups) {
		g.codes = func() (*game.Codes, error) { return nil, errors.New("oh") }
	}},
	{"Codes are always the same", func(g *cups) {
		calls := 0
		breakCodes(g, func(c *game.Codes) { calls++; c.Values = make([]float32, calls) })
	}},
	{"Codes have the scales of Spec.Observation", func(g *cups) {
		breakCodes(g, func(c *game.Codes) { c.Scales = []int{1, 1, 1, 1, 7, 1} })
	}},
	{"the code 0 stands for 0", func(g *cups) {
		breakCodes(g, func(c *game.Codes) { c.Values = []float32{1} })
	}},
	{"EncodeCompact stays within its slice", func(g *cups) {
		breakCompact(g, func(dst []uint8, _ state) { dst[:len(dst)+1][len(dst)] = 7 })
	}},
	{"EncodeCompact writes every byte", func(g *cups) {
		encode := g.encodeCompact
		g.encodeCompact = func(dst []uint8, s state, p game.Player) {
			last := dst[5]
			encode(dst, s, p)
			dst[5] = last
		}
	}},
	{"EncodeCompact gives the codes of Encode", func(g *cups) {
		breakCompact(g, func(dst []uint8, s state) {
			if s.Turns == 5 {
				dst[4]--
			}
		})
	}},
	{"Rows.Show gives EncodeCompact of each row", func(g *cups) {
		g.newCompactRows = func(int) game.Rows[state, uint8] {
			return &compactCupRows{newCupRows(g), g, func(obs []uint8) { obs[len(obs)-1]++ }}
		}
	}},
	{"Rows of codes does not panic", func(g *cups) {
		g.newCompactRows = func(int) game.Rows[state, uint8] { panic("oh") }
	}},
}
