package models

import "context"

// Shard is a part of a minibatch: some rows of observations, and their loss.
type Shard struct {
	Obs *Observations // [n, D]; nil if there are none
	// Loss computes the gradient of the shard's loss with respect to the network's
	// outputs. It is called with the outputs for Obs, policy [n, K] and values [n, P],
	// and writes the gradients to dpolicy [n, K] and dvalues [n, P], which are zero
	// before the call. It must not retain the slices. The losses of several shards may
	// be called at the same time. Loss is not called for a shard without rows.
	Loss func(policy, values, dpolicy, dvalues []float32)
}

// Len returns n.
func (s Shard) Len() int {
	if s.Obs == nil {
		return 0
	}
	return s.Obs.Len()
}

// Learner trains a network. One goroutine owns it.
type Learner interface {
	// MLP returns the network with its current weights, for inference. It is the same
	// object at each call, and Fit changes its weights.
	MLP() *MLP
	// Fit takes one optimizer step with the given learning rate along the sum of the
	// shards' gradients. Gradients of shards may be computed at the same time and are
	// summed in order, so the result depends on how the rows are divided into shards
	// but not on GOMAXPROCS. Fit returns the norm of the gradient before clipping. If
	// that is not finite, it leaves the weights unchanged and returns an error that
	// wraps ErrDiverged. When ctx is done it may return its error, also with unchanged
	// weights.
	Fit(ctx context.Context, shards []Shard, rate float64) (norm float64, err error)
	// State returns copies of what a checkpoint must store beside the weights;
	// Restore restores it.
	State() []Tensor
	Restore([]Tensor) error
}
