package gorgonia

import (
	"fmt"
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
	steps    []step
	value    []G.Value // of each node; those of inputs are constant
}

// step computes the value of a node.
type step struct {
	op   G.Op
	node int       // index of its value
	in   []int     // indices of the values of its inputs
	args []G.Value // scratch
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
	grads, err := G.Grad(cost, params...)
	if err != nil {
		return nil, fmt.Errorf("gorgonia: gradient: %w", err)
	}
	known := map[*G.Node]int{}
	for _, n := range grads {
		g.plan(eg, n, known)
	}
	return g, nil
}

// plan adds the steps that compute a node, inputs first, and returns the index of its
// value. The steps take the place of gorgonia's machines, which start a goroutine and
// lock a thread for each run.
func (g *graph) plan(eg *G.ExprGraph, n *G.Node, known map[*G.Node]int) int {
	if i, ok := known[n]; ok {
		return i
	}
	var s step
	if n.Value() == nil {
		for inputs := eg.From(n.ID()); inputs.Next(); {
			s.in = append(s.in, g.plan(eg, inputs.Node().(*G.Node), known))
		}
	}
	i := len(g.value)
	g.value, known[n] = append(g.value, n.Value()), i
	if n.Value() == nil {
		s.op, s.node, s.args = n.Op(), i, make([]G.Value, len(s.in))
		g.steps = append(g.steps, s)
	}
	return i
}

// run fills grad [weights] with the gradient of a shard.
func (g *graph) run(grad []float32, shard models.Shard) error {
	n := shard.Len()
	if n == 0 {
		clear(grad)
		return nil
	}
	g.n, g.obs, g.loss = n, shard.Obs, shard.Loss
	defer func() { g.obs, g.loss = nil, nil }()
	for _, s := range g.steps {
		for j, i := range s.in {
			s.args[j] = g.value[i]
		}
		var err error
		if g.value[s.node], err = s.op.Do(s.args...); err != nil {
			return fmt.Errorf("gorgonia: %s: %w", s.op, err)
		}
	}
	copy(grad, g.grad)
	return nil
}
