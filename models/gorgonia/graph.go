package gorgonia

import (
	"fmt"
	"runtime"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"marsgym/models"
)

// graph computes the gradients of shards of up to capacity rows, one at a time.
type graph struct {
	capacity int
	n        int // rows of the current shard
	loss     func(policy, values, dpolicy, dvalues []float32)
	obs      *models.Observations
	grad     []float32 // as MLP.Weights
	vm       G.VM
}

// building is held while a graph is built: gorgonia shares constants among graphs.
var building sync.Mutex

// newGraph returns a graph that uses the network's weights without a copy.
func newGraph(mlp *models.MLP, capacity int) (*graph, error) {
	building.Lock()
	defer building.Unlock()
	var (
		s      = mlp.Shape()
		layers = mlp.Layers()
		g      = &graph{capacity: capacity, grad: make([]float32, len(mlp.Weights()))}
		eg     = G.NewGraph()
		params G.Nodes
		rest   = g.grad
	)
	input := func(name string, rows, cols int, data []float32) *G.Node {
		v := newMatrix(rows, cols, data)
		return G.NewTensor(eg, tensor.Float32, 2, G.WithName(name), G.WithShape(rows, cols), G.WithValue(v))
	}
	// This node is only of the right type: the first layer reads obs instead, without
	// a copy.
	y := input("x", 1, s.Obs, nil)
	for i, l := range layers {
		w := input(fmt.Sprint("W ", i), l.In, l.Out, l.W)
		b := input(fmt.Sprint("b ", i), 1, l.Out, l.B)
		params = append(params, w, b)
		dw, db := rest[:len(l.W)], rest[len(l.W):][:len(l.B)]
		rest = rest[len(l.W)+len(l.B):]
		var err error
		if y, err = G.ApplyOp(g.newDense(i, l, i == len(layers)-1, dw, db), y, w, b); err != nil {
			return nil, fmt.Errorf("gorgonia: layer %d: %w", i, err)
		}
	}
	cost, err := G.ApplyOp(g.newLoss(s.PolicyWidth(), s.Players), y)
	if err != nil {
		return nil, fmt.Errorf("gorgonia: loss: %w", err)
	}
	if _, err := G.Grad(cost, params...); err != nil {
		return nil, fmt.Errorf("gorgonia: gradient: %w", err)
	}
	g.vm = G.NewTapeMachine(eg)
	// The finalizer would keep the machine in memory: it refers to itself through g, and
	// the garbage collector does not free cycles with finalizers. Without CUDA the
	// finalizer has nothing to do.
	runtime.SetFinalizer(g.vm, nil)
	return g, nil
}

// run fills grad [weights] with the gradient of a shard.
func (g *graph) run(grad []float32, shard models.Shard) error {
	n := shard.Len()
	if n == 0 {
		clear(grad)
		return nil
	}
	g.n, g.obs, g.loss = n, shard.Obs, shard.Loss
	err := g.vm.RunAll()
	g.vm.Reset() // without it the next run would do nothing
	g.obs, g.loss = nil, nil
	if err != nil {
		return fmt.Errorf("gorgonia: %w", err)
	}
	copy(grad, g.grad)
	return nil
}
