package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"marsgym/agents"
	"marsgym/cmd/play/dialogue"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/eval/analysis"
	"marsgym/internal/cli"
	"marsgym/internal/figure"
	"marsgym/internal/input"
)

const (
	// searches is the number of searches from each option where the game is not solved.
	// Chosen: fewer have no intervals, and more leave each little time.
	searches = 4
	// rollouts is the number of games from each option where there is no win to search for.
	// Chosen.
	rollouts = 48
	// pricing is the time for the price of a game, in times of a hint. Chosen.
	pricing = 30
	// reconsidered is the number of the costliest decisions that are valued again. Chosen.
	reconsidered = 5
)

// advisor values positions for hints, for the coach and for the price at the end: exactly
// where the game is solved, elsewhere by searches in a limited time. A nil advisor is
// silent.
type advisor struct {
	ctx     context.Context // of the session: at the prompt a policy has none
	game    env.Game
	spec    game.Spec
	out     io.Writer
	valuer  analysis.Valuer
	think   time.Duration // of a hint, where values are estimated
	to      message.Speaker
	coach   float64 // the share of the win, or of the unit, above which it warns; 0 for never
	priced  []*analysis.Game
	numbers []int               // of the priced games in the session, from 1
	sure    []analysis.Decision // decisions whose losses are estimated twice
	reason  string              // why the games are not priced

	at      env.Position // of the last decision
	options []analysis.Option
}

// newAdvisor returns the advisor of a game. Where it is not solved, the network of the name
// evaluates positions, or the game's bot if there is none.
func newAdvisor(ctx context.Context, table *cli.Agents, out io.Writer, network string, think time.Duration, seed uint64) (*advisor, error) {
	g := table.Game
	a := &advisor{ctx: ctx, game: g, spec: g.Spec(), out: out, think: think}
	solution, err := table.Solve(ctx)
	if err == nil {
		a.valuer = analysis.NewExact(a.spec, solution)
		return a, nil
	}
	if !errors.Is(err, game.ErrNoSolution) {
		return nil, err
	}
	bot := agents.BestBot(g)
	if !a.spec.HasWin() {
		agent, err := table.Open(ctx, bot)
		if err != nil {
			return nil, err
		}
		a.valuer = &analysis.Rollouts{Game: g, Agent: agent, Name: bot, Number: rollouts, Seed: seed}
		a.printMethod(fmt.Sprintf("The game is not solved: advice is estimated by %d games of %s from each option.", rollouts, bot))
		return a, nil
	}
	v := &analysis.Searches{Game: g, Name: bot, Number: searches, Time: think, Seed: seed}
	if network != "" {
		if v.Evaluator, err = agents.OpenEvaluator(network, agents.Options{Game: g}); err != nil {
			return nil, &cli.UsageError{Err: fmt.Errorf("-network: %w", err)}
		}
		v.Name = network
	}
	a.valuer = v
	a.printMethod(fmt.Sprintf("The game is not solved: advice is estimated by %d searches with %s, %v for each choice.", v.Number, v.Name, think))
	return a, nil
}

// printMethod prints how values are estimated, and what stands behind ±.
func (a *advisor) printMethod(text string) {
	fmt.Fprintf(a.out, "%s\n%s\n", input.Fit(text, columns), input.Fit(a.valuer.About(), columns))
}

func (a *advisor) value(n analysis.Number) string {
	switch {
	case !a.spec.HasWin():
		return fmt.Sprintf("%8s %s", figure.Digits(a.spec.Counted(n.Value), 4), a.spec.Unit)
	case n.Exact:
		return fmt.Sprintf("wins %8s %%", figure.Percent(n.Value, 4))
	}
	share := min(max(n.Value, 0), 1) // estimates can lie beyond what is possible
	if reach, ok := n.PlusMinus(); ok {
		return "about " + figure.PlusMinus(100*share, 100*reach, 0) + " %"
	}
	return "about " + figure.Chance(share) + " %"
}

// rank returns the options of a position, the best first; none if there is no time for
// estimates.
func (a *advisor) rank(at env.Position) ([]analysis.Option, error) {
	if a.at == at {
		return a.options, nil
	}
	list, err := analysis.Decide(a.ctx, a.game, at, a.valuer)
	if errors.Is(err, analysis.ErrTime) {
		fmt.Fprintln(a.out, "\n"+input.Fit(fmt.Sprintf("No advice here: %v. A longer -think allows it.", err), columns))
		err = nil
	}
	if err != nil {
		return nil, err
	}
	a.at, a.options = at, list
	return list, nil
}

// decide returns the options of a position by name, and the best.
func (a *advisor) decide(at env.Position) (map[string]analysis.Option, analysis.Option, error) {
	list, err := a.rank(at)
	if err != nil || list == nil {
		return nil, analysis.Option{}, err
	}
	byName := map[string]analysis.Option{}
	for _, o := range list {
		byName[o.Action] = o
	}
	return byName, list[0], nil
}

// hints returns the value of each legal action to the mover.
func (a *advisor) hints(at env.Position) (list []dialogue.Hint, err error) {
	options, _, err := a.decide(at)
	if err != nil || options == nil {
		return nil, err
	}
	for _, action := range at.Legal() {
		v := options[a.game.ActionName(action)].Value
		list = append(list, dialogue.Hint{Text: a.value(v), Value: v.Value})
	}
	return list, nil
}

func (a *advisor) print(w io.Writer, at env.Position) error {
	if a == nil {
		fmt.Fprintln(w, "No: hints need -hints or -coach.")
		return nil
	}
	list, err := a.rank(at)
	if err != nil {
		return err
	}
	const most = 5 // chosen
	if !a.valuer.Exact() {
		fmt.Fprintln(w, input.Fit(fmt.Sprintf("Estimated by %s.", a.valuer.Method()), columns))
	}
	for _, o := range list[:min(most, len(list))] {
		fmt.Fprintf(w, "  %-16s  %s\n", o.Action, a.value(o.Value))
	}
	equal := 0 // that are not listed
	for _, o := range list[min(most, len(list)):] {
		if a.valuer.Exact() && o.Regret.Value <= game.Tie {
			equal++
		}
	}
	if equal > 0 {
		fmt.Fprintf(w, "  and %d more as good as the best\n", equal)
	}
	return nil
}

// confirm returns a warning before an action that loses more than the coach allows.
func (a *advisor) confirm(at env.Position, action game.Action) (string, error) {
	options, best, err := a.decide(at)
	if err != nil || options == nil {
		return "", err
	}
	chosen := options[a.game.ActionName(action)]
	if !(chosen.Regret.Value > a.coach) || chosen.Regret.Low <= game.Tie {
		return "", nil
	}
	var b strings.Builder
	describe := func(o analysis.Option) {
		name := o.Action
		for _, action := range at.Legal() {
			if a.game.ActionName(action) == o.Action {
				name += " (" + a.to.Say(at.DescribeAction(action)) + ")"
			}
		}
		input.Wrap(&b, "  ", "    ", name+": "+strings.TrimSpace(a.value(o.Value)), columns)
	}
	loss := figure.Digits(chosen.Regret.Value, 4) + " " + a.spec.Unit
	if a.spec.HasWin() {
		loss = figure.Percent(chosen.Regret.Value, 2) + " % of the win"
	}
	fmt.Fprintf(&b, "Coach: this loses %s.\n", loss)
	describe(best)
	describe(chosen)
	return strings.TrimSuffix(b.String(), "\n"), nil
}
