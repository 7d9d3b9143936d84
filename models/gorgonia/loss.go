package gorgonia

import (
	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"marsgym/models"
)

// loss is the root of the graph. It calls the shard's Loss for the gradient with
// respect to the heads' output [n, K+P], and stores it for lossGrad. The value of the
// loss is not needed; that of the node is zero.
type loss struct {
	op              // out holds the gradient
	g               *graph
	k, p            int
	policy, dpolicy []float32 // [capacity, K]
	values, dvalues []float32 // [capacity, P]
	zero            G.Value
}

func (g *graph) newLoss(k, p int) *loss {
	c := g.capacity
	return &loss{
		op:      op{"loss", 1, newMatrix(c, k+p, nil)},
		g:       g,
		k:       k,
		p:       p,
		policy:  make([]float32, c*k),
		dpolicy: make([]float32, c*k),
		values:  make([]float32, c*p),
		dvalues: make([]float32, c*p),
		zero:    G.NewF32(0),
	}
}

func (l *loss) Type() hm.Type                                  { return hm.NewFnType(matrix, tensor.Float32) }
func (l *loss) InferShape(...G.DimSizer) (tensor.Shape, error) { return tensor.ScalarShape(), nil }
func (l *loss) ReturnsPtr() bool                               { return false }

func (l *loss) Do(in ...G.Value) (G.Value, error) {
	k, p, n := l.k, l.p, l.g.n
	y, dy := floats(in[0]), floats(l.out)
	policy, values := l.policy[:n*k], l.values[:n*p]
	dpolicy, dvalues := l.dpolicy[:n*k], l.dvalues[:n*p]
	models.Split(policy, values, y[:n*(k+p)], k, p)
	clear(dpolicy)
	clear(dvalues)
	l.g.loss(policy, values, dpolicy, dvalues)
	for i := range n {
		row := dy[i*(k+p) : (i+1)*(k+p)]
		copy(row, dpolicy[i*k:(i+1)*k])
		copy(row[k:], dvalues[i*p:(i+1)*p])
	}
	return l.zero, nil
}

func (l *loss) DiffWRT(int) []bool { return []bool{true} }

// SymDiff ignores grad, which is 1, since the loss is the root.
func (l *loss) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	dy, err := G.ApplyOp(&lossGrad{op{"lossGrad", 1, l.out}}, out)
	return G.Nodes{dy}, err
}

// lossGrad returns the gradient that loss has stored. Its input is the loss, so that
// it runs after it.
type lossGrad struct{ op }

func (l *lossGrad) Type() hm.Type                  { return hm.NewFnType(tensor.Float32, matrix) }
func (l *lossGrad) Do(...G.Value) (G.Value, error) { return l.out, nil }
