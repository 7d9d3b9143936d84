package train

import (
	"errors"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/models"
	"marsgym/train/expert"
)

// DefaultConfig returns the settings of an algorithm that train Martian Dice for
// two players in minutes of two cores. Chosen by measurement there. [DefaultFor]
// adapts them to a game.
func DefaultConfig(a Algorithm) Config {
	c := Config{
		Algorithm: a, Seed: 1, Head: models.Score, Hidden: []int{128, 128}, Shards: 4,
		ValueCoef: 5, Adam: models.DefaultAdam(), Evaluations: 10, Checkpoints: 20,
		Opponents: Opponents{Bots: map[string]float64{}, PopulationSteps: 0.1, Size: 20, Interval: 0.05, Power: 2},
		Openings:  Openings{Decisions: 8},
	}
	c.Adam.MaxGradNorm = 1
	if a == AlgorithmPPO {
		c.Steps, c.Rows = 12_000_000, 512
		c.LearningRate = Schedule{5e-3, 1e-5}
		// The entropy bonus starts high, since a policy that becomes nearly
		// deterministic too early stops improving.
		c.PPO = PPO{Horizon: 64, Epochs: 1, Minibatch: 2048, Gamma: 1, Lambda: 0.85, ClipRange: 0.2, EntropyCoef: Schedule{0.25, 0.001}}
		return c
	}
	c.LearningRate, c.Warmup = Schedule{1e-2, 1e-5}, 0.01
	c.Adam.Beta2, c.Adam.MaxGradNorm = 0.99, 0
	c.Expert = Expert{
		Search:      expert.Config{Depth: expert.Depth(a), Starts: expert.Starts{Sample: 0.7}, Turns: 2, Decisions: 16, ExplorationFraction: 1. / 3, ExplorationRate: 0.15},
		Temperature: Schedule{0.02, 0.002},
		ValueWarmup: 0.05,
	}
	switch a {
	case OneMove:
		c.Steps, c.Rows, c.Hidden = 12_000_000, 16, []int{256, 128}
		// Its networks play best by a look-ahead on their values, so these have nearly all
		// of the weight: with less the noisy targets of the policy decide the hidden layers.
		c.LearningRate[0], c.ValueCoef = 3e-3, 5000
		c.Expert.Search.Starts = expert.Starts{Walk: 0.4, Archive: 0.45}
		c.Expert.Search.Outcomes = 64
		// Values that learn from searches alone drift upwards, since the maximum of
		// noisy estimates is too high on average.
		c.Expert.Lambda = Schedule{0.9, 0.6}
	case Search:
		return searchConfig(c)
	default:
		c.Steps, c.Rows, c.Hidden = longRun, 32, []int{256, 128, 64}
		c.LearningRate[0], c.Expert.Search.Turns = 4e-3, 4
	}
	return c
}

// valueAfterstates changes the settings of [OneMove] to those for a game in which the
// network values afterstates. Chosen in Martian Dice for two.
func valueAfterstates(c *Config) {
	c.Steps, c.Hidden, c.LearningRate[0] = 9_000_000, []int{256, 128, 64}, 5e-3
	// A search cannot tell apart two states whose values differ by less than their errors,
	// so the values have a larger weight than the policy.
	c.ValueCoef = 150
	c.Expert.Search.Starts = expert.Starts{Sample: 0.7}
}

// searchConfig returns the settings of [Search], from those of expert iteration. Chosen
// in the full game of Mars is Ours! for two, by short runs.
func searchConfig(c Config) Config {
	c.Steps, c.Rows, c.Head = 10_000_000, 16, models.Logits
	c.LearningRate, c.ValueCoef = Schedule{5e-3, 1e-5}, 20
	c.Adam.MaxGradNorm = 1
	c.Expert.Search = expert.Config{
		Depth: expert.Search, Turns: 2, Decisions: 64,
		Tree: expert.Tree{Simulations: 48, FastSimulations: 8, FullFraction: 0.25, Candidates: 16},
	}
	c.Expert.Temperature, c.Expert.Lambda, c.Expert.ValueWarmup = Schedule{0.05, 0.02}, Schedule{0.98, 0.9}, 0
	return c
}

