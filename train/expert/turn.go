package expert

import (
	"context"
	"math"
	"slices"

	"marsgym/agents/search"
	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/parallel"
)

// turnExact searches each turn to its end, with the network's values of the states
// in which it ends. It searches some rows at a time on each core, and solves the turns of all
// together.
type turnExact[S comparable] struct {
	rules core.Rules[S]
	pairs []*turnRows[S]
	plans []game.Plan[S] // [N]
	ends  [][]float64    // [N][ends, P] values of the ends by seat
}

// turnRows are rows of a turnExact that one goroutine searches.
type turnRows[S comparable] struct {
	searcher[S]
	turns   []turnSearch[S] // [n]
	plans   []game.Plan[S]  // [n]
	ends    [][]float64     // [n][ends, P]
	targets *Targets
}

// turnPair is the largest number of rows of turnRows. Chosen: with two, the observations of
// their turns' ends still suit the network.
const turnPair = 2

// turnSearch is the search of a row.
type turnSearch[S comparable] struct {
	start   S
	mover   game.Player
	restart bool // start is not the state of the row's game
	own     int  // index of the observation of start, where starts are archived
	ends    []S
	index   []int32 // [ends] of the observation; -1 where the value is known
}

func newTurnExact[S comparable](rules core.Rules[S], cfg Config, rows, first int) (*turnExact[S], error) {
	e := &turnExact[S]{rules: rules, ends: make([][]float64, rows)}
	for range rows {
		e.plans = append(e.plans, rules.Planner.NewPlan())
	}
	for i := 0; i < rows; i += turnPair {
		n := min(turnPair, rows-i)
		s, err := newSearcher(rules, cfg, n, first+i)
		if err != nil {
			return nil, err
		}
		e.pairs = append(e.pairs, &turnRows[S]{searcher: s, turns: make([]turnSearch[S], n), plans: e.plans[i:][:n], ends: e.ends[i:][:n]})
	}
	return e, nil
}

// Target implements [Expert].
func (e *turnExact[S]) Target() search.ValueTarget { return search.TurnStart }

// Pieces implements [Expert].
func (e *turnExact[S]) Pieces() int { return len(e.pairs) }

// Reset implements [Expert].
func (e *turnExact[S]) Reset(seed uint64) {
	for _, r := range e.pairs {
		r.reset(seed, func(i int) {
			r.state[i] = e.rules.Initial()
			r.drawOpponents(i)
			r.settle(i)
		})
	}
}

