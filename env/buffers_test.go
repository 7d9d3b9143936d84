package env_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// TestBuffersOfCaller: a batch clears each buffer of the caller, and refuses each that has one
// element more or less.
func TestBuffersOfCaller(t *testing.T) {
	const rows = 3
	g := env.NewGame(testgames.NewMartianDice(t, 2, 5, 5))
	spec := g.Spec()
	d, a, p := spec.ObsLen(), spec.Actions, spec.Players
	buffers := func() env.Buffers {
		return env.Buffers{
			Obs: slices.Repeat([]float32{7}, rows*d), Mask: slices.Repeat([]bool{true}, rows*a), Player: slices.Repeat([]game.Player{7}, rows),
			Action: slices.Repeat([]game.Action{7}, rows), Reward: slices.Repeat([]float32{7}, rows*p), Terminated: slices.Repeat([]bool{true}, rows),
			Truncated: slices.Repeat([]bool{true}, rows), FinalObs: slices.Repeat([]float32{7}, rows*d), FinalPlayer: slices.Repeat([]game.Player{7}, rows),
		}
	}
	given := buffers()
	own, over := g.NewBatch(rows, 0).Buffers(), g.NewBatchOver(given, rows, 0).Buffers()
	if fmt.Sprint(*over) != fmt.Sprint(*own) {
		t.Errorf("before the first game the buffers hold\n%v, want\n%v", over, own)
	}
	if &over.FinalPlayer[0] != &given.FinalPlayer[0] || &over.Mask[0] != &given.Mask[0] {
		t.Error("a buffer is not used")
	}
	for name, change := range map[string]func(b *env.Buffers){
		"Obs":         func(b *env.Buffers) { b.Obs = b.Obs[1:] },
		"Mask":        func(b *env.Buffers) { b.Mask = append(b.Mask, false) },
		"Player":      func(b *env.Buffers) { b.Player = b.Player[1:] },
		"Action":      func(b *env.Buffers) { b.Action = append(b.Action, 0) },
		"Reward":      func(b *env.Buffers) { b.Reward = b.Reward[1:] },
		"Terminated":  func(b *env.Buffers) { b.Terminated = append(b.Terminated, false) },
		"Truncated":   func(b *env.Buffers) { b.Truncated = b.Truncated[1:] },
		"FinalObs":    func(b *env.Buffers) { b.FinalObs = append(b.FinalObs, 0) },
		"FinalPlayer": func(b *env.Buffers) { b.FinalPlayer = b.FinalPlayer[1:] },
	} {
		b := buffers()
		change(&b)
		if got := panics(func() { g.NewBatchOver(b, rows, 0) }); !strings.Contains(got, "env: a buffer of ") {
			t.Errorf("%s of a wrong length: %q", name, got)
		}
	}
	for _, tt := range []struct {
		rows, first int
		want        string
	}{{0, 0, "env: a batch of 0 rows from row 0"}, {1, -1, "env: a batch of 1 rows from row -1"}, {1, 0, ""}} {
		if got := panics(func() { g.NewBatch(tt.rows, tt.first) }); got != tt.want {
			t.Errorf("%d rows from %d: %q; want %q", tt.rows, tt.first, got, tt.want)
		}
	}
}

