package main

import (
	"fmt"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// A table of the page has groups of rows. The rows of a group that are ours come
// first; the others are compared with each of them.
type (
	table struct {
		title  string
		intro  string
		kind   kind
		groups []group
	}
	group []row
	row   struct {
		what    string
		project string // "" is this one
		work    work
		spec    func() (game.Spec, error) // of our game, where the table shows observations; or nil
		unit    float64                   // steps that the cost is for
		two     bool                      // on two cores too
		recent  bool                      // not measured at the other commit, which may not have it
		extras  []extra                   // measured beside work, in columns of their own
		differs string                    // what the project does more or less than ours
	}
	extra struct {
		title string
		work  work
	}
)

// kind is what a table shows.
type kind int

const (
	rates kind = iota // steps by CPU-second
	costs             // CPU-seconds by step
)

const million = 1e6

// one is a group of one row of ours.
func one(r row) group { return group{r} }

// batches is a row of one of the benchmarks of batches, with that many iterations of 1,024 games.
func batches(what, pattern string, n int, id string, players int, config string) row {
	size := func(games int) work {
		return batch(fmt.Sprintf("%s/^rows=%d$", pattern, games), games, max(recorded, n*1024/games))
	}
	spec := func() (game.Spec, error) {
		g, err := catalog.Open(id, players, []byte(config))
		if err != nil {
			return game.Spec{}, err
		}
		return g.Spec(), nil
	}
	return row{what: what, work: size(1024), spec: spec, unit: million, extras: []extra{
		{"64 games", size(64)}, {"16,384 games", size(16384)}, {"65,536 games", size(65536)},
		{"a random player alone", batch(pattern+"/^player$", 1024, n)},
	}}
}

// compact is batches for observations of codes.
func compact(what, pattern string, n int, id string, players int, config string) row {
	r := batches(what+", uint8", "^BenchmarkCompact$/"+pattern, n, id, players, config)
	r.recent = true
	return r
}

// listed is batches for the table of tic-tac-toe.
func listed() row {
	r := batches("tic-tac-toe, a table", "^BenchmarkTable$", 40_000, "", 0, "")
	r.spec = func() (game.Spec, error) { return testgames.NewTicTacToe().Spec(), nil }
	r.recent = true
	return r
}

// recorded is the number of steps that the benchmarks of batches replay again and again.
const recorded = 64

var tables = []table{
	{
		title: "Environments",
		intro: "Figures are for random play that is recorded before, with observations and masks. marsgym plays 1,024 games at once, or as many as a column says; observations are float32, or uint8 where a row says so.",
		kind:  rates,
		groups: []group{
			{
				batches("Pig", "^BenchmarkPig$", 80_000, "pig", 2, "{}"),
				compact("Pig", "^pig$", 80_000, "pig", 2, "{}"),
				{what: "Pig, C++", project: "OpenSpiel", work: peer("openspiel-pig"), unit: million,
					differs: "one game at a time; its player draws within the clock; lists of actions and outcomes; one-hot scores, without whose turn it is"},
			},
			{
				listed(),
				{what: "tic-tac-toe, C++", project: "OpenSpiel", work: peer("openspiel-tic_tac_toe"), unit: million,
					differs: "one game at a time; its player draws within the clock; lists of actions"},
			},
			{
				batches("Martian Dice", "^BenchmarkMartianDice$", 30_000, "martian-dice", 2, "{}"),
				compact("Martian Dice", "^martian-dice$", 30_000, "martian-dice", 2, "{}"),
				{what: "backgammon, C++", project: "OpenSpiel", work: peer("openspiel-backgammon"), unit: million,
					differs: "richer rules; one game at a time; its player draws within the clock"},
				{what: "backgammon, 256 games", project: "pgx", work: peer("pgx-backgammon"), unit: million,
					differs: "richer rules; its player draws within the clock; made for GPUs"},
				{what: "2048, 1,024 games", project: "pgx", work: peer("pgx-2048"), unit: million, differs: "masks and chance in each step, as in ours; its player draws within the clock; made for GPUs"},
				{what: "squared, 4,096 games", project: "PufferLib", work: peer("pufferlib-squared"), unit: million,
					differs: "a walk on a grid; no masks; chance only at the start of a game"},
				{what: "cartpole, 4,096 games", project: "PufferLib", work: peer("pufferlib-cartpole"), unit: million, differs: "no masks; chance only at the start of a game"},
				{what: "CartPole, 64 games", project: "Gymnasium", work: peer("gymnasium-cartpole"), unit: million, differs: "no masks; chance only at the start of a game; written in Python"},
			},
			{
				batches("Mars is Ours!, quick", "^BenchmarkMars$/^quick$", 4_000, "mars-is-ours-fast", 2, "{}"),
				compact("Mars is Ours!, quick", "^mars-is-ours$/^quick$", 4_000, "mars-is-ours-fast", 2, "{}"),
			},
			{
				batches("Mars is Ours! for 2", "^BenchmarkMars$/^players=2$", 3_000, "mars-is-ours", 2, "{}"),
				compact("Mars is Ours! for 2", "^mars-is-ours$/^players=2$", 3_000, "mars-is-ours", 2, "{}"),
			},
			one(batches("Mars is Ours! for 3", "^BenchmarkMars$/^players=3$", 2_000, "mars-is-ours", 3, "{}")),
			one(batches("Mars is Ours! for 4", "^BenchmarkMars$/^players=4$", 2_000, "mars-is-ours", 4, "{}")),
			{
				batches("Martian Risk for 3, 21 regions", "^BenchmarkMartianRisk$/^players=3$/^regions=21$", 2_000, "martian-risk", 3, `{"regions_per_player": 7}`),
				compact("Martian Risk for 3, 21 regions", "^martian-risk$", 2_000, "martian-risk", 3, "{}"),
			},
			one(batches("Martian Risk for 4, 28 regions", "^BenchmarkMartianRisk$/^players=4$/^regions=28$", 2_000, "martian-risk", 4, `{"regions_per_player": 7}`)),
			one(batches("Martian Risk for 5, 35 regions", "^BenchmarkMartianRisk$/^players=5$/^regions=35$", 1_500, "martian-risk", 5, `{"regions_per_player": 7}`)),
			one(batches("Martian Risk for 6, 42 regions", "^BenchmarkMartianRisk$/^players=6$/^regions=42$", 1_500, "martian-risk", 6, `{"regions_per_player": 7}`)),
		},
	},
	{
		title: "Training",
		intro: "The figures are CPU-seconds per million decisions of the whole loop, without evaluation. marsgym trains on Martian Dice for two players.",
		kind:  costs,
		groups: []group{
			one(row{what: "`ppo`, scores, the default", work: training(`"algorithm": "ppo"`, 1_000_000), unit: million, two: true}),
			one(row{what: "`ppo`, logits", work: training(`"algorithm": "ppo", "head": "logits"`, 1_600_000), unit: million, two: true}),
			one(row{what: "`turn-exact`", work: training(`"algorithm": "turn-exact"`, 600_000), unit: million, two: true}),
			one(row{what: "`one-move`", work: training(`"algorithm": "one-move"`, 60_000), unit: million}),
			{
				{what: "`ppo`, logits, 4 epochs, 64 games, network 323-64-64",
					work: training(`"algorithm": "ppo", "head": "logits", "rows": 64, "hidden": [64, 64], "ppo": {"horizon": 128, "minibatch": 2048, "epochs": 4}`, 900_000), unit: million},
				{what: "`ppo.py`, CartPole, 4 epochs, 64 games, two networks 4-64-64", project: "CleanRL", work: peer("cleanrl"), unit: million,
					differs: "the published loop without its logging; a game without masks; two networks, for policy and value"},
			},
			{
				{what: "`ppo`, logits, 4,096 games, network 323-128",
					work: training(`"algorithm": "ppo", "head": "logits", "rows": 4096, "hidden": [128], "ppo": {"horizon": 64, "minibatch": 32768, "epochs": 1}`, 7*4096*64), unit: million},
				{what: "the same with scores",
					work: training(`"algorithm": "ppo", "head": "score", "rows": 4096, "hidden": [128], "ppo": {"horizon": 64, "minibatch": 32768, "epochs": 1}`, 5*4096*64), unit: million},
				{what: "pong, 4,096 games, network 8-128", project: "PufferLib", work: peer("pufferlib"), unit: million,
					differs: "8 frames of pong per step; no masks; its own settings, but without LSTM, with Adam instead of Muon, and all games in one process"},
			},
		},
	},
	{
		title: "Search, solutions and evaluation",
		intro: "The figures are CPU-seconds of the whole process, in Martian Dice for two players.",
		kind:  costs,
		groups: []group{
			one(row{what: "a million simulations of tree search", work: benchmark("^BenchmarkSearch$/^martian-dice$", 60), unit: million}),
			one(row{what: "the exact solution", work: process("solve", "-cache", "none"), unit: 1}),
			one(row{what: "exact evaluation of the released network, solution included", work: process("eval", "-model", "agents/pretrained/martian-dice-2.safetensors", "-cache", "none"), unit: 1, two: true}),
		},
	},
}
