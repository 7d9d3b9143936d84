package env

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"marsgym/env/game"
	"marsgym/internal/atomicfile"
)

// ErrNotCached is wrapped by the errors of a folder in which a solution cannot be
// stored.
var ErrNotCached = errors.New("the solution is not stored")

// Between two writes of an unfinished solution there is at least saveInterval, and
// savePause times the time of the last write. Chosen: a crash loses a minute of work, and
// a large solution, which takes half a minute to write, is slowed down by a thirtieth.
const (
	saveInterval = time.Minute
	savePause    = 30
)

// equationsChecked is the number of optimality equations of a solution file that are
// checked. Chosen: they take a tenth of a second of one core.
const equationsChecked = 2048

func (h *handle[S]) Estimate() (game.Estimate, bool) {
	if k, ok := h.rules.Rules.(game.ResumableSolver[S]); ok {
		return k.Estimate(), true
	}
	return game.Estimate{}, false
}

func (h *handle[S]) SolveCached(ctx context.Context, dir string, progress func(float64), warn func(error)) (Solution, error) {
	k, ok := h.rules.Rules.(game.ResumableSolver[S])
	if !ok || dir == "" {
		return h.Solve(ctx, progress)
	}
	values, steps, err := k.StateSize()
	if errors.Is(err, game.ErrNoSolution) {
		return h.Solve(ctx, progress) // it may have a solution that is not stored
	}
	if err != nil {
		return nil, err
	}
	f := &solutionFile{SolutionFile(dir, h.spec), h.spec, values, steps}
	warned := false
	notCached := func(err error) {
		if warn != nil && !warned {
			warn(fmt.Errorf("%w: %w", ErrNotCached, err))
		}
		warned = true
	}
	w, err := f.begin()
	if errors.Is(err, ErrSolutionFile) {
		return nil, err
	}
	if err != nil {
		notCached(err)
		return h.Solve(ctx, progress)
	}
	resumed, complete := w.Next > 0, w.Done == 1
	next := time.Now().Add(saveInterval)
	s, err := k.SolveFrom(ctx, w, func(done float64) {
		if progress != nil {
			progress(done)
		}
		if begun := time.Now(); begun.After(next) && done < 1 {
			if err := f.save(w); err != nil {
				notCached(err)
			}
			next = time.Now().Add(max(saveInterval, savePause*time.Since(begun)))
		}
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if err == nil && resumed {
		if err := verify(ctx, f, s, w); err != nil {
			return nil, err
		}
	}
	if !complete && w.Next > 0 {
		if err := f.save(w); err != nil {
			notCached(err)
		}
	}
	if err != nil {
		return nil, err
	}
	return &solution[S]{s, &h.rules}, nil
}

func (h *handle[S]) DecodeSolution(ctx context.Context, b []byte) (Solution, error) {
	k, ok := h.rules.Rules.(game.ResumableSolver[S])
	if !ok {
		return nil, fmt.Errorf("%s has no solution files: %w", h.spec.ID, game.ErrNoSolution)
	}
	values, steps, err := k.StateSize()
	if err != nil {
		return nil, err
	}
	f := &solutionFile{"the content", h.spec, values, steps}
	w, err := f.read(bytes.NewReader(b), int64(len(b)))
	if err == nil && w.Done != 1 {
		err = f.refuse(errors.New("it is not complete"))
	}
	if err != nil {
		return nil, err
	}
	s, err := k.SolveFrom(ctx, w, nil)
	if err != nil {
		return nil, err
	}
	return &solution[S]{s, &h.rules}, nil
}

// begin returns the state that the file holds, or the zero state. Unless it is
// complete, begin checks that the file can be written.
func (f *solutionFile) begin() (*game.SolverState, error) {
	atomicfile.Clean(f.path)
	w, err := f.load()
	if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && w.Done == 1 {
		return w, err
	}
	if err != nil {
		w = new(game.SolverState)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
		return nil, err
	}
	return w, atomicfile.Probe(f.path)
}

// verify checks a sample of the optimality equations of a solution that comes from a
// file. The allowed violation is the residual and the rounding of other processors:
// some thousand operations at 10⁻¹⁶.
func verify[S comparable](ctx context.Context, f *solutionFile, s game.StoredSolution[S], w *game.SolverState) error {
	numbers := make([]int, min(s.Equations(), equationsChecked))
	r := rand.New(rand.NewPCG(0, 0)) // the same sample each time
	for i := range numbers {
		if numbers[i] = i; s.Equations() > equationsChecked {
			numbers[i] = r.IntN(s.Equations())
		}
	}
	off, err := s.Violation(ctx, numbers)
	if err != nil {
		return err
	}
	if most := w.Residual + float64(game.Tie*scale(w)); !(off <= most) {
		return f.refuse(fmt.Errorf("its values violate the optimality equations by %v; want at most %v", off, most))
	}
	return nil
}
