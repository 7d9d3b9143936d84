package marsisours_test

import (
	"math/rand/v2"
	"strings"
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
		r          *marsisours.Rules
		text, want string
	}{
		{two, "", `score "" has 1 numbers for 2 seats`},
		{two, "0-0", "it names no seat to move"},
		{two, "0@0" + rest, `score "0" has 1 numbers for 2 seats`},
		{two, "0-0@2" + rest, `seat "2" is not a number from 0 to 1`},
		{two, "0-0@0 round" + rest, `round "start" is not a number from 0 to 3`},
		{two, strings.TrimSuffix("0-0@0"+rest, " 2"), `"round" has no value`},
		{two, "0-0@0 start 0" + rest, `"start" is there twice`},
		{two, "0-0@0 passed 0" + rest, "seat 0 has passed"},
		{two, "0-0@0 down" + rest, "down: the seat must have passed, and a robot must stand"},
		{two, "0-0@0 cash" + rest, "cash: seat 0 has nothing to trade"},
		{two, "0-0@0 buy" + rest, "buy: seat 0 cannot buy dice"},
		{two, "0-0@0 attack b1 x1" + rest, "attack: seat 0 cannot attack there"},
		{two, "0-0@0 attack drill x1" + rest, "attack: seat 0 cannot attack there"},
		{two, "0-0@0 attack drill x5" + rest, "attack drill x5: want a seat to move, a place, and x1 to x4"},
		{two, "0-0@0 dice 7-6" + rest, "dice: the seats have more than 12 together"},
		{two, "0-0@0 tracks 7000-0000" + rest, `tracks "7000-0000": want levels from 0 to`},
		{two, "0-0 over" + rest, "the end of the game is written with round 3 and start 0"},
		{two, strings.TrimSuffix("0-0 scoring"+rest, "2") + "3", "scoring ends when there are no dice to roll"},
		{two, "0-0 laying map gm??/??st/????/????", "map: no tile is like that at a1"},
		{two, "0-0 laying map ?m??/st??/????/????", "map: tiles are laid row by row"},
		{two, "0-0 laying map gg??/gg??/????/????", "map: no tile is like that at a1"},
		{two, "0-0 laying map gmgt/stms/smms/tgto", `'o' has no meaning at d4`},
		{two, "0-0 drawing map gmgt/stms/smms/tgto", `'g' has no meaning at a1`},
		{two, "1-0 drawing map ogso/mtmt/sgtm/otso", "no seat has money yet"},
		{two, "0-0 drawing", `"map" is missing`},
		{quick, "1-1@0 start 0 hand 3-4 junk 2-2 robots oA.o/..../..../o..o", "score: seat 1 has 0 robots"},
		{quick, "1-0@0 start 0 hand 4-4 junk 2-2 robots oA.o/..../..../o..o", "seat 0 has 7 robots; want 6"},
		{quick, "1-0@0 start 0 hand 3-4 junk 2-2 robots oa.o/..../..../o..o", `'a' has no meaning at b1`},
		{quick, "1-0@0 start 0 hand 2-4 junk 3-2 robots oA.o/..../..../o..o", "seat 0 has 3 robots in the junkyard; want at most 2"},
		{quick, "0-0@0 cash start 0 hand 4-4 junk 2-2 robots o..o/..../..../o..o", "the quick game has only an action phase"},
		{quick, "0-0 drawing start 0", "before the game starts no other words are allowed"},
	} {
		if s, err := test.r.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q is read as %+v, %v; want %q", test.text, s, err, test.want)
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
