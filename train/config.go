package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"marsgym/env"
	"marsgym/env/expert"
	"marsgym/env/game"
	"marsgym/env/search"
	"marsgym/models"
)

// Algorithm names a way to learn.
type Algorithm string

// The algorithms. Each may ask more of a game than the one before.
const (
	// PPO sees what a batch shows: observations, legal actions, rewards.
	AlgorithmPPO Algorithm = "ppo"
	// OnePly searches over one roll of the dice, whose chances it knows.
	OnePly Algorithm = Algorithm(expert.OnePly)
	// TurnExact searches each turn to its end, in games that offer that.
	TurnExact Algorithm = Algorithm(expert.Turn)
)

// valueTarget is what an algorithm trains values of.
func (a Algorithm) valueTarget() search.ValueTarget {
	switch a {
	case OnePly:
		return search.Afterstate
	case TurnExact:
		return search.TurnStart
	}
	return search.Decision
}

// Algorithms lists them.
func Algorithms() []Algorithm { return []Algorithm{AlgorithmPPO, OnePly, TurnExact} }

// Config is what decides how a run ends. Its JSON is kept in the run folder.
type Config struct {
	Algorithm Algorithm `json:"algorithm"`
	Steps     uint64    `json:"steps"` // decisions to train on; rounded up to whole iterations
	Seed      uint64    `json:"seed"`

	Head   models.Head `json:"head"`   // what the policy scores
	Hidden []int       `json:"hidden"` // widths of the network's layers

	Rows  int `json:"rows"`  // N, games at once
	Parts int `json:"parts"` // into which rows and minibatches are split, for the cores

	// The learning rate goes from the first to the second along half a cosine,
	// after a share of the run in which it rises from nothing.
	Rate   Range             `json:"rate"`
	Warmup float64           `json:"warmup"`
	Value  float64           `json:"value"` // weight of the values' loss
	Adam   models.AdamConfig `json:"adam"`

	PPO    PPO    `json:"ppo,omitzero"`    // of AlgorithmPPO
	Expert Expert `json:"expert,omitzero"` // of OnePly and TurnExact

	// Evaluations and Checkpoints are how often in a run the network is
	// evaluated and saved, at the end included.
	Evaluations int `json:"evaluations"`
	Checkpoints int `json:"checkpoints"`
}

// PPO are the settings of proximal policy optimisation.
type PPO struct {
	Horizon   int     `json:"horizon"`   // T, steps of a rollout
	Epochs    int     `json:"epochs"`    // passes over a rollout
	Minibatch int     `json:"minibatch"` // decisions to an optimizer step
	Gamma     float64 `json:"gamma"`     // discount
	Lambda    float64 `json:"lambda"`    // of the advantages
	Clip      float64 `json:"clip"`      // ε
	Entropy   Range   `json:"entropy"`   // its weight, first and last, along half a cosine
	Pool      Pool    `json:"pool"`
}

// Pool are the settings of an opponent pool.
type Pool struct {
	Share float64 `json:"share"` // of the rows, in which one seat learns against a past self
	Size  int     `json:"size"`  // past selves kept, at most
	Every float64 `json:"every"` // share of the run from one snapshot to the next
	// Power is how much those are preferred that are hard to beat: one that
	// loses a share w of its games is drawn in proportion to (1−w)^Power.
	Power float64 `json:"power"`
}

// Expert are the settings of expert iteration.
type Expert struct {
	Search expert.Config `json:"search"`
	// Temperature of the policy that is taught, in shares of the win, first and
	// last: an option that is worth so much less is e times less likely.
	Temperature Range `json:"temperature"`
	// Lambda is how far OnePly lets values learn from what comes of the play
	// rather than from the next search, first and last.
	Lambda Range `json:"lambda"`
	// Ahead is the share of the run in which values alone are taught, by random
	// play.
	Ahead float64 `json:"ahead"`
}

