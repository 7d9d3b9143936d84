package marsisours_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/game/message"
	"marsgym/env/marsisours"
	"marsgym/internal/test/golden"
)

// TestRolls compares rolls with all throws of ordinary dice, where tokens above ten are
// lost, with the shield, and with the second roll of the drill.
func TestRolls(t *testing.T) {
	r := newRules(t, config(2, nil))
	for _, position := range []string{
		"0-0@0 attack b3 x1 start 0 tokens 5-6 hand 4-4 junk 7-7 map ogso/mtmt/sgtm/otso robots o..o/.A../.B../o..o labs ...... round 1",
		"0-0@0 attack b3 x2 start 0 tokens 5-8 hand 4-4 junk 6-6 map ogso/mtmt/sgtm/otso robots o..o/.A../AB../o..o labs .....B round 1",
		"0-0@0 attack b3 x2 start 0 tokens 5-8 hand 4-4 junk 5-7 map ogso/mtmt/sgtm/otso robots o..o/.A../AB../o..o labs ....A. round 1",
		"0-0@0 attack b3 x2 again 5 start 0 tokens 5-8 hand 4-4 junk 5-7 map ogso/mtmt/sgtm/otso robots o..o/.A../AB../o..o labs ....A. round 1",
	} {
		s, err := r.Parse(position)
		if err != nil {
			t.Error(err)
			continue
		}
		n := int(s.Attackers)
		if s.Die == 0 {
			n++
		}
		total := 1
		for range n {
			total *= 6
		}
		if err := gametest.CheckRolls(r, s, func(yield func(string, float64) bool) {
			for x := range total {
				var dice []string
				for range n {
					dice, x = append(dice, fmt.Sprint(x%6+1)), x/6
				}
				yield(strings.Join(dice, " "), 1/float64(total))
			}
		}); err != nil {
			t.Errorf("%s: %v", position, err)
		}
	}
}

// TestStarter: the dice of the seats decide who starts.
func TestStarter(t *testing.T) {
	r := newRules(t, config(3, nil))
	s := r.Initial()
	for dice := rand.NewPCG(1, 1); s.Phase != marsisours.Drawing; {
		s = r.Sample(s, dice)
	}
	next, err := r.ReadRoll(s, "6 2 6 1 5")
	if err != nil || next.Start != 2 {
		t.Fatalf("seat %d starts, %v; want seat 2", next.Start, err)
	}
	want := "seats 0, 1 and 2 roll 6 2 6: seats 0 and 2 tie and roll again|seats 0 and 2 roll 1 5: seat 2 starts"
	if got := strings.Join(message.Speaker{}.SayAll(r.Narrate(nil, s, next, 0, "6 2 6 1 5")), "|"); !strings.HasPrefix(got, want) {
		t.Errorf("%s; want %s", got, want)
	}
	for _, o := range r.Outcomes(nil, s) {
		if next, err := r.ReadRoll(s, r.DrawRoll(s, o.State, rand.NewPCG(2, 2))); err != nil || next != o.State {
			t.Errorf("the roll for %s leads to %s, %v", r.Format(o.State), r.Format(next), err)
		}
	}
	if _, err := r.ReadRoll(s, "2"); err == nil || !strings.Contains(err.Error(), "want a number from 1 to 6 for each of 3 seats") {
		t.Errorf("one number: %v", err)
	}
}

// TestNarrate tells a random game of each preset.
func TestNarrate(t *testing.T) {
	for name, cfg := range map[string]marsisours.Config{
		"two": config(2, nil), "three": config(3, nil), "quick": marsisours.FastConfig(),
	} {
		r := newRules(t, cfg)
		var b strings.Builder
		s, dice := r.Initial(), rand.NewPCG(1, 1)
		for step := 0; r.CurrentPlayer(s) != game.Terminal; step++ {
			var next marsisours.State
			roll, a := "", game.Action(0)
			if r.CurrentPlayer(s) == game.Chance {
				next = r.Sample(s, dice)
				roll = r.DrawRoll(s, next, dice)
			} else {
				legal := r.Legal(nil, s)
				i := dice.Uint64() % uint64(len(legal))
				if int(i) == len(legal)-1 && step%4 != 0 {
					i = 0 // passes are rare
				}
				a = legal[i]
				var err error
				if next, err = r.Apply(s, a); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "seat %d: %s\n", s.Mover, r.ActionName(a))
			}
			for _, line := range (message.Speaker{}).SayAll(r.Narrate(nil, s, next, a, roll)) {
				if len(line) > 76 {
					t.Errorf("%s: %d columns: %s", name, len(line), line)
				}
				fmt.Fprintf(&b, "  %s\n", line)
			}
			s = next
		}
		golden.Check(t, "narrated/"+name+".txt", []byte(b.String()))
	}
}

