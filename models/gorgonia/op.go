package gorgonia

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// matrix is the type of all nodes except the loss: a bias is [1, out].
var matrix = G.TensorType{Dims: 2, Of: tensor.Float32}

// op implements what all operations of this package have in common. Its name is unique
// within a graph, since gorgonia merges nodes with equal hashes.
type op struct {
	name  string
	arity int
	out   *tensor.Dense // the result, owned by the operation
}

// matrix returns the result.
func (o *op) matrix() *tensor.Dense { return o.out }

// Do is what gorgonia's machines would call. A [graph] runs its operations in parts.
func (o *op) Do(...G.Value) (G.Value, error) { return nil, fmt.Errorf("%s has no machine", o.name) }

func (o *op) Arity() int                                     { return o.arity }
func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) { return o.out.Shape().Clone(), nil }
func (o *op) ReturnsPtr() bool                               { return true }
func (o *op) CallsExtern() bool                              { return false }
func (o *op) OverwritesInput() int                           { return -1 }
func (o *op) WriteHash(h hash.Hash)                          { fmt.Fprint(h, o.name) }
func (o *op) String() string                                 { return o.name }

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// Type returns matrix → ... → matrix.
func (o *op) Type() hm.Type {
	ts := make([]hm.Type, o.arity+1)
	for i := range ts {
		ts[i] = matrix
	}
	return hm.NewFnType(ts...)
}

// newMatrix returns a tensor that uses data, or new memory if data is nil.
func newMatrix(rows, cols int, data []float32) *tensor.Dense {
	if data == nil {
		data = make([]float32, rows*cols)
	}
	return tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(data))
}

// floats returns the memory of a matrix.
func floats(v G.Value) []float32 { return v.(*tensor.Dense).Float32s() }
