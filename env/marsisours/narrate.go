package marsisours

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"marsgym/env/game"
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
func (r *Rules) Narrate(dst []string, s, next State, a game.Action, roll string) []string {
	say := func(format string, args ...any) { dst = append(dst, fmt.Sprintf(format, args...)) }
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
				say("round %d of %d begins", now.Round, lastRound)
			}
			return
		}
		if step == "income" {
			say("income: a token for each kind of ground, %d money for each robot on stone", stonePay)
		}
		if step == "passed" && before.Seats == now.Seats {
			say("passed: seat %d has %d tokens and gets no more", now.Mover, maxTokens)
			return
		}
		if step == "tax" && before.Seats == now.Seats {
			say("tax: %s", r.untaxed(&now))
		}
		if t := slices.Index(productionSteps[:], step); t >= 0 {
			step += r.countRobots(&now, t)
		}
		for p := range r.cfg.Players {
			if list := changes(&before, &now, p); list != "" {
				say("%s: seat %d: %s", step, p, list)
			}
			if beyond[p] > 0 {
				say("%s: seat %d: %s beyond %d lost", step, p, game.Plural(beyond[p], "token"), maxTokens)
			}
		}
	}
	switch s.Phase {
	case Laying:
		say("a tile, clockwise: %s", tileText(roll))
		return dst
	case Drawing:
		if shown == "" {
			say("seat %d starts", next.Start)
			break
		}
		throws, _, _ := firstplayer.Read(roll, r.cfg.Players, 1, faces)
		dst = append(dst, firstplayer.Lines(throws, "starts")...)
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

// tileText names the terrain of a tile, and its station, from the letters of the roll.
func tileText(roll string) string {
	var names []string
	for _, letter := range roll {
		name := "station"
		if t := strings.IndexRune(terrainLetters, letter); t >= 0 {
			name = terrainNames[t]
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// countRobots returns the robots of the seats on a terrain, as in ", robots 3-1".
func (r *Rules) countRobots(s *State, terrain int) string {
	count := r.robotsByGround(s)
	var list []string
	for p := range r.cfg.Players {
		list = append(list, fmt.Sprint(count[p][terrain]))
	}
	return ", robots " + strings.Join(list, "-")
}

// untaxed says why nobody pays the tax.
func (r *Rules) untaxed(s *State) string {
	if p, ok := r.leader(s); ok {
		return fmt.Sprintf("seat %d has the most money but no standing robot, and pays nothing", p)
	}
	return "several seats have the most money, so nobody pays"
}

// changes lists what a seat has now, where that has changed, with the difference.
func changes(before, after *State, p int) string {
	b, a := &before.Seats[p], &after.Seats[p]
	var list []string
	add := func(name string, old, now int) {
		if old != now {
			list = append(list, fmt.Sprintf("%s %d (%+d)", name, now, now-old))
		}
	}
	add("money", int(b.Money), int(a.Money))
	add("tokens", int(b.Tokens), int(a.Tokens))
	add("hand", int(b.Hand), int(a.Hand))
	add("junkyard", int(b.Junk), int(a.Junk))
	add("alchemy dice", int(b.Dice), int(a.Dice))
	for t := range products {
		add(terrainNames[t]+" track", int(b.Track[t]), int(a.Track[t]))
	}
	return strings.Join(list, ", ")
}

// narrateAttack tells the dice, if they are known, and the result of an attack.
func (r *Rules) narrateAttack(s, next *State, roll string) (lines []string) {
	p, q, at := s.Mover, s.defender(), r.board.name[s.Place]
	if roll != "" {
		var dice []int
		for d := range strings.FieldsSeq(roll) {
			dice = append(dice, int(d[0]-'0'))
		}
		die, _ := r.attackResult(s, dice)
		text := fmt.Sprintf("seat %d rolls %s against seat %d's %d", p, strings.Trim(fmt.Sprint(dice[:s.Attackers]), "[]"), q, die)
		if d := r.defence(s, die); d != die {
			text += fmt.Sprintf(", %d with the shield", d)
		}
		lines = append(lines, text)
	}
	switch {
	case next.Robots[p]>>s.Place&1 == 1:
		return append(lines, fmt.Sprintf("attack won: seat %d's robot takes %s, seat %d gets its robot back", p, at, q))
	case next.Phase == Missed:
		return append(lines, fmt.Sprintf("missed: seat %d may roll again", p))
	}
	return append(lines, fmt.Sprintf("attack failed: seat %d keeps %s, seat %d loses a robot from its hand", q, at, p))
}

// narrateEnd tells the ranks with what they depend on.
func (r *Rules) narrateEnd(dst []string, s *State) []string {
	count, what := func(p int) int { return int(s.Seats[p].Money) }, "money"
	if r.fast {
		count, what = func(p int) int { return r.counted(s, p) }, "robots"
	}
	order := game.OrderSeats(r.cfg.Players, func(a, b int) int { return count(b) - count(a) })
	var list []string
	for _, p := range order {
		list = append(list, fmt.Sprintf("seat %d %d", p, count(p)))
	}
	text := what + ": " + strings.Join(list, ", ")
	if r.fast {
		reason := "both seats have passed"
		if bits.OnesCount8(s.Passed) < r.cfg.Players {
			reason = "nobody can place or attack any more"
		}
		dst = append(dst, reason)
	}
	if r.fast && count(0) == count(1) {
		text += fmt.Sprintf("; on a tie the starter wins, seat %d", s.Start)
	} else if bits.OnesCount8(r.winners(s)) > 1 {
		text += "; the first share the win"
	}
	return append(dst, text)
}
