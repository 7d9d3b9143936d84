// Package firstplayer shows and reads the dice by which players decide who starts: each seat
// rolls, and those who tie for the highest roll again, until one is left.
package firstplayer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Throw is one roll of each seat that takes part.
type Throw struct {
	Seats   []int // ascending
	Numbers []int // what each of them rolls
}

// highest returns the seats with the highest number.
func (t Throw) highest() (seats []int) {
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
	left := make([]int, players)
	for i := range left {
		left[i] = i
	}
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
	left := make([]int, players)
	for i := range left {
		left[i] = i
	}
	for len(throws) == 0 || len(left) > 1 {
		t := Throw{Seats: left}
		if len(words) < len(left) {
			if len(throws) > 0 {
				return nil, 0, fmt.Errorf("seats %s tie; add what each of them rolls next", seats(left))
			}
			return nil, 0, fmt.Errorf("want a number from %d to %d for each of %d seats, with spaces between", low, high, players)
		}
		for _, w := range words[:len(left)] {
			n, err := strconv.Atoi(w)
			if err != nil || n < low || n > high {
				return nil, 0, fmt.Errorf("want numbers from %d to %d, with spaces between", low, high)
			}
			t.Numbers = append(t.Numbers, n)
		}
		throws, words, left = append(throws, t), words[len(left):], t.highest()
	}
	if len(words) > 0 {
		return nil, 0, errors.New("there are more numbers than rolls")
	}
	return throws, left[0], nil
}

// Lines describes throws; does is what the winner does, such as "starts".
func Lines(throws []Throw, does string) (lines []string) {
	for _, t := range throws {
		end := "seats " + seats(t.highest()) + " tie and roll again"
		if list := t.highest(); len(list) == 1 {
			end = fmt.Sprintf("seat %d %s", list[0], does)
		}
		lines = append(lines, fmt.Sprintf("seats %s roll %s: %s", seats(t.Seats), seats(t.Numbers), end))
	}
	return lines
}

// seats lists numbers.
func seats(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }
