package env

import (
	"context"
	"fmt"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// Game is the handle of a game under one config. Many goroutines may use it at once.
type Game interface {
	Spec() game.Spec
	// Rules returns the rules, a [game.Rules] of the type of their state.
	Rules() any
	// NewBatch returns a batch of rows first to first+rows-1 of a run.
	NewBatch(rows, first int) Batch
	// NewBatchOver is NewBatch with buffers of the caller, which it clears; those that
	// are nil are allocated. It panics if the length of a buffer is wrong.
	NewBatchOver(buf Buffers, rows, first int) Batch
	// Codes returns how bytes stand for observations, or an error that wraps
	// [game.ErrNoCodes]. NewCompactBatch is NewBatchOver of a batch that shows
	// Buffers.Codes instead of Buffers.Obs, with the same error.
	Codes() (*game.Codes, error)
	NewCompactBatch(buf Buffers, rows, first int) (Batch, error)
	// Initial returns the position at the start of a game.
	Initial() Position
	// Parse reads a position in the game's notation.
	Parse(text string) (Position, error)
	// ActionName names an action.
	ActionName(a game.Action) string
	// BotNames lists the bots: "random", which every game has, then the game's own,
	// such as "greedy". Bot returns one of them.
	BotNames() []string
	Bot(name string) (Policy, error)
	// Solve returns the exact solution, or an error that wraps game.ErrNoSolution.
	// It calls progress, if not nil, with the fraction done.
	Solve(ctx context.Context, progress func(done float64)) (Solution, error)
	// SolveCached is Solve with a solution file in a folder, where the game has a
	// [game.ResumableSolver]. It loads a complete solution, resumes an unfinished one,
	// and saves its state when it ends or is cancelled. An error that wraps
	// ErrSolutionFile means that the file is damaged or its values are wrong (see
	// [SolutionFile]). If the folder cannot be used, the game is still solved, and
	// warn, if not nil, is called once with an error that wraps ErrNotCached: before the
	// solver starts or, if the first write to fail is a later one, after that.
	SolveCached(ctx context.Context, dir string, progress func(done float64), warn func(error)) (Solution, error)
	// DecodeSolution returns the solution in the content of a complete solution file. It
	// checks for damage, but no optimality equation: the content must be trusted.
	DecodeSolution(ctx context.Context, b []byte) (Solution, error)
	// TableSize returns the number of rows of the table of a policy, and that of numbers in
	// a row; ok is false for a game without such tables (see [game.ResumableSolver]).
	// TabulateRows returns the rows from <= i < to [to-from, width].
	TableSize() (rows, width int, ok bool)
	TabulateRows(ctx context.Context, p Policy, from, to int) ([]float64, error)
	// OddsTables answers a question about the odds of a part of the game (see
	// [game.OddsTables]), or returns an error that wraps game.ErrNoOdds.
	OddsTables(question string) ([]game.Table, error)
	// Estimate returns the cost of a solution, where the game has a
	// [game.ResumableSolver].
	Estimate() (e game.Estimate, ok bool)
}

// NewGame returns the handle of a game, which hides the type of its state. If the game is not
// in env/catalog, the handle cannot be searched, as that of search.NewGame can, or trained by
// expert iteration, as that of expert.NewGame.
func NewGame[S comparable](rules game.Rules[S]) Game {
	h := &handle[S]{rules: core.New(rules), spec: rules.Spec()}
	h.tag = onceTag(h.spec)
	return h
}

type handle[S comparable] struct {
	rules core.Rules[S]
	spec  game.Spec
	tag   func() uint32 // rulesTag, for all batches
}

func (h *handle[S]) Spec() game.Spec { return h.spec }

func (h *handle[S]) Rules() any { return h.rules.Rules }

func (h *handle[S]) NewBatch(rows, first int) Batch { return h.NewBatchOver(Buffers{}, rows, first) }

func (h *handle[S]) NewBatchOver(buf Buffers, rows, first int) Batch {
	return newVec(h.rules.Rules, h.tag, rows, first, buf, nil)
}

func (h *handle[S]) Codes() (*game.Codes, error) {
	_, codes, err := compactEncoder(h.rules.Rules)
	return codes, err
}

func (h *handle[S]) NewCompactBatch(buf Buffers, rows, first int) (Batch, error) {
	compact, _, err := compactEncoder(h.rules.Rules)
	if err != nil {
		return nil, err
	}
	return newVec(h.rules.Rules, h.tag, rows, first, buf, compact), nil
}

func (h *handle[S]) Initial() Position { return position[S]{&h.rules, h.rules.Initial()} }

func (h *handle[S]) Parse(text string) (Position, error) {
	if h.rules.Presenter == nil {
		return nil, fmt.Errorf("%s has no notation for positions", h.spec.ID)
	}
	s, err := h.rules.Presenter.Parse(text)
	if err != nil {
		return nil, err
	}
	return position[S]{&h.rules, s}, nil
}

func (h *handle[S]) ActionName(a game.Action) string {
	return h.rules.ActionName(a)
}

func (h *handle[S]) BotNames() []string { return h.rules.BotNames() }

func (h *handle[S]) Bot(name string) (Policy, error) {
	policy, err := h.rules.Bot(name)
	if err != nil {
		return nil, err
	}
	return StatePolicy[S]{policy}, nil
}

func (h *handle[S]) Solve(ctx context.Context, progress func(float64)) (Solution, error) {
	solver, ok := h.rules.Rules.(game.Solver[S])
	if !ok {
		return nil, fmt.Errorf("%s: %w", h.spec.ID, game.ErrNoSolution)
	}
	s, err := solver.Solve(ctx, progress)
	if err != nil {
		return nil, err
	}
	return &solution[S]{s, &h.rules}, nil
}

func (h *handle[S]) TableSize() (rows, width int, ok bool) {
	t, ok := h.rules.Rules.(game.ResumableSolver[S])
	if ok {
		rows, width = t.TableSize()
	}
	return rows, width, rows > 0
}

func (h *handle[S]) TabulateRows(ctx context.Context, p Policy, from, to int) ([]float64, error) {
	t, ok := h.rules.Rules.(game.ResumableSolver[S])
	if !ok {
		return nil, fmt.Errorf("%s has no tables: %w", h.spec.ID, game.ErrNoSolution)
	}
	return t.TabulateRows(ctx, policyOverStates(&h.rules, p), from, to)
}

func (h *handle[S]) OddsTables(question string) ([]game.Table, error) {
	if o, ok := h.rules.Rules.(game.OddsTables); ok {
		return o.OddsTables(question)
	}
	return nil, fmt.Errorf("%s: %w", h.spec.ID, game.ErrNoOdds)
}
