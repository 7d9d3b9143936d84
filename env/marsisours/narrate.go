package marsisours

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/firstplayer"
)

// tell calls the trace of the rules, if there is one, after a step of the rules. An empty
// step has no words: the action describes it.
func (r *Rules) tell(s *State, step string) {
	if r.trace != nil {
		r.trace(*s, step)
	}
}

// productionSteps names the steps of production.
var productionSteps = [products]string{"production of gem", "production of soda", "production of metal", "production of turf"}

// Narrate implements [game.Presenter]: dice with what changes them, and what each step of
// the rules between the decisions changes for each seat. It takes the transition again,
// under rules with a trace.
func (r *Rules) Narrate(dst []message.Message, s, next State, a game.Action, roll string) []message.Message {
	say := func(key string, args ...any) { dst = append(dst, message.New(key, args...)) }
	change := func(when message.Message, seat int, what message.Message) {
		dst = append(dst, message.Detail(when, message.Detail(message.New("{0}", message.Seat(seat)), what)))
	}
	last := s
	shown := roll
	if roll == "" && s.player() == game.Chance {
		roll = r.DrawRoll(s, next, rand.NewPCG(0, 0)) // any that leads to next
	}
	traced, lost := *r, [maxSeats]int{}
	traced.lost = &lost
	traced.trace = func(now State, step string) {
		before, beyond := last, lost
		last, lost = now, [maxSeats]int{}
		if step == "" {
			if now.Round > before.Round {
				say("round.begins", now.Round, lastRound)
			}
			return
		}
		switch {
		case step == "maintenance" && before != now:
			text := message.New("ours.maintenance")
			if !r.cfg.MaintenanceLabs {
				text = message.Note(text, message.New("ours.not-labs"))
			}
			dst = append(dst, text)
		case step == "income":
			say("ours.income", stonePay)
		}
		if step == "passed" && before.Seats == now.Seats {
			say("ours.passed-full", message.Seat(now.Mover), maxTokens)
			return
		}
		if step == "tax" {
			dst = append(dst, message.Detail(message.New("tax"), r.taxed(&before, &now)))
		}
		when := message.New(step)
		if t := slices.Index(productionSteps[:], step); t >= 0 {
			when = message.New("ours.production", message.New(terrainNames[t]), r.countRobots(&now, t))
		}
		for p := range r.cfg.Players {
			if list := changes(&before, &now, p); list != nil {
				change(when, p, message.New("{0}", list))
			}
			if n := beyond[p]; n > 0 {
				change(when, p, message.New("ours.beyond", n, maxTokens))
			} else if n < 0 {
				change(when, p, message.New("ours.converted", -n, maxTokens))
			}
		}
	}
	switch s.Phase {
	case Laying:
		say("ours.tile", r.tileText(s.Place, roll), r.unitName(s.Place))
		return dst
	case Drawing:
		if shown == "" {
			say("seat.starts", message.Seat(next.Start))
			break
		}
		throws, _, _ := firstplayer.Read(roll, r.cfg.Players, 1, faces)
		dst = append(dst, firstplayer.Lines(throws, "seat.starts")...)
	case Rolling, Rerolling:
		dst = append(dst, r.narrateAttack(&s, &next, shown)...)
	}
	if s.player() == game.Chance {
		traced.ReadRoll(s, roll)
	} else {
		traced.Apply(s, a)
	}
	if next.Phase == Over {
		dst = r.narrateEnd(dst, &next)
	}
	return dst
}

// tileText names the terrain of unit i, and its station, from the letters of the roll.
func (r *Rules) tileText(i uint8, roll string) []message.Message {
	var names []string
	roll = strings.TrimSpace(roll)
	for k, c := range r.board.units[i] {
		name := "station"
		if t := strings.IndexByte(terrainLetters, roll[k]); t >= 0 && r.board.standable>>c&1 == 1 {
			name = terrainNames[t]
		}
		names = append(names, name)
	}
	return words(names)
}

