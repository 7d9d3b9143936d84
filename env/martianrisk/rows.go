package martianrisk

import (
	"math/bits"
	"math/rand/v2"

	"marsgym/env/game"
)

// rows plays all rows of a batch. It changes states in place, and as long as the mover
// stays, it changes the regions and borders of an observation only where the state has
// changed: in a battle two of up to 42 regions.
type rows struct {
	r     *Rules
	next  []State   // [N] scratch of Step
	seen  []seenRow // [N]
	legal []game.Action
}

// seenRow is a row in the last Show.
type seenRow struct {
	state  State
	armies [maxPlayers]int // of each seat on the map
}

// NewRows implements [game.RowPlayer].
func (r *Rules) NewRows(n int) game.Rows[State] {
	return &rows{r: r, next: make([]State, n), seen: make([]seenRow, n), legal: make([]game.Action, 0, r.spec.Actions)}
}

// Step implements [game.Rows].
func (w *rows) Step(states []State, actions []game.Action, dice []rand.PCG, players []game.Player) int {
	r := w.r
	for i, a := range actions {
		w.next[i] = states[i]
		if r.apply(&w.next[i], a) != nil {
			return i
		}
	}
	limit := r.spec.ChanceLimit()
	for i := range states {
		s := &states[i]
		*s = w.next[i]
		who := s.player()
		for k := 0; k < limit && who == game.Chance; k++ {
			r.sample(s, &dice[i])
			who = s.player()
		}
		players[i] = who
	}
	return -1
}

// Show implements [game.Rows].
func (w *rows) Show(states []State, players []game.Player, _ []State, _ [][]game.Action, obs []float32, mask []bool) {
	r, d, n := w.r, len(obs)/len(states), w.r.spec.Actions
	// The viewer is the mover, so that its element is zero only before the first Show.
	fresh := obs[r.n*r.stride()+2*len(r.board.edges)+6*r.cfg.Players] == 0
	clear(mask)
	for i := range states {
		s, was, row := &states[i], &w.seen[i], obs[i*d:][:d:d]
		if fresh || s.Mover != was.state.Mover {
			was.armies = r.encode(row, s, players[i])
		} else {
			r.encodeChanges(row, s, was)
		}
		was.state = *s
		w.legal = r.appendLegal(w.legal[:0], s)
		legal := mask[i*n:][:n]
		for _, a := range w.legal {
			legal[a] = true
		}
	}
}

// encodeChanges encodes s, seen by its mover, over the observation of another state with
// the same mover.
func (r *Rules) encodeChanges(dst []float32, s *State, was *seenRow) {
	old := &was.state
	changed := (s.Large ^ old.Large) | (s.Medium ^ old.Medium) | (s.Small ^ old.Small) |
		1<<s.From | 1<<s.To | 1<<old.From | 1<<old.To
	for p, own := range s.Own {
		changed |= own ^ old.Own[p]
	}
	for k := range r.n {
		if s.Armies[k] != old.Armies[k] {
			changed |= 1 << k
		}
	}
	for p, own := range s.Own {
		if (own|old.Own[p])&changed != 0 {
			was.armies[p] = s.onMap(uint8(p))
		}
	}
	stride, taken := r.stride(), r.board.all&^r.unoccupied(s)
	borders := dst[r.n*stride:]
	for set := changed; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set)
		r.encodeRegion(dst[k*stride:][:stride], s, k)
		for near := r.board.adj[k]; near != 0; near &= near - 1 {
			v := bits.TrailingZeros64(near)
			r.encodeBorder(borders, s, taken, k, v)
			r.encodeBorder(borders, s, taken, v, k)
		}
	}
	seats := borders[2*len(r.board.edges):]
	clear(seats)
	r.encodeSeats(seats, s, game.Player(s.Mover), &was.armies)
}

// encodeRegion encodes region k, seen by the mover.
func (r *Rules) encodeRegion(dst []float32, s *State, k int) {
	clear(dst)
	p := r.cfg.Players
	if owner := s.owner(k); owner >= 0 {
		i := owner - int(s.Mover)
		if i < 0 {
			i += p
		}
		dst[i] = 1
		dst[p+i] = float32(s.Armies[k]) * (1. / manyArmies)
	}
	dst = dst[2*p:]
	dst[0], dst[1], dst[2] = float32(s.Large>>k&1), float32(s.Medium>>k&1), float32(s.Small>>k&1)
	if s.Phase != Small && s.From != s.To && int(s.From) == k {
		dst[3] = 1
	}
	if (s.From != s.To || s.Phase == Small) && int(s.To) == k {
		dst[4] = 1
	}
}

// encodeBorder encodes the border from u to v, seen by the mover. Some seat holds the
// regions of taken.
func (r *Rules) encodeBorder(borders []float32, s *State, taken uint64, u, v int) {
	odds := (*[2]float32)(borders[2*r.board.edge(u, v):])
	*odds = [2]float32{}
	own := s.Own[s.Mover]
	mine, yours := own>>u&1, own>>v&1
	if s.Armies[u] < 2 || taken>>v&1 == 0 || mine == yours {
		return
	}
	odds[1-mine] = float32(r.conquestOdds(s, u, v, 0))
}
