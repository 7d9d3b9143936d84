package train_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/internal/test/fulltest"
	"marsgym/models"
	"marsgym/train"
	"marsgym/train/expert"
)

// TestBounds validates configs with one changed setting.
func TestBounds(t *testing.T) {
	inf, ppo, search := math.Inf(1), train.AlgorithmPPO, train.OneMove
	for _, test := range []struct {
		name      string
		algorithm train.Algorithm
		change    func(*train.Config)
		want      string // "" for a valid config
	}{
		{"value", ppo, func(c *train.Config) { c.ValueCoef = inf }, "value_coef is +Inf"},
		{"value", ppo, func(c *train.Config) { c.ValueCoef = math.NaN() }, "value_coef is NaN"},
		{"large value", ppo, func(c *train.Config) { c.ValueCoef = math.MaxFloat64 }, ""},
		{"entropy", ppo, func(c *train.Config) { c.PPO.EntropyCoef[1] = inf }, "train.ppo.entropy_coef[1] is +Inf"},
		{"temperature", search, func(c *train.Config) { c.Expert.Temperature[0] = inf }, "train.expert.temperature[0] is +Inf"},
		{"policy lag", search, func(c *train.Config) { c.Expert.PolicyLag = 1 }, ""},
		{"long policy lag", search, func(c *train.Config) { c.Expert.PolicyLag = 2 }, "train.expert.policy_lag is 2; want 0 or 1"},
		{"power", ppo, func(c *train.Config) { c.Opponents.Power = 100 }, "opponents.power is 100; want 0 to 50"},
		{"high power", ppo, func(c *train.Config) { c.Opponents.Power = 50 }, ""},
		{"bots", ppo, func(c *train.Config) { c.Opponents.Bots = map[string]float64{"greedy": 0.7, "random": 0.3} }, ""},
		{"many bots", ppo, func(c *train.Config) { c.Opponents.Bots = map[string]float64{"greedy": 0.75, "random": 0.5} }, "train.opponents.bots (the sum) is 1.25; want at most 1"},
		{"less than none", ppo, func(c *train.Config) { c.Opponents.Bots = map[string]float64{"greedy": -0.5} }, "opponents.bots.greedy is -0.5; want 0 to 1"},
		{"no copies", ppo, func(c *train.Config) { c.Opponents.Fraction, c.Opponents.Size = 0.5, 0 }, ""},
		{"copies", ppo, func(c *train.Config) { c.Opponents.Fraction, c.Opponents.Size = 0.5, 1001 }, "opponents.size is 1001; want 0 to 1000"},
		{"no row", search, func(c *train.Config) { c.Opponents.Fraction = 0.02 }, "opponents.fraction is 0.02; want at least 0.0312, which is one row"},
		{"a row", search, func(c *train.Config) { c.Opponents.Fraction = 0.125 }, ""},
		{"population", ppo, func(c *train.Config) { c.Opponents.Fraction, c.Opponents.Population = 0.5, 6 }, ""},
		{"large population", ppo, func(c *train.Config) { c.Opponents.Population = 101 }, "opponents.population is 101; want 0 to 100"},
		{"population without rows", ppo, func(c *train.Config) { c.Opponents.Population, c.Opponents.PopulationSteps = 6, 0 }, ""},
		{"population beside a bot", ppo, func(c *train.Config) {
			c.Opponents = train.Opponents{Fraction: 0.5, Population: 6, Bots: train.Bots{"greedy": 1}, Interval: 1}
		}, ""},
		{"long population", ppo, func(c *train.Config) { c.Opponents.Fraction, c.Opponents.Population = 0.5, 10 }, "opponents.population_steps is 0.1; want above 0 and below 0.1, so that a population of 10 leaves some of the run"},
		{"short population", ppo, func(c *train.Config) { c.Opponents.Fraction, c.Opponents.Population, c.Steps = 0.5, 6, 320_000 }, "steps is 320000; want at least 327680, so that each network of the population is trained by a rollout of 32768 decisions; or train.opponents.population 0"},
		{"short rest", ppo, func(c *train.Config) {
			c.Opponents = train.Opponents{Fraction: 0.5, Population: 3, PopulationSteps: 0.3, Interval: 1}
			c.Steps = 200_000
		}, "steps is 200000; want at least 327680, so that each network of the population"},
		{"population of search", search, func(c *train.Config) { c.Opponents.Fraction, c.Opponents.Population = 0.5, 2 }, "opponents.population is 2; want 0 for all algorithms but ppo"},
		{"openings of search", search, func(c *train.Config) { c.Openings.Fraction = 0.5 }, "want 0 for expert iteration, which has train.expert.search.starts"},
		{"openings", ppo, func(c *train.Config) { c.Openings.Fraction = 1.5 }, "openings.fraction is 1.5; want 0 to 1"},
		{"empty openings", ppo, func(c *train.Config) { c.Openings = train.Openings{Fraction: 0.5} }, "openings.decisions is 0; want 1 to 1000"},
		{"memory", ppo, func(c *train.Config) { c.Memory = -1 }, "train.memory is -1; want 0 to 1073741824"},
		{"endless memory", ppo, func(c *train.Config) { c.Memory = 1e300 }, "train.memory is 1e+300; want 0 to 1073741824"},
		{"steps", ppo, func(c *train.Config) { c.Steps = math.MaxUint64 }, "train.steps is 18446744073709551615; want 1 to 1000000000000000"},
		{"most steps", ppo, func(c *train.Config) { c.Steps = train.MaxSteps }, ""},
		{"epochs", ppo, func(c *train.Config) { c.PPO.Epochs = 1_000_000_000 }, "train.ppo.epochs is 1000000000; want 1 to 1000"},
		{"checkpoints", ppo, func(c *train.Config) { c.Checkpoints = math.MaxInt }, "train.checkpoints is 9223372036854775807; want 1 to 10000"},
		{"evaluations", ppo, func(c *train.Config) { c.Evaluations = math.MaxInt }, "train.evaluations is 9223372036854775807; want 0 to 10000"},
		{"minibatch", ppo, func(c *train.Config) { c.PPO.Minibatch = math.MaxInt }, "minibatch is 9223372036854775807"},
		{"whole rollout", ppo, func(c *train.Config) { c.PPO.Minibatch = 1_000_000_000 }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := train.DefaultConfig(test.algorithm)
			test.change(&cfg)
			refused(t, cfg.Validate(), test.want)
		})
	}
}

// refused fails the test unless the text of err contains want, or err is nil if want
// is "".
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("got %v; want %q", err, want)
	}
}

// TestKeys: an error begins with the whole key of the setting, in each algorithm.
func TestKeys(t *testing.T) {
	key := regexp.MustCompile(`^train\.[a-z_0-9.]+(\[[01]\])? (is|\(the sum\) is) `)
	for _, algorithm := range train.Algorithms() {
		c := train.DefaultConfig(algorithm)
		c.Steps, c.Rows, c.LearningRate[0], c.Warmup, c.Adam.Beta1, c.Adam.Eps = 0, 0, -1, 1, 2, 2
		c.PPO.Horizon, c.PPO.Minibatch, c.PPO.Gamma, c.PPO.Lambda, c.PPO.EntropyCoef[1] = 0, -1, 0, 2, -1
		c.Expert.Temperature[0], c.Expert.Lambda[1], c.Expert.ValueWarmup = 0, 2, 1
		c.Expert.Search.Turns, c.Expert.Search.Starts.Walk, c.Expert.Search.Tree.Simulations = 0, 2, 0
		c.Opponents.Fraction, c.Opponents.Bots, c.Openings.Fraction = 2, train.Bots{"a": 2}, 2
		lines := strings.Split(c.Validate().Error(), "\n")
		if len(lines) < 12 {
			t.Errorf("%s: %d errors", algorithm, len(lines))
		}
		for _, line := range lines {
			if !key.MatchString(line) {
				t.Errorf("%s: %s", algorithm, line)
			}
		}
	}
	c := train.DefaultConfig(train.AlgorithmPPO)
	c.PPO.Minibatch = 0
	refused(t, c.Validate(), "train.ppo.minibatch is 0; want 1 to")
}

