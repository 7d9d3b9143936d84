package marsisours

import (
	"fmt"
	"slices"
	"strings"
)

// Explain implements [game.Explainer]: a cell with its ground, its robot and its
// neighbours, a lab with its power, or a terrain with its robots and what its track pays.
func (r *Rules) Explain(s State, word string) []string {
	if s.Phase == Laying {
		return nil
	}
	if t := slices.Index(terrainNames[:], word); t >= 0 && !r.fast {
		text := word + r.countRobots(&s, t) + " by seat"
		if t == stone {
			return []string{fmt.Sprintf("%s; %d money a robot each round", text, stonePay)}
		}
		return []string{text, "levels 1 to 6 pay " + r.pays(t) + " (m money, t tokens, d dice, r robots)"}
	}
	place := slices.Index(r.board.name[:], word)
	switch {
	case word == "" || place < 0 || r.fast && place >= firstLab:
		return nil
	case place >= firstLab:
		return []string{fmt.Sprintf("lab %s: %s; %s", word, labEffects[place-firstLab], r.describeRobot(&s, place))}
	case r.board.stations>>place&1 == 1:
		return []string{word + ": a space station; robots walk up to 3 steps from it"}
	}
	var beside []string
	for c := range r.board.cells {
		if r.board.neighbours[place]>>c&1 == 1 {
			beside = append(beside, r.board.name[c]+" "+string(r.robotLetter(&s, c)))
		}
	}
	ground := ""
	if !r.fast {
		ground = r.groundName(&s, place) + ", "
	}
	return []string{fmt.Sprintf("%s: %s%s; beside it %s", word, ground, r.describeRobot(&s, place), strings.Join(beside, ", "))}
}

// describeRobot describes the robot of a place.
func (r *Rules) describeRobot(s *State, place int) string {
	p, ok := s.owner(place)
	switch {
	case !ok:
		return "no robot"
	case r.fast:
		return fmt.Sprintf("a robot of seat %d", p)
	case s.Standing>>place&1 == 1:
		return fmt.Sprintf("a robot of seat %d, standing", p)
	}
	return fmt.Sprintf("a robot of seat %d, lying", p)
}