// countRobots returns the robots of the seats on a terrain, as in "3, 1".
func (r *Rules) countRobots(s *State, terrain int) string {
	count := r.robotsByGround(s)
	var list []string
	for p := range r.cfg.Players {
		list = append(list, fmt.Sprint(count[p][terrain]))
	}
	return strings.Join(list, ", ")
}

// taxed says why a seat pays the tax, or why nobody does.
func (r *Rules) taxed(before, after *State) message.Message {
	p, ok := r.leader(before)
	switch {
	case !ok:
		return message.New("ours.untaxed-tie")
	case before.Seats == after.Seats:
		return message.New("ours.untaxed", message.Seat(p))
	}
	return message.New("ours.taxed", message.Seat(p), bits.OnesCount64(before.Robots[p]&before.Standing))
}

// changes lists what a seat has now, where that has changed, with the difference.
func changes(before, after *State, p int) (list []message.Message) {
	b, a := &before.Seats[p], &after.Seats[p]
	add := func(what string, old, now int, args ...any) {
		if old != now {
			list = append(list, message.New("ours.now."+what, append([]any{now, message.Figure(fmt.Sprintf("%+d", now-old))}, args...)...))
		}
	}
	add("money", int(b.Money), int(a.Money))
	add("tokens", int(b.Tokens), int(a.Tokens))
	add("hand", int(b.Hand), int(a.Hand))
	add("junkyard", int(b.Junk), int(a.Junk))
	add("dice", int(b.Dice), int(a.Dice))
	for t := range products {
		add("track", int(b.Track[t]), int(a.Track[t]), message.New(terrainNames[t]))
	}
	return list
}

// narrateAttack tells the dice, if they are known, and the result of an attack.
func (r *Rules) narrateAttack(s, next *State, roll string) (lines []message.Message) {
	p, q, at := message.Seat(s.Mover), message.Seat(s.defender()), message.New(r.board.name[s.Place])
	if roll != "" {
		var dice []int
		for d := range strings.FieldsSeq(roll) {
			dice = append(dice, int(d[0]-'0'))
		}
		die, _ := r.attackResult(s, dice)
		attack := strings.Trim(fmt.Sprint(dice[:s.Attackers]), "[]")
		if d := r.defence(s, die); d != die {
			lines = append(lines, message.New("ours.rolls-shield", p, attack, q, die, d))
		} else {
			lines = append(lines, message.New("ours.rolls", p, attack, q, die))
		}
	}
	switch {
	case next.Robots[p]>>s.Place&1 == 1:
		return append(lines, message.New("ours.won", p, at, q))
	case next.Phase == Missed:
		return append(lines, message.New("ours.missed", p))
	case r.fast:
		return append(lines, message.New("ours.failed-out", p, at, q))
	}
	return append(lines, message.New("ours.failed", p, at, q))
}

// narrateEnd tells the ranks with what they depend on.
func (r *Rules) narrateEnd(dst []message.Message, s *State) []message.Message {
	count, what := func(p int) int { return int(s.Seats[p].Money) }, "money"
	if r.fast {
		count, what = func(p int) int { return r.counted(s, p) }, "robots"
	}
	order := game.OrderSeats(r.cfg.Players, func(a, b int) int { return count(b) - count(a) })
	var list []message.Message
	for _, p := range order {
		list = append(list, message.New("seat.count", message.Seat(p), count(p)))
	}
	ranks := message.Detail(message.New(what), message.New("{0}", list))
	if r.fast {
		reason := "ours.both-passed"
		if bits.OnesCount8(s.Passed) < r.cfg.Players {
			reason = "ours.stuck"
		}
		dst = append(dst, message.New(reason))
	}
	if r.fast && count(0) == count(1) {
		ranks = message.Note(ranks, message.New("ours.tie", message.Seat(s.Start)))
	} else if bits.OnesCount8(r.winners(s)) > 1 {
		ranks = message.Note(ranks, message.New("ours.shared"))
	}
	return append(dst, ranks)
}
