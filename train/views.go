package train

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
)

// views show each seat the other seats in an order that is drawn for each game, as if those
// had changed places: what they hold is exchanged, who plays after whom is not. Networks
// that play themselves then cannot agree by the order of play on whom to attack, an
// agreement that other players do not keep.
//
// Source: Hu et al., "Other-Play" for zero-shot coordination, arXiv:2003.02979, where the
// symmetries of a game have the place of these orders.
type views struct {
	// orders are all orders of the P seats from the viewer's on, which stays the first:
	// seat orders[v][k] is shown as the seat k. The first order changes nothing, and is the
	// only one without other-play.
	orders [][]int
	moves  [][]move // of each order, in an observation
	drawn  []uint64 // [n] from which the orders of the game in each row follow

	obs, options []float32 // scratch memory of show
}

// move is a number of an observation that an order shows in another place.
type move struct{ from, to int32 }

// newViews returns the views of n rows. Without on nothing is drawn.
func newViews(spec game.Spec, n int, on bool) *views {
	v := &views{drawn: make([]uint64, n)}
	if on {
		v.orders = seatOrders(spec.Players)
		for _, order := range v.orders {
			v.moves = append(v.moves, orderMoves(spec, order))
		}
		return v
	}
	asInPlay := make([]int, spec.Players)
	for k := range asInPlay {
		asInPlay[k] = k
	}
	v.orders = [][]int{asInPlay}
	return v
}

// Numbers of players of a game in which there are several orders, and one draw of 64 bits
// decides those of all seats.
const leastViews, mostViews = 3, 6

// hasViews reports whether a game has other seats to exchange.
func hasViews(spec game.Spec) bool {
	return spec.Players >= leastViews && spec.Players <= mostViews &&
		slices.ContainsFunc(spec.Observation, func(f game.Field) bool { return len(f.Seats) > 0 })
}

// seatOrders returns all orders of P seats that begin with seat 0, in lexical order.
func seatOrders(players int) (all [][]int) {
	order := make([]int, 1, players)
	var add func()
	add = func() {
		if len(order) == players {
			all = append(all, slices.Clone(order))
		}
		for seat := 1; seat < players; seat++ {
			if !slices.Contains(order, seat) {
				order = append(order, seat)
				add()
				order = order[:len(order)-1]
			}
		}
	}
	add()
	return all
}

// orderMoves returns the moves of an order.
func orderMoves(spec game.Spec, order []int) (moves []move) {
	at := 0
	for _, f := range spec.Observation {
		for _, n := range f.Seats {
			for to, from := range order {
				if to != from {
					moves = append(moves, move{int32(at + n.At + from*n.Step), int32(at + n.At + to*n.Step)})
				}
			}
		}
		at += f.Len
	}
	return moves
}

// newGame draws the orders of the game that begins in row i from the row's own generator.
func (v *views) newGame(i int, noise *rand.PCG) {
	if len(v.orders) > 1 {
		v.drawn[i] = noise.Uint64()
	}
}

// order returns the number of the order in which a seat sees the others in row i.
func (v *views) order(i int, seat game.Player) int {
	n, x := uint64(len(v.orders)), v.drawn[i]
	for range seat {
		x /= n
	}
	return int(x % n)
}

// show returns an observation [D], and those of its options [m, D], in an order. They are
// valid until the next call.
func (v *views) show(obs, options []float32, order int) ([]float32, []float32) {
	if order == 0 {
		return obs, options
	}
	d := len(obs)
	v.obs, v.options = resize(v.obs, d), resize(v.options, len(options))
	v.reorder(v.obs, obs, order)
	for at := 0; at < len(options); at += d {
		v.reorder(v.options[at:at+d], options[at:at+d], order)
	}
	return v.obs, v.options
}

// reorder fills dst [D] with an observation [D] in an order.
func (v *views) reorder(dst, obs []float32, order int) {
	copy(dst, obs)
	for _, m := range v.moves[order] {
		dst[m.to] = obs[m.from]
	}
}

// toView fills dst [P] with values [P] in the order of play, as an order shows the seats.
func (v *views) toView(dst, values []float32, order int) {
	for k, from := range v.orders[order] {
		dst[k] = values[from]
	}
}

// fromView undoes toView.
func (v *views) fromView(dst, values []float32, order int) {
	for k, to := range v.orders[order] {
		dst[to] = values[k]
	}
}

// decisions returns decisions of some rows as the seats to move see them, for policies that
// read observations only.
func (v *views) decisions(b env.Batch, rows []int) env.Decisions {
	d := b.Decisions(rows)
	if len(v.orders) == 1 {
		return d
	}
	s := &shownDecisions{Decisions: d, views: v}
	for _, i := range rows {
		s.order = append(s.order, v.order(i, b.Buffers().Player[i]))
	}
	return s
}

// shownDecisions are decisions whose observations come in the order of each.
type shownDecisions struct {
	env.Decisions
	views *views
	order []int // [n]
	obs   []float32
	after *env.Afterstates
}

// Obs implements [env.Decisions].
func (s *shownDecisions) Obs() []float32 {
	if s.obs == nil {
		obs := s.Decisions.Obs()
		s.obs = make([]float32, len(obs))
		d := len(obs) / len(s.order)
		for i, order := range s.order {
			s.views.reorder(s.obs[i*d:][:d], obs[i*d:][:d], order)
		}
	}
	return s.obs
}

// Afterstates implements [env.Decisions].
func (s *shownDecisions) Afterstates() *env.Afterstates {
	if s.after == nil {
		a := s.Decisions.Afterstates()
		s.after = &env.Afterstates{Obs: make([]float32, len(a.Obs)), Action: a.Action, Start: a.Start}
		d := len(a.Obs) / a.Start[len(s.order)]
		for i, order := range s.order {
			for at := a.Start[i] * d; at < a.Start[i+1]*d; at += d {
				s.views.reorder(s.after.Obs[at:at+d], a.Obs[at:at+d], order)
			}
		}
	}
	return s.after
}

// viewsBlob is the name of the views of all rows in a checkpoint.
const viewsBlob = "views"

// saveViews adds the views of rollouts to a checkpoint.
func saveViews(blobs map[string][]byte, rollouts []*rollout) (err error) {
	if len(rollouts[0].views.orders) == 1 {
		return nil
	}
	var drawn [][]uint64
	for _, r := range rollouts {
		drawn = append(drawn, r.views.drawn)
	}
	blobs[viewsBlob], err = json.Marshal(drawn)
	return err
}

// restoreViews reads what saveViews wrote.
func restoreViews(blobs map[string][]byte, rollouts []*rollout) error {
	if len(rollouts[0].views.orders) == 1 {
		return nil
	}
	var drawn [][]uint64
	if err := json.Unmarshal(blobs[viewsBlob], &drawn); err != nil {
		return fmt.Errorf("views: %w", err)
	}
	if len(drawn) != len(rollouts) {
		return fmt.Errorf("views: %d shards; want %d", len(drawn), len(rollouts))
	}
	for k, r := range rollouts {
		if len(drawn[k]) != r.n {
			return fmt.Errorf("views: %d rows in shard %d; want %d", len(drawn[k]), k, r.n)
		}
		copy(r.views.drawn, drawn[k])
	}
	return nil
}
