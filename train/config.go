package train

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/input"
	"marsgym/internal/kernel/elementary"
	"marsgym/models"
	"marsgym/train/expert"
	"marsgym/train/method"
	"marsgym/train/ppo"
)

// Algorithm names a training algorithm.
type Algorithm string

// The algorithms. Each needs more of a game than the one before.
const (
	// AlgorithmPPO needs what a batch gives: observations, legal actions, rewards, and the
	// outcomes of chance for PPO.Outcomes.
	AlgorithmPPO Algorithm = "ppo"
	// OneMove searches over one move to the next decision, with the probabilities of
	// the chance between. In games that merge their chance the network values afterstates.
	OneMove Algorithm = Algorithm(expert.OneMove)
	// TurnExact searches each turn to its end, in games with turn plans.
	TurnExact Algorithm = Algorithm(expert.Turn)
	// Search searches trees that the network's policy and values lead.
	Search Algorithm = Algorithm(expert.Search)
)

// Algorithms lists the algorithms.
func Algorithms() []Algorithm { return []Algorithm{AlgorithmPPO, OneMove, Search, TurnExact} }

// AlgorithmNames returns them as text.
func AlgorithmNames() (names []string) {
	for _, a := range Algorithms() {
		names = append(names, string(a))
	}
	return names
}

// Config holds the settings that decide the result of a run in a game.
type Config struct {
	Algorithm Algorithm `json:"algorithm"`
	Steps     uint64    `json:"steps"` // decisions to train on; rounded up to whole iterations
	Seed      uint64    `json:"seed"`

	Head   models.Head `json:"head"`   // of the policy
	Hidden []int       `json:"hidden"` // widths of the hidden layers

	Rows int `json:"rows"` // N, games at once

	// LearningRate is the schedule of the optimizer's step size after Warmup, the
	// fraction of the run in which the rate rises from 0.
	LearningRate Schedule          `json:"learning_rate"`
	Warmup       float64           `json:"warmup"`
	ValueCoef    float64           `json:"value_coef"` // weight of the value loss
	Adam         models.AdamConfig `json:"adam"`

	Opponents Opponents `json:"opponents"`
	Openings  Openings  `json:"openings"`

	PPO    PPO    `json:"ppo,omitzero"`    // of AlgorithmPPO
	Expert Expert `json:"expert,omitzero"` // of the others

	// Evaluations is the largest number of evaluations of the network in a run, 0 for none (see
	// [Options].EvaluationRows), and Checkpoints is the number of saves. Both count those at
	// the end of the run.
	Evaluations int `json:"evaluations"`
	Checkpoints int `json:"checkpoints"`

	// Memory is the memory in GiB that the run may take; 0 stands for what the machine has. It
	// changes no result.
	Memory float64 `json:"memory,omitzero"`
}

// Settings and metrics that algorithms share, and those of PPO.
type (
	PPO         = ppo.Config
	Openings    = ppo.Openings
	Opponents   = method.Opponents
	Bots        = method.Bots
	Schedule    = method.Schedule
	Metrics     = method.Metrics // a line of [MetricsFile]
	Losses      = method.Losses
	Mean        = method.Mean
	PoolMetrics = method.PoolMetrics
)

// Expert holds the settings of expert iteration.
type Expert struct {
	Search expert.Config `json:"search"`
	// Temperature is that of the target policy, in shares of the win, or in returns where a game
	// has no win. An option whose value is lower by the temperature is e times less likely.
	Temperature Schedule `json:"temperature"`
	// Lambda is the weight, in value targets, of the play that followed rather than only of the
	// next search. TurnExact does not use it.
	Lambda Schedule `json:"lambda"`
	// ValueWarmup is the fraction of the run in which only values are trained, on
	// random play.
	ValueWarmup float64 `json:"value_warmup"`
	// PolicyLag is the number of iterations by which the weights that play are older than those that
	// are fitted: 0, or 1 to play the next rollout during the fit.
	PolicyLag int `json:"policy_lag"`
}