// TestTold: lines about what a player would otherwise have to work out.
func TestTold(t *testing.T) {
	const (
		one    = " start 0 tokens 9-9 hand 4-4 junk 7-8"
		both   = " start 0 tokens 9-9 hand 4-4 junk 7-7"
		ground = " map ogso/mtmt/sgtm/otso"
	)
	for _, tt := range []struct {
		name, position, step, want string
	}{
		{"starting tokens", "0-0 drawing" + ground, "2 5", "start: seat 1: tokens 7 (+7), hand 3 (+3), junkyard 9 (+9)"},
		{"tokens of the rocket beyond ten", "0-0@1" + one + ground + " robots o..o/.A../..../o..o labs ...... round 1", "place-rocket",
			"rocket lab: seat 1: 3 tokens beyond 10 lost"},
		{"tokens of an insurance beyond ten", "0-0@0 attack b3 x1" + both + ground + " robots o..o/.A../.B../o..o labs ...... round 1", "5 4",
			"attack: seat 1: 3 tokens beyond 10 lost"},
		{"the price of an attack", "0-0@0" + both + ground + " robots o..o/.A../.B../o..o labs ...... round 1", "attack-b3-x1",
			"attack: seat 0: tokens 7 (-2)"},
		{"an income beyond ten", "0-0@1 start 0 tokens 10-8 hand 4-4 junk 7-8 passed 0" + ground + " robots o..o/.a../..../o..o labs ...... round 1", "pass",
			"income: seat 0: 1 token beyond 10 lost"},
		{"the converter loses none", "0-0@1" + both + ground + " robots o..o/.A../..../o..o labs ..B... round 1", "place-rocket",
			"rocket lab: seat 1: money 3 (+3), tokens 10 (+1)"},
		{"robots that leave the map", "7-7@0 name start 0 tokens 9-9 hand 4-4 junk 7-5" + ground + " robots o..o/.a../..Bb/o..o labs .b.... round 1", "start-self",
			"maintenance: lying robots go to the junkyard, others lie down; not in labs"},
		{"a tie at the tax", "7-7@0 cash start 1 tokens 9-9 hand 4-4 junk 7-8 tracks 0100-0000" + ground + " robots o..o/.A../..../o..o labs ...... round 1", "keep",
			"tax: several seats have the most money, so nobody pays"},
		{"nothing to tax", "8-7@0 cash start 1 tokens 9-9 hand 4-4 junk 7-8 tracks 0100-0000" + ground + " robots o..o/.a../..../o..o labs ...... round 1", "keep",
			"tax: seat 0 has the most money but no standing robot, and pays nothing"},
	} {
		r := newRules(t, config(2, nil))
		s, err := r.Parse(tt.position)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		next, a, roll := s, game.Action(-1), ""
		if r.CurrentPlayer(s) == game.Chance {
			roll = tt.step
			next, err = r.ReadRoll(s, roll)
		} else {
			a = action(t, r, tt.step)
			next, err = r.Apply(s, a)
		}
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := (message.Speaker{}).SayAll(r.Narrate(nil, s, next, a, roll)); !slices.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q among them", tt.name, got, tt.want)
		}
	}
}

// TestTiles: the dice of a table can show a tile that is not in the drawn set.
func TestTiles(t *testing.T) {
	r := newRules(t, config(2, nil))
	s := r.Initial()
	for _, tile := range []string{"gsmt", "smtg"} {
		var err error
		if s, err = r.ReadRoll(s, tile); err != nil {
			t.Fatal(err)
		}
	}
	const want = `no tile that is left shows "gggg"; left are 2 of gstm, 2 of gmst, 2 of gmts, 2 of gtsm, 2 of gtms, clockwise and turned as you like. List other tiles in the data of a -game-config`
	if _, err := r.ReadRoll(s, "gggg"); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
	r = newRules(t, config(2, func(c *marsisours.Config) { c.Terrain = marsisours.Random48 }))
	if _, err := r.ReadRoll(r.Initial(), "x"); err == nil || !strings.Contains(err.Error(), "left are 12 of g, 12 of s, 12 of m, 12 of t. List") {
		t.Errorf("got error %v", err)
	}
}