func TestCheck(t *testing.T) {
	fulltest.Gate(t)
	if testing.Short() {
		t.Skip("plays a million decisions")
	}
	for _, test := range []struct {
		name      string
		game      string
		players   int
		algorithm train.Algorithm
		change    func(*train.Config)
		want      string
	}{
		{"no turn plans", "mars-is-ours-fast", 0, train.TurnExact, nil, "train.algorithm is turn-exact; want one of [ppo one-move search]"},
		{"one move", "mars-is-ours-fast", 0, train.OneMove, nil, ""},
		{"wide ensemble", "martian-dice", 0, train.AlgorithmPPO, func(c *train.Config) {
			c.Hidden = []int{8000}
			c.Opponents.Fraction, c.Opponents.Population, c.Opponents.PopulationSteps, c.Opponents.Ensemble = 0.5, 9, 0.1, true
		}, "train.opponents.ensemble of 10 networks: shape of a network: hidden[0] is 80000: want 1 to 65536; lower train.opponents.population or train.hidden"},
		{"one move without a win", "martian-dice", 1, train.OneMove, nil, ""},
		{"no sampled starts", "mars-is-ours-fast", 0, train.OneMove, func(c *train.Config) { c.Expert.Search.Starts = expert.Starts{Sample: 0.7} }, "train.expert.search.starts.sample is 0.7: mars-is-ours-fast: the game samples no starts; use walk, archive or disagree"},
		{"turn plans", "pig", 0, train.TurnExact, nil, ""},
		{"all of Validate", "pig", 0, train.AlgorithmPPO, func(c *train.Config) { c.Rows = 0 }, "rows is 0"},
		{"layer", "pig", 0, train.AlgorithmPPO, func(c *train.Config) { c.Hidden = []int{8, 0} }, "train.hidden: shape of a network: hidden[1] is 0"},
		{"a tree", "mars-is-ours", 4, train.Search, nil, ""},
		{"no winner of a tree", "martian-dice", 1, train.Search, nil, "train.algorithm is search; want one of [ppo one-move]"},
		{"scores for a tree", "pig", 0, train.Search, func(c *train.Config) { c.Head = models.Score }, `head is score; want "logits"`},
		{"no simulations", "pig", 0, train.Search, func(c *train.Config) { c.Expert.Search.Tree.Simulations = 0 }, "train.expert.search.tree.simulations is 0; want 1 to 100000"},
		{"one candidate", "pig", 0, train.Search, func(c *train.Config) { c.Expert.Search.Tree.Candidates = 1 }, "tree.candidates is 1; want 2 to 100000"},
		{"full searches", "pig", 0, train.Search, func(c *train.Config) { c.Expert.Search.Tree.FullFraction = math.NaN() }, "tree.full_fraction is NaN; want 0 to 1"},
		{"large trees", "pig", 0, train.Search, func(c *train.Config) { c.Rows, c.Expert.Search.Tree.Simulations = 1<<14, 1<<12 }, "more than the 24 GiB that train.memory allows: lower train.rows or the steps"},
		{"layer of a search", "pig", 0, train.OneMove, func(c *train.Config) { c.Hidden = nil }, "hidden layers is 0"},
		{"decisions of a rollout", "martian-risk", 0, train.AlgorithmPPO, func(c *train.Config) { c.Rows, c.PPO.Horizon = 1<<20, 1<<16 }, "train.rows times train.ppo.horizon is 68719476736"},
		// A rollout of pig needs little memory, but it has too many options for an int32.
		{"options of a rollout", "pig", 0, train.AlgorithmPPO, func(c *train.Config) { c.Rows, c.PPO.Horizon = 1<<20, 1<<10 }, "want at most 715827882"},
		{"rollout", "martian-dice", 2, train.AlgorithmPPO, func(c *train.Config) { c.Rows = 1 << 20 }, "more than the 24 GiB that train.memory allows: lower train.rows or the steps"},
		{"minibatch", "pig", 2, train.AlgorithmPPO, func(c *train.Config) {
			c.Hidden, c.Rows, c.PPO.Horizon, c.PPO.Minibatch = []int{1024, 1024}, 1<<14, 1<<10, 1<<24
		}, "more than the 24 GiB that train.memory allows: lower train.rows or the steps"},
		{"pool", "pig", 2, train.AlgorithmPPO, func(c *train.Config) {
			c.Hidden, c.Opponents.Fraction, c.Opponents.Size = []int{4096, 4096}, 0.1, 1000
		}, "more than the 24 GiB that train.memory allows: lower train.hidden or the number of train.opponents, or raise train.memory"},
		{"bots alone", "pig", 2, train.AlgorithmPPO, func(c *train.Config) {
			c.Hidden, c.Opponents.Fraction, c.Opponents.Size = []int{4096, 4096}, 0.1, 1000
			c.Opponents.Bots = map[string]float64{"random": 1}
		}, ""},
		{"unknown bot", "pig", 2, train.AlgorithmPPO, func(c *train.Config) { c.Opponents.Bots = map[string]float64{"gredy": 0.5} }, `opponents.bots: unknown bot "gredy"`},
		{"decisions", "mars-is-ours-fast", 2, train.OneMove, func(c *train.Config) { c.Rows, c.Expert.Search.Decisions = 1<<12, 10_000 }, "more than the 24 GiB that train.memory allows: lower train.rows or the steps"},
		{"networks of a checkpoint", "mars-is-ours", 2, train.AlgorithmPPO, func(c *train.Config) {
			c.Hidden, c.Opponents.Fraction, c.Opponents.Size = []int{1024, 1024}, 0.1, 200
		}, "a checkpoint would have 1.11 GiB; want at most 1: lower train.hidden or the number of train.opponents"},
		{"states of a checkpoint", "pig", 2, train.OneMove, func(c *train.Config) { c.Rows = 50_001 }, "train.rows is 50001, which is more than checkpoints can hold of one-move; want at most 50000"},
		{"rows of a search", "martian-dice", 2, train.TurnExact, func(c *train.Config) { c.Rows = 1 << 20 }, "more than the 24 GiB that train.memory allows: lower train.rows or the steps"},
		{"turns", "martian-dice", 2, train.TurnExact, func(c *train.Config) { c.Rows, c.Expert.Search.Turns = 1<<14, 1000 }, "more than the 24 GiB that train.memory allows: lower train.rows or the steps"},
		{"little memory", "martian-dice", 2, train.TurnExact, func(c *train.Config) { c.Memory = 0.001 }, "more than the 0.001 GiB that train.memory allows: lower"},
		{"large rollout", "martian-dice", 4, train.AlgorithmPPO, func(c *train.Config) { c.Rows, c.PPO.Horizon = 1024, 128 }, ""},
		{"large search", "martian-dice", 4, train.OneMove, func(c *train.Config) { c.Rows, c.Expert.Search.Decisions = 1024, 64 }, ""},
		{"many rows", "martian-risk", 0, train.AlgorithmPPO, func(c *train.Config) { c.Head, c.Rows, c.PPO.Horizon = models.Logits, 4096, 1024 }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := catalog.Open(test.game, test.players, nil)
			if err != nil {
				t.Fatal(err)
			}
			cfg := train.DefaultConfig(test.algorithm)
			cfg.Memory = 24
			if test.change != nil {
				test.change(&cfg)
			}
			refused(t, cfg.Check(g), test.want)
		})
	}
}
