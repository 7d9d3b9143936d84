package eval

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
)

const (
	// matchRows is the number of games that a match plays at once. Chosen: a
	// network's forward pass costs least per row from some thousand on.
	matchRows = 4096
	// askRows is the number of decisions put to an agent at once. Chosen: as many
	// as go through a network together, and few enough that a search of each of
	// them can be interrupted.
	askRows = 256
)

// mirror plays mirrored sets. A set is P games, in which the agents sit in each
// rotation over the seats and the same dice are rolled: row first+k of the run for
// all games of set k. A game depends on its set and its rotation alone, whatever is
// played beside it.
type mirror struct {
	game  env.Game
	spec  game.Spec
	who   []*agents.Agent // [P]
	kinds []*agents.Agent // each agent once
	kind  []int           // [P] of who among kinds
	seed  uint64
	first uint64 // row of the run whose dice set 0 rolls

	share     []float64 // [games, P] of the win, by agent; game g is of set g/P in rotation g%P
	truncated int
}

// maxGames of a match. Chosen: an interval of as many is three hundredths of a
// percent wide, and their shares take some hundred megabytes.
const maxGames = 10_000_000

func checkGames(n int) error {
	if n < 1 || n > maxGames {
		return fmt.Errorf("a match of %d games; want 1 to %d", n, maxGames)
	}
	return nil
}

func newMirror(g env.Game, who []*agents.Agent, seed uint64) (*mirror, error) {
	m := &mirror{game: g, spec: g.Spec(), who: who, seed: seed}
	switch {
	case !m.spec.HasWin():
		return nil, fmt.Errorf("%s for %d counts %s, not wins", m.spec.ID, m.spec.Players, m.spec.Unit)
	case len(who) != m.spec.Players:
		return nil, fmt.Errorf("%d agents for a table of %d", len(who), m.spec.Players)
	}
	for _, a := range who {
		k := slices.Index(m.kinds, a)
		if k < 0 {
			k, m.kinds = len(m.kinds), append(m.kinds, a)
		}
		m.kind = append(m.kind, k)
	}
	m.spec.Win, m.spec.Loss = float64(float32(m.spec.Win)), float64(float32(m.spec.Loss)) // as rewards are rounded
	return m, nil
}

// sets is the number of sets played.
func (m *mirror) sets() int { return len(m.share) / (len(m.who) * len(m.who)) }

// play plays so many sets more.
func (m *mirror) play(ctx context.Context, sets int, progress func(done float64)) error {
	p := len(m.who)
	from := len(m.share) / p
	to := from + sets*p
	m.share = append(m.share, make([]float64, sets*p*p)...)
	workers := min(runtime.GOMAXPROCS(0), to-from)
	errs := make([]error, workers)
	var over, cut atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		t := tables{mirror: m, next: from + w, stride: workers, end: to, over: &over, cut: &cut}
		if w == 0 && progress != nil {
			t.report = func() { progress(float64(over.Load()) / float64(to-from)) }
		}
		rows := (min(to-from, matchRows) + workers - 1 - w) / workers
		wg.Go(func() { errs[w] = t.play(ctx, rows) })
	}
	wg.Wait()
	m.truncated += int(cut.Load())
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if progress != nil {
		progress(1)
	}
	return nil
}

// tables are the games of one worker: next, next+stride and so on below end.
type tables struct {
	*mirror
	next, stride, end int
	over, cut         *atomic.Int64 // games of all workers
	report            func()        // or nil

	batch env.Batch
	games []int // [rows] that are played, -1 where none is left
	left  int   // rows with a game
	probs []float64
	asked []int
}

func (t *tables) play(ctx context.Context, rows int) error {
	t.batch = t.game.NewBatch(rows, 0)
	t.batch.Reset(t.seed)
	t.games, t.left = make([]int, rows), rows
	t.probs = make([]float64, askRows*t.spec.Actions)
	for i := range t.games {
		t.deal(i)
	}
	buf := t.batch.Buffers()
	for t.left > 0 {
		for k, a := range t.kinds {
			if err := t.ask(ctx, k); err != nil {
				return fmt.Errorf("%s: %w", a.Name, err)
			}
		}
		if err := t.batch.Step(); err != nil {
			return err
		}
		for i, g := range t.games {
			if g >= 0 && (buf.Terminated[i] || buf.Truncated[i]) {
				t.pay(i, g)
				t.deal(i)
			}
		}
		if t.report != nil {
			t.report()
		}
	}
	return nil
}

// deal begins the next game in row i, if one is left.
func (t *tables) deal(i int) {
	if t.next >= t.end {
		t.games[i] = -1
		t.left--
		return
	}
	t.games[i] = t.next
	t.batch.Restart(i, t.seed, t.first+uint64(t.next/len(t.who)))
	t.next += t.stride
}

// pay counts the game that has ended in row i.
func (t *tables) pay(i, g int) {
	buf, p := t.batch.Buffers(), len(t.who)
	t.over.Add(1)
	if buf.Truncated[i] {
		t.cut.Add(1)
		return
	}
	for seat := range p {
		t.share[g*p+(seat+g)%p] = t.spec.WinShare(float64(buf.Reward[i*p+seat]))
	}
}

// ask asks the agent of one kind wherever it is to act. In rotation r agent s+r
// sits in seat s, so that each keeps its neighbours. Rows without a game are
// given any legal action.
func (t *tables) ask(ctx context.Context, kind int) error {
	buf, n := t.batch.Buffers(), t.spec.Actions
	rows := t.asked[:0]
	for i, g := range t.games {
		if g < 0 {
			buf.Action[i] = game.Action(slices.Index(buf.Mask[i*n:(i+1)*n], true))
		} else if t.kind[(int(buf.Player[i])+g)%len(t.who)] == kind {
			rows = append(rows, i)
		}
	}
	t.asked = rows
	for len(rows) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := rows[:min(askRows, len(rows))]
		rows = rows[len(some):]
		probs := t.probs[:len(some)*n]
		if err := env.Probs(ctx, t.kinds[kind], probs, t.batch.Decisions(some)); err != nil {
			return err
		}
		for k, i := range some {
			buf.Action[i] = env.SampleAction(probs[k*n:(k+1)*n], &buf.Noise[i])
		}
	}
	return nil
}
