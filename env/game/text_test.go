package game_test

import (
	"slices"
	"testing"

	"marsgym/env/game"
)

// TestStanding compares a seat with the best other one; it is late as soon as any seat has late
// points.
func TestStanding(t *testing.T) {
	for _, tt := range []struct {
		points []uint8
		seat   uint8
		want   string
	}{
		{[]uint8{5, 3, 4}, 0, "early, ahead"}, {[]uint8{5, 3, 4}, 1, "early, behind"}, {[]uint8{5, 3, 5}, 2, "early, level"},
		{[]uint8{9, 3, 4}, 0, "early, ahead"}, {[]uint8{10, 3, 4}, 0, "late, ahead"}, {[]uint8{10, 3, 4}, 2, "late, behind"},
		{[]uint8{9, 9}, 1, "early, level"}, {[]uint8{11, 11}, 0, "late, level"}, {[]uint8{0, 0}, 0, "early, level"}, {[]uint8{3}, 0, "early, ahead"},
	} {
		if got := game.Standing(tt.points, tt.seat, 10); got != tt.want {
			t.Errorf("seat %d of %v is %q; want %q", tt.seat, tt.points, got, tt.want)
		}
	}
}

func TestNumberFaces(t *testing.T) {
	if got, want := game.NumberFaces(0, 2), []game.SceneFace{{Text: "0", Name: "0"}, {Text: "1", Name: "1"}, {Text: "2", Name: "2"}}; !slices.Equal(got, want) {
		t.Errorf("the faces are %v; want %v", got, want)
	}
}

// TestTurnSeat reads the seat of positions in the notation of the games.
func TestTurnSeat(t *testing.T) {
	for position, want := range map[string]int{
		"13-17@1 aside T3": 1, "13-17@0": 0, "13-17@2": -1, "1-2-3@2 roll R1": 2, "0@0": 0, "0@1": -1,
		"27-28 over 1": -1, "13-17": -1, "13-17@": -1, "13-17@x": -1, "": -1, "5-5 over @1": -1,
	} {
		if got := game.TurnSeat(position); got != want {
			t.Errorf("%q: seat %d; want %d", position, got, want)
		}
	}
}

// TestSeats: seats follow each other in a circle, and those that compare as equal stay in order.
func TestSeats(t *testing.T) {
	for players := 1; players <= 4; players++ {
		for seat := range players {
			if got := game.NextSeat(uint8(seat), players); int(got) != (seat+1)%players {
				t.Errorf("of %d players seat %d follows %d", players, got, seat)
			}
		}
	}
	points := []int{2, 3, 2, 3}
	if got := game.OrderSeats(4, func(a, b int) int { return points[b] - points[a] }); !slices.Equal(got, []int{1, 3, 0, 2}) {
		t.Errorf("the order is %v", got)
	}
	if got := game.JoinSeats(3, func(seat int) int { return 10 * seat }); got != "0-10-20" {
		t.Errorf("the seats are %q", got)
	}
}
