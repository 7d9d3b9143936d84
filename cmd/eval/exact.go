package main

import (
	"context"
	"fmt"
	"slices"

	"marsgym/agents"
	"marsgym/eval"
)

// exact returns the evaluator of the solved game.
func (s *session) exact(ctx context.Context) (*eval.ExactEvaluator, error) {
	solution, err := s.solve(ctx)
	if err != nil || s.evaluator != nil {
		return s.evaluator, err
	}
	if s.evaluator, err = eval.NewExactEvaluator(s.game, solution); err != nil {
		return nil, err
	}
	s.evaluator.Report, s.evaluator.Progress, s.evaluator.Executor = s.step, s.partOfStep, s.executor
	return s.evaluator, nil
}

// step shows a step of an exact evaluation in the progress bar.
func (s *session) step(what string) {
	s.steps++
	s.total = max(s.total, s.steps)
	s.note = fmt.Sprintf("%d of %d: %s", s.steps, s.total, what)
	s.bar.Stage(float64(s.steps-1)/float64(s.total), s.note)
}

// partOfStep shows the fraction of the step that is done.
func (s *session) partOfStep(done float64) {
	s.bar.Set((float64(s.steps-1)+done)/float64(s.total), s.note)
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
	Turns  []float64 `json:"turns"` // by seat
	Games  int       `json:"games"`
	Cost   eval.Cost `json:"cost"` // of tabulating the model
}

func (s *session) turns(ctx context.Context, seats []*agents.Agent) (result, error) {
	solution, err := s.solve(ctx)
	if err != nil {
		return nil, err
	}
	s.expect(seats, 1, 0)
	returns, cost, err := eval.ExactReturns(ctx, s.game, solution, seats, s.step)
	if err != nil {
		return nil, err
	}
	r := &turnsResult{Method: "exact", Cost: cost}
	for i, a := range seats {
		r.Seats, r.Turns = append(r.Seats, a.Name), append(r.Turns, -returns[i])
	}
	return r, nil
}

// tableResult is the exact strength of all agents against each other.
type tableResult struct{ eval.Table }

func (s *session) all(ctx context.Context) (result, error) {
	e, err := s.exact(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	if s.against == nil {
		names = agents.Names(s.game)
	}
	for _, name := range s.named() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var entrants []*agents.Agent
	for _, name := range names {
		a, err := s.open(ctx, name)
		if err != nil {
			return nil, err
		}
		entrants = append(entrants, a)
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