// Bounds of settings. Chosen. [Config.Check] finds what does not fit in memory.
const (
	// MaxSteps is far below 2^53, up to which float64 counts, and its product with maxEvents below
	// 2^64.
	MaxSteps = 1_000_000_000_000_000
	// maxEvents bounds evaluations and checkpoints: more are no curve any more.
	maxEvents = 10_000
	// maxEpochs is far more than a rollout can teach.
	maxEpochs = 1000
	// maxMemory is more than any machine has, in GiB.
	maxMemory = 1 << 30
	// maxPower keeps (1−w)^Power above 0: 1−w falls below 2^-21 only after 10⁵
	// games to a rollout without a loss.
	maxPower = 50
	// maxPopulation is more than a run has time for.
	maxPopulation = 100
	// maxOpening is more than any opening.
	maxOpening = 1000
	// maxMinibatch is no less than the decisions of any rollout.
	maxMinibatch = min(1<<36, math.MaxInt)
	// maxOutcomes is more than an expectation in each step of a rollout is worth.
	maxOutcomes = 1000
)

// Validate reports, all at once, the faults of a config that are faults in every
// game. [Config.Check] finds the others.
func (c Config) Validate() error {
	var errs []error
	want := func(ok bool, field string, v any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("train.%s is %v; want %s", field, v, want))
		}
	}
	known := slices.Contains(Algorithms(), c.Algorithm)
	want(known, "algorithm", c.Algorithm, fmt.Sprintf("one of %v", Algorithms()))
	want(c.Steps > 0 && c.Steps <= MaxSteps, "steps", c.Steps, fmt.Sprintf("1 to %d", uint64(MaxSteps)))
	want(c.Head == models.Score || c.Head == models.Logits, "head", c.Head, `"score" or "logits"`)
	want(c.Rows > 0 && c.Rows <= 1<<20, "rows", c.Rows, "1 to 1048576")
	for i, x := range c.LearningRate {
		want(x >= 0 && x <= 1, fmt.Sprintf("learning_rate[%d]", i), x, "0 to 1")
	}
	want(c.Warmup >= 0 && c.Warmup < 1, "warmup", c.Warmup, "0 to less than 1")
	want(elementary.Finite(c.ValueCoef) && c.ValueCoef >= 0, "value_coef", c.ValueCoef, "at least 0, and finite")
	want(c.Evaluations >= 0 && c.Evaluations <= maxEvents, "evaluations", c.Evaluations, fmt.Sprintf("0 to %d", maxEvents))
	want(c.Checkpoints > 0 && c.Checkpoints <= maxEvents, "checkpoints", c.Checkpoints, fmt.Sprintf("1 to %d", maxEvents))
	want(c.Memory >= 0 && c.Memory <= maxMemory, "memory", c.Memory, fmt.Sprintf("0 to %d", maxMemory))
	errs = append(errs, under("train.", c.Adam.Validate()))
	o := c.Opponents
	want(o.Fraction >= 0 && o.Fraction <= 1, "opponents.fraction", o.Fraction, "0 to 1")
	for _, name := range slices.Sorted(maps.Keys(o.Bots)) {
		want(o.Bots[name] >= 0 && o.Bots[name] <= 1, "opponents.bots."+name, o.Bots[name], "0 to 1")
	}
	want(!(o.Networks() < 0), "opponents.bots (the sum)", 1-o.Networks(), "at most 1")
	want(o.Power >= 0 && o.Power <= maxPower, "opponents.power", o.Power, fmt.Sprintf("0 to %d", maxPower))
	want(o.Population >= 0 && o.Population <= maxPopulation, "opponents.population", o.Population, fmt.Sprintf("0 to %d", maxPopulation))
	if o.Trained() > 0 {
		want(c.Algorithm == AlgorithmPPO, "opponents.population", o.Population, "0 for all algorithms but ppo")
		most := 1 / float64(o.Population)
		want(o.PopulationSteps > 0 && o.PopulationSteps < most, "opponents.population_steps", o.PopulationSteps, fmt.Sprintf("above 0 and below %.3g, so that a population of %d leaves some of the run", most, o.Population))
		rollout := float64(c.Rows) * float64(c.PPO.Horizon)
		for _, part := range []float64{o.PopulationSteps, 1 - float64(float64(o.Population)*o.PopulationSteps)} {
			if steps := part * float64(c.Steps); part > 0 && steps < rollout {
				want(false, "steps", c.Steps, fmt.Sprintf("at least %.0f, so that each network of the population is trained by a rollout of %.0f decisions; or train.opponents.population 0", math.Ceil(rollout/part), rollout))
			}
		}
	}
	if o.Fraction > 0 {
		least := 1 / float64(2*max(1, c.Rows))
		want(o.Fraction >= least, "opponents.fraction", o.Fraction, fmt.Sprintf("at least %.3g, which is one row; or raise train.rows", least))
		want(o.Size >= 0 && o.Size <= expert.MaxCopies, "opponents.size", o.Size, fmt.Sprintf("0 to %d", expert.MaxCopies))
		want(o.Interval >= 1e-4 && o.Interval <= 1, "opponents.interval", o.Interval, "0.0001 to 1")
	}
	want(c.Openings.Fraction >= 0 && c.Openings.Fraction <= 1, "openings.fraction", c.Openings.Fraction, "0 to 1")
	if c.Openings.Fraction > 0 {
		want(c.Openings.Decisions > 0 && c.Openings.Decisions <= maxOpening, "openings.decisions", c.Openings.Decisions, fmt.Sprintf("1 to %d", maxOpening))
	}
	switch {
	case c.Algorithm == AlgorithmPPO:
		p := c.PPO
		want(p.Horizon > 0 && p.Horizon <= 1<<16, "ppo.horizon", p.Horizon, "1 to 65536")
		want(p.Epochs > 0 && p.Epochs <= maxEpochs, "ppo.epochs", p.Epochs, fmt.Sprintf("1 to %d", maxEpochs))
		want(p.Minibatch > 0 && p.Minibatch <= maxMinibatch, "ppo.minibatch", p.Minibatch, fmt.Sprintf("1 to %d", maxMinibatch))
		want(p.Gamma > 0 && p.Gamma <= 1, "ppo.gamma", p.Gamma, "above 0, at most 1")
		want(p.Lambda >= 0 && p.Lambda <= 1, "ppo.lambda", p.Lambda, "0 to 1")
		want(p.Outcomes >= 0 && p.Outcomes <= maxOutcomes, "ppo.outcomes", p.Outcomes, fmt.Sprintf("0 to %d", maxOutcomes))
		want(p.ClipRange > 0 && p.ClipRange < 1, "ppo.clip_range", p.ClipRange, "between 0 and 1")
		for i, x := range p.EntropyCoef {
			want(elementary.Finite(x) && x >= 0, fmt.Sprintf("ppo.entropy_coef[%d]", i), x, "at least 0, and finite")
		}
	case known:
		want(c.Openings.Fraction == 0, "openings.fraction", c.Openings.Fraction, "0 for expert iteration, which has train.expert.search.starts")
		e := c.Expert
		errs = append(errs, under("train.expert.search.", e.Search.Validate()))
		want(e.Search.Depth == expert.Depth(c.Algorithm), "expert.search.depth", e.Search.Depth, fmt.Sprintf("%q, the value of train.algorithm", c.Algorithm))
		for i, x := range e.Temperature {
			want(elementary.Finite(x) && x > 0, fmt.Sprintf("expert.temperature[%d]", i), x, "above 0, and finite")
		}
		for i, x := range e.Lambda {
			want(x >= 0 && x <= 1, fmt.Sprintf("expert.lambda[%d]", i), x, "0 to 1")
		}
		want(c.Algorithm != Search || c.Head == models.Logits, "head", c.Head, `"logits", which train.algorithm search needs`)
		want(e.ValueWarmup >= 0 && e.ValueWarmup < 1, "expert.value_warmup", e.ValueWarmup, "0 to less than 1")
		want(e.PolicyLag == 0 || e.PolicyLag == 1, "expert.policy_lag", e.PolicyLag, "0 or 1")
	}
	return errors.Join(errs...)
}

