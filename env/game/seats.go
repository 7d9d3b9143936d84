package game

import (
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
