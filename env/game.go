package env

import (
	"context"
	"fmt"

	"marsgym/env/expert"
	"marsgym/env/game"
	"marsgym/env/internal/core"
	"marsgym/env/search"
)

// Game is the handle of a game under one config. Many goroutines may use it at once.
type Game interface {
	Spec() game.Spec
	// NewBatch returns a batch of rows first to first+rows-1 of a run.
	NewBatch(rows, first int) Batch
	// NewBatchOver is NewBatch with buffers of the caller, which it clears; those that
	// are nil are allocated. It panics if the length of a buffer is wrong.
	NewBatchOver(buf Buffers, rows, first int) Batch
	// Replay plays the actions of a game of a row that was restarted with a seed (see
	// [Batch.Restart]), and calls visit with each position after the first: after each
	// action and each chance transition.
	Replay(seed, row uint64, actions []game.Action, visit func(Position)) error
	// NewExpert returns an expert of rows first to first+rows-1 of a run (see
	// [expert.New]).
	NewExpert(cfg expert.Config, rows, first int) (expert.Expert, error)
	// NewSearch returns a policy that searches each decision. Leaves are evaluated
	// by e or, if e is nil, by rollouts of the game's last bot in BotNames.
	NewSearch(cfg search.Config, e *search.Evaluator) (Policy, error)
	// NewEstimator returns an estimator of values by the searches of NewSearch, which
	// need a number of simulations.
	NewEstimator(cfg search.Config, e *search.Evaluator) (Estimator, error)
	// NewLookahead returns the policy that is greedy on the values of e after some
	// further plies (see [search.NewLookahead]).
	NewLookahead(plies int, e *search.Evaluator) (Policy, error)
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

// NewGame returns the handle of a game, which hides the type of its state.
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

func (h *handle[S]) NewBatch(rows, first int) Batch { return h.NewBatchOver(Buffers{}, rows, first) }

func (h *handle[S]) NewBatchOver(buf Buffers, rows, first int) Batch {
	return newVec(h.rules.Rules, h.tag, rows, first, buf)
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
	return statePolicy[S]{policy}, nil
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
	return &solution[S]{rules: &h.rules, s: s}, nil
}

func (h *handle[S]) NewExpert(cfg expert.Config, rows, first int) (expert.Expert, error) {
	return expert.New(h.rules.Rules, cfg, rows, first)
}

func (h *handle[S]) NewSearch(cfg search.Config, e *search.Evaluator) (Policy, error) {
	p, err := h.newSearch(cfg, e)
	if err != nil {
		return nil, err
	}
	return statePolicy[S]{p}, nil
}

func (h *handle[S]) NewEstimator(cfg search.Config, e *search.Evaluator) (Estimator, error) {
	p, err := h.newSearch(cfg, e)
	if err != nil {
		return nil, err
	}
	return estimator[S]{p}, nil
}

func (h *handle[S]) newSearch(cfg search.Config, e *search.Evaluator) (search.Searcher[S], error) {
	names := h.BotNames()
	bot, err := h.Bot(names[len(names)-1])
	if err != nil {
		return nil, err
	}
	return search.New(h.rules.Rules, cfg, e, bot.(statePolicy[S]).Policy)
}

func (h *handle[S]) NewLookahead(plies int, e *search.Evaluator) (Policy, error) {
	p, err := search.NewLookahead(h.rules.Rules, plies, e)
	if err != nil {
		return nil, err
	}
	return statePolicy[S]{p}, nil
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
