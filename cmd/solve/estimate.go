package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
)

// estimates are the sizes of a game's solution by the number of players.
type estimates struct {
	Game  string     `json:"game"`
	Cores int        `json:"cores"`
	Seats []estimate `json:"seats"` // ascending, up to the first number that is not solvable

	title string
}

// estimate is the size of the solution for a number of players.
type estimate struct {
	Players  int     `json:"players"`
	Solvable bool    `json:"solvable"` // false if the solver does not accept the size
	Starts   int64   `json:"starts"`   // positions in which turns start
	Bytes    int64   `json:"bytes"`    // of memory
	Seconds  float64 `json:"seconds"`  // on these cores
}

func cores() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// estimateAll estimates a game for all numbers of players, up to that of -players if it
// is given.
func estimateAll(ctx context.Context, name *cli.Game, g env.Game) (*estimates, error) {
	spec := g.Spec()
	if _, ok := g.Estimate(); !ok {
		return nil, fmt.Errorf("-estimate: %s has no estimate; only games whose solutions are cached have one", spec.ID)
	}
	all := &estimates{Game: spec.ID, Cores: cores(), title: spec.Title}
	for players := 1; name.Players == 0 || players <= name.Players; players++ {
		g, err := catalog.Open(spec.ID, players, name.Config)
		if err != nil && players < spec.Players {
			continue // the game has a larger least number
		}
		if err != nil {
			break // the game has a smaller largest number
		}
		e, _ := g.Estimate()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ok := env.Solvable(g)
		all.Seats = append(all.Seats, estimate{players, ok, e.Positions, e.Bytes, e.CoreSeconds / float64(all.Cores)})
		if !ok {
			break
		}
	}
	return all, nil
}

func (all *estimates) print(b *strings.Builder) {
	fmt.Fprintf(b, "%s: estimates for solving it on %d cores. Nothing was solved.\n\n", all.title, all.Cores)
	fmt.Fprintf(b, "  %7s  %15s  %9s  %9s\n", "players", "positions", "memory", "time")
	for _, e := range all.Seats {
		if e.Solvable {
			fmt.Fprintf(b, "  %7d  %15d  %9s  %9s\n", e.Players, e.Starts, memory(e.Bytes), duration(e.Seconds))
		} else {
			fmt.Fprintf(b, "  %7d  too large for the solver\n", e.Players)
		}
	}
}

func memory(bytes int64) string {
	x, units := float64(bytes), []string{"B", "kB", "MB", "GB", "TB"}
	for x >= 1000 && len(units) > 1 {
		x, units = x/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", x, units[0])
}

func duration(s float64) string {
	switch {
	case s < 60:
		return fmt.Sprintf("%.2g s", s)
	case s < 3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}
