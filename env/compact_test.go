package env_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
)

// TestCompact: a compact batch plays the games of a batch of numbers, and its codes stand for these
// numbers to the bit: those of all rows at once, of single rows, of held ones and of ended games.
func TestCompact(t *testing.T) {
	mars, limited := marsisours.DefaultConfig(), martiandice.DefaultConfig()
	mars.Players, limited.MaxRounds = 2, 300
	for name, g := range map[string]env.Game{
		"pig":                       newGame(t, pig.New, pig.DefaultConfig()),
		"martian dice":              newGame(t, martiandice.New, martiandice.DefaultConfig()),
		"martian dice, 300 rounds":  newGame(t, martiandice.New, limited),
		"martian risk":              newGame(t, martianrisk.New, martianrisk.DefaultConfig()),
		"mars is ours":              newGame(t, marsisours.New, mars),
		"mars is ours, quick":       newGame(t, marsisours.New, marsisours.FastConfig()),
		"martian dice, few rows":    newGame(t, martiandice.New, martiandice.DefaultConfig()),
		"martian risk, single rows": newGame(t, martianrisk.New, martianrisk.DefaultConfig()),
	} {
		rows, steps := 300, 80
		if strings.HasSuffix(name, "rows") {
			rows, steps = 5, 1500
		}
		want := g.NewBatch(rows, 0)
		got, err := g.NewCompactBatch(env.Buffers{}, rows, 0)
		if err != nil {
			t.Fatal(err)
		}
		codes, err := g.Codes()
		if err != nil {
			t.Fatal(err)
		}
		x, y := want.Buffers(), got.Buffers()
		if y.Obs != nil || y.FinalObs != nil || x.Codes != nil || len(y.Codes) != rows*codes.Len() {
			t.Fatalf("%s: a compact batch has %d numbers and %d codes", name, len(y.Obs), len(y.Codes))
		}
		want.Reset(3)
		got.Reset(3)
		decoded := make([]float32, len(x.Obs))
		same := func(what string, step int, obs []float32, of []uint8) {
			t.Helper()
			decoded := decoded[:len(obs)]
			codes.Decode(decoded, of)
			if !slices.EqualFunc(decoded, obs, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Fatalf("%s, step %d: the codes of %s are not those of its numbers", name, step, what)
			}
		}
		ends := 0
		for step := range steps {
			same("a row", step, x.Obs, y.Codes)
			if !slices.Equal(x.Mask, y.Mask) || !slices.Equal(x.Player, y.Player) || !slices.Equal(x.Reward, y.Reward) ||
				!slices.Equal(x.Terminated, y.Terminated) || !slices.Equal(x.Truncated, y.Truncated) {
				t.Fatalf("%s, step %d: the batches differ", name, step)
			}
			d, c := len(x.Obs)/rows, codes.Len()
			for i := range rows {
				if x.Terminated[i] || x.Truncated[i] {
					ends++
					same("the last position", step, x.FinalObs[i*d:][:d], y.FinalCodes[i*c:][:c])
				}
			}
			act(want)
			copy(y.Action, x.Action)
			if step%7 == 0 { // most are held, and the others are played singly
				for i := range rows {
					if i%5 != step%5 {
						x.Action[i], y.Action[i] = env.Hold, env.Hold
					}
				}
			}
			copy(y.Noise, x.Noise)
			if err := errors.Join(want.Step(), got.Step()); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got.Decisions(nil).Obs(), x.Obs) {
			t.Errorf("%s: Decisions of a compact batch have other observations", name)
		}
		saved, err1 := want.AppendState(nil)
		also, err2 := got.AppendState(nil)
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(saved, also) {
			t.Errorf("%s: the saved states differ: %v", name, err)
		}
		if ends == 0 && !strings.HasPrefix(name, "mars is ours") && name != "martian risk" { // long games
			t.Errorf("%s: no game has ended", name)
		}
	}
}

// TestNoCodes: where codes would lose something, a compact batch is refused.
func TestNoCodes(t *testing.T) {
	risk := martianrisk.DefaultConfig()
	risk.ArmyCap = 96
	for name, g := range map[string]env.Game{
		"pig: observations cannot be shown as uint8 without loss; use float32":                         env.NewGame(testgames.PlainPig{Rules: testgames.NewPig(t, 2, 20)}),
		"martian-risk: 66206 values for two bytes: observations cannot be shown as uint8 without loss": newGame(t, martianrisk.New, risk),
	} {
		_, err := g.Codes()
		_, errBatch := g.NewCompactBatch(env.Buffers{}, 2, 0)
		for _, err := range []error{err, errBatch} {
			if !errors.Is(err, game.ErrNoCodes) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v; want %s", err, name)
			}
		}
	}
}
