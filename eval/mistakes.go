package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
)

// Blunders are an agent's mistakes against optimal play, priced. All figures
// are per game, with the agent in each seat equally often and optimal play in
// the others.
type MistakeReport struct {
	Agent      string    `json:"agent"`
	Method     string    `json:"method"`       // "exact"
	Loss       float64   `json:"loss"`         // of win probability: the sum of the costs of all mistakes
	LossBySeat []float64 `json:"loss_by_seat"` // [P]; Loss is their mean

	Mistakes      float64 `json:"mistakes"`  // made in a game
	LargeMistakes float64 `json:"blunders"`  // mistakes made in a game whose regret is above Threshold
	Threshold     float64 `json:"threshold"` // of win probability

	Kinds      []MistakeGroup `json:"kinds"`      // the dearest first, and so below
	Situations []MistakeGroup `json:"situations"` // empty where the game tells none apart
	Worst      []Mistake      `json:"dearest"`
}

// Account is what mistakes of one sort come to in a game.
type MistakeGroup struct {
	Name  string  `json:"name"`
	Times float64 `json:"times"` // how often they are made
	Cost  float64 `json:"cost"`  // the win probability that they lose
}

// Blunder is a mistake: an action in a position where another is better.
type Mistake struct {
	Position  string  `json:"position"` // one of those that offer the choice
	Action    string  `json:"action"`
	Best      string  `json:"best"`
	Cost      float64 `json:"cost"`   // win probability lost in a game: reach · prob · regret
	Reach     float64 `json:"reach"`  // times a game that the choice comes up
	Prob      float64 `json:"prob"`   // of the action, once there
	Regret    float64 `json:"regret"` // win probability lost by the action
	Kind      string  `json:"kind"`
	Situation string  `json:"situation,omitempty"`
}

// blunder is the regret above which a mistake is a blunder. Chosen: one game in
// a thousand.
const blunder = 0.001

// Blunders prices every decision of an agent and lists the n dearest mistakes.
// It asks the agent anew, about as much as Cost says.
func (j *ExactEvaluator) Mistakes(ctx context.Context, a *agents.Agent, n int) (MistakeReport, error) {
	spec := j.game.Spec()
	b := MistakeReport{Agent: a.Name, Method: "exact", Threshold: blunder, LossBySeat: make([]float64, spec.Players)}
	kinds, situations := map[string]*MistakeGroup{}, map[string]*MistakeGroup{}
	share := 1 / float64(spec.Players) // of games in that seat
	for seat := range b.LossBySeat {
		j.report(fmt.Sprintf("pricing every decision of %s in seat %d", a.Name, seat))
		err := j.solution.Regrets(ctx, a.Policy, game.Player(seat), func(r env.Regret) error {
			m := Mistake{
				Reach: r.Reach * share, Prob: r.Prob, Regret: r.Loss / (spec.Win - spec.Loss),
				Kind: r.Kind, Situation: r.Situation,
			}
			times := m.Reach * m.Prob
			m.Cost = times * m.Regret
			b.LossBySeat[seat] += m.Cost / share
			b.Mistakes += times
			if m.Regret > blunder {
				b.LargeMistakes += times
			}
			enter(kinds, m.Kind, times, m.Cost)
			enter(situations, m.Situation, times, m.Cost)
			at := len(b.Worst) // after those that cost as much
			for at > 0 && b.Worst[at-1].Cost < m.Cost {
				at--
			}
			if at == n {
				return nil
			}
			m.Position, m.Action, m.Best = r.Position().String(), j.game.ActionName(r.Action), j.game.ActionName(r.Best)
			if len(b.Worst) == n {
				b.Worst = b.Worst[:n-1]
			}
			b.Worst = slices.Insert(b.Worst, at, m)
			return nil
		})
		if err != nil {
			return b, err
		}
		b.Loss += b.LossBySeat[seat] * share
	}
	delete(situations, "")
	b.Kinds, b.Situations = ranked(kinds), ranked(situations)
	return b, nil
}

func enter(accounts map[string]*MistakeGroup, name string, times, cost float64) {
	a := accounts[name]
	if a == nil {
		a = &MistakeGroup{Name: name}
		accounts[name] = a
	}
	a.Times += times
	a.Cost += cost
}

func ranked(accounts map[string]*MistakeGroup) []MistakeGroup {
	list := []MistakeGroup{}
	for _, a := range accounts {
		list = append(list, *a)
	}
	slices.SortFunc(list, func(a, b MistakeGroup) int { return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.Name, b.Name)) })
	return list
}
