package martiandice

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// AskRoll implements [game.Presenter].
func (r *Rules) AskRoll(s State) message.Message {
	switch s.Phase {
	case Drawing:
		return message.New("ask.starter")
	case TieBreak:
		return message.New("dice.ask-rays", r.cfg.TieDice, tied(s.Tied), strconv.Quote(strings.TrimSuffix(strings.Repeat("2 ", len(tied(s.Tied))), " ")))
	}
	n := r.free(&s)
	return message.New("dice.ask", n, example(n))
}

// example returns n dice as people type them.
func example(n int) string {
	var list []string
	for i := range min(n, len(letters)) {
		list = append(list, fmt.Sprintf("%c%d", letters[i], (n+len(letters)-1-i)/len(letters)))
	}
	return strings.ToLower(strings.Join(list, " "))
}

// ReadRoll implements [game.Presenter]: the dice as letters with numbers, as in "t2 r3", as
// letters, or as the faces of ordinary dice; the rays of each tied seat; or a seat.
func (r *Rules) ReadRoll(s State, roll string) (State, error) {
	switch s.Phase {
	case Drawing:
		seat, err := strconv.Atoi(strings.TrimSpace(roll))
		if err != nil || seat < 0 || seat >= r.cfg.Players {
			return s, message.NewError("want.seat", r.cfg.Players-1)
		}
		return started(s, seat), nil
	case TieBreak:
		rays, list := strings.Fields(roll), tied(s.Tied)
		if len(rays) != len(list) {
			return s, message.NewError("dice.want-rays", len(list), list)
		}
		best, most := -1, uint16(0)
		for i, seat := range list {
			n, err := strconv.Atoi(rays[i])
			if err != nil || n < 0 || n > r.cfg.TieDice {
				return s, message.NewError("dice.want-numbers", r.cfg.TieDice)
			}
			if n > best {
				best, most = n, 0
			}
			if n == best {
				most |= 1 << seat
			}
		}
		return r.rolledOff(s, most), nil
	}
	c, ok := readCounts(roll)
	n := r.free(&s)
	if !ok {
		return s, message.NewError("dice.want", example(n))
	}
	if c.total() != n {
		return s, message.NewError("dice.want-count", c.total(), n)
	}
	r.rolled(&s, c)
	return s, nil
}

// tied lists the seats of a set.
func tied(set uint16) (list []message.Seat) {
	for seat := range message.Seat(maxPlayers) {
		if set>>seat&1 == 1 {
			list = append(list, seat)
		}
	}
	return list
}

// readCounts reads dice. It reports whether the text holds dice.
func readCounts(text string) (c Counts, ok bool) {
	text = strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }), ""))
	if strings.Trim(text, "123456") == "" { // faces of ordinary dice
		for _, face := range text {
			c[[...]int{tank, ray, ray, human, cow, chicken}[face-'1']]++
		}
		return c, true
	}
	for text != "" {
		t := strings.IndexByte(strings.ToLower(letters), text[0])
		if t < 0 {
			return c, false
		}
		digits := len(text) - len(strings.TrimLeft(text[1:], "0123456789")) - 1
		n := 1
		var err error
		if digits > 0 {
			n, err = strconv.Atoi(text[1 : 1+digits])
		}
		if err != nil || n > maxDice {
			return c, false
		}
		c[t] = uint8(min(maxDice+1, int(c[t])+n))
		text = text[1+digits:]
	}
	return c, true
}

// DrawRoll implements [game.Presenter].
func (r *Rules) DrawRoll(s, next State, dice *rand.PCG) string {
	switch s.Phase {
	case Drawing:
		return strconv.Itoa(int(next.Seat))
	case TieBreak:
		return r.drawRollOff(s.Tied, next.Tied, dice)
	}
	if next.Phase == Select { // the roll is known
		dice.Uint64()
		return strings.ToLower(r.OutcomeName(s, next))
	}
	results := r.results[r.free(&s)]
	weights := make([]float64, len(results))
	for i, x := range results {
		after := s
		if r.rolled(&after, x.Counts); after == next {
			weights[i] = x.prob
		}
	}
	return strings.ToLower(results[draw(weights, dice)].Counts.String())
}

