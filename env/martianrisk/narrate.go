package martianrisk

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/firstplayer"
	"marsgym/internal/random"
)

// lowTotal and highTotal bound the total of two dice, by which the seats decide who begins.
const lowTotal, highTotal = 2, 2 * sides

// AskRoll implements [game.Presenter].
func (r *Rules) AskRoll(s State) message.Message {
	switch s.Phase {
	case Ordering:
		return message.New("risk.ask-order")
	case Rolling:
		return message.New("risk.ask-die", message.Seat(s.Mover), sides)
	}
	return message.New("risk.ask-battle", r.board.names[s.From], r.board.names[s.To])
}

// ReadRoll implements [game.Presenter]: the totals of the seats that decide who begins (see
// [firstplayer.Read]), a die, or the two dice of the attacker and the
// two of the defender.
func (r *Rules) ReadRoll(s State, roll string) (State, error) {
	n := 1
	switch s.Phase {
	case Ordering:
		_, first, err := firstplayer.Read(roll, r.cfg.Players, lowTotal, highTotal)
		if err == nil {
			s.setStart(first)
		}
		return s, err
	case Battle:
		n = 4
	}
	dice, err := game.ReadDice(roll, n, sides)
	if err != nil {
		return s, err
	}
	switch s.Phase {
	case Rolling:
		r.startTurn(&s, dice[0])
	case Battle:
		r.resolveBattle(&s, s.battleWon([4]int(dice)))
	}
	return s, nil
}

// battleWon reports whether the attacker wins the battle between From and To with two
// dice against the other two.
func (s *State) battleWon(dice [4]int) bool {
	return dice[0]+dice[1]+s.height(s.From) > dice[2]+dice[3]+s.height(s.To)
}

// DrawRoll implements [game.Presenter].
func (r *Rules) DrawRoll(s, next State, dice *rand.PCG) string {
	var rolls [][]int // equally likely
	switch s.Phase {
	case Ordering:
		return firstplayer.Draw(r.cfg.Players, int(next.Start), func() int { return random.Below(dice, sides) + random.Below(dice, sides) + lowTotal })
	case Rolling:
		for die := 1; die <= sides; die++ {
			after := s
			if r.startTurn(&after, die); after == next {
				rolls = append(rolls, []int{die})
			}
		}
	case Battle:
		after := s
		r.resolveBattle(&after, true)
		for x := range throws {
			d := [4]int{x%sides + 1, x/sides%sides + 1, x/sides/sides%sides + 1, x/sides/sides/sides + 1}
			if s.battleWon(d) == (after == next) {
				rolls = append(rolls, d[:])
			}
		}
	}
	if rolls == nil {
		return "" // next is no outcome
	}
	return strings.Trim(fmt.Sprint(rolls[random.Below(dice, len(rolls))]), "[]")
}

// Narrate implements [game.Presenter]: the dice with towers and totals, the losses, points
// that are lost, seats that are out, the round, and the ranks at the end.
func (r *Rules) Narrate(dst []message.Message, s, next State, a game.Action, roll string) []message.Message {
	switch s.Phase {
	case Ordering:
		if roll == "" {
			return append(dst, message.New("seat.begins", message.Seat(next.Start)))
		}
		throws, _, _ := firstplayer.Read(roll, r.cfg.Players, lowTotal, highTotal)
		return append(dst, firstplayer.Lines(throws, "seat.begins")...)
	case Rolling:
		dst = r.narrateRoll(dst, &s, &next, roll)
	case Battle:
		dst = r.narrateBattle(dst, &s, &next, roll)
	case Reinforce:
		if spent := r.cost(&s, a); next.Phase != Reinforce && int(s.Points) > spent {
			dst = append(dst, message.New("risk.unspent", message.Seat(s.Mover), int(s.Points)-spent))
		}
	case Towers, Claiming, Filling:
		if next.Phase != s.Phase {
			what := map[Phase]string{Claiming: "risk.claiming", Filling: "risk.filling", Rolling: "risk.set-up"}[next.Phase]
			dst = append(dst, message.New(what))
		}
	case Fortify:
		if a < r.end {
			from, to := r.board.edges[a-r.split][0], r.board.edges[a-r.split][1]
			if s.Small>>from&1 == 1 && next.Phase != Small {
				dst = append(dst, message.New("risk.small-stays", r.board.names[to]))
			}
		}
	}
	if s.Round > 0 && next.Round > s.Round {
		dst = append(dst, message.New("round.begins", next.Round, r.cfg.MaxRounds))
	}
	if next.Phase == Over {
		dst = r.narrateEnd(dst, &next)
	}
	return dst
}

