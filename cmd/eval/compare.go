package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/internal/cli"
	"marsgym/internal/curve"
	"marsgym/internal/figure"
	"marsgym/internal/input"
	"marsgym/internal/plot"
	"marsgym/train"
)

// comparison lists runs, the least exploitable first.
type comparison struct {
	Runs []comparedRun `json:"runs"`
}

// comparedRun is the state of a run.
type comparedRun struct {
	Run       string       `json:"run"`
	Algorithm string       `json:"algorithm"`
	Steps     float64      `json:"steps"`            // decisions trained on
	Seconds   float64      `json:"seconds,omitzero"` // of training
	Exact     *exactResult `json:"exact,omitempty"`
}

// exactResult is the latest exact strength of a run.
type exactResult struct {
	Win            float64 `json:"win"` // against optimal play, the mean of both seats
	Exploitability float64 `json:"exploitability"`
}

func compareCommand(s *session) work {
	dirs := s.Operands("RUN...", 1, most)
	s.StringVar(&s.plot, "plot", "", "new `folder` for a chart of the learning curves")
	s.Example("go run ./cmd/eval compare -plot pictures runs/a runs/b")
	return func(context.Context) (result, error) { return s.compare(*dirs) }
}

// compare reads runs and, with -plot, draws their learning curves.
func (s *session) compare(dirs []string) (*comparison, error) {
	var c comparison
	var runs []curve.Run
	title := ""
	for _, dir := range dirs {
		file, err := agents.LoadModel(dir)
		if err != nil {
			return nil, err
		}
		g, err := cli.OpenFor(dir, "")(file.Meta.Game, 0, file.Meta.Config)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if what := g.Spec().FullTitle(); title == "" {
			title = what
		} else if what != title {
			return nil, cli.Usagef("%s plays %s, but the runs before it play %s", dir, what, title)
		}
		r, err := curve.Load(filepath.Clean(dir), filepath.Join(dir, train.MetricsFile))
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
		at := comparedRun{Run: r.Name, Algorithm: file.Meta.Algorithm}
		for _, p := range r.Points {
			at.Steps = p["steps"]
			if s, ok := p["seconds"]; ok {
				at.Seconds = s
			}
			if win, e, ok := p.Strength(); ok {
				at.Exact = &exactResult{win, e}
			}
		}
		c.Runs = append(c.Runs, at)
	}
	slices.SortStableFunc(c.Runs, func(a, b comparedRun) int { return cmp.Compare(a.exploitability(), b.exploitability()) })
	if s.plot != "" {
		picture, err := curve.Chart(title, runs)
		if err != nil {
			return nil, fmt.Errorf("-plot: %w", err)
		}
		if err := plot.Write(s.bar, s.plot, []chart.Chart{picture}); err != nil {
			return nil, fmt.Errorf("-plot: %w", err)
		}
	}
	return &c, nil
}

// exploitability returns infinity if it is not known.
func (r comparedRun) exploitability() float64 {
	if r.Exact == nil {
		return math.Inf(1)
	}
	return r.Exact.Exploitability
}

func (c *comparison) print(b *strings.Builder, _ game.Spec) {
	width := len("run")
	for i := range c.Runs {
		c.Runs[i].Run = input.Printable(c.Runs[i].Run)
		width = max(width, len(c.Runs[i].Run))
	}
	fmt.Fprintf(b, "  %-*s  algorithm   decisions    seconds  wins, %%    exploitability, %%\n", width, "run")
	for _, r := range c.Runs {
		fmt.Fprintf(b, "  %-*s  %-10s  %9.0f  %9.1f", width, r.Run, r.Algorithm, r.Steps, r.Seconds)
		if r.Exact != nil {
			fmt.Fprintf(b, "  %9s  %17s", figure.Percent(r.Exact.Win, 5), figure.Percent(r.Exact.Exploitability, 5))
		}
		b.WriteString("\n")
	}
}
