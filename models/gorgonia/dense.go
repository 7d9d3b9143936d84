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
	dw, db      []float32 // [in, out] and [out], to be filled with the gradients
}

// newDense returns the operation of layer i. Its gradients are written to dw and db.
func (g *graph) newDense(i int, l models.Layer, last bool, dw, db []float32) *dense {
	return &dense{
		op:    op{fmt.Sprint("dense ", i), 3, newMatrix(g.capacity, l.Out, nil)},
		g:     g,
		first: i == 0,
		last:  last,
		in:    l.In,
		dw:    dw,
		db:    db,
	}
}

func (d *dense) cols() int { return d.out.Shape()[1] }

// layer returns the layer with the given weights.
func (d *dense) layer(w, b []float32) models.Layer {
	return models.Layer{In: d.in, Out: d.cols(), W: w, B: b}
}

func (d *dense) Do(in ...G.Value) (G.Value, error) {
	n := d.g.n
	l, y := d.layer(floats(in[1]), floats(in[2])), floats(d.out)[:n*d.cols()]
	switch {
	case d.first:
		l.ReLUObservations(y, d.g.obs, 0, n)
	case d.last:
		l.Linear(y, floats(in[0])[:n*d.in])
	default:
		l.ReLU(y, floats(in[0])[:n*d.in])
	}
	return d.out, nil
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
		if grads[0], err = G.ApplyOp(&inputGrad{op{name("inputGrad"), 3, dx}, d.g, wt}, dz, w, x); err != nil {
			return nil, err
		}
	}
	dw := newMatrix(d.in, d.cols(), d.dw)
	if grads[1], err = G.ApplyOp(&weightGrad{op{name("weightGrad"), 2, dw}, d}, x, dz); err != nil {
		return nil, err
	}
	db := newMatrix(1, d.cols(), d.db)
	if grads[2], err = G.ApplyOp(&biasGrad{op{name("biasGrad"), 1, db}, d.g}, dz); err != nil {
		return nil, err
	}
	return grads, nil
}

// weightGrad computes dW = xᵀ·dz.
type weightGrad struct {
	op
	d *dense
}

func (w *weightGrad) Do(in ...G.Value) (G.Value, error) {
	d, dw := w.d, floats(w.out)
	l, dz := d.layer(nil, nil), floats(in[1])[:d.g.n*d.cols()]
	if d.first {
		l.WeightGradientObservations(dw, d.g.obs, dz)
	} else {
		l.WeightGradient(dw, floats(in[0])[:d.g.n*d.in], dz)
	}
	return w.out, nil
}

// biasGrad computes db = 1ᵀ·dz, the sum over the rows.
type biasGrad struct {
	op
	g *graph
}

func (b *biasGrad) Do(in ...G.Value) (G.Value, error) {
	n, db := b.g.n, floats(b.out)
	sgemm.ColumnSums(n, len(db), floats(in[0])[:n*len(db)], db)
	return b.out, nil
}

// inputGrad computes the gradient with respect to the z of the layer before, whose
// output is x = max(z, 0): dz·Wᵀ where x > 0, else 0.
type inputGrad struct {
	op
	g  *graph
	wt []float32 // Wᵀ, [out, in]
}

func (x *inputGrad) Do(in ...G.Value) (G.Value, error) {
	n, w := x.g.n, in[1].Shape()
	rows, cols := w[0], w[1]
	sgemm.Transpose(x.wt, floats(in[1]), rows, cols)
	sgemm.Sparse(n, rows, cols, floats(in[0])[:n*cols], x.wt, floats(x.out), sgemm.Epilogue{Gate: floats(in[2])[:n*rows]})
	return x.out, nil
}
