package eval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/jobs"
	"marsgym/internal/parallel"
)

const (
	// matchRows is the number of games of a match that are played at the same time.
	// Chosen: from some thousand rows on, the cost of a network's forward pass per row
	// falls no further.
	matchRows = 4096
	// matchWaves is the number of games that a row plays, at least, so that the part of
	// the games that are over tells how far a long match is. Matches of less than minRows
	// games are short, or have fewer waves.
	matchWaves = 8
	minRows    = 64
	// queryRows is the number of decisions in one call of a policy. Chosen: as many as
	// a network's layers process together, and few enough that a search of all of them
	// can be interrupted.
	queryRows = 256
)

// duplicate plays sets of games. A set is P games with the same dice, one for each
// rotation of the agents over the seats: all games of set k roll the dice of row
// first+k of the seed. A game depends on its set and its rotation only, not on the
// games that are played at the same time.
type duplicate struct {
	game     env.Game
	spec     game.Spec
	entrants []*agents.Agent // [P]
	distinct []*agents.Agent // the entrants, each agent once
	index    []int           // [P] of each entrant in distinct
	seed     uint64
	first    uint64

	share     []float64 // [games, P] of the win, by agent; game g is of set g/P in rotation g%P
	truncated int

	executor jobs.Executor // or nil
	records  bool
	actions  [][]game.Action // [games] of each game, if records
}

// MaxGames is the largest number of games of a match. Chosen: its interval is three
// hundredths of a percent wide, and its results take some hundred megabytes.
const MaxGames = 10_000_000

func checkGames(n int) error {
	if n < 1 || n > MaxGames {
		return fmt.Errorf("a match of %d games; want 1 to %d", n, MaxGames)
	}
	return nil
}

func newDuplicate(g env.Game, entrants []*agents.Agent, seed uint64) (*duplicate, error) {
	d := &duplicate{game: g, spec: g.Spec(), entrants: entrants, seed: seed}
	if err := checkWin(d.spec); err != nil {
		return nil, err
	}
	if len(entrants) != d.spec.Players {
		return nil, fmt.Errorf("%d agents in a game for %d players", len(entrants), d.spec.Players)
	}
	for _, a := range entrants {
		k := slices.Index(d.distinct, a)
		if k < 0 {
			k, d.distinct = len(d.distinct), append(d.distinct, a)
		}
		d.index = append(d.index, k)
	}
	d.spec.Win, d.spec.Loss = float64(float32(d.spec.Win)), float64(float32(d.spec.Loss)) // rounded like rewards
	return d, nil
}

func (d *duplicate) sets() int { return len(d.share) / (len(d.entrants) * len(d.entrants)) }

// play plays a number of further sets.
func (d *duplicate) play(ctx context.Context, sets int, progress func(done float64)) error {
	if d.executor != nil && !d.records && d.portable() {
		return d.playParts(ctx, sets, progress)
	}
	p := len(d.entrants)
	from := len(d.share) / p
	to := from + sets*p
	d.share = append(d.share, make([]float64, sets*p*p)...)
	if d.records {
		d.actions = append(d.actions, make([][]game.Action, sets*p)...)
	}
	workers := min(runtime.GOMAXPROCS(0), to-from)
	var finished, truncated atomic.Int64
	err := parallel.ForContext(ctx, workers, 1, func(i, _ int) error {
		w := worker{duplicate: d, next: from + i, stride: workers, end: to, finished: &finished, truncated: &truncated}
		if i == 0 && progress != nil {
			w.report = func() { progress(float64(finished.Load()) / float64(to-from)) }
		}
		return w.play(ctx, (min(to-from, matchRows, max(minRows, (to-from)/matchWaves))+workers-1-i)/workers)
	})
	d.truncated += int(truncated.Load())
	if err != nil {
		return err
	}
	if progress != nil {
		progress(1)
	}
	return nil
}

// worker plays games next, next+stride and so on below end.
type worker struct {
	*duplicate
	next, stride, end   int
	finished, truncated *atomic.Int64 // games of all workers
	report              func()        // nil for no report

	batch  env.Batch
	games  []int           // [rows] the game of each row, -1 if none is left
	active int             // rows with a game
	played [][]game.Action // [rows] of the game of each row, if the match records games
	rows   []int           // of the agent that acts
}

