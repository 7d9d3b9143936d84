package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
)

// table is a person and agents at play, and tells the person all that happens.
type table struct {
	game   env.Game
	spec   game.Spec
	seat   game.Player // the person's; Nobody if the person watches
	person *agents.Human
	agents []*agents.Agent // [P], nil in the person's seat
	out    io.Writer

	at    env.Position
	shown []string // the lines of the picture drawn last
}

// play plays games with the dice of an [env.Env] of that seed.
func (t *table) play(ctx context.Context, games int, seed uint64) error {
	fmt.Fprintf(t.out, "%s. ", t.spec.Title)
	var seats []string
	for i, a := range t.agents {
		if a != nil {
			seats = append(seats, fmt.Sprintf("%s in seat %d", a.Name, i))
		}
	}
	if t.seat >= 0 {
		seats = slices.Insert(seats, 0, fmt.Sprintf("You are in seat %d", t.seat))
	}
	fmt.Fprintf(t.out, "%s.\n", strings.Join(seats, ", "))
	if t.seat >= 0 {
		fmt.Fprintln(t.out, "Type a choice, or as much of it as stands in brackets; ? helps, quit leaves.")
	}
	fmt.Fprintf(t.out, "The same dice again: -seed %d\n", seed)
	dice, noise := rand.NewPCG(seed, 0), rand.NewPCG(seed, 1<<62)
	won := 0.0
	for i := range games {
		if games > 1 {
			fmt.Fprintf(t.out, "\n======== game %d of %d ========\n", i+1, games)
		}
		truncated, err := t.one(ctx, dice, noise)
		if err != nil {
			return err
		}
		won += t.end(truncated)
	}
	if games > 1 && t.spec.HasWin() && t.seat >= 0 {
		fmt.Fprintf(t.out, "You have won %.4g of %d games.\n", won, games)
	}
	return nil
}

// one plays a game, and reports whether it was truncated, as a batch does.
func (t *table) one(ctx context.Context, dice, noise *rand.PCG) (truncated bool, err error) {
	t.at, t.shown = t.game.Initial(), nil
	t.begin(sheetOf(t.at))
	said := "" // before the dice rolled last
	moves, rolls := 0, 0
	for {
		if ctx.Err() != nil && t.seat < 0 { // a person, when asked, leaves
			return false, ctx.Err()
		}
		before, who := t.at, t.at.CurrentPlayer()
		if who != game.Terminal && (t.spec.MoveLimit > 0 && moves >= t.spec.MoveLimit || rolls >= t.spec.ChanceLimit()) {
			return true, nil
		}
		switch who {
		case game.Terminal:
			return false, nil
		case game.Chance:
			rolls++
			// In a turn, what was rolled says enough.
			if text := before.Render(); sheetOf(before).seat < 0 && text != said {
				fmt.Fprintf(t.out, "\n%s\n", text)
				said, t.shown = text, picture(before)
			}
			t.at = before.Sample(dice)
			if text := before.DescribeChance(t.at); text != "" {
				fmt.Fprintf(t.out, "dice> %s\n", text)
			}
		default:
			a, err := t.choose(ctx, who, noise)
			if err != nil {
				return false, err
			}
			if t.at, err = before.Apply(a); err != nil {
				return false, err
			}
			moves, rolls, said = moves+1, 0, ""
		}
		if was, is := sheetOf(before), sheetOf(t.at); t.at.CurrentPlayer() != game.Terminal && was != is {
			t.begin(is)
		}
	}
}

// choose asks whoever moves.
func (t *table) choose(ctx context.Context, who game.Player, noise *rand.PCG) (game.Action, error) {
	var policy env.Policy = t.person
	if who != t.seat {
		policy = t.agents[who]
	}
	probs, err := env.ActionProbabilities(ctx, policy, t.at, t.spec.Actions)
	if err != nil {
		return 0, err
	}
	a := env.SampleAction(probs, noise)
	if who == t.seat {
		t.shown = picture(t.at) // the person has seen all of it
		return a, nil
	}
	line := fmt.Sprintf("seat %d> %-8s  %s", who, t.game.ActionName(a), t.at.DescribeAction(a))
	fmt.Fprintln(t.out, strings.TrimRight(line, " "))
	return a, nil
}

// draw draws what of the position has changed since it was drawn last.
func (t *table) draw() {
	lines := picture(t.at)
	for i, line := range lines {
		if i >= len(t.shown) || line != t.shown[i] {
			fmt.Fprintf(t.out, "  %s\n", line)
		}
	}
	t.shown = lines
}

func picture(p env.Position) []string { return strings.Split(p.Render(), "\n") }

// begin heads a turn, and draws what others have before them.
func (t *table) begin(s sheet) {
	switch {
	case s.seat < 0:
	case game.Player(s.seat) == t.seat:
		fmt.Fprintln(t.out, "\n-------- your turn --------")
	default:
		fmt.Fprintf(t.out, "\n-------- seat %d, %s --------\n", s.seat, t.agents[s.seat].Name)
		t.draw()
	}
}

// end shows the end of a game, and returns the person's share of the win.
func (t *table) end(truncated bool) float64 {
	fmt.Fprintf(t.out, "\n%s\n", t.at.Render())
	if truncated {
		fmt.Fprintf(t.out, "\nThe game does not end by itself and is stopped here: nobody wins.\n")
		return 0
	}
	if t.seat < 0 {
		t.tellAll()
		return 0
	}
	r := t.at.Returns()[t.seat]
	if !t.spec.HasWin() {
		fmt.Fprintf(t.out, "\nYou took %g %s.\n", -r, t.spec.Unit)
		return 0
	}
	share := t.spec.WinShare(r)
	switch {
	case share > 1-game.Tie:
		fmt.Fprintln(t.out, "\nYou win.")
	case share < game.Tie:
		fmt.Fprintln(t.out, "\nYou lose.")
	default:
		fmt.Fprintf(t.out, "\nYou share the win: %.4g of it is yours.\n", share)
	}
	return share
}

// tellAll tells who watches how a game has ended.
func (t *table) tellAll() {
	fmt.Fprintln(t.out)
	for i, r := range t.at.Returns() {
		if !t.spec.HasWin() {
			fmt.Fprintf(t.out, "Seat %d, %s, took %g %s.\n", i, t.agents[i].Name, -r, t.spec.Unit)
		} else if share := t.spec.WinShare(r); share > 1-game.Tie {
			fmt.Fprintf(t.out, "Seat %d, %s, wins.\n", i, t.agents[i].Name)
		} else if share > game.Tie {
			fmt.Fprintf(t.out, "Seat %d, %s, gets %.4g of the win.\n", i, t.agents[i].Name, share)
		}
	}
}
