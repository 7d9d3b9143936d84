package web

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

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
	progress atomic.Uint64 // the bits of the part done, 0 to 1
	done     chan struct{} // closed at the end
	solution env.Solution
	err      error
}

// solve returns the solution of a game. The first request for a game starts its solver,
// which goes on when ctx ends; then the error is errSolving.
func (a *App) solve(ctx context.Context, g env.Game) (env.Solution, error) {
	key := g.Spec().RulesHash()
	a.solutions.Lock()
	s := a.solutions.byRules[key]
	if s == nil {
		if !a.solved(g) {
			a.solutions.Unlock()
			return nil, fmt.Errorf("%s: %w", g.Spec().FullTitle(), game.ErrNoSolution)
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
	case <-ctx.Done():
		select {
		case <-s.done:
		default:
			return nil, fmt.Errorf("%w: %w", errSolving, ctx.Err())
		}
	}
	return s.solution, s.err
}

// solveWithin is solve that waits for a time only; then the error is errSolving alone.
func (a *App) solveWithin(ctx context.Context, g env.Game, d time.Duration) (env.Solution, error) {
	wait, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	s, err := a.solve(wait, g)
	if errors.Is(err, errSolving) && ctx.Err() == nil {
		err = errSolving
	}
	return s, err
}

// Solving is how far the solver of a game is.
type Solving struct {
	Done   float64 `json:"done"` // the part that is done, 0 to 1
	Solved bool    `json:"solved"`
}

// solvingOf returns how far the solver of a game is; nil if none was started, or if it has found that
// there is no solution.
func (a *App) solvingOf(g env.Game) *Solving {
	a.solutions.Lock()
	s := a.solutions.byRules[g.Spec().RulesHash()]
	a.solutions.Unlock()
	if s == nil {
		return nil
	}
	select {
	case <-s.done:
		if errors.Is(s.err, game.ErrNoSolution) {
			return nil
		}
		return &Solving{Done: 1, Solved: true}
	default:
		return &Solving{Done: math.Float64frombits(s.progress.Load())}
	}
}

// howFar answers how far the solver of Game for Players is.
func (a *App) howFar(_ context.Context, r *Request) (any, error) {
	g, err := r.Address.open()
	if err != nil {
		return nil, err
	}
	return a.solvingOf(g), nil
}

// errSolving is returned where a request ends before the solver, which continues.
var errSolving = errors.New("the game is still being solved")

// solveAll solves a game. After an error the next request starts again, unless the solver has
// found that there is no solution.
func (a *App) solveAll(ctx context.Context, key string, g env.Game, s *solving) {
	if a.opt.Solve != nil {
		s.solution, s.err = a.opt.Solve(ctx, g)
	} else {
		s.solution, s.err = g.SolveCached(ctx, a.opt.Cache, func(done float64) { s.progress.Store(math.Float64bits(done)) }, nil)
	}
	if s.err != nil && !errors.Is(s.err, game.ErrNoSolution) {
		a.solutions.Lock()
		delete(a.solutions.byRules, key)
		a.solutions.Unlock()
	}
	close(s.done)
}
