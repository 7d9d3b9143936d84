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

// x returns the layer's input [n, in]: the value of its input node, or the observations
// if this is the first layer.
func (d *dense) x(in G.Value) []float32 {
	if d.first {
		return d.g.obs
	}
	return floats(in)[:d.g.n*d.in]
}

func (d *dense) Do(in ...G.Value) (G.Value, error) {
	l := models.Layer{In: d.in, Out: d.cols(), W: floats(in[1]), B: floats(in[2])}
	y := floats(d.out)[:d.g.n*l.Out]
	x := d.x(in[0])
	if d.last {
		l.Linear(y, x)
	} else {
		l.ReLU(y, x)
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
	rows, cols := w.out.Shape()[0], w.out.Shape()[1]
	sgemm.SparseT(rows, cols, w.d.g.n, w.d.x(in[0]), rows, floats(in[1]), cols, floats(w.out), cols)
	return w.out, nil
}

// biasGrad computes db = 1ᵀ·dz, the sum over the rows.
type biasGrad struct {
	op
	g *graph
}

func (b *biasGrad) Do(in ...G.Value) (G.Value, error) {
	n, cols := b.g.n, b.out.Shape()[1]
	sgemm.Gemm(false, false, 1, cols, n, 1, b.g.ones, n, floats(in[0]), cols, 0, floats(b.out), cols)
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
	sgemm.Sparse(x.g.n, rows, cols, floats(in[0]), cols, x.wt, rows, floats(x.out), rows)
	return x.out, nil
}
