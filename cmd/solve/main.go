// Command solve says what best play of a solved game is worth.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/cli"
	"marsgym/internal/plot"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Run("solve", stdout, stderr, func(stdout io.Writer) error { return solve(ctx, args, stdout, stderr) })
}

func solve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := cli.NewFlags("solve", "Solve computes what each seat can expect under best play: at the start of a game, or in one position, with the regret of every option.")
	name := f.Game(catalog.IDs())
	text := f.String("position", "", "`position` in the game's notation (default its start)")
	asJSON := f.Bool("json", false, "write one JSON document")
	plotDir := f.String("plot", "", "`folder` for pictures of best play, as SVG and PNG")
	ahead := f.Bool("estimate", false, "solve nothing, and say what it takes for each number of seats up to -players")
	odds := f.String("odds", "", "solve nothing, and answer a `question` about the odds of a part of the game, in the game's words; all tabulates them")
	f.Group("What to print", "position", "json", "plot", "estimate", "odds")
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
	g, err := cli.OpenGame(name, catalog.Open)
	if err != nil {
		return err
	}
	if *odds != "" {
		if *text != "" || *plotDir != "" || *ahead {
			return cli.Usagef("-odds solves nothing; want it without -position, -plot and -estimate")
		}
		all, err := quote(g, *odds)
		if err != nil {
			return err
		}
		if *asJSON {
			return cli.WriteJSON(stdout, all)
		}
		return all.print(stdout)
	}
	if *ahead {
		if *text != "" || *plotDir != "" {
			return cli.Usagef("-estimate solves nothing; want it without -position and -plot")
		}
		all, err := estimateAll(ctx, name, g)
		if err != nil {
			return err
		}
		if *asJSON {
			return cli.WriteJSON(stdout, all)
		}
		return all.print(stdout)
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
	start, begun := time.Now(), false
	kept, notKept := name.CacheDir() != "", cli.NotCached(bar, "solve")
	s, err := g.SolveCached(ctx, name.CacheDir(), func(done float64) {
		if !begun {
			warn(bar, g, done, kept)
			begun = true
		}
		bar.Set(done, "solving "+g.Spec().Title)
	}, func(err error) {
		kept = false
		notKept(err)
	})
	if errors.Is(err, game.ErrNoSolution) {
		return fmt.Errorf("%w; go run ./cmd/eval plays matches instead", err)
	}
	if err != nil {
		return err
	}
	a, err := look(g, s, at)
	if err != nil {
		return err
	}
	a.Seconds = time.Since(start).Seconds()
	bar.Clear()
	if *plotDir != "" {
		charts, err := s.Charts()
		if err != nil {
			return fmt.Errorf("-plot: %w", err)
		}
		if err := plot.Write(stderr, *plotDir, charts); err != nil {
			return fmt.Errorf("-plot: %w", err)
		}
	}
	if *asJSON {
		return cli.WriteJSON(stdout, a)
	}
	return a.print(cli.Colours(stdout), g.Spec(), at)
}

// answer is what the solution says of a position.
type answer struct {
	Game     string             `json:"game"`
	Players  int                `json:"players"`
	Position string             `json:"position"`
	Win      []float64          `json:"win,omitempty"`   // by seat: the share of the win
	Turns    []float64          `json:"turns,omitempty"` // by seat, in games without a win: how many the game takes
	Options  []option           `json:"options"`         // none where nobody is to choose
	Residual float64            `json:"residual"`
	Facts    map[string]float64 `json:"facts"`
	Starts   int64              `json:"starts,omitempty"` // of turns, whose values the solution holds; where the game tells
	Bytes    int64              `json:"bytes,omitempty"`  // of memory that it takes
	Seconds  float64            `json:"seconds"`

	facts []game.Fact // in their order
}

// option is a legal action, with what it is worth to the mover.
type option struct {
	Action string   `json:"action"`
	Win    *float64 `json:"win,omitempty"`
	Turns  *float64 `json:"turns,omitempty"`
	Regret float64  `json:"regret"` // how much worse than the best option, in the same unit
}

// look asks the solution about a position.
func look(g env.Game, s env.Solution, at env.Position) (*answer, error) {
	spec := g.Spec()
	a := &answer{
		Game: spec.ID, Players: spec.Players, Position: at.String(),
		Options: []option{}, Residual: s.Residual(), Facts: map[string]float64{}, facts: s.Facts(),
	}
	for _, f := range a.facts {
		a.Facts[f.Name] = f.Value
	}
	if e, ok := g.Estimate(); ok {
		a.Starts, a.Bytes = e.Positions, e.Bytes
	}
	values, err := s.Value(at)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		if spec.HasWin() {
			a.Win = append(a.Win, spec.WinShare(v))
		} else {
			a.Turns = append(a.Turns, -v)
		}
	}
	if at.CurrentPlayer() < 0 {
		return a, nil
	}
	if values, err = s.Options(at); err != nil {
		return nil, err
	}
	best := slices.Max(values)
	for i, act := range at.Legal() {
		o := option{Action: g.ActionName(act), Regret: best - values[i]}
		if spec.HasWin() {
			win := spec.WinShare(values[i])
			o.Win, o.Regret = &win, spec.WinShare(best)-win
		} else {
			turns := -values[i]
			o.Turns = &turns
		}
		a.Options = append(a.Options, o)
	}
	return a, nil
}

// warn says what the rest of a solution takes, if that is long, and whether what
// is done of it is kept.
func warn(w io.Writer, g env.Game, done float64, kept bool) {
	e, ok := g.Estimate()
	left := e.CoreSeconds / float64(cores()) * (1 - done)
	if ok && left >= 60 {
		end := "Ctrl-C keeps what is done"
		if !kept {
			end = "Ctrl-C loses what is done"
		}
		fmt.Fprintf(w, "solve: %d positions to keep, %s of memory, about %s to go on %d cores; %s\n",
			e.Positions, memory(e.Bytes), duration(left), cores(), end)
	}
}