// panics returns what f panics with, as text; "" if it does not.
func panics(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// TestResultsCleared: what starts all games anew leaves no result of the last step, and a step
// leaves none of the step before.
func TestResultsCleared(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 5), Moves: 3}),
		"martian dice": env.NewGame(testgames.LimitedMartianDice{Rules: testgames.NewMartianDice(t, 2, 5, 2), Moves: 6}),
	} {
		b := g.NewBatch(16, 0)
		buf := b.Buffers()
		for what, begin := range map[string]func(){
			"Reset": func() { b.Reset(1) },
			"RestoreState": func() {
				s, err := b.AppendState(nil)
				if err == nil {
					err = b.RestoreState(s)
				}
				if err != nil {
					t.Fatal(err)
				}
			},
		} {
			b.Reset(1)
			for n := 0; !(slices.Contains(buf.Terminated, true) && slices.Contains(buf.Truncated, true)); n++ {
				if n == 200 {
					t.Fatalf("%s: no step ends games in both ways", name)
				}
				act(b)
				if err := b.Step(); err != nil {
					t.Fatal(err)
				}
				for i := range b.Len() {
					reward := buf.Reward[2*i : 2*i+2]
					if reward[0] != 0 && !buf.Terminated[i] || buf.Terminated[i] && buf.Truncated[i] {
						t.Fatalf("%s: a row has the rewards %v, terminated %v, truncated %v", name, reward, buf.Terminated[i], buf.Truncated[i])
					}
				}
			}
			begin()
			if slices.Max(buf.Reward) != 0 || slices.Contains(buf.Terminated, true) || slices.Contains(buf.Truncated, true) {
				t.Errorf("%s: after %s the rewards are %v, terminated %v, truncated %v", name, what, buf.Reward, buf.Terminated, buf.Truncated)
			}
		}
	}
}

// TestRefusedSteps: an error names the row, the action, and the actions that there are or the rule that
// forbids it.
func TestRefusedSteps(t *testing.T) {
	for name, tt := range map[string]struct {
		game   env.Game
		action game.Action
		want   string
	}{
		"pig":          {env.NewGame(testgames.NewPig(t, 2, 20)), 2, "row 1, action 2: actions are 0 to 1: illegal action"},
		"pig, by rule": {env.NewGame(testgames.NewPig(t, 2, 20)), 1, "row 1, action 1: a turn begins with a roll: illegal action"},
		"coin":         {env.NewGame(testgames.Coin{}), -3, "row 1, action -3: actions are 0 to 1: illegal action"},
	} {
		b := tt.game.NewBatch(2, 0)
		if err := b.Step(); err == nil || err.Error() != "env: Step before Reset" {
			t.Errorf("%s: %v", name, err)
		}
		b.Reset(1)
		b.Buffers().Action[1] = tt.action
		if err := b.Step(); err == nil || err.Error() != tt.want || !errors.Is(err, game.ErrIllegalAction) {
			t.Errorf("%s: %v; want %s", name, err, tt.want)
		}
	}
}

// TestOutcomesOfRefusedActions: rows whose action is held or illegal have no outcomes.
func TestOutcomesOfRefusedActions(t *testing.T) {
	b := env.NewGame(testgames.NewPig(t, 2, 20)).NewBatch(5, 0)
	b.Reset(1)
	copy(b.Buffers().Action, []game.Action{0, env.Hold, 1, 2, 0}) // to hold is illegal before a roll
	var got env.Outcomes
	b.Outcomes(&got, 64)
	if !slices.Equal(got.Row, []int{0, 4}) || !slices.Equal(got.Start, []int{0, 6, 12}) {
		t.Errorf("rows %v have outcomes from %v; want rows 0 and 4, with six each", got.Row, got.Start)
	}
	if b.Outcomes(&got, 5); len(got.Row) > 0 {
		t.Errorf("six outcomes are listed for a limit of five: %v", got.Start)
	}
}

// TestBeginAfterRestart: a row that begins with a seed draws from the generators of that seed, also
// if it had common random numbers before, and one that begins without a seed keeps those.
func TestBeginAfterRestart(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 5, 5))
	b, want := g.NewBatch(2, 0), g.NewBatch(2, 0)
	b.Reset(1)
	b.Restart(0, 5, 0)
	b.Restart(1, 5, 1)
	b.Begin([]int{0}, []uint64{9})
	want.Reset(9)
	if got, want := playRows(t, b, 100, 0), playRows(t, want, 100, 0); !slices.EqualFunc(got, want, transition.equal) {
		t.Error("a row that begins with a seed plays other games than after Reset with that seed")
	}
	again, next := g.NewBatch(1, 0), g.NewBatch(1, 0)
	for _, x := range []env.Batch{again, next} {
		x.Reset(1)
		x.Restart(0, 5, 0)
	}
	next.Begin([]int{0}, nil) // the turns of this game are numbered on
	if slices.Equal(again.Buffers().Obs, next.Buffers().Obs) {
		t.Error("the next game begins with the dice of the first")
	}
}

