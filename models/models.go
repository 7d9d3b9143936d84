package models

// Head says how a network expresses its policy.
type Head string

const (
	// Score gives one number to the state just after each legal action; their
	// softmax is the policy.
	Score Head = "score"
	// Logits gives one number to each action from the observation; the softmax
	// over the legal ones is the policy.
	Logits Head = "logits"
)

// Shape is the shape of a network: a body of dense layers with ReLU, then a
// linear policy head of Width columns beside a linear value head of Players
// columns. Its JSON is kept in model files.
type Shape struct {
	Obs     int   `json:"obs"`     // D, the length of an observation
	Hidden  []int `json:"hidden"`  // widths of the body's layers
	Head    Head  `json:"head"`    // what the policy head scores
	Actions int   `json:"actions"` // A
	Players int   `json:"players"` // P
}

// Width is K, the number of columns of the policy head: A logits or one score.
func (s Shape) Width() int {
	if s.Head == Logits {
		return s.Actions
	}
	return 1
}

// Rows is one shard of a minibatch.
type Rows struct {
	Obs []float32 // [n, D]
	// Loss is given what the network says of these rows, policy [n, K] and
	// values [n, P], and writes the gradient of the loss with respect to each to
	// dpolicy and dvalues, which come zeroed. It must not keep the slices.
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
	Fit(shards []Rows, rate float64) (norm float64, err error)
	// State returns copies of what a checkpoint must hold beside the weights;
	// Restore takes it back.
	State() []Tensor
	Restore([]Tensor) error
}
