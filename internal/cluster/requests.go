package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"marsgym/internal/input"
	"marsgym/internal/jobs"
)

// respond answers a request.
func respond(m *nats.Msg, a answer) {
	if text, err := json.Marshal(a); err == nil {
		m.Respond(text) // a worker that gets no answer asks again, or drops the job
	}
}

// sender returns the worker of a request, which is the end of its subject.
func sender(m *nats.Msg) string { return m.Subject[strings.LastIndexByte(m.Subject, '.')+1:] }

// read reads the report in a request, and answers those that cannot be read.
func (c *Coordinator) read(m *nats.Msg) (r report, d jobs.Digest, chunk []byte, ok bool) {
	c.bytesIn.Add(int64(len(m.Data)))
	r, d, chunk, err := cutReport(m.Data)
	if err == nil && !token.MatchString(sender(m)) {
		err = fmt.Errorf("worker %s", input.Quote(sender(m)))
	}
	if err != nil {
		respond(m, answer{Error: "the message is refused: " + err.Error()})
	}
	return r, d, chunk, err == nil
}

// asked answers whether a worker may compute a job.
func (c *Coordinator) asked(_ context.Context, m *nats.Msg) {
	_, d, _, ok := c.read(m)
	if !ok {
		return
	}
	c.mu.Lock()
	p := c.pending[d]
	wanted, begun := p != nil && p.result == nil, 0
	if wanted {
		p.begun++
		p.workers[sender(m)] = true
		begun = p.begun
	}
	c.mu.Unlock()
	if begun > attempts {
		c.fail(fmt.Errorf("job %v of kind %s was begun %d times and never finished: it ends the workers, or they have too little memory", d, p.job.Kind, attempts))
		wanted = false
	}
	respond(m, answer{OK: wanted})
}

// missing publishes the inputs of a job again.
func (c *Coordinator) missing(ctx context.Context, m *nats.Msg) {
	_, d, _, ok := c.read(m)
	if !ok {
		return
	}
	c.mu.Lock()
	p := c.pending[d]
	c.mu.Unlock()
	if p == nil {
		respond(m, answer{})
		return
	}
	go func() { // other requests do not wait
		if err := c.put(ctx, p.job.Inputs, true); err != nil {
			respond(m, answer{Error: err.Error()})
			return
		}
		respond(m, answer{OK: true})
	}()
}

// received takes a chunk of a result.
func (c *Coordinator) received(ctx context.Context, m *nats.Msg) {
	r, d, chunk, ok := c.read(m)
	if !ok {
		return
	}
	from := sender(m)
	c.mu.Lock()
	p := c.pending[d]
	known, seen := c.done[d]
	if p == nil && !seen {
		c.mu.Unlock()
		respond(m, answer{}) // of an earlier coordinator
		return
	}
	key := partialKey{d, from}
	part := c.partials[key]
	if part == nil {
		part = &partial{}
		if p == nil { // a duplicate, which is only compared
			part.digest = sha256.New()
		}
		c.partials[key] = part
	}
	complete, err := part.add(r, chunk)
	if c.held += len(chunk); err == nil && c.held > maxHeld {
		err = errors.New("this process holds too many results that are not complete")
	}
	if complete || err != nil {
		c.held -= part.next
		delete(c.partials, key)
		if p != nil {
			delete(p.workers, from)
		}
	}
	c.mu.Unlock()
	switch {
	case err != nil:
		respond(m, answer{Error: err.Error()})
		return
	case complete && part.digest == nil:
		c.accept(ctx, d, part.result(), from)
	case complete && jobs.Digest(part.digest.Sum(nil)) != known:
		c.differ(d, from)
	}
	respond(m, answer{OK: true})
}

// couldNot computes here a job that a worker could not compute: if it fails here too the
// run stops with that error.
func (c *Coordinator) couldNot(ctx context.Context, m *nats.Msg) {
	r, d, _, ok := c.read(m)
	if !ok {
		return
	}
	respond(m, answer{OK: true})
	c.mu.Lock()
	p := c.pending[d]
	c.mu.Unlock()
	if p == nil {
		return
	}
	c.opt.Log(fmt.Sprintf("worker %s could not compute a job, which is computed here: %s", sender(m), input.Cut(r.Error)))
	go func() {
		own, err := c.compute(ctx, p.job)
		if err != nil {
			c.fail(err)
			return
		}
		c.accept(ctx, d, own, "this process")
	}()
}

