package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"marsgym/agents"
	"marsgym/env"
)

// Confidence of the intervals of a match.
const Confidence = 0.99

// z is the quantile of the standard normal at which its two-sided interval has
// the Confidence.
const z = 2.5758293035489004

// matchRows is the number of games that a match plays at once. Chosen: a
// network's forward pass costs least per row from some thousand on.
const matchRows = 4096

// Match is the outcome of sampled games.
type Match struct {
	Method     string    `json:"method"` // "match"
	Seats      []string  `json:"seats"`  // the agents
	Win        []float64 `json:"win"`    // by agent; a shared win counts by its share
	Low        []float64 `json:"low"`    // of the interval around Win
	High       []float64 `json:"high"`
	Confidence float64   `json:"confidence"`
	Games      int       `json:"games"`
	Truncated  int       `json:"truncated"` // of Games: cut off, won by nobody
	Seed       uint64    `json:"seed"`
}

// Play plays a number of games between agents [P] in these seats. The outcome
// depends on the seed, not on the number of cores.
func Play(ctx context.Context, g env.Game, seats []*agents.Agent, games int, seed uint64, progress func(done float64)) (Match, error) {
	return play(ctx, g, seats, games, seed, 0, progress)
}

// play plays with the generators of the rows from first on.
func play(ctx context.Context, g env.Game, seats []*agents.Agent, games int, seed uint64, first int, progress func(done float64)) (Match, error) {
	spec := g.Spec()
	switch {
	case !spec.HasWin():
		return Match{}, fmt.Errorf("%s for %d counts %s, not wins", spec.ID, spec.Players, spec.Unit)
	case len(seats) != spec.Players:
		return Match{}, fmt.Errorf("%d agents for a table of %d", len(seats), spec.Players)
	case games <= 0:
		return Match{}, fmt.Errorf("%d games; want at least 1", games)
	}
	rows := min(games, matchRows)
	workers := min(runtime.GOMAXPROCS(0), rows)
	parts := make([]part, workers)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		from, to := rows*w/workers, rows*(w+1)/workers
		parts[w] = part{b: g.NewBatch(to-from, first+from), seats: seats, left: make([]int, to-from)}
		for i := range parts[w].left {
			parts[w].left[i] = (games + rows - 1 - (from + i)) / rows
		}
		report := progress
		if w > 0 {
			report = nil
		}
		wg.Go(func() { errs[w] = parts[w].play(ctx, seed, report) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return Match{}, err
	}
	m := Match{Method: "match", Confidence: Confidence, Games: games, Seed: seed, Win: make([]float64, spec.Players)}
	for _, p := range parts {
		for i, x := range p.won { // in the order of rows, however they were split
			m.Win[i%spec.Players] += x
		}
		m.Truncated += p.truncated
	}
	for i, a := range seats {
		m.Seats = append(m.Seats, a.Name)
		m.Win[i] /= float64(games)
		low, high := wilson(m.Win[i], games)
		m.Low, m.High = append(m.Low, low), append(m.High, high)
	}
	return m, nil
}

// part is one worker's rows of a match.
type part struct {
	b         env.Batch
	seats     []*agents.Agent
	left      []int     // [rows] games still to be counted, so that long ones count as often as short ones
	won       []float64 // [rows, P]
	truncated int
}

func (p *part) play(ctx context.Context, seed uint64, progress func(float64)) error {
	spec := p.b.Spec()
	p.b.Reset(seed)
	buf := p.b.Buffers()
	p.won = make([]float64, p.b.Len()*spec.Players)
	spec.Win, spec.Loss = float64(float32(spec.Win)), float64(float32(spec.Loss)) // as rewards are rounded
	total := 0
	for _, n := range p.left {
		total += n
	}
	rows := make([]int, 0, p.b.Len())
	probs := make([]float64, p.b.Len()*spec.Actions)
	for left := total; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		for seat, a := range p.seats {
			rows = rows[:0]
			for i, who := range buf.Player {
				if int(who) == seat {
					rows = append(rows, i)
				}
			}
			if len(rows) == 0 {
				continue
			}
			if err := a.Probs(probs[:len(rows)*spec.Actions], p.b.Decisions(rows)); err != nil {
				return fmt.Errorf("%s: %w", a.Name, err)
			}
			for k, i := range rows {
				buf.Action[i] = env.Draw(probs[k*spec.Actions:(k+1)*spec.Actions], &buf.Noise[i])
			}
		}
		if err := p.b.Step(); err != nil {
			return err
		}
		for i, n := range p.left {
			if n == 0 || !buf.Terminated[i] && !buf.Truncated[i] {
				continue
			}
			p.left[i]--
			left--
			if buf.Truncated[i] {
				p.truncated++
				continue
			}
			for k := i * spec.Players; k < (i+1)*spec.Players; k++ {
				p.won[k] += spec.WinShare(float64(buf.Reward[k]))
			}
		}
		if progress != nil {
			progress(1 - float64(left)/float64(total))
		}
	}
	return nil
}

// wilson is the score interval of a proportion seen in n trials; for shares
// between 0 and 1 it is too wide, never too narrow.
//
// Source: Wilson, J. Am. Stat. Assoc. 22 (1927).
func wilson(p float64, n int) (low, high float64) {
	k := float64(n)
	mid := (p + z*z/(2*k)) / (1 + z*z/k)
	half := z / (1 + z*z/k) * math.Sqrt(p*(1-p)/k+z*z/(4*k*k))
	return max(0, mid-half), min(1, mid+half)
}

// Rotate plays games in all rotations of the agents over the seats, equally many
// of each, and gives each agent's share over all of them.
func Rotate(ctx context.Context, g env.Game, who []*agents.Agent, games int, seed uint64, progress func(done float64)) (Match, error) {
	n := len(who)
	if n == 0 {
		return Match{}, errors.New("no agents")
	}
	each := (games + n - 1) / n
	total := Match{Method: "match", Confidence: Confidence, Seed: seed, Win: make([]float64, n)}
	for r := range n {
		seats := make([]*agents.Agent, n)
		for i := range seats {
			seats[i] = who[(i+r)%n]
		}
		report := progress
		if progress != nil {
			report = func(done float64) { progress((float64(r) + done) / float64(n)) }
		}
		m, err := play(ctx, g, seats, each, seed, r*matchRows, report)
		if err != nil {
			return Match{}, err
		}
		for i := range seats {
			total.Win[(i+r)%n] += m.Win[i] / float64(n)
		}
		total.Games += m.Games
		total.Truncated += m.Truncated
	}
	for i, a := range who {
		total.Seats = append(total.Seats, a.Name)
		low, high := wilson(total.Win[i], total.Games)
		total.Low, total.High = append(total.Low, low), append(total.High, high)
	}
	return total, nil
}