// TestPlaceCounts: a placed row draws chance to a decision, shows it, and counts its decisions anew.
func TestPlaceCounts(t *testing.T) {
	g := env.NewGame(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 200), Moves: 4})
	b := g.NewBatch(1, 0)
	b.Reset(1)
	at, err := g.Parse("7-3@1 turn 4 rolling")
	if err != nil {
		t.Fatal(err)
	}
	obs := make([]float32, g.Spec().ObsLen())
	for decisions := range 4 {
		for range decisions {
			b.Buffers().Action[0] = 0
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Place(0, at); err != nil {
			t.Fatal(err)
		}
		placed := b.Decisions(nil).Position(0)
		if placed.Observe(obs, placed.CurrentPlayer()); !slices.Equal(b.Buffers().Obs, obs) || b.Buffers().Player[0] != placed.CurrentPlayer() {
			t.Errorf("the row shows %v, in position %s", b.Buffers().Obs, placed)
		}
		for n := 1; n <= 4; n++ {
			b.Buffers().Action[0] = 0
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
			if got := b.Buffers().Truncated[0]; got != (n == 4) {
				t.Errorf("placed after %d decisions, truncated after %d more: %v", decisions, n, got)
			}
		}
	}
	over, err := g.Parse("200-3 over 0")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Place(0, over); err == nil || err.Error() != "env: no decision follows in the game from 200-3 over 0" {
		t.Errorf("%v", err)
	}
	if err := b.Place(0, env.NewGame(testgames.Coin{}).Initial()); err == nil || err.Error() != "env: {0} is a position of another game; want one of pig" {
		t.Errorf("%v", err)
	}
}

// TestRestoreErrors damages the state of a game of one byte: the number of rows and the tag, the
// state, its count of decisions, and two generators.
func TestRestoreErrors(t *testing.T) {
	g := env.NewGame(testgames.Coin{})
	b := g.NewBatch(1, 0)
	b.Reset(1)
	good, err := b.AppendState(nil)
	if err != nil || len(good) != 4+4+1+4+2*20 {
		t.Fatalf("%d bytes, %v", len(good), err)
	}
	for name, tt := range map[string]struct {
		at    int
		bytes []byte
		want  string
	}{
		"other rows":      {0, []byte{2}, "the state of 2 rows for a batch of 1"},
		"other rules":     {4, []byte{1, 2, 3, 4}, "the state is of another game than coin"},
		"an end":          {8, []byte{1}, "row 0 holds a state without a decision"},
		"chance":          {8, []byte{0}, "row 0 holds a state without a decision"},
		"-1 decisions":    {9, []byte{255, 255, 255, 255}, "row 0 has taken -1 decisions"},
		"the dice":        {13, []byte("x"), "row 0: "},
		"the other dice":  {33, []byte("x"), "row 0: "},
		"older, no rules": {4, []byte{0, 0, 0, 0}, ""},
		"no decisions":    {9, []byte{0, 0, 0, 0}, ""},
		"many decisions":  {9, []byte{255, 255, 255, 127}, ""},
		"unchanged":       {0, nil, ""},
	} {
		src := slices.Clone(good)
		copy(src[tt.at:], tt.bytes)
		fresh := g.NewBatch(1, 0)
		fresh.Reset(2)
		err := fresh.RestoreState(src)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v; want %q", name, err, tt.want)
		}
		if err != nil && tt.at >= 8 { // rows may hold anything
			if err := fresh.Step(); err == nil || !strings.Contains(err.Error(), "before Reset") {
				t.Errorf("%s: a batch that is half restored plays on: %v", name, err)
			}
		}
	}
	if err := b.RestoreState(good[1:]); err == nil || !strings.Contains(err.Error(), "env: 52 bytes of state for 1 rows of coin; want 53") {
		t.Errorf("a byte less: %v", err)
	}
}
