package gorgonia

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"marsgym/internal/kernel/sgemm"
	"marsgym/models"
)

// dense computes y = x·W + b, and then ReLU unless it is the last layer. The gradient
// that it is given is that of x·W + b: the layer after it has applied that of ReLU.
//
//	x [n, in]   W [in, out]   b [1, out]   y [n, out]
type dense struct {
	op
	g           *graph
	first, last bool
	in          int
	at          int // of W in MLP.Weights; b follows
}

// newDense returns the operation of layer i, whose weights begin at at.
func (g *graph) newDense(i int, l models.Layer, last bool, at int) *dense {
	return &dense{
		op:    op{fmt.Sprint("dense ", i), 3, newMatrix(g.capacity, l.Out, nil)},
		g:     g,
		first: i == 0,
		last:  last,
		in:    l.In,
		at:    at,
	}
}

func (d *dense) cols() int { return d.out.Shape()[1] }

// layer returns the layer with the given weights.
func (d *dense) layer(w, b []float32) models.Layer {
	return models.Layer{In: d.in, Out: d.cols(), W: w, B: b}
}

func (d *dense) rows(at rows, in []G.Value) {
	l, y := d.layer(floats(in[1]), floats(in[2])), at.of(d.out)
	switch {
	case d.first:
		l.ReLUObservations(y, at.Obs, at.from-at.first, at.to-at.first)
	case d.last:
		l.Linear(y, at.of(in[0]))
	default:
		l.ReLU(y, at.of(in[0]))
	}
}

// DiffWRT reports that the first layer needs no gradient of its input, which are the
// observations.
func (d *dense) DiffWRT(int) []bool { return []bool{!d.first, true, true} }

func (d *dense) SymDiff(in G.Nodes, _, dz *G.Node) (G.Nodes, error) {
	var (
		x, w  = in[0], in[1]
		grads = make(G.Nodes, 3)
		err   error
	)
	name := func(s string) string { return s + " of " + d.name }
	if !d.first {
		dx, wt := newMatrix(d.g.capacity, d.in, nil), make([]float32, d.in*d.cols())
		if grads[0], err = G.ApplyOp(&inputGrad{op{name("inputGrad"), 3, dx}, wt}, dz, w, x); err != nil {
			return nil, err
		}
	}
	dw := newMatrix(d.in, d.cols(), nil)
	if grads[1], err = G.ApplyOp(&weightGrad{op{name("weightGrad"), 2, dw}, d}, x, dz); err != nil {
		return nil, err
	}
	db := newMatrix(1, d.cols(), nil)
	if grads[2], err = G.ApplyOp(&biasGrad{op{name("biasGrad"), 1, db}, d}, dz); err != nil {
		return nil, err
	}
	return grads, nil
}

// weightGrad computes dW = xᵀ·dz.
type weightGrad struct {
	op
	d *dense
}

// begin lays out the observations of shard k for the first layer's gradient.
func (w *weightGrad) begin(k int, _ []G.Value) { w.d.g.columns[k].Set(w.d.g.shards[k].Obs) }

func (w *weightGrad) begins() int {
	if w.d.first {
		return len(w.d.g.shards)
	}
	return 0
}

func (w *weightGrad) shard(at rows, in []G.Value) {
	if w.d.first {
		w.d.g.columns[at.shard].SetGradient(w.d.cols(), at.of(in[1]))
	}
}

// firstSpeed is about how many times as fast the first layer's gradient is for a weight, since most
// numbers of an observation are 0. Chosen in Martian Dice.
const firstSpeed = 4

// rowCost is the cost of a row of dW, which takes whole vectors.
func (w *weightGrad) rowCost() int {
	const vector = 16
	if w.d.first {
		return max(1, w.d.cols()/firstSpeed)
	}
	return (w.d.cols() + vector - 1) / vector * vector
}

func (w *weightGrad) cost() int { return w.d.in * w.rowCost() }

// partRows returns the number of rows of dW in a part: a multiple of a cache line of x. In the first
// layer, where some rows take far longer than others, parts are smaller.
func (w *weightGrad) partRows() int {
	const line = 16
	cost := w.d.g.partCost
	if w.d.first {
		cost /= 2
	}
	return max(line, cost/w.rowCost()/line*line)
}

func (w *weightGrad) parts() int { return (w.d.in + w.partRows() - 1) / w.partRows() }

func (w *weightGrad) block(k int) (from, to int) {
	n := w.partRows()
	return k * n, min((k+1)*n, w.d.in)
}

func (w *weightGrad) part(k int, in []G.Value) {
	d := w.d
	from, to := w.block(k)
	dw, dz := d.g.grad[d.at+from*d.cols():d.at+to*d.cols()], floats(in[1])[:d.g.n*d.cols()]
	if !d.first {
		d.layer(nil, nil).WeightGradient(dw, from, to, floats(in[0])[:d.g.n*d.in], dz)
		return
	}
	for i := range d.g.shards {
		n := d.g.shards[i].Len() * d.cols()
		d.g.columns[i].WeightGradient(dw, from, to, dz[:n], i > 0)
		dz = dz[n:]
	}
}

// biasGrad computes db = 1ᵀ·dz, the sum over the rows.
type biasGrad struct {
	op
	d *dense
}

// biasCost is about how many times as long the gradient of a bias takes as that of a weight. Measured.
const biasCost = 6

func (b *biasGrad) cost() int  { return biasCost * b.d.cols() }
func (b *biasGrad) parts() int { return 1 }

func (b *biasGrad) part(_ int, in []G.Value) {
	n, at := b.d.cols(), b.d.at+b.d.in*b.d.cols()
	sgemm.ColumnSums(b.d.g.n, n, floats(in[0])[:b.d.g.n*n], b.d.g.grad[at:at+n])
}

// inputGrad computes the gradient with respect to the z of the layer before, whose
// output is x = max(z, 0): dz·Wᵀ where x > 0, else 0.
type inputGrad struct {
	op
	wt []float32 // Wᵀ, [out, in]
}

func (x *inputGrad) begins() int { return 1 }

// begin transposes W.
func (x *inputGrad) begin(_ int, in []G.Value) {
	w := in[1].Shape()
	sgemm.Transpose(x.wt, floats(in[1]), w[0], w[1])
}

func (x *inputGrad) rows(at rows, in []G.Value) {
	w := in[1].Shape()
	sgemm.Sparse(at.len(), w[0], w[1], at.of(in[0]), x.wt, at.of(x.out), sgemm.Epilogue{Gate: at.of(in[2])})
}