// DefaultConfig returns the settings with which an algorithm trains the solved
// game of the README for two in minutes of two cores. Chosen by measurement there.
func DefaultConfig(a Algorithm) Config {
	c := Config{
		Algorithm: a, Seed: 1, Head: models.Score, Hidden: []int{128, 128}, Parts: 4,
		Value: 5, Adam: models.DefaultAdam(), Evaluations: 10, Checkpoints: 20,
	}
	c.Adam.Clip = 1
	if a == AlgorithmPPO {
		c.Steps, c.Rows = 12_000_000, 512
		c.Rate = Range{5e-3, 1e-5}
		// The entropy starts high, since a policy that is sure of itself too
		// early stays where it is.
		c.PPO = PPO{Horizon: 64, Epochs: 1, Minibatch: 2048, Gamma: 1, Lambda: 0.85, Clip: 0.2, Entropy: Range{0.25, 0.001}}
		c.PPO.Pool = Pool{Share: 0, Size: 20, Every: 0.05, Power: 2}
		return c
	}
	c.Rate, c.Warmup = Range{1e-2, 1e-5}, 0.01
	c.Adam.Beta2, c.Adam.Clip = 0.99, 0
	c.Expert = Expert{
		Search:      expert.Config{Depth: expert.Depth(a), RestartFraction: 0.7, Turns: 2, Decisions: 16, ExplorationFraction: 1. / 3, ExplorationRate: 0.15},
		Temperature: Range{0.02, 0.004},
		Ahead:       0.05,
	}
	if a == TurnExact {
		c.Steps, c.Rows, c.Hidden = 40_000_000, 32, []int{256, 128, 64}
		c.Rate[0], c.Expert.Search.Turns = 4e-3, 4
	} else {
		c.Steps, c.Rows, c.Hidden = 5_000_000, 16, []int{256, 128, 64}
		c.Rate[0], c.Expert.Temperature[1] = 5e-3, 0.002
		// A search sees two states apart by no more than its values are wrong: they
		// come first.
		c.Value = 150
		// Values that learn from searches alone drift off, since the best of
		// many guesses is a guess too high.
		c.Expert.Lambda = Range{0.9, 0.6}
	}
	return c
}

// Bounds of settings. Chosen. What fits in no memory [Config.Check] knows.
const (
	// maxParts is more than machines have cores; a checkpoint names each part.
	maxParts = 4096
	// maxPower keeps (1−w)^Power above 0: 1−w falls below 2^-21 only after 10⁵
	// games to a rollout without a loss.
	maxPower = 50
	// maxMinibatch is no less than the decisions of any rollout.
	maxMinibatch = min(1<<36, math.MaxInt)
)

