package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"marsgym/agents"
	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/eval"
	"marsgym/internal/test/fulltest"
	"marsgym/models"
	"marsgym/train/expert"
)

// reduced holds configs of games, over the default, that are solved in an instant. Games
// that are not in it have no solver.
var reduced = map[string]string{
	"martian-dice": `{"dice": 4, "target": 6}`,
	"pig":          `{"target": 10}`,
	"martian-risk-tiny": `{"setup_armies": 2, "army_cap": 4, "max_rounds": 1, "map": {
		"name": "toy", "source": "a test", "regions": [{"name": "A", "at": [0, 0]}, {"name": "B", "at": [1, 0]}, {"name": "C", "at": [2, 0]}],
		"borders": {"A": ["B"], "B": ["C"]}, "unions": [["A", "C"]]}}`,
	"mars-is-ours-fast": `{"layout": "small", "start_hand": 2, "start_junk": 1, "data": {
		"layouts": {"small": {"cells": ["aabb", "aabb"], "stations": {"corners": {"cells": ["a1", "d1", "d2", "a2"]}}}},
		"tiles": {"quarters": {"tiles": [{"tile": "gsmt", "copies": 4}]}},
		"tracks": {"gem": {"levels": [{}, {}]}, "soda": {"levels": [{}, {}]}, "metal": {"levels": [{}, {}]}, "turf": {"levels": [{}, {}]}}}}`,
}

