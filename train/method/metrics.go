package method

import "marsgym/models"

// Metrics is what a run reports of an iteration: a line of its metrics file.
type Metrics struct {
	Iteration uint64  `json:"iteration"` // from 1
	Steps     uint64  `json:"steps"`     // decisions so far
	Games     uint64  `json:"games"`     // ended so far
	Seconds   float64 `json:"seconds"`   // of training so far, without evaluation
	Losses
	LearningRate float64       `json:"learning_rate"`
	StepsPerS    float64       `json:"steps_per_s"` // of this iteration, without evaluation; 0 if the clock has not advanced
	Exact        *models.Exact `json:"exact,omitempty"`
	Decisions    uint64        `json:"-"` // of this iteration
	Done         float64       `json:"-"` // fraction of the run
	Evaluations  int           `json:"-"` // so far

	Evaluated uint64 `json:"-"` // rows that this iteration evaluated with the network, to play or search
}

// Losses are the means of a minibatch or of many.
type Losses struct {
	// Policy is PPO's clipped objective, negated; of expert iteration, the KL
	// divergence of the policy from its target, in nats.
	Policy float64 `json:"policy_loss"`
	// Value is half the squared error, summed over the seats, as a mean over
	// positions: of returns for PPO, of shares of the win for expert iteration.
	Value    float64 `json:"value_loss"`
	Entropy  float64 `json:"entropy"`   // of decisions with a choice, in nats
	KL       float64 `json:"kl"`        // from the policy that played
	Clipped  float64 `json:"clipped"`   // fraction of decisions at which the ratio was clipped
	GradNorm float64 `json:"grad_norm"` // before clipping

	Pool *PoolMetrics `json:"pool,omitempty"` // nil if the pool is empty

	// ValueKL is what expert iteration minimises of the values: the KL divergence
	// of the shares from their targets, in nats.
	ValueKL float64 `json:"-"`
	// Positions and Choices are the numbers of terms of the sums for Value and for Policy.
	Positions float64 `json:"-"`
	Choices   float64 `json:"-"`
}

// Add adds the sums of m.
func (l *Losses) Add(m Losses) {
	l.Policy += m.Policy
	l.Value += m.Value
	l.Entropy += m.Entropy
	l.KL += m.KL
	l.Clipped += m.Clipped
	l.ValueKL += m.ValueKL
	l.Positions += m.Positions
	l.Choices += m.Choices
}

// Mean turns sums into means.
func (l *Losses) Mean() {
	d, c := max(1, l.Positions), max(1, l.Choices)
	l.Policy /= c
	l.Value /= d
	l.ValueKL /= d
	l.Entropy /= c
	l.KL /= c
	l.Clipped /= c
}

// PoolMetrics compare the network with the opponents of the pool: how often its return
// is higher, where equal returns count one half.
type PoolMetrics struct {
	Opponents int                `json:"opponents"`      // bots included
	Win       float64            `json:"win"`            // the mean over opponents
	MinWin    float64            `json:"min_win"`        // the lowest of them; below one half the network has forgotten something
	Bots      map[string]float64 `json:"bots,omitempty"` // of each bot
}
