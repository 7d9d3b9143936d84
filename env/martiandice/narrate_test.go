package martiandice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game/gametest"
	"marsgym/env/game/message"
	"marsgym/env/martiandice"
)

// ordinary yields all throws of n ordinary dice, as faces.
func ordinary(n int, yield func(faces string)) {
	if n == 0 {
		yield("")
		return
	}
	ordinary(n-1, func(rest string) {
		for face := 1; face <= 6; face++ {
			yield(rest + fmt.Sprint(face))
		}
	})
}

// TestRolls compares rolls with all throws of ordinary dice: rolls that end the turn, and
// roll-offs, above all.
func TestRolls(t *testing.T) {
	cfg := martiandice.DefaultConfig()
	cfg.Players, cfg.TieDice = 3, 2
	r := newRules(t, cfg)
	canonical := func(faces string) string {
		var b strings.Builder
		for i, letter := range "trhck" {
			n := strings.Count(faces, []string{"1", "2", "4", "5", "6"}[i])
			if letter == 'r' {
				n += strings.Count(faces, "3")
			}
			if n > 0 {
				fmt.Fprintf(&b, "%c%d", letter, n)
			}
		}
		return b.String()
	}
	for _, position := range []string{"3-5-0@0 aside T3R2H4C1 rolling", "3-5-0@0 aside T3R2H4K1 rolling", "23-5-0@0 aside T2R2H4C1K1 rolling"} {
		s := parse(t, r, position)
		n := 13
		for _, k := range s.Aside {
			n -= int(k)
		}
		if err := gametest.CheckRolls(r, s, func(yield func(string, float64) bool) {
			p := 1.0
			for range n {
				p /= 6
			}
			ordinary(n, func(faces string) { yield(canonical(faces), p) })
		}); err != nil {
			t.Errorf("%s: %v", position, err)
		}
	}
	for _, position := range []string{"27-27-20 tie 0,1", "27-27-27 tie 0,1,2"} {
		s := parse(t, r, position)
		tied := strings.Count(position, ",") + 1
		if err := gametest.CheckRolls(r, s, func(yield func(string, float64) bool) {
			rays := []float64{4. / 9, 4. / 9, 1. / 9} // of two dice
			for x := range 27 {
				list, p := []string{}, 1.0
				for _, n := range []int{x % 3, x / 3 % 3, x / 9}[:tied] {
					list, p = append(list, fmt.Sprint(n)), p*rays[n]
				}
				if tied == 3 || x < 9 {
					yield(strings.Join(list, " "), p)
				}
			}
		}); err != nil {
			t.Errorf("%s: %v", position, err)
		}
	}
}

// TestReadRoll: the forms in which people type dice.
func TestReadRoll(t *testing.T) {
	r := newRules(t, martiandice.DefaultConfig())
	s := parse(t, r, "0-0@0 aside T2R2H4 rolling")
	want, err := r.ReadRoll(s, "t1r2c1k1")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"T1 R2 C1 K1", "t r r c k", "trrck", "r1,r1,t1,k,c", "12356", "5 6 1 2 3"} {
		if got, err := r.ReadRoll(s, text); err != nil || got != want {
			t.Errorf("%q leads to %s, %v", text, r.Format(got), err)
		}
	}
	for text, want := range map[string]string{
		"t1 r2": "these are 3 dice, and 5 are rolled", "trrckk": "these are 6 dice", "x5": "want dice such as",
		"12357": "want dice such as", "r99999999999999999999": "want dice", "r9223372036854775807": "want dice", "t13r13": "these are 26 dice",
	} {
		if _, err := r.ReadRoll(s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// TestRollExample types the roll that the question and the error give as an example.
func TestRollExample(t *testing.T) {
	r := newRules(t, martiandice.DefaultConfig())
	for _, position := range []string{"0-0@0 aside T2R2H2 rolling", "0-0@0 aside T2R2H4 rolling", "0-0@0 aside T2R6H4 rolling", "0-0@0 aside R1 rolling"} {
		s := parse(t, r, position)
		_, err := r.ReadRoll(s, "x")
		if err == nil || !strings.Contains(err.Error(), "want dice such as ") {
			t.Fatalf("%s: the roll x: %v", position, err)
		}
		for _, text := range []string{r.AskRoll(s).String(), err.Error()} {
			_, text, _ = strings.Cut(text, "such as ")
			text, _, _ = strings.Cut(text, " (")
			if _, err := r.ReadRoll(s, text); err != nil {
				t.Errorf("%s: the example %q: %v", position, text, err)
			}
		}
	}
}

func TestNarrate(t *testing.T) {
	r := newRules(t, martiandice.DefaultConfig())
	for _, tt := range []struct {
		position, move string
		want           []string
	}{
		{"3-5@0 aside T2R2H4 rolling", "t1r2c1k1", []string{"1 tank, 2 rays, 1 cow, 1 chicken"}},
		{"3-5@0 aside T2R2H4 rolling", "t1h4", []string{"1 tank, 4 humans", "no type can be set aside, which ends the turn", "seat 0 has 3 tanks against 2 rays, 4 humans", "0 points, since there are more tanks than rays; total 3"}},
		{"3-5@0 aside T2R3H4 rolling", "t1h3", []string{"1 tank, 3 humans", "no type can be set aside, which ends the turn", "seat 0 has 3 tanks against 3 rays, 4 humans", "4 points; total 7"}},
		{"3-5@0 aside T2R3H4C1K2", "stop", []string{"seat 0 has 2 tanks against 3 rays, 4 humans, 1 cow, 2 chickens", "10 points, 3 of them for one of each; total 13"}},
		{"21-5@0 aside T2R3H4", "stop", []string{"seat 0 has 2 tanks against 3 rays, 4 humans", "4 points; total 25", "25 points are reached: the round is played to its end"}},
		{"20-21@0 aside T2R3H4", "roll", []string{}},
		{"26-21@1 aside T2R3H4", "stop", []string{"seat 1 has 2 tanks against 3 rays, 4 humans", "4 points; total 25", "the last round is over", "points: seat 0 26, seat 1 25"}},
		{"25-21@1 aside T2R3H4", "stop", []string{"seat 1 has 2 tanks against 3 rays, 4 humans", "4 points; total 25", "the last round is over: seats 0 and 1 tie and roll 6 dice each"}},
		{"25-25 tie 0,1", "3 3", []string{"seat 0 rolls 3 rays, seat 1 rolls 3 rays", "seats 0 and 1 tie and roll again"}},
		{"25-25 tie 0,1", "2 3", []string{"seat 0 rolls 2 rays, seat 1 rolls 3 rays", "points: seat 1 25, seat 0 25"}},
	} {
		s := parse(t, r, tt.position)
		next, err := r.ReadRoll(s, tt.move)
		a := martiandice.Stop
		if r.CurrentPlayer(s) >= 0 {
			if tt.move == "roll" {
				a = martiandice.Roll
			}
			next, err = r.Apply(s, a)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := (message.Speaker{}).SayAll(r.Narrate(nil, s, next, a, tt.move)); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s:\n%q; want\n%q", tt.position, tt.move, got, tt.want)
		}
	}
}
