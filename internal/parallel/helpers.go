package parallel

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"
)

// Helpers are the goroutines that help the caller of [For]. One that finds no range left waits a
// while for the next section without sleeping, and then ends: to wake a core takes as long as
// many a section, and cores wake one after the other.

// patience returns how long a goroutine waits without sleeping: about as long as waking the other
// cores would take. Chosen: on 16 cores longer than what lies between the sections of an iteration
// of training, and on two not at all, since to wake the other takes little time, and waiting takes
// much of the time of two cores that others use as well.
func patience(cores int) time.Duration { return time.Duration(min(cores-2, 16)) * 6 * time.Microsecond }

var (
	// waiting has a bit for each helper that waits.
	waiting atomic.Uint64
	// taken has a bit for each slot that a helper has.
	taken atomic.Uint64
	slots [64]struct {
		call atomic.Pointer[call] // for the helper to take
		_    [120]byte            // no two slots share a cache line, or a pair of them
	}
)

// dispatch gives a call of [For] to n helpers: those that wait, and new ones.
func dispatch(c *call, n int) {
	for n > 0 {
		all := waiting.Load()
		if all == 0 {
			go help(c)
			n--
			continue
		}
		rest := all
		for range min(n, bits.OnesCount64(all)) {
			rest &= rest - 1
		}
		if !waiting.CompareAndSwap(all, rest) {
			continue
		}
		for set := all &^ rest; set != 0; set &= set - 1 {
			slots[bits.TrailingZeros64(set)].call.Store(c)
			n--
		}
	}
}

// help works on a call of [For], and on others that follow soon.
func help(c *call) {
	c.work()
	if c.patience == 0 {
		return
	}
	i, ok := takeSlot()
	if !ok {
		return
	}
	bit, mine := uint64(1)<<i, &slots[i].call
	defer taken.And(^bit)
	handed := func() bool { return mine.Load() != nil }
	for {
		waiting.Or(bit)
		if !c.await(handed) && waiting.And(^bit)&bit != 0 {
			return
		}
		for !handed() { // it is about to be
			runtime.Gosched()
		}
		c = mine.Swap(nil)
		c.work()
	}
}

// takeSlot finds a free slot. There are fewer than processors, so that helpers which wait leave one
// to others.
func takeSlot() (i int, ok bool) {
	n := min(len(slots), runtime.GOMAXPROCS(0)-1)
	for {
		was := taken.Load()
		if i = bits.TrailingZeros64(^was); i >= n {
			return 0, false
		}
		if taken.CompareAndSwap(was, was|1<<i) {
			return i, true
		}
	}
}

// await waits for a condition without sleeping. It reports whether it became true in time.
func (c *call) await(done func() bool) bool {
	// It does not yield, since that wakes a core if one sleeps.
	for start := time.Now(); !done(); {
		if c.patience == 0 || time.Since(start) > c.patience {
			return false
		}
	}
	return true
}