// Properties of a game that decide the defaults of PPO. Chosen: the present games
// lie well to either side.
const (
	// fewActions is the largest number of actions of a game that is trained with
	// the settings of Martian Dice.
	fewActions = 20
	// fewOptions is the largest mean number of legal actions for which the head
	// that scores afterstates is used. With the ten to twenty of Mars is Ours! it is
	// as strong after as many decisions, which take six times as long.
	fewOptions = 8
	// shortGame is the number of decisions of a random game up to which one-move
	// iteration is better than PPO: values of positions off the usual path matter, and
	// credit need not reach far.
	shortGame = 30
	// longGame is the number of decisions of a game from which few games end in a rollout
	// of usual size.
	longGame = 100
	// veryLongGame is the number of decisions of a game from which credit has to reach far:
	// values that learn from the next few decisions alone are wrong for most of a run.
	veryLongGame = 1000
	// longRun is the largest number of decisions of a run by default.
	longRun = 100_000_000
	// runNumbers is the number of numbers, other than 0, of the observations in a run of
	// PPO with the head of logits. Chosen: such a run takes nine CPU-minutes in Mars is
	// Ours!, and with the smaller networks of long games, and their opponents, six.
	runNumbers = 5_400_000_000
	// runScores is runNumbers with the head that scores afterstates, in a very long game. Chosen:
	// such a run takes twenty CPU-minutes on the published map of Martian Risk.
	runScores = 10_000_000_000
	// runLeaves bounds the decisions of a run of turn-exact iteration, times the states that
	// the network evaluates in a turn. Chosen: such a run takes five CPU-minutes in Martian
	// Dice.
	runLeaves = 1_700_000_000
	// multiplayerSteps is the largest number of decisions of a run of turn-exact iteration with
	// more than two players. With four, longer runs made the network worse.
	multiplayerSteps = 40_000_000
	// maxRolloutObs bounds the numbers, zeros included, of the observations of options in a
	// rollout of a very long game. Chosen.
	maxRolloutObs = 1 << 28
)

// DefaultFor returns the settings with which a game is trained by default. The
// algorithm is [TurnExact] if the game has turn plans, [OneMove] if its games are short,
// else [AlgorithmPPO].
//
// To find out how long games are it plays some at random, or searches some turns, which
// takes up to seconds.
func DefaultFor(g env.Game) (Config, error) {
	if supports(g, TurnExact) {
		return DefaultForAlgorithm(g, TurnExact)
	}
	play, err := measurePlay(g)
	if err != nil {
		return Config{}, err
	}
	a := AlgorithmPPO
	if play.length <= shortGame {
		a = OneMove
	}
	return defaultFor(g, a, play), nil
}

// DefaultForAlgorithm is [DefaultFor] with a given algorithm, which the game need
// not support.
func DefaultForAlgorithm(g env.Game, a Algorithm) (Config, error) {
	var play playSizes
	var err error
	switch {
	case playMatters(g, a):
		play, err = measurePlay(g)
	case a == TurnExact && supports(g, a):
		play, err = measure(g, DefaultConfig(a))
	}
	if err != nil {
		return Config{}, err
	}
	return defaultFor(g, a, play), nil
}

// affordable returns the number of decisions of a run that may take so much in all, if a
// decision takes each: whole millions, and at most longRun.
func affordable(all, each float64) uint64 {
	return min(longRun, max(1, uint64(all/each/1e6))*1e6)
}

// playMatters reports whether the settings of an algorithm depend on how a game is
// played.
func playMatters(g env.Game, a Algorithm) bool {
	return (a == AlgorithmPPO || a == OneMove) && g.Spec().Actions > fewActions
}