func (w *worker) play(ctx context.Context, rows int) error {
	w.batch = w.game.NewBatch(rows, 0)
	w.batch.Reset(w.seed)
	w.games, w.active = make([]int, rows), rows
	w.played = make([][]game.Action, rows)
	for i := range w.games {
		w.start(i)
	}
	buf := w.batch.Buffers()
	for w.active > 0 {
		for k, a := range w.distinct {
			if err := w.act(ctx, k); err != nil {
				return fmt.Errorf("%s: %w", a.Name, err)
			}
		}
		if err := w.batch.Step(); err != nil {
			return err
		}
		for i, g := range w.games {
			if g >= 0 && (buf.Terminated[i] || buf.Truncated[i]) {
				w.record(i, g)
				w.start(i)
			}
		}
		if w.report != nil {
			w.report()
		}
	}
	return nil
}

func (w *worker) start(i int) {
	if w.next >= w.end {
		w.games[i] = -1
		w.active--
		return
	}
	w.games[i] = w.next
	w.batch.Restart(i, w.seed, w.first+uint64(w.next/len(w.entrants)))
	w.next += w.stride
}

// record stores the result of game g, which has ended in row i.
func (w *worker) record(i, g int) {
	buf, p := w.batch.Buffers(), len(w.entrants)
	w.finished.Add(1)
	if w.records {
		w.actions[g], w.played[i] = w.played[i], nil
	}
	if buf.Truncated[i] {
		w.truncated.Add(1)
		return
	}
	for seat := range p {
		w.share[g*p+(seat+g)%p] = w.spec.WinShare(float64(buf.Reward[i*p+seat]))
	}
}

// act chooses the actions of agent k of distinct in all rows in which it is to act.
// In rotation r, entrant s+r sits in seat s, so that each keeps its neighbours. In
// rows without a game any legal action is taken.
func (w *worker) act(ctx context.Context, k int) error {
	buf, n := w.batch.Buffers(), w.spec.Actions
	rows := w.rows[:0]
	for i, g := range w.games {
		if g < 0 {
			buf.Action[i] = game.Action(slices.Index(buf.Mask[i*n:(i+1)*n], true))
		} else if w.index[(int(buf.Player[i])+g)%len(w.entrants)] == k {
			rows = append(rows, i)
		}
	}
	w.rows = rows
	for some := range slices.Chunk(rows, queryRows) {
		if err := w.batch.Act(ctx, w.distinct[k], some); err != nil {
			return err
		}
	}
	if w.records {
		d := w.batch.Decisions(rows)
		for j, i := range rows {
			a := buf.Action[i]
			if label := d.Relabel(j); label != nil {
				a = label[a]
			}
			w.played[i] = append(w.played[i], a)
		}
	}
	return nil
}

func (d *duplicate) match() Match {
	m := Match{
		Method: "match", Seats: names(d.entrants), Confidence: Confidence,
		Games: len(d.share) / len(d.entrants), Truncated: d.truncated, Seed: d.seed,
	}
	for agent := range d.entrants {
		var sets sample
		for set := range d.sets() {
			sets.add(d.mean(set, agent))
		}
		low, high := sets.interval()
		m.Win, m.Low, m.High = append(m.Win, sets.mean()), append(m.Low, low), append(m.High, high)
		// Sets with one result have a variance by rounding. One of 10⁹ sets that differs from the
		// others gives more.
		if agent == 0 && sets.variance() > 1e-12 {
			m.VarianceReduction = d.independentVariance() / sets.variance()
		}
	}
	return m
}

func (d *duplicate) mean(set, agent int) float64 {
	p, sum := len(d.entrants), 0.0
	for r := range p {
		sum += d.share[(set*p+r)*p+agent]
	}
	return sum / float64(p)
}

// unclaimed returns the share of the win that no agent got in a set: that of its truncated
// games, in which all have the share 0.
func (d *duplicate) unclaimed(set int) float64 {
	return float64(len(d.cut(set))) / float64(len(d.entrants))
}

// divide gives each agent its share of the truncated games of a set.
func (d *duplicate) divide(set int) {
	for _, share := range d.cut(set) {
		for i := range share {
			share[i] = 1 / float64(len(share))
		}
	}
}

// cut returns the shares [P] of each truncated game of a set.
func (d *duplicate) cut(set int) (games [][]float64) {
	p := len(d.entrants)
	for r := range p {
		if share := d.share[(set*p+r)*p:][:p]; slices.Max(share) == 0 {
			games = append(games, share)
		}
	}
	return games
}

// independentVariance returns the variance that the first agent's share of a set
// would have if its games had independent dice.
func (d *duplicate) independentVariance() float64 {
	p, sum := len(d.entrants), 0.0
	for r := range p {
		var games sample
		for set := range d.sets() {
			games.add(d.share[(set*p+r)*p])
		}
		sum += games.variance()
	}
	return sum / float64(p*p)
}
