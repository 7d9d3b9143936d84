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
	places [][]int  // [numbers][P] in an observation, of each number that each seat has
	drawn  []uint64 // [n] from which the orders of the game in each row follow
	// Scratch memory of show.
	obs, options, numbers []float32
}

// newViews returns the views of n rows. Without on nothing is drawn.
func newViews(spec game.Spec, n int, on bool) *views {
	v := &views{drawn: make([]uint64, n), numbers: make([]float32, spec.Players)}
	if on {
		v.orders, v.places = seatOrders(spec.Players), seatPlaces(spec)
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
	return spec.Players >= leastViews && spec.Players <= mostViews && len(seatPlaces(spec)) > 0
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

// seatPlaces returns the places [P] in an observation of each number that each seat has.
func seatPlaces(spec game.Spec) (all [][]int) {
	at := 0
	for _, f := range spec.Observation {
		for _, n := range f.Seats {
			places := make([]int, spec.Players)
			for k := range places {
				places[k] = at + n.At + k*n.Step
			}
			all = append(all, places)
		}
		at += f.Len
	}
	return all
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
	v.obs, v.options = append(v.obs[:0], obs...), append(v.options[:0], options...)
	v.reorder(v.obs, order)
	for d, rest := len(obs), v.options; len(rest) > 0; rest = rest[d:] {
		v.reorder(rest[:d], order)
	}
	return v.obs, v.options
}

// reorder shows an observation [D] in an order, in place.
func (v *views) reorder(obs []float32, order int) {
	for _, places := range v.places {
		for k, from := range v.orders[order] {
			v.numbers[k] = obs[places[from]]
		}
		for k, x := range v.numbers {
			obs[places[k]] = x
		}
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
	views      *views
	order      []int // [n]
	obs        []float32
	afterstate *env.Afterstates
}

// Obs implements [env.Decisions].
func (s *shownDecisions) Obs() []float32 {
	if s.obs == nil {
		s.obs = slices.Clone(s.Decisions.Obs())
		d := len(s.obs) / len(s.order)
		for i, order := range s.order {
			if order != 0 {
				s.views.reorder(s.obs[i*d:][:d], order)
			}
		}
	}
	return s.obs
}

// Afterstates implements [env.Decisions].
func (s *shownDecisions) Afterstates() *env.Afterstates {
	if s.afterstate == nil {
		a := s.Decisions.Afterstates()
		s.afterstate = &env.Afterstates{Obs: slices.Clone(a.Obs), Action: a.Action, Start: a.Start}
		for i, order := range s.order {
			from, to := a.Start[i], a.Start[i+1]
			if order == 0 || from == to {
				continue
			}
			d := len(a.Obs) / a.Start[len(s.order)]
			for rest := s.afterstate.Obs[from*d : to*d]; len(rest) > 0; rest = rest[d:] {
				s.views.reorder(rest[:d], order)
			}
		}
	}
	return s.afterstate
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
