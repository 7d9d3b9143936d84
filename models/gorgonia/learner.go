package gorgonia

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"marsgym/models"
)

// Learner fits a network. It implements [models.Learner].
type Learner struct {
	mlp    *models.MLP
	adam   *models.Adam
	graphs []*graph // one for each shard
}

var _ models.Learner = (*Learner)(nil)

// New returns a learner of the network, whose weights it changes from then on.
func New(mlp *models.MLP, cfg models.AdamConfig) (*Learner, error) {
	adam, err := models.NewAdam(len(mlp.Weights()), cfg)
	if err != nil {
		return nil, err
	}
	return &Learner{mlp: mlp, adam: adam}, nil
}

// MLP is the network, with the weights of the last Fit.
func (l *Learner) MLP() *models.MLP { return l.mlp }

// Fit runs each shard on a goroutine of its own.
func (l *Learner) Fit(shards []models.Rows, rate float64) (norm float64, err error) {
	if err := l.grow(shards); err != nil {
		return 0, err
	}
	graphs, d := l.graphs[:len(shards)], l.mlp.Shape().Obs
	errs := make([]error, len(shards))
	var wg sync.WaitGroup
	for i, g := range graphs {
		wg.Go(func() { errs[i] = g.run(shards[i], len(shards[i].Obs)/d) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	grad := graphs[0].grad
	for _, g := range graphs[1:] {
		for i, v := range g.grad {
			grad[i] += v
		}
	}
	return l.adam.Step(l.mlp.Weights(), grad, rate)
}

// minRows is the least capacity of a graph. Chosen.
const minRows = 64

// grow sees to it that there is a graph for each shard, and large enough.
func (l *Learner) grow(shards []models.Rows) error {
	d, rows := l.mlp.Shape().Obs, 0
	for i, s := range shards {
		if len(s.Obs)%d != 0 {
			panic(fmt.Sprintf("gorgonia: shard %d has %d observed numbers: want a multiple of %d", i, len(s.Obs), d))
		}
		n := len(s.Obs) / d
		rows += n
		if i < len(l.graphs) && n <= l.graphs[i].capacity {
			continue
		}
		g, err := newGraph(l.mlp, 1<<bits.Len(uint(max(n, minRows)-1)))
		if err != nil {
			return err
		}
		if i == len(l.graphs) {
			l.graphs = append(l.graphs, g)
		} else {
			l.graphs[i] = g
		}
	}
	if rows == 0 {
		return errors.New("gorgonia: Fit is given no rows")
	}
	return nil
}

// State returns the optimizer's.
func (l *Learner) State() []models.Tensor { return l.adam.State() }

// Restore takes back what State returned, and ignores other tensors.
func (l *Learner) Restore(state []models.Tensor) error { return l.adam.Restore(state) }
