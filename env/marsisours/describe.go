package marsisours

import (
	"fmt"
	"math/bits"

	"marsgym/env/game"
	"marsgym/env/game/message"
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
func (r *Rules) headline(s *State) message.Message {
	switch s.Phase {
	case Laying:
		return message.New("ours.laying", s.Place+1, len(r.board.units))
	case Drawing:
		return message.New("dice.drawing")
	case Over:
		var list []message.Seat
		for w := r.winners(s); w != 0; w &= w - 1 {
			list = append(list, message.Seat(bits.TrailingZeros8(w)))
		}
		if len(list) > 1 {
			return message.New("over.shared", list)
		}
		return message.New("over.wins", list[0])
	}
	step := r.step(s)
	if r.fast {
		return step
	}
	return message.New("round", s.Round, lastRound, step)
}

// step describes the next step of a round.
func (r *Rules) step(s *State) message.Message {
	mover := message.Seat(s.Mover)
	switch s.Phase {
	case Acting:
		if s.Seats[s.Mover].Hand == 1 {
			return message.Note(message.New("ours.acting-last", mover), message.New("ours.no-hand"))
		}
		return message.New("ours.acting", mover)
	case LayDown:
		return message.New("ours.laying-down", mover)
	case Cashing:
		return message.New("ours.cashing", mover)
	case Buying:
		return message.New("ours.buying", mover, s.diceLeft())
	case Naming:
		return message.New("ours.naming", mover)
	case Scoring:
		return message.New("ours.scoring")
	}
	force := message.Count(s.Attackers, "robot")
	if s.Die > 0 {
		force = message.New("ours.against", s.Attackers, s.Die)
	}
	key := map[Phase]string{Rolling: "ours.attacking", Missed: "ours.missed-at", Rerolling: "ours.rerolling"}[s.Phase]
	return message.New(key, mover, message.Seat(s.defender()), message.New(r.board.name[s.Place]), force)
}

// labEffect describes the effect of a lab.
func labEffect(lab int) message.Message { return message.New("ours.lab." + labNames[lab]) }

// DescribeAction implements [game.Presenter].
func (r *Rules) DescribeAction(s State, action game.Action) message.Message {
	a, x, p := &r.act, int(action), int(s.Mover)
	switch {
	case x < a.cells && r.fast:
		return message.New("ours.place", r.board.name[r.place[x]])
	case x < a.cells:
		return message.Note(message.New("ours.place", r.board.name[r.place[x]]), message.New(r.groundName(&s, int(r.place[x]))))
	case x < a.attack:
		lab := int(r.place[x]) - firstLab
		return message.Note(message.New("ours.place-lab", message.New(labNames[lab])), labEffect(lab))
	case x < a.pass:
		slot, robots := a.target(x)
		place := int(r.place[slot])
		q, _ := s.owner(place)
		attack := message.New("ours.attack", r.placeName(place), robots)
		if cost := r.cost(&s, p); cost > 0 {
			attack = message.New("ours.attack-for", r.placeName(place), robots, cost*robots)
		}
		return message.Note(attack, message.New("ours.odds", message.Seat(q), message.Figure(figure.Chance(r.attackOdds(&s, p, place, robots)))))
	case x == a.pass && r.fast:
		return message.New("ours.pass-game")
	case x == a.pass && !r.cfg.PassBonusOnPass:
		return message.New("ours.pass-round")
	case x == a.pass:
		return message.Note(message.New("ours.pass-round"), message.New("ours.pass-bonus"))
	case x < a.skip:
		place := int(r.place[x-a.down])
		q, _ := s.owner(place)
		return message.New("ours.lay", message.Seat(q), r.placeName(place))
	case x < a.reroll:
		return message.New("ours.stand")
	case x == a.reroll:
		return message.Note(message.New("ours.reroll"), message.New("ours.reroll-odds", message.Figure(figure.Chance(r.rerollOdds(&s)))))
	case x < a.cash:
		return message.Note(message.New("ours.no-reroll"), message.New("ours.no-reroll-fails"))
	case x == a.cash:
		return message.Note(message.New("ours.keep"), message.New("ours.keep-stays"))
	case x < a.buy:
		pay := r.pay(&s, x-a.cash)
		trade := message.Note(message.New("ours.cash", words(productNames(x-a.cash))), message.New("ours.cash-pay", pay.text()))
		if lost := int(s.Seats[p].Tokens) + pay.Tokens - maxTokens; lost > 0 && !r.hasLab(&s, p, converter) {
			trade = message.Note(trade, message.New("ours.cash-lost", lost, maxTokens))
		}
		return trade
	case x == a.buy:
		return message.New("ours.buy-none")
	case x < a.name:
		return message.New("ours.buy", x-a.buy, dicePrice*(x-a.buy))
	}
	return message.New("ours.name", message.Seat((p+x-a.name)%r.cfg.Players))
}

// shortAction returns the kind of an action that has many of its kind, and what tells it from them;
// nothing for others.
func (r *Rules) shortAction(s *State, x int) (kind, rest message.Message) {
	a, p := &r.act, int(s.Mover)
	switch {
	case x < a.cells && r.fast:
		return message.New("ours.kind.place"), rest
	case x < a.cells:
		return message.New("ours.kind.place"), message.New(r.groundName(s, int(r.place[x])))
	case x < a.attack:
		return message.New("ours.kind.place"), message.New("lab")
	case x < a.pass:
		slot, robots := a.target(x)
		place := int(r.place[slot])
		q, _ := s.owner(place)
		kind = message.New("ours.kind.attack")
		if cost := r.cost(s, p); cost > 0 {
			kind = message.New("ours.kind.attack-for", cost)
		}
		return kind, message.New("ours.kind.odds", message.Seat(q), message.Figure(figure.Percent(r.attackOdds(s, p, place, robots), 1)))
	case x > a.pass && x < a.skip:
		q, _ := s.owner(int(r.place[x-a.down]))
		return message.New("ours.kind.lay"), message.New("{0}", message.Seat(q))
	case x > a.cash && x < a.buy:
		return message.New("ours.kind.cash"), message.Text(r.pay(s, x-a.cash).short())
	}
	return kind, rest
}

// placeName names a place: a cell, or a lab.
func (r *Rules) placeName(place int) message.Message {
	if place >= firstLab {
		return message.New("ours.the-lab", message.New(labNames[place-firstLab]))
	}
	return message.Text(r.board.name[place])
}

// words returns messages of words, which are their own keys.
func words(list []string) (messages []message.Message) {
	for _, word := range list {
		messages = append(messages, message.New(word))
	}
	return messages
}

func (r *Rules) groundName(s *State, c int) string {
	if r.board.stone>>c&1 == 1 {
		return terrainNames[stone]
	}
	return terrainNames[s.terrainAt(c)]
}

// pay returns what the mover gets for a set of products, at most what is left.
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
	sum.Dice = min(sum.Dice, s.diceLeft())
	sum.Robots = min(sum.Robots, int(s.Seats[s.Mover].Junk))
	return sum
}
