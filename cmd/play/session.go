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
	"marsgym/record"
)

// session plays games of agents and at most one person, and prints all that happens.
type session struct {
	game    env.Game
	spec    game.Spec
	seat    game.Player // of the person; Terminal with -watch
	person  *agents.Human
	agents  []*agents.Agent // [P], nil in the seat of the person
	seed    uint64          // of the dice
	out     io.Writer
	records io.Writer // of the games; nil for none

	rec   *record.Game // the game in progress
	at    env.Position
	shown []string // the lines of the last rendering that was printed
}

// help says what a person can type.
const help = `Type an action, a part of it, or one of these: ? lists the actions, ? WORD some
of them; rules shows the rules, rules WORD a part of them; quit ends the game.`

// command carries out a command of a person, if it is one.
func (s *session) command(_ env.Position, words []string) (known bool, err error) {
	switch words[0] {
	case "rules":
		return true, printRules(s.out, s.spec, strings.Join(words[1:], " "))
	}
	return false, nil
}

// play plays games with the dice of an [env.Env] with the seed.
func (s *session) play(ctx context.Context, games int) error {
	fmt.Fprintf(s.out, "%s. ", s.spec.Title)
	var seats []string
	for i, a := range s.agents {
		if a != nil {
			seats = append(seats, fmt.Sprintf("%s in seat %d", a.Name, i))
		}
	}
	if s.seat >= 0 {
		seats = slices.Insert(seats, 0, fmt.Sprintf("You are in seat %d", s.seat))
	}
	fmt.Fprintf(s.out, "%s.\n", strings.Join(seats, ", "))
	if s.seat >= 0 {
		fmt.Fprintln(s.out, help)
	}
	fmt.Fprintf(s.out, "To repeat these dice: -seed %d\n", s.seed)
	dice, noise := rand.NewPCG(s.seed, 0), rand.NewPCG(s.seed, 1<<62)
	won := 0.0
	for i := range games {
		if games > 1 {
			fmt.Fprintf(s.out, "\n======== game %d of %d ========\n", i+1, games)
		}
		s.rec = record.New(s.game, s.names())
		s.rec.Seed = &s.seed
		truncated, err := s.one(ctx, dice, noise)
		s.rec.Truncated = truncated
		if err := s.save(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		won += s.end(truncated)
	}
	if games > 1 && s.spec.HasWin() && s.seat >= 0 {
		fmt.Fprintf(s.out, "You have won %.4g of %d games.\n", won, games)
	}
	return nil
}

// names returns the names of the seats.
func (s *session) names() []string {
	names := make([]string, len(s.agents))
	for i, a := range s.agents {
		names[i] = "human"
		if a != nil {
			names[i] = a.Name
		}
	}
	return names
}

// save adds the game to the records. It leaves out a game without a move.
func (s *session) save() error {
	if s.records == nil || len(s.rec.Steps) == 0 {
		return nil
	}
	return s.rec.Write(s.records)
}

// one plays a game and reports whether it was truncated, as in a batch.
func (s *session) one(ctx context.Context, dice, noise *rand.PCG) (truncated bool, err error) {
	s.at, s.shown = s.game.Initial(), nil
	s.begin(turnOf(s.at))
	printed := "" // the text before the last roll
	moves, rolls := 0, 0
	eyes := rand.NewPCG(s.seed, 1<<61) // rolls that are shown; it changes no result
	for {
		if ctx.Err() != nil && s.seat < 0 { // a person quits when the input ends
			return false, ctx.Err()
		}
		before, mover := s.at, s.at.CurrentPlayer()
		if mover != game.Terminal && (s.spec.MoveLimit > 0 && moves >= s.spec.MoveLimit || rolls >= s.spec.ChanceLimit()) {
			return true, nil
		}
		switch mover {
		case game.Terminal:
			return false, nil
		case game.Chance:
			rolls++
			// Within a turn the description of the roll is enough.
			if text := before.Render(); turnOf(before).seat < 0 && text != printed {
				fmt.Fprintf(s.out, "\n%s\n", text)
				printed, s.shown = text, lines(before)
			}
			s.at = before.Sample(dice)
			s.rec.Chance(s.at)
			s.tell("dice> ", before.Narrate(s.at, 0, before.DrawRoll(s.at, eyes)))
		default:
			a, err := s.choose(ctx, mover, noise)
			if err != nil {
				return false, err
			}
			if err := s.rec.Apply(a); err != nil {
				return false, err
			}
			s.at = s.rec.Position()
			s.tell("  ", before.Narrate(s.at, a, ""))
			moves, rolls, printed = moves+1, 0, ""
		}
		if was, is := turnOf(before), turnOf(s.at); s.at.CurrentPlayer() != game.Terminal && was != is {
			s.begin(is)
		}
	}
}

// tell prints what happened, with first before the first line.
func (s *session) tell(first string, told []string) {
	for _, line := range told {
		fmt.Fprintf(s.out, "%s%s\n", first, line)
		first = strings.Repeat(" ", len(first))
	}
}

// choose returns the action of the mover.
func (s *session) choose(ctx context.Context, mover game.Player, noise *rand.PCG) (game.Action, error) {
	var policy env.Policy = s.person
	if mover != s.seat {
		policy = s.agents[mover]
	}
	probs, err := env.ActionProbabilities(ctx, policy, s.at, s.spec.Actions)
	if err != nil {
		return 0, err
	}
	a := env.SampleAction(probs, noise)
	if mover == s.seat {
		s.shown = lines(s.at) // the person has seen all of them
		return a, nil
	}
	line := fmt.Sprintf("seat %d> %-8s  %s", mover, s.game.ActionName(a), s.at.DescribeAction(a))
	fmt.Fprintln(s.out, strings.TrimRight(line, " "))
	return a, nil
}

// printChanges prints the lines of the position that differ from those printed last.
func (s *session) printChanges() {
	now := lines(s.at)
	for i, line := range now {
		if i >= len(s.shown) || line != s.shown[i] {
			fmt.Fprintf(s.out, "  %s\n", line)
		}
	}
	s.shown = now
}

// lines returns the lines of the rendering of a position.
func lines(p env.Position) []string { return strings.Split(p.Render(), "\n") }

// begin prints the heading of a turn and, in turns of others, the position.
func (s *session) begin(t turnInfo) {
	switch {
	case t.seat < 0:
	case game.Player(t.seat) == s.seat:
		fmt.Fprintln(s.out, "\n-------- your turn --------")
	default:
		fmt.Fprintf(s.out, "\n-------- seat %d, %s --------\n", t.seat, s.agents[t.seat].Name)
		s.printChanges()
	}
}

// end prints the end of a game and returns the person's share of the win.
func (s *session) end(truncated bool) float64 {
	fmt.Fprintf(s.out, "\n%s\n", s.at.Render())
	if truncated {
		fmt.Fprintf(s.out, "\nThe game has reached the move limit and is stopped: nobody wins.\n")
		return 0
	}
	if s.seat < 0 {
		s.printResults()
		return 0
	}
	r := s.at.Returns()[s.seat]
	if !s.spec.HasWin() {
		fmt.Fprintf(s.out, "\nYou took %g %s.\n", -r, s.spec.Unit)
		return 0
	}
	share := s.spec.WinShare(r)
	switch {
	case share > 1-game.Tie:
		fmt.Fprintln(s.out, "\nYou win.")
	case share < game.Tie:
		fmt.Fprintln(s.out, "\nYou lose.")
	default:
		fmt.Fprintf(s.out, "\nYou share the win: %.4g of it is yours.\n", share)
	}
	return share
}

// printResults prints the result of each seat.
func (s *session) printResults() {
	fmt.Fprintln(s.out)
	for i, r := range s.at.Returns() {
		if !s.spec.HasWin() {
			fmt.Fprintf(s.out, "Seat %d, %s, took %g %s.\n", i, s.agents[i].Name, -r, s.spec.Unit)
		} else if share := s.spec.WinShare(r); share > 1-game.Tie {
			fmt.Fprintf(s.out, "Seat %d, %s, wins.\n", i, s.agents[i].Name)
		} else if share > game.Tie {
			fmt.Fprintf(s.out, "Seat %d, %s, gets %.4g of the win.\n", i, s.agents[i].Name, share)
		}
	}
}
