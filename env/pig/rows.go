package pig

import (
	"math/bits"
	"math/rand/v2"

	"marsgym/env/game"
)

// NewRows implements [game.Sampler].
func (r *Rules) NewRows(n int) game.Rows[State, float32] { return newRows[float32](r) }

// NewCompactRows implements [game.CompactEncoder].
func (r *Rules) NewCompactRows(n int) game.Rows[State, uint8] { return newRows[uint8](r) }

func newRows[T game.DType](r *Rules) *rows[T] {
	p := &rows[T]{players: r.cfg.Players, target: uint32(r.cfg.Target)}
	points, _ := game.CountElements[T](len(p.points), r.cfg.Target, false)
	copy(p.points[:], points)
	for i := range r.cfg.Players {
		p.next[0][i], p.next[1][i] = uint8((i+1)%r.cfg.Players), uint8(i)
	}
	return p
}

// rows plays without branches that depend on the actions or the dice: a random
// policy makes them unpredictable, and a mispredicted branch costs as much as the
// rest of a step.
type rows[T game.DType] struct {
	players int
	target  uint32
	next    [2][16]uint8 // the seat after 0, the end of a turn, and 1, else; by seat
	points  [256]T       // by points, over target
}

// Step implements [game.Rows].
func (p *rows[T]) Step(states []State, actions []game.Action, dice []rand.PCG, players []game.Player) int {
	n := len(states)
	actions, players, dice = actions[:n], players[:n], dice[:n+1]
	fault := uint32(0)
	for i := range states {
		fault |= illegal(&states[i], actions[i])
	}
	for i := 0; fault != 0; i++ {
		if illegal(&states[i], actions[i]) != 0 {
			return i
		}
	}
	for i := range states {
		s := &states[i]
		hold := uint32(actions[i]) & 1 // Roll is 0, Hold is 1
		d := dice[i]
		face, _ := bits.Mul64(d.Uint64(), 6)
		dice[i+(n-i)*int(hold)] = d // to the free generator if nothing is rolled
		rolled := (uint32(face) + 1) * (1 - hold)

		seat := s.Seat
		score, total := uint32(s.Score[seat]), uint32(s.Total)
		more := uint32(0) // 1 if the turn goes on
		if rolled > 1 {
			more = 1
		}
		score += total * hold
		total = (total + rolled) * more
		over := uint32(0)
		if score+total >= p.target {
			over = more
		}
		s.Score[seat] = uint8(score + total*over)
		s.Total = uint8(total * (1 - over))
		next := p.next[more&1][seat&15]
		s.Seat, s.Phase = next, Phase(uint32(Over)*over)
		players[i] = game.Player(next) - game.Player(over)*(game.Player(next)-game.Terminal)
	}
	return -1
}

// illegal is 0 if a is legal in s.
func illegal(s *State, a game.Action) uint32 {
	nothing := (uint32(s.Total) - 1) >> 31 // 1 if there is nothing to hold
	return uint32(a)>>1 | uint32(a)&nothing | uint32(s.Phase)
}

// Show implements [game.Rows].
func (p *rows[T]) Show(states []State, _ []game.Player, _ []State, _ [][]game.Action, obs []T, mask []bool) {
	n := p.players
	d := 2*n + 3
	if obs[n] == 0 { // the elements that never change are to be written
		for i := range states {
			obs[i*d+n], mask[i*int(actions)+int(Roll)] = 1, true
		}
	}
	mask = mask[:len(states)*int(actions)]
	if n == 2 {
		p.showTwo(states, obs, mask)
		return
	}
	for i := range states {
		s := &states[i]
		row := obs[i*d:][:d:d]
		seat := int(s.Seat)
		for k := range n {
			row[k] = p.points[s.Score[seat]]
			if seat++; seat == n {
				seat = 0
			}
		}
		row[2*n] = p.points[s.Total]
		mask[i*int(actions)+int(Hold)] = s.Total > 0
	}
}

// showTwo is Show for two players.
func (p *rows[T]) showTwo(states []State, obs []T, mask []bool) {
	const d = 7
	obs, mask = obs[:d*len(states)], mask[:2*len(states)]
	for i := range states {
		s := &states[i]
		row := (*[d]T)(obs[d*i:])
		seat := s.Seat & 1
		row[0], row[1], row[4] = p.points[s.Score[seat]], p.points[s.Score[seat^1]], p.points[s.Total]
		mask[2*i+int(Hold)] = s.Total > 0
	}
}
