package gorgonia

import (
	"iter"
	"math/bits"
	"runtime"

	"marsgym/models"
)

// Learner fits a network. It implements [models.Learner].
type Learner struct {
	mlp    *models.MLP
	adam   *models.Adam
	graphs []*graph // one for each goroutine that runs shards
	shards models.Shards
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

// Fit runs the shards on up to GOMAXPROCS goroutines. A few more shards than
// cores, of some hundred rows each, spread the load evenly and cost nothing.
func (l *Learner) Fit(shards []models.Rows, rate float64) (norm float64, err error) {
	d := l.mlp.Shape().Obs
	most, err := models.MostRows(shards, d)
	if err != nil {
		return 0, err
	}
	workers := min(runtime.GOMAXPROCS(0), len(shards))
	if err := l.grow(workers, most); err != nil {
		return 0, err
	}
	sum, err := l.shards.Sum(len(shards), len(l.mlp.Weights()), workers, func(w int, left iter.Seq2[int, []float32]) error {
		for i, grad := range left {
			if err := l.graphs[w].run(grad, shards[i], len(shards[i].Obs)/d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return l.adam.Step(l.mlp.Weights(), sum, rate)
}

// minRows is the least capacity of a graph. Chosen.
const minRows = 64

// grow sees to it that there are graphs for so many workers, each with room
// for so many rows.
func (l *Learner) grow(workers, rows int) error {
	for len(l.graphs) < workers {
		l.graphs = append(l.graphs, &graph{})
	}
	for i, g := range l.graphs[:workers] {
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

// State returns the optimizer's.
func (l *Learner) State() []models.Tensor { return l.adam.State() }

// Restore takes back what State returned, and ignores other tensors.
func (l *Learner) Restore(state []models.Tensor) error { return l.adam.Restore(state) }
