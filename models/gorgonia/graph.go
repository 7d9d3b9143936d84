package gorgonia

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"marsgym/internal/parallel"
	"marsgym/models"
)

// graph computes the gradients of groups of shards of up to capacity rows, one at a time. It
// first goes through the rows, many blocks of them at the same time, and then through parts of the
// gradients of the weights, each of which is a sum over all rows. So no gradients have to be
// added.
type graph struct {
	capacity int
	n        int // rows of the present shards
	shards   []models.Shard
	columns  []models.ObservationColumns // of each shard
	grad     []float32                   // as MLP.Weights, to be filled
	partCost int                         // of a part of the sums, about
	begins   []step
	stages   []stage
	sums     []step // of all rows
	parts    []part // of the begins, and then of the sums, in this run
}

// stage is what each block of rows computes, and then each shard that has all its blocks.
type stage struct{ rows, shards []step }

// step computes the value of a node.
type step struct {
	op any
	in []G.Value // the values of its inputs
}

// part is a part of the work of a step.
type part struct {
	step
	k int
}

// Operations implement some of these.
type (
	beginner interface { // in the stage of the forward pass, for the next one
		begins() int
		begin(k int, in []G.Value)
	}
	rowOp   interface{ rows(at rows, in []G.Value) }  // of any rows
	shardOp interface{ shard(at rows, in []G.Value) } // of all rows of a shard
	sumOp   interface {                               // after the rows
		cost() int // about as its time
		parts() int
		part(k int, in []G.Value)
	}
)

// rows are rows of a shard in the matrices of a graph.
type rows struct {
	models.Shard
	shard    int // its number
	first    int // its first row
	from, to int
}

func (r rows) len() int { return r.to - r.from }

// of returns the rows of a matrix.
func (r rows) of(m G.Value) []float32 {
	columns := m.Shape()[1]
	return floats(m)[r.from*columns : r.to*columns]
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
		g      = &graph{capacity: capacity}
		eg     = G.NewGraph()
		params G.Nodes
		at     = 0
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
		var err error
		if y, err = G.ApplyOp(g.newDense(i, l, i == len(layers)-1, at), y, w, b); err != nil {
			return nil, fmt.Errorf("gorgonia: layer %d: %w", i, err)
		}
		at += len(l.W) + len(l.B)
	}
	cost, err := G.ApplyOp(g.newLoss(s.PolicyWidth(), s.Players), y)
	if err != nil {
		return nil, fmt.Errorf("gorgonia: loss: %w", err)
	}
	grads, err := G.Grad(cost, params...)
	if err != nil {
		return nil, fmt.Errorf("gorgonia: gradient: %w", err)
	}
	known := map[*G.Node]G.Value{}
	for _, n := range grads {
		g.plan(eg, n, known)
	}
	return g, nil
}

// plan adds the steps that compute a node, inputs first, and returns its value. The steps take
// the place of gorgonia's machines, which start a goroutine and lock a thread for each run.
func (g *graph) plan(eg *G.ExprGraph, n *G.Node, known map[*G.Node]G.Value) G.Value {
	if v, ok := known[n]; ok {
		return v
	}
	v := n.Value()
	if v == nil {
		s := step{op: n.Op()}
		for inputs := eg.From(n.ID()); inputs.Next(); {
			s.in = append(s.in, g.plan(eg, inputs.Node().(*G.Node), known))
		}
		g.add(s)
		if _, ok := s.op.(sumOp); ok {
			g.sums = append(g.sums, s)
		}
		v = n.Op().(interface{ matrix() *tensor.Dense }).matrix()
	}
	known[n] = v
	return v
}

// add adds a step to the last stage, or to a new one where it needs all shards of that.
func (g *graph) add(s step) {
	n := len(g.stages)
	if _, ok := s.op.(beginner); ok {
		g.begins = append(g.begins, s)
	}
	if _, ok := s.op.(rowOp); ok {
		if n == 0 || len(g.stages[n-1].shards) > 0 {
			g.stages = append(g.stages, stage{})
			n++
		}
		g.stages[n-1].rows = append(g.stages[n-1].rows, s)
	}
	if _, ok := s.op.(shardOp); ok {
		g.stages[n-1].shards = append(g.stages[n-1].shards, s)
	}
}

// minBlock and coreBlocks are the number of rows of a block, at least, and of blocks for each core,
// about. Chosen: shards differ in length, and many blocks share the work evenly among cores.
const minBlock, coreBlocks = 32, 4

// coreParts is the number of parts of the sums for each core, about. Chosen: with more, they take
// longer.
const coreParts = 2

// run fills grad [weights] with the gradient of shards that all have rows. Its bits do not depend
// on how the work is divided.
func (g *graph) run(grad []float32, shards []models.Shard) {
	g.shards, g.n, g.grad = shards, 0, grad
	defer func() { g.shards, g.grad = nil, nil }()
	for len(g.columns) < len(shards) {
		g.columns = append(g.columns, models.ObservationColumns{})
	}
	all := make([]rows, len(shards))
	for i, s := range shards {
		all[i] = rows{s, i, g.n, g.n, g.n + s.Len()}
		g.n += s.Len()
	}
	// The longest ranges first, as the longest parts below, so that no core is left with one at the end.
	slices.SortStableFunc(all, func(a, b rows) int { return b.len() - a.len() })
	var blocks []rows
	cores := runtime.GOMAXPROCS(0)
	size := max(minBlock, g.n/(coreBlocks*cores))
	left := make([]atomic.Int32, len(shards)) // blocks of each in the present stage
	for _, r := range all {
		for to := r.to; r.from < to; r.from = r.to {
			r.to = min(r.from+size, to)
			blocks = append(blocks, r)
		}
	}
	g.parts = g.parts[:0]
	for _, s := range g.begins {
		for k := range s.op.(beginner).begins() {
			g.parts = append(g.parts, part{s, k})
		}
	}
	for _, st := range g.stages {
		for _, r := range blocks {
			left[r.shard].Add(1)
		}
		// The begins last: they occupy the cores that the last shard leaves without blocks.
		parallel.For(len(blocks)+len(g.parts), 1, func(i, _ int) {
			if i >= len(blocks) {
				p := g.parts[i-len(blocks)]
				p.op.(beginner).begin(p.k, p.in)
				return
			}
			r := blocks[i]
			for _, s := range st.rows {
				s.op.(rowOp).rows(r, s.in)
			}
			if left[r.shard].Add(-1) > 0 {
				return
			}
			r.from, r.to = r.first, r.first+r.Len()
			for _, s := range st.shards {
				s.op.(shardOp).shard(r, s.in)
			}
		})
		g.parts = g.parts[:0]
	}
	g.partCost = 0
	for _, s := range g.sums {
		g.partCost += s.op.(sumOp).cost()
	}
	if cores > 1 {
		g.partCost /= coreParts * cores
	}
	each := func(s step) int { return s.op.(sumOp).cost() / s.op.(sumOp).parts() }
	slices.SortStableFunc(g.sums, func(a, b step) int { return each(b) - each(a) })
	for _, s := range g.sums {
		for k := range s.op.(sumOp).parts() {
			g.parts = append(g.parts, part{s, k})
		}
	}
	parallel.For(len(g.parts), 1, func(i, _ int) { g.parts[i].op.(sumOp).part(g.parts[i].k, g.parts[i].in) })
}
