package eval

import (
	"context"
	"fmt"
	"slices"

	"marsgym/agents"
)

// Table is the exact strength of an agent among others, at a table of any size.
type Multiplayer struct {
	Method         string    `json:"method"`         // "exact"
	Seats          []string  `json:"seats"`          // [P] the agents, the one evaluated first
	Win            []float64 `json:"win"`            // [P] by seat, when they sit in this order
	WinBySeat      []float64 `json:"win_by_seat"`    // [P] of the agent, when the table is turned so that it sits there
	Mean           float64   `json:"mean"`           // of WinBySeat
	Fair           float64   `json:"fair"`           // what each of P equals wins: 1/P
	Exploitability float64   `json:"exploitability"` // what a best response wins above Fair, the agent in all other seats, on average over the seats
	Cost           Cost      `json:"cost"`           // of asking the agent
}

// Table evaluates the first of these agents [P] against the others.
func (j *ExactEvaluator) Multiplayer(ctx context.Context, who []*agents.Agent) (Multiplayer, error) {
	t := Multiplayer{Method: "exact", Seats: names(who)}
	win, err := j.Rotations(ctx, who)
	if err != nil {
		return t, err
	}
	for _, seats := range win {
		t.Win = append(t.Win, seats[len(t.Win)])
	}
	t.WinBySeat, t.Mean, t.Fair = win[0], mean(win[0]), 1/float64(len(who))
	if t.Cost, err = j.Cost(ctx, who[0]); err != nil {
		return t, err
	}
	t.Exploitability, err = j.Exploitability(ctx, who[0])
	return t, err
}

// Rotate turns the table of these agents [P] through all its seats and returns
// what each agent wins in each seat [P, P]. Each keeps its neighbours.
func (j *ExactEvaluator) Rotations(ctx context.Context, who []*agents.Agent) ([][]float64, error) {
	n := len(who)
	if players := j.game.Spec().Players; n != players {
		return nil, fmt.Errorf("%d agents for a table of %d", n, players)
	}
	win := make([][]float64, n)
	for i := range win {
		win[i] = make([]float64, n)
	}
	for r := range n {
		seats := make([]*agents.Agent, n)
		for i, a := range who {
			seats[(i+r)%n] = a
		}
		shares, err := j.WinShares(ctx, seats)
		if err != nil {
			return nil, err
		}
		for i := range who {
			win[i][(i+r)%n] = shares[(i+r)%n]
		}
	}
	return win, nil
}

// Matrix evaluates all agents against each other: win [n, n] is the share of
// one agent of the row at a table where all others are of the column, the mean
// over its seats.
func (j *ExactEvaluator) Matrix(ctx context.Context, who []*agents.Agent) ([][]float64, error) {
	players := j.game.Spec().Players
	win := make([][]float64, len(who))
	for i := range win {
		win[i] = make([]float64, len(who))
		win[i][i] = 1 / float64(players)
	}
	for i, a := range who {
		for k, b := range who {
			// At a table of two the other's share is known, too.
			if i == k || players == 2 && i < k {
				continue
			}
			shares, err := j.Rotations(ctx, append([]*agents.Agent{a}, slices.Repeat([]*agents.Agent{b}, players-1)...))
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

func names(who []*agents.Agent) []string {
	var list []string
	for _, a := range who {
		list = append(list, a.Name)
	}
	return list
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
