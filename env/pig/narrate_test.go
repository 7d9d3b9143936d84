package pig_test

import (
	"fmt"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/game/message"
	"marsgym/env/pig"
)

func TestRolls(t *testing.T) {
	r, err := pig.New(pig.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Parse("37-52@0 turn 14 rolling")
	if err != nil {
		t.Fatal(err)
	}
	if err := gametest.CheckRolls(r, s, func(yield func(string, float64) bool) {
		for face := 1; face <= 6; face++ {
			yield(fmt.Sprint(face), 1./6)
		}
	}); err != nil {
		t.Error(err)
	}
}

func TestNarrate(t *testing.T) {
	r, err := pig.New(pig.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ position, move, want string }{
		{"37-52@0 turn 14 rolling", "1", "a 1 ends the turn: seat 0 loses 14 points and has 37"},
		{"37-52@0 turn 14 rolling", "5", "a 5, turn total 19"},
		{"37-52@0 turn 60 rolling", "5", "a 5; seat 0 reaches 100 with 102 points"},
		{"37-52@0 turn 14", "hold", "seat 0 has 51 points"},
		{"37-52@0 turn 14", "roll", ""},
	} {
		s, err := r.Parse(tt.position)
		if err != nil {
			t.Fatal(err)
		}
		a := game.Action(0)
		if tt.move == "hold" {
			a = pig.Hold
		}
		next, err := r.Apply(s, a)
		if s.Phase == pig.Rolling {
			next, err = r.ReadRoll(s, tt.move)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(message.Speaker{}.SayAll(r.Narrate(nil, s, next, a, tt.move)), "; "); got != tt.want {
			t.Errorf("%s, %s: %s; want %s", tt.position, tt.move, got, tt.want)
		}
	}
}
