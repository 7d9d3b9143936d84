package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/internal/atomicfile"
	"marsgym/internal/curve"
	"marsgym/internal/input"
	"marsgym/internal/kernel/elementary"
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
		if e.IsDir() && isRunName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// isRunName reports whether a folder of this name is shown: the name can stand in a seat of a
// game as text, and it is not hidden.
func isRunName(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) && name == strings.TrimSpace(name) && !strings.HasPrefix(name, ".")
}

// isRun reports whether a run folder has that name.
func (a *App) isRun(name string) bool {
	if a.opt.Runs == nil || !isRunName(name) || filepath.Base(name) != name {
		return false
	}
	info, err := a.opt.Runs.Lstat(name)
	return err == nil && info.IsDir()
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
	for i := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list[i].models(a)
	}
	return map[string]any{"folder": a.opt.Runs != nil, "runs": list}, nil
}

// models fills in the networks of a run folder.
func (r *runInfo) models(a *App) {
	for _, name := range []string{r.Name, r.Name + checkpointSuffix} {
		if meta, err := a.runMeta(name); err == nil {
			r.Players = meta.Net.Players
			r.Game = preset(r.Players, func(spec game.Spec) bool { return meta.Check(agents.MetaOf(spec)) == nil })
			if r.Game != "" {
				r.Agents = append(r.Agents, runPrefix+name)
			}
		}
	}
}

// checkpointSuffix ends the name of the agent of a checkpoint.
const checkpointSuffix = "/checkpoint"

// openRun opens the file of the network of a run folder below Options.Runs, or that of its
// checkpoint.
func (a *App) openRun(name string) (*os.File, error) {
	run, checkpoint := strings.CutSuffix(name, checkpointSuffix)
	file := agents.ModelFile
	if checkpoint {
		file = checkpointFile
	}
	return a.openIn(run, file)
}

// openIn opens a file of a run folder.
func (a *App) openIn(run, file string) (*os.File, error) {
	if !a.isRun(run) {
		return nil, fmt.Errorf("no run folder is named %s", input.Quote(run))
	}
	f, err := atomicfile.OpenIn(a.opt.Runs, path.Join(run, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the run folder %s has no %s", run, file)
	}
	if err != nil {
		return nil, fmt.Errorf("the run folder %s: %w", run, err)
	}
	return f, nil
}

// loadRun loads the network of a run folder, or that of its checkpoint.
func (a *App) loadRun(name string) (*models.File, error) {
	f, err := a.openRun(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return models.LoadFrom(f)
}

// runMeta returns what the header of the file says that loadRun loads.
func (a *App) runMeta(name string) (models.Meta, error) {
	f, err := a.openRun(name)
	if err != nil {
		return models.Meta{}, err
	}
	defer f.Close()
	return models.MetaFrom(f)
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
	f, err := a.openIn(r.Run, metricsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	metrics, err := curve.LoadFrom(r.Run, path.Join(r.Run, metricsFile), whileAllowed{ctx, f})
	if err != nil {
		return nil, err
	}
	drawn, err := curve.Chart(r.Run, []curve.Run{metrics})
	if err != nil {
		return nil, err
	}
	return curveOf(drawn), nil
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
				if elementary.Finite(y) {
					line.X, line.Y = append(line.X, l.X[i]), append(line.Y, y)
				}
			}
			panel.Lines = append(panel.Lines, line)
		}
		c.Panels = append(c.Panels, panel)
	}
	return c
}
