package gorgonia

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"marsgym/models"
)

// Learner fits a network. It implements [models.Learner].
type Learner struct {
	mlp    *models.MLP
	adam   *models.Adam
	graphs []*graph    // one for each goroutine that runs shards
	grads  [][]float32 // [shards][weights]
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
	d, total, most := l.mlp.Shape().Obs, 0, 0
	for i, s := range shards {
		n := len(s.Obs) / d
		if len(s.Obs) != n*d {
			panic(fmt.Sprintf("gorgonia: shard %d has %d observed numbers: want a multiple of %d", i, len(s.Obs), d))
		}
		total, most = total+n, max(most, n)
	}
	if total == 0 {
		return 0, errors.New("gorgonia: Fit is given no rows")
	}
	workers := min(runtime.GOMAXPROCS(0), len(shards))
	if err := l.grow(workers, most, len(shards)); err != nil {
		return 0, err
	}
	var (
		next atomic.Int64
		errs = make([]error, len(shards))
		wg   sync.WaitGroup
	)
	for _, g := range l.graphs[:workers] {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(shards)); i = next.Add(1) - 1 {
				errs[i] = g.run(l.grads[i], shards[i], len(shards[i].Obs)/d)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	sum := l.grads[0]
	for _, grad := range l.grads[1:len(shards)] {
		for i, v := range grad {
			sum[i] += v
		}
	}
	return l.adam.Step(l.mlp.Weights(), sum, rate)
}

// minRows is the least capacity of a graph. Chosen.
const minRows = 64

// grow sees to it that there are graphs for so many workers, each with room
// for so many rows, and a gradient for each shard.
func (l *Learner) grow(workers, rows, shards int) error {
	for len(l.grads) < shards {
		l.grads = append(l.grads, make([]float32, len(l.mlp.Weights())))
	}
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
