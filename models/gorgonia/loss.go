package gorgonia

import (
	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"marsgym/models"
)

// loss is the root of the graph. It calls the shard's Loss for the gradient with
// respect to the heads' output [n, K+P], and stores it for lossGrad. The value of the
// loss is not needed.
type loss struct {
	op              // out holds the gradient
	k, p            int
	policy, dpolicy []float32 // [capacity, K]
	values, dvalues []float32 // [capacity, P]
}

func (g *graph) newLoss(k, p int) *loss {
	c := g.capacity
	return &loss{
		op:      op{"loss", 1, newMatrix(c, k+p, nil)},
		k:       k,
		p:       p,
		policy:  make([]float32, c*k),
		dpolicy: make([]float32, c*k),
		values:  make([]float32, c*p),
		dvalues: make([]float32, c*p),
	}
}

func (l *loss) Type() hm.Type                                  { return hm.NewFnType(matrix, tensor.Float32) }
func (l *loss) InferShape(...G.DimSizer) (tensor.Shape, error) { return tensor.ScalarShape(), nil }
func (l *loss) ReturnsPtr() bool                               { return false }

func (l *loss) shard(at rows, in []G.Value) {
	k, p := l.k, l.p
	part := func(x []float32, width int) []float32 { return x[at.from*width : at.to*width] }
	policy, values, dpolicy, dvalues := part(l.policy, k), part(l.values, p), part(l.dpolicy, k), part(l.dvalues, p)
	models.Split(policy, values, at.of(in[0]), k, p)
	clear(dpolicy)
	clear(dvalues)
	at.Loss(policy, values, dpolicy, dvalues)
	dy := at.of(l.out)
	for i := range at.Len() {
		row := dy[i*(k+p) : (i+1)*(k+p)]
		copy(row, dpolicy[i*k:(i+1)*k])
		copy(row[k:], dvalues[i*p:(i+1)*p])
	}
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

func (l *lossGrad) Type() hm.Type { return hm.NewFnType(tensor.Float32, matrix) }
