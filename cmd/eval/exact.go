package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"marsgym/agents"
	"marsgym/env/game"
	"marsgym/eval"
)

func (s *session) judge(ctx context.Context) (*eval.ExactEvaluator, error) {
	solution, err := s.solve(ctx)
	if err != nil || s.judged != nil {
		return s.judged, err
	}
	if s.judged, err = eval.NewExactEvaluator(s.game, solution); err != nil {
		return nil, err
	}
	s.judged.Report = func(step string) {
		s.steps++
		s.total = max(s.total, s.steps)
		s.bar.Stage(float64(s.steps-1)/float64(s.total), fmt.Sprintf("%d of %d: %s", s.steps, s.total, step))
	}
	return s.judged, nil
}

// expect adds to the steps that the judge will take: it asks these agents, plays
// so many tables, and finds best responses to so many of the agents.
func (s *session) expect(who []*agents.Agent, tables, exploited int) {
	asked := map[*agents.Agent]bool{}
	for _, a := range who {
		asked[a] = true
	}
	s.total += len(asked) + tables + exploited*s.spec.Players
}

// pairResult is the exact strength of one agent against another, and the match
// that cross-checks it, if one was asked for.
type pairResult struct {
	eval.Pair
	Match    *crossCheck         `json:"match,omitempty"`
	Blunders *eval.MistakeReport `json:"blunders,omitempty"` // where asked for
}

// crossCheck is a match, with whether the interval around its first agent's
// share holds the exact value.
type crossCheck struct {
	eval.Match
	Within bool `json:"within"`
}

func (s *session) pair(ctx context.Context, seats []*agents.Agent) (result, error) {
	j, err := s.judge(ctx)
	if err != nil {
		return nil, err
	}
	s.expect(seats, 2, 1)
	var r pairResult
	if r.Pair, err = j.Pair(ctx, seats[0], seats[1]); err != nil {
		return nil, err
	}
	if r.Blunders, err = s.price(ctx, seats[0]); err != nil || s.games == 0 {
		return &r, err
	}
	m, err := eval.PlayDuplicate(ctx, s.game, seats, s.games, s.seed, s.playing)
	if err != nil {
		return nil, err
	}
	r.Match = &crossCheck{m, m.Low[0] <= r.Win && r.Win <= m.High[0]}
	return &r, nil
}

// seatsResult is the exact strength of the model at a table of more than two.
type seatsResult struct {
	eval.Multiplayer
	Low   []float64 `json:"low"` // as Win: there is nothing uncertain
	High  []float64 `json:"high"`
	Games int       `json:"games"` // 0: none is played

	Blunders *eval.MistakeReport `json:"blunders,omitempty"` // where asked for
}

func (s *session) seats(ctx context.Context, seats []*agents.Agent) (result, error) {
	j, err := s.judge(ctx)
	if err != nil {
		return nil, err
	}
	s.expect(seats, len(seats), 1)
	t, err := j.Multiplayer(ctx, seats)
	if err != nil {
		return nil, err
	}
	r := &seatsResult{Multiplayer: t, Low: t.Win, High: t.Win}
	r.Blunders, err = s.price(ctx, seats[0])
	return r, err
}

// turnsResult is the exact outcome of a game without a win.
type turnsResult struct {
	Method string    `json:"method"` // "exact"
	Seats  []string  `json:"seats"`
	Turns  []float64 `json:"turns"` // by seat
	Games  int       `json:"games"` // 0: none is played
	Cost   eval.Cost `json:"cost"`  // of asking the model
}

func (s *session) turns(ctx context.Context, seats []*agents.Agent) (result, error) {
	r := &turnsResult{Method: "exact"}
	var strategies []game.TabularPolicy
	for _, a := range seats {
		s.bar.Stage(0, "asking "+a.Name+" about every position")
		start := time.Now()
		g, err := s.solution.Tabulate(ctx, a.Policy)
		if err != nil {
			return nil, fmt.Errorf("asking %s about the whole game: %w", a.Name, err)
		}
		if len(strategies) == 0 {
			r.Cost = eval.Cost{Decisions: g.Decisions(), Rows: g.Rows(), Seconds: time.Since(start).Seconds()}
		}
		strategies = append(strategies, g)
		r.Seats = append(r.Seats, a.Name)
	}
	returns, err := s.solution.Evaluate(ctx, strategies)
	for _, x := range returns {
		r.Turns = append(r.Turns, -x)
	}
	return r, err
}

// tableResult is all agents against each other.
type tableResult struct {
	Method         string      `json:"method"` // "exact"
	Agents         []string    `json:"agents"` // the least exploitable first
	Win            [][]float64 `json:"win"`    // of one agent of the row, all others of the column, the mean over its seats
	Fair           float64     `json:"fair"`   // what each of equals wins
	Exploitability []float64   `json:"exploitability"`
	Rating         []float64   `json:"rating"` // Elo, from Win, the first agent's being 0
}

func (s *session) all(ctx context.Context) (result, error) {
	j, err := s.judge(ctx)
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
	var who []*agents.Agent
	for _, name := range names {
		a, err := s.open(ctx, name)
		if err != nil {
			return nil, err
		}
		who = append(who, a)
	}
	n, players := len(who), s.spec.Players
	tables := n * (n - 1) * players
	if players == 2 {
		tables /= 2 // each tells of both agents
	}
	s.expect(who, tables, n)
	exploitability := map[*agents.Agent]float64{}
	for _, a := range who {
		if exploitability[a], err = j.Exploitability(ctx, a); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(who, func(a, b *agents.Agent) int { return cmp.Compare(exploitability[a], exploitability[b]) })
	r := &tableResult{Method: "exact", Fair: 1 / float64(players)}
	for _, a := range who {
		r.Agents = append(r.Agents, a.Name)
		r.Exploitability = append(r.Exploitability, exploitability[a])
	}
	if r.Win, err = j.Matrix(ctx, who); err != nil {
		return nil, err
	}
	r.Rating, err = eval.Ratings(r.Win, players)
	return r, err
}
