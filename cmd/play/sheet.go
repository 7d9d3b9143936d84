package main

import (
	"strconv"
	"strings"

	"marsgym/env"
)

// sheet is what the notation of a position says of its turn, where it begins as
// those of dice games do: the scores in seat order, and behind @ the seat whose
// turn it is, as in "13-17@1 aside T3 round 4".
type sheet struct {
	scores []int
	seat   int    // whose turn it is; -1 where it is nobody's, or is not told
	count  string // of turns or rounds, where they are counted
}

func sheetOf(p env.Position) sheet {
	first, rest, _ := strings.Cut(p.String(), " ")
	scores, seat, running := strings.Cut(first, "@")
	var s sheet
	for part := range strings.SplitSeq(scores, "-") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return sheet{seat: -1}
		}
		s.scores = append(s.scores, n)
	}
	var err error
	if s.seat, err = strconv.Atoi(seat); err != nil || !running || s.seat >= len(s.scores) {
		s.seat = -1
	}
	for _, word := range []string{"turns ", "round "} {
		if i := strings.LastIndex(rest, word); i >= 0 {
			s.count = rest[i:]
		}
	}
	return s
}
