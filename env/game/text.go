package game

import (
	"strconv"
	"strings"

	"marsgym/env/game/message"
)

// ReadDice reads n dice with numbers from 1 to faces, for [Presenter.ReadRoll].
func ReadDice(text string, n, faces int) (dice []int, err error) {
	for w := range strings.FieldsSeq(text) {
		x, err := strconv.Atoi(w)
		if err != nil || x < 1 || x > faces || len(dice) == n {
			dice = nil
			break
		}
		dice = append(dice, x)
	}
	if len(dice) != n {
		return nil, message.NewError("want.dice", n, faces)
	}
	return dice, nil
}

// Standing compares the points of a seat with the most of another, for
// [MistakeLabeler.Situation]: "early, ahead" or, once a seat has late points, "late, ahead".
func Standing(points []uint8, seat uint8, late int) string {
	own, other := points[seat], uint8(0)
	for i, n := range points {
		if i != int(seat) {
			other = max(other, n)
		}
	}
	when := "early, "
	if int(max(own, other)) >= late {
		when = "late, "
	}
	switch {
	case own > other:
		return when + "ahead"
	case own < other:
		return when + "behind"
	}
	return when + "level"
}
