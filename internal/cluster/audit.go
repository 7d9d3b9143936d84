package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// audit has the queue compared with the jobs that have no result.
func (c *Coordinator) audit() {
	select {
	case c.audits <- struct{}{}:
	default:
	}
}

// auditAll publishes again the jobs that the broker has lost: whenever the connection was
// lost, and in between, until ctx is done. It says why no result comes.
func (c *Coordinator) auditAll(ctx context.Context) {
	alone := false // there was no worker the last time
	silence := 3 * c.lease()
	said, trouble := time.Time{}, ""
	for {
		at := time.After(min(c.lease(), auditEvery))
		select {
		case <-ctx.Done():
			return
		case <-at:
		case <-c.audits:
		}
		s := c.Status()
		if s.Workers == 0 && s.Pending > 0 && !alone {
			c.opt.Log("no worker is there; start one with go run ./cmd/worker -join " + c.opt.Addr)
			alone = true
		} else if s.Workers > 0 {
			alone = false
		}
		c.mu.Lock()
		heard := c.heard
		c.mu.Unlock()
		if heard.After(said) {
			silence = 3 * c.lease()
		}
		if s.Pending > 0 && s.Workers > 0 && time.Since(heard) > silence {
			c.opt.Log(c.stalled(s, time.Since(heard)))
			said, silence = time.Now(), 4*silence
		}
		if c.nc.IsConnected() {
			err := c.auditOnce(ctx)
			if text := fmt.Sprint(err); err != nil && ctx.Err() == nil && text != trouble {
				c.opt.Log("the broker, trying again: " + text)
				trouble = text
			} else if err == nil {
				trouble = ""
			}
		}
	}
}

// stalled says why no result has come for a while.
func (c *Coordinator) stalled(s Status, since time.Duration) string {
	text := fmt.Sprintf("no result has come for %v, and %d jobs have none: workers compute %d of them", since.Round(time.Second), s.Pending, s.UnderWay)
	if s.UnderWay == 0 {
		text += "; they may be busy with jobs of other commands"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusal != "" {
		text += "; the latest message that was refused is of " + c.refusal
	}
	return text
}

// unfinished counts the jobs without a result that were published a while ago. It lists those
// of them that no worker computes, and those that the queue has lost for sure: a worker began
// them, was not heard of for a lease, and nobody has begun them for another lease.
func (c *Coordinator) unfinished() (count int, idle, lost []*pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pending {
		if p.result != nil || p.here || time.Since(p.issued) <= min(c.lease(), time.Second)/2 {
			continue
		}
		count++
		switch {
		case len(p.turns) > 0:
		case !p.silent.IsZero() && time.Since(p.silent) > c.lease():
			lost = append(lost, p)
		default:
			idle = append(idle, p)
		}
	}
	return count, idle, lost
}

// expire forgets workers that have begun something and are not heard of for a lease.
func (c *Coordinator) expire() {
	var gone []string
	c.mu.Lock()
	now := time.Now()
	for _, p := range c.pending {
		for t, at := range p.turns {
			if now.Sub(at) > c.lease() {
				delete(p.turns, t)
				p.silent = now
				gone = append(gone, t.worker)
			}
		}
	}
	c.partials.drop(func(_ partialKey, p *partial) bool { return now.Sub(p.latest) > max(c.lease(), partialLasts) })
	c.mu.Unlock()
	for _, name := range gone {
		c.refuse(name, errUnfinished)
	}
}

// auditOnce counts the jobs of the queue. If there are fewer than those without a result
// that were published a while ago, it publishes again those that no worker computes: a job that
// is there twice is computed once, since a worker asks before it begins.
func (c *Coordinator) auditOnce(ctx context.Context) error {
	soon, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	c.expire()
	if count, _, _ := c.unfinished(); count == 0 {
		return nil
	}
	if err := c.prepare(soon); err != nil {
		return err
	}
	s, err := c.js.Stream(soon, jobStream)
	if err != nil {
		return err
	}
	info, err := s.Info(soon, jetstream.WithSubjectFilter(c.subject))
	if err != nil {
		return err
	}
	// A job leaves the queue after its result has come, so those that have none now were
	// there then.
	count, idle, again := c.unfinished()
	if int(info.State.Subjects[c.subject]) < count {
		again = append(again, idle...)
	}
	for _, p := range again {
		if err := c.put(ctx, p.job.Inputs, true); err != nil {
			return err
		}
		c.mu.Lock()
		p.issued, p.silent = time.Now(), time.Time{}
		c.mu.Unlock()
		if err := c.publish(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