// TestShared runs tasks with the same game, solution, exact evaluator, policies, search
// and network on one goroutine, and then on eight at once. All results must have the
// same bits. It is meant for the race detector.
func TestShared(t *testing.T) {
	fulltest.Gate(t)
	for _, e := range catalog.List() {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			var config []byte
			if text, ok := reduced[e.ID]; ok {
				config = []byte(text)
			}
			g, err := catalog.Open(e.ID, 0, config)
			if err != nil {
				t.Fatal(err)
			}
			tasks := tasksOf(t, g, config != nil)
			names := slices.Sorted(maps.Keys(tasks))
			want := map[string]string{}
			for _, name := range names {
				if want[name], err = tasks[name](t.Context()); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			const goroutines = 8
			var wg sync.WaitGroup
			for k := range goroutines {
				wg.Go(func() {
					for i := range names {
						name := names[(i+k*len(names)/goroutines)%len(names)]
						if got, err := tasks[name](t.Context()); err != nil || got != want[name] {
							t.Errorf("%s: on several goroutines the result is\n%.300s\nerror %v, and on one\n%.300s", name, got, err, want[name])
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// task uses what is shared and returns its result as text, each number in full.
type task func(ctx context.Context) (string, error)

// newTask returns a task whose result is a list of values.
func newTask(f func(ctx context.Context) ([]any, error)) task {
	return func(ctx context.Context) (string, error) {
		values, err := f(ctx)
		return fmt.Sprintf("%v", values), err
	}
}

// tasksOf returns tasks by name. They share the game and all that is made here.
func tasksOf(t *testing.T, g env.Game, solved bool) map[string]task {
	t.Helper()
	spec := g.Spec()
	positions := decisions(g)
	tasks := map[string]task{
		"batch":     newTask(func(context.Context) ([]any, error) { return playBatch(g) }),
		"positions": newTask(func(context.Context) ([]any, error) { return describe(g, positions) }),
		"odds": newTask(func(context.Context) ([]any, error) {
			tables, err := g.OddsTables(game.AllOdds)
			if errors.Is(err, game.ErrNoOdds) {
				err = nil
			}
			return []any{tables, spec.ConfigJSON(), g.BotNames()}, err
		}),
	}
	policies := policiesOf(t, g)
	if solved {
		s, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		policies["exact"] = s.Policy()
		solutionTasks(t, tasks, g, s, policies, positions)
	} else if _, err := g.Solve(t.Context(), nil); !errors.Is(err, game.ErrNoSolution) {
		t.Fatalf("Solve returns %v; want %v", err, game.ErrNoSolution)
	}
	for name, p := range policies {
		tasks["probabilities of "+name] = newTask(func(ctx context.Context) (all []any, err error) {
			for _, at := range positions {
				probs, err := env.ActionProbabilities(ctx, p, at, spec.Actions)
				if err != nil {
					return nil, err
				}
				all = append(all, probs)
			}
			return all, nil
		})
	}
	for _, depth := range []expert.Depth{expert.OneMove, expert.Turn, expert.Search} {
		cfg := expert.Config{Depth: depth, Starts: expert.Starts{Walk: 0.2, Archive: 0.2, Disagree: 0.2}, Outcomes: 64, Turns: 1, Decisions: 2}
		net := network(t, spec, models.Score)
		if depth == expert.Search {
			net = network(t, spec, models.Logits)
			cfg.Tree = expert.Tree{Simulations: 8, FullFraction: 1, Candidates: 2}
		}
		if _, err := expert.New(g, cfg, 1, 0); errors.Is(err, expert.ErrUnsupported) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		tasks["expert "+string(depth)] = newTask(func(ctx context.Context) ([]any, error) {
			x, err := expert.New(g, cfg, 2, 0)
			if err != nil {
				return nil, err
			}
			x.Reset(1)
			found := make([]expert.Targets, x.Pieces())
			err = x.Search(ctx, found, expert.Options{PolicyReplies: true, Temperature: 0.1}, func(scores, values []float32, obs *models.Observations) {
				net.MLP.ForwardObservations(scores, values, obs, 0, obs.Len())
			})
			var all []any
			for _, f := range found {
				all = append(all, f.Value, f.ActionValue, f.Action)
			}
			return all, err
		})
	}
	return tasks
}

// policiesOf returns the bots of a game, searches and networks.
func policiesOf(t *testing.T, g env.Game) map[string]env.Policy {
	t.Helper()
	spec := g.Spec()
	policies := map[string]env.Policy{}
	for _, name := range g.BotNames() {
		p, err := g.Bot(name)
		if err != nil {
			t.Fatal(err)
		}
		policies[name] = p
	}
	scores, logits := network(t, spec, models.Score), network(t, spec, models.Logits)
	policies["network"] = agents.NewNet(spec, scores.MLP, false)
	policies["sampled network"] = agents.NewNet(spec, logits.MLP, true)
	evaluator := func(f *models.File) *search.Evaluator {
		e, err := agents.NewEvaluator(spec, f)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for name, evaluator := range map[string]*search.Evaluator{"search": nil, "search with scores": evaluator(scores), "search with logits": evaluator(logits)} {
		p, err := search.New(g, search.Config{Simulations: 3, Seed: 1}, evaluator)
		if err != nil {
			t.Fatal(err)
		}
		policies[name] = p
	}
	return policies
}

// network returns a small random network.
func network(t *testing.T, spec game.Spec, head models.Head) *models.File {
	t.Helper()
	meta := agents.MetaOf(spec)
	meta.Net.Hidden, meta.Net.Head = []int{8}, head
	mlp, err := models.NewMLP(meta.Net, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	return &models.File{Meta: meta, MLP: mlp}
}

// solutionTasks adds tasks with a solution and an exact evaluator.
func solutionTasks(t *testing.T, tasks map[string]task, g env.Game, s env.Solution, policies map[string]env.Policy, positions []env.Position) {
	t.Helper()
	exact, err := eval.NewExactEvaluator(g, s)
	if err != nil {
		t.Fatal(err)
	}
	tasks["solve"] = newTask(func(ctx context.Context) ([]any, error) {
		s, err := g.Solve(ctx, nil)
		if err != nil {
			return nil, err
		}
		v, err := s.Value(positions[0])
		return []any{v, s.Residual(), s.Facts()}, err
	})
	tasks["values"] = newTask(func(context.Context) (all []any, err error) {
		for _, p := range positions {
			v, err := s.Value(p)
			if err != nil {
				return nil, err
			}
			options, err := s.Options(p)
			if err != nil {
				return nil, err
			}
			all = append(all, v, options)
		}
		return all, nil
	})
	tasks["charts"] = newTask(func(context.Context) (all []any, err error) {
		charts, err := s.Charts()
		if errors.Is(err, game.ErrNoCharts) {
			return nil, nil
		}
		for _, c := range charts {
			for _, p := range c.Panels {
				all = append(all, c.Title, p.Title, p.Lines)
				if p.Map != nil {
					all = append(all, p.Map.Z)
				}
			}
		}
		return all, err
	})
	for _, name := range []string{"random", "network", "sampled network", "exact"} {
		p := policies[name]
		a := &agents.Agent{Name: name, Policy: p}
		tasks["strength of "+name] = newTask(func(ctx context.Context) ([]any, error) {
			pair, err := exact.Strength(ctx, a)
			return []any{pair.WinFirst, pair.WinSecond, pair.Exploitability}, err
		})
		tasks["regrets of "+name] = newTask(func(ctx context.Context) (all []any, err error) {
			err = s.Regrets(ctx, p, 1, func(r env.Regret) error {
				all = append(all, r.Action, r.Best, r.Reach, r.Prob, r.Loss, r.Kind, r.Situation, r.Position().String())
				return nil
			})
			return all, err
		})
		tasks["evaluate "+name] = newTask(func(ctx context.Context) ([]any, error) {
			table, err := s.Tabulate(ctx, p)
			if err != nil {
				return nil, err
			}
			seats := slices.Repeat([]game.TabularPolicy{table}, g.Spec().Players)
			returns, err := s.Evaluate(ctx, seats)
			if err != nil {
				return nil, err
			}
			best, err := s.BestResponse(ctx, seats, 0)
			return []any{returns, best, table.Decisions(), table.Rows()}, err
		})
	}
}

// decisions returns a few decisions of a random game.
func decisions(g env.Game) (list []env.Position) {
	dice, choices := rand.NewPCG(1, 1), rand.New(rand.NewPCG(1, 2))
	for p, n := g.Initial(), 0; len(list) < 4 && p.CurrentPlayer() != game.Terminal; {
		if p.CurrentPlayer() == game.Chance {
			p = p.Sample(dice)
			continue
		}
		if n%5 == 0 {
			list = append(list, p)
		}
		n++
		legal := p.Legal()
		next, err := p.Apply(legal[choices.IntN(len(legal))])
		if err != nil {
			panic(err) // a legal action
		}
		p = next
	}
	return list
}

// describe lists the observations, returns, actions and texts of positions.
func describe(g env.Game, positions []env.Position) (all []any, err error) {
	obs := make([]float32, g.Spec().ObsLen())
	for _, p := range positions {
		back, err := g.Parse(p.String())
		if err != nil {
			return nil, err
		}
		p.Observe(obs, 0)
		all = append(all, back.String(), p.Render(message.Speaker{}), p.Returns(), slices.Clone(obs))
		for _, a := range p.Legal() {
			after, err := p.Apply(a)
			if err != nil {
				return nil, err
			}
			all = append(all, g.ActionName(a), p.DescribeAction(a).String(), after.String())
			if after.CurrentPlayer() == game.Chance {
				outcomes := after.Outcomes()
				all = append(all, len(outcomes), outcomes[0].Prob, after.OutcomeName(outcomes[0].State))
			}
		}
	}
	return all, nil
}

// playBatch steps a new batch.
func playBatch(g env.Game) (all []any, err error) {
	b := g.NewBatch(3, 0)
	b.Reset(1)
	buf, n := b.Buffers(), g.Spec().Actions
	for range 30 {
		d := b.Decisions(nil)
		all = append(all, slices.Clone(d.Afterstates().Action), slices.Clone(buf.Reward))
		for i := range buf.Action {
			buf.Action[i] = game.Action(slices.Index(buf.Mask[i*n:(i+1)*n], true))
		}
		if err := b.Step(); err != nil {
			return nil, err
		}
	}
	return append(all, buf.Obs, buf.Terminated), nil
}
