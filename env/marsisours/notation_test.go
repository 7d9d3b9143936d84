package marsisours_test

import (
	"math/rand/v2"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
)

// TestComment checks the positions of the package comment.
func TestComment(t *testing.T) {
	two := newRules(t, config(2, nil))
	for _, text := range []string{
		"0-0 laying map ????/????/????/????",
		"0-0 drawing map ogso/mtmt/sgtm/otso",
		"7-2@0 start 1 tokens 5-6 hand 3-2 junk 6-9 tracks 2000-0100 passed 1 map ogso/mtmt/sgtm/otso robots oA.o/a.B./..../o..o labs A..... round 2",
	} {
		if got := two.Format(parse(t, two, text)); got != text {
			t.Errorf("%q is written %q", text, got)
		}
	}
	quick := newRules(t, marsisours.FastConfig())
	s := parse(t, quick, "2-1@1 start 0 hand 2-3 junk 2-2 robots oA.o/.AB./..../o..o")
	s = do(t, quick, s, "attack-b2-x1")
	if got, want := quick.Format(s), "2-1@1 attack b2 x1 start 0 hand 2-3 junk 2-2 robots oA.o/.AB./..../o..o"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := quick.Format(do(t, quick, s, "rolls 4/3")), "1-2@0 start 0 hand 3-3 junk 2-1 robots oA.o/.BB./..../o..o"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	two, quick := newRules(t, config(2, nil)), newRules(t, marsisours.FastConfig())
	const rest = " start 0 tokens 5-5 hand 3-3 junk 9-9 map ogso/mtmt/sgtm/otso robots o..o/..../..../o..o labs ...... round 2"
	for _, test := range []struct {
		r    *marsisours.Rules
		text string
	}{
		{two, ""}, {two, "0-0"}, {two, "0@0" + rest}, {two, "0-0@2" + rest}, {two, "0-0@0 round" + rest},
		{two, "0-0@0 start 0" + rest}, {two, "0-0@0 passed 0" + rest}, {two, "0-0@0 down" + rest}, {two, "0-0@0 cash" + rest},
		{two, "0-0@0 buy" + rest}, {two, "0-0@0 attack b1 x1" + rest}, {two, "0-0@0 attack drill x1" + rest},
		{two, "0-0@0 dice 7-6" + rest}, {two, "0-0@0 tracks 7000-0000" + rest}, {two, "0-0 over" + rest}, {two, "0-0 scoring" + rest},
		{two, "0-0 laying map gm??/??st/????/????"}, {two, "0-0 laying map gg??/gg??/????/????"}, {two, "0-0 laying map gmgt/stms/smms/tgto"},
		{two, "0-0 drawing map gmgt/stms/smms/tgto"}, {two, "1-0 drawing map ogso/mtmt/sgtm/otso"}, {two, "0-0 drawing"},
		{quick, "1-1@0 start 0 hand 3-4 junk 2-2 robots oA.o/..../..../o..o"}, {quick, "1-0@0 start 0 hand 4-4 junk 2-2 robots oA.o/..../..../o..o"},
		{quick, "1-0@0 start 0 hand 3-4 junk 2-2 robots oa.o/..../..../o..o"}, {quick, "1-0@0 start 0 hand 2-4 junk 3-2 robots oA.o/..../..../o..o"},
		{quick, "0-0@0 cash start 0 hand 4-4 junk 2-2 robots o..o/..../..../o..o"}, {quick, "0-0 drawing start 0"},
	} {
		if s, err := test.r.Parse(test.text); err == nil {
			t.Errorf("%q is read as %+v; want an error", test.text, s)
		}
	}
}

// TestGreedy checks that greedy wins most games against random play.
func TestGreedy(t *testing.T) {
	for players, least := range map[int]float64{2: 0.9, 3: 0.85, 4: 0.85} {
		r := newRules(t, config(players, nil))
		greedy, err := r.Bot("greedy")
		if err != nil {
			t.Fatal(err)
		}
		dice, choices := rand.NewPCG(3, 0), rand.New(rand.NewPCG(3, 1))
		row := make([]float64, r.Spec().Actions)
		won, games := 0.0, 60
		for i := range games {
			s := r.Initial()
			for r.CurrentPlayer(s) != game.Terminal {
				legal := r.Legal(nil, s)
				switch int(r.CurrentPlayer(s)) {
				case int(game.Chance):
					s = r.Sample(s, dice)
					continue
				case i % players:
					if err := greedy.Probs(row, []marsisours.State{s}); err != nil {
						t.Fatal(err)
					}
					for a, p := range row {
						if p == 1 {
							s, _ = r.Apply(s, game.Action(a))
							break
						}
					}
				default:
					s, _ = r.Apply(s, legal[choices.IntN(len(legal))])
				}
			}
			won += r.Spec().WinShare(r.Returns(nil, s)[i%players])
		}
		if won < least*float64(games) {
			t.Errorf("with %d players greedy wins %v of %d games, want a fraction of at least %v", players, won, games, least)
		}
	}
}
