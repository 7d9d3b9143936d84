package method

import (
	"encoding/json"

	"marsgym/models"
)

// Metrics is what a run reports of an iteration, or of the iterations of a line of its metrics file.
// A figure that they did not compute is not in the line.
type Metrics struct {
	Iteration uint64 `json:"iteration"` // from 1
	// Steps is the number of decisions that the rows have played so far, forced ones, opponents
	// and openings included. In expert iteration the Games have fewer: rows also begin in the
	// middle of a game and leave it, and turn-exact plays each searched turn several times and
	// continues with one of them.
	Steps   uint64  `json:"steps"`
	Games   uint64  `json:"games"`   // that the rows have played to their end so far, truncated ones included
	Seconds float64 `json:"seconds"` // of iterations so far: without evaluations, files and dropped iterations
	Losses
	LearningRate float64       `json:"learning_rate"`
	StepsPerS    float64       `json:"steps_per_s,omitzero"` // of the iterations, without evaluations; 0 if the clock has not advanced
	Exact        *models.Exact `json:"exact,omitempty"`
	// Matches are evaluations where strength is not exact, by opponent: a bot of the game, the
	// network of the "previous" evaluation, and the "best" one so far where that is another.
	Matches map[string]Share `json:"matches,omitempty"`

	Decisions   uint64  `json:"-"` // of the latest iteration
	Done        float64 `json:"-"` // fraction of the run
	Evaluations int     `json:"-"` // so far, without those that failed

	Evaluated uint64 `json:"-"` // rows that this iteration evaluated with the network, to play or search
}

// Share is the share of the games of a match that the network wins.
type Share = models.Share

// Mean is a mean. Without terms it is unknown, and omitzero leaves it out of JSON.
type Mean struct {
	Sum float64
	N   float64 // the number of terms, or the sum of their weights; 1 of a mean that was read from JSON
}

// Add adds a term.
func (m *Mean) Add(x float64) {
	m.Sum += x
	m.N++
}

// Join adds the terms of another mean.
func (m *Mean) Join(other Mean) {
	m.Sum += other.Sum
	m.N += other.N
}

// Value returns the mean, 0 if it is unknown.
func (m Mean) Value() float64 {
	if m.N == 0 {
		return 0
	}
	return m.Sum / m.N
}

// IsZero reports whether the mean is unknown.
func (m Mean) IsZero() bool { return m.N == 0 }

// MarshalJSON writes the mean as a number.
func (m Mean) MarshalJSON() ([]byte, error) { return json.Marshal(m.Value()) }

// UnmarshalJSON reads a number.
func (m *Mean) UnmarshalJSON(text []byte) error {
	m.N = 1
	return json.Unmarshal(text, &m.Sum)
}

// Losses are means over what the network was fitted to, in the state that it had before each
// optimizer step.
type Losses struct {
	// Policy is PPO's clipped objective, negated; of expert iteration, the KL
	// divergence of the policy from its target, in nats. It is a mean over decisions with a
	// choice, like Entropy, KL and Clipped.
	Policy Mean `json:"policy_loss,omitzero"`
	// Value is half the squared error, summed over the seats, as a mean over
	// positions: of returns for PPO and in games without a win, else of shares of the win.
	Value   Mean `json:"value_loss,omitzero"`
	Entropy Mean `json:"entropy,omitzero"` // of the policy, in nats
	// KL and Clipped are those of PPO: an estimate of the KL divergence of the policy from the
	// one that played, the mean of ρ − 1 − log ρ, in nats, and the fraction of decisions whose
	// gradient was clipped to 0.
	KL       Mean `json:"kl,omitzero"`
	Clipped  Mean `json:"clipped,omitzero"`
	GradNorm Mean `json:"grad_norm,omitzero"` // of the optimizer steps, before clipping

	Pool *PoolMetrics `json:"pool,omitempty"` // nil if the pool is empty

	// ValueKL is what expert iteration minimises of the values: the KL divergence
	// of the shares from their targets, in nats.
	ValueKL Mean `json:"-"`
}

// Means returns the means of l, without those of the pool.
func (l *Losses) Means() []*Mean {
	return []*Mean{&l.Policy, &l.Value, &l.Entropy, &l.KL, &l.Clipped, &l.GradNorm, &l.ValueKL}
}

// Join adds the terms of the means of other losses.
func (l *Losses) Join(m Losses) {
	other := m.Means()
	for i, mean := range l.Means() {
		mean.Join(*other[i])
	}
}

// PoolMetrics compare the network with the opponents of the pool: the share of the games so far
// in which its return was higher, where equal returns count one half. The games of an iteration
// weigh 0.99 times as much as those of the next one. An opponent without games has no share.
type PoolMetrics struct {
	Opponents int             `json:"opponents"`        // bots included
	Win       Mean            `json:"win,omitzero"`     // the mean over opponents
	MinWin    Mean            `json:"min_win,omitzero"` // the lowest of them; below one half the network has forgotten something
	Bots      map[string]Mean `json:"bots,omitempty"`   // of each bot
}