// defaultFor adapts the settings of an algorithm to a game that is played like this.
func defaultFor(g env.Game, a Algorithm, play playSizes) Config {
	c := DefaultConfig(a)
	if x, err := expert.New(g, c.Expert.Search, 1, 0); a == OneMove && err == nil && x.Target() == search.Afterstate {
		valueAfterstates(&c)
	}
	if a != AlgorithmPPO {
		_, err := expert.New(g, c.Expert.Search, 1, 0)
		if errors.Is(err, expert.ErrNoStartSampler) {
			c.Expert.Search.Starts = expert.Starts{Walk: 0.4, Archive: 0.3}
		}
	}
	if a == TurnExact {
		c.Steps = affordable(runLeaves, max(1, play.leaves))
		if g.Spec().Players > 2 {
			// A last temperature of 0.002 makes the network for four players worse.
			c.Steps, c.Expert.Temperature[1] = min(c.Steps, multiplayerSteps), 0.004
		}
	}
	if !playMatters(g, a) {
		return c
	}
	if play.options > fewOptions {
		c.Head = models.Logits
		if a == AlgorithmPPO {
			c.Hidden, c.Steps = []int{256, 128}, affordable(runNumbers, play.numbers)
			switch g.Spec().Players {
			case 2:
				// As strong as with 0.25 after a third of the decisions; with three
				// players the policy becomes nearly deterministic too early.
				c.PPO.EntropyCoef[0] = 0.08
			case 3:
				// The seed decides less than with smaller rollouts. Not measured with more
				// players, whose rollouts take more memory.
				largeRollouts(&c)
			}
		}
	}
	switch {
	case a != AlgorithmPPO || play.length <= longGame:
	case play.length <= veryLongGame:
		// Few games end in a rollout, so it has to be large. With several passes over it, fewer
		// decisions take the same time, and networks are weaker.
		c.Head, c.Hidden, c.Steps = models.Logits, []int{128, 128}, affordable(runNumbers, play.numbers)
		largeRollouts(&c)
		c.PPO.Lambda, c.PPO.EntropyCoef = 0.95, Schedule{0.1, 0.02}
	default:
		// Scores of afterstates take longer a decision, and need fewer of them.
		c.Head, c.Hidden, c.Steps = models.Score, []int{128, 128}, affordable(runScores, play.numbers)
		c.LearningRate[0], c.Rows = 5e-3, 128
		c.PPO.Horizon, c.PPO.Minibatch = 512, 4096
		c.PPO.Lambda, c.PPO.EntropyCoef = 0.995, Schedule{0.02, 0.0005}
		c.PPO.Outcomes = 64
		row := play.options * float64(c.PPO.Horizon*g.Spec().ObsLen())
		for c.Rows > 2*c.Shards && row*float64(c.Rows) > maxRolloutObs {
			c.Rows /= 2
		}
	}
	if a == AlgorithmPPO && play.length > longGame && g.Spec().Players > 2 {
		// A network that has met nobody else expects others to play as it does itself.
		o := &c.Opponents
		o.Fraction, o.Size = 0.6, 0
		o.Population, o.PopulationSteps = 6, 0.1
		greedy := 0.3
		if play.length > veryLongGame {
			// Long runs play otherwise than short ones, and beat greedy without having met it.
			// The mean of the three networks wins more against yardsticks than the last alone.
			o.Population, o.PopulationSteps, o.Ensemble = 2, 0.25, true
			greedy = 0.1
		}
		if _, err := g.Bot("greedy"); err == nil {
			o.Bots = map[string]float64{"greedy": greedy}
		}
	}
	return c
}

// largeRollouts sets rollouts of four times the usual size, and what suits them.
func largeRollouts(c *Config) {
	c.LearningRate[0], c.Rows = 3e-3, 1024
	c.PPO.Horizon, c.PPO.Minibatch = 128, 4096
}
