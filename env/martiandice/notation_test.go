package martiandice_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
)

// configs together use every word of the notation.
var configs = []martiandice.Config{
	config(2, nil),
	config(1, nil),
	config(3, share),
	config(4, func(c *martiandice.Config) { c.FirstPlayer, c.Target = martiandice.FirstRandom, 9 }),
	config(2, func(c *martiandice.Config) { c.MaxRounds = 4 }),
	config(2, func(c *martiandice.Config) { c.AllowStopBeforeSelect, c.Dice, c.TieDice = true, 3, 1 }),
	config(10, func(c *martiandice.Config) { c.Target = 200; c.Bonus = 20; c.Faces.Tank = 0 }),
}

func TestNotation(t *testing.T) {
	for _, test := range []struct {
		config int // of configs
		text   string
		want   martiandice.State
	}{
		{0, "0-0@0", martiandice.State{}},
		{0, "13-17@1 aside T3R2H4", martiandice.State{
			Score: [10]uint8{13, 17}, Seat: 1, Phase: martiandice.Decide, Aside: martiandice.Counts{3, 2, 4}}},
		{0, "13-17@1 aside T3R2H4 rolling", martiandice.State{
			Score: [10]uint8{13, 17}, Seat: 1, Phase: martiandice.Rolling, Aside: martiandice.Counts{3, 2, 4}}},
		{0, "13-17@1 aside T3R2H4 roll R1C2K1", martiandice.State{
			Score: [10]uint8{13, 17}, Seat: 1, Phase: martiandice.Select,
			Aside: martiandice.Counts{3, 2, 4}, Roll: martiandice.Counts{0, 1, 0, 2, 1}}},
		{0, "0-0@0 roll H13", martiandice.State{Phase: martiandice.Select, Roll: martiandice.Counts{0, 0, 13}}},
		{0, "40-24@1", martiandice.State{Score: [10]uint8{40, 24}, Seat: 1}},
		{0, "27-27 tie 0,1", martiandice.State{Score: [10]uint8{27, 27}, Phase: martiandice.TieBreak, Tied: 0b11}},
		{0, "27-27 over 1", martiandice.State{Score: [10]uint8{27, 27}, Phase: martiandice.Over, Tied: 0b10}},
		{1, "24@0 turns 7", martiandice.State{Score: [10]uint8{24}, Count: 7}},
		{1, "25 over 0 turns 8", martiandice.State{Score: [10]uint8{25}, Phase: martiandice.Over, Tied: 1, Count: 8}},
		{2, "27-27-20 over 0,1", martiandice.State{Score: [10]uint8{27, 27, 20}, Phase: martiandice.Over, Tied: 0b11}},
		{3, "0-0-0-0 draw", martiandice.State{Phase: martiandice.Drawing}},
		{3, "1-2-3-9@0 aside H1 start 2", martiandice.State{
			Score: [10]uint8{1, 2, 3, 9}, Phase: martiandice.Decide, Aside: martiandice.Counts{0, 0, 1}, Start: 2}},
		{4, "1-2@1 round 3", martiandice.State{Score: [10]uint8{1, 2}, Seat: 1, Count: 3}},
		{4, "1-2 over 1", martiandice.State{Score: [10]uint8{1, 2}, Phase: martiandice.Over, Tied: 0b10}},
	} {
		r := newRules(t, configs[test.config])
		got, err := r.Parse(test.text)
		if err != nil || got != test.want {
			t.Errorf("%q became %+v, error %v; want %+v", test.text, got, err, test.want)
		}
		if got := r.Format(test.want); got != test.text {
			t.Errorf("%+v is written %q, want %q", test.want, got, test.text)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct {
		config int
		text   string
		want   string
	}{
		{0, "", "empty; write scores and the seat to move, as in 0-0@0"},
		{0, "1-2-3@0", "has 3 scores; want one for each of 2 players"},
		{0, "1@0", "has 1 scores"},
		{0, "1-x@0", `score "x" is not a number from 0 to 40`},
		{0, "1--2@0", "has 3 scores"},
		{0, "41-0@1", `score "41"`},
		{0, "1-2@2", `seat "2" is not a number from 0 to 1`},
		{0, "1-2@", `seat ""`},
		{0, "1-2", "names no seat to move; write @"},
		{0, "1-2@0 aside", `"aside" is followed by nothing`},
		{0, "1-2@0 under H1", `unknown word "under"; want aside`},
		{0, "1-2@0 aside X1", `dice "X1" are not letters of TRHCK`},
		{0, "1-2@0 aside H", `dice "H" are not letters of TRHCK with a number each`},
		{0, "1-2@0 aside H14", `humans "14" is not a number from 1 to 13`},
		{0, "1-2@0 aside H0", `humans "0"`},
		{0, "1-2@0 aside H1R1H1", `name humans twice`},
		{0, "1-2@0 rolling", `"rolling" is for dice set aside`},
		{0, "1-2@0 aside H1 roll R12 rolling", `"rolling" is for dice set aside without a roll`},
		{0, "25-2@0", "seat 0 has 25 points before its turn; the game would have ended at 25"},
		{0, "1-25@1 aside H1", "seat 1 has 25 points before its turn"},
		{0, "1-2@0 aside H2 roll T1R10", "count them there"},
		{0, "1-2@0 aside H2 roll R10", "2 dice are set aside and 10 were rolled; want 13 in all"},
		{0, "1-2@0 aside H2 roll R12", "2 dice are set aside and 12 were rolled; want 13 in all"},
		{0, "1-2@0 aside H2 roll H11", "nothing of this roll can be chosen; the turn is over"},
		{0, "1-2@0 aside R13", "13 dice are set aside; want fewer than 13"},
		{0, "1-2@0 aside T3", "only tanks are set aside"},
		{0, "1-2@0 start 1", "start: in this game seat 0 starts"},
		{0, "0-0 draw", "draw: in this game seat 0 starts"},
		{0, "1-2@0 round 3", "round: this position has no round"},
		{0, "27-27 tie 0", "names too few seats"},
		{0, "27-27 tie 0,2", `seat "2"`},
		{0, "27-27 aside H1 tie 0,1", "this position has no dice"},
		{0, "27-28 over 0", "seat 0 has 27 points, and another seat 28"},
		{0, "27-28 tie 0,1", "seat 0 has 27 points, and another seat 28"},
		{0, "24-20 over 0", "no seat has 25 points"},
		{2, "27-27-27 tie 0,3", `seat "3"`},
		{3, "1-0-0-0 draw", "draw: no seat has points yet"},
		{3, "9-0-0-0@2 start 1", "seat 0 has 9 points before its turn"},
		{3, "9-0-0-0 over 0 start 1", "start: in this game seat 0 starts"},
		{4, "1-2@0", "round is 0; want 1 to 4"},
		{4, "1-2@0 round 5", "round is 5; want 1 to 4"},
		{4, "1-2 over 1 round 4", "round: this position has no round"},
		{6, "0-0-0-0-0-0-0-0-0-0@0 aside T1H1", "these dice have no tanks"},
	} {
		r := newRules(t, configs[test.config])
		if s, err := r.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q became %+v, error %v; want one that contains %q", test.text, s, err, test.want)
		}
	}
}

// FuzzNotation parses arbitrary text. Its seeds are in testdata.
func FuzzNotation(f *testing.F) {
	list := allRules(f)
	f.Fuzz(func(t *testing.T, config uint8, text string) {
		r := list[int(config)%len(list)]
		s, err := r.Parse(text)
		if err != nil {
			return
		}
		if again, err := r.Parse(r.Format(s)); err != nil || again != s {
			t.Fatalf("%q became %+v, and written %q: %+v, error %v", text, s, r.Format(s), again, err)
		}
		if r.CurrentPlayer(s) == game.Chance {
			sum := 0.0
			for _, o := range r.Outcomes(nil, s) {
				sum += o.Prob
			}
			if !(math.Abs(sum-1) <= 1e-12) {
				t.Fatalf("from %q the outcomes have probability %v", text, sum)
			}
		}
		play(t, r, s, rand.New(rand.NewPCG(1, 1)))
	})
}

// FuzzApply plays from the initial state. Each of up to 256 bytes is an action, legal or
// not, or seeds the dice.
func FuzzApply(f *testing.F) {
	list := allRules(f)
	f.Fuzz(func(t *testing.T, config uint8, moves []byte) {
		r := list[int(config)%len(list)]
		s := r.Initial()
		for _, b := range moves[:min(len(moves), 256)] {
			if r.CurrentPlayer(s) == game.Chance {
				s = r.Sample(s, rand.NewPCG(uint64(b), uint64(s.Seat)))
				invariant(t, r, s)
				continue
			}
			a := game.Action(b%8) - 1 // -1 to 6
			next, err := r.Apply(s, a)
			switch legal := slices.Contains(r.Legal(nil, s), a); {
			case s.Phase == martiandice.Over:
				if !errors.Is(err, game.ErrGameOver) || next != s {
					t.Fatalf("at %s, the end, action %d gave %s, error %v", r.Format(s), a, r.Format(next), err)
				}
			case !legal:
				if !errors.Is(err, game.ErrIllegalAction) || next != s {
					t.Fatalf("at %s the illegal action %d gave %s, error %v", r.Format(s), a, r.Format(next), err)
				}
			case err != nil:
				t.Fatalf("at %s action %d: %v", r.Format(s), a, err)
			}
			s = next
			invariant(t, r, s)
		}
		play(t, r, s, rand.New(rand.NewPCG(1, 1)))
	})
}

func allRules(t testing.TB) (list []*martiandice.Rules) {
	for _, c := range configs {
		list = append(list, newRules(t, c))
	}
	return list
}

// play plays at random until the game ends, for at most 300 moves.
func play(t *testing.T, r *martiandice.Rules, s martiandice.State, choices *rand.Rand) {
	dice := rand.NewPCG(2, 2)
	for range 300 {
		invariant(t, r, s)
		switch r.CurrentPlayer(s) {
		case game.Terminal:
			return
		case game.Chance:
			s = r.Sample(s, dice)
		default:
			legal := r.Legal(nil, s)
			next, err := r.Apply(s, legal[choices.IntN(len(legal))])
			if err != nil {
				t.Fatalf("at %s: %v", r.Format(s), err)
			}
			s = next
		}
	}
}

// invariant checks what holds in every state.
func invariant(t *testing.T, r *martiandice.Rules, s martiandice.State) {
	cfg := r.Spec().Config.(martiandice.Config)
	if got, err := r.Parse(r.Format(s)); err != nil || got != s {
		t.Fatalf("%+v is written %q and read %+v, error %v", s, r.Format(s), got, err)
	}
	for i, n := range s.Score {
		if i >= cfg.Players && n > 0 || int(n) > cfg.Target-1+cfg.Dice+cfg.Bonus {
			t.Fatalf("at %s seat %d has %d points", r.Format(s), i, n)
		}
	}
	dice := 0
	for i := range s.Aside {
		dice += int(s.Aside[i]) + int(s.Roll[i])
	}
	switch s.Phase {
	case martiandice.Select:
		if dice != cfg.Dice || s.Roll[0] > 0 || len(r.Legal(nil, s)) == 0 {
			t.Fatalf("at %s there are %d dice and %d actions", r.Format(s), dice, len(r.Legal(nil, s)))
		}
	case martiandice.Decide, martiandice.Rolling:
		if dice >= cfg.Dice || s.Roll != (martiandice.Counts{}) {
			t.Fatalf("at %s there are no dice to roll", r.Format(s))
		}
	default:
		if dice > 0 {
			t.Fatalf("at %s there are dice", r.Format(s))
		}
	}
	sum := 0.0
	for _, v := range r.Returns(nil, s) {
		sum += v
	}
	if cfg.Players > 1 && !(math.Abs(sum) <= 1e-12) {
		t.Fatalf("at %s the returns sum to %v", r.Format(s), sum)
	}
}
