package train

import (
	"fmt"
	"runtime"

	"marsgym/env"
	"marsgym/internal/machine"
	"marsgym/models"
)

// checkMemory reports a run that takes more memory than it may.
func (c Config) checkMemory(g env.Game) error {
	const gib = 1 << 30
	limit, source := c.Memory, "train.memory allows"
	if limit == 0 {
		limit, source = float64(machine.Usable())/gib, machine.Source
	}
	play, err := measure(g)
	if err != nil {
		return err
	}
	networks, iteration := c.memory(g, play)
	if sum := (networks + iteration) / gib; limit > 0 && sum > limit {
		lower := "train.rows or the steps that each row plays in an iteration"
		if networks > iteration {
			lower = "train.hidden or the number of train.opponents"
		}
		return fmt.Errorf("the run takes about %.3g GiB of memory, more than the %.3g GiB that %s: lower %s, or raise train.memory", sum, limit, source, lower)
	}
	return nil
}

// memory estimates the bytes of the large arrays of a run in a game that is played like
// this: of its networks, and of what an iteration plays and fits. It is within a factor of three
// of what was measured.
func (c Config) memory(g env.Game, play playSizes) (networks, iteration float64) {
	const (
		number = 4   // bytes
		growth = 2   // times as much for a slice that grows, with its old copy
		node   = 512 // bytes of a node of a search tree with its edges, about
	)
	spec, shape := g.Spec(), c.shape(g.Spec())
	n, d, p := float64(c.Rows), float64(spec.ObsLen()), float64(spec.Players)
	// Those of a checkpoint, and a checkpoint while it is written.
	copies := c.copies() + 8
	rows := 1.0 // of the network for a decision
	if c.Head == models.Score {
		rows += play.options
	}
	outputs := float64(spec.Players + shape.PolicyWidth())
	for _, width := range c.Hidden {
		outputs += float64(width)
	}
	kept := growth * (8 + 8*play.numbers) // an observation, without its zeros
	fit := func(fitted float64) float64 { // rows
		groups := min(max(1, fitted/models.GroupRows), models.MaxGroups)
		graphs := min(groups, float64(runtime.GOMAXPROCS(0)))
		copies += groups + 2*graphs // gradients
		// And of each graph the outputs of all layers, with their gradients.
		return fitted*kept + 2*number*outputs*graphs*fitted/groups
	}
	if c.Algorithm == AlgorithmPPO {
		steps := n * float64(c.PPO.Horizon)
		decision := number*(6*p+8) + growth*number*play.options
		outcomes := growth * number * n * float64(c.PPO.Outcomes) * (d + p)
		iteration = steps*(decision+rows*kept) + fit(min(steps, 1.5*float64(c.PPO.Minibatch))*rows) + outcomes
		return number * copies * float64(shape.Size()), iteration
	}
	s := c.Expert.Search
	steps := n * float64(s.Decisions)
	if c.Algorithm == TurnExact {
		steps = n * float64(s.Turns)
	}
	const search = 2                         // times as much, with what a search keeps of the states that it meets
	found := 1 + float64(c.Expert.PolicyLag) // sets of targets
	iteration = search*found*steps*(1+rows)*growth*number*d + search*fit(steps*(1+rows)) + n*node*float64(s.Tree.Simulations)
	return number * copies * float64(shape.Size()), iteration
}
