package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"marsgym/env/game/message"
	"marsgym/env/record"
	"marsgym/eval/analysis"
	"marsgym/internal/figure"
	"marsgym/internal/input"
)

// priceGame prices a game for people; number counts the games of the session from 1. Where values
// are estimated, their costliest decisions are valued again with other dice, since the highest of
// many estimates are too high.
func (a *advisor) priceGame(ctx context.Context, rec *record.Game, number int, people []int) error {
	if a == nil {
		return nil
	}
	v, again := a.valuer, a.valuer
	if s, ok := v.(*analysis.Searches); ok {
		whole, part := *s, *s
		whole.Time = pricing * a.think
		part.Time, part.Seed = pricing*a.think/reconsidered, s.Seed^1<<63
		v, again = &whole, &part
	} else if !v.Exact() {
		a.reason = "The game has no win to search for, and rollouts of all its positions take long."
		return nil
	}
	priced, err := analysis.Analyse(ctx, rec, v)
	if errors.Is(err, analysis.ErrTime) {
		a.reason = fmt.Sprintf("The price of the game: %v. A longer -think allows it.", err)
		return nil
	}
	if err != nil {
		return err
	}
	a.priced, a.numbers = append(a.priced, priced), append(a.numbers, number)
	if v.Exact() {
		for _, d := range priced.Decisions {
			if slices.Contains(people, d.Seat) {
				a.sure = append(a.sure, d)
			}
		}
		return nil
	}
	sure, err := priced.Reconsider(ctx, rec, again, people, reconsidered)
	a.sure = append(a.sure, sure...)
	return err
}

// report prints the price of the games to people, with their costliest mistakes.
func (a *advisor) report(w io.Writer, people []int) {
	if a == nil || len(people) == 0 {
		return
	}
	if a.reason != "" {
		fmt.Fprintf(w, "%s\nOr keep the games by -record, and run go run ./cmd/eval games FILE.\n", input.Fit(a.reason, columns))
	}
	if a.priced == nil {
		return
	}
	if !a.valuer.Exact() {
		a.printMethod(fmt.Sprintf("Estimated by %s.", a.priced[0].Method))
	}
	for i, g := range a.priced {
		for _, p := range people {
			s := g.Seats[p]
			fmt.Fprintf(w, "Price of game %d to %s: result %s\n  = start %s + luck %s − own losses %s + others' losses %s", a.numbers[i], a.to.Name(message.Seat(p)), a.figure(s.Result), a.figure(s.Start), a.figure(s.Luck), a.figure(s.Losses), a.figure(s.Others))
			if !a.valuer.Exact() {
				fmt.Fprintf(w, "\n  + correction %s", a.figure(s.Correction))
			}
			fmt.Fprintln(w)
		}
	}
	a.reportMistakes(w)
	a.reportRating(w)
}

func (a *advisor) figure(n analysis.Number) string {
	factor, unit, digits, decimals := 1.0, "", figure.Digits, 4
	if a.spec.HasWin() {
		factor, unit, digits, decimals = 100, " %", figure.Percent, 2
	}
	if n.Exact {
		return digits(n.Value, decimals) + unit
	}
	if reach, ok := n.PlusMinus(); ok {
		return figure.PlusMinus(factor*n.Value, factor*reach, 0) + unit
	}
	return figure.Fixed(factor*n.Value, 0) + unit
}

func (a *advisor) reportMistakes(w io.Writer) {
	slices.SortStableFunc(a.sure, func(x, y analysis.Decision) int { return cmp.Compare(y.Loss.Value, x.Loss.Value) })
	const most = 3 // chosen
	shown := 0
	for _, d := range a.sure {
		if d.Mistake() && shown < most {
			shown++
			fmt.Fprintf(w, "  %s\n    %s lost %s; best is %s\n", d.Position, d.Action, a.figure(d.Loss), d.Best().Action)
		}
	}
	switch {
	case shown > 0:
	case a.valuer.Exact():
		fmt.Fprintln(w, "No choice lost anything.")
	default:
		fmt.Fprintln(w, "No choice lost anything beyond the error of the estimates.")
	}
}

// reportRating prints the estimated rating, or why there is none.
func (a *advisor) reportRating(w io.Writer) {
	switch {
	case !a.spec.HasWin():
		return
	case !a.valuer.Exact():
		fmt.Fprintln(w, "No rating: it compares with best play, and the game is not solved.")
		return
	}
	r := analysis.NewReport(a.spec, a.valuer, a.priced, 0)
	i := slices.IndexFunc(r.Summary, func(p analysis.Player) bool { return p.Name == human })
	if i < 0 {
		return
	}
	rating := r.Summary[i].Rating
	switch {
	case rating == nil:
		fmt.Fprintln(w, "No rating: there was nothing to decide.")
	case rating.Interval == nil:
		fmt.Fprintf(w, "Estimated rating, with best play at 0: %s; one game gives no interval.\n", rating.Text)
	default:
		fmt.Fprintf(w, "Estimated rating, with best play at 0, and its %.0f %% interval: %s\n", 100*r.Confidence, rating.Text)
	}
}
