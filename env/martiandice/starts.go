package martiandice

import "math"

// starts numbers the starts of turns of a game: the scores in the order of play, and
// the place m of the seat to move. A place is the position of a seat in the round:
// place 0 moves first. Places before m have moved in this round and may have any
// score. The others are below the target, since the game would otherwise have ended
// with the last round.
type starts struct {
	players, target, scores int
	first                   [maxPlayers + 1]int // [P+1]; number of the first start with place m to move
}

func newStarts(cfg Config) starts {
	t := starts{players: cfg.Players, target: cfg.Target, scores: cfg.maxScore() + 1}
	for m := range cfg.Players {
		n := 1
		for i := range cfg.Players {
			if n > math.MaxInt/4096 { // far above maxStarts; avoids an overflow
				n = math.MaxInt / 4096
				break
			}
			n *= t.radix(i, m)
		}
		t.first[m+1] = t.first[m] + n
	}
	return t
}

// radix returns one more than the highest score of place i while place m is to move.
func (t *starts) radix(i, m int) int {
	if i < m {
		return t.scores
	}
	return t.target
}

// count returns the number of starts. It is exact up to maxStarts.
func (t *starts) count() int { return t.first[t.players] }

// index returns the number of a start.
func (t *starts) index(score []uint8, m int) int {
	n := 0
	for i := range t.players {
		n = n*t.radix(i, m) + int(score[i])
	}
	return t.first[m] + n
}

// at returns the start of number n.
func (t *starts) at(n int) (score [maxPlayers]uint8, m int) {
	for n >= t.first[m+1] {
		m++
	}
	n -= t.first[m]
	for i := t.players - 1; i >= 0; i-- {
		score[i] = uint8(n % t.radix(i, m))
		n /= t.radix(i, m)
	}
	return score, m
}

// firstToMove returns the first place that may be to move at these scores. The places
// before it have ended their last turn.
func (t *starts) firstToMove(score [maxPlayers]uint8) int {
	first := 0
	for i := range t.players {
		if int(score[i]) >= t.target {
			first = i + 1
		}
	}
	return first
}

// totals returns the number of total scores at which some place may be to move.
func (t *starts) totals() int { return (t.players-1)*(t.scores-1) + t.target }

// vectors lists the scores at which some place may be to move, as numbers of base
// t.scores, by their total. A turn leads to the same scores or to a higher total.
// The last place is below the target, since its turn ends the round.
func (t *starts) vectors() [][]uint32 {
	n := t.target
	for range t.players - 1 {
		n *= t.scores
	}
	list := make([][]uint32, t.totals())
	for v := range uint32(n) {
		total := 0
		for i, x := 0, v; i < t.players; i++ {
			radix := uint32(t.scores)
			if i == 0 {
				radix = uint32(t.target)
			}
			total += int(x % radix)
			x /= radix
		}
		list[total] = append(list[total], v)
	}
	return list
}

// vector returns the scores that v, an element of vectors, stands for.
func (t *starts) vector(v uint32) (score [maxPlayers]uint8) {
	for i := t.players - 1; i >= 0; i-- {
		radix := uint32(t.scores)
		if i == t.players-1 {
			radix = uint32(t.target)
		}
		score[i] = uint8(v % radix)
		v /= radix
	}
	return score
}
