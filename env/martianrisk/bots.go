package martianrisk

import (
	"math/bits"

	"marsgym/env/game"
)

// BotNames implements [game.Bots].
func (r *Rules) BotNames() []string { return []string{"greedy"} }

// Bot implements [game.Bots].
func (r *Rules) Bot(string) (game.Policy[State], error) {
	return newGreedy(r), nil
}

// attackThreshold is the smallest probability of conquest at which greedy attacks.
// Chosen by playing the published game: against two bots with 0.5 one with 0.8 wins
// 52 %, and against two with 0.8 one with 0.9 wins 41 %.
const attackThreshold = 0.9

// greedy places armies and pieces where conquest is most likely, and attacks while the
// exact probability of conquest is at least the threshold. It does not look ahead.
type greedy struct {
	r         *Rules
	threshold float64
}

func newGreedy(r *Rules) *greedy { return &greedy{r, attackThreshold} }

// Probs implements [game.Policy].
func (g *greedy) Probs(dst []float64, states []State) error {
	clear(dst)
	for i := range states {
		dst[i*g.r.spec.Actions+int(g.choose(&states[i]))] = 1
	}
	return nil
}

func (g *greedy) choose(s *State) game.Action {
	r := g.r
	switch s.Phase {
	case Towers, Claiming:
		return game.Action(g.claim(s))
	case Filling, Reinforce:
		return g.reinforce(s)
	case Attack:
		u, v, odds := int(s.From), int(s.To), 0.0
		if u != v { // the one attack of the turn
			odds = r.conquestOdds(s, u, v, 0)
		} else {
			u, v, odds = g.target(s, s.Own[s.Mover], 0)
		}
		if odds >= g.threshold {
			return r.battle + game.Action(r.board.edge(u, v))
		}
	case Occupy:
		n := 1
		if g.enemies(s, int(s.To)) != 0 {
			n = int(s.Armies[s.From]) - 1
		}
		return r.occupy + game.Action(n-1)
	case Small:
		return r.stack
	}
	return r.end
}

// enemies returns the regions beside region i that the mover does not hold.
func (g *greedy) enemies(s *State, i int) uint64 { return g.r.board.adj[i] &^ s.Own[s.Mover] }

// claim returns the unoccupied region with most own neighbours, then fewest others.
func (g *greedy) claim(s *State) int {
	best, at := -1, 0
	for set := g.r.unoccupied(s); set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		own := bits.OnesCount64(g.r.board.adj[i] & s.Own[s.Mover])
		if score := 64*own + 63 - bits.OnesCount64(g.enemies(s, i)); score > best {
			best, at = score, i
		}
	}
	return at
}

// target returns the attack from one of the regions that is most likely to conquer,
// with more armies added to the attackers.
func (g *greedy) target(s *State, from uint64, more int) (u, v int, odds float64) {
	u = bits.TrailingZeros64(from)
	attacks, all := make([][2]uint8, 0, 64), make([]float64, 0, 64) // without allocations on all but the largest maps
	for ; from != 0; from &= from - 1 {
		i := bits.TrailingZeros64(from)
		for set := g.enemies(s, i); set != 0; set &= set - 1 {
			j := bits.TrailingZeros64(set)
			attacks, all = append(attacks, [2]uint8{uint8(i), uint8(j)}), append(all, g.r.conquestOdds(s, i, j, more))
		}
	}
	if best := game.BestOption(all); best >= 0 {
		return int(attacks[best][0]), int(attacks[best][1]), all[best]
	}
	return u, 0, -1
}

// reinforce strengthens the region that with all points is most likely to conquer
// another: by a tower piece if one can be placed, else by an army.
func (g *greedy) reinforce(s *State) game.Action {
	r := g.r
	more := int(s.Points)
	if s.Phase == Filling {
		more = 1
	}
	u, _, _ := g.target(s, s.Own[s.Mover], more)
	if s.Phase == Filling {
		return game.Action(u)
	}
	build := r.buildable(s)
	if build>>u&1 != 0 {
		return r.piece + game.Action(u)
	}
	if r.supply(s, s.Mover) > 0 {
		return game.Action(u)
	}
	if build != 0 {
		return r.piece + game.Action(bits.TrailingZeros64(build))
	}
	return r.end
}