// present notes that a worker is there.
func (c *Coordinator) present(_ context.Context, m *nats.Msg) {
	var p presence
	name := sender(m)
	if decode(m.Data, maxReport, &p) != nil || !token.MatchString(name) || p.Slots < 1 || p.Slots > 1<<16 {
		return
	}
	c.mu.Lock()
	before, known := c.workers[name]
	refused := p.Identity != c.opt.Identity
	if len(c.workers) < 1<<16 || known {
		c.workers[name] = worker{time.Now(), p.Slots, refused}
	}
	c.mu.Unlock()
	if refused && !before.refused {
		c.opt.Log(fmt.Sprintf("worker %s is refused: it is %s, and this process is %s; build both from the same revision and run them on the same kind of machine, or give up equal bits by -mixed on both", name, input.Quote(p.Identity), input.Quote(c.opt.Identity)))
	}
	if refused {
		c.nc.Publish("marsgym.refuse."+name, []byte(c.opt.Identity))
	}
}

// audit has the queue compared with the jobs that have no result.
func (c *Coordinator) audit() {
	select {
	case c.audits <- struct{}{}:
	default:
	}
}

// auditAll publishes again the jobs that the broker has lost: whenever the connection was
// lost, and in between, until ctx is done.
func (c *Coordinator) auditAll(ctx context.Context) {
	alone := false // there was no worker the last time
	for {
		at := time.After(c.opt.Lease)
		select {
		case <-ctx.Done():
			return
		case <-at:
		case <-c.audits:
		}
		if s := c.Status(); s.Workers == 0 && s.Pending > 0 && !alone {
			c.opt.Log("no worker is there; start one with go run ./cmd/worker -join " + c.opt.Addr)
			alone = true
		} else if s.Workers > 0 {
			alone = false
		}
		if c.nc.IsConnected() {
			if err := c.auditOnce(ctx); err != nil && ctx.Err() == nil {
				c.opt.Log(fmt.Sprintf("the broker, trying again: %v", err))
			}
		}
	}
}

// unfinished returns the jobs without a result that were published a while ago.
func (c *Coordinator) unfinished() (list []*pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pending {
		if p.result == nil && time.Since(p.issued) > min(c.opt.Lease, time.Second)/2 {
			list = append(list, p)
		}
	}
	return list
}

// auditOnce counts the jobs of the queue. If there are fewer than those without a result
// that were published a while ago, it publishes all of these again: a job that is there
// twice is computed twice at worst.
func (c *Coordinator) auditOnce(ctx context.Context) error {
	soon, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	old := c.unfinished()
	if len(old) == 0 {
		return nil
	}
	queued := 0
	s, err := c.js.Stream(soon, jobStream)
	if err == nil {
		var info *jetstream.StreamInfo
		if info, err = s.Info(soon, jetstream.WithSubjectFilter(c.subject)); err == nil {
			queued = int(info.State.Subjects[c.subject])
		}
	}
	// A job leaves the queue after its result has come, so those that have none now were
	// there then.
	if old = c.unfinished(); err == nil && queued >= len(old) {
		return nil
	}
	if err := c.prepare(soon, false); err != nil {
		return err
	}
	for _, p := range old {
		if err := c.put(ctx, p.job.Inputs, true); err != nil {
			return err
		}
		if err := c.publish(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// Status is the state of a coordinator.
type Status struct {
	Workers  int     // that are there
	Slots    int     // jobs that they can compute at the same time
	UnderWay int     // jobs that workers compute
	Pending  int     // jobs without a result
	Waiting  float64 // share of the time since the first job in which this process has waited for results
	BytesIn  int64   // of results
	BytesOut int64   // of jobs and inputs
	Results  int64
	Messages uint64 // that this process has sent and received
}

// Status returns the state. It holds for a moment.
func (c *Coordinator) Status() Status {
	s := Status{BytesIn: c.bytesIn.Load(), BytesOut: c.bytesOut.Load(), Results: c.results.Load()}
	t := c.nc.Stats()
	s.Messages = t.InMsgs + t.OutMsgs
	c.mu.Lock()
	defer c.mu.Unlock()
	if all := c.times.last.Sub(c.times.first); all > 0 {
		s.Waiting = float64(c.times.total) / float64(all)
	}
	for name, w := range c.workers {
		if time.Since(w.seen) > presenceLasts {
			delete(c.workers, name)
		} else if !w.refused {
			s.Workers++
			s.Slots += w.slots
		}
	}
	for _, p := range c.pending {
		s.Pending++
		for name := range p.workers {
			if _, there := c.workers[name]; there {
				s.UnderWay++
				break
			}
		}
	}
	return s
}

// String describes the state in a few words.
func (s Status) String() string {
	workers := "workers"
	if s.Workers == 1 {
		workers = "worker"
	}
	return fmt.Sprintf("%d %s, %d jobs under way, %.0f %% waiting", s.Workers, workers, s.UnderWay, 100*s.Waiting)
}
