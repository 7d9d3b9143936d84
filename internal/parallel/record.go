package parallel

import (
	"cmp"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Work is what a goroutine did, in order.
type Work []Step

// Took returns how long the work took.
func (w Work) Took() (sum time.Duration) {
	for _, step := range w {
		sum += step.Took
		if step.Then != nil {
			for _, r := range step.Then.Ranges {
				sum += r.Took()
			}
		}
	}
	return sum
}

// Step is a stretch of work in one goroutine, and the call of [For] that followed, if any.
type Step struct {
	Took time.Duration
	Then *Section
}

// Section is a call of [For].
type Section struct {
	Name   string // the function that called For
	Ranges []Work // of its calls of f
}

// Recorder records how long each range of each section takes.
type Recorder struct {
	clock func() time.Duration
	cores int
	first Work
	work  *Work         // to which the next step belongs
	mark  time.Duration // when that began
	tick  time.Duration // what reading the clock takes
}

// recorder is nil unless sections are recorded.
var recorder atomic.Pointer[Recorder]

// Record begins to record work that is divided for a number of cores. Until [Recorder.Stop], only
// one goroutine may call [For], which calls f in order on that goroutine; clock is best its CPU
// time.
func Record(cores int, clock func() time.Duration) *Recorder {
	r := &Recorder{clock: clock, cores: cores, tick: math.MaxInt64}
	for range 100 {
		from := clock()
		r.tick = min(r.tick, clock()-from)
	}
	r.work, r.mark = &r.first, clock()
	recorder.Store(r)
	return r
}

// Stop ends the recording and returns it.
func (r *Recorder) Stop() Work {
	r.step(nil, r.clock())
	recorder.Store(nil)
	return r.first
}

// step ends a step at a time. A step without a section continues with what follows.
func (r *Recorder) step(then *Section, at time.Duration) {
	w, took := *r.work, max(0, at-r.mark-r.tick)
	if last := len(w) - 1; last >= 0 && w[last].Then == nil {
		w[last] = Step{w[last].Took + took, then}
		return
	}
	*r.work = append(w, Step{took, then})
}

// section records a section, whose ranges f records.
func (r *Recorder) section(ranges int, f func(ranges []Work)) {
	began := r.clock() // before the work of recording, which is no part of the step
	outer, s := r.work, &Section{Name: caller(), Ranges: make([]Work, ranges)}
	r.step(s, began)
	f(s.Ranges)
	r.work, r.mark = outer, r.clock()
}

// record adds what f does to work.
func (r *Recorder) record(work *Work, f func()) {
	r.work, r.mark = work, r.clock()
	f()
	r.step(nil, r.clock())
}

// run is [For].
func (r *Recorder) run(n, size int, f func(from, to int)) {
	r.section((n+size-1)/size, func(ranges []Work) {
		for i := range ranges {
			r.record(&ranges[i], func() { f(i*size, min((i+1)*size, n)) })
		}
	})
}

// takeTurns records calls of f as ranges of one section. A call that pauses continues when no other
// has worked for less time, so that each takes what it would take if all ran at the same time.
func (r *Recorder) takeTurns(calls int, f func(pause func())) {
	type turn struct {
		work   *Work
		resume func() (struct{}, bool)
	}
	r.section(calls, func(ranges []Work) {
		var turns []turn
		for k := range ranges {
			resume, _ := iter.Pull(func(yield func(struct{}) bool) { f(func() { yield(struct{}{}) }) })
			turns = append(turns, turn{&ranges[k], resume})
		}
		for len(turns) > 0 {
			next, paused := slices.MinFunc(turns, func(a, b turn) int { return cmp.Compare(a.work.Took(), b.work.Took()) }), false
			r.record(next.work, func() { _, paused = next.resume() })
			if !paused {
				turns = slices.DeleteFunc(turns, func(t turn) bool { return t.work == next.work })
			}
		}
	})
}

// caller returns the name of the function outside of this package that called For.
func caller() string {
	pc := make([]uintptr, 8)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
		if !more || !strings.HasPrefix(name, "parallel.") {
			return strings.ReplaceAll(name, "[...]", "")
		}
	}
}
