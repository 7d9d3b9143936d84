package marsisours

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// Regrets implements [game.Solution]: first of the games that seat 0 starts, then of
// those that seat 1 starts. Each seat starts half of all games.
func (s *fastSolution) Regrets(ctx context.Context, p game.Policy[State], seat game.Player, yield func(game.Regret[State]) error) error {
	if seat < 0 || seat > 1 {
		return fmt.Errorf("mars-is-ours: seat %d; want 0 or 1", seat)
	}
	table, err := s.Tabulate(ctx, p)
	if err != nil {
		return err
	}
	for starter := range uint8(2) {
		f := fastVisits{
			fastSolution: s, policy: table.(*fastTabular).byStarter[starter], role: int(uint8(seat) ^ starter), starter: starter,
			pending: make([]float64, s.x.len()), visits: make([]float64, s.x.len()), seen: make([]bool, len(s.x.code)),
		}
		if err := f.run(ctx); err != nil {
			return err
		}
		if err := f.yieldRegrets(ctx, yield); err != nil {
			return err
		}
	}
	return nil
}

// fastVisits computes the expected number of visits per game to each position where
// one role plays a policy and the other best play.
type fastVisits struct {
	*fastSolution
	policy  *fastPolicy
	role    int   // of the policy
	starter uint8 // the seat with role 0
	// visits [positions] are the expected visits that have been passed on to
	// successors, and pending those that have not.
	pending, visits []float64
	seen            []bool // [patterns]; whether a game can come to them
}

// fastVisitTolerance is the sum of pending visits in a component below which the
// sweeps over it end. Chosen: far below the rounding error of the sum.
const fastVisitTolerance = 1e-18

// run computes the visits, from the first layer of a game to the last.
func (f *fastVisits) run(ctx context.Context) error {
	start := f.x.start()
	f.pending[f.x.indexOf(start)], f.seen[start.pattern] = 0.5, true
	for _, l := range slices.Backward(f.x.layers()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, c := range l.classes {
			for _, group := range l.groups {
				backward := f.x.canRecur(0, c.junkyards())
				for n := 0; f.sweep(c, group, backward, 0, 1) > fastVisitTolerance; n++ {
					if n == fastMaxSweeps {
						return fmt.Errorf("mars-is-ours: visits to %d patterns do not converge in %d sweeps", len(group), fastMaxSweeps)
					}
				}
				f.sweep(c, group, true, 2)
				f.sweep(c, group, false, 3)
			}
		}
	}
	return nil
}

// sweep passes on the pending visits of the positions of some turns, in the order of
// [fastEvaluator.sweep], and returns their sum.
func (f *fastVisits) sweep(c fastClass, group []uint32, backward bool, turns ...uint8) (moved float64) {
	for i := range group {
		if backward {
			i = len(group) - 1 - i
		}
		pos, ok := f.x.classPosition(c, group[i])
		if !ok || !f.seen[pos.pattern] {
			continue
		}
		for _, pos.turn = range turns {
			at := f.x.indexOf(pos)
			n := f.pending[at]
			if n == 0 || f.x.over(pos) {
				continue
			}
			f.pending[at] = 0
			f.visits[at] += n
			moved += n
			f.follow(pos, at, n)
		}
	}
	return moved
}

// follow adds n visits of a position to the pending visits of its successors.
func (f *fastVisits) follow(pos fastPos, at uint32, n float64) {
	x, moves, l := f.x, f.x.legal(pos), f.x.successors(pos)
	choose := func(choice int, n float64) {
		if choice < len(moves) {
			f.seen[moves[choice].to] = true
		}
		switch {
		case choice < len(moves) && moves[choice].robots > 0:
			w := x.win[moves[choice].robots]
			f.pending[x.base[moves[choice].to]+l.won] += float64(n * w)
			f.pending[l.lost] += float64(n * (1 - w))
		case choice < len(moves):
			f.pending[x.base[moves[choice].to]+l.placed] += n
		case !l.ends:
			f.pending[l.pass] += n
		}
	}
	switch {
	case len(moves) == 0:
		choose(0, n)
	case pos.mover() != f.role:
		choose(f.best(pos, f.starter), n)
	default:
		for choice, prob := range f.policy.choicesAt(at) {
			choose(choice, float64(n*prob))
		}
	}
}

// yieldRegrets calls yield with each regret of the policy, by position.
func (f *fastVisits) yieldRegrets(ctx context.Context, yield func(game.Regret[State]) error) error {
	unit := f.returnSpan()
	var losses []float64
	for at, reach := range f.visits {
		if reach == 0 {
			continue
		}
		pos := f.x.position(uint32(at))
		if pos.mover() != f.role || len(f.x.legal(pos)) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		losses = f.losses(losses[:0], pos)
		for choice, prob := range f.policy.choicesAt(uint32(at)) {
			loss := losses[choice] * unit
			if loss <= game.Tie {
				continue
			}
			d := f.x.decision(pos, f.starter)
			r := game.Regret[State]{State: d.state, Action: d.action(choice), Best: d.action(f.best(pos, f.starter)), Reach: reach, Prob: prob, Loss: loss}
			if err := yield(r); err != nil {
				return err
			}
		}
	}
	return nil
}
