// Command solve computes the value of each seat under best play.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
	"marsgym/internal/plot"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Run("solve", stdout, stderr, func(stdout io.Writer) error { return solve(ctx, args, stdout, stderr) })
}

func solve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := cli.NewFlags("solve", "Solve computes the exact value of each seat under best play, at the start of a game or in one position, and the regret of each legal action.")
	name := f.Game()
	text := f.String("position", "", "`position` in the notation of the game (default the initial position)")
	asJSON := f.Bool("json", false, "write one JSON document")
	plotDir := f.String("plot", "", "`folder` for charts of best play, as SVG and PNG")
	estimate := f.Bool("estimate", false, "only estimate the memory and time of solving, for each number of players up to -players")
	odds := f.String("odds", "", "only print the odds for this `question`, such as the odds of an attack; the question all prints every table")
	f.Group("Output", "position", "json", "plot", "estimate", "odds")
	f.Example("go run ./cmd/solve")
	f.Example("go run ./cmd/solve -position '13-17@1 aside T3R2H4 roll R2C1K1'")
	f.Example("go run ./cmd/solve -players 1 -json")
	f.Example("go run ./cmd/solve -plot pictures")
	f.Example("go run ./cmd/solve -estimate")
	f.Example("go run ./cmd/solve -game pig -position '37-52@0 turn 14'")
	f.Example("go run ./cmd/solve -game martian-risk -odds '6 against 4 region 3 enemy 1'")
	if err := f.Parse(args, stdout); err != nil {
		return err
	}
	g, err := name.Open()
	if err != nil {
		return err
	}
	for _, of := range []string{"position", "plot", "estimate"} {
		if *odds != "" && f.Given(of) {
			return cli.Usagef("-odds does not solve the game; leave out -position, -plot and -estimate")
		}
		if *estimate && f.Given(of) && of != "estimate" {
			return cli.Usagef("-estimate does not solve the game; leave out -position and -plot")
		}
	}
	switch {
	case *odds != "":
		all, err := oddsTables(g, *odds)
		if err != nil {
			return err
		}
		return cli.Write(stdout, *asJSON, all, all.print)
	case *estimate:
		all, err := estimateAll(ctx, name, g)
		if err != nil {
			return err
		}
		return cli.Write(stdout, *asJSON, all, all.print)
	}
	if err := cli.CheckFolder("plot", *plotDir); err != nil {
		return err
	}
	at := g.Initial()
	if *text != "" {
		if at, err = g.Parse(*text); err != nil {
			return &cli.UsageError{Err: err}
		}
	}
	bar := cli.NewProgress(stderr)
	defer bar.Clear()
	start := time.Now()
	s, err := solution(ctx, g, name.CacheDir(), bar)
	if err != nil {
		return err
	}
	a, err := evaluate(g, s, at)
	if err != nil {
		return err
	}
	a.Seconds = time.Since(start).Seconds()
	if *plotDir != "" {
		charts, err := s.Charts()
		if err == nil {
			err = plot.Write(stderr, *plotDir, charts)
		}
		if err != nil {
			return fmt.Errorf("-plot: %w", err)
		}
	}
	return cli.Write(cli.Colours(stdout), *asJSON, a, func(b *strings.Builder) { a.print(b, g.Spec(), at) })
}

// solution solves the game. Of one that takes long it says how long, and whether an interrupt
// keeps what has been computed.
func solution(ctx context.Context, g env.Game, cache string, bar *cli.Progress) (env.Solution, error) {
	solver := &cli.Agents{Game: g, Cache: cache, Command: "solve", Bar: bar}
	stop := func() bool { return true }
	defer func() { stop() }()
	solver.Begin = func(done float64) {
		if warn(bar, g, done, solver.Cache != "") && solver.Cache != "" {
			stop = context.AfterFunc(ctx, func() { fmt.Fprintln(bar, "solve: saving what has been computed") })
		}
	}
	s, err := solver.Solve(ctx)
	if errors.Is(err, game.ErrNoSolution) {
		err = fmt.Errorf("%w; play matches by go run ./cmd/eval instead", err)
	}
	return s, err
}

