package analysis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/parallel"
)

// Searches values a position by the mean of several independent searches from there: the
// mean result of their simulations, in which all seats play better the more simulations
// there are. The interval is that of the chance in the searches. What separates the play
// of the searches from best play is not in it.
type Searches struct {
	Game        env.Game
	Evaluator   *search.Evaluator // nil for rollouts of the game's bot
	Name        string            // of the evaluator
	Number      int               // of searches from a position, at least 2
	Simulations int               // of a search, without Time
	// Time bounds a call of Values; the searches then have as many simulations as it
	// allows, and the values depend on the machine. It is exceeded by a part at most.
	Time time.Duration
	Seed uint64
}

// Method implements [Valuer].
func (s *Searches) Method() string {
	if s.Time > 0 {
		return fmt.Sprintf("searches:%d:%v:%s", s.Number, s.Time, s.Name)
	}
	return fmt.Sprintf("searches:%d:%d:%s", s.Number, s.Simulations, s.Name)
}

// Exact implements [Valuer].
func (*Searches) Exact() bool { return false }

// ErrTime is returned where the time does not allow one simulation in each search.
var ErrTime = errors.New("the time is too short for an estimate")

const (
	// searchStream begins the streams of the seeds of searches.
	searchStream = 1 << 59
	// mostSimulations bounds the simulations of a search with Time. Chosen.
	mostSimulations = 5000
	// fewest is the number of searches from a position, if there are as many, whatever the
	// time. Chosen: the intervals of fewer are so wide that they tell nothing.
	fewest = 4
	// probes is the number of positions on which the time is measured. Chosen.
	probes = 16
)

// Values implements [Valuer].
func (s *Searches) Values(ctx context.Context, at []env.Position) ([]Value, error) {
	spec := s.Game.Spec()
	list := make([]Value, len(at))
	var open []env.Position
	var index []int // in at
	for i, p := range at {
		if p.CurrentPlayer() == game.Terminal {
			list[i].Mean = shares(spec, p.Returns())
			continue
		}
		open, index = append(open, p), append(index, i)
	}
	if len(open) == 0 {
		return list, nil
	}
	start, simulations := time.Now(), s.Simulations
	if s.Time > 0 {
		var err error
		if simulations, err = s.affordable(ctx, open); err != nil {
			return nil, err
		}
	}
	rounds := make([][]float64, s.Number) // [n, P]; nil if there was no time
	err := parallel.ForContext(ctx, s.Number, 1, func(k, _ int) (err error) {
		if s.Time > 0 && k >= fewest && time.Since(start) > s.Time {
			return nil
		}
		rounds[k], err = s.search(ctx, open, simulations, k)
		return err
	})
	if err != nil {
		return nil, err
	}
	for j, i := range index {
		v := Value{Mean: make([]float64, spec.Players)}
		for _, values := range rounds {
			if values != nil {
				v.Samples = append(v.Samples, values[j*spec.Players:][:spec.Players])
			}
		}
		for _, row := range v.Samples {
			for q, x := range row {
				v.Mean[q] += x / float64(len(v.Samples))
			}
		}
		list[i] = v
	}
	return list, nil
}

// search returns the values [n, P] of search k from each position.
func (s *Searches) search(ctx context.Context, at []env.Position, simulations, k int) ([]float64, error) {
	seed := rand.NewPCG(s.Seed, searchStream|uint64(k)).Uint64()
	e, err := search.New(s.Game, search.Config{Simulations: simulations, Seed: seed}, s.Evaluator)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(at)*s.Game.Spec().Players)
	return values, e.Values(ctx, values, at)
}

// affordable returns the number of simulations of a search that the time allows, by
// that of one simulation from some of the positions.
func (s *Searches) affordable(ctx context.Context, at []env.Position) (int, error) {
	some := make([]env.Position, min(probes, len(at)))
	for i := range some {
		some[i] = at[i*len(at)/len(some)]
	}
	start, took, rounds := time.Now(), 0.0, 0
	for took == 0 { // until the clock advances, which it does in steps: on Windows of up to 16 ms
		if _, err := s.search(ctx, some, 1, 0); err != nil {
			return 0, err
		}
		took = time.Since(start).Seconds()
		rounds++
	}
	one := took / float64(rounds*len(some)) * float64(len(at)*s.Number)
	cores := float64(min(runtime.GOMAXPROCS(0), s.Number))
	n := cores * s.Time.Seconds() / one
	if n < 0.5 {
		return 0, fmt.Errorf("%w: %d positions take about %v", ErrTime, len(at), time.Duration(one/cores*float64(time.Second)).Round(time.Second))
	}
	return max(1, min(int(n), mostSimulations)), nil
}
