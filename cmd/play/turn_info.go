package main

import (
	"strconv"
	"strings"

	"marsgym/env"
)

// sheet is what the notation of a position says of its turn, where it begins
// with a number for each seat, and behind @ the seat whose turn it is, as in
// "13-17@1 aside T3 round 4".
type sheet struct {
	seat  int    // whose turn it is; -1 where it is nobody's, or is not told
	count string // of turns or rounds, where they are counted
}

func sheetOf(p env.Position) sheet {
	first, rest, _ := strings.Cut(p.String(), " ")
	numbers, name, _ := strings.Cut(first, "@")
	seat, err := strconv.Atoi(name)
	if err != nil || seat > strings.Count(numbers, "-") {
		return sheet{seat: -1}
	}
	s := sheet{seat: seat}
	for _, word := range []string{"turns ", "round "} {
		if i := strings.LastIndex(rest, word); i >= 0 {
			s.count = rest[i:]
		}
	}
	return s
}
