package cluster

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"time"

	"marsgym/internal/jobs"
)

// partial is a result of which some chunks have arrived, in order.
type partial struct {
	r      report // the first
	next   int    // offset of the next chunk
	buf    []byte
	digest hash.Hash // of the result without its times, if buf is not kept
	latest time.Time // when the latest chunk came
}

// add adds a chunk and reports whether the result is complete.
func (p *partial) add(r report, chunk []byte) (complete bool, err error) {
	if r.Offset == 0 { // a worker may begin again
		p.r, p.next, p.buf = r, 0, p.buf[:0]
		if p.digest != nil {
			p.digest.Reset()
		}
	}
	if r.Offset != p.next || r.Size != p.r.Size || r.Times != p.r.Times || len(chunk) == 0 && r.Size > 0 {
		return false, fmt.Errorf("a chunk at %d of %d bytes; want one at %d of %d", r.Offset, r.Size, p.next, p.r.Size)
	}
	if p.digest == nil {
		p.buf = append(p.buf, chunk...)
	} else if left := r.Size - r.Times - p.next; left > 0 {
		p.digest.Write(chunk[:min(left, len(chunk))])
	}
	p.next += len(chunk)
	return p.next == r.Size, nil
}

// result returns the complete result.
func (p *partial) result() jobs.Result {
	n := p.r.Size - p.r.Times
	return jobs.Result{Bytes: p.buf[:n:n], Times: p.buf[n:]}
}

// partialKey identifies the result of a job by a worker.
type partialKey struct {
	job    jobs.Digest
	worker string
}

// partials are the results that are not complete. The zero value has none.
type partials struct {
	list map[partialKey]*partial
	held int // bytes of all buffers together
}

var errHeld = errors.New("this process holds too many results that are not complete")

// add adds a chunk and returns the result once it is complete; of a duplicate only the digest
// is kept. After an error the worker has to begin that result again. Where all results would
// hold more than limit bytes, the worker that holds the most loses its own, and is returned.
func (ps *partials) add(key partialKey, duplicate bool, r report, chunk []byte, limit int) (complete *partial, greedy string, err error) {
	p := ps.list[key]
	if p == nil {
		if duplicate && r.Offset > 0 { // the end of the result that was taken, sent again
			return nil, "", nil
		}
		p = &partial{}
		if duplicate {
			p.digest = sha256.New()
		}
		if ps.list == nil {
			ps.list = map[partialKey]*partial{}
		}
		ps.list[key] = p
	}
	p.latest = time.Now()
	before := cap(p.buf) // what is allocated counts, also after a worker has begun again
	done, err := p.add(r, chunk)
	ps.held += cap(p.buf) - before
	if err == nil && ps.held > limit {
		greedy = ps.greediest()
		ps.drop(func(k partialKey, _ *partial) bool { return k.worker == greedy })
		if greedy == key.worker {
			return nil, greedy, errHeld
		}
	}
	if done || err != nil {
		ps.remove(key)
	}
	if done {
		return p, greedy, nil
	}
	return nil, greedy, err
}

// remove forgets a result.
func (ps *partials) remove(key partialKey) {
	if p := ps.list[key]; p != nil {
		ps.held -= cap(p.buf)
		delete(ps.list, key)
	}
}

// drop forgets the results for which a function returns true.
func (ps *partials) drop(which func(partialKey, *partial) bool) {
	for key, p := range ps.list {
		if which(key, p) {
			ps.remove(key)
		}
	}
}

// greediest returns the worker whose results have the most bytes.
func (ps *partials) greediest() (worker string) {
	bytes := map[string]int{}
	for key, p := range ps.list {
		bytes[key.worker] += cap(p.buf)
		if n := bytes[key.worker] - bytes[worker]; n > 0 || n == 0 && key.worker < worker {
			worker = key.worker
		}
	}
	return worker
}