// cost returns the points that an action of the phase Reinforce takes.
func (r *Rules) cost(s *State, a game.Action) int {
	switch {
	case a < r.piece:
		return 1
	case a == r.end:
		return 0
	}
	_, _, points := s.nextPiece(int(a - r.piece))
	return points
}

func (r *Rules) narrateRoll(dst []message.Message, s, next *State, roll string) []message.Message {
	if roll == "" && next.Phase != Reinforce {
		return append(dst, message.New("risk.nothing"))
	}
	if roll == "" {
		roll = r.OutcomeName(*s, *next)
	}
	die, _ := strconv.Atoi(roll)
	text := message.New("risk.rolls", message.Seat(s.Mover), die)
	if unions := r.bonus(s, s.Mover); unions > 0 {
		text = message.New("risk.rolls-unions", message.Seat(s.Mover), die, unions, die+unions)
	}
	switch {
	case next.Phase != Reinforce || next.Mover != s.Mover:
		text = message.Note(text, message.New("risk.nothing"))
	case next.Low != 0:
		text = message.Note(text, message.New("risk.needs"))
	}
	return append(dst, text)
}

func (r *Rules) narrateBattle(dst []message.Message, s, next *State, roll string) []message.Message {
	side := func(region uint8, dice []string) (text message.Message, total int) {
		h := s.height(region)
		total = h
		for _, d := range dice {
			n, _ := strconv.Atoi(d)
			total += n
		}
		if h > 0 {
			return message.New("risk.side-tower", r.board.names[region], strings.Join(dice, "+"), total, h), total
		}
		return message.New("risk.side", r.board.names[region], strings.Join(dice, "+"), total), total
	}
	if d := strings.Fields(roll); len(d) > 0 {
		attacker, a := side(s.From, d[:2])
		defender, b := side(s.To, d[2:])
		dst = append(dst, message.New("risk.sides", attacker, defender))
		if a == b {
			dst = append(dst, message.New("risk.tie"))
		}
	}
	dst = append(dst, r.describeBattle(s, next))
	if next.Own[s.Mover] == s.Own[s.Mover] {
		return dst
	}
	if tower := s.tower(int(s.To)); tower != "" {
		dst = append(dst, message.New("risk.tower-back", r.board.names[s.To], message.Seat(s.owner(int(s.To))), towerName(tower)))
	}
	if next.Phase != Occupy {
		dst = append(dst, message.New("risk.moves-in", r.board.names[s.To]))
	}
	for i, u := range r.board.unions {
		if next.Phase != Over && u&^next.Own[s.Mover] == 0 && u&^s.Own[s.Mover] != 0 {
			dst = append(dst, message.New("risk.union", message.Seat(s.Mover), unionName(i)))
		}
		if defender := s.owner(int(s.To)); next.Phase != Over && u>>s.To&1 == 1 && u&^s.Own[defender] == 0 {
			dst = append(dst, message.New("risk.union-lost", message.Seat(defender), unionName(i)))
		}
	}
	return dst
}

// narrateEnd tells the ranks with what they depend on.
func (r *Rules) narrateEnd(dst []message.Message, s *State) []message.Message {
	if s.Own[s.Mover] == r.board.all {
		return append(dst, message.New("risk.all", message.Seat(s.Mover)))
	}
	rank := func(seat int) int { return s.rank(uint8(seat), s.onMap(uint8(seat))) }
	order := game.OrderSeats(r.cfg.Players, func(a, b int) int { return rank(b) - rank(a) })
	dst = append(dst, message.New("risk.rounds-over", r.cfg.MaxRounds))
	for _, p := range order {
		if s.Own[p] == 0 {
			dst = append(dst, message.New("risk.rank-out", message.Seat(p)))
			continue
		}
		armies, towers := s.onMap(uint8(p)), s.towerPoints(p)
		dst = append(dst, message.New("risk.rank", message.Seat(p), bits.OnesCount64(s.Own[p]), armies, towers, armies+towers))
	}
	return dst
}
