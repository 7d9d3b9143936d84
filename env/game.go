package env

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"marsgym/env/game"
)

// Game is the handle of a game under one config. It may be used by many
// goroutines at once.
type Game interface {
	Spec() game.Spec
	// NewBatch returns a batch of rows first to first+rows-1 of a run.
	NewBatch(rows, first int) Batch
	// NewExpert returns an expert of rows first to first+rows-1 of a run, or an
	// error that wraps ErrNoPlanner where the game cannot be searched so.
	NewExpert(cfg ExpertConfig, rows, first int) (Expert, error)
	// NewSearch returns a player that searches ahead, led by a network or, if
	// guide is nil, by games played to their end.
	NewSearch(cfg SearchConfig, guide *Guide) (Policy, error)
	// Initial is the position before anything has happened.
	Initial() Position
	// Parse reads a position in the game's notation.
	Parse(text string) (Position, error)
	// ActionName names an action.
	ActionName(a game.Action) string
	// PlayerNames lists the players that every game has ("random") and the
	// game's own, such as "greedy"; Player returns one of them.
	BotNames() []string
	Bot(name string) (Policy, error)
	// Solve returns the exact solution, or an error that wraps
	// game.ErrNoSolution. It calls progress, where not nil, with the share done.
	Solve(ctx context.Context, progress func(done float64)) (Solution, error)
	// SolveIn is Solve with the solution kept in a folder, if it is worth it: it
	// loads what is there, goes on with what is unfinished, and saves what it
	// has when it ends or is cancelled. An error that wraps ErrSolutionFile
	// means that the file is damaged, or its values are wrong (see
	// [SolutionFile]). Where the folder cannot be used the game is solved all the
	// same, and warn, if not nil, is called once with an error that wraps
	// ErrNotKept: before the work, if that can be told, else once a write fails.
	SolveCached(ctx context.Context, dir string, progress func(done float64), warn func(error)) (Solution, error)
	// Odds answers a question about the odds of a part of the game (see
	// [game.OddsTables]), or returns an error that wraps game.ErrNoOdds.
	OddsTables(question string) ([]game.Table, error)
	// Estimate says what a solution takes, if it is worth keeping.
	Estimate() (e game.Estimate, ok bool)
}

// Of erases the state of a game's rules.
func NewGame[S comparable](rules game.Rules[S]) Game {
	h := &handle[S]{kit: newKit(rules), spec: rules.Spec()}
	h.notation, _ = rules.(game.Notation[S])
	return h
}

type handle[S comparable] struct {
	kit[S]
	spec     game.Spec
	notation game.Notation[S] // or nil
}

func (h *handle[S]) Spec() game.Spec { return h.spec }

func (h *handle[S]) NewBatch(rows, first int) Batch { return NewVec(h.rules, rows, first) }

func (h *handle[S]) Initial() Position { return position[S]{&h.kit, h.rules.Initial()} }

func (h *handle[S]) Parse(text string) (Position, error) {
	if h.notation == nil {
		return nil, fmt.Errorf("%s has no notation for positions", h.spec.ID)
	}
	s, err := h.notation.Parse(text)
	if err != nil {
		return nil, err
	}
	return position[S]{&h.kit, s}, nil
}

func (h *handle[S]) ActionName(a game.Action) string {
	return h.actionName(a)
}

// random is the name of the player that every game has.
const random = "random"

func (h *handle[S]) BotNames() []string {
	names := []string{random}
	if p, ok := h.rules.(game.Bots[S]); ok {
		names = append(names, p.BotNames()...)
	}
	return names
}

func (h *handle[S]) Bot(name string) (Policy, error) {
	if name == random {
		return statePolicy[S]{game.Uniform[S]{Rules: h.rules}}, nil
	}
	if p, ok := h.rules.(game.Bots[S]); ok && slices.Contains(p.BotNames(), name) {
		policy, err := p.Bot(name)
		if err != nil {
			return nil, err
		}
		return statePolicy[S]{policy}, nil
	}
	return nil, fmt.Errorf("%s has no player %q; it has %s", h.spec.ID, name, strings.Join(h.BotNames(), ", "))
}

func (h *handle[S]) Solve(ctx context.Context, progress func(float64)) (Solution, error) {
	solver, ok := h.rules.(game.Solver[S])
	if !ok {
		return nil, fmt.Errorf("%s: %w", h.spec.ID, game.ErrNoSolution)
	}
	s, err := solver.Solve(ctx, progress)
	if err != nil {
		return nil, err
	}
	return &solution[S]{kit: &h.kit, s: s}, nil
}

func (h *handle[S]) OddsTables(question string) ([]game.Table, error) {
	if b, ok := h.rules.(game.OddsTables); ok {
		return b.OddsTables(question)
	}
	return nil, fmt.Errorf("%s: %w", h.spec.ID, game.ErrNoOdds)
}
