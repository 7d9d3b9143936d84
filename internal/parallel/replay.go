package parallel

import (
	"container/heap"
	"iter"
	"math"
	"time"
)

// Costs are those of the scheduler of goroutines.
type Costs struct {
	Start time.Duration // to start a goroutine, in the one that starts it
	Wake  time.Duration // until a core that sleeps runs a goroutine; cores wake one after the other
}

// Wall returns how long recorded work takes on a number of cores: it runs the goroutines of
// each [For] on the cores as the Go scheduler does, except that a core never takes longer for
// a range because others are busy. A core sleeps once it has had nothing to do for as long as
// helpers wait.
func (w Work) Wall(cores int, c Costs) time.Duration {
	s := &replay{cores: cores, costs: c}
	for range cores {
		s.idle = append(s.idle, math.MinInt64)
	}
	s.start(func(run func(time.Duration)) { s.work(w, run) })
	for s.next() {
	}
	return s.now
}

// replay is a simulation of goroutines on cores.
type replay struct {
	costs      Costs
	cores      int
	idle       []time.Duration // since when each idle core has nothing to do, ascending
	now, woken time.Duration
	current    *thread
	ready      []*thread // first in, first out
	busy       events
}

// thread is a goroutine of a replay: a coroutine that yields the time until which it is busy,
// or blocked.
type thread struct {
	resume func() (time.Duration, bool)
	until  time.Duration
}

const blocked = -1

// start makes a goroutine ready. It calls run to be busy for a time.
func (s *replay) start(f func(run func(time.Duration))) {
	resume, _ := iter.Pull(func(yield func(time.Duration) bool) {
		f(func(d time.Duration) { yield(d) })
	})
	s.wake(&thread{resume: resume})
}

// wake lets a goroutine run on an idle core, or when a core has nothing else to do.
func (s *replay) wake(t *thread) {
	last := len(s.idle) - 1
	if last < 0 {
		s.ready = append(s.ready, t)
		return
	}
	asleep := s.idle[last] < s.now-patience(s.cores)
	s.idle = s.idle[:last]
	t.until = s.now
	if asleep && last < s.cores-1 { // not the first goroutine of all
		s.woken = max(s.woken, s.now) + s.costs.Wake
		t.until = s.woken
	}
	heap.Push(&s.busy, t)
}

// next goes on to the time at which the next goroutine ends what it did, and lets it go on. It
// reports whether there was one.
func (s *replay) next() bool {
	if len(s.busy) == 0 {
		return false
	}
	t := heap.Pop(&s.busy).(*thread)
	s.now = t.until
	for {
		s.current = t
		d, ok := t.resume()
		if ok && d != blocked {
			t.until = s.now + d
			heap.Push(&s.busy, t)
			return true
		}
		if len(s.ready) == 0 {
			s.idle = append(s.idle, s.now)
			return true
		}
		t, s.ready = s.ready[0], s.ready[1:]
	}
}

// work does recorded work.
func (s *replay) work(w Work, run func(time.Duration)) {
	for _, step := range w {
		run(step.Took)
		if step.Then != nil {
			s.section(step.Then.Ranges, run)
		}
	}
}

// section is [For].
func (s *replay) section(ranges []Work, run func(time.Duration)) {
	var (
		next    int
		left    = len(ranges)
		waiting *thread
	)
	help := func(run func(time.Duration)) {
		for next < len(ranges) {
			next++
			s.work(ranges[next-1], run)
			left--
		}
	}
	for range min(s.cores, len(ranges)) - 1 {
		run(s.costs.Start)
		s.start(func(run func(time.Duration)) {
			help(run)
			if left == 0 && waiting != nil {
				s.ready = append([]*thread{waiting}, s.ready...) // this core is about to be free
				waiting = nil
			}
		})
	}
	help(run)
	if left > 0 {
		waiting = s.current
		run(blocked)
	}
}

// events is a heap of goroutines by the time until which they are busy.
type events []*thread

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].until < e[j].until }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(*thread)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	t := (*e)[last]
	*e = (*e)[:last]
	return t
}
