package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"marsgym/agents"
)

// Table is the exact strength of agents against each other.
type Table struct {
	Method         string      `json:"method"` // "exact"
	Agents         []string    `json:"agents"` // [n] the least exploitable first
	Win            [][]float64 `json:"win"`    // [n, n] see ExactEvaluator.Matrix
	Fair           float64     `json:"fair"`   // the win share of each of P equal agents: 1/P
	Exploitability []float64   `json:"exploitability"`
	Rating         []float64   `json:"rating"` // see Ratings; that of the first agent is 0
}

// Table evaluates all agents against each other.
func (e *ExactEvaluator) Table(ctx context.Context, entrants []*agents.Agent) (Table, error) {
	players := e.game.Spec().Players
	t := Table{Method: "exact", Fair: 1 / float64(players)}
	exploitability := map[*agents.Agent]float64{}
	for _, a := range entrants {
		x, err := e.Exploitability(ctx, a)
		if err != nil {
			return t, err
		}
		exploitability[a] = x
	}
	entrants = slices.Clone(entrants)
	slices.SortStableFunc(entrants, func(a, b *agents.Agent) int { return cmp.Compare(exploitability[a], exploitability[b]) })
	for _, a := range entrants {
		t.Agents = append(t.Agents, a.Name)
		t.Exploitability = append(t.Exploitability, exploitability[a])
	}
	var err error
	if t.Win, err = e.Matrix(ctx, entrants); err != nil {
		return t, err
	}
	t.Rating, err = Ratings(t.Win, players)
	return t, err
}

// Matrix returns the win shares [n, n] of all agents against each other: that of one
// agent of the row, with agents of the column in all other seats, averaged over its
// seats.
func (e *ExactEvaluator) Matrix(ctx context.Context, entrants []*agents.Agent) ([][]float64, error) {
	players := e.game.Spec().Players
	win := square(len(entrants))
	for i, a := range entrants {
		win[i][i] = 1 / float64(players)
		for k, b := range entrants {
			// For two players one evaluation gives the shares of both.
			if i == k || players == 2 && i < k {
				continue
			}
			shares, err := e.Rotations(ctx, append([]*agents.Agent{a}, slices.Repeat([]*agents.Agent{b}, players-1)...))
			if err != nil {
				return nil, fmt.Errorf("%s among %s: %w", a.Name, b.Name, err)
			}
			win[i][k] = mean(shares[0])
			if players == 2 {
				win[k][i] = mean(shares[1])
			}
		}
	}
	return win, nil
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}
