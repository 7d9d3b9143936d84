package web

import (
	"cmp"
	"context"
	"slices"

	"marsgym/env"
	"marsgym/env/game/message"
	"marsgym/eval/analysis"
)

// A daily exercise is a choice among several by which the bot greedy loses something in an open game, so
// that the best one is not obvious. The exported page has the values of the game. Chosen: the page
// calls such a loss an inaccuracy, and one game in seven has one.
const (
	dailyGame    = "martian-dice"
	dailyPlayers = 2
	dailyBot     = "greedy"
	dailyLoss    = 0.02
	dailyOptions = 3
	dailyOpen    = 0.1 // the least chance of winning, and of losing
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
		solution, err := a.solveWithin(ctx, g.game, a.patience(valuesTime))
		if err != nil {
			return nil, err
		}
		game, err := analysis.Analyse(ctx, g.rec, analysis.NewExact(g.spec, solution))
		if err != nil {
			return nil, err
		}
		fit := slices.DeleteFunc(game.Decisions, func(d analysis.Decision) bool {
			return d.Loss.Value < dailyLoss || len(d.Options) < dailyOptions || d.Value.Value < dailyOpen || d.Value.Value > 1-dailyOpen
		})
		if len(fit) == 0 {
			continue
		}
		worst := slices.MaxFunc(fit, func(x, y analysis.Decision) int { return cmp.Compare(x.Loss.Value, y.Loss.Value) })
		g.rec.Undo(worst.Step)
		address.Seats[worst.Seat] = Human
		address.Moves = g.Moves[:len(slices.DeleteFunc(g.rec.Steps, env.Transition.Chance))] // one each of the decisions that are left
		return Daily{address, worst.Step}, nil
	}
	return nil, message.NewError("this day has no exercise; come back tomorrow")
}
