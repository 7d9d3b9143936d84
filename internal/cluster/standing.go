package cluster

import (
	"errors"
	"fmt"
)

// standing is what a coordinator thinks of a worker whose latest messages were refused.
type standing struct {
	refused int // messages since its latest good result
	aside   bool
}

// maxRefused is the number of messages in a row that are refused before a worker is set aside.
// Chosen: a worker that is killed and started again leaves a job unfinished each time.
const maxRefused = 20

// maxStandings bounds the memory for workers. Chosen.
const maxStandings = 1 << 16

var errUnfinished = errors.New("it began a job and was not heard of for a lease")

// aside reports whether a worker is set aside.
func (c *Coordinator) aside(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.standings[name].aside
}

// trust notes that a result of a worker was used.
func (c *Coordinator) trust(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.standings[name].aside {
		delete(c.standings, name)
	}
}

// refuse notes that a message of a worker was refused, and why. After too many in a row the
// worker gets no more jobs of this coordinator, and what it holds here is dropped.
func (c *Coordinator) refuse(name string, why error) {
	if name == "" { // this process
		return
	}
	c.mu.Lock()
	if len(c.standings) >= maxStandings {
		clear(c.standings)
	}
	s := c.standings[name]
	before := s.aside
	s.refused++
	s.aside = s.refused >= maxRefused
	c.standings[name] = s
	c.refusal = fmt.Sprintf("worker %s: %v", name, why)
	if s.aside {
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
	if s.aside && !before {
		c.opt.Log(fmt.Sprintf("worker %s is set aside, since %d of its messages in a row were refused, the last one because: %v; repair or stop it, and start this command again to use it", name, maxRefused, why))
	}
}
