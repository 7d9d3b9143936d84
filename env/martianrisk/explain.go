package martianrisk

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"marsgym/env/game"
)

// Explain implements [game.Explainer]: a region with its armies, its union with its
// members, and its neighbours; the odds of an attack; "map" and "seats".
func (r *Rules) Explain(s State, word string) []string {
	if i := slices.IndexFunc(r.board.names, func(name string) bool { return strings.EqualFold(name, word) }); i >= 0 {
		return r.explainRegion(&s, i)
	}
	switch word {
	case "map":
		return r.explainMap(&s)
	case "seats":
		return r.explainSeats(&s)
	}
	for i, e := range r.board.edges {
		after := s
		if r.ActionName(r.battle+game.Action(i)) == word && r.declareBattle(&after, e) == nil {
			return []string{r.explainAttack(&s, e)}
		}
	}
	return nil
}

// explainRegion describes a region.
func (r *Rules) explainRegion(s *State, i int) []string {
	text := r.describeRegion(s, i)
	if p := s.owner(i); p >= 0 {
		text = fmt.Sprintf("%s: seat %d, armies %d, height of the tower %d", r.board.names[i], p, s.Armies[i], s.height(uint8(i)))
	}
	lines := []string{text}
	list := func(set uint64) (texts []string) {
		for ; set != 0; set &= set - 1 {
			texts = append(texts, r.describeRegion(s, bits.TrailingZeros64(set)))
		}
		return texts
	}
	for u, set := range r.board.unions {
		if set>>i&1 == 1 {
			lines = append(lines, wrap(fmt.Sprintf("union %s: ", unionName(u)), list(set))...)
		}
	}
	return append(lines, wrap("beside: ", list(r.board.adj[i]))...)
}

// describeRegion describes a region in a word, such as CA 0:2LMS.
func (r *Rules) describeRegion(s *State, i int) string {
	if p := s.owner(i); p >= 0 {
		return fmt.Sprintf("%s %d:%d%s", r.board.names[i], p, s.Armies[i], s.tower(i))
	}
	return r.board.names[i] + " free"
}

// explainMap describes how to read the map, and lists what is not drawn.
func (r *Rules) explainMap(s *State) []string {
	lines := []string{
		"The map: CA 0:2 is region CA, in which seat 0 has 2 armies. Below it stand the",
		"letter of its union and the pieces of its tower: L large, M medium, S small.",
		"CA>0:2 attacks, and CA!0:2 is attacked, was conquered or got tower pieces.",
		"Lines are borders. ?ca shows a region, its union and its neighbours.",
	}
	d := r.newDrawing()
	r.drawMap(s, d)
	lines = append(lines, r.undrawn(d)...)
	var unions []string
	for i, u := range r.board.unions {
		unions = append(unions, unionName(i)+" "+strings.Join(r.regionNames(u), "+"))
	}
	if unions != nil {
		lines = append(lines, wrap("unions: ", unions)...)
	}
	return lines
}

// undrawn lists the borders that a drawing has not shown.
func (r *Rules) undrawn(d drawing) []string {
	var rest []string
	for _, e := range r.board.edges {
		if e[0] < e[1] && !d.shown[e] {
			rest = append(rest, r.board.names[e[0]]+"-"+r.board.names[e[1]])
		}
	}
	if rest == nil {
		return nil
	}
	return wrap("borders without a line: ", rest)
}

// explainSeats describes what the seats have.
func (r *Rules) explainSeats(s *State) (lines []string) {
	for p := range r.cfg.Players {
		lines = append(lines, fmt.Sprintf("%s; supply: %s", r.seatText(s, uint8(p)), r.supplyText(s, uint8(p))))
	}
	return lines
}

// explainAttack describes the odds of an attack.
func (r *Rules) explainAttack(s *State, e [2]byte) string {
	battle := BattleOdds(s.height(e[0]) - s.height(e[1]))
	return fmt.Sprintf("armies %d-%d; odds of a battle %.0f %%, of the conquest %.0f %%", s.Armies[e[0]], s.Armies[e[1]], 100*battle, 100*s.conquest(e).Odds)
}

// conquest returns the odds of an attack across a border that is fought to its end.
func (s *State) conquest(e [2]byte) Conquest {
	return NewConquest(int(s.Armies[e[0]]), int(s.Armies[e[1]]), s.height(e[0])-s.height(e[1]))
}