// drawRollOff draws the rays of the seats in all, given that those in most, and no
// others, roll most rays. Their number m has the weight p(m)^j · P(less than m)^(k−j).
func (r *Rules) drawRollOff(all, most uint16, dice *rand.PCG) string {
	j, k := len(tied(most)), len(tied(all))
	weights, below := make([]float64, len(r.rays)), 0.0
	for m, p := range r.rays {
		weights[m] = pow(p, j) * pow(below, k-j)
		below += p
	}
	m := draw(weights, dice)
	var list []string
	for _, seat := range tied(all) {
		n := m
		if most>>seat&1 == 0 {
			n = draw(r.rays[:m], dice)
		}
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, " ")
}

// draw draws an index with these weights.
func draw(weights []float64, dice *rand.PCG) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x := rand.New(dice).Float64() * sum
	last := 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if last = i; x < w {
			return i
		}
		x -= w
	}
	return last
}

// Narrate implements [game.Presenter]: the dice, the score of a turn, and the end.
func (r *Rules) Narrate(dst []message.Message, s, next State, a game.Action, roll string) []message.Message {
	switch s.Phase {
	case Drawing:
		return append(dst, message.New("seat.starts", message.Seat(next.Seat)))
	case TieBreak:
		var list []message.Message
		rays := strings.Fields(roll)
		if roll == "" {
			return append(dst, message.New("dice.most", tied(next.Tied)))
		}
		for i, seat := range tied(s.Tied) {
			list = append(list, message.New("dice.rays", seat, message.Figure(rays[i])))
		}
		dst = append(dst, message.New("{0}", list))
		if next.Phase == TieBreak {
			return append(dst, message.New("tie.again", tied(next.Tied)))
		}
		return r.narrateEnd(dst, &next)
	case Rolling:
		c, _ := readCounts(roll)
		switch {
		case roll == "" && next.Phase != Select:
			return append(dst, message.New("dice.ends", next.Score[s.Seat]-s.Score[s.Seat], next.Score[s.Seat]))
		case roll == "":
			c = next.Roll
			c[tank] = next.Aside[tank] - s.Aside[tank]
		}
		dst = append(dst, message.New("{0}", dice(c)))
		if next.Phase == Select {
			return dst
		}
		s.Aside[tank] += c[tank]
		dst = append(dst, message.New("dice.stuck"))
	default:
		if next.Phase == Decide || next.Phase == Rolling && a == Roll {
			return dst
		}
		s.Aside = s.asideAfter(a)
	}
	return r.narrateScore(dst, &s, &next)
}

// narrateScore tells the score of a turn that ended with the dice in s.Aside.
func (r *Rules) narrateScore(dst []message.Message, s, next *State) []message.Message {
	a, points := s.Aside, r.turnPoints(s.Aside)
	earthlings := Counts{human: a[human], cow: a[cow], chicken: a[chicken]}
	dst = append(dst, message.New("dice.score", message.Seat(s.Seat), a[tank], a[ray], dice(earthlings)))
	total := next.Score[s.Seat]
	switch {
	case a[tank] > a[ray]:
		dst = append(dst, message.New("dice.total-tanks", points, total))
	case points > earthlings.total():
		dst = append(dst, message.New("dice.total-bonus", points, total, r.cfg.Bonus))
	default:
		dst = append(dst, message.New("dice.total", points, total))
	}
	if next.Phase != TieBreak && next.Phase != Over {
		if before := int(total) - points; int(total) >= r.cfg.Target && before < r.cfg.Target {
			dst = append(dst, message.New("dice.reached", r.cfg.Target))
		}
		return dst
	}
	if r.cfg.Players == 1 {
		return append(dst, message.New("dice.reached-after", r.cfg.Target, next.Count))
	}
	if next.Phase == TieBreak {
		return append(dst, message.New("dice.last-tie", tied(next.Tied), r.cfg.TieDice))
	}
	return r.narrateEnd(append(dst, message.New("dice.last")), next)
}

// narrateEnd tells the ranks: those who win, then the others by their scores.
func (r *Rules) narrateEnd(dst []message.Message, s *State) []message.Message {
	won := func(seat int) int { return int(s.Tied >> seat & 1) }
	order := game.OrderSeats(r.cfg.Players, func(a, b int) int {
		return cmp.Or(cmp.Compare(won(b), won(a)), cmp.Compare(s.Score[b], s.Score[a]))
	})
	var list []message.Message
	for _, seat := range order {
		list = append(list, message.New("seat.count", message.Seat(seat), s.Score[seat]))
	}
	return append(dst, message.Detail(message.New("points"), message.New("{0}", list)))
}
