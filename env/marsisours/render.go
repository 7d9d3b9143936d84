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

// Render implements [game.Renderer]: the next step, the seats, and the map with the
// letters of the terrain and the robot of each cell, beside it the labs with what they do
// and what the tracks pay, in colours for a terminal. Without colours:
//
//	round 2 of 3: seat 0 places, attacks or passes
//	seat   money tokens hand junk dice  gem soda metal turf
//	0 A <      3      5    3    6    0    2    0     1    0  starts
//	1 B        0      6    4    5    1    0    1     0    2
//	      a  b  c  d   fair      .  attacks cost 1 token a robot
//	  1  () s. gA ()   rocket    A  4 tokens; drops anywhere
//	  2  t. mA t. mb   converter .  tokens above 10 are money
//	  3  g. sB g. s.   vacuum    .  buy alchemy dice
//	  4  () m. t. ()   drill     b  roll a missed attack again
//	                   shield    .  +2 in defence
//	                   gem   1m 3m 6m 10m 15m 21m
//	                   soda  2m 4m 7m 10m 13m 16m
//	                   metal 2t 2t1d 3t1d 3t2d 4t2d 4t3d
//	                   turf  1m 2m1r 3m1r 4m2r 5m2r 6m3r
func (r *Rules) Render(s State) string {
	if s.Phase == Laying {
		return fmt.Sprintf("the map is laid, by %d draws", len(r.board.units))
	}
	lines := append([]string{r.headline(&s)}, r.drawSeats(&s)...)
	drawn, width := r.drawBoard(&s)
	panel := r.drawPanel(&s)
	for i := range max(len(drawn), len(panel)) {
		line := ""
		if i < len(drawn) {
			line = drawn[i]
		}
		if i < len(panel) {
			line += strings.Repeat(" ", width+2-len(colour.Strip(line))) + panel[i]
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// drawBoard draws the map, of so many columns.
func (r *Rules) drawBoard(s *State) (lines []string, width int) {
	head := "    "
	for _, line := range r.board.grid {
		width = max(width, 4+3*len(line))
	}
	for j := range (width - 4) / 3 {
		head += fmt.Sprintf("  %c", 'a'+j)
	}
	lines = append(lines, head)
	c := 0
	for i, line := range r.board.grid {
		text := fmt.Sprintf(" %2d ", i+1)
		for j := range len(strings.TrimRight(line, " ")) {
			if line[j] == ' ' {
				text += "   "
				continue
			}
			text += " " + r.square(s, c)
			c++
		}
		lines = append(lines, text)
	}
	return lines, width
}

// drawPanel lists the labs and what the levels of the tracks pay.
func (r *Rules) drawPanel(s *State) (lines []string) {
	if r.fast {
		return nil
	}
	for l, name := range labNames {
		lines = append(lines, fmt.Sprintf("%-9s %s  %s", name, r.robot(s, firstLab+l), labEffects[l]))
	}
	for t := range products {
		lines = append(lines, fmt.Sprintf("%s%s %s", colour.Paint(groundColour[t], terrainNames[t]), strings.Repeat(" ", 5-len(terrainNames[t])), r.pays(t)))
	}
	return lines
}

// pays lists what the levels of a track pay, from level 1: money, tokens, dice, robots.
func (r *Rules) pays(t int) string {
	var list []string
	for level := 1; level < r.levels; level++ {
		list = append(list, r.rewards[t][level].short())
	}
	return strings.Join(list, " ")
}

// short writes a reward with the letters of its parts, as in 3t1d.
func (w Reward) short() (text string) {
	for i, n := range []int{w.Money, w.Tokens, w.Dice, w.Robots} {
		if n > 0 {
			text += fmt.Sprintf("%d%c", n, "mtdr"[i])
		}
	}
	return text
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
		verb := map[Phase]string{Rolling: "attacks", Missed: "has missed", Rerolling: "rolls again at"}[s.Phase]
		text += fmt.Sprintf("%s%s seat %d in %s (%s", mover, verb, s.defender(), r.board.name[s.Place], plural(int(s.Attackers), "robot"))
		if s.Die > 0 {
			text += fmt.Sprintf(" against a %d", s.Die)
		}
		return text + ")"
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

// drawSeats draws what the seats have, below a line of titles.
func (r *Rules) drawSeats(s *State) []string {
	lines := []string{"seat   money tokens hand junk dice  gem soda metal turf"}
	if r.fast {
		lines[0] = "seat   on the map  hand junk"
	}
	for p := range r.cfg.Players {
		seat, mark := &s.Seats[p], " "
		if r.CurrentPlayer(*s) == game.Player(p) {
			mark = "<"
		}
		text := fmt.Sprintf("%d %s %s", p, colour.Paint(colour.Seats[p], string(rune('A'+p))), mark)
		if r.fast {
			text += fmt.Sprintf("%12d %5d %4d", bits.OnesCount64(s.Robots[p]), seat.Hand, seat.Junk)
		} else {
			k := seat.Track
			text += fmt.Sprintf(" %6d %6d %4d %4d %4d %4d %4d %5d %4d", seat.Money, seat.Tokens, seat.Hand, seat.Junk, seat.Dice, k[gem], k[soda], k[metal], k[turf])
		}
		if s.Phase > Drawing && p == int(s.Start) && s.Phase < Scoring {
			text += "  starts"
		}
		if s.Passed>>p&1 == 1 {
			text += "  passed"
		}
		lines = append(lines, text)
	}
	return lines
}

// labEffects describes the effects of the labs.
var labEffects = [labs]string{
	"attacks cost 1 token a robot", "4 tokens; drops anywhere", "tokens above 10 are money",
	"buy alchemy dice", "roll a missed attack again", "+2 in defence",
}

// DescribeAction implements [game.Renderer].
func (r *Rules) DescribeAction(s State, action game.Action) string {
	a, x, p := &r.act, int(action), int(s.Mover)
	switch {
	case x < a.cells && r.fast:
		return "place a robot"
	case x < a.cells:
		return "place a robot: " + r.groundName(&s, int(r.place[x]))
	case x < a.attack:
		return "place a robot: lab"
	case x < a.pass:
		slot, robots := a.target(x)
		place := int(r.place[slot])
		q, _ := s.owner(place)
		text := "attack"
		if cost := r.cost(&s, p); cost > 0 {
			text += " for " + plural(cost, "token") + " a robot"
		}
		return fmt.Sprintf("%s: seat %d, odds %.1f %%", text, q, 100*r.attackOdds(&s, p, place, robots))
	case x == a.pass && (r.fast || !r.cfg.PassBonusOnPass):
		return "out of the action phase"
	case x == a.pass:
		return "act no more; a token each turn, may lay robots down"
	case x < a.skip:
		q, _ := s.owner(int(r.place[x-a.down]))
		return fmt.Sprintf("lay a robot down: seat %d", q)
	case x < a.reroll:
		return "leave all standing"
	case x == a.reroll:
		return fmt.Sprintf("roll again, odds %.1f %%", 100*r.rerollOdds(&s))
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
	return "trade (m money, t tokens, d dice, r robots): " + r.pay(s, set).short()
}

// pay returns what the mover gets for a set of products.
func (r *Rules) pay(s *State, set int) (sum Reward) {
	for t := range products {
		if set>>t&1 == 1 {
			w := r.rewards[t][s.Seats[s.Mover].Track[t]]
			sum.Money += w.Money
			sum.Tokens += w.Tokens
			sum.Dice += w.Dice
			sum.Robots += w.Robots
		}
	}
	return sum
}

// plural returns a number with its noun: "1 die", "2 dice".
func plural(n int, thing string) string {
	if n != 1 && thing != "money" {
		thing = map[string]string{"die": "dice", "token": "tokens", "robot": "robots"}[thing]
	}
	return fmt.Sprintf("%d %s", n, thing)
}
