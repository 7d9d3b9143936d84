package analysis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
	"marsgym/internal/parallel"
)

// Searches values a position by several independent searches from there. Its value is the mean
// result of the last half of their simulations, which comes closer to best play the more there
// are. Without a network, where far decisions are still explored or the bot's, a lead may be worth
// less under best play than in the search. A value with an interval then is the mean of the result
// and of the evened result: shares of the win to the power evening.
//
// The interval covers the error of the searches as well as chance. Half of it is the sum of half of
// the interval of Student's t over the searches, the change of the value since smaller searches
// (the farther one of the quarter and of the eighth of the simulations before the last half, without
// a network times widening, and at least leastError), and the distance of the evened result.
// docs/lab/estimators.md has its coverage in solved games.
type Searches struct {
	Game        env.Game
	Evaluator   *search.Evaluator // nil for rollouts of the game's bot
	Name        string            // of the evaluator
	Number      int               // of searches from a position, at least 2
	Simulations int               // of a search
	// Time bounds a call of Values, which then sets Simulations to what the time allows, so that
	// the values depend on the machine. It is exceeded by a part at most. Calls with Time may not
	// run at once.
	Time time.Duration
	Seed uint64
}

// Method implements [Valuer].
func (s *Searches) Method() string {
	return fmt.Sprintf("searches:%d:%d:%s", s.Number, s.Simulations, s.Name)
}

// Exact implements [Valuer].
func (*Searches) Exact() bool { return false }

// About implements [Valuer].
func (*Searches) About() string {
	return aboutEstimates("the error of the search and chance; without ±, simulations were too few.")
}

// Fewest returns the numbers of searches and of simulations of each that intervals need at least.
func (s *Searches) Fewest() (searches, simulations int) {
	if s.Evaluator != nil {
		return fewestSearches, fewestNetwork
	}
	return fewestSearches, fewestRollouts
}

// ErrTime is returned where the time does not allow one simulation in each search.
var ErrTime = errors.New("the time is too short for an estimate")

const (
	// searchStream begins the streams of the seeds of searches.
	searchStream = 1 << 59
	// mostSimulations bounds the simulations of a search with Time. Chosen: its tree takes some
	// ten megabytes.
	mostSimulations = 50_000
	// probes is the number of positions on which the time is measured, and probing the part of
	// the time that this takes. Chosen.
	probes  = 16
	probing = 1. / 16

	// What follows is chosen so that intervals cover exact values in solved games (see
	// docs/lab/estimators.md).
	//
	// Intervals need at least this number of searches, and these numbers of simulations with a
	// network and without one.
	fewestSearches = 4
	fewestNetwork  = 64
	fewestRollouts = 20_000
	// evening is the exponent that evens shares of the win, and widening the factor of changes.
	evening, widening = 0.68, 1.5
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
	if s.Time > 0 {
		var err error
		if s.Simulations, err = s.affordable(ctx, open); err != nil {
			return nil, err
		}
	}
	rounds := make([][]float64, s.Number) // [n, Sizes, P]
	err := parallel.ForContext(ctx, s.Number, 1, func(k, _ int) (err error) {
		rounds[k], err = s.search(ctx, open, s.Simulations, k)
		return err
	})
	if err != nil {
		return nil, err
	}
	for j, i := range index {
		list[i] = s.value(rounds, j)
	}
	return list, nil
}

// value returns the value of position j from the rounds.
func (s *Searches) value(rounds [][]float64, j int) Value {
	p := s.Game.Spec().Players
	searches, simulations := s.Fewest()
	vague := s.Number < searches || s.Simulations < simulations
	var sizes [search.Sizes][][]float64 // [searches, P] the values by part of the search
	even := make([]float64, p)          // the mean of the evened results
	for k := range sizes {
		for _, values := range rounds {
			share := values[(j*search.Sizes+k)*p:][:p]
			toPower(share, 1) // networks may value a position above a win, and below a loss
			evened := slices.Clone(share)
			if s.Evaluator == nil && !vague {
				toPower(evened, evening)
			}
			for q, x := range evened {
				share[q] = (share[q] + x) / 2
				if k == 0 {
					even[q] += x / float64(len(rounds))
				}
			}
			sizes[k] = append(sizes[k], share)
		}
	}
	v := sampled(sizes[0])
	v.share, v.Others = true, [][]float64{even}
	for _, part := range sizes[1:] {
		earlier := sampled(part).Mean
		if s.Evaluator == nil {
			for q, x := range v.Mean {
				earlier[q] = x + float64(widening*(earlier[q]-x))
			}
		}
		v.Others = append(v.Others, earlier)
	}
	v.Vague = vague
	return v
}

// toPower makes shares of the win [P] proportional to a power of what they are, or of 0. For two
// seats it multiplies the log-odds.
func toPower(share []float64, power float64) {
	sum := 0.0
	for q, x := range share {
		if share[q] = max(0, x); power != 1 && x > 0 {
			share[q] = elementary.Pow(x, power)
		}
		sum += share[q]
	}
	for q := range share {
		if share[q] /= sum; sum == 0 {
			share[q] = 1 / float64(len(share))
		}
	}
}

// search returns the values [n, Sizes, P] of search k from each position.
func (s *Searches) search(ctx context.Context, at []env.Position, simulations, k int) ([]float64, error) {
	seed := rand.NewPCG(s.Seed, searchStream|uint64(k)).Uint64()
	e, err := search.New(s.Game, search.Config{Simulations: simulations, Seed: seed}, s.Evaluator)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(at)*search.Sizes*s.Game.Spec().Players)
	return values, e.Values(ctx, values, at)
}

// affordable returns the number of simulations of a search that the time allows, by the time of
// longer and longer searches from some of the positions.
func (s *Searches) affordable(ctx context.Context, at []env.Position) (int, error) {
	some := make([]env.Position, min(probes, len(at)))
	for i := range some {
		some[i] = at[i*len(at)/len(some)]
	}
	cores := float64(min(runtime.GOMAXPROCS(0), s.Number))
	for n := 1; ; n *= 2 {
		start := time.Now()
		if _, err := s.search(ctx, some, n, 0); err != nil {
			return 0, err
		}
		took := time.Since(start).Seconds()
		one := took / float64(n*len(some)) * float64(len(at)*s.Number) / cores   // of a simulation in each search
		if took < probing*s.Time.Seconds() && n < mostSimulations || took == 0 { // the clock may advance in steps
			continue
		}
		if s.Time.Seconds() < one/2 {
			return 0, fmt.Errorf("%w: %d positions take about %v", ErrTime, len(at), time.Duration(one*float64(time.Second)).Round(time.Second))
		}
		return max(1, min(int(s.Time.Seconds()/one), mostSimulations)), nil
	}
}
