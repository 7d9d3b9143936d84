package game

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
