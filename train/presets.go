package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/models"
	"marsgym/train/expert"
	"marsgym/train/method"
)

// DefaultConfig returns the settings of an algorithm that train Martian Dice for
// two players in minutes of two cores. Chosen by measurement there. [DefaultFor]
// adapts them to a game.
func DefaultConfig(a Algorithm) Config {
	c := Config{
		Algorithm: a, Seed: 1, Head: models.Score, Hidden: []int{128, 128},
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
		// Values that learn only from searches drift upwards, since the maximum of
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

// Thresholds between games that are trained by different settings. Chosen: the present games
// lie well to either side.
const (
	fewActions   = 20   // of a game: with no more it is trained by the settings of Martian Dice
	fewOptions   = 8    // legal ones, on average: with no more the head scores afterstates, as strong as logits after as many decisions
	shortGame    = 30   // decisions: in no longer ones one-move is better than PPO, since credit need not reach far
	longGame     = 100  // decisions: of longer ones few end in a rollout of usual size
	veryLongGame = 1000 // decisions: in longer ones values that learn from the next few alone are wrong for most of a run
)

// Costs of runs. All chosen.
const (
	// longRun is the largest number of decisions of a run by default.
	longRun = 100_000_000
	// runNumbers and runScores are the numbers, other than 0, of the observations in a run of PPO,
	// the latter with the head that scores afterstates, in a very long game. They take numbersMinutes
	// in Mars is Ours!, and scoresMinutes on the published map of Martian Risk, on one core.
	runNumbers, numbersMinutes = 5_400_000_000, 9
	runScores, scoresMinutes   = 10_000_000_000, 22
	// runLeaves is the decisions of a run of turn-exact, times the states that the network
	// evaluates in a turn: five CPU-minutes in Martian Dice.
	runLeaves = 1_700_000_000
	// shortRun is the decisions of a run of turn-exact or one-move for two, and of turn-exact where a
	// turn is one decision, at most: a CPU-minute in Martian Dice for two, after which the network is
	// exploitable by at most 0.0006, and looking ahead by 0.00005, and two and a half in the quick game
	// of Mars is Ours!.
	shortRun = 5_000_000
	// multiplayerSteps is the decisions of a run of turn-exact with more than two players,
	// at most. With four, longer runs made the network worse.
	multiplayerSteps = 40_000_000
	// maxRolloutObs is the numbers, zeros included, of the observations of options in a rollout
	// of a very long game, at most.
	maxRolloutObs = 1 << 28
)

// DefaultFor returns the settings with which a game is trained by default. The
// algorithm is [TurnExact] if the game has turn plans, [OneMove] if its games are short,
// else [AlgorithmPPO].
//
// To find out how long games are it plays some at random, or searches some turns, which
// takes up to seconds.
func DefaultFor(g env.Game) (Config, error) {
	a := TurnExact
	if !supports(g, a) {
		play, err := measure(g)
		if err != nil {
			return Config{}, err
		}
		if a = AlgorithmPPO; play.length <= shortGame {
			a = OneMove
		}
	}
	return DefaultForAlgorithm(g, a)
}

// DefaultForAlgorithm is [DefaultFor] with a given algorithm, which the game need
// not support.
func DefaultForAlgorithm(g env.Game, a Algorithm) (Config, error) {
	c, spec := DefaultConfig(a), g.Spec()
	if x, err := expert.New(g, c.Expert.Search, 1, 0); a == OneMove && err == nil && x.Target() == search.Afterstate {
		valueAfterstates(&c)
	} else if a == OneMove && spec.Players == 2 {
		c.Steps = shortRun
	}
	if a != AlgorithmPPO {
		if _, err := expert.New(g, c.Expert.Search, 1, 0); errors.Is(err, expert.ErrNoStartSampler) {
			c.Expert.Search.Starts = expert.Starts{Walk: 0.4, Archive: 0.3}
		}
	}
	switch {
	case a == TurnExact:
		if supports(g, a) {
			leaves, decisions, err := turnSizes(g, c)
			if err != nil {
				return Config{}, err
			}
			c.Steps = affordable(runLeaves, max(1, leaves))
			if decisions == 1 {
				// A second time would give the same targets. So a search yields one decision, and
				// as many of them take longer than elsewhere: 198 CPU-seconds in tic-tac-toe.
				c.Expert.Search.Turns, c.Steps = 1, min(c.Steps, shortRun)
			}
		}
		if spec.Players == 2 {
			c.Steps = min(c.Steps, shortRun)
		} else if spec.Players > 2 {
			// A last temperature of 0.002 makes the network for four players worse.
			c.Steps, c.Expert.Temperature[1] = min(c.Steps, multiplayerSteps), 0.004
		}
		if spec.Chance == game.Deterministic && spec.HasWin() {
			// Options are worth shares of the win, such as 0, 1/2 and 1. With a lower temperature
			// the policy learns errors of the values of equal options. Chosen in Connect Four on 4 × 4.
			c.Expert.Temperature = Schedule{0.05, 0.05}
		}
	case (a == AlgorithmPPO || a == OneMove) && spec.Actions > fewActions:
		play, err := measure(g)
		if err != nil {
			return Config{}, err
		}
		c.suit(g, play)
	}
	return c, nil
}

// Shorten changes settings that do not fit a run of few decisions, except the given ones, and
// says what it has changed, such as "train.rows from 512 to 16". A run of usual length keeps its
// settings.
func (c *Config) Shorten(given func(field string) bool) (changes []string) {
	change := func(field string, from, to any) bool {
		if given("train." + field) {
			return false
		}
		changes = append(changes, fmt.Sprintf("train.%s from %v to %v", field, from, to))
		return true
	}
	lower := func(field string, p *int, to int) {
		if to < *p && change(field, *p, to) {
			*p = to
		}
	}
	lowerFraction := func(field string, p *float64) {
		if *p > 0 && *p*float64(c.Steps) < float64(c.iteration()) && change(field, *p, 0) {
			*p = 0
		}
	}
	o := &c.Opponents
	if part := min(o.PopulationSteps, 1-float64(float64(o.Population)*o.PopulationSteps)); o.Trained() > 0 &&
		part*float64(c.Steps) < float64(c.iteration()) && change("opponents.population", o.Population, 0) {
		o.Population = 0
	}
	if ofRow := c.ofRow(); c.Rows > 0 && ofRow > 0 && c.Steps > 0 { // the rest is refused later
		iterations, rows := uint64(leastExpertIterations), leastExpertRows
		if c.Algorithm == AlgorithmPPO {
			iterations, rows = leastIterations, leastRollout
		}
		lower("rows", &c.Rows, max(rows, int((c.Steps-1)/iterations/uint64(ofRow))+1))
	}
	if c.Algorithm == AlgorithmPPO && c.iteration() > 0 && c.Steps > 0 {
		n := (c.Steps-1)/c.iteration() + 1
		if 10*(n*c.iteration()-c.Steps) > c.Steps { // by a tenth, chosen, since rollouts are whole
			lower("ppo.horizon", &c.PPO.Horizon, max(leastRollout, int((c.Steps-1)/(n*uint64(c.Rows)))+1))
		}
	}
	lowerFraction("warmup", &c.Warmup)
	lowerFraction("expert.value_warmup", &c.Expert.ValueWarmup)
	return changes
}

// iteration returns the decisions of an iteration, in expert iteration roughly.
func (c *Config) iteration() uint64 { return uint64(c.Rows) * uint64(c.ofRow()) }

// ofRow returns the decisions of a row in an iteration, in expert iteration roughly.
func (c *Config) ofRow() int {
	switch c.Algorithm {
	case AlgorithmPPO:
		return c.PPO.Horizon
	case TurnExact:
		const turn = 8 // decisions; chosen, in Martian Dice
		return turn * c.Expert.Search.Turns
	}
	return c.Expert.Search.Decisions
}

// leastIterations is the number of iterations of the shortest run of ppo that keeps its rows, and
// leastExpertIterations of one of expert iteration, which has leastExpertRows at least. Chosen in
// Pig and Martian Dice: after 20,000 to 500,000 decisions, networks are less exploitable than after
// fewer and larger iterations.
const (
	leastIterations       = 250
	leastExpertIterations = 500
	leastExpertRows       = 2
)

// leastRollout is the number of rows, and the horizon, of the shortest run of ppo at least. Chosen: a
// rollout then takes milliseconds, and has some ends of games.
const leastRollout = 8

// affordable returns the number of decisions of a run that may take so much in all, if a
// decision takes each: whole millions, and at most longRun.
func affordable(all, each float64) uint64 {
	return min(longRun, max(1, uint64(all/each/1e6))*1e6)
}

// suit adapts the settings of PPO, and the head of one-move, to a game with many actions that is
// played like this. Of two rules for a setting the later one counts.
func (c *Config) suit(g env.Game, play playSizes) {
	if play.options > fewOptions {
		c.Head = models.Logits
	}
	if c.Algorithm != AlgorithmPPO {
		return
	}
	spec := g.Spec()
	if play.options > fewOptions {
		c.Hidden, c.Steps = []int{256, 128}, affordable(runNumbers, play.numbers)
		switch spec.Players {
		case 2:
			// As strong as with 0.25 after a third of the decisions; with three players the policy
			// becomes nearly deterministic too early.
			c.PPO.EntropyCoef[0] = 0.08
		case 3:
			// The seed decides less than with smaller rollouts. Not measured with more players,
			// whose rollouts take more memory.
			c.largeRollouts()
		}
	}
	if play.length <= longGame {
		return
	}
	c.Hidden = []int{128, 128}
	if play.length <= veryLongGame {
		// Few games end in a rollout, so it has to be large. With several passes over it, fewer
		// decisions take the same time, and networks are weaker.
		c.Head, c.Steps = models.Logits, affordable(runNumbers, play.numbers)
		c.largeRollouts()
		c.PPO.Lambda, c.PPO.EntropyCoef = 0.95, Schedule{0.1, 0.02}
	} else {
		// Scores of afterstates take longer a decision, and need fewer of them.
		c.Head, c.Steps = models.Score, affordable(runScores, play.numbers)
		c.LearningRate[0], c.Rows = 5e-3, 128
		c.PPO.Horizon, c.PPO.Minibatch, c.PPO.Outcomes = 512, 4096, 64
		c.PPO.Lambda, c.PPO.EntropyCoef = 0.995, Schedule{0.02, 0.0005}
		row := play.options * float64(c.PPO.Horizon*spec.ObsLen())
		for c.Rows > 8 && row*float64(c.Rows) > maxRolloutObs {
			c.Rows /= 2
		}
	}
	if spec.Players > 2 {
		// A network that has met nobody else expects others to play as it does itself.
		o := &c.Opponents
		o.Fraction, o.Size, o.Population, o.PopulationSteps = 0.6, 0, 6, 0.1
		greedy := 0.3
		if play.length > veryLongGame {
			// Long runs play differently from short ones, and beat greedy without having met it.
			// The mean of the three networks wins more against yardsticks than the last alone.
			o.Population, o.PopulationSteps, o.Ensemble = 2, 0.25, true
			greedy = 0.1
		}
		if _, err := g.Bot("greedy"); err == nil {
			o.Bots = Bots{"greedy": greedy}
		}
	}
}

// CPUMinutes returns how many minutes of one core a run of PPO in a game with many actions takes, to
// within a factor of two, if its network is of the default shape and trains on the CPU without another
// backend; and 0 for other algorithms, games and shapes.
func (c *Config) CPUMinutes(g env.Game) (float64, error) {
	if c.Algorithm != AlgorithmPPO || g.Spec().Actions <= fewActions {
		return 0, nil
	}
	play, err := measure(g)
	if err != nil {
		return 0, err
	}
	usual := DefaultConfig(c.Algorithm)
	usual.suit(g, play)
	if c.Head != usual.Head || !slices.Equal(c.Hidden, usual.Hidden) {
		return 0, nil
	}
	numbers := float64(c.Steps) * play.numbers
	if c.Head == models.Score {
		return numbers * scoresMinutes / runScores, nil
	}
	return numbers * numbersMinutes / runNumbers, nil
}

// largeRollouts sets rollouts of four times the usual size, and what suits them.
func (c *Config) largeRollouts() {
	c.LearningRate[0], c.Rows = 3e-3, 1024
	c.PPO.Horizon, c.PPO.Minibatch = 128, 4096
}

// turnSizes returns the mean numbers of states that the network evaluates in the search of a turn, and
// of decisions in a turn, as an untrained one plays.
func turnSizes(g env.Game, c Config) (leaves, decisions float64, err error) {
	const rows, searches, maxLeaves = 2, 32, 1 << 18 // chosen for a tenth of a second
	c.Expert.Search.Turns, c.Expert.Search.Starts, c.Hidden = 2, expert.Starts{}, []int{8}
	x, err := expert.New(g, c.Expert.Search, rows, 0)
	if err != nil {
		return 0, 0, err
	}
	x.Reset(1)
	spec := g.Spec()
	mlp, err := models.NewMLP(c.shape(spec), rand.NewPCG(1, method.WeightStream))
	if err != nil {
		return 0, 0, err
	}
	n := 0
	net := func(scores, values []float32, obs *models.Observations) {
		leaves += float64(obs.Len())
		mlp.ForwardObservations(scores, values, obs, 0, obs.Len())
		models.SharesToReturns(values, spec.Players, spec.Return)
	}
	for found := make([]expert.Targets, x.Pieces()); n < rows*searches && leaves < maxLeaves; n += rows {
		if err := x.Search(context.Background(), found, expert.Options{PolicyReplies: true}, net); err != nil {
			return 0, 0, err
		}
		for _, targets := range found {
			decisions += float64(targets.Decisions) / float64(c.Expert.Search.Turns)
		}
	}
	return leaves / float64(n), decisions / float64(n), nil
}
