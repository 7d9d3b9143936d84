package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
)

// Judge evaluates agents of one solved game exactly. It asks each agent once.
type ExactEvaluator struct {
	// Report, where not nil, is told of each step before it is taken, such as
	// "asking greedy about every position". For large tables one takes minutes.
	Report func(step string)

	game     env.Game
	solution env.Solution

	mu       sync.Mutex
	expanded map[*agents.Agent]expanded
	optimal  *agents.Agent
}

type expanded struct {
	game.TabularPolicy
	seconds float64
}

// NewJudge returns a judge with the solution of a game.
func NewExactEvaluator(g env.Game, s env.Solution) (*ExactEvaluator, error) {
	if !g.Spec().HasWin() {
		return nil, fmt.Errorf("%s for %d counts %s, not wins", g.Spec().ID, g.Spec().Players, g.Spec().Unit)
	}
	return &ExactEvaluator{game: g, solution: s, expanded: map[*agents.Agent]expanded{}}, nil
}

// Cost is what it took to ask an agent about a whole game.
type Cost struct {
	Decisions int     `json:"decisions"` // positions in which it had to choose
	Rows      int     `json:"rows"`      // states it looked at to do so
	Seconds   float64 `json:"seconds"`
}

// Cost asks an agent about the whole game and says what it took.
func (j *ExactEvaluator) Cost(ctx context.Context, a *agents.Agent) (Cost, error) {
	e, err := j.expand(ctx, a)
	if err != nil {
		return Cost{}, err
	}
	return Cost{e.Decisions(), e.Rows(), e.seconds}, nil
}

func (j *ExactEvaluator) expand(ctx context.Context, a *agents.Agent) (expanded, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.expanded[a]
	if !ok {
		j.report("asking " + a.Name + " about every position")
		start := time.Now()
		s, err := j.solution.Tabulate(ctx, a.Policy)
		if err != nil {
			return e, fmt.Errorf("asking %s about the whole game: %w", a.Name, err)
		}
		e = expanded{s, time.Since(start).Seconds()}
		j.expanded[a] = e
	}
	return e, nil
}

func (j *ExactEvaluator) report(step string) {
	if j.Report != nil {
		j.Report(step)
	}
}

// Seats returns the probability that each seat wins when these agents [P] sit at
// the table, a shared win counted by its share.
func (j *ExactEvaluator) WinShares(ctx context.Context, seats []*agents.Agent) ([]float64, error) {
	spec := j.game.Spec()
	if len(seats) != spec.Players {
		return nil, fmt.Errorf("%d agents for a table of %d", len(seats), spec.Players)
	}
	strategies := make([]game.TabularPolicy, len(seats))
	for i, a := range seats {
		e, err := j.expand(ctx, a)
		if err != nil {
			return nil, err
		}
		strategies[i] = e.TabularPolicy
	}
	j.report("a table of " + strings.Join(names(seats), ", "))
	returns, err := j.solution.Evaluate(ctx, strategies)
	if err != nil {
		return nil, err
	}
	for i, r := range returns {
		returns[i] = spec.WinShare(r)
	}
	return returns, nil
}

// Pair is the exact strength of agent A in a game for two.
type Pair struct {
	A              string  `json:"a"`
	B              string  `json:"b"`
	Method         string  `json:"method"`         // "exact"
	WinFirst       float64 `json:"win_first"`      // A's probability of winning when it moves first
	WinSecond      float64 `json:"win_second"`     // when it moves second
	Win            float64 `json:"win"`            // the mean of both
	Exploitability float64 `json:"exploitability"` // what a best response to A wins above one half, on average over the seats
	Cost           Cost    `json:"cost"`           // of asking A
}

// Strength evaluates a against optimal play. It asks a anew each time, so that
// the judge keeps nothing of the many networks of a run.
func (j *ExactEvaluator) Strength(ctx context.Context, a *agents.Agent) (Pair, error) {
	j.mu.Lock()
	if j.optimal == nil {
		j.optimal = &agents.Agent{Name: agents.Exact, Policy: j.solution.Policy()}
	}
	j.mu.Unlock()
	p, err := j.Pair(ctx, a, j.optimal)
	j.mu.Lock()
	delete(j.expanded, a)
	j.mu.Unlock()
	return p, err
}

// Pair evaluates a against b.
func (j *ExactEvaluator) Pair(ctx context.Context, a, b *agents.Agent) (Pair, error) {
	p := Pair{A: a.Name, B: b.Name, Method: "exact"}
	if j.game.Spec().Players != 2 {
		return p, errors.New("pairs are for tables of two")
	}
	win, err := j.Rotations(ctx, []*agents.Agent{a, b})
	if err != nil {
		return p, err
	}
	p.WinFirst, p.WinSecond, p.Win = win[0][0], win[0][1], mean(win[0])
	if p.Cost, err = j.Cost(ctx, a); err != nil {
		return p, err
	}
	p.Exploitability, err = j.Exploitability(ctx, a)
	return p, err
}

// Exploitability is what a best response to agent a wins above its fair share,
// averaged over the seats of the best response; a sits in all others.
func (j *ExactEvaluator) Exploitability(ctx context.Context, a *agents.Agent) (float64, error) {
	e, err := j.expand(ctx, a)
	if err != nil {
		return 0, err
	}
	spec := j.game.Spec()
	seats := make([]game.TabularPolicy, spec.Players)
	for i := range seats {
		seats[i] = e.TabularPolicy
	}
	sum := 0.0
	for i := range seats {
		j.report(fmt.Sprintf("a best response to %s in seat %d", a.Name, i))
		r, err := j.solution.BestResponse(ctx, seats, game.Player(i))
		if err != nil {
			return 0, err
		}
		sum += spec.WinShare(r)
	}
	return (sum - 1) / float64(spec.Players), nil
}
