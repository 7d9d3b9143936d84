package models

// Rows is one shard of a minibatch.
type Shard struct {
	Obs []float32 // [n, D]
	// Loss is given what the network says of these rows, policy [n, K] and
	// values [n, P], and writes the gradient of the loss with respect to each to
	// dpolicy and dvalues, which come zeroed. It must not keep the slices. The
	// losses of several shards may run at the same time. Loss is not called for
	// a shard without rows.
	Loss func(policy, values, dpolicy, dvalues []float32)
}

// Learner is a network that can be fitted. One goroutine owns it.
type Learner interface {
	// MLP is the network with its current weights, for inference. It is the same
	// object for the learner's life, and Fit changes its weights.
	MLP() *MLP
	// Fit takes one optimizer step of the given rate down the sum of the shards'
	// gradients. Shards may run at the same time; they are summed in order, so
	// the result depends on how the rows are sharded but not on GOMAXPROCS. It
	// returns the gradient's norm before clipping, or, with the weights
	// unchanged, an error that wraps ErrDiverged where that is not finite.
	Fit(shards []Shard, rate float64) (norm float64, err error)
	// State returns copies of what a checkpoint must hold beside the weights;
	// Restore takes it back.
	State() []Tensor
	Restore([]Tensor) error
}
