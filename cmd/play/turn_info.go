package main

import (
	"strings"

	"marsgym/env"
	"marsgym/env/game"
)

// turnInfo is the turn of a position, read from notations that start with a number for
// each seat, @ and the seat whose turn it is, such as "13-17@1 aside T3 round 4".
type turnInfo struct {
	seat  int    // whose turn it is; -1 between turns or if the notation does not name it
	count string // of turns or rounds, if the notation has it
}

func turnOf(p env.Position) turnInfo {
	text := p.String()
	t := turnInfo{seat: game.TurnSeat(text)}
	if t.seat < 0 {
		return t
	}
	_, rest, _ := strings.Cut(text, " ")
	for _, word := range []string{"turns ", "round "} {
		if i := strings.LastIndex(rest, word); i >= 0 {
			t.count = rest[i:]
		}
	}
	return t
}
