package tablegame

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"marsgym/env/game"
	"marsgym/internal/input"
	"marsgym/internal/kernel/elementary"
)

// sumTolerance is the largest difference between 1 and the sum of the probabilities of a chance
// state. Chosen: sums of 65,535 numbers of float64 that were divided by their sum stay far below.
const sumTolerance = 1e-9

// maxActions is the largest number of action numbers, which are 16 bits wide.
const maxActions = math.MaxUint16 + 1

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// check returns the first fault of a table. Its text names the state.
func (t *Table) check() error {
	for _, step := range []func() error{t.checkSizes, t.checkStates, t.checkReturns, t.checkObservation, t.checkTexts, t.checkChance, t.checkEnds, t.checkStart} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkSizes checks all that needs no look at the states.
func (t *Table) checkSizes() error {
	n := len(t.Mover)
	switch {
	case !validName.MatchString(t.Name):
		return fmt.Errorf("the name is %s; want up to 64 lower-case letters, digits, - and _", input.Quote(t.Name))
	case strings.ContainsFunc(t.About, unicode.IsControl) || !utf8.ValidString(t.About):
		return fmt.Errorf("the line about the game is %s; want one line of UTF-8", input.Quote(t.About))
	case t.Players < 1 || t.Players > math.MaxInt8:
		return fmt.Errorf("it is for %d players; want 1 to %d", t.Players, math.MaxInt8)
	case t.Actions < 1 || t.Actions > maxActions:
		return fmt.Errorf("it has %d action numbers; want 1 to %d", t.Actions, maxActions)
	case t.MoveLimit < 0 || t.MoveLimit > math.MaxInt32:
		return fmt.Errorf("the limit of moves is %d; want 0 to %d", t.MoveLimit, math.MaxInt32)
	case n == 0 || n > math.MaxInt32:
		return fmt.Errorf("it has %d states; want 1 to %d", n, math.MaxInt32)
	case len(t.First) != n || len(t.Count) != n:
		return fmt.Errorf("player has %d states, first %d and count %d; want as many", n, len(t.First), len(t.Count))
	case len(t.Action) != len(t.Next):
		return fmt.Errorf("action has %d numbers and next %d; want as many", len(t.Action), len(t.Next))
	case len(t.Outcome) != len(t.Probability):
		return fmt.Errorf("outcome has %d numbers and probability %d; want as many", len(t.Outcome), len(t.Probability))
	case len(t.Returns) == 0 || len(t.Returns)%t.Players != 0:
		return fmt.Errorf("returns has %d numbers; want rows of %d, one for each player", len(t.Returns), t.Players)
	}
	return nil
}

// checkStates checks each state alone.
func (t *Table) checkStates() error {
	var sorted []uint32
	rows := len(t.Returns) / t.Players
	moves, outcomes := uint64(0), uint64(0)
	for i := range t.Mover {
		at, first, n := uint32(i), uint64(t.First[i]), uint64(t.Count[i])
		switch mover := t.Mover[i]; {
		case mover < game.Terminal || int(mover) >= t.Players:
			return fmt.Errorf("state %d: the player is %d; want a seat from 0 to %d, -1 for chance or -2 at the end", i, mover, t.Players-1)
		case mover == game.Terminal && n != 0:
			return fmt.Errorf("state %d is an end with %d successors; want none", i, n)
		case mover == game.Terminal && first >= uint64(rows):
			return fmt.Errorf("state %d is an end with row %d of returns, and there are %d", i, first, rows)
		case mover == game.Terminal:
			continue
		case n == 0 && mover == game.Chance:
			return fmt.Errorf("state %d is a chance state without outcomes; give it outcomes, or make it an end with returns", i)
		case n == 0:
			return fmt.Errorf("state %d has no legal action for seat %d; give it one, or make it an end with returns", i, mover)
		case mover == game.Chance && first+n > uint64(len(t.Outcome)):
			return fmt.Errorf("state %d has outcomes %d to %d, and there are %d", i, first, first+n-1, len(t.Outcome))
		case mover >= 0 && first+n > uint64(len(t.Next)):
			return fmt.Errorf("state %d has actions %d to %d of the list, and it has %d", i, first, first+n-1, len(t.Next))
		}
		if t.Mover[i] == game.Chance {
			outcomes += n
		} else {
			moves += n
		}
		if moves > uint64(len(t.Next)) || outcomes > uint64(len(t.Outcome)) {
			return fmt.Errorf("state %d shares actions or outcomes with another; want a list of its own for each state", i)
		}
		for _, to := range t.Successors(at) {
			if int(to) >= len(t.Mover) {
				return fmt.Errorf("state %d leads to state %d, which is missing: the last is %d", i, to, len(t.Mover)-1)
			}
		}
		if t.Mover[i] >= 0 {
			if err := t.checkActions(at); err != nil {
				return err
			}
			continue
		}
		sum := 0.0
		for _, p := range t.Probability[first : first+n] {
			if !(p > 0 && p <= 1+sumTolerance) {
				return fmt.Errorf("state %d has an outcome of probability %v; want more than 0, and at most 1: leave out outcomes that cannot happen", i, p)
			}
			sum += p
		}
		if !(math.Abs(sum-1) <= sumTolerance) {
			return fmt.Errorf("state %d: the probabilities of its outcomes sum to %v; want 1", i, sum)
		}
		sorted = append(sorted[:0], t.Outcome[first:first+n]...)
		slices.Sort(sorted)
		for k := 1; k < len(sorted); k++ {
			if sorted[k] == sorted[k-1] {
				return fmt.Errorf("state %d has two outcomes that lead to state %d; list it once, with the sum of their probabilities", i, sorted[k])
			}
		}
	}
	return nil
}

// checkActions checks the action numbers of a decision.
func (t *Table) checkActions(at uint32) error {
	list := t.actions(at)
	for k, a := range list {
		switch {
		case int(a) >= t.Actions:
			return fmt.Errorf("state %d has action %d; want 0 to %d", at, a, t.Actions-1)
		case k > 0 && a <= list[k-1]:
			return fmt.Errorf("state %d has action %d after %d; want ascending numbers, each once", at, a, list[k-1])
		}
	}
	return nil
}

// checkReturns checks that all returns are finite.
func (t *Table) checkReturns() error {
	for k, v := range t.Returns {
		if elementary.Finite(v) {
			continue
		}
		row := k / t.Players
		for i, mover := range t.Mover {
			if mover == game.Terminal && int(t.First[i]) == row {
				return fmt.Errorf("state %d ends with a return of %v for seat %d; want a finite number", i, v, k%t.Players)
			}
		}
		return fmt.Errorf("row %d of the returns, which no state has, holds %v; want finite numbers", row, v)
	}
	return nil
}

// checkObservation checks the observations.
func (t *Table) checkObservation() error {
	o := &t.Observation
	given := len(o.Floats) + len(o.Bytes)
	if o.Floats == nil && o.Bytes == nil && o.Len == 0 {
		return nil
	}
	switch {
	case o.Floats != nil && o.Bytes != nil:
		return fmt.Errorf("the observations are both bytes and floats; want one of them")
	case o.Seats != 1 && o.Seats != t.Players:
		return fmt.Errorf("each state has observations of %d seats; want 1 for all, or %d", o.Seats, t.Players)
	case o.Len < 1 || o.Len > math.MaxInt32:
		return fmt.Errorf("an observation has %d numbers; want 1 or more", o.Len)
	case given != len(t.Mover)*o.Seats*o.Len:
		return fmt.Errorf("the observations have %d numbers; want %d: %d states of %d seats with %d each", given, len(t.Mover)*o.Seats*o.Len, len(t.Mover), o.Seats, o.Len)
	}
	for k, x := range o.Floats {
		if !elementary.Finite(float64(x)) {
			return fmt.Errorf("state %d: number %d of its observation is %v; want a finite number", k/(o.Seats*o.Len), k%(o.Seats*o.Len), x)
		}
	}
	return nil
}

// checkTexts checks the texts of states and actions.
func (t *Table) checkTexts() error {
	for _, texts := range []struct {
		of    string
		texts *Texts
		n     int
	}{{"state", &t.StateText, len(t.Mover)}, {"action", &t.ActionText, t.Actions}} {
		x := texts.texts
		if len(x.End) == 0 && len(x.Bytes) == 0 {
			continue
		}
		if texts.of == "action" && len(x.Bytes) > math.MaxUint32 {
			return fmt.Errorf("the texts of actions have %d bytes; want at most %d", len(x.Bytes), math.MaxUint32)
		}
		if len(x.End) != texts.n {
			return fmt.Errorf("there are %d texts of %ss; want %d", len(x.End), texts.of, texts.n)
		}
		from := uint64(0)
		for i, end := range x.End {
			if end < from || end > uint64(len(x.Bytes)) {
				return fmt.Errorf("the text of %s %d ends at byte %d; want %d to %d", texts.of, i, end, from, len(x.Bytes))
			}
			if text := x.Bytes[from:end]; !utf8.Valid(text) || bytes.ContainsFunc(text, control) {
				return fmt.Errorf("the text of %s %d is no UTF-8, or has control characters; the only one allowed is the end of a line", texts.of, i)
			}
			from = end
		}
		if from != uint64(len(x.Bytes)) {
			return fmt.Errorf("the texts of %ss end at byte %d, and there are %d", texts.of, from, len(x.Bytes))
		}
	}
	return nil
}

// control reports whether a character could do more to a terminal than print.
func control(r rune) bool { return r != '\n' && unicode.IsControl(r) }

// checkChance checks that chance does not lead from a state back to it without a decision. Chosen: no
// game that people play has that, and a turn can be planned by following chance to its end.
func (t *Table) checkChance() error {
	if t.Ascends() {
		return nil
	}
	const open, done = 1, 2
	mark := make([]byte, len(t.Mover))
	type step struct{ at, next uint32 } // the outcome to follow
	var path []step
	for i := range uint32(len(t.Mover)) {
		if t.Mover[i] == game.Chance && mark[i] == 0 {
			mark[i], path = open, append(path, step{at: i})
		}
		for len(path) > 0 {
			s := &path[len(path)-1]
			list := t.Successors(s.at)
			if int(s.next) == len(list) {
				mark[s.at], path = done, path[:len(path)-1]
				continue
			}
			to := list[s.next]
			s.next++
			switch {
			case t.Mover[to] != game.Chance:
			case mark[to] == open:
				return fmt.Errorf("state %d: chance leads back to it without a decision; give it the outcomes that follow in the end", to)
			case mark[to] == 0:
				mark[to], path = open, append(path, step{at: to})
			}
		}
	}
	return nil
}

// checkEnds checks that from every state some play leads to an end.
func (t *Table) checkEnds() error {
	if t.Ascends() {
		return nil
	}
	// The predecessors of state i are before[first[i]:first[i+1]].
	n := uint32(len(t.Mover))
	first := make([]uint32, n+1)
	for i := range n {
		for _, to := range t.Successors(i) {
			first[to]++
		}
	}
	sum := uint32(0)
	for i, k := range first {
		first[i] = sum
		sum += k
	}
	before, fill := make([]uint32, sum), slices.Clone(first)
	ends, todo := make([]bool, n), []uint32(nil)
	for i := range n {
		for _, to := range t.Successors(i) {
			before[fill[to]] = i
			fill[to]++
		}
		if t.Mover[i] == game.Terminal {
			ends[i], todo = true, append(todo, i)
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range before[first[at]:first[at+1]] {
			if !ends[i] {
				ends[i], todo = true, append(todo, i)
			}
		}
	}
	if i := slices.Index(ends, false); i >= 0 {
		return fmt.Errorf("state %d: no play leads from it to an end, so it is in, or leads to, a cycle of forced moves", i)
	}
	return nil
}

// minStart is the smallest probability with which a game comes to a decision. Chosen: a batch starts
// games until one does, and gives up after a thousand; at this probability it practically never will.
const minStart = 0.05

// checkStart checks that most games, or at least some, come to a decision before chance is cut off.
func (t *Table) checkStart() error {
	limit := game.Spec{MoveLimit: t.moveLimit()}.ChanceLimit()
	now, next := map[uint32]float64{0: 1}, map[uint32]float64{}
	decided := 0.0
	for draws := 0; ; draws++ {
		open := 0.0                                        // with chance to move
		for _, at := range slices.Sorted(maps.Keys(now)) { // sums depend on the order
			prob := now[at]
			switch mover := t.Mover[at]; {
			case mover >= 0:
				decided += prob
			case mover == game.Chance:
				open += prob
				first := uint(t.First[at])
				for k, to := range t.Successors(at) {
					next[to] += float64(prob * t.Probability[first+uint(k)])
				}
			}
		}
		if decided >= minStart {
			return nil
		}
		if draws == limit || decided+open < minStart {
			return fmt.Errorf("from state 0 a seat comes to move with a probability of %.3g within %d draws of chance; want at least %v: let fewer games end before a decision, or raise the limit of moves, which limits the draws too", decided, limit, minStart)
		}
		now, next = next, now
		clear(next)
	}
}

// reach returns for each state whether it can be reached.
func (t *Table) reach() []bool {
	reached, todo := make([]bool, len(t.Mover)), []uint32{0}
	reached[0] = true
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range t.Successors(at) {
			if !reached[to] {
				reached[to], todo = true, append(todo, to)
			}
		}
	}
	return reached
}
