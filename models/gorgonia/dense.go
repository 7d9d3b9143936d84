package gorgonia

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"marsgym/internal/sgemm"
	"marsgym/models"
)

// dense computes y = x·W + b, and then ReLU unless it is the last layer.
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

func (d *dense) SymDiff(in G.Nodes, y, dy *G.Node) (G.Nodes, error) {
	var (
		x, w  = in[0], in[1]
		dz    = dy
		grads = make(G.Nodes, 3)
		err   error
	)
	name := func(s string) string { return s + " of " + d.name }
	if !d.last {
		if dz, err = G.ApplyOp(&reluGrad{op{name("reluGrad"), 2, d.out}, d.g}, y, dy); err != nil {
			return nil, err
		}
	}
	if !d.first {
		dx, wt := newMatrix(d.g.capacity, d.in, nil), make([]float32, d.in*d.cols())
		if grads[0], err = G.ApplyOp(&inputGrad{op{name("inputGrad"), 2, dx}, d.g, wt}, dz, w); err != nil {
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

// reluGrad computes dz = dy where y > 0, else 0. It works in place and returns dy,
// which no other operation reads.
type reluGrad struct {
	op
	g *graph
}

func (r *reluGrad) Do(in ...G.Value) (G.Value, error) {
	n := r.g.n * r.out.Shape()[1]
	y, dy := floats(in[0])[:n], floats(in[1])[:n]
	sgemm.ReLUGrad(dy, y)
	return in[1], nil
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
	n, cols := b.g.n, b.out.Shape()[1]
	sgemm.Gemm(false, false, 1, cols, n, b.g.ones, n, floats(in[0]), cols, floats(b.out), cols, false)
	return b.out, nil
}

// inputGrad computes dx = dz·Wᵀ.
type inputGrad struct {
	op
	g  *graph
	wt []float32 // Wᵀ, [out, in]
}

func (x *inputGrad) Do(in ...G.Value) (G.Value, error) {
	w := in[1].Shape()
	rows, cols := w[0], w[1]
	sgemm.Transpose(x.wt, floats(in[1]), rows, cols)
	sgemm.Sparse(x.g.n, rows, cols, floats(in[0])[:x.g.n*cols], x.wt, floats(x.out), nil, false)
	return x.out, nil
}
