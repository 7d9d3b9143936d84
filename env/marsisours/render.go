package marsisours

import (
	"fmt"
	"math/bits"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/colour"
)

// The colours of the terrains, as in the source.
var groundColour = [terrains]string{gem: "48;5;236;38;5;250", soda: "48;5;255;38;5;240", metal: "48;5;246;38;5;235", turf: "48;5;94;38;5;223", stone: "48;5;124;38;5;224"}

const stationColour = "48;5;16;38;5;231"

// Render implements [game.Renderer]: the next step, the map with the letters of the
// terrain and the robot of each cell, the labs, and the seats, in colours for a
// terminal. Without colours:
//
//	round 2 of 3: seat 0 places, attacks or passes
//
//	      a  b  c  d
//	  1  () s. gA ()
//	  2  t. mA t. mb
//	  3  g. sB g. s.
//	  4  () m. t. ()
//
//	labs     fair .  rocket A  converter .  vacuum .  drill b  shield .
//	seat 0   A  money   3  tokens  5  hand  3  junk  6  dice 0  gem 2  soda 0  metal 1  turf 0  starts
//	seat 1   B  money   0  tokens  6  hand  4  junk  5  dice 1  gem 0  soda 1  metal 0  turf 2
func (r *Rules) Render(s State) string {
	if s.Phase == Laying {
		return fmt.Sprintf("the map is laid, by %d draws", len(r.board.units))
	}
	var b strings.Builder
	b.WriteString(r.headline(&s) + "\n\n     ")
	last := 0
	for _, line := range r.board.grid {
		last = max(last, len(line))
	}
	for j := range last {
		fmt.Fprintf(&b, "  %c", 'a'+j)
	}
	c := 0
	for i, line := range r.board.grid {
		fmt.Fprintf(&b, "\n %3d ", i+1)
		for j := range len(strings.TrimRight(line, " ")) {
			if line[j] == ' ' {
				b.WriteString("   ")
				continue
			}
			b.WriteString(" " + r.square(&s, c))
			c++
		}
	}
	b.WriteString("\n\n")
	if !r.fast && s.Phase > Drawing {
		b.WriteString("labs   ")
		for l, name := range labNames {
			fmt.Fprintf(&b, "  %s %s", name, r.robot(&s, firstLab+l))
		}
		b.WriteByte('\n')
	}
	for p := range r.cfg.Players {
		r.drawSeat(&b, &s, p)
	}
	return strings.TrimRight(b.String(), "\n ")
}

// headline describes the next step.
func (r *Rules) headline(s *State) string {
	text := fmt.Sprintf("round %d of %d: ", s.Round, lastRound)
	if r.fast {
		text = ""
	}
	mover := fmt.Sprintf("seat %d ", s.Mover)
	switch s.Phase {
	case Drawing:
		return "the dice decide who starts"
	case Acting:
		return text + mover + "places, attacks or passes"
	case Rolling, Missed, Rerolling:
		verb := map[Phase]string{Rolling: "attacks", Missed: "has missed, attacking", Rerolling: "rolls again, attacking"}[s.Phase]
		text += fmt.Sprintf("%s%s seat %d at %s with %s", mover, verb, s.defender(), r.board.name[s.Place], plural(int(s.Attackers), "robot"))
		if s.Die > 0 {
			text += fmt.Sprintf(", against a %d", s.Die)
		}
		return text
	case LayDown:
		return text + mover + "has passed, and chooses a robot to lay down"
	case Cashing:
		return text + mover + "trades products"
	case Buying:
		return text + mover + "buys alchemy dice"
	case Naming:
		return text + mover + "names who starts the next round"
	case Scoring:
		return text + "alchemy dice are rolled"
	}
	var list []string
	for w := r.winners(s); w != 0; w &= w - 1 {
		list = append(list, fmt.Sprint(bits.TrailingZeros8(w)))
	}
	if len(list) > 1 {
		return "over: shared by seats " + strings.Join(list, ", ")
	}
	return "over: seat " + list[0] + " wins"
}

// square draws a cell in two characters: terrain and robot, or in the quick game a
// blank and the robot.
func (r *Rules) square(s *State, c int) string {
	switch {
	case r.board.stations>>c&1 == 1:
		return colour.Paint(stationColour, "()")
	case r.fast:
		return " " + r.robot(s, c)
	case r.board.stone>>c&1 == 1:
		return colour.Paint(groundColour[stone], "#") + r.robot(s, c)
	}
	t := s.terrainAt(c)
	return colour.Paint(groundColour[t], terrainLetters[t:t+1]) + r.robot(s, c)
}

// robot draws the letter of a robot in its colour.
func (r *Rules) robot(s *State, place int) string {
	letter := string(r.robotLetter(s, place))
	if p, ok := s.owner(place); ok {
		return colour.Paint(colour.Seats[p], letter)
	}
	return colour.Paint(colour.Dim, letter)
}

