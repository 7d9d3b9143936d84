package marsisours_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
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
	want := "seats 0 1 2 roll 6 2 6: seats 0 2 tie and roll again|seats 0 2 roll 1 5: seat 2 starts"
	if got := strings.Join(r.Narrate(nil, s, next, 0, "6 2 6 1 5"), "|"); !strings.HasPrefix(got, want) {
		t.Errorf("%s; want %s", got, want)
	}
	for _, o := range r.Outcomes(nil, s) {
		if next, err := r.ReadRoll(s, r.DrawRoll(s, o.State, rand.NewPCG(2, 2))); err != nil || next != o.State {
			t.Errorf("the roll for %s leads to %s, %v", r.Format(o.State), r.Format(next), err)
		}
	}
	if _, err := r.ReadRoll(s, "2"); err == nil {
		t.Error("one number is read")
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
			for _, line := range r.Narrate(nil, s, next, a, roll) {
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
