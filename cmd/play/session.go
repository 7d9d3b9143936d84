package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/record"
)

// session plays games of agents and people, and prints all that happens.
type session struct {
	game    env.Game
	spec    game.Spec
	agents  []*agents.Agent // [P], nil in the seats of people
	person  *agents.Human   // at the prompt, for all people
	advisor *advisor        // nil without -hints and -coach
	typed   bool            // people roll the dice and type what they show
	seed    uint64          // of the dice
	out     io.Writer
	records *os.File // to which the games are added; nil for none

	resumed *record.Game // the game to go on with; nil for none
	rec     *record.Game // the game in progress
	at      env.Position
	shown   []string // the lines of the last rendering that was printed
	told    []string // what the last transition did
	moves   int      // actions in the game
	rolls   int      // transitions of chance since the last of them
	repeats int      // of the last choice, without asking
	dice    *rand.PCG
	noise   *rand.PCG
	eyes    *rand.PCG // draws the rolls that are shown; it changes no result
}

// errCommand is returned by a choice when a command decides how the game goes on.
var errCommand = errors.New("a command is carried out")

// people lists the seats of people.
func (s *session) people() (seats []int) {
	for i, a := range s.agents {
		if a == nil {
			seats = append(seats, i)
		}
	}
	return seats
}

// isPerson reports whether a person sits in a seat.
func (s *session) isPerson(p game.Player) bool { return p >= 0 && s.agents[p] == nil }