// under puts the name of an object before the names of its fields with which joined errors
// begin.
func under(object string, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var errs []error
	for _, e := range joined.Unwrap() {
		errs = append(errs, fmt.Errorf("%s%w", object, e))
	}
	return errors.Join(errs...)
}

// ErrConfig is wrapped by the errors of settings with which a game cannot be
// trained. Their text does not repeat it.
var ErrConfig = errors.New("the settings are refused")

// tagged is an error that wraps another one too, without its text.
type tagged struct {
	error
	tag error
}

func (e tagged) Unwrap() []error { return []error{e.tag, e.error} }

// Check returns an error that wraps [ErrConfig] if a game cannot be trained with
// the config: for the faults that [Config.Validate] reports, an invalid network, an
// algorithm that the game does not support, or a run that takes more than Memory or whose
// checkpoints are too large.
func (c Config) Check(g env.Game) error {
	err := c.check(g)
	if err == nil {
		err = c.checkMemory(g)
	}
	if err == nil {
		err = c.checkCheckpoint(g)
	}
	if err != nil {
		return tagged{err, ErrConfig}
	}
	return nil
}

// check is Check without the memory and the checkpoint.
func (c Config) check(g env.Game) error {
	if err := c.Validate(); err != nil {
		return err
	}
	spec := g.Spec()
	var errs []error
	if err := c.shape(spec).Validate(); err != nil {
		errs = append(errs, fmt.Errorf("train.hidden: %w", err))
	}
	if o := c.Opponents; o.Averaged() {
		if err := c.shape(spec).Widen(1 + o.Population).Validate(); err != nil {
			errs = append(errs, fmt.Errorf("train.opponents.ensemble of %d networks: %w; lower train.opponents.population or train.hidden", 1+o.Population, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Opponents.Bots)) {
		if !slices.Contains(g.BotNames(), name) {
			errs = append(errs, fmt.Errorf("train.opponents.bots: %w", input.Unknown("bot", name, g.BotNames())))
		}
	}
	if c.Algorithm == AlgorithmPPO {
		// Options of decisions are numbered in int32.
		n, most := int64(c.Rows)*int64(c.PPO.Horizon), int64(math.MaxInt32/(1+spec.Actions))
		if n > most {
			errs = append(errs, fmt.Errorf("train.rows times train.ppo.horizon is %d decisions of a rollout; want at most %d in this game", n, most))
		}
	} else if _, err := expert.New(g, c.Expert.Search, 1, 0); errors.Is(err, expert.ErrNoStartSampler) {
		errs = append(errs, fmt.Errorf("train.expert.search.%w", err))
	} else if err != nil {
		errs = append(errs, fmt.Errorf("train.algorithm is %s; want one of %v: %w", c.Algorithm, supported(g), err))
	}
	return errors.Join(errs...)
}

// checkCheckpoint reports a run whose checkpoints could not be saved.
func (c Config) checkCheckpoint(g env.Game) error {
	if size := 4 * c.copies() * float64(c.shape(g.Spec()).Size()); size > models.MaxFile {
		return fmt.Errorf("a checkpoint would have %.3g GiB; want at most %d: lower train.hidden or the number of train.opponents", size/(1<<30), models.MaxFile>>30)
	}
	if c.Algorithm != AlgorithmPPO && c.parts() > maxParts {
		return fmt.Errorf("train.rows is %d, which is more than checkpoints can hold of %s; want at most %d", c.Rows, c.Algorithm, maxParts*c.Expert.Search.PartRows())
	}
	return nil
}

// copies returns the number of networks in a checkpoint, with the two moments of the network.
func (c Config) copies() float64 {
	n := 3
	if o := c.Opponents; o.Fraction > 0 && o.Networks() > 0 {
		n += o.Population + o.Size
	}
	return float64(n)
}

// maxParts bounds parts. Chosen: the header of a checkpoint has some 75 bytes for each.
const maxParts = 50_000

// parts returns the number of parts of the rows whose self-play is a job.
func (c Config) parts() int {
	n := c.Expert.Search.PartRows()
	return (c.Rows + n - 1) / n
}

// search returns the settings of the experts.
func (c Config) search() expert.Config {
	s := c.Expert.Search
	s.Opponents = c.Opponents
	return s
}

// supported lists the algorithms that can train a game.
func supported(g env.Game) []Algorithm {
	return slices.DeleteFunc(Algorithms(), func(a Algorithm) bool { return !supports(g, a) })
}

// supports reports whether an algorithm can train a game.
func supports(g env.Game, a Algorithm) bool {
	if a == AlgorithmPPO {
		return true
	}
	search := DefaultConfig(a).Expert.Search
	search.Starts = expert.Starts{}
	_, err := expert.New(g, search, 1, 0)
	return err == nil
}

// shape is the shape of the network.
func (c Config) shape(spec game.Spec) models.Shape {
	s := models.Shape{Obs: spec.ObsLen(), Hidden: c.Hidden, Head: c.Head, Actions: spec.Actions, Players: spec.Players}
	if c.Algorithm != AlgorithmPPO && spec.HasWin() {
		s.Values = models.ValueShares
	}
	return s
}

// learningRate returns the learning rate at a fraction x of the run.
func (c Config) learningRate(x float64) float64 {
	if x < c.Warmup {
		return c.LearningRate[0] * x / c.Warmup
	}
	return c.LearningRate.At((x - c.Warmup) / (1 - c.Warmup))
}
