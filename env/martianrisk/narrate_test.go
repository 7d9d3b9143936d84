package martianrisk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/game/message"
	"marsgym/env/martianrisk"
)

// TestRolls compares rolls with all throws of four-sided dice.
func TestRolls(t *testing.T) {
	r := rules(t, toy(nil))
	for _, position := range []string{
		"2-1@1 battle A>B start 0 ; B:2 C:1LMS ; A:3LM round 2",
		"1-2@1 roll start 0 ; A:3 ; B:2LMS C:2 round 1", // nothing can be placed
		"2-1@0 roll start 0 ; A:1 C:1 ; B:3 round 1",
	} {
		s, err := r.Parse(position)
		if err != nil {
			t.Fatal(err)
		}
		if err := gametest.CheckRolls(r, s, func(yield func(string, float64) bool) {
			for x := range 256 {
				if strings.Contains(position, "battle") {
					yield(fmt.Sprintf("%d %d %d %d", x%4+1, x/4%4+1, x/16%4+1, x/64+1), 1./256)
				} else if x < 4 {
					yield(fmt.Sprint(x+1), 1./4)
				}
			}
		}); err != nil {
			t.Errorf("%s: %v", position, err)
		}
	}
}

// TestBeginner: the totals of the seats decide who begins.
func TestBeginner(t *testing.T) {
	r := rules(t, toy(func(c *martianrisk.Config) { c.FirstPlayer = martianrisk.FirstRandom }))
	s := r.Initial()
	next, err := r.ReadRoll(s, "5 5 2 8")
	if err != nil || next.Start != 1 {
		t.Fatalf("seat %d begins, %v; want seat 1", next.Start, err)
	}
	want := "seats 0 and 1 roll 5 5: seats 0 and 1 tie and roll again|seats 0 and 1 roll 2 8: seat 1 begins"
	if got := strings.Join(message.Speaker{}.SayAll(r.Narrate(nil, s, next, 0, "5 5 2 8")), "|"); got != want {
		t.Errorf("%s; want %s", got, want)
	}
	for _, o := range r.Outcomes(nil, s) {
		if next, err := r.ReadRoll(s, r.DrawRoll(s, o.State, rand.NewPCG(2, 2))); err != nil || next != o.State {
			t.Errorf("the roll for %s leads to %s, %v", r.Format(o.State), r.Format(next), err)
		}
	}
	if _, err := r.ReadRoll(s, "1 5"); err == nil || !strings.Contains(err.Error(), "want numbers from 2 to 8") {
		t.Errorf("a total of 1: %v", err)
	}
}

func TestNarrate(t *testing.T) {
	r := rules(t, toy(nil))
	for _, tt := range []struct {
		position, move string
		want           []string
	}{
		{"2-1@1 battle A>B start 0 ; B:2L C:1 ; A:3LM round 2", "3 4 1 2", []string{"A 3+4 and tower 2 = 9 against B 1+2 and tower 1 = 4", "battle won: B loses an army, 1 left"}},
		{"2-1@1 battle A>B start 0 ; B:2 C:1LMS ; A:3LM round 2", "1 1 2 2", []string{"A 1+1 and tower 2 = 4 against B 2+2 = 4", "a tie: the defender wins", "battle lost: A loses an army, 2 left"}},
		{"1-2@1 battle B>A start 0 ; A:1L ; B:3LM C:1 round 1", "4 4 1 1", []string{
			"B 4+4 and tower 2 = 10 against A 1+1 and tower 1 = 3", "battle won: A falls to seat 1, and seat 0 is out",
			"the tower in A goes back to seat 0's supply: the large piece", "one army moves into A", "seat 1 has all regions"}},
		{"1-2@1 battle B>A start 0 ; A:4 ; B:2LMS C:1 round 1", "4 4 1 1", []string{"B 4+4 and tower 3 = 11 against A 1+1 = 2", "battle won: A loses an army, 3 left"}},
		{"2-1@1 battle B>A start 0 ; A:1 C:1 ; B:3 round 1", "4 4 1 1", []string{
			"B 4+4 = 8 against A 1+1 = 2", "battle won: A falls to seat 1", "seat 0 no longer has all of union a"}},
		{"2-1@0 roll start 0 ; A:1 C:1 ; B:3 round 1", "2", []string{"seat 0 rolls a 2, and 1 for unions: 3 points; a new tower needs a 3 or 4"}},
		{"2-1@0 roll start 0 ; A:1 B:1 ; C:3 round 1", "1", []string{"seat 0 rolls a 1: 1 point"}},
		{"1-2@1 roll start 0 ; A:3 ; B:2LMS C:2 round 1", "3", []string{"seat 1 rolls a 3: 3 points; nothing can be placed"}},
		{"1-2@0 reinforce 3 start 0 ; A:1 ; B:2LMS C:1 round 1", "end", []string{"points that seat 0 does not spend: 3"}},
		{"1-2@1 battle B>A start 0 ; A:4L ; B:2 C:1 round 2", "1 1 4 4", []string{
			"B 1+1 = 2 against A 4+4 and tower 1 = 9", "battle lost: B loses an army, 1 left",
			"2 rounds are over; most regions win, then armies and tower points:",
			"  seat 1: 2 regions, 2 armies and 0 tower points are 2", "  seat 0: 1 region, 4 armies and 3 tower points are 7"}},
	} {
		s, err := r.Parse(tt.position)
		if err != nil {
			t.Error(err)
			continue
		}
		var a game.Action
		next, err := r.ReadRoll(s, tt.move)
		if r.CurrentPlayer(s) >= 0 {
			a = action(t, r, tt.move)
			next, err = r.Apply(s, a)
		}
		if err != nil {
			t.Errorf("%s, %s: %v", tt.position, tt.move, err)
			continue
		}
		if got := (message.Speaker{}).SayAll(r.Narrate(nil, s, next, a, tt.move)); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s:\n%q; want\n%q", tt.position, tt.move, got, tt.want)
		}
	}
}
