package web

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"marsgym/eval/analysis"
)

// A daily exercise is a choice by which the bot greedy loses much, so that it is not obvious. The game
// is one whose values the exported page has. Chosen: the verdict of the page on such a loss is a
// mistake, and most games have one.
const (
	dailyGame    = "martian-dice"
	dailyPlayers = 2
	dailyBot     = "greedy"
	dailyLoss    = 0.04
	dailyTries   = 100
)

// Daily is an exercise: the last position of Address, at Step.
type Daily struct {
	Address Address `json:"address"`
	Step    int     `json:"step"`
}

// daily returns the exercise of a day, which Seed numbers: it is the same everywhere.
func (a *App) daily(ctx context.Context, r *Request) (any, error) {
	for try := range uint64(dailyTries) {
		address := Address{Game: dailyGame, Players: dailyPlayers, Seed: r.Seed*dailyTries + try, Seats: slices.Repeat([]string{dailyBot}, dailyPlayers)}
		g, err := address.replay(ctx)
		if err != nil {
			return nil, err
		}
		bot, err := a.agent(ctx, g.game, dailyBot)
		if err != nil {
			return nil, err
		}
		for !g.rec.Over() {
			if err := g.playBy(ctx, bot); err != nil {
				return nil, err
			}
		}
		solution, err := a.solve(ctx, g.game)
		if err != nil {
			return nil, err
		}
		game, err := analysis.Analyse(ctx, g.rec, analysis.NewExact(g.spec, solution))
		if err != nil {
			return nil, err
		}
		worst := slices.MaxFunc(game.Decisions, func(x, y analysis.Decision) int { return cmp.Compare(x.Loss.Value, y.Loss.Value) })
		if worst.Loss.Value < dailyLoss {
			continue
		}
		g.rec.Undo(worst.Step)
		address.Seats[worst.Seat], address.Moves = Human, nil
		for _, s := range g.rec.Steps {
			if !s.Chance() {
				address.Moves = append(address.Moves, g.game.ActionName(s.Action))
			}
		}
		return Daily{address, worst.Step}, nil
	}
	return nil, errors.New("this day has no exercise; come back tomorrow")
}
