package martiandice

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"

	"marsgym/env/game"
	"marsgym/internal/lanes"
	"marsgym/internal/parallel"
)

// octet is best play of eight turns at once, one in each lane, to the bits of
// turn.solve and turn.spreadBest. Whoever fills value[:ends] with what the ends
// of the turns pay may call solve, and then spread; lanes need not be in use.
type turnBatch struct {
	graph          *turnGraph
	value, rolling []lanes.Vec // [live]; what the turns are worth, by code, and rolling on
	dist           []lanes.Vec // [ends]; how they end
	reach          []lanes.Vec // [live]; all 0
}

func (t *turnGraph) newBatch() *turnBatch {
	// In one piece, since a processor takes addresses that are whole pages apart
	// for the same at first.
	v := make([]lanes.Vec, 3*t.live+t.ends)
	return &turnBatch{t, v[:t.live], v[t.live:][:t.live], v[3*t.live:], v[2*t.live:][:t.live]}
}

// takeOctet returns an octet from octets, or a new one.
func (t *turnGraph) takeBatch() *turnBatch {
	if o, ok := t.batches.Get().(*turnBatch); ok {
		return o
	}
	return t.newBatch()
}

// solve fills in value and rolling.
func (o *turnBatch) solve() { o.graph.lanes.Solve(o.value, o.rolling) }

// spread fills in dist, for best play from the start of the turns.
func (o *turnBatch) propagate() {
	clear(o.dist)
	for l := range lanes.Width {
		o.reach[o.graph.start()][l] = 1
	}
	o.graph.lanes.Propagate(o.dist, o.reach, o.value, o.rolling)
}

// widen fills in wide.
func (t *turnGraph) buildLanes() {
	t.lanes = lanes.New(t.ends, game.Tie)
	for i := t.ends; i < t.live; i++ {
		h := &t.holds[i]
		stop := int(h.points)
		if i == t.start() {
			stop = -1
		}
		t.lanes.Add(stop)
		for _, e := range t.forced[h.forced.from:h.forced.to] {
			t.lanes.Roll(e.prob, int(e.to))
		}
		for _, c := range t.pairs[h.pairs.from:h.pairs.to] {
			t.lanes.Roll(c.prob, int(c.a), int(c.b))
		}
		for _, c := range t.picks[h.picks.from:h.picks.to] {
			options := []int{int(c.to[0])}
			for _, to := range c.to[1:] {
				if to != c.to[0] {
					options = append(options, int(to))
				}
			}
			t.lanes.Roll(c.prob, options...)
		}
	}
}

// lane is one of the eight of an octet, for a calculation of many turns.
type lane struct {
	batch *turnBatch
	i     int
	wait  func() // until the octet is solved and spread
}

// play returns what a turn is worth under best play when its end with k points
// pays pay[k*stride], and fills dist [ends] with how it ends.
func (l *lane) solve(dist, pay []float64, stride int) float64 {
	for k := range dist {
		l.batch.value[k][l.i] = pay[k*stride]
	}
	l.wait()
	for k := range dist {
		dist[k] = l.batch.dist[k][l.i]
	}
	return l.batch.rolling[l.batch.graph.start()][l.i]
}

// run calls f for each lane. The calls take turns on this goroutine: each runs to
// where it plays, and when all do, the octet is solved for all. No lane is begun
// once a call has returned, which it does when there is nothing left to do.
func (o *turnBatch) run(f func(l *lane) error) error {
	var errs [lanes.Width]error
	var waiting []func() (struct{}, bool) // go on with a call, until it has returned
	for i := range errs {
		goOn, _ := iter.Pull(func(yield func(struct{}) bool) {
			errs[i] = f(&lane{o, i, func() { yield(struct{}{}) }})
		})
		if _, ok := goOn(); !ok {
			break
		}
		waiting = append(waiting, goOn)
	}
	for len(waiting) > 0 {
		o.solve()
		o.propagate()
		waiting = slices.DeleteFunc(waiting, func(goOn func() (struct{}, bool)) bool {
			_, ok := goOn()
			return !ok
		})
	}
	return errors.Join(errs[:]...)
}

// abreast calls f with 0 to n-1 until one fails, on all cores and eight at a time
// on each. What a call comes to does not depend on those beside it.
func (t *turnGraph) forEach(ctx context.Context, n int, f func(i int, l *lane) error) error {
	var next atomic.Int64
	calls := func(l *lane) error {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return nil
			}
			err := ctx.Err()
			if err == nil {
				err = f(i, l)
			}
			if err != nil {
				next.Store(int64(n))
				return err
			}
		}
	}
	errs := make([]error, min(runtime.GOMAXPROCS(0), (n+lanes.Width-1)/lanes.Width))
	parallel.For(len(errs), 1, func(w, _ int) {
		o := t.takeBatch()
		errs[w] = o.run(calls)
		t.batches.Put(o)
	})
	return errors.Join(errs...)
}
