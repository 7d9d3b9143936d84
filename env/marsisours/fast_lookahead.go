package marsisours

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// fastAhead holds the values by which a policy looks one ply ahead (see
// [game.Lookahead]), for games that one seat starts.
type fastAhead struct {
	*fastIndex
	starter uint8
	at      []uint32 // the positions that can come up, in order
	slot    []uint32 // [positions]; index in at
	value   []float64
	rows    int // states that the policy evaluated
}

// newFastAhead asks a policy for the values of all decisions that can come up and backs
// them up.
func newFastAhead(ctx context.Context, x *fastIndex, p game.Lookahead[State], starter uint8) (*fastAhead, error) {
	f := &fastAhead{fastIndex: x, starter: starter, slot: make([]uint32, x.len())}
	f.listReachable()
	f.value = make([]float64, 2*len(f.at))
	if err := f.ask(ctx, p); err != nil {
		return nil, err
	}
	next := make([]float64, len(f.value))
	for range p.Plies() {
		err := parallel.ForContext(ctx, len(f.at), fastBatch, func(from, to int) error {
			for i := from; i < to; i++ {
				pos := f.position(f.at[i])
				if value := (*[2]float64)(next[2*i:]); f.decides(pos) {
					f.best(value, pos)
				} else {
					*value = f.valueOf(f.at[i])
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		f.value, next = next, f.value
		f.passAll()
	}
	return f, nil
}

// listReachable lists the positions that can come up under any play.
func (f *fastAhead) listReachable() {
	w := fastReach{fastIndex: f.fastIndex, set: newBitset(f.len())}
	w.reach(f.indexOf(f.start()))
	for len(w.todo) > 0 {
		at := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		f.at = append(f.at, at)
		if pos := f.position(at); !f.over(pos) {
			w.followAll(pos, f.legal(pos))
		}
	}
	slices.Sort(f.at)
	for i, at := range f.at {
		f.slot[at] = uint32(i)
	}
}

// decides reports whether a seat decides in a position. Otherwise the game is over, or
// the mover passes by the rules.
func (f *fastAhead) decides(pos fastPos) bool {
	return !f.over(pos) && (!f.r.cfg.AutoPass || pos.hand[pos.mover()] > 0)
}

// ask sets the values of the decisions to those of the policy, and those of ends to the
// returns.
func (f *fastAhead) ask(ctx context.Context, p game.Lookahead[State]) error {
	var states []State
	var rows []int // their indices in at
	values := make([]float64, 2*fastBatch)
	flush := func() error {
		f.rows += len(rows)
		if err := p.Values(ctx, values[:2*len(rows)], states); err != nil {
			return err
		}
		for k, i := range rows {
			f.value[2*i], f.value[2*i+1] = values[2*k+int(f.starter)], values[2*k+1-int(f.starter)]
		}
		states, rows = states[:0], rows[:0]
		return nil
	}
	for i, at := range f.at {
		pos := f.position(at)
		switch {
		case f.decides(pos):
			states, rows = append(states, f.decision(pos, f.starter).state), append(rows, i)
		case f.over(pos):
			*(*[2]float64)(f.value[2*i:]) = f.returns(pos)
		}
		if len(rows) == fastBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return fmt.Errorf("values of decisions: %w", err)
	}
	f.passAll()
	return nil
}

// passAll sets the values of positions in which the mover passes by the rules.
func (f *fastAhead) passAll() {
	for i, at := range f.at {
		if pos := f.position(at); !f.decides(pos) && !f.over(pos) {
			l := f.successors(pos)
			*(*[2]float64)(f.value[2*i:]) = f.valueOf(l.pass)
		}
	}
}

// returns are the returns by role if the game ends in a position.
func (f *fastAhead) returns(pos fastPos) [2]float64 {
	share := f.payoff(pos)
	return [2]float64{f.r.spec.Return(share), f.r.spec.Return(1 - share)}
}

// valueOf returns the values of a position by role.
func (f *fastAhead) valueOf(at uint32) [2]float64 {
	return [2]float64(f.value[2*f.slot[at]:])
}

// best returns the best choice of a decision and sets value to its values by role. Ties
// go to the lowest choice, which is the lowest action: the representative is the same
// whoever started, with the seats exchanged.
func (f *fastAhead) best(value *[2]float64, pos fastPos) (best int) {
	var buf [64]float64
	options, moves, l, role := buf[:0], f.legal(pos), f.successors(pos), pos.mover()
	for i := range len(moves) + 1 {
		options = append(options, f.choice(pos, moves, &l, i)[role])
	}
	best = game.BestOption(options)
	*value = f.choice(pos, moves, &l, best)
	return best
}

// choice returns the values by role after a choice.
func (f *fastAhead) choice(pos fastPos, moves []fastMove, l *fastSuccessors, choice int) [2]float64 {
	if choice == len(moves) {
		if l.ends {
			return f.returns(pos)
		}
		return f.valueOf(l.pass)
	}
	m := moves[choice]
	if m.robots == 0 {
		return f.valueOf(f.base[m.to] + l.placed)
	}
	w := f.win[m.robots]
	won, lost := f.valueOf(f.base[m.to]+l.won), f.valueOf(l.lost)
	return [2]float64{float64(w*won[0]) + float64((1-w)*lost[0]), float64(w*won[1]) + float64((1-w)*lost[1])}
}
