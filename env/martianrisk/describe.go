package martianrisk

import (
	"fmt"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/figure"
)

// headline describes the next step.
func (r *Rules) headline(s *State) string {
	text := ""
	if s.Round > 0 {
		text = fmt.Sprintf("round %d of %d, ", s.Round, r.cfg.MaxRounds)
	}
	name := func(i uint8) string { return r.board.names[i] }
	setup := func(what string) string {
		return fmt.Sprintf("setup: seat %d %s; armies to place: %d", s.Mover, what, r.cfg.SetupArmies-s.onMap(s.Mover))
	}
	switch s.Phase {
	case Ordering:
		return text + "the dice decide who begins"
	case Towers, Claiming:
		return setup("occupies a region")
	case Filling:
		return setup("adds an army")
	case Rolling:
		return text + fmt.Sprintf("seat %d rolls the die", s.Mover)
	case Reinforce:
		text += fmt.Sprintf("seat %d has %s to spend", s.Mover, game.Plural(int(s.Points), "point"))
		if s.Low != 0 {
			text += "; a new tower needs a roll of 3 or 4"
		}
		return text
	case Attack:
		return text + fmt.Sprintf("seat %d attacks", s.Mover)
	case Battle:
		return text + fmt.Sprintf("seat %d: %s attacks %s", s.Mover, name(s.From), name(s.To))
	case Occupy:
		return text + fmt.Sprintf("seat %d has conquered %s, and chooses how many armies move in", s.Mover, name(s.To))
	case Fortify:
		return text + fmt.Sprintf("seat %d may move the upper part of a tower", s.Mover)
	case Small:
		return text + fmt.Sprintf("seat %d has moved a tower to %s, and places its small piece", s.Mover, name(s.To))
	}
	if s.Own[s.Mover] == r.board.all {
		return text + fmt.Sprintf("seat %d has conquered the map", s.Mover)
	}
	text += "over, shares of the win:"
	for p, ret := range r.Returns(nil, *s) {
		text += fmt.Sprintf(" seat %d %.4g,", p, r.spec.WinShare(ret))
	}
	return strings.TrimSuffix(text, ",")
}

func unionName(i int) string { return string(rune('a' + i%26)) }

// DescribeAction implements [game.Presenter]. For an attack it includes the odds.
func (r *Rules) DescribeAction(s State, a game.Action) string {
	name := func(i game.Action) string { return r.board.names[i] }
	switch {
	case a == r.end:
		return r.describeEnd(&s)
	case a == r.stack:
		return "leave the small piece on the medium one in " + r.board.names[s.To]
	case a >= r.small:
		return "move the small piece to " + name(a-r.small) + r.describeTower(&s, "; ", int(a-r.small))
	case a >= r.split:
		e := r.board.edges[a-r.split]
		return fmt.Sprintf("move the upper part of %s's tower to %s%s; the large piece stays", r.board.names[e[0]], r.board.names[e[1]], r.describeTower(&s, ", ", int(e[1])))
	case a >= r.occupy:
		n := int(a-r.occupy) + 1
		return fmt.Sprintf("move %s from %s into %s; %d stay", game.Plural(n, "army"), r.board.names[s.From], r.board.names[s.To], int(s.Armies[s.From])-n)
	case a >= r.battle:
		e := r.board.edges[a-r.battle]
		higher := s.height(e[0]) - s.height(e[1])
		return fmt.Sprintf("attack %s from %s, %s against %d; chance to win this battle %s %%, to take %[1]s if you go on %[6]s %%",
			r.board.names[e[1]], r.board.names[e[0]], game.Plural(int(s.Armies[e[0]]), "army"), s.Armies[e[1]], figure.Chance(BattleOdds(higher)), figure.Chance(s.conquest(e).Odds))
	case a >= r.piece:
		_, size, cost := s.nextPiece(int(a - r.piece))
		return fmt.Sprintf("build a %s piece in %s; %s", size, name(a-r.piece), game.Plural(cost, "point"))
	}
	return r.describePlacing(&s, "an army in "+name(a))
}

// shortAction describes an action that has many of its kind beside its name; "" for others.
func (r *Rules) shortAction(s *State, a game.Action) string {
	switch {
	case a == r.end || a == r.stack:
		return ""
	case a >= r.small:
		return "move the small piece" + r.describeTower(s, ": ", int(a-r.small))
	case a >= r.split:
		return "move the upper part of a tower" + r.describeTower(s, ": ", int(r.board.edges[a-r.split][1]))
	case a >= r.occupy:
		n := int(a-r.occupy) + 1
		return fmt.Sprintf("armies from %s into %s: (%d stay)", r.board.names[s.From], r.board.names[s.To], int(s.Armies[s.From])-n)
	case a >= r.battle:
		return "attack, odds of conquest in %: " + figure.Chance(s.conquest(r.board.edges[a-r.battle]).Odds)
	case a >= r.piece:
		_, size, cost := s.nextPiece(int(a - r.piece))
		return fmt.Sprintf("build a tower: %s, %s", size, game.Plural(cost, "point"))
	}
	return r.describePlacing(s, "an army")
}

// describePlacing describes the placing of an army, which the caller names.
func (r *Rules) describePlacing(s *State, army string) string {
	switch {
	case s.Phase == Towers && r.cfg.Trios > 0:
		return "place your tower and " + army
	case s.Phase == Reinforce:
		return "place " + army + "; 1 point"
	}
	return "place " + army
}

// describeBattle describes the losses of a battle.
func (r *Rules) describeBattle(s, next *State) string {
	from, to := r.board.names[s.From], r.board.names[s.To]
	defender := s.owner(int(s.To))
	switch left := s.Armies[s.To] - 1; {
	case next.Own[s.Mover]>>s.To&1 == 0 && next.Armies[s.To] == s.Armies[s.To]:
		return fmt.Sprintf("battle lost: %s loses an army, %d left", from, s.Armies[s.From]-1)
	case left > 0:
		return fmt.Sprintf("battle won: %s loses an army, %d left", to, left)
	case next.Own[defender] == 0:
		return fmt.Sprintf("battle won: %s falls to seat %d, and seat %d is out", to, s.Mover, defender)
	}
	return fmt.Sprintf("battle won: %s falls to seat %d", to, s.Mover)
}

// describeTower describes the tower of a region behind a mark, if there is one.
func (r *Rules) describeTower(s *State, mark string, i int) string {
	if s.tower(i) == "" {
		return ""
	}
	return mark + "onto " + towerNames[s.tower(i)]
}

// towerNames names the pieces of towers.
var towerNames = map[string]string{
	"L": "the large piece", "LM": "the large and the medium piece", "LMS": "all three pieces",
	"M": "the medium piece", "MS": "the medium and the small piece", "S": "the small piece",
}

// describeEnd describes the end of a phase.
func (r *Rules) describeEnd(s *State) string {
	switch s.Phase {
	case Reinforce:
		return fmt.Sprintf("reinforce no more; lose %s", game.Plural(int(s.Points), "point"))
	case Attack:
		return "attack no more"
	}
	return "leave the towers as they are"
}

// conquest returns the odds of an attack across a border that is fought to its end.
func (s *State) conquest(e [2]byte) Conquest {
	return NewConquest(int(s.Armies[e[0]]), int(s.Armies[e[1]]), s.height(e[0])-s.height(e[1]))
}
