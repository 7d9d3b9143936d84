// Package models defines the networks that agents play with: their shape, their
// weights, the forward pass, the optimizer, and the files that store them.
//
// A network is a multilayer perceptron: a body of dense ReLU layers, then a linear
// policy head and a linear value head. [MLP] holds the weights and runs the network
// on rows of observations. A [Learner] trains an MLP; its implementations, the
// backends, are the packages below this one. [Load] reads a model file or a
// checkpoint, and [File.Save] writes one.
//
// Letters in shapes: n rows, D the length of an observation, A actions,
// P players, K the columns of the policy head: A logits or one score.
package models

import "errors"

var (
	// ErrFormat means that a file is not a model file, or is truncated or
	// damaged.
	ErrFormat = errors.New("not a model file, or damaged")
	// ErrMismatch means that a model is for another game, other rules, another
	// observation or another shape than expected.
	ErrMismatch = errors.New("the model does not fit")
	// ErrDiverged means that a gradient is not finite.
	ErrDiverged = errors.New("training diverged")
)

// Tensor is a named array, as in a safetensors file.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32 // row-major; its length is the product of Shape
}
