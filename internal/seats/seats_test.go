package seats_test

import (
	"slices"
	"testing"

	"marsgym/internal/seats"
)

// TestNames puts texts of the games into the words of a person at seat 0, who plays against a level.
func TestNames(t *testing.T) {
	n := seats.Names{seats.You, "Level 2", "Level 3"}
	for text, want := range map[string]string{
		"seat 0 rolls or holds":                                              "you roll or hold",
		"seat 1 rolls or holds":                                              "Level 2 rolls or holds",
		"a 1 ends the turn: seat 0 loses 5 points and has 10":                "a 1 ends the turn: you lose 5 points and have 10",
		"seat 0 begins its turn with a roll":                                 "you begin your turn with a roll",
		"points: seat 1 26, seat 0 14":                                       "points: Level 2 26, you 14",
		"seats 0, 1 tie and roll 13 dice each":                               "you and Level 2 tie and roll 13 dice each",
		"seats 0 1 2 roll 6 6 5: seats 0 1 tie and roll again":               "you, Level 2 and Level 3 roll 6 6 5: you and Level 2 tie and roll again",
		"seat 1 rolls 6 5 against seat 0's 4, 6 with the shield":             "Level 2 rolls 6 5 against your 4, 6 with the shield",
		"attack won: seat 0's robot takes c4, seat 1 gets its robot back":    "attack won: your robot takes c4, Level 2 gets its robot back",
		"attack won: seat 1's robot takes c4, seat 0 gets its robot back":    "attack won: Level 2's robot takes c4, you get your robot back",
		"attack failed: seat 1 keeps c4, seat 0 loses a robot from its hand": "attack failed: Level 2 keeps c4, you lose a robot from your hand",
		"supply: seat 0: hand 5 (+2)":                                        "supply: you: hand 5 (+2)",
		"over: seat 0 wins":                                                  "over: you win",
		"round 1 of 3: seat 0 places, attacks or passes":                     "round 1 of 3: you place, attack or pass",
		"seat 0 has 3 tanks against 4 rays, 2 humans":                        "you have 3 tanks against 4 rays, 2 humans",
		"points   \x1b[2mseat 0\x1b[0m: 2 <":                                 "points   \x1b[2myou\x1b[0m: 2 <",
		"seat 0 occupies north, reinforces, adds 2, spends 3 and passes":     "you occupy north, reinforce, add 2, spend 3 and pass",
		"seat 0 reaches 25, does nothing, is first and keeps its points":     "you reach 25, do nothing, are first and keep your points",
		"seat 0 chooses rays, trades, buys a robot, pays 2 and moves":        "you choose rays, trade, buy a robot, pay 2 and move",
		"seat 0 stops, names a seat, takes 1, gets 2, starts and wins":       "you stop, name a seat, take 1, get 2, start and win",
		"pieces of seats 0 and 1":                                            "pieces of you and Level 2",
	} {
		if got := n.In(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := (seats.Names{"seat 1", "seat 2"}).In("seat 1 loses its turn, seat 0 rolls"); got != "seat 2 loses its turn, seat 1 rolls" {
		t.Errorf("several people read %q", got)
	}
}

func TestCall(t *testing.T) {
	for _, tt := range []struct{ agents, want []string }{
		{[]string{"", "greedy"}, []string{"you", "greedy"}},
		{[]string{"exact", "", "greedy", ""}, []string{"exact", "player 2", "greedy", "player 4"}},
		{[]string{"greedy", "", "greedy", "random"}, []string{"greedy A", "you", "greedy B", "random"}},
	} {
		if got := seats.Call(tt.agents, "player %d", "%s %c"); !slices.Equal(got, tt.want) {
			t.Errorf("%q are called %q, want %q", tt.agents, got, tt.want)
		}
	}
}
