// Package registry lists the kinds of jobs that workers compute.
package registry

import (
	"context"
	"errors"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/eval"
	"marsgym/internal/jobs"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// All returns the functions of all kinds of jobs.
func All() map[string]jobs.Func {
	list := eval.Kinds()
	list[train.SelfPlayKind] = train.SelfPlay()
	list[train.SegmentKind] = train.Segment(train.SegmentOptions{Learner: gorgonia.New, Evaluate: new(evaluators).of})
	return list
}

// evaluators evaluate networks of games for two, each of which is solved once.
type evaluators struct {
	games jobs.Cache[*eval.ExactEvaluator] // by the hash of the rules
}

// of returns the evaluation of networks of a game, nil if it is not [eval.Exploitable] or has
// no solution.
func (e *evaluators) of(ctx context.Context, g env.Game) (func(context.Context, *models.MLP) (*models.Exact, error), error) {
	spec := g.Spec()
	if !eval.Exploitable(spec) {
		return nil, nil
	}
	x, err := e.games.Of(ctx, jobs.NewBlob([]byte(spec.RulesHash())), func([]byte) (*eval.ExactEvaluator, error) {
		s, err := g.Solve(context.WithoutCancel(ctx), nil)
		if err != nil {
			return nil, err
		}
		return eval.NewExactEvaluator(g, s)
	})
	if errors.Is(err, game.ErrNoSolution) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, mlp *models.MLP) (*models.Exact, error) {
		p, err := x.Strength(ctx, &agents.Agent{Name: "network", Policy: agents.NewNet(spec, mlp, false)})
		if err != nil {
			return nil, err
		}
		return &models.Exact{WinFirst: p.WinFirst, WinSecond: p.WinSecond, Exploitability: p.Exploitability}, nil
	}, nil
}