func (r *Rules) drawSeat(b *strings.Builder, s *State, p int) {
	seat := &s.Seats[p]
	fmt.Fprintf(b, "seat %d   %s", p, colour.Paint(colour.Seats[p], string(rune('A'+p))))
	if r.fast {
		fmt.Fprintf(b, "  on the map %d", bits.OnesCount64(s.Robots[p]))
	} else {
		fmt.Fprintf(b, "  money %3d  tokens %2d", seat.Money, seat.Tokens)
	}
	fmt.Fprintf(b, "  hand %2d  junk %2d", seat.Hand, seat.Junk)
	if !r.fast {
		fmt.Fprintf(b, "  dice %d", seat.Dice)
		for t, level := range seat.Track {
			fmt.Fprintf(b, "  %s %d", colour.Paint(groundColour[t], terrainNames[t]), level)
		}
	}
	if s.Phase > Drawing && p == int(s.Start) && s.Phase < Scoring {
		b.WriteString("  starts")
	}
	if s.Passed>>p&1 == 1 {
		b.WriteString("  has passed")
	}
	if r.CurrentPlayer(*s) == game.Player(p) {
		b.WriteString("  <")
	}
	b.WriteByte('\n')
}

// DescribeChance implements [game.Renderer]. It is empty for a tile of the map.
func (r *Rules) DescribeChance(s, next State) string {
	switch s.Phase {
	case Drawing:
		return fmt.Sprintf("seat %d starts", next.Start)
	case Rolling, Rerolling:
		at := r.board.name[s.Place]
		switch {
		case next.Robots[s.Mover]>>s.Place&1 == 1:
			return fmt.Sprintf("won: a robot of seat %d takes %s, that of seat %d is back in its hand", s.Mover, at, s.defender())
		case next.Phase == Missed:
			return fmt.Sprintf("missed: seat %d may roll again", s.Mover)
		}
		return fmt.Sprintf("lost: seat %d keeps %s, seat %d loses a robot from its hand", s.defender(), at, s.Mover)
	case Scoring:
		for p := range s.Seats {
			if s.Seats[p].Dice > next.Seats[p].Dice {
				return fmt.Sprintf("an alchemy die makes %d money for seat %d", next.Seats[p].Money-s.Seats[p].Money, p)
			}
		}
	}
	return ""
}

// labEffects describes the effects of the labs.
var labEffects = [labs]string{
	"attacks cost 1 token a robot", "4 tokens, and robots drop anywhere", "tokens above 10 are money",
	"buy alchemy dice", "roll a missed attack again", "+2 in defence",
}

// DescribeAction implements [game.Renderer].
func (r *Rules) DescribeAction(s State, action game.Action) string {
	a, x, p := &r.act, int(action), int(s.Mover)
	switch {
	case x < a.cells && r.fast:
		return "place a robot"
	case x < a.cells:
		return "place a robot on " + r.groundName(&s, int(r.place[x]))
	case x < a.attack:
		return labEffects[x-a.cells]
	case x < a.pass:
		slot, robots := a.target(x)
		place := int(r.place[slot])
		q, _ := s.owner(place)
		text := fmt.Sprintf("attack seat %d with %s", q, plural(robots, "robot"))
		if cost := robots * r.cost(&s, p); cost > 0 {
			text += " for " + plural(cost, "token")
		}
		return fmt.Sprintf("%s, wins %.1f %%", text, 100*r.attackOdds(&s, p, place, robots))
	case x == a.pass && (r.fast || !r.cfg.PassBonusOnPass):
		return "out of the action phase"
	case x == a.pass:
		return "out of the action phase: a token each turn, and a robot may be laid down"
	case x < a.skip:
		q, _ := s.owner(int(r.place[x-a.down]))
		return fmt.Sprintf("lay the robot of seat %d down", q)
	case x < a.reroll:
		return "leave all standing"
	case x == a.reroll:
		return fmt.Sprintf("roll again, wins %.1f %%", 100*r.rerollOdds(&s))
	case x < a.cash:
		return "the attack has failed"
	case x < a.buy:
		return r.describeCash(&s, x-a.cash)
	case x < a.name:
		return fmt.Sprintf("%s for %s", plural(x-a.buy, "die"), plural(dicePrice*(x-a.buy), "token"))
	}
	return fmt.Sprintf("seat %d starts", (p+x-a.name)%r.cfg.Players)
}

func (r *Rules) groundName(s *State, c int) string {
	if r.board.stone>>c&1 == 1 {
		return terrainNames[stone]
	}
	return terrainNames[s.terrainAt(c)]
}

// describeCash describes the pay for a set of products.
func (r *Rules) describeCash(s *State, set int) string {
	if set == 0 {
		return "trade nothing, levels stay"
	}
	var sum Reward
	for t := range products {
		if set>>t&1 == 1 {
			w := r.rewards[t][s.Seats[s.Mover].Track[t]]
			sum.Money += w.Money
			sum.Tokens += w.Tokens
			sum.Dice += w.Dice
			sum.Robots += w.Robots
		}
	}
	var list []string
	for _, part := range []struct {
		n    int
		name string
	}{{sum.Money, "money"}, {sum.Tokens, "token"}, {sum.Dice, "die"}, {sum.Robots, "robot"}} {
		if part.n > 0 {
			list = append(list, plural(part.n, part.name))
		}
	}
	if list == nil {
		return "for nothing"
	}
	return "for " + strings.Join(list, ", ")
}

// plural returns a number with its noun: "1 die", "2 dice".
func plural(n int, thing string) string {
	if n != 1 && thing != "money" {
		thing = map[string]string{"die": "dice", "token": "tokens", "robot": "robots"}[thing]
	}
	return fmt.Sprintf("%d %s", n, thing)
}
