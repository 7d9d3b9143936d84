package jobs

import (
	"context"
	"encoding/json"
	"fmt"
)

// Part is a [Task] that finds an R, a part of some work.
type Part[R any] struct {
	Name   string // begins the error of an impossible result
	Kind   string // of the job
	Args   any    // of the job, as JSON
	Inputs []*Blob

	Find   func(ctx context.Context) (R, error) // finds it in this process
	Decode func(r Result) (R, error)            // reads what another process has found
	Take   func(found R)                        // is called once with either, perhaps while other parts are taken
}

// Run implements [Task].
func (p *Part[R]) Run(ctx context.Context) error {
	found, err := p.Find(ctx)
	if err == nil {
		p.Take(found)
	}
	return err
}

// Job implements [Task].
func (p *Part[R]) Job() (Job, error) {
	args, err := json.Marshal(p.Args)
	return Job{Kind: p.Kind, Args: args, Inputs: p.Inputs}, err
}

// Receive implements [Task].
func (p *Part[R]) Receive(r Result) error {
	found, err := p.Decode(r)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	p.Take(found)
	return nil
}
