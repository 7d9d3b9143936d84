package env

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// turnExpert searches each turn to its end, against the network's values of
// where it ends.
type turnExpert[S comparable] struct {
	searcher[S]
	planner game.Planner[S]
	turns   []turnSearch[S] // [N]
	plans   []game.Plan[S]  // [N] of the turns
	known   [][]float64     // [N][ends, P] what their ends are worth; as long as it is asked, nothing
}

// turnSearch is the search of a row.
type turnSearch[S comparable] struct {
	begin S
	mover game.Player
	anew  bool // drawn, and not where the row's game stands
	ends  []S
	asked []int32 // [ends] index of what is asked; -1 where known
}

// Reset implements [Expert].
func (e *turnExpert[S]) Reset(seed uint64) {
	for i := range e.state {
		e.dice[i].Seed(seed, uint64(e.first+i))
		e.state[i] = e.k.rules.Initial()
		e.settle(i, nil)
	}
}

// settle goes on in row i to the next start of a turn, in the next game if this
// one is over or truncated.
func (e *turnExpert[S]) settle(i int, dst *Lessons) {
	for range 1000 {
		for range e.k.limit {
			if e.planner.Mover(e.state[i]) >= 0 {
				e.state[i], _ = e.k.canonical(e.state[i])
				return
			}
			if e.k.rules.CurrentPlayer(e.state[i]) != game.Chance {
				break
			}
			e.state[i] = e.k.sampler.Sample(e.state[i], &e.dice[i])
		}
		e.state[i] = e.k.rules.Initial()
		if dst != nil {
			dst.Games++
		}
	}
	panic("env: " + e.spec.ID + " offers no turn")
}

// Search implements [Expert]: in every row it searches a turn and plays it a few times.
func (e *turnExpert[S]) Search(ctx context.Context, dst *Lessons, how Manner, net Network) error {
	dst.reset()
	e.obs = e.obs[:0]
	for i := range e.turns {
		e.begin(i)
	}
	e.ask(net, nil)
	for i := range e.turns {
		e.hear(i)
	}
	e.planner.SolveAll(e.plans, e.known)
	for i := range e.turns {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := &e.turns[i]
		e.value = e.plans[i].Value(e.value[:0])
		e.lesson(dst, t.begin, t.mover, e.value)
		for n := range e.cfg.Turns {
			end := e.play(i, dst, how)
			if n == 0 && !t.anew {
				e.state[i] = end
			}
		}
		if !t.anew {
			e.settle(i, dst)
		}
	}
	return nil
}

// begin takes up a turn and asks about its ends.
func (e *turnExpert[S]) begin(i int) {
	t, plan, known := &e.turns[i], e.plans[i], e.known[i][:0]
	t.begin, t.anew = e.state[i], chance(&e.dice[i]) < e.cfg.Anew
	if t.anew {
		t.begin, _ = e.k.canonical(e.planner.SampleStart(&e.dice[i]))
	}
	t.mover = e.planner.Mover(t.begin)
	t.ends = plan.Begin(t.begin)
	t.asked = t.asked[:0]
	for _, end := range t.ends {
		end, _ = e.k.canonical(end)
		var ok bool
		if known, ok = plan.Known(known, end); ok {
			t.asked = append(t.asked, -1)
			continue
		}
		known = slices.Grow(known, e.spec.Players)[:len(known)+e.spec.Players]
		t.asked = append(t.asked, int32(len(e.obs)/e.d))
		e.obs = e.see(e.obs, end, e.planner.Mover(end))
	}
	e.known[i] = known
}

// hear takes in the values that the network has given of the turn of row i.
func (e *turnExpert[S]) hear(i int) {
	t, p := &e.turns[i], e.spec.Players
	for k, end := range t.ends {
		if t.asked[k] < 0 {
			continue
		}
		viewer := e.planner.Mover(end)
		for j := range p {
			e.known[i][k*p+j] = e.seat(int(t.asked[k]), viewer, game.Player(j))
		}
	}
}

// play plays the turn of row i once and returns where it ends, or stands after
// k.limit transitions: the game is then truncated.
func (e *turnExpert[S]) play(i int, dst *Lessons, how Manner) S {
	t, plan, dice := &e.turns[i], e.plans[i], &e.dice[i]
	s, stray := t.begin, e.stray(how, dice)
	ends := false
	for n := range e.k.limit {
		if n > 0 && e.planner.Mover(s) >= 0 {
			return s
		}
		switch who := e.k.rules.CurrentPlayer(s); who {
		case game.Terminal:
			return s
		case game.Chance:
			if e.value, ends = plan.Known(e.value[:0], s); ends {
				return s
			}
			s, _ = e.k.canonical(e.k.sampler.Sample(s, dice))
		default:
			dst.Decisions++
			e.legal = e.k.rules.Legal(e.legal[:0], s)
			choice := 0
			if len(e.legal) > 1 {
				e.worth = plan.Options(e.worth[:0], s)
				e.decision(dst, s, who, e.legal, e.worth)
				choice = e.choose(e.worth, stray, dice)
			}
			s = e.k.apply(s, e.legal[choice])
		}
	}
	return s
}

// AppendState implements [Expert].
func (e *turnExpert[S]) AppendState(dst []byte) ([]byte, error) { return e.appendState(dst) }

// RestoreState implements [Expert].
func (e *turnExpert[S]) RestoreState(src []byte) error {
	if _, err := e.restoreState(src, 0); err != nil {
		return err
	}
	for i, s := range e.state {
		if e.planner.Mover(s) < 0 {
			return fmt.Errorf("env: row %d holds a state in which no turn begins", i)
		}
	}
	return nil
}
