package web

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/internal/curve"
	"marsgym/internal/input"
	"marsgym/models"
)

// The files of a run folder that are read.
const (
	metricsFile    = "metrics.jsonl"
	checkpointFile = "checkpoint.safetensors"
)

// maxRuns bounds the number of run folders that are listed, the latest first.
const maxRuns = 200

// runInfo is a run folder.
type runInfo struct {
	Name    string    `json:"name"`
	Changed time.Time `json:"changed"`
	Game    string    `json:"game"` // of its network; "" without one, or if its settings are not those of a preset
	Players int       `json:"players"`
	Agents  []string  `json:"agents"` // names of agents that play its networks
}

// runNames lists the run folders.
func (a *App) runNames() (names []string) {
	if a.opt.Runs == nil {
		return nil
	}
	entries, err := fs.ReadDir(a.opt.Runs.FS(), ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && runName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// runs lists the run folders with their networks, the latest first.
func (a *App) runs(ctx context.Context, _ *Request) (any, error) {
	list := []runInfo{}
	for _, name := range a.runNames() {
		info, err := a.opt.Runs.Stat(path.Join(name, metricsFile))
		if err == nil {
			list = append(list, runInfo{Name: name, Changed: info.ModTime(), Agents: []string{}})
		}
	}
	slices.SortStableFunc(list, func(x, y runInfo) int { return y.Changed.Compare(x.Changed) })
	list = list[:min(len(list), maxRuns)]
	err := a.compute(ctx, func(ctx context.Context) error {
		for i := range list {
			if err := ctx.Err(); err != nil {
				return err
			}
			list[i].models(a)
		}
		return nil
	})
	return map[string]any{"folder": a.opt.Runs != nil, "runs": list}, err
}

// models fills in the networks of a run folder.
func (r *runInfo) models(a *App) {
	for _, name := range []string{r.Name, r.Name + checkpointSuffix} {
		if f, err := a.loadRun(name); err == nil {
			r.Players = f.Meta.Net.Players
			r.Game = preset(r.Players, func(spec game.Spec) bool { return f.Meta.Check(agents.MetaOf(spec)) == nil })
			if r.Game != "" {
				r.Agents = append(r.Agents, runPrefix+name)
			}
		}
	}
}

// checkpointSuffix ends the name of the agent of a checkpoint.
const checkpointSuffix = "/checkpoint"

// loadRun loads the network of a run folder below Options.Runs, or that of its checkpoint.
func (a *App) loadRun(name string) (*models.File, error) {
	run, checkpoint := strings.CutSuffix(name, checkpointSuffix)
	file := agents.ModelFile
	if checkpoint {
		file = checkpointFile
	}
	if a.opt.Runs == nil || !runName.MatchString(run) {
		return nil, fmt.Errorf("no run folder is named %s", input.Quote(run))
	}
	f, err := a.opt.Runs.Open(path.Join(run, file))
	if err != nil {
		return nil, fmt.Errorf("the run folder %s has no %s", run, file)
	}
	defer f.Close()
	return models.LoadFrom(f)
}

// Curve is the learning curve of a run.
type Curve struct {
	Title   string  `json:"title"`
	Caption string  `json:"caption"`
	Panels  []Panel `json:"panels"`
}

// Panel is a pair of axes with lines.
type Panel struct {
	Title string `json:"title"`
	X     string `json:"x"` // labels of the axes
	Y     string `json:"y"`
	Log   bool   `json:"log"` // whether the scale of Y is logarithmic
	Lines []Line `json:"lines"`
}

// Line joins points.
type Line struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
}

// run returns the learning curve of Run.
func (a *App) run(ctx context.Context, r *Request) (any, error) {
	if !slices.Contains(a.runNames(), r.Run) {
		return nil, fmt.Errorf("no run folder is named %s", input.Quote(r.Run))
	}
	var c *Curve
	err := a.compute(ctx, func(context.Context) error {
		f, err := a.opt.Runs.Open(path.Join(r.Run, metricsFile))
		if err != nil {
			return fmt.Errorf("the run folder %s has no %s", r.Run, metricsFile)
		}
		defer f.Close()
		metrics, err := curve.LoadFrom(r.Run, f)
		if err != nil {
			return err
		}
		drawn, err := curve.Chart(r.Run, []curve.Run{metrics})
		if err != nil {
			return err
		}
		c = curveOf(drawn)
		return nil
	})
	return c, err
}

// curveOf converts a chart of lines. JSON has no infinite numbers, so their points are
// left out.
func curveOf(from chart.Chart) *Curve {
	c := &Curve{Title: from.Title, Caption: from.Caption, Panels: []Panel{}}
	for _, p := range from.Panels {
		panel := Panel{Title: p.Title, X: p.X.Label, Y: p.Y.Label, Log: p.Y.Log}
		for _, l := range p.Lines {
			line := Line{Name: l.Name, X: []float64{}, Y: []float64{}}
			for i := range l.X {
				y := l.Y[i]
				if p.Y.Log {
					y = math.Pow(10, y)
				}
				if !math.IsInf(y, 0) && !math.IsNaN(y) {
					line.X, line.Y = append(line.X, l.X[i]), append(line.Y, y)
				}
			}
			panel.Lines = append(panel.Lines, line)
		}
		c.Panels = append(c.Panels, panel)
	}
	return c
}
