package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/cli"
)

// estimates say what a game's solution takes, by the number of seats.
type estimates struct {
	Game  string     `json:"game"`
	Cores int        `json:"cores"`
	Seats []estimate `json:"seats"` // ascending; of tables that are not solvable only the smallest

	title string
}

// estimate is what the solution takes for a number of seats.
type estimate struct {
	Players  int     `json:"players"`
	Solvable bool    `json:"solvable"` // or it is more than the solver takes on
	Starts   int64   `json:"starts"`   // of turns
	Bytes    int64   `json:"bytes"`    // of memory
	Seconds  float64 `json:"seconds"`  // on these cores
}

// cores is the number of cores that a solve uses.
func cores() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// estimateAll estimates a game for all numbers of seats up to the one that the
// command line names, if it names one.
func estimateAll(ctx context.Context, name *cli.Game, g env.Game) (*estimates, error) {
	spec := g.Spec()
	if _, ok := g.Estimate(); !ok {
		return nil, fmt.Errorf("-estimate: %s does not say what its solution takes; solutions worth keeping do", spec.ID)
	}
	all := &estimates{Game: spec.ID, Cores: cores(), title: spec.Title}
	for players := 1; name.Players == 0 || players <= name.Players; players++ {
		g, err := catalog.Open(spec.ID, players, name.Config)
		if err != nil && players < spec.Players {
			continue // fewer seats than the game has
		}
		if err != nil {
			break // more
		}
		e, _ := g.Estimate()
		ok, err := solvable(ctx, g)
		if err != nil {
			return nil, err
		}
		all.Seats = append(all.Seats, estimate{players, ok, e.Positions, e.Bytes, e.CoreSeconds / float64(all.Cores)})
		if !ok {
			break
		}
	}
	return all, nil
}

// solvable reports whether a game's solver takes it on: it is asked to, and to
// give up at once.
func solvable(ctx context.Context, g env.Game) (bool, error) {
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, err := g.Solve(over, nil)
	return !errors.Is(err, game.ErrNoSolution), ctx.Err()
}

// print writes the estimates for people.
func (all *estimates) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: what best play takes to compute, about, on %d cores. Nothing was solved.\n\n", all.title, all.Cores)
	fmt.Fprintf(&b, "  %5s  %15s  %9s  %9s\n", "seats", "positions", "memory", "time")
	for _, e := range all.Seats {
		if e.Solvable {
			fmt.Fprintf(&b, "  %5d  %15d  %9s  %9s\n", e.Players, e.Starts, memory(e.Bytes), duration(e.Seconds))
		} else {
			fmt.Fprintf(&b, "  %5d  more than the solver takes on\n", e.Players)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// memory writes a number of bytes.
func memory(bytes int64) string {
	x, units := float64(bytes), []string{"B", "kB", "MB", "GB", "TB"}
	for x >= 1000 && len(units) > 1 {
		x, units = x/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", x, units[0])
}

// duration writes a number of seconds.
func duration(s float64) string {
	switch {
	case s < 60:
		return fmt.Sprintf("%.2g s", s)
	case s < 3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}
