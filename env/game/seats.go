package game

import (
	"slices"
	"strconv"
	"strings"
)

// Values of all seats come in two orders: by seat, and in the order of play from a
// mover, whose own value is first. Networks use the second, all else the first.

// SeatOrder writes values [P] in the order of play from mover to dst [P] by seat.
func SeatOrder[D, V uint8 | float32 | float64](dst []D, values []V, mover Player) {
	p := len(values)
	for j, v := range values {
		dst[(int(mover)+j)%p] = D(v)
	}
}

// MoverOrder writes values [P] by seat to dst [P] in the order of play from mover.
func MoverOrder[D, V uint8 | float32 | float64](dst []D, values []V, mover Player) {
	p := len(values)
	for j := range values {
		dst[j] = D(values[(int(mover)+j)%p])
	}
}

// NextSeat returns the seat that plays after seat.
func NextSeat(seat uint8, players int) uint8 {
	if seat++; int(seat) == players {
		return 0
	}
	return seat
}

// OrderSeats returns the seats in an order; equal ones stay in the order of play.
func OrderSeats(players int, compare func(a, b int) int) []int {
	order := make([]int, players)
	for seat := range order {
		order[seat] = seat
	}
	slices.SortStableFunc(order, compare)
	return order
}

// JoinSeats returns the numbers of all seats with hyphens between, as at the start of a
// position (see [TurnSeat]).
func JoinSeats(players int, number func(seat int) int) string {
	parts := make([]string, players)
	for seat := range parts {
		parts[seat] = strconv.Itoa(number(seat))
	}
	return strings.Join(parts, "-")
}

// TurnSeat returns the seat whose turn it is in a position written with a number for each seat,
// @ and that seat, such as "13-17@1 aside T3"; -1 if the notation names none.
func TurnSeat(position string) int {
	first, _, _ := strings.Cut(position, " ")
	numbers, name, _ := strings.Cut(first, "@")
	seat, err := strconv.Atoi(name)
	if err != nil || seat > strings.Count(numbers, "-") {
		return -1
	}
	return seat
}