// AppendState implements [Expert].
func (e *turnExact[S]) AppendState(dst []byte) (_ []byte, err error) {
	for _, r := range e.pairs {
		if dst, err = r.AppendState(dst); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// RestoreState implements [Expert].
func (e *turnExact[S]) RestoreState(src []byte) error {
	want := 0
	for _, r := range e.pairs {
		want += r.stateSize()
	}
	if len(src) != want {
		return e.pairs[0].wrongSize(len(src), want, len(e.plans))
	}
	for _, r := range e.pairs {
		n := r.stateSize()
		if err := r.RestoreState(src[:n]); err != nil {
			return err
		}
		src = src[n:]
	}
	return nil
}

// settle advances row i to the next start of a turn. If the game is over or truncated
// it starts another.
func (e *turnRows[S]) settle(i int) {
	for range 1000 {
		for range e.rules.ChanceLimit {
			if _, ok := e.rules.TurnStart(e.state[i]); ok {
				e.state[i] = e.rules.Representative(e.state[i])
				return
			}
			if e.rules.CurrentPlayer(e.state[i]) != game.Chance {
				break
			}
			e.state[i] = e.rules.Sampler.Sample(e.state[i], &e.dice[i])
		}
		e.state[i] = e.rules.Initial()
		e.drawOpponents(i)
		if e.targets != nil {
			e.targets.Games++
		}
	}
	panic("expert: no turn of " + e.spec.ID + " starts")
}

// Search implements [Expert]: in every row it searches one turn and plays it
// cfg.Turns times.
func (e *turnExact[S]) Search(ctx context.Context, dst []Targets, opt Options, net Network) error {
	parallel.For(len(e.pairs), 1, func(k, _ int) {
		r := e.pairs[k]
		r.targets = &dst[k]
		r.targets.reset(r.d)
		r.beginSearch(opt)
		r.obs.Reset()
		for i := range r.turns {
			r.begin(i)
		}
		r.evaluate(net, nil)
		for i := range r.turns {
			r.receive(i)
		}
	})
	e.rules.Planner.SolveAll(e.plans, e.ends)
	return parallel.ForContext(ctx, len(e.pairs), 1, func(k, _ int) error { return e.pairs[k].playAll(opt) })
}

// playAll plays the turns of all rows, and adds the targets.
func (e *turnRows[S]) playAll(opt Options) error {
	for i := range e.turns {
		t := &e.turns[i]
		e.value = e.plans[i].Value(e.value[:0])
		e.addValue(e.targets, t.start, t.mover, e.value)
		if e.cfg.Starts.Archives() {
			v := float64(e.output[t.own*e.spec.Players])
			e.archive.add(i, &t.start, math.Abs(e.value[t.mover]-v))
		}
		for n := range e.cfg.Turns {
			goesOn := n == 0 && !t.restart
			if end := e.play(i, opt, goesOn); goesOn {
				e.state[i] = end
			}
		}
		if !t.restart {
			e.settle(i)
		}
	}
	return e.pool.err
}

// begin starts the search of a turn in row i and observes its ends.
func (e *turnRows[S]) begin(i int) {
	t, plan, values := &e.turns[i], e.plans[i], e.ends[i][:0]
	t.start, t.restart = e.state[i], false
	if s, ok := e.drawStart(i); ok {
		if _, starts := e.rules.TurnStart(s); starts { // a game may have ended before
			t.start, t.restart = e.rules.Representative(s), true
		}
	}
	t.mover, _ = e.rules.TurnStart(t.start)
	if e.cfg.Starts.Archives() {
		t.own = e.obs.Len()
		e.observe(e.obs, t.start, t.mover)
	}
	t.ends = plan.Begin(t.start)
	t.index = t.index[:0]
	for _, end := range t.ends {
		end = e.rules.Representative(end)
		var known bool
		if values, known = plan.Known(values, end); known {
			t.index = append(t.index, -1)
			continue
		}
		values = slices.Grow(values, e.spec.Players)[:len(values)+e.spec.Players]
		t.index = append(t.index, int32(e.obs.Len()))
		next, _ := e.rules.TurnStart(end)
		e.observe(e.obs, end, next)
	}
	e.ends[i] = values
}

// receive reads the network's values of the ends of the turn of row i.
func (e *turnRows[S]) receive(i int) {
	t, p := &e.turns[i], e.spec.Players
	for k, end := range t.ends {
		if t.index[k] >= 0 {
			viewer, _ := e.rules.TurnStart(end)
			e.seatValues(e.ends[i][k*p:][:p], int(t.index[k]), viewer)
		}
	}
}

// play plays the turn of row i once, by an opponent only where the game goes on. It
// returns the state in which the turn ends, or the state after ChanceLimit transitions: the
// game is then truncated.
func (e *turnRows[S]) play(i int, opt Options, goesOn bool) S {
	t, plan, dice := &e.turns[i], e.plans[i], &e.dice[i]
	s, rate := t.start, e.explorationRate(opt, dice)
	known := false
	for n := range e.rules.ChanceLimit {
		if _, starts := e.rules.TurnStart(s); n > 0 && starts {
			return s
		}
		switch who := e.rules.CurrentPlayer(s); who {
		case game.Terminal:
			return s
		case game.Chance:
			if e.value, known = plan.Known(e.value[:0], s); known {
				return s
			}
			s = e.rules.Representative(e.rules.Sampler.Sample(s, dice))
		default:
			e.targets.Decisions++
			e.legal = e.rules.Legal(e.legal[:0], s)
			choice := 0
			if len(e.legal) > 1 {
				e.values = plan.Options(e.values[:0], s)
				e.addDecision(e.targets, s, who, e.legal, e.values, opt, false)
				if goesOn {
					choice = e.act(i, s, who, e.legal, e.values, rate, opt)
				} else {
					choice = e.choose(e.values, rate, dice)
				}
			}
			s = e.rules.After(s, e.legal[choice])
		}
	}
	return s
}
