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

// MistakeReport lists the mistakes of an agent: its decisions with a regret above
// [game.Tie]. All figures are per game, with the agent in each seat equally often and
// optimal play in the others.
type MistakeReport struct {
	Agent      string    `json:"agent"`
	Method     string    `json:"method"`       // "exact"
	Loss       float64   `json:"loss"`         // of win probability: the sum of the costs of all mistakes
	LossBySeat []float64 `json:"loss_by_seat"` // [P]; Loss is their mean

	Mistakes      float64 `json:"mistakes"`       // expected number in a game
	LargeMistakes float64 `json:"large_mistakes"` // expected number of those with a regret above Threshold
	Threshold     float64 `json:"threshold"`      // of win probability

	Kinds      []MistakeGroup `json:"kinds"`      // by descending cost, as the other lists
	Situations []MistakeGroup `json:"situations"` // empty if the game labels no situations
	Worst      []Mistake      `json:"worst"`      // the mistakes of the highest cost
}

// MistakeGroup is the sum over the mistakes of one kind or in one situation.
type MistakeGroup struct {
	Name  string  `json:"name"`
	Times float64 `json:"times"` // expected number in a game
	Cost  float64 `json:"cost"`  // loss of win probability in a game
}

// Mistake is an action in a position in which another action is better.
type Mistake struct {
	Position  string  `json:"position"` // one of those in which the decision arises
	Action    string  `json:"action"`
	Best      string  `json:"best"`
	Cost      float64 `json:"cost"`   // loss of win probability in a game: reach · prob · regret
	Reach     float64 `json:"reach"`  // expected number of times that the decision arises in a game
	Prob      float64 `json:"prob"`   // of the action in this decision
	Regret    float64 `json:"regret"` // loss of win probability by the action
	Kind      string  `json:"kind"`
	Situation string  `json:"situation,omitempty"`
}

// largeRegret is the regret above which a mistake is large. Chosen: one game in a
// thousand.
const largeRegret = 0.001

// Mistakes computes the regret of every decision of an agent and lists the n mistakes
// of the highest cost. It calls the agent's policy in every position, about as often
// as Cost does.
func (e *ExactEvaluator) Mistakes(ctx context.Context, a *agents.Agent, n int) (MistakeReport, error) {
	spec := e.game.Spec()
	r := MistakeReport{Agent: a.Name, Method: "exact", Threshold: largeRegret, LossBySeat: make([]float64, spec.Players)}
	kinds, situations := map[string]*MistakeGroup{}, map[string]*MistakeGroup{}
	part := 1 / float64(spec.Players) // of the games, in which the agent has that seat
	for seat := range r.LossBySeat {
		e.report(fmt.Sprintf("regret of %s in seat %d", a.Name, seat))
		err := e.solution.Regrets(ctx, a.Policy, game.Player(seat), func(x env.Regret) error {
			m := Mistake{
				Reach: x.Reach * part, Prob: x.Prob, Regret: x.Loss / (spec.Win - spec.Loss),
				Kind: x.Kind, Situation: x.Situation,
			}
			times := float64(m.Reach * m.Prob)
			m.Cost = float64(times * m.Regret)
			r.LossBySeat[seat] += m.Cost / part
			r.Mistakes += times
			if m.Regret > largeRegret {
				r.LargeMistakes += times
			}
			add(kinds, m.Kind, times, m.Cost)
			add(situations, m.Situation, times, m.Cost)
			at := len(r.Worst) // after those of the same cost
			for at > 0 && r.Worst[at-1].Cost < m.Cost {
				at--
			}
			if at == n {
				return nil
			}
			m.Position, m.Action, m.Best = x.Position().String(), e.game.ActionName(x.Action), e.game.ActionName(x.Best)
			if len(r.Worst) == n {
				r.Worst = r.Worst[:n-1]
			}
			r.Worst = slices.Insert(r.Worst, at, m)
			return nil
		})
		if err != nil {
			return r, err
		}
		r.Loss += float64(r.LossBySeat[seat] * part)
	}
	delete(situations, "")
	r.Kinds, r.Situations = byCost(kinds), byCost(situations)
	return r, nil
}

func add(groups map[string]*MistakeGroup, name string, times, cost float64) {
	g := groups[name]
	if g == nil {
		g = &MistakeGroup{Name: name}
		groups[name] = g
	}
	g.Times += times
	g.Cost += cost
}

func byCost(groups map[string]*MistakeGroup) []MistakeGroup {
	list := []MistakeGroup{}
	for _, g := range groups {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b MistakeGroup) int { return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.Name, b.Name)) })
	return list
}
