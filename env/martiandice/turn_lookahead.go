package martiandice

import (
	"context"

	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// tabulateTurns returns a policy that plans whole turns in tabular form. The values of all
// starts take the place of those of the solution.
func (s *Solution) tabulateTurns(ctx context.Context, ahead game.Lookahead[State]) (game.TabularPolicy, error) {
	n, p := s.starts.count(), s.starts.players
	by := &Solution{r: s.r, turn: s.turn, starts: s.starts, value: make([]float64, n*p)}
	if err := by.ask(ctx, ahead); err != nil {
		return nil, err
	}
	for range ahead.Turns() {
		value := make([]float64, n*p)
		err := s.turn.forEach(ctx, n, func(start int, l *lane) error {
			dist := make([]float64, s.turn.ends)
			pay, _ := by.plan(l, dist, start)
			for j, v := range expectedShares(pay, dist) {
				value[start*p+j] = v - s.turnCost()
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		by.value = value
	}
	g := s.newTable(make([]float64, n*s.turn.ends), 1)
	return g, s.turn.forEach(ctx, n, func(start int, l *lane) error {
		by.plan(l, g.ending(start), start)
		return nil
	})
}

// ask fills in the values of all starts by a policy.
func (s *Solution) ask(ctx context.Context, ahead game.Lookahead[State]) error {
	const most = 1024 // starts of a call. Chosen: their observations take about a megabyte
	n, p := s.starts.count(), s.starts.players
	return parallel.ForContext(ctx, n, most, func(from, to int) error {
		states := make([]State, to-from)
		for i := range states {
			states[i] = s.turnStart(from + i)
		}
		value := s.value[from*p : to*p]
		if err := ahead.Values(ctx, value, states); err != nil {
			return err
		}
		for i, v := range value {
			value[i] = s.shareOf(v)
		}
		return nil
	})
}

// shareOf is the inverse of ret.
func (s *Solution) shareOf(ret float64) float64 {
	if s.starts.players == 1 {
		return ret
	}
	return s.r.spec.WinShare(ret)
}
