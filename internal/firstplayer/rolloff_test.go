package firstplayer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game/message"
	"marsgym/internal/firstplayer"
)

// TestDraw compares draws given the winner with those of all draws that this seat has won.
func TestDraw(t *testing.T) {
	const players, sides, draws = 3, 3, 60_000
	r := rand.New(rand.NewPCG(1, 1))
	roll := func() int { return r.IntN(sides) + 1 }
	wins := [players]int{}
	given, free := map[string]int{}, map[string]int{} // by text, where seat 2 wins
	for range draws {
		text := firstplayer.Draw(players, 2, roll)
		if _, winner, err := firstplayer.Read(text, players, 1, sides); err != nil || winner != 2 {
			t.Fatalf("%q: seat %d wins, %v", text, winner, err)
		}
		given[text]++
		var all []string // the first throws of real dice
		left := []int{0, 1, 2}
		for len(all) == 0 || len(left) > 1 {
			numbers := make([]int, len(left))
			for i := range numbers {
				numbers[i] = roll()
				all = append(all, fmt.Sprint(numbers[i]))
			}
			var next []int
			for i, n := range numbers {
				if n == slices.Max(numbers) {
					next = append(next, left[i])
				}
			}
			left = next
		}
		wins[left[0]]++
		if left[0] == 2 {
			free[strings.Join(all, " ")]++
		}
	}
	for text, n := range free {
		want := float64(n) / float64(wins[2])
		got := float64(given[text]) / draws
		if n >= 200 && !(got > 0.75*want && got < 1.3*want) {
			t.Errorf("%q is drawn with the frequency %v, want %v", text, got, want)
		}
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"3 5 1":             "seats 0, 1 and 2 roll 3 5 1: seat 1 starts",
		" 6 2 6  4 4 1 5 ":  "seats 0, 1 and 2 roll 6 2 6: seats 0 and 2 tie and roll again|seats 0 and 2 roll 4 4: seats 0 and 2 tie and roll again|seats 0 and 2 roll 1 5: seat 2 starts",
		"2 2 2 3 1 1":       "seats 0, 1 and 2 roll 2 2 2: seats 0, 1 and 2 tie and roll again|seats 0, 1 and 2 roll 3 1 1: seat 0 starts",
		"":                  "want a number from 1 to 6 for each of 3 seats",
		"1":                 "want a number from 1 to 6 for each of 3 seats",
		"1 2 7":             "want numbers from 1 to 6",
		"1 x 2":             "want numbers from 1 to 6",
		"5 5 2":             "seats 0 and 1 tie; add what each of them rolls next",
		"5 5 2 3":           "seats 0 and 1 tie; add what each of them rolls next",
		"3 5 1 2":           "there are more numbers than rolls",
		"99999999999999999": "want a number from 1 to 6 for each of 3 seats",
	} {
		throws, _, err := firstplayer.Read(text, 3, 1, 6)
		got := strings.Join(message.Speaker{}.SayAll(firstplayer.Lines(throws, "seat.starts")), "|")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || err == nil && got != want {
			t.Errorf("%q: %s; want %s", text, got, want)
		}
	}
}
