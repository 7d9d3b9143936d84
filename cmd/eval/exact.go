package main

import (
	"context"
	"fmt"
	"slices"

	"marsgym/agents"
	"marsgym/eval"
	"marsgym/internal/cli"
	"marsgym/internal/plot"
)

func exactCommand(s *session) work {
	s.seatFlags()
	s.IntVar(&s.games, "games", 0, "`number` of games in a match, also where values are exact")
	s.IntVar(&s.mistakes, "mistakes", 0, "list the `n` worst mistakes, and the cost of all mistakes")
	s.StringVar(&s.plot, "plot", "", "new `folder` for charts of where the model loses")
	s.Example("go run ./cmd/eval -model runs/a -against greedy -mistakes 20")
	return func(ctx context.Context) (result, error) {
		switch {
		case s.model == "":
			return nil, errNoModel
		case s.record != "" && s.games == 0:
			return nil, cli.Usagef("-record is for the match of -games")
		case s.Given("mistakes") && s.mistakes < 1:
			return nil, cli.Usagef("-mistakes is %d; want at least 1", s.mistakes)
		}
		return s.evaluate(ctx, append([]string{s.model}, s.against...), s.measure)
	}
}

// errNoModel is returned without -model.
var errNoModel = cli.Usagef("-model is missing: name an agent, a model file or a run folder")

func (s *session) measure(ctx context.Context) (result, error) {
	matched := s.spec.Players != 2 && s.games > 0 // a match needs no solution, which can take long
	switch {
	case s.mistakes > 0 && !s.spec.HasWin():
		return nil, cli.Usagef("-mistakes: %s has no win", s.spec.FullTitle())
	case matched && (s.mistakes > 0 || s.plot != ""):
		return nil, cli.Usagef("-mistakes and -plot are exact, but -games with more than two players plays a match; want one of them")
	}
	seats, solved, err := s.seats(ctx, !matched)
	if err != nil {
		return nil, err
	}
	if s.plot != "" {
		if err := s.draw(ctx, seats[0]); err != nil {
			return nil, fmt.Errorf("-plot: %w", err)
		}
	}
	switch {
	case !solved || matched:
		return s.match(ctx, seats)
	case !s.spec.HasWin():
		return s.turns(ctx, seats)
	case s.spec.Players == 2:
		return s.pair(ctx, seats)
	}
	return s.multiplayer(ctx, seats)
}

// exact returns the evaluator of the solved game.
func (s *session) exact(ctx context.Context) (*eval.ExactEvaluator, error) {
	solution, err := s.agents.Solve(ctx)
	if err != nil || s.evaluator != nil {
		return s.evaluator, err
	}
	if s.evaluator, err = eval.NewExactEvaluator(s.agents.Game, solution); err != nil {
		return nil, err
	}
	s.evaluator.Report, s.evaluator.Progress, s.evaluator.Executor = s.step, s.partOfStep, s.executor
	return s.evaluator, nil
}

func (s *session) draw(ctx context.Context, a *agents.Agent) error {
	e, err := s.exact(ctx)
	if err != nil {
		return err
	}
	charts, err := e.Charts(ctx, a)
	if err != nil {
		return err
	}
	return plot.Write(s.bar, s.plot, charts)
}

// step shows a step of an exact evaluation in the progress bar. Steps take seconds or minutes, so
// their number tells nothing of the time.
func (s *session) step(what string) {
	s.steps++
	s.total = max(s.total, s.steps)
	s.note = fmt.Sprintf("%d of %d: %s", s.steps, s.total, what)
	s.bar.Wait(s.note)
}

// partOfStep shows the fraction of the step that is done.
func (s *session) partOfStep(done float64) {
	s.bar.Set(done, s.note)
}

// expect adds to the expected number of steps: those agents are tabulated, the given
// number of seatings evaluated, and best responses to the given number of agents
// computed.
func (s *session) expect(entrants []*agents.Agent, seatings, exploited int) {
	distinct := map[*agents.Agent]bool{}
	for _, a := range entrants {
		distinct[a] = true
	}
	s.total += len(distinct) + seatings + exploited*s.spec.Players
}

// pairResult is the exact strength of one agent against another. Match is set with
// -games, and Mistakes with -mistakes.
type pairResult struct {
	eval.Pair
	Match    *crossCheck         `json:"match,omitempty"`
	Mistakes *eval.MistakeReport `json:"mistakes,omitempty"`
}

