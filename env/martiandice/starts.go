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

// vectors appends the scores with this total at which some place may be to move, as
// ascending numbers: the digits are the scores, of base t.target for the last place and
// t.scores for the others. The last place is below the target, since its turn ends the
// round. A turn leads to the same scores or to a higher total.
func (t *starts) vectors(dst []uint32, total int) []uint32 { return t.extend(dst, 0, 0, total) }

// extend appends the scores whose first i places have the digits v and whose other
// places have this total.
func (t *starts) extend(dst []uint32, i int, v uint32, total int) []uint32 {
	last := t.players - 1
	if i == last {
		return append(dst, v*uint32(t.target)+uint32(total))
	}
	most := (last-i-1)*(t.scores-1) + t.target - 1 // of the places after i
	for n := max(0, total-most); n <= min(total, t.scores-1); n++ {
		dst = t.extend(dst, i+1, v*uint32(t.scores)+uint32(n), total-n)
	}
	return dst
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

// The time that the solver takes at the scores of a start, relative to a turn of a last
// round, which the solver often finds solved. Measured.
const (
	turnWork      = 10 // of a turn at scores below the target
	roundsOfCycle = 3  // of policy iteration there: 3.03 to 3.07 on average for 2 to 4 players
)

// work returns the relative time to solve all starts at these scores.
func (t *starts) work(score [maxPlayers]uint8) int64 {
	if first := t.firstToMove(score); first > 0 {
		return int64(t.players - first)
	}
	return int64(t.players) * roundsOfCycle * turnWork
}

// allWork returns the sum of work over all scores.
func (t *starts) allWork() int64 {
	n := int64(t.players) // number of starts at scores below the target
	for range t.players {
		n *= int64(t.target)
	}
	return int64(t.count()) + n*(roundsOfCycle*turnWork-1)
}
