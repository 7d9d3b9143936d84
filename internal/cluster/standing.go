package cluster

import (
	"errors"
	"fmt"
)

// maxRefused is the number of messages in a row that are refused before a worker is set aside.
// Chosen: a worker that is killed and started again leaves a job unfinished each time.
const maxRefused = 20

// maxCounted bounds the number of workers whose refused messages are counted. Chosen.
const maxCounted = 1 << 16

var errUnfinished = errors.New("it began a job and was not heard of for a lease")

// aside reports whether a worker is set aside.
func (c *Coordinator) aside(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused[name] >= maxRefused
}

// trust notes that a result of a worker was used.
func (c *Coordinator) trust(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused[name] < maxRefused {
		delete(c.refused, name)
	}
}

// refuse notes that a message of a worker was refused, and why. After too many in a row the
// worker gets no more jobs of this coordinator, and what it holds here is dropped.
func (c *Coordinator) refuse(name string, why error) {
	if name == "" { // this process
		return
	}
	c.mu.Lock()
	if len(c.refused) >= maxCounted {
		clear(c.refused)
	}
	c.refused[name]++
	refused := c.refused[name]
	c.refusal = fmt.Sprintf("worker %s: %v", name, why)
	if refused >= maxRefused {
		c.partials.drop(func(k partialKey, _ *partial) bool { return k.worker == name })
		for _, p := range c.pending {
			for t := range p.turns {
				if t.worker == name {
					delete(p.turns, t)
				}
			}
		}
	}
	c.mu.Unlock()
	if refused == maxRefused {
		c.opt.Log(fmt.Sprintf("worker %s is set aside, since %d of its messages in a row were refused, the last one because: %v; repair or stop it, and start this command again to use it", name, maxRefused, why))
	}
}
