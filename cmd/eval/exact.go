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

// pairResult is the exact strength of one agent against another, and the match
// that cross-checks it, if one was asked for.
type pairResult struct {
	eval.Pair
	Match    *crossCheck    `json:"match,omitempty"`
	Blunders *eval.Blunders `json:"blunders,omitempty"` // where asked for
}

// crossCheck is a match, with whether the interval around its first agent's
// share holds the exact value.
type crossCheck struct {
	eval.Match
	Within bool `json:"within"`
}

func (s *session) judge(ctx context.Context) (*eval.Judge, error) {
	solution, err := s.solve(ctx)
	if err != nil || s.judged != nil {
		return s.judged, err
	}
	s.judged, err = eval.NewJudge(s.game, solution)
	return s.judged, err
}

func (s *session) pair(ctx context.Context, a, b *agents.Agent) (result, error) {
	j, err := s.judge(ctx)
	if err != nil {
		return nil, err
	}
	s.bar.Set(0, "asking "+a.Name+" about every position")
	var r pairResult
	if r.Pair, err = j.Pair(ctx, a, b); err != nil {
		return nil, err
	}
	if r.Blunders, err = s.price(ctx, a); err != nil || s.games == 0 {
		return &r, err
	}
	m, err := eval.Rotate(ctx, s.game, []*agents.Agent{a, b}, s.games, s.seed, s.playing)
	if err != nil {
		return nil, err
	}
	r.Match = &crossCheck{m, m.Low[0] <= r.Win && r.Win <= m.High[0]}
	return &r, nil
}

func (s *session) playing(done float64) { s.bar.Set(done, "playing") }

// seatsResult is the exact outcome of a table.
type seatsResult struct {
	Method string    `json:"method"` // "exact"
	Seats  []string  `json:"seats"`
	Win    []float64 `json:"win,omitempty"`   // by seat, and so Low and High
	Low    []float64 `json:"low,omitempty"`   // as Win: there is nothing uncertain
	High   []float64 `json:"high,omitempty"`  // as Win
	Turns  []float64 `json:"turns,omitempty"` // by seat, in games without a win
	Games  int       `json:"games"`           // 0: none is played
	Cost   eval.Cost `json:"cost"`            // of asking the model

	Blunders *eval.Blunders `json:"blunders,omitempty"` // where asked for
}

func (s *session) seats(ctx context.Context, seats []*agents.Agent) (result, error) {
	solution, err := s.solve(ctx)
	if err != nil {
		return nil, err
	}
	r := &seatsResult{Method: "exact"}
	asked := map[*agents.Agent]game.Strategy{}
	var strategies []game.Strategy
	for i, a := range seats {
		if asked[a] == nil {
			s.bar.Set(0, "asking "+a.Name+" about every position")
			start := time.Now()
			g, err := solution.Expand(ctx, a.Policy)
			if err != nil {
				return nil, fmt.Errorf("asking %s about the whole game: %w", a.Name, err)
			}
			asked[a] = g
			if i == 0 {
				r.Cost = eval.Cost{Decisions: g.Decisions(), Rows: g.Rows(), Seconds: time.Since(start).Seconds()}
			}
		}
		strategies = append(strategies, asked[a])
		r.Seats = append(r.Seats, a.Name)
	}
	returns, err := solution.Evaluate(ctx, strategies)
	if err != nil {
		return nil, err
	}
	for _, x := range returns {
		if s.spec.HasWin() {
			r.Win = append(r.Win, s.spec.WinShare(x))
		} else {
			r.Turns = append(r.Turns, -x)
		}
	}
	r.Low, r.High = r.Win, r.Win
	r.Blunders, err = s.price(ctx, seats[0])
	return r, err
}

// matchResult is the outcome of a match, by agent.
type matchResult struct{ eval.Match }

func (s *session) match(ctx context.Context, seats []*agents.Agent, games int) (result, error) {
	m, err := eval.Rotate(ctx, s.game, seats, games, s.seed, s.playing)
	return &matchResult{m}, err
}

// tableResult is all agents against each other.
type tableResult struct {
	Method         string      `json:"method"` // "exact"
	Agents         []string    `json:"agents"` // the least exploitable first
	Win            [][]float64 `json:"win"`    // of row against column, the mean of both seats
	Exploitability []float64   `json:"exploitability"`
	Rating         []float64   `json:"rating"` // Elo, from Win, the first agent's being 0
}

func (s *session) all(ctx context.Context) (result, error) {
	j, err := s.judge(ctx)
	if err != nil {
		return nil, err
	}
	names := agents.Names(s.game)
	for _, name := range []string{s.model, s.against} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	type row struct {
		*agents.Agent
		exploitability float64
	}
	var rows []row
	for _, name := range names {
		a, err := s.open(ctx, name)
		if err != nil {
			return nil, err
		}
		s.bar.Set(0, "asking "+name+" about every position")
		e, err := j.Exploitability(ctx, a)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{a, e})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.exploitability, b.exploitability) })
	r := &tableResult{Method: "exact", Win: make([][]float64, len(rows))}
	for i, a := range rows {
		r.Agents = append(r.Agents, a.Name)
		r.Exploitability = append(r.Exploitability, a.exploitability)
		r.Win[i] = make([]float64, len(rows))
		for k, b := range rows[:i+1] {
			first, err := j.Seats(ctx, []*agents.Agent{a.Agent, b.Agent})
			if err != nil {
				return nil, err
			}
			second, err := j.Seats(ctx, []*agents.Agent{b.Agent, a.Agent})
			if err != nil {
				return nil, err
			}
			r.Win[i][k] = (first[0] + second[1]) / 2
			r.Win[k][i] = (first[1] + second[0]) / 2
		}
	}
	r.Rating, err = eval.Ratings(r.Win)
	return r, err
}
