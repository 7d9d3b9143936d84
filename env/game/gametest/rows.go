package gametest

import (
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
)

const (
	// rowsPlayed is the number of rows of the batch that checkRows plays, and
	// rowSteps that of its steps. Chosen: no multiple of a vector's length, and enough
	// for games to end in many rows.
	rowsPlayed = 67
	rowSteps   = 300
)

// checkRows plays a batch by Rows and by the plain rules, and compares them.
func (c *checker[S]) checkRows(start S) {
	if len(c.errs) > 0 {
		return
	}
	d := c.spec.ObsLen()
	if c.sampler != nil {
		c.try(start, "Rows", func() {
			if rows := c.sampler.NewRows(rowsPlayed); rows != nil {
				same := func(s S, got, want []float32) bool {
					for k, x := range got {
						if math.Float32bits(x) != math.Float32bits(want[k]) {
							c.failAt(s, "Rows.Show gives Encode of each row", "element %d (%s) is %v, want %v", k, c.field(k), x, want[k])
							return false
						}
					}
					return true
				}
				(&rowChecker[S, float32]{checker: c, rows: rows, d: d, encode: c.rules.Encode, same: same}).run()
			}
		})
	}
	if c.codes != nil {
		c.try(start, "Rows of codes", func() {
			if rows := c.compact.NewCompactRows(rowsPlayed); rows != nil {
				same := func(s S, got, want []uint8) bool {
					if !slices.Equal(got, want) {
						c.failAt(s, "Rows.Show gives EncodeCompact of each row", "got the codes %v, want %v", got, want)
						return false
					}
					return true
				}
				(&rowChecker[S, uint8]{checker: c, rows: rows, d: c.codes.Len(), encode: c.compact.EncodeCompact, same: same}).run()
			}
		})
	}
}

// rowChecker is a batch played in both ways.
type rowChecker[S comparable, T game.DType] struct {
	*checker[S]
	rows   game.Rows[S, T]
	d      int                               // length of an observation
	encode func(dst []T, s S, p game.Player) // an observation
	same   func(s S, got, want []T) bool     // whether the observation of s is as it should be, or a breach

	states  []S        // [N]
	dice    []rand.PCG // [N+1]
	actions []game.Action
	players []game.Player
	shown   []S
	relabel [][]game.Action
	obs     []T    // [N, d]
	mask    []bool // [N, A]
}

func (r *rowChecker[S, T]) run() {
	const n = rowsPlayed
	r.states, r.shown, r.relabel = make([]S, n), make([]S, n), make([][]game.Action, n)
	r.dice, r.actions, r.players = make([]rand.PCG, n+1), make([]game.Action, n), make([]game.Player, n)
	r.obs, r.mask = make([]T, n*r.d), make([]bool, n*r.spec.Actions)
	for i := range r.states {
		r.dice[i].Seed(r.seed, uint64(i))
		r.restart(i)
	}
	choice := rand.New(rand.NewPCG(r.seed, math.MaxUint64-3))
	for step := range rowSteps {
		if !r.show() {
			return
		}
		for i := range r.states {
			legal := r.legal(i)
			r.actions[i] = legal[choice.IntN(len(legal))]
		}
		if step%10 == 0 && !r.refuses(choice.IntN(n), choice) {
			return
		}
		if !r.step() {
			return
		}
	}
	// As after a Reset in the middle of other games.
	clear(r.obs)
	clear(r.mask)
	for i := range r.states {
		r.restart(i)
	}
	r.show()
}

// legal returns the legal actions of the representative of row i.
func (r *rowChecker[S, T]) legal(i int) []game.Action {
	return r.rules.Legal(nil, r.core.Representative(r.states[i]))
}

// played returns the action of the state of row i for that of its representative.
func (r *rowChecker[S, T]) played(i int) game.Action {
	if label := r.relabel[i]; label != nil {
		return label[r.actions[i]]
	}
	return r.actions[i]
}

// restart starts a game in row i.
func (r *rowChecker[S, T]) restart(i int) {
	r.states[i] = r.rules.Initial()
	r.players[i] = r.core.Settle(&r.states[i], &r.dice[i])
}

// refuses checks that Step finds an illegal action in row i and changes nothing.
func (r *rowChecker[S, T]) refuses(i int, choice *rand.Rand) bool {
	was := r.actions[i]
	defer func() { r.actions[i] = was }()
	for legal := r.legal(i); slices.Contains(legal, r.actions[i]); {
		r.actions[i] = game.Action(choice.IntN(r.spec.Actions+2)) - 1
	}
	states, dice := slices.Clone(r.states), slices.Clone(r.dice[:rowsPlayed])
	players := slices.Clone(r.players)
	got := r.rows.Step(r.states, r.actions, r.dice, r.players)
	if got != i {
		r.failAt(states[i], "Rows.Step refuses an illegal action", "action %d in row %d: got row %d", r.actions[i], i, got)
		return false
	}
	if !slices.Equal(states, r.states) || !slices.Equal(dice, r.dice[:rowsPlayed]) || !slices.Equal(players, r.players) {
		r.failAt(states[i], "Rows.Step changes nothing on an illegal action", "action %d in row %d", r.actions[i], i)
		return false
	}
	return true
}

// step compares a step of all rows with that of each.
func (r *rowChecker[S, T]) step() bool {
	before, dice := slices.Clone(r.states), slices.Clone(r.dice)
	if i := r.rows.Step(r.states, r.actions, r.dice, r.players); i >= 0 {
		r.failAt(before[i], "Rows.Step plays legal actions", "it refuses %s", r.action(r.actions[i]))
		return false
	}
	for i, s := range before {
		a := r.played(i)
		want, err := r.rules.Apply(s, a)
		if err != nil {
			return false // a breach of another clause
		}
		who := r.core.Settle(&want, &dice[i])
		if r.states[i] != want || r.players[i] != who || r.dice[i] != dice[i] {
			r.failAt(s, "Rows.Step is Apply and Sample of each row", "after %s got %s, player %d; want %s, player %d, and the generator after it",
				r.action(a), r.text(r.states[i]), r.players[i], r.text(want), who)
			return false
		}
		if who < 0 {
			r.restart(i)
		}
	}
	return true
}

// show compares what all rows show with what each does.
func (r *rowChecker[S, T]) show() bool {
	r.rows.Show(r.states, r.players, r.shown, r.relabel, r.obs, r.mask)
	d, a := r.d, r.spec.Actions
	obs := make([]T, d)
	for i, s := range r.states {
		if r.symmetry != nil {
			rep, relabel := r.symmetry.Canonical(s)
			if r.shown[i] != rep || !slices.Equal(r.relabel[i], relabel) {
				r.failAt(s, "Rows.Show gives Canonical of each row", "got %s, want %s", r.text(r.shown[i]), r.text(rep))
				return false
			}
			s = rep
		}
		r.encode(obs, s, r.players[i])
		if !r.same(s, r.obs[i*d:][:d], obs) {
			return false
		}
		legal := r.rules.Legal(nil, s)
		for k, ok := range r.mask[i*a:][:a] {
			if ok != slices.Contains(legal, game.Action(k)) {
				r.failAt(s, "Rows.Show gives Legal of each row", "%s is %v", r.action(game.Action(k)), ok)
				return false
			}
		}
	}
	return true
}
