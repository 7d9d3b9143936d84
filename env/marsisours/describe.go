package marsisours

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/figure"
)

// The colours of the terrains, as in the source.
var groundColour = [terrains]string{gem: "48;5;236;38;5;250", soda: "48;5;255;38;5;240", metal: "48;5;246;38;5;235", turf: "48;5;94;38;5;223", stone: "48;5;124;38;5;224"}

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
	if s.Phase == Laying {
		return fmt.Sprintf("the map is laid: draw %d of %d", s.Place+1, len(r.board.units))
	}
	text := fmt.Sprintf("round %d of %d: ", s.Round, lastRound)
	if r.fast {
		text = ""
	}
	mover := fmt.Sprintf("seat %d ", s.Mover)
	switch s.Phase {
	case Drawing:
		return "the dice decide who starts"
	case Acting:
		if s.Seats[s.Mover].Hand == 1 {
			return text + mover + "places its last robot, attacks or passes; nobody can attack without a robot in hand"
		}
		return text + mover + "places, attacks or passes"
	case Rolling, Missed, Rerolling:
		verb := map[Phase]string{Rolling: "attacks", Missed: "has missed", Rerolling: "rolls again at"}[s.Phase]
		text += fmt.Sprintf("%s%s seat %d in %s (%s", mover, verb, s.defender(), r.board.name[s.Place], game.Plural(int(s.Attackers), "robot"))
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
		return text + mover + "names the next starter"
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

// labEffects describes the effects of the labs.
var labEffects = [labs]string{
	"attacks cost 1 token a robot", "4 tokens; drops anywhere", "tokens above 10 are money",
	"buy alchemy dice", "roll a missed attack again", "+2 in defence",
}

// DescribeAction implements [game.Presenter].
func (r *Rules) DescribeAction(s State, action game.Action) string {
	a, x, p := &r.act, int(action), int(s.Mover)
	switch {
	case x < a.cells && r.fast:
		return "place a robot on " + r.board.name[r.place[x]]
	case x < a.cells:
		return fmt.Sprintf("place a robot on %s; %s", r.board.name[r.place[x]], r.groundName(&s, int(r.place[x])))
	case x < a.attack:
		lab := int(r.place[x]) - firstLab
		return fmt.Sprintf("place a robot in the %s lab; %s", labNames[lab], labEffects[lab])
	case x < a.pass:
		slot, robots := a.target(x)
		place := int(r.place[slot])
		q, _ := s.owner(place)
		text := fmt.Sprintf("attack %s with %s", r.placeName(place), game.Plural(robots, "robot"))
		if cost := r.cost(&s, p); cost > 0 {
			text += " for " + game.Plural(cost*robots, "token")
		}
		return fmt.Sprintf("%s; seat %d's robot, chance to win this attack %s %%", text, q, figure.Chance(r.attackOdds(&s, p, place, robots)))
	case x == a.pass && r.fast:
		return "pass for the rest of the game"
	case x == a.pass && !r.cfg.PassBonusOnPass:
		return "pass for this round"
	case x == a.pass:
		return "pass; get a token each turn, may lay robots down"
	case x < a.skip:
		place := int(r.place[x-a.down])
		q, _ := s.owner(place)
		return fmt.Sprintf("lay seat %d's robot in %s down", q, r.placeName(place))
	case x < a.reroll:
		return "leave all standing"
	case x == a.reroll:
		return fmt.Sprintf("roll again; chance to win this attack %s %%", figure.Chance(r.rerollOdds(&s)))
	case x < a.cash:
		return "do not roll again; the attack has failed"
	case x == a.cash:
		return "trade nothing; the levels stay"
	case x < a.buy:
		return fmt.Sprintf("trade %s; get %s", strings.Join(productNames(x-a.cash), ", "), cmp.Or(r.pay(&s, x-a.cash).text(), "nothing"))
	case x == a.buy:
		return "buy no dice"
	case x < a.name:
		return fmt.Sprintf("buy %s for %s", game.Plural(x-a.buy, "die"), game.Plural(dicePrice*(x-a.buy), "token"))
	}
	return fmt.Sprintf("let seat %d start the next round", (p+x-a.name)%r.cfg.Players)
}

// shortAction describes an action that has many of its kind beside its name; "" for others.
func (r *Rules) shortAction(s *State, x int) string {
	a, p := &r.act, int(s.Mover)
	switch {
	case x < a.cells && r.fast:
		return "place a robot"
	case x < a.cells:
		return "place a robot: " + r.groundName(s, int(r.place[x]))
	case x < a.attack:
		return "place a robot: lab"
	case x < a.pass:
		slot, robots := a.target(x)
		place := int(r.place[slot])
		q, _ := s.owner(place)
		text := "attack"
		if cost := r.cost(s, p); cost > 0 {
			text += " for " + game.Plural(cost, "token") + " a robot"
		}
		return fmt.Sprintf("%s: seat %d, odds %s %%", text, q, figure.Percent(r.attackOdds(s, p, place, robots), 1))
	case x > a.pass && x < a.skip:
		q, _ := s.owner(int(r.place[x-a.down]))
		return fmt.Sprintf("lay a robot down: seat %d", q)
	case x > a.cash && x < a.buy:
		return "trade (m money, t tokens, d dice, r robots): " + r.pay(s, x-a.cash).short()
	}
	return ""
}

// placeName names a place in words: a cell, or a lab.
func (r *Rules) placeName(place int) string {
	if place >= firstLab {
		return "the " + labNames[place-firstLab] + " lab"
	}
	return r.board.name[place]
}

func (r *Rules) groundName(s *State, c int) string {
	if r.board.stone>>c&1 == 1 {
		return terrainNames[stone]
	}
	return terrainNames[s.terrainAt(c)]
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
