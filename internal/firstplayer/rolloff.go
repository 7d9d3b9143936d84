// Package firstplayer shows and reads the dice by which players decide who starts: each seat
// rolls, and those who tie for the highest roll again, until one is left.
package firstplayer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"marsgym/env/game/message"
)

// Throw is one roll of each seat that takes part.
type Throw struct {
	Seats   []message.Seat // ascending
	Numbers []int          // what each of them rolls
}

func (t Throw) highest() (seats []message.Seat) {
	best := slices.Max(t.Numbers)
	for i, n := range t.Numbers {
		if n == best {
			seats = append(seats, t.Seats[i])
		}
	}
	return seats
}

// Draw draws what the seats roll if winner wins, each number by roll. Its text is read by
// [Read]: the numbers, throw by throw.
//
// The seats roll alike. So the dice of a draw that another seat has won, with those of
// the two seats exchanged, are distributed as the dice given that winner wins.
func Draw(players, winner int, roll func() int) string {
	var throws [][]int // [throws, players]; 0 for a seat that does not roll
	left := seats(players)
	for len(throws) == 0 || len(left) > 1 {
		t, numbers := Throw{Seats: left}, make([]int, players)
		for _, seat := range left {
			numbers[seat] = roll()
			t.Numbers = append(t.Numbers, numbers[seat])
		}
		throws, left = append(throws, numbers), t.highest()
	}
	var list []string
	for _, numbers := range throws {
		numbers[left[0]], numbers[winner] = numbers[winner], numbers[left[0]]
		for _, n := range numbers {
			if n != 0 {
				list = append(list, strconv.Itoa(n))
			}
		}
	}
	return strings.Join(list, " ")
}

// Read reads numbers from low to high, throw by throw, and returns the throws and the seat
// that wins.
func Read(text string, players, low, high int) (throws []Throw, winner int, err error) {
	words := strings.Fields(text)
	left := seats(players)
	for len(throws) == 0 || len(left) > 1 {
		t := Throw{Seats: left}
		if len(words) < len(left) {
			if len(throws) > 0 {
				return nil, 0, message.NewError("first.want-more", left)
			}
			return nil, 0, message.NewError("first.want-each", low, high, players)
		}
		for _, w := range words[:len(left)] {
			n, err := strconv.Atoi(w)
			if err != nil || n < low || n > high {
				return nil, 0, message.NewError("first.want", low, high)
			}
			t.Numbers = append(t.Numbers, n)
		}
		throws, words, left = append(throws, t), words[len(left):], t.highest()
	}
	if len(words) > 0 {
		return nil, 0, message.NewError("first.want-fewer")
	}
	return throws, int(left[0]), nil
}

// Lines describes throws; does is the key of what the winner does, such as "seat.starts".
func Lines(throws []Throw, does string) (lines []message.Message) {
	for _, t := range throws {
		end := message.New("tie.again", t.highest())
		if list := t.highest(); len(list) == 1 {
			end = message.New(does, list[0])
		}
		lines = append(lines, message.New("first.roll", t.Seats, strings.Trim(fmt.Sprint(t.Numbers), "[]"), end))
	}
	return lines
}

// seats returns all seats of a game.
func seats(players int) []message.Seat {
	list := make([]message.Seat, players)
	for i := range list {
		list[i] = message.Seat(i)
	}
	return list
}
