package record

import (
	"bytes"
	"fmt"
)

// chanceOfCopy is the largest number of pairs of games with the same dice that are expected by
// chance where such a pair counts as a copy. Chosen.
const chanceOfCopy = 1e-6

// Distinct returns games without copies, in their order: games with the same rules, seats, moves
// and chance outcomes as one before, such as those of a file that was copied into a folder, or of
// an agent that plays itself with the same dice in each seat. Short games can come twice by
// chance; so a game counts as a copy only if its outcomes are too rare for that.
func Distinct(games []*Game) ([]*Game, error) {
	var list []*Game
	seen := map[string]bool{}
	pairs := float64(len(games)) * float64(len(games)-1) / 2
	for _, g := range games {
		var text bytes.Buffer
		if err := g.Write(&text); err != nil {
			return nil, err
		}
		key := text.String()
		if seen[key] {
			p, err := g.chance()
			if err != nil {
				return nil, err
			}
			if pairs*p <= chanceOfCopy {
				continue
			}
		}
		seen[key] = true
		list = append(list, g)
	}
	return list, nil
}

// chance returns the probability of the chance outcomes of the game, given its moves.
func (g *Game) chance() (float64, error) {
	p := 1.0
	for i, s := range g.Steps {
		if !s.Chance() {
			continue
		}
		part := 0.0
		for _, o := range s.Before.Outcomes() {
			if o.State == s.After {
				part += o.Prob
			}
		}
		if part == 0 {
			return 0, fmt.Errorf("step %d of a game has no probability", i+1)
		}
		p *= part
	}
	return p, nil
}
