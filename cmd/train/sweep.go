package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/input"
	"marsgym/models"
	"marsgym/train"
)

// sweepFile is the copy of the sweep in its folder.
const sweepFile = "sweep.json"

// sweep trains all that a plan names, and goes on where it was stopped: the
// first seed of all variants, then the second.
func (s *session) sweep(ctx context.Context, c call) error {
	if s.judge == nil {
		return cli.Usagef("a sweep is ordered by exact strength, and %s for %d has none that is quick to compute; sweep a game for two", s.spec.Title, s.spec.Players)
	}
	dir, err := openSweep(c.dir, c.plan.text)
	if err != nil {
		return err
	}
	seeds := len(c.plan.variants[0].runs)
	total := seeds * len(c.plan.variants)
	fmt.Fprintf(s.stdout, "%d runs of %s for %d, into %s\n", total, s.spec.Title, s.spec.Players, dir)
	var ended []trial
	for k := range total {
		v, seed := k%len(c.plan.variants), k/len(c.plan.variants)
		set := c.plan.variants[v].runs[seed]
		t := trial{variant: v, dir: filepath.Join(dir, fmt.Sprintf("%02d-seed-%d", v+1, set.Train.Seed))}
		if err := prepare(t.dir, set); err != nil {
			return err
		}
		trained := false
		err := s.fit(ctx, set, t.dir, true, func(m train.Metrics, exact *models.Exact) {
			trained = true
			s.bar.Set((float64(k)+m.Done)/float64(total), fmt.Sprintf("run %d of %d, %s", k+1, total, note(m, exact)))
		})
		switch {
		case errors.Is(err, train.ErrInterrupted):
			fmt.Fprintf(s.stdout, "stopped in run %d of %d; to go on:\n\n\tgo run ./cmd/train -sweep %s -out %s\n", k+1, total, c.sweep, dir)
			return ctx.Err()
		case errors.Is(err, models.ErrDiverged):
			fmt.Fprintf(s.bar, "%s: %v\n", t.dir, err)
			t.diverged = true
		case err != nil:
			return fmt.Errorf("%s: %w\nto go on:\n\n\tgo run ./cmd/train -sweep %s -out %s", t.dir, err, c.sweep, dir)
		}
		if err := t.read(); err != nil {
			return err
		}
		ended = append(ended, t)
		if !trained && k+1 < total {
			continue // it was told of before the sweep was stopped
		}
		fmt.Fprintf(s.stdout, "\nafter run %d of %d, ", k+1, total)
		if err := c.plan.table(s.stdout, ended); err != nil {
			return err
		}
	}
	names, best := c.plan.best(ended)
	fmt.Fprintf(s.stdout, "\ntrain the best go run ./cmd/train -config %s\n", filepath.Join(best, train.ConfigFile))
	s.tellPicture(dir, s.draw(dir, names))
	return nil
}

// openSweep makes the folder of a sweep, or finds it with the same sweep in it.
func openSweep(dir string, text []byte) (string, error) {
	if dir != "" {
		was, err := readFile(dir, sweepFile)
		if err == nil && !bytes.Equal(was, text) {
			err = fmt.Errorf("%s has the runs of another sweep, %s; choose another -out", dir, sweepFile)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return dir, err
		}
	}
	dir, err := makeFolder(dir, "sweep")
	if err != nil {
		return dir, err
	}
	return dir, atomicfile.Write(filepath.Join(dir, sweepFile), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// prepare makes a run folder, or finds it with the same settings in it.
func prepare(dir string, set settings) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	was, err := load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return set.save(dir)
	}
	if err != nil {
		return err
	}
	a, err := json.Marshal(was)
	if err != nil {
		return err
	}
	b, err := json.Marshal(set)
	if err != nil {
		return err
	}
	list, err := train.Differences(a, b)
	if err == nil && list != nil {
		err = fmt.Errorf("%s was begun with other settings than the sweep has now, by another release or by hand: %s; put them back, or choose another -out", dir, input.Cut(strings.Join(list, ", ")))
	}
	return err
}
