package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"marsgym/agents"
	"marsgym/analysis"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/record"
)

// rollouts is the number of games from each option where the game is not solved. Chosen:
// a hint of the small map of Martian Risk takes about a second.
const rollouts = 48

// advisor values positions for hints, for the coach and for the price at the end: exactly
// where the game is solved, elsewhere by games of an agent. A nil advisor is silent.
type advisor struct {
	ctx    context.Context // of the session: at the prompt a policy has none
	game   env.Game
	spec   game.Spec
	valuer analysis.Valuer
	coach  float64 // the share of the win, or of the unit, above which it warns; 0 for never
	priced []*analysis.Game
}

// newAdvisor returns the advisor of a game. Where the game is not solved, the agent plays.
func newAdvisor(ctx context.Context, s *solver, agent *agents.Agent, seed uint64) (*advisor, error) {
	a := &advisor{ctx: ctx, game: s.game, spec: s.game.Spec()}
	solution, err := s.solve(ctx)
	switch {
	case err == nil:
		a.valuer = analysis.NewExact(a.spec, solution)
	case errors.Is(err, game.ErrNoSolution):
		a.valuer = &analysis.Rollouts{Game: s.game, Agent: agent, Name: agent.Name, Number: rollouts, Seed: seed}
		fmt.Fprintf(s.out, "The game is not solved: advice is estimated by %d games of %s from each option.\n", rollouts, agent.Name)
	default:
		return nil, err
	}
	return a, nil
}

// value writes a value to the mover.
func (a *advisor) value(n analysis.Number) string {
	switch {
	case !a.spec.HasWin():
		return fmt.Sprintf("%8.4f %s", -n.Value, a.spec.Unit)
	case n.Exact:
		return fmt.Sprintf("wins %8.4f %%", 100*n.Value)
	}
	return fmt.Sprintf("about %.0f±%.0f %%", 100*n.Value, 50*(n.High-n.Low))
}

// decide returns the options of a position by name, and the best.
func (a *advisor) decide(at env.Position) (map[string]analysis.Option, analysis.Option, error) {
	list, err := analysis.Decide(a.ctx, a.game, at, a.valuer)
	if err != nil {
		return nil, analysis.Option{}, err
	}
	byName := map[string]analysis.Option{}
	for _, o := range list {
		byName[o.Action] = o
	}
	return byName, list[0], nil
}

// hints returns the value of each legal action to the mover.
func (a *advisor) hints(at env.Position) (list []agents.Hint, err error) {
	options, _, err := a.decide(at)
	if err != nil {
		return nil, err
	}
	for _, action := range at.Legal() {
		v := options[a.game.ActionName(action)].Value
		list = append(list, agents.Hint{Text: a.value(v), Value: v.Value})
	}
	return list, nil
}

// print prints the best options.
func (a *advisor) print(w io.Writer, at env.Position) error {
	if a == nil {
		fmt.Fprintln(w, "No: hints need -hints or -coach.")
		return nil
	}
	list, err := analysis.Decide(a.ctx, a.game, at, a.valuer)
	if err != nil {
		return err
	}
	const most = 5 // chosen
	for _, o := range list[:min(most, len(list))] {
		fmt.Fprintf(w, "  %-16s  %s\n", o.Action, a.value(o.Value))
	}
	return nil
}

// confirm returns a warning before an action that loses more than the coach allows.
func (a *advisor) confirm(at env.Position, action game.Action) (string, error) {
	options, best, err := a.decide(at)
	if err != nil {
		return "", err
	}
	chosen := options[a.game.ActionName(action)]
	if !(chosen.Regret.Value > a.coach) || chosen.Regret.Low <= game.Tie {
		return "", nil
	}
	describe := func(name string) string {
		for _, action := range at.Legal() {
			if a.game.ActionName(action) == name {
				return name + " (" + at.DescribeAction(action) + ")"
			}
		}
		return name
	}
	loss := fmt.Sprintf("%.4f %s", chosen.Regret.Value, a.spec.Unit)
	if a.spec.HasWin() {
		loss = fmt.Sprintf("%.2f %% of the win", 100*chosen.Regret.Value)
	}
	return fmt.Sprintf("Coach: this loses %s.\n  %s: %s\n  %s: %s", loss,
		describe(best.Action), strings.TrimSpace(a.value(best.Value)), describe(chosen.Action), strings.TrimSpace(a.value(chosen.Value))), nil
}

// priceGame prices a game, where values are exact: estimates of all positions of a game
// take minutes.
func (a *advisor) priceGame(ctx context.Context, rec *record.Game) error {
	if a == nil || !a.valuer.Exact() {
		return nil
	}
	priced, err := analysis.Analyse(ctx, rec, a.valuer)
	if err != nil {
		return err
	}
	a.priced = append(a.priced, priced)
	return nil
}

// report prints the price of the games to people, with their dearest mistakes.
func (a *advisor) report(w io.Writer, people []int) {
	if a == nil || len(people) == 0 {
		return
	}
	if a.priced == nil {
		fmt.Fprintln(w, "To price the games, keep them with -record and run go run ./cmd/eval -games-file FILE.")
		return
	}
	share := func(n analysis.Number) string {
		if a.spec.HasWin() {
			return fmt.Sprintf("%.2f %%", 100*n.Value)
		}
		return fmt.Sprintf("%.4f", n.Value)
	}
	for i, g := range a.priced {
		for _, p := range people {
			s := g.Seats[p]
			fmt.Fprintf(w, "Price of game %d to seat %d: result %s = start %s + luck %s − own losses %s + others' losses %s\n",
				i+1, p, share(s.Result), share(s.Start), share(s.Luck), share(s.Losses), share(s.Others))
		}
	}
	const most = 3 // chosen
	r := analysis.NewReport(a.spec, a.valuer, a.priced, len(a.priced)*1000)
	shown := 0
	for _, m := range r.Worst {
		if m.Player != human || shown == most {
			continue
		}
		shown++
		fmt.Fprintf(w, "  %s\n    %s lost %s; best is %s\n", m.Position, m.Action, share(m.Loss), m.Best().Action)
	}
	for _, p := range r.Summary {
		if p.Name == human && p.Rating != nil {
			text := "one game gives no interval"
			if x := p.Rating.Interval; x != nil {
				text = fmt.Sprintf("%.0f to %.0f, at a level of %.0f %%", x[0], x[1], 100*r.Confidence)
			}
			fmt.Fprintf(w, "Estimated rating, with best play at 0: %.0f (%s)\n", p.Rating.Value, text)
		}
	}
}
