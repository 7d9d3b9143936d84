package env_test

import (
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
)

// Without a TurnPlanner a restarted row continues with the generators of another row
// of another run.
func TestRestart(t *testing.T) {
	const seed, row, steps = 23, 1 << 31, 200
	rules := testgames.PlainPig{Rules: testgames.NewPig(t, 3, 20)}
	want := referenceRow(rules, seed, row, steps)
	b := env.NewVec(rules, 3, 0)
	b.Reset(1)
	for k := range 7 + steps {
		if k == 7 {
			b.Restart(1, seed, row)
		}
		act(b)
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
		if k >= 7 && !readRow(b, 1).equal(want[k-7]) {
			t.Fatalf("step %d:\n got %+v\nwant %+v", k, readRow(b, 1), want[k-7])
		}
	}
}

// With a TurnPlanner each turn starts with the same roll in rows with the same common
// random numbers, whatever actions were taken before; other rows have other rolls.
func TestCommonRandomNumbers(t *testing.T) {
	b := env.NewGame(game.Rules[martiandice.State](testgames.NewMartianDice(t, 2, 13, 100))).NewBatch(3, 0)
	b.Reset(1)
	for i, row := range []uint64{8, 8, 9} {
		b.Restart(i, 5, row)
	}
	buf, n := b.Buffers(), b.Spec().Actions
	var rolls [3][]string // of the first decisions of turns, without the scores
	last := [3]game.Player{-1, -1, -1}
	for k := 0; min(len(rolls[0]), len(rolls[1]), len(rolls[2])) < 12; k++ {
		for i := range b.Len() {
			if buf.Player[i] != last[i] {
				_, roll, _ := strings.Cut(b.Decisions(nil).Position(i).String(), "@")
				rolls[i], last[i] = append(rolls[i], roll), buf.Player[i]
			}
			mask := buf.Mask[i*n : (i+1)*n]
			buf.Action[i] = game.Action(slices.Index(mask, true))
			if i == 1 { // the last legal action, not the first as in row 0
				for a, ok := range mask {
					if ok {
						buf.Action[i] = game.Action(a)
					}
				}
			}
		}
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(rolls[0][:12], rolls[1][:12]) {
		t.Errorf("with the same random numbers turns start with\n%q and\n%q", rolls[0][:12], rolls[1][:12])
	}
	if rolls[0][1] == rolls[2][1] && rolls[0][2] == rolls[2][2] {
		t.Errorf("other random numbers start turns with %q, too", rolls[2])
	}
}

// TestReplay: a session shows the positions of the decisions of a restarted row, chance
// transitions between them, and the end.
func TestReplay(t *testing.T) {
	games := map[string]env.Game{
		"by turns":           env.NewGame(game.Rules[martiandice.State](testgames.NewMartianDice(t, 3, 6, 8))),
		"without turns":      env.NewGame(game.Rules[pig.State](testgames.PlainPig{Rules: testgames.NewPig(t, 2, 20)})),
		"some games skipped": env.NewGame(game.Rules[testgames.Face](testgames.Coin{})),
	}
	for name, g := range games {
		b := g.NewBatch(2, 0)
		b.Reset(1)
		buf := b.Buffers()
		for row := range uint64(20) {
			b.Restart(1, 7, row)
			var actions []game.Action
			var want []string
			for ended := false; !ended; ended = buf.Terminated[1] || buf.Truncated[1] {
				d := b.Decisions([]int{1})
				want = append(want, d.Position(0).String())
				act(b)
				a := buf.Action[1]
				if label := d.Relabel(0); label != nil {
					a = label[a]
				}
				actions = append(actions, a)
				if err := b.Step(); err != nil {
					t.Fatal(err)
				}
			}
			again := env.NewSession(g)
			again.Restart(7, row)
			for _, a := range actions {
				if err := again.Apply(a); err != nil {
					t.Fatal(err)
				}
				again.Settle()
			}
			var got []string
			for i := range len(again.Steps) + 1 {
				if at := again.At(i); at.CurrentPlayer() >= 0 {
					got = append(got, at.String())
				}
			}
			for _, x := range again.Steps {
				if x.Chance() {
					if same, err := x.Before.Outcome(x.Before.OutcomeName(x.After)); err != nil || same != x.After {
						t.Fatalf("%s: %s does not lead to %s: %v", name, x.Before, x.After, err)
					}
				}
			}
			at := again.Position()
			if !slices.Equal(got, want) || at.CurrentPlayer() != game.Terminal {
				t.Fatalf("%s, row %d: the replay ends at %s after\n%q\nwant\n%q", name, row, at, got, want)
			}
			for p, r := range at.Returns() {
				if float32(r) != buf.Reward[b.Spec().Players+p] {
					t.Errorf("%s, row %d: seat %d gets %v, in the batch %v", name, row, p, r, buf.Reward[b.Spec().Players+p])
				}
			}
		}
	}
}
