package train

import (
	"errors"
	"fmt"

	"marsgym/models"
)

// Config is what decides how a run ends. Its JSON is kept in the run folder.
type Config struct {
	Steps uint64 `json:"steps"` // decisions to train on; rounded up to whole iterations
	Seed  uint64 `json:"seed"`

	Head   models.Head `json:"head"`   // what the policy scores
	Hidden []int       `json:"hidden"` // widths of the network's layers

	Rows    int `json:"rows"`    // N, games played at once
	Horizon int `json:"horizon"` // T, steps of a rollout
	Parts   int `json:"parts"`   // into which rows and minibatches are split, for the cores

	Epochs    int     `json:"epochs"`    // passes over a rollout
	Minibatch int     `json:"minibatch"` // decisions to an optimizer step
	Gamma     float64 `json:"gamma"`     // discount
	Lambda    float64 `json:"lambda"`    // of the advantages
	Clip      float64 `json:"clip"`      // ε of PPO
	Value     float64 `json:"value"`     // weight of the values' loss

	// The learning rate and the weight of the entropy go from the first to the
	// second over the run, along half a cosine.
	Rate    [2]float64 `json:"rate"`
	Entropy [2]float64 `json:"entropy"`

	Adam models.AdamConfig `json:"adam"`

	// Evaluations and Checkpoints are how often in a run the network is
	// evaluated and saved, at the end included.
	Evaluations int `json:"evaluations"`
	Checkpoints int `json:"checkpoints"`
}

// DefaultConfig trains two-player Martian Dice in about two minutes of two
// cores. Rates, λ and entropy: chosen by measurement there. The entropy starts
// high, since a policy that is sure of itself too early stays where it is.
func DefaultConfig() Config {
	adam := models.DefaultAdam()
	adam.Clip = 1
	return Config{
		Steps: 12_000_000, Seed: 1,
		Head: models.Score, Hidden: []int{128, 128},
		Rows: 512, Horizon: 64, Parts: 4,
		Epochs: 1, Minibatch: 2048, Gamma: 1, Lambda: 0.85, Clip: 0.2, Value: 0.5,
		Rate: [2]float64{5e-3, 1e-5}, Entropy: [2]float64{0.25, 0.001},
		Adam:        adam,
		Evaluations: 10, Checkpoints: 20,
	}
}

// Validate reports all faults of a config at once.
func (c Config) Validate() error {
	var errs []error
	want := func(ok bool, field string, v any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s is %v; want %s", field, v, want))
		}
	}
	want(c.Steps > 0, "steps", c.Steps, "at least 1")
	want(c.Head == models.Score || c.Head == models.Logits, "head", c.Head, `"score" or "logits"`)
	want(c.Rows > 0 && c.Rows <= 1<<20, "rows", c.Rows, "1 to 1048576")
	want(c.Horizon > 0 && c.Horizon <= 1<<16, "horizon", c.Horizon, "1 to 65536")
	want(c.Parts > 0 && c.Parts <= min(c.Rows, c.Minibatch), "parts", c.Parts, "at least 1, and no more than rows or minibatch")
	want(c.Epochs > 0, "epochs", c.Epochs, "at least 1")
	want(c.Minibatch > 0, "minibatch", c.Minibatch, "at least 1")
	want(c.Gamma > 0 && c.Gamma <= 1, "gamma", c.Gamma, "above 0, at most 1")
	want(c.Lambda >= 0 && c.Lambda <= 1, "lambda", c.Lambda, "0 to 1")
	want(c.Clip > 0 && c.Clip < 1, "clip", c.Clip, "between 0 and 1")
	want(c.Value >= 0, "value", c.Value, "at least 0")
	for i, end := range []string{"first", "last"} {
		want(c.Rate[i] >= 0 && c.Rate[i] <= 1, "rate, "+end, c.Rate[i], "0 to 1")
		want(c.Entropy[i] >= 0, "entropy, "+end, c.Entropy[i], "at least 0")
	}
	want(c.Evaluations >= 0, "evaluations", c.Evaluations, "at least 0")
	want(c.Checkpoints > 0, "checkpoints", c.Checkpoints, "at least 1")
	errs = append(errs, c.Adam.Validate())
	return errors.Join(errs...)
}

// batch is the number of decisions to an iteration.
func (c Config) batch() uint64 { return uint64(c.Rows) * uint64(c.Horizon) }

// iterations is the number of iterations of a whole run.
func (c Config) iterations() uint64 { return (c.Steps + c.batch() - 1) / c.batch() }
