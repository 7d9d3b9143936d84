package gorgonia

import (
	"context"
	"math/bits"
	"runtime"

	"marsgym/models"
)

// learner implements [models.Learner].
type learner struct {
	mlp      *models.MLP
	adam     *models.Adam
	graphs   []*graph // one for each group of shards that runs at the same time
	gradient models.GradientAccumulator
}

// New returns a learner of the network. Fit changes the network's weights.
func New(mlp *models.MLP, cfg models.AdamConfig) (models.Learner, error) {
	adam, err := models.NewAdam(len(mlp.Weights()), cfg)
	if err != nil {
		return nil, err
	}
	return &learner{mlp: mlp, adam: adam}, nil
}

// MLP implements [models.Learner].
func (l *learner) MLP() *models.MLP { return l.mlp }

// Fit implements [models.Learner]. It runs up to GOMAXPROCS groups of shards at the same
// time, and the shards of each in parallel.
func (l *learner) Fit(ctx context.Context, shards []models.Shard, rate float64) (norm float64, err error) {
	groups, rows, err := models.Groups(shards, l.mlp.Shape().Obs)
	if err != nil {
		return 0, err
	}
	n := min(runtime.GOMAXPROCS(0), len(groups))
	if err := l.grow(n, rows); err != nil {
		return 0, err
	}
	free := make(chan *graph, n)
	for _, g := range l.graphs[:n] {
		free <- g
	}
	sum, err := l.gradient.Sum(ctx, len(groups), len(l.mlp.Weights()), func(i int, grad []float32) error {
		g := <-free
		defer func() { free <- g }()
		g.run(grad, groups[i])
		return nil
	})
	if err != nil {
		return 0, err
	}
	return l.adam.Step(l.mlp.Weights(), sum, rate)
}

// minRows is the smallest capacity of a graph. Chosen.
const minRows = 64

// grow ensures that there are n graphs, each with a capacity of that many rows.
func (l *learner) grow(n, rows int) error {
	for len(l.graphs) < n {
		l.graphs = append(l.graphs, &graph{})
	}
	for i, g := range l.graphs[:n] {
		if g.capacity >= rows {
			continue
		}
		g, err := newGraph(l.mlp, 1<<bits.Len(uint(max(rows, minRows)-1)))
		if err != nil {
			return err
		}
		l.graphs[i] = g
	}
	return nil
}

// State returns the state of the optimizer, see [models.Adam.State].
func (l *learner) State() []models.Tensor { return l.adam.State() }

// Restore restores what State returned. It ignores other tensors.
func (l *learner) Restore(state []models.Tensor) error { return l.adam.Restore(state) }
