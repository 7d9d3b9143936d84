// Package models holds the networks that play: their shape, their weights, how
// they run forward, and the files that keep them.
//
// A network is a multilayer perceptron with two linear heads, a policy and the
// values, on a body of dense ReLU layers. [MLP] runs it on rows of
// observations. A [Learner] also fits it; the backends in the folders below
// this one are learners. [Load] opens a model file or a checkpoint, and
// [File.Save] writes one.
//
// Letters in shapes: n rows, D the length of an observation, A actions,
// P players, K the columns of the policy head: A logits or one score.
package models

import "errors"

var (
	// ErrFormat says that a file is not a model file, or is cut short or
	// damaged.
	ErrFormat = errors.New("not a model file, or damaged")
	// ErrMismatch says that a model is of another game, other rules, another
	// observation or another shape than wanted.
	ErrMismatch = errors.New("the model does not fit")
	// ErrDiverged says that a gradient is not finite.
	ErrDiverged = errors.New("training diverged")
)

// Tensor is a named array of numbers.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32 // row-major; as long as the product of Shape
}
