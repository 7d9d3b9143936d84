package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"marsgym/internal/input"
	"marsgym/internal/jobs"
)

// respond answers a request. The broker does not check the subject that a worker wants its
// answer on: another one than its inbox could be that of an input.
func respond(m *nats.Msg, a answer) {
	if !strings.HasPrefix(m.Reply, inbox(sender(m))+".") && !strings.HasPrefix(m.Reply, otherAccount) {
		return
	}
	if text, err := json.Marshal(a); err == nil {
		m.Respond(text) // a worker that gets no answer asks again, or drops the job
	}
}

// otherAccount begins the subjects on which a broker takes answers for another account.
const otherAccount = "_R_."

// inbox begins the subjects on which a process gets answers.
func inbox(name string) string { return "_INBOX_" + name }

// sender returns the worker of a request, which is the end of its subject.
func sender(m *nats.Msg) string { return m.Subject[strings.LastIndexByte(m.Subject, '.')+1:] }

// read has the report in a request handled, and answers those that cannot be read and those of
// workers that are set aside.
func (c *Coordinator) read(ctx context.Context, m *nats.Msg, handle func(context.Context, *nats.Msg, report, []byte)) {
	c.bytesIn.Add(int64(len(m.Data)))
	if c.aside(sender(m)) {
		respond(m, answer{Aside: true, Error: "this worker is set aside, since too many of its messages were refused"})
		return
	}
	r, chunk, err := cutReport(m.Data)
	if err == nil && !token.MatchString(sender(m)) {
		err = fmt.Errorf("worker %s", input.Quote(sender(m)))
	}
	if err != nil {
		err = fmt.Errorf("the message is refused: %w", err)
		c.refuse(sender(m), err)
		respond(m, answer{Error: err.Error()})
		return
	}
	handle(ctx, m, r, chunk)
}

// asked answers whether a worker may compute a job: one that has no result, and that no other
// worker computes, as it would if the queue held the job twice.
func (c *Coordinator) asked(ctx context.Context, m *nats.Msg, r report, _ []byte) {
	c.mu.Lock()
	p := c.pending[r.Job]
	a := c.take(p, turn{sender(m), r.Turn})
	worn := a.OK && p.begun > attempts
	c.mu.Unlock()
	if worn {
		c.own(ctx, r.Job, p, fmt.Sprintf("job %v of kind %s was begun %d times and never finished, and is computed here: it ends the workers, or they have too little memory", r.Job, p.job.Kind, attempts))
		a.OK = false
	}
	respond(m, a)
}

// wanted answers whether a job that a worker computes has no result yet.
func (c *Coordinator) wanted(_ context.Context, m *nats.Msg, r report, _ []byte) {
	c.mu.Lock()
	a := c.take(c.pending[r.Job], turn{sender(m), r.Turn})
	c.mu.Unlock()
	respond(m, a)
}

// take notes that a job is computed in a turn, and answers whether it may be. c.mu is held.
func (c *Coordinator) take(p *pending, t turn) answer {
	if p == nil || p.result != nil {
		return answer{}
	}
	if _, ok := p.turns[t]; !ok {
		for _, at := range p.turns {
			if time.Since(at) < c.lease()/2 { // renewed twice as often
				return answer{Later: true}
			}
		}
		if p.here {
			return answer{}
		}
		p.begun++
	}
	p.turns[t], p.silent = time.Now(), time.Time{}
	return answer{OK: true}
}

// missing publishes the inputs of a job again.
func (c *Coordinator) missing(ctx context.Context, m *nats.Msg, r report, _ []byte) {
	c.mu.Lock()
	p := c.pending[r.Job]
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
func (c *Coordinator) received(ctx context.Context, m *nats.Msg, r report, chunk []byte) {
	from := sender(m)
	c.mu.Lock()
	p := c.pending[r.Job]
	known, seen := c.done[r.Job]
	if p == nil && !seen {
		c.mu.Unlock()
		respond(m, answer{}) // nobody waits for it any more
		return
	}
	part, greedy, err := c.partials.add(partialKey{r.Job, from}, p == nil, r, chunk, maxHeld)
	if p != nil {
		t := turn{from, r.Turn}
		if _, ok := p.turns[t]; ok {
			p.turns[t] = time.Now()
		}
		if part != nil || err != nil {
			delete(p.turns, t)
		}
	}
	c.mu.Unlock()
	if greedy != "" {
		c.refuse(greedy, errHeld)
	}
	switch {
	case err != nil:
		c.refuse(from, err)
		respond(m, answer{Error: err.Error()})
		return
	case part != nil && part.digest == nil:
		c.accept(ctx, r.Job, part.result(), from)
	case part != nil && jobs.Digest(part.digest.Sum(nil)) != known && c.opt.Identity != Mixed:
		c.differ(r.Job, from)
	}
	respond(m, answer{OK: true})
}

// couldNot computes here a job that a worker could not compute.
func (c *Coordinator) couldNot(ctx context.Context, m *nats.Msg, r report, _ []byte) {
	c.mu.Lock()
	p := c.pending[r.Job]
	if p != nil {
		delete(p.turns, turn{sender(m), r.Turn})
	}
	c.mu.Unlock()
	if p != nil {
		why := input.Cut(r.Error)
		c.refuse(sender(m), errors.New(why))
		c.own(ctx, r.Job, p, fmt.Sprintf("worker %s could not compute a job, which is computed here: %s", sender(m), why))
	}
	respond(m, answer{OK: true})
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
		c.opt.Log("worker " + name + " is refused: " + refusal(p.Identity, c.opt.Identity))
	}
	if refused {
		c.nc.Publish("marsgym.refuse."+name, []byte(c.opt.Identity))
	}
}

// Status is the state of a coordinator.
type Status struct {
	Workers  int     // that are there, without those refused or set aside
	Slots    int     // jobs that they can compute at the same time
	UnderWay int     // jobs that workers compute
	Pending  int     // jobs without a result
	Waiting  float64 // share of the time since the first job in which this process has waited for results
	BytesIn  int64   // of results
	BytesOut int64   // of jobs and inputs
	Results  int64   // of jobs, from workers
	Messages uint64  // that this process has sent and received
}

// Status returns the state. It holds for a moment.
func (c *Coordinator) Status() Status {
	s := Status{BytesIn: c.bytesIn.Load(), BytesOut: c.bytesOut.Load(), Results: c.results.Load()}
	t := c.nc.Stats()
	s.Messages = t.InMsgs + t.OutMsgs
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Waiting = c.times.share(time.Now())
	for name, w := range c.workers {
		if time.Since(w.seen) > presenceLasts {
			delete(c.workers, name)
		} else if !w.refused && c.refused[name] < maxRefused {
			s.Workers++
			s.Slots += w.slots
		}
	}
	for _, p := range c.pending {
		s.Pending++
		for t := range p.turns {
			if _, there := c.workers[t.worker]; there {
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
