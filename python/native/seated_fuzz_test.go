//go:build cgo

// In package main, since nothing can import it.
package main

import (
	"bytes"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

// FuzzRestoreState restores games against opponents from any bytes. What is accepted is
// written and read unchanged, and can be continued. After a refusal the games need a reset.
func FuzzRestoreState(f *testing.F) {
	const rows = 2
	var tables []*seated
	var actions [][]game.Action
	for i, x := range []struct {
		id, config string
		seat       int
	}{
		{"pig", `{"target": 20}`, -1},
		{"pig", `{"target": 20}`, 1},
		{"martian-dice", `{"players": 3, "dice": 3, "target": 4}`, -1},
		{"mars-is-ours-fast", `{}`, 0},
		{"martian-risk-tiny", `{}`, -1},
	} {
		opened, err := catalog.Open(x.id, 0, []byte(x.config))
		if err != nil {
			f.Fatal(err)
		}
		g := newOpenGame(opened)
		d, a, p := g.spec.ObsLen(), g.spec.Actions, g.spec.Players
		buf := env.Buffers{
			Obs: make([]float32, rows*d), Mask: make([]bool, rows*a), Player: make([]game.Player, rows), Action: make([]game.Action, rows),
			Reward: make([]float32, rows*p), Terminated: make([]bool, rows), Truncated: make([]bool, rows),
			FinalObs: make([]float32, rows*d), FinalPlayer: make([]game.Player, rows),
		}
		made, err := newSeated(f.Context(), g, seating{Opponents: []entrant{{Name: "random"}}, Seat: x.seat}, buf, rows, 0)
		if err != nil {
			f.Fatal(err)
		}
		tables, actions = append(tables, made), append(actions, buf.Action)
		if err := made.Reset(newJob(g), 1); err != nil {
			f.Fatal(err)
		}
		for range 30 {
			state, err := made.AppendState(nil)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), state)
			noSeat := bytes.Clone(state)
			noSeat[0] = byte(p)
			f.Add(uint8(i), noSeat)
			if err := stepFirst(made, buf.Action); err != nil {
				f.Fatal(err)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		i := int(which) % len(tables)
		b := tables[i]
		if err := b.Reset(newJob(nil), 1); err != nil {
			t.Fatal(err)
		}
		if b.RestoreState(src) != nil {
			return
		}
		once, err := b.AppendState(nil) // in the form of today
		if err == nil {
			err = b.RestoreState(once)
		}
		if twice, _ := b.AppendState(nil); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%x became %x and %x, error %v", src, once, twice, err)
		}
		for range 3 {
			if err := stepFirst(b, actions[i]); err != nil {
				t.Errorf("%x: %v", src, err)
			}
		}
		for row := range rows {
			if p, _ := b.At(row); p == nil || p.CurrentPlayer() != b.seat[row] {
				t.Errorf("%x: in row %d the learner has seat %d, and %v comes next", src, row, b.seat[row], p)
			}
		}
	})
}

// stepFirst plays the first legal action of each row.
func stepFirst(b *seated, action []game.Action) error {
	n := b.spec.Actions
	for i := range action {
		for a := range n {
			if b.buf.Mask[i*n+a] {
				action[i] = game.Action(a)
				break
			}
		}
	}
	return b.Step(newJob(nil))
}
