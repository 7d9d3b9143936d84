// Package gorgonia is the default backend: it computes the gradient of each shard of a
// minibatch by an expression graph of gorgonia.org/gorgonia.
//
// The graph has few, large operations, which this package implements:
//
//	x ── dense ── dense ── ... ── dense ── loss
//	     W b      W b             W b
//
// With gorgonia's own operations a dense layer would be four nodes that allocate their
// results at each run, and the matrix product would be ten times slower. Here dense
// multiplies, adds the bias and applies ReLU; the last one is both heads. The loss
// calls [models.Shard.Loss] for its gradient. Gorgonia differentiates the graph:
// the gradient of dense is weightGrad, biasGrad and inputGrad, and that of loss is
// lossGrad. Every operation owns the tensor that it returns, and the gradients
// of the weights are views of one slice in the order of [models.MLP.Weights].
//
// A graph is built for a number of rows, its capacity, and also runs on fewer. All
// graphs share the weights of the network. Each has its own tensor headers for them,
// since gorgonia writes to headers.
package gorgonia