// answer holds the values of a position under best play.
type answer struct {
	Game     string             `json:"game"`
	Players  int                `json:"players"`
	Position string             `json:"position"`
	Win      []float64          `json:"win,omitempty"`   // expected share of the win by seat
	Turns    []float64          `json:"turns,omitempty"` // expected count of Spec.Unit by seat, in games without a win
	Options  []option           `json:"options"`         // empty if no seat is to move
	Outcomes []outcome          `json:"outcomes"`        // empty if chance is not to move
	Residual float64            `json:"residual"`
	Facts    map[string]float64 `json:"facts"`
	Starts   int64              `json:"starts,omitempty"` // positions in which turns start; 0 if the game has no estimate
	Bytes    int64              `json:"bytes,omitempty"`  // of memory for their values
	Seconds  float64            `json:"seconds"`

	facts []game.Fact // in the order of the solution
}

// option is a legal action with its value to the mover.
type option struct {
	Action string   `json:"action"`
	Win    *float64 `json:"win,omitempty"`
	Turns  *float64 `json:"turns,omitempty"`
	Regret float64  `json:"regret"` // the difference from the best option, in the same unit
}

// outcome is an outcome of a chance position with its values by seat.
type outcome struct {
	Outcome string    `json:"outcome"`
	Prob    float64   `json:"prob"`
	Win     []float64 `json:"win,omitempty"`
	Turns   []float64 `json:"turns,omitempty"`
}

func evaluate(g env.Game, s env.Solution, at env.Position) (*answer, error) {
	spec := g.Spec()
	a := &answer{
		Game: spec.ID, Players: spec.Players, Position: at.String(),
		Options: []option{}, Outcomes: []outcome{}, Residual: s.Residual(), Facts: map[string]float64{}, facts: s.Facts(),
	}
	for _, f := range a.facts {
		a.Facts[f.Name] = f.Value
	}
	if e, ok := g.Estimate(); ok && a.Facts["positions"] == 0 {
		a.Starts, a.Bytes = e.Positions, e.Bytes
	}
	var err error
	if a.Win, a.Turns, err = valuesOf(spec, s, at); err != nil {
		return nil, err
	}
	for _, o := range at.Outcomes() {
		x := outcome{Outcome: at.OutcomeName(o.State), Prob: o.Prob}
		if x.Win, x.Turns, err = valuesOf(spec, s, o.State); err != nil {
			return nil, err
		}
		a.Outcomes = append(a.Outcomes, x)
	}
	if at.CurrentPlayer() < 0 {
		return a, nil
	}
	values, err := s.Options(at)
	if err != nil {
		return nil, err
	}
	best := slices.Max(values)
	for i, act := range at.Legal() {
		o := option{Action: g.ActionName(act), Regret: figure.Clean(best - values[i])}
		if spec.HasWin() {
			win := spec.WinShare(values[i])
			o.Win, o.Regret = &win, figure.Clean(spec.WinShare(best)-win)
		} else {
			turns := spec.Counted(values[i])
			o.Turns = &turns
		}
		a.Options = append(a.Options, o)
	}
	return a, nil
}

// valuesOf returns the values of a position by seat: shares of the win or, in games without
// a win, what returns count.
func valuesOf(spec game.Spec, s env.Solution, at env.Position) (win, turns []float64, err error) {
	values, err := s.Value(at)
	for _, v := range values {
		if spec.HasWin() {
			win = append(win, spec.WinShare(v))
		} else {
			turns = append(turns, spec.Counted(v))
		}
	}
	return win, turns, err
}

// warn writes the remaining time and the memory of a solution that takes a minute or
// more, and whether an interrupt keeps what has been computed. It reports whether it
// has written that.
func warn(w io.Writer, g env.Game, done float64, cached bool) bool {
	e, ok := g.Estimate()
	left := e.CoreSeconds / float64(cores()) * (1 - done)
	if !ok || left < 60 {
		return false
	}
	end := "Ctrl-C saves what has been computed"
	if !cached {
		end = "Ctrl-C loses what has been computed"
	}
	fmt.Fprintf(w, "solve: %d positions, %s of memory, about %s left on %d cores; %s\n",
		e.Positions, memory(e.Bytes), duration(left), cores(), end)
	return true
}
