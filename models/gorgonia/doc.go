// Package gorgonia is the default backend: it fits a network by running an
// expression graph of gorgonia.org/gorgonia on each shard of a minibatch.
//
// The graph is built of few, large operations of our own. As gorgonia comes, a
// dense layer is four operations that allocate their results anew each time,
// and its matrix product is ten times slower than ours:
//
//	x ── dense ── dense ── ... ── dense ── loss
//	     W b      W b             W b
//
// Each dense adds the bias and rectifies in the same pass; the last is both
// heads at once. The loss asks the caller, [models.Shard], for its gradient.
// Gorgonia differentiates the graph: a dense gives way to weightGrad, biasGrad
// and inputGrad, the rectifier to rectifierGrad, the loss to lossGrad. Every
// operation owns the tensor it returns, and the gradients of the weights are
// views of one slice in the order of [models.MLP.Weights].
//
// A graph has a capacity of rows, and works on the first of them as a shard
// has. The weights are shared by all graphs and the network; only the tensor
// headers over them are each graph's own, since gorgonia writes to headers.
package gorgonia