// Validate reports all faults of a config that are faults in every game, at once.
// [Config.Check] knows of the others.
func (c Config) Validate() error {
	var errs []error
	want := func(ok bool, field string, v any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s is %v; want %s", field, v, want))
		}
	}
	known := slices.Contains(Algorithms(), c.Algorithm)
	want(known, "algorithm", c.Algorithm, fmt.Sprintf("one of %v", Algorithms()))
	want(c.Steps > 0, "steps", c.Steps, "at least 1")
	want(c.Head == models.Score || c.Head == models.Logits, "head", c.Head, `"score" or "logits"`)
	want(c.Rows > 0 && c.Rows <= 1<<20, "rows", c.Rows, "1 to 1048576")
	want(c.Parts > 0 && c.Parts <= min(c.Rows, maxParts), "parts", c.Parts, fmt.Sprintf("1 to %d, and no more than rows", maxParts))
	for i, end := range []string{"first", "last"} {
		want(c.Rate[i] >= 0 && c.Rate[i] <= 1, "rate, "+end, c.Rate[i], "0 to 1")
	}
	want(c.Warmup >= 0 && c.Warmup < 1, "warmup", c.Warmup, "0 to less than 1")
	want(finite(c.Value) && c.Value >= 0, "value", c.Value, "at least 0, and finite")
	want(c.Evaluations >= 0, "evaluations", c.Evaluations, "at least 0")
	want(c.Checkpoints > 0, "checkpoints", c.Checkpoints, "at least 1")
	errs = append(errs, c.Adam.Validate())
	switch {
	case c.Algorithm == AlgorithmPPO:
		p := c.PPO
		want(p.Horizon > 0 && p.Horizon <= 1<<16, "horizon", p.Horizon, "1 to 65536")
		want(p.Epochs > 0, "epochs", p.Epochs, "at least 1")
		want(p.Minibatch >= c.Parts && p.Minibatch <= maxMinibatch, "minibatch", p.Minibatch, fmt.Sprintf("no less than parts, and at most %d", maxMinibatch))
		want(p.Gamma > 0 && p.Gamma <= 1, "gamma", p.Gamma, "above 0, at most 1")
		want(p.Lambda >= 0 && p.Lambda <= 1, "lambda", p.Lambda, "0 to 1")
		want(p.Clip > 0 && p.Clip < 1, "clip", p.Clip, "between 0 and 1")
		for i, end := range []string{"first", "last"} {
			want(finite(p.Entropy[i]) && p.Entropy[i] >= 0, "entropy, "+end, p.Entropy[i], "at least 0, and finite")
		}
		want(p.Pool.Share >= 0 && p.Pool.Share <= 1, "pool share", p.Pool.Share, "0 to 1")
		want(p.Pool.Power >= 0 && p.Pool.Power <= maxPower, "pool power", p.Pool.Power, fmt.Sprintf("0 to %d", maxPower))
		if p.Pool.Share > 0 {
			want(p.Pool.Size > 0 && p.Pool.Size <= 1000, "pool size", p.Pool.Size, "1 to 1000")
			want(p.Pool.Every >= 1e-4 && p.Pool.Every <= 1, "pool every", p.Pool.Every, "0.0001 to 1")
		}
	case known:
		e := c.Expert
		errs = append(errs, e.Search.Validate())
		want(e.Search.Depth == expert.Depth(c.Algorithm), "depth", e.Search.Depth, fmt.Sprintf("%q, as the algorithm", c.Algorithm))
		for i, end := range []string{"first", "last"} {
			want(finite(e.Temperature[i]) && e.Temperature[i] > 0, "temperature, "+end, e.Temperature[i], "above 0, and finite")
		}
		for i, end := range []string{"first", "last"} {
			want(e.Lambda[i] >= 0 && e.Lambda[i] <= 1, "lambda, "+end, e.Lambda[i], "0 to 1")
		}
		want(e.Ahead >= 0 && e.Ahead < 1, "ahead", e.Ahead, "0 to less than 1")
	}
	return errors.Join(errs...)
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// Check reports why a game cannot be trained with the config: what
// [Config.Validate] reports, a network that cannot be, an algorithm that the game
// does not offer, or a run that takes too much memory.
func (c Config) Check(g env.Game) error {
	if err := c.Validate(); err != nil {
		return err
	}
	spec := g.Spec()
	errs := []error{c.shape(spec).Validate()}
	if c.Algorithm == AlgorithmPPO {
		// Options of decisions are numbered in int32.
		n, most := int64(c.Rows)*int64(c.PPO.Horizon), int64(math.MaxInt32/(1+spec.Actions))
		if n > most {
			errs = append(errs, fmt.Errorf("rows times horizon is %d decisions to a rollout; want at most %d in this game", n, most))
		}
	} else if _, err := g.NewExpert(c.Expert.Search, 1, 0); err != nil {
		errs = append(errs, fmt.Errorf("algorithm is %s; want one of %v: %w", c.Algorithm, offered(g), err))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return c.checkMemory(g)
}

// offered lists the algorithms that a game offers.
func offered(g env.Game) []Algorithm {
	return slices.DeleteFunc(Algorithms(), func(a Algorithm) bool {
		if a == AlgorithmPPO {
			return false
		}
		_, err := g.NewExpert(DefaultConfig(a).Expert.Search, 1, 0)
		return err != nil
	})
}

// shape is the shape of the network that learns a game.
func (c Config) shape(spec game.Spec) models.Shape {
	s := models.Shape{Obs: spec.ObsLen(), Hidden: c.Hidden, Head: c.Head, Actions: spec.Actions, Players: spec.Players}
	if c.Algorithm != AlgorithmPPO {
		s.Values = models.ValueShares
	}
	return s
}

// Range is what a setting is at first and at the end of a run; it goes from one
// to the other along half a cosine.
type Range [2]float64

// UnmarshalJSON reads two numbers, no more and no fewer.
func (r *Range) UnmarshalJSON(text []byte) error {
	var list []float64
	if err := json.Unmarshal(text, &list); err != nil || len(list) != 2 {
		return fmt.Errorf("%s: want two numbers, the first and the last", text)
	}
	copy(r[:], list)
	return nil
}

// at is the setting at a share of the run.
func (r Range) at(x float64) float64 {
	return r[1] + (r[0]-r[1])*(1+math.Cos(math.Pi*x))/2
}

// rate is the learning rate at a share of the run.
func (c Config) rate(x float64) float64 {
	if x < c.Warmup {
		return c.Rate[0] * x / c.Warmup
	}
	return c.Rate.at((x - c.Warmup) / (1 - c.Warmup))
}