// crossCheck is a match. Within reports whether the interval of the first agent
// contains the exact value.
type crossCheck struct {
	eval.Match
	Within bool `json:"within"`
}

func (s *session) pair(ctx context.Context, seats []*agents.Agent) (result, error) {
	e, err := s.exact(ctx)
	if err != nil {
		return nil, err
	}
	s.expect(seats, 2, 1)
	var r pairResult
	if r.Pair, err = e.Pair(ctx, seats[0], seats[1]); err != nil {
		return nil, err
	}
	if r.Mistakes, err = s.findMistakes(ctx, seats[0]); err != nil || s.games == 0 {
		return &r, err
	}
	m, err := s.duplicate(ctx, seats, s.games)
	if err != nil {
		return nil, err
	}
	r.Match = &crossCheck{m, m.Low[0] <= r.Win && r.Win <= m.High[0]}
	return &r, nil
}

// multiplayerResult is the exact strength of the model in a game for more than two
// players. Low and High equal Win, and Games is 0, since the result is exact.
type multiplayerResult struct {
	eval.Multiplayer
	Low   []float64 `json:"low"`
	High  []float64 `json:"high"`
	Games int       `json:"games"`

	Mistakes *eval.MistakeReport `json:"mistakes,omitempty"` // with -mistakes
}

func (s *session) multiplayer(ctx context.Context, seats []*agents.Agent) (result, error) {
	e, err := s.exact(ctx)
	if err != nil {
		return nil, err
	}
	s.expect(seats, len(seats), 1)
	m, err := e.Multiplayer(ctx, seats)
	if err != nil {
		return nil, err
	}
	r := &multiplayerResult{Multiplayer: m, Low: m.Win, High: m.Win}
	r.Mistakes, err = s.findMistakes(ctx, seats[0])
	return r, err
}

// turnsResult is the exact result of a game without a win. Games is 0, since no games
// are played.
type turnsResult struct {
	Method string    `json:"method"` // "exact"
	Seats  []string  `json:"seats"`
	Turns  []float64 `json:"turns"` // by seat: the count of Spec.Unit
	Games  int       `json:"games"`
	Cost   eval.Cost `json:"cost"` // of tabulating the model
}

func (s *session) turns(ctx context.Context, seats []*agents.Agent) (result, error) {
	solution, err := s.agents.Solve(ctx)
	if err != nil {
		return nil, err
	}
	s.expect(seats, 1, 0)
	returns, cost, err := eval.ExactReturns(ctx, s.agents.Game, solution, seats, s.step)
	if err != nil {
		return nil, err
	}
	r := &turnsResult{Method: "exact", Cost: cost}
	for i, a := range seats {
		r.Seats, r.Turns = append(r.Seats, a.Name), append(r.Turns, s.spec.Counted(returns[i]))
	}
	return r, nil
}

// tableResult is the exact strength of all agents against each other.
type tableResult struct{ eval.Table }

func tableCommand(s *session) work {
	names := s.Operands("[AGENT...]", 0, most)
	s.StringVar(&s.model, "model", "", "a further `agent` of the table")
	s.gameFlags()
	s.Example("go run ./cmd/eval table -players 3 exact greedy random")
	return func(ctx context.Context) (result, error) {
		named := *names
		if s.model != "" {
			named = append([]string{s.model}, named...)
		}
		return s.evaluate(ctx, named, func(ctx context.Context) (result, error) {
			if !s.spec.HasWin() {
				return nil, cli.Usagef("%s has no win", s.spec.FullTitle())
			}
			var list []string
			if len(*names) == 0 {
				list = agents.Names(s.agents.Game)
			}
			for _, name := range named {
				if !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
			return s.table(ctx, list)
		})
	}
}

func (s *session) table(ctx context.Context, names []string) (result, error) {
	e, err := s.exact(ctx)
	if err != nil {
		return nil, err
	}
	entrants, err := s.agents.OpenAll(ctx, names)
	if err != nil {
		return nil, err
	}
	n, players := len(entrants), s.spec.Players
	seatings := n * (n - 1) * players
	if players == 2 {
		seatings /= 2 // each gives the shares of both agents
	}
	s.expect(entrants, seatings, n)
	t, err := e.Table(ctx, entrants)
	return &tableResult{t}, err
}