// play plays games with the dice of an [env.Env] with the seed.
func (s *session) play(ctx context.Context, games int) error {
	s.printTable()
	s.dice, s.noise, s.eyes = rand.NewPCG(s.seed, 0), rand.NewPCG(s.seed, 1<<62), rand.NewPCG(s.seed, 1<<61)
	won := 0.0
	for i := range games {
		if games > 1 {
			fmt.Fprintf(s.out, "\n======== game %d of %d ========\n", i+1, games)
		}
		s.rec = record.New(s.game, s.names())
		if i == 0 && !s.typed {
			s.rec.Seed = &s.seed
		}
		if s.resumed != nil && i == 0 {
			s.goOn()
		}
		truncated, err := s.one(ctx)
		s.rec.Truncated = truncated
		if err := s.save(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		won += s.end(truncated)
		if err := s.advisor.priceGame(ctx, s.rec, s.people()); err != nil {
			return err
		}
	}
	if people := s.people(); games > 1 && s.spec.HasWin() && len(people) == 1 {
		fmt.Fprintf(s.out, "You have won %.4g of %d games.\n", won, games)
	}
	s.advisor.report(s.out, s.people())
	return nil
}

// Budgets of a search from which on people are told of them. Chosen: a person wonders after
// ten seconds, in which a search of a long game has some 100,000 simulations.
const (
	patience        = 10 * time.Second
	manySimulations = 100_000
)

// printTable prints who plays, and what people can type.
func (s *session) printTable() {
	fmt.Fprintf(s.out, "%s.\n", s.spec.Title)
	var seats, people []string
	for i, a := range s.agents {
		if a != nil {
			seats = append(seats, fmt.Sprintf("%s in seat %d", a.Name, i))
		} else {
			people = append(people, fmt.Sprint(i))
		}
	}
	switch len(people) {
	case 0:
	case 1:
		seats = append([]string{"You are in seat " + people[0]}, seats...)
	default:
		seats = append([]string{"People are in seats " + strings.Join(people, ", ")}, seats...)
	}
	fmt.Fprintf(s.out, "%s.\n", strings.Join(seats, ", "))
	for i, a := range s.agents {
		if a == nil {
			continue
		}
		switch n, d := agents.Budget(a.Name); {
		case d >= patience:
			fmt.Fprintf(s.out, "The agent in seat %d thinks for up to %v at each choice; Ctrl-C quits.\n", i, d)
		case n >= manySimulations:
			fmt.Fprintf(s.out, "The agent in seat %d thinks for %d simulations at each choice, which takes long; Ctrl-C quits.\n", i, n)
		}
	}
	if len(people) > 0 {
		fmt.Fprintln(s.out, help)
		if scene := s.game.Initial().Scene(); scene != nil && scene.Map != nil {
			fmt.Fprintln(s.out, "?map explains the map, ?seats lists what the seats have.")
		}
	}
	if s.typed {
		fmt.Fprintln(s.out, "You roll the dice of all seats and type what they show.")
	} else {
		fmt.Fprintf(s.out, "To repeat these dice: -seed %d\n", s.seed)
	}
}

// human is the name of a person in records.
const human = "human"

// names returns the names of the seats.
func (s *session) names() []string {
	names := make([]string, len(s.agents))
	for i, a := range s.agents {
		names[i] = human
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
	if err := s.rec.Append(s.records); err != nil {
		return fmt.Errorf("-record: %w", err)
	}
	return nil
}

// goOn takes the game to go on with, and brings the dice to where they were.
func (s *session) goOn() {
	s.rec = s.resumed
	if s.rec.Seed == nil {
		return
	}
	for _, step := range s.rec.Steps {
		if step.Chance() {
			step.Before.Sample(s.dice)
		} else {
			env.SampleAction([]float64{1}, s.noise)
		}
	}
}

// one plays a game and reports whether it was truncated, as in a batch.
func (s *session) one(ctx context.Context) (truncated bool, err error) {
	s.at, s.shown, s.told = s.rec.Position(), nil, nil
	s.recount()
	s.begin(turnOf(s.at))
	printed := false // the position before the rolls since the last move
	for {
		if ctx.Err() != nil && len(s.people()) == 0 { // a person quits when the input ends
			return false, ctx.Err()
		}
		before, mover := s.at, s.at.CurrentPlayer()
		if mover != game.Terminal && s.atLimit() {
			return true, nil
		}
		switch mover {
		case game.Terminal:
			return false, nil
		case game.Chance:
			// Within a turn the description of the roll is enough.
			if turnOf(before).seat < 0 && !printed {
				fmt.Fprintf(s.out, "\n%s\n", before.Render())
				printed, s.shown = true, lines(before)
			}
			if err := s.roll(before); err != nil {
				return false, err
			}
		default:
			switch err := s.move(ctx, mover); {
			case err == errCommand:
				continue
			case err != nil:
				return false, err
			}
			printed = false
		}
		if was, is := turnOf(before), turnOf(s.at); s.at.CurrentPlayer() != game.Terminal && was != is {
			s.begin(is)
		}
	}
}

// count counts the last transition.
func (s *session) count(chance bool) {
	if chance {
		s.rolls++
	} else {
		s.moves, s.rolls = s.moves+1, 0
	}
}

// recount counts all transitions.
func (s *session) recount() {
	s.moves, s.rolls = 0, 0
	for _, step := range s.rec.Steps {
		s.count(step.Chance())
	}
}

// atLimit reports whether a batch would truncate the game here.
func (s *session) atLimit() bool {
	return s.spec.MoveLimit > 0 && s.moves >= s.spec.MoveLimit || s.rolls >= s.spec.ChanceLimit()
}

// roll rolls the dice of a chance position, or asks what they show.
func (s *session) roll(before env.Position) error {
	first := "dice> "
	var next env.Position
	var roll string
	if s.typed {
		var err error
		if next, roll, err = s.askRoll(before); err != nil {
			return err
		}
		first = "      "
	} else {
		next = before.Sample(s.dice)
		roll = before.DrawRoll(next, s.eyes)
	}
	s.at = next
	s.rec.Chance(s.at)
	s.count(true)
	s.tell(first, before.Narrate(s.at, 0, roll))
	return nil
}

// move lets the mover choose an action and plays it.
func (s *session) move(ctx context.Context, mover game.Player) error {
	before := s.at
	var policy env.Policy = s.person
	if !s.isPerson(mover) {
		policy = s.agents[mover]
	}
	repeated, err := s.repeat()
	if err != nil {
		return err
	}
	probs := repeated
	if repeated == nil {
		if probs, err = env.ActionProbabilities(ctx, policy, before, s.spec.Actions); err != nil {
			return err
		}
	}
	a := env.SampleAction(probs, s.noise)
	switch {
	case repeated != nil:
		fmt.Fprintf(s.out, "> %s\n", s.game.ActionName(a))
	case s.isPerson(mover):
		s.shown = lines(before) // the person has seen all of them
	default:
		line := fmt.Sprintf("seat %d> %-8s  %s", mover, s.game.ActionName(a), before.DescribeAction(a))
		fmt.Fprintln(s.out, strings.TrimRight(line, " "))
	}
	if err := s.rec.Apply(a); err != nil {
		return err
	}
	s.at = s.rec.Position()
	s.count(false)
	s.tell("  ", before.Narrate(s.at, a, ""))
	return nil
}

// tell prints what happened, with first before the first line.
func (s *session) tell(first string, told []string) {
	s.told = told
	for _, line := range told {
		fmt.Fprintf(s.out, "%s%s\n", first, line)
		first = strings.Repeat(" ", len(first))
	}
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

// begin prints the heading of a turn and, in turns of agents, the position.
func (s *session) begin(t turnInfo) {
	switch {
	case t.seat < 0:
	case s.isPerson(game.Player(t.seat)) && len(s.people()) == 1:
		fmt.Fprintln(s.out, "\n-------- your turn --------")
	case s.isPerson(game.Player(t.seat)):
		fmt.Fprintf(s.out, "\n-------- seat %d, your turn --------\n", t.seat)
	default:
		fmt.Fprintf(s.out, "\n-------- seat %d, %s --------\n", t.seat, s.agents[t.seat].Name)
		s.printChanges()
	}
}

// end prints the end of a game and returns the share of the win of people.
func (s *session) end(truncated bool) (share float64) {
	fmt.Fprintf(s.out, "\n%s\n\n", s.at.Render())
	if truncated {
		fmt.Fprintf(s.out, "The game has reached the move limit and is stopped: nobody wins.\n")
		return 0
	}
	for _, line := range s.told { // why: it may have left the screen
		fmt.Fprintln(s.out, line)
	}
	people := s.people()
	if len(people) != 1 {
		s.printResults()
		return 0
	}
	r := s.at.Returns()[people[0]]
	if !s.spec.HasWin() {
		fmt.Fprintf(s.out, "You took %g %s.\n", -r, s.spec.Unit)
		return 0
	}
	share = s.spec.WinShare(r)
	switch {
	case share > 1-game.Tie:
		fmt.Fprintln(s.out, "You win.")
	case share < game.Tie:
		fmt.Fprintln(s.out, "You lose.")
	default:
		fmt.Fprintf(s.out, "You share the win: %.4g of it is yours.\n", share)
	}
	return share
}

// printResults prints the result of each seat.
func (s *session) printResults() {
	names := s.names()
	for i, r := range s.at.Returns() {
		if !s.spec.HasWin() {
			fmt.Fprintf(s.out, "Seat %d, %s, took %g %s.\n", i, names[i], -r, s.spec.Unit)
		} else if share := s.spec.WinShare(r); share > 1-game.Tie {
			fmt.Fprintf(s.out, "Seat %d, %s, wins.\n", i, names[i])
		} else if share > game.Tie {
			fmt.Fprintf(s.out, "Seat %d, %s, gets %.4g of the win.\n", i, names[i], share)
		}
	}
}
