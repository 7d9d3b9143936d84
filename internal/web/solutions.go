package web

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"marsgym/env"
	"marsgym/env/game"
)

// maxSolution bounds the memory of the values of a solution, in bytes. Chosen: Martian
// Dice for four has 122 MB.
const maxSolution = 1 << 29

// solutions holds the solved games by rules hash.
type solutions struct {
	sync.Mutex
	byRules map[string]*solving
}

// solving is a game that is being solved, or is solved.
type solving struct {
	done     chan struct{} // closed at the end
	solution env.Solution
	err      error
}

// solve returns the solution of a game. The first request for a game starts its solver,
// which goes on when the request ends.
func (a *App) solve(ctx context.Context, g env.Game) (env.Solution, error) {
	key := g.Spec().RulesHash()
	a.solutions.Lock()
	s := a.solutions.byRules[key]
	if s == nil {
		if !a.solved(g) {
			a.solutions.Unlock()
			return nil, fmt.Errorf("%s for %d: %w", g.Spec().Title, g.Spec().Players, game.ErrNoSolution)
		}
		s = &solving{done: make(chan struct{})}
		if a.solutions.byRules == nil {
			a.solutions.byRules = map[string]*solving{}
		}
		a.solutions.byRules[key] = s
		go a.solveAll(context.WithoutCancel(ctx), key, g, s)
	}
	a.solutions.Unlock()
	select {
	case <-s.done:
		return s.solution, s.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", errSolving, ctx.Err())
	}
}

// errSolving is returned where a request ends before the solver, which continues.
var errSolving = errors.New("the game is still being solved")

// solveAll solves a game. After an error the next request starts again, unless the solver has
// found that there is no solution.
func (a *App) solveAll(ctx context.Context, key string, g env.Game, s *solving) {
	if a.opt.Solve != nil {
		s.solution, s.err = a.opt.Solve(ctx, g)
	} else {
		s.solution, s.err = g.SolveCached(ctx, a.opt.Cache, nil, nil)
	}
	if s.err != nil && !errors.Is(s.err, game.ErrNoSolution) {
		a.solutions.Lock()
		delete(a.solutions.byRules, key)
		a.solutions.Unlock()
	}
	close(s.done)
}
