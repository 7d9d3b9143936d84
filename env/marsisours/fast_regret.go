package marsisours

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// Regrets implements [game.Solution]: first of the games that seat 0 starts, then of
// the others, which are as many.
func (s *FastSolution) Regrets(ctx context.Context, p game.Policy[State], seat game.Player, yield func(game.Regret[State]) error) error {
	if seat < 0 || seat > 1 {
		return fmt.Errorf("mars-is-ours: seat %d; want 0 or 1", seat)
	}
	st, err := s.Tabulate(ctx, p)
	if err != nil {
		return err
	}
	for starter := range uint8(2) {
		f := fastFlow{
			FastSolution: s, play: st.(*fastStrategy).by[starter], role: int(uint8(seat) ^ starter), starter: starter,
			in: make([]float64, s.x.len()), visits: make([]float64, s.x.len()), come: make([]bool, len(s.x.code)),
		}
		if err := f.run(ctx); err != nil {
			return err
		}
		if err := f.price(ctx, yield); err != nil {
			return err
		}
	}
	return nil
}

// fastFlow follows the games in which one role plays like that and the other
// its best.
type fastFlow struct {
	*FastSolution
	play    *fastPlay
	role    int   // of the play
	starter uint8 // the seat that has role 0
	// in [positions] is how often a game comes to a position from where it has
	// been followed to, and visits how often it has been followed on from there.
	in, visits []float64
	come       []bool // [patterns] that games come to
}

// fastSpent is how often a game may still come up in a component that it is no
// longer followed in. Chosen: far below the rounding of the sum.
const fastSpent = 1e-18

// run follows games from the first layer to the last.
func (f *fastFlow) run(ctx context.Context) error {
	start := f.x.start()
	f.in[f.x.at(start)], f.come[start.pattern] = 0.5, true
	for _, l := range slices.Backward(f.x.layers()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, c := range l.classes {
			for _, group := range l.groups {
				backward := f.x.stays(0, c.left())
				for n := 0; f.sweep(c, group, backward, 0, 1) > fastSpent; n++ {
					if n == fastSweeps {
						return fmt.Errorf("mars-is-ours: a game goes on and on in %d patterns", len(group))
					}
				}
				f.sweep(c, group, true, 2)
				f.sweep(c, group, false, 3)
			}
		}
	}
	return nil
}

// sweep follows games on from the positions of some turns, in the order of
// [fastPricing.sweep], and returns how many.
func (f *fastFlow) sweep(c fastClass, group []uint32, backward bool, turns ...uint8) (moved float64) {
	for i := range group {
		if backward {
			i = len(group) - 1 - i
		}
		pos, ok := f.x.of(c, group[i])
		if !ok || !f.come[pos.pattern] {
			continue
		}
		for _, pos.turn = range turns {
			at := f.x.at(pos)
			n := f.in[at]
			if n == 0 || f.x.over(pos) {
				continue
			}
			f.in[at] = 0
			f.visits[at] += n
			moved += n
			f.follow(pos, at, n)
		}
	}
	return moved
}

// follow follows n games on from a position.
func (f *fastFlow) follow(pos fastPos, at uint32, n float64) {
	x, moves, l := f.x, f.x.legal(pos), f.x.leads(pos)
	choose := func(choice int, n float64) {
		if choice < len(moves) {
			f.come[moves[choice].to] = true
		}
		switch {
		case choice < len(moves) && moves[choice].robots > 0:
			w := x.win[moves[choice].robots]
			f.in[x.base[moves[choice].to]+l.won] += n * w
			f.in[l.lost] += n * (1 - w)
		case choice < len(moves):
			f.in[x.base[moves[choice].to]+l.placed] += n
		case !l.ends:
			f.in[l.pass] += n
		}
	}
	switch {
	case len(moves) == 0:
		choose(0, n)
	case pos.mover() != f.role:
		choose(f.best(pos, f.starter), n)
	default:
		for choice, prob := range f.play.choicesAt(at) {
			choose(choice, n*prob)
		}
	}
}

// price lists what the play loses, by position.
func (f *fastFlow) price(ctx context.Context, yield func(game.Regret[State]) error) error {
	unit := f.unit()
	var losses []float64
	for at, reach := range f.visits {
		if reach == 0 {
			continue
		}
		pos := f.x.pos(uint32(at))
		if pos.mover() != f.role || len(f.x.legal(pos)) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		losses = f.losses(losses[:0], pos)
		for choice, prob := range f.play.choicesAt(uint32(at)) {
			loss := losses[choice] * unit
			if loss <= game.Tie {
				continue
			}
			l := f.x.labels(pos, f.starter)
			r := game.Regret[State]{State: l.state, Action: l.action(choice), Best: l.action(f.best(pos, f.starter)), Reach: reach, Prob: prob, Loss: loss}
			if err := yield(r); err != nil {
				return err
			}
		}
	}
	return nil
}
