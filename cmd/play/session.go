package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"marsgym/agents"
	"marsgym/cmd/play/dialogue"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/record"
	"marsgym/internal/input"
)

// session plays games of agents and people, and prints all that happens.
type session struct {
	game    env.Game
	spec    game.Spec
	agents  []*agents.Agent // [P], nil in the seats of people
	to      message.Speaker // says what happens, with the names by which people know the seats
	person  *dialogue.Human // at the prompt, for all people
	advisor *advisor        // nil without -hints and -coach
	typed   bool            // people roll the dice and type what they show
	seed    uint64          // of the dice
	out     io.Writer
	records *os.File // to which the games are added; nil for none
	flags   []string // that a command to go on keeps

	rec     *record.Game // the game in progress, or to continue; nil for none
	shown   []string     // the lines of the last rendering that was printed
	repeats int          // of the last choice, without asking
}

// errCommand is returned by a choice when a command decides how the game goes on.
var errCommand = errors.New("a command is carried out")

func (s *session) people() (seats []int) {
	for i, a := range s.agents {
		if a == nil {
			seats = append(seats, i)
		}
	}
	return seats
}

func (s *session) isPerson(p game.Player) bool { return p >= 0 && s.agents[p] == nil }

// play plays games with the dice of an [env.Env] with the seed.
func (s *session) play(ctx context.Context, games int) error {
	s.printTable()
	if s.rec == nil {
		s.rec = record.New(s.game, s.recorded())
		if !s.typed {
			s.rec.Seed = &s.seed
		}
	}
	s.rec.Session.Seed(s.seed)
	won := 0.0
	for i := range games {
		if games > 1 {
			s.print("\n======== game {0} of {1} ========", i+1, games)
		}
		if i > 0 {
			s.rec.Begin(s.game.Initial())
			s.rec.Seed = nil
		}
		err := s.one(ctx)
		s.rec.Truncated = s.rec.AtLimit()
		if err := s.save(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		won += s.end()
		if err := s.advisor.priceGame(ctx, s.rec, i+1, s.people()); err != nil {
			return err
		}
	}
	if people := s.people(); games > 1 && s.spec.HasWin() && len(people) == 1 {
		s.print("You have won {0} of {1} games.", number(won), games)
	}
	s.advisor.report(s.out, s.people())
	return nil
}

// People are warned of a search with at least these budgets. Chosen: a person wonders after
// ten seconds, in which a search of a long game has some 100,000 simulations.
const (
	patience        = 10 * time.Second
	manySimulations = 100_000
)

func (s *session) printTable() {
	s.print("{0}.", s.spec.Called())
	parts := make([]string, len(s.agents))
	for i := range s.agents {
		name := s.name(i)
		parts[i] = name + " " + s.to.Say(message.New("seat {0}", i))
		if a := s.agents[i]; a != nil && !strings.HasPrefix(name, a.Name) { // it is "seat 1"
			parts[i] = a.Name + " " + s.to.Say(message.New("seat {0}", i))
		}
	}
	fmt.Fprintln(s.out, input.Fit(s.to.Say(message.New("Boards and positions call {0}.", strings.Join(parts, ", "))), columns))
	for i, a := range s.agents {
		if a == nil {
			continue
		}
		switch n, d := agents.Budget(a.Name); {
		case d >= patience:
			s.print("{0} thinks for up to {1} at each choice; Ctrl-C quits.", s.name(i), d.String())
		case n >= manySimulations:
			fmt.Fprintln(s.out, input.Fit(s.to.Say(message.New("{0} thinks for {1} simulations at each choice, which takes long; Ctrl-C quits.", s.name(i), n)), columns))
		}
	}
	if len(s.people()) > 0 {
		s.print(help)
		if scene := s.game.Initial().Scene(); scene != nil && scene.Map != nil {
			s.print("?map explains the map, ?seats lists what the seats have.")
		}
	}
	if s.typed {
		s.print("You roll the dice of all seats and type what they show.")
	} else {
		s.print("To repeat these dice: -seed {0}", s.seed)
	}
}

// called returns the names of the seats on the screen. An agent with a long name, such as a path,
// would break its lines.
func (s *session) called() []string {
	const longest = 12 // chosen
	names := make([]string, len(s.agents))
	for i, a := range s.agents {
		switch {
		case a == nil:
		case len(a.Name) > longest:
			names[i] = s.to.Say(message.New("seat {0}", i))
		default:
			names[i] = a.Name
		}
	}
	return message.Names(names, func(seat int) string { return s.to.Say(message.New("player {0}", seat+1)) }, " ")
}

// prompts is the width of what may stand before a line.
const prompts = 7

// name returns the name of a seat.
func (s *session) name(seat int) string { return s.to.Name(message.Seat(seat)) }

// print prints a line by its key, which is the line in English.
func (s *session) print(key string, args ...any) {
	fmt.Fprintln(s.out, s.to.Say(message.New(key, args...)))
}

// number returns a number with four digits.
func number(x float64) message.Figure { return message.Figure(fmt.Sprintf("%.4g", x)) }

// say returns a line of the game. If it is too long, it has the numbers of the seats.
func (s *session) say(m message.Message) string {
	if text := s.to.Say(m); input.Width(text) <= columns-prompts {
		return text
	}
	return message.Speaker{Language: s.to.Language}.Say(m)
}

// human is the name of a person in records.
const human = "human"

// recorded returns the names of the seats in records.
func (s *session) recorded() []string {
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

func (s *session) one(ctx context.Context) error {
	s.shown = nil
	s.begin(turnOf(s.rec.Position()))
	printed := false // the position before the rolls since the last move
	for !s.rec.Over() {
		if ctx.Err() != nil && len(s.people()) == 0 { // a person quits when the input ends
			return ctx.Err()
		}
		before := s.rec.Position()
		var err error
		if mover := before.CurrentPlayer(); mover == game.Chance {
			// Within a turn the description of the roll is enough.
			if turnOf(before).seat < 0 && !printed {
				fmt.Fprintf(s.out, "\n%s\n", before.Render(s.to))
				printed, s.shown = true, s.lines(before)
			}
			err = s.roll(before)
		} else {
			err = s.move(ctx, mover)
			printed = false
		}
		switch {
		case err == errCommand:
			continue
		case err != nil:
			return err
		}
		now := s.rec.Position()
		if was, is := turnOf(before), turnOf(now); now.CurrentPlayer() != game.Terminal && was != is {
			s.begin(is)
		}
	}
	return nil
}

// roll rolls the dice of a chance position, or asks what they show.
func (s *session) roll(before env.Position) error {
	first := "dice> "
	if s.typed {
		if err := s.askRoll(before); err != nil {
			return err
		}
		first = "      "
	} else {
		s.rec.Roll()
	}
	s.tell(first)
	return nil
}

func (s *session) move(ctx context.Context, mover game.Player) error {
	before := s.rec.Position()
	var policy env.Policy = s.person
	if !s.isPerson(mover) {
		policy = s.agents[mover]
	}
	a, repeated, err := s.repeat()
	if err != nil {
		return err
	}
	if !repeated {
		probs, err := env.ActionProbabilities(ctx, policy, before, s.spec.Actions)
		if err != nil {
			return err
		}
		a = s.rec.Sample(probs)
	}
	switch {
	case repeated:
		fmt.Fprintf(s.out, "> %s\n", s.game.ActionName(a))
	case s.isPerson(mover):
		s.shown = s.lines(before) // the person has seen all of them
	default:
		line := fmt.Sprintf("%s> %-8s  %s", s.name(int(mover)), s.game.ActionName(a), s.say(before.DescribeAction(a).Head()))
		fmt.Fprintln(s.out, strings.TrimRight(line, " "))
	}
	if err := s.rec.Apply(a); err != nil {
		return err
	}
	s.tell("  ")
	return nil
}

// tell prints what happened in the last step, with first before the first line.
func (s *session) tell(first string) {
	for _, line := range s.rec.Steps[len(s.rec.Steps)-1].Told() {
		fmt.Fprintf(s.out, "%s%s\n", first, s.say(line))
		first = strings.Repeat(" ", len(first))
	}
}

// printChanges prints the lines of the position that differ from those printed last.
func (s *session) printChanges() {
	now := s.lines(s.rec.Position())
	for i, line := range now {
		if i >= len(s.shown) || line != s.shown[i] {
			fmt.Fprintf(s.out, "  %s\n", line)
		}
	}
	s.shown = now
}

func (s *session) lines(p env.Position) []string { return strings.Split(p.Render(s.to), "\n") }

// begin prints the heading of a turn and, in turns of agents, the position.
func (s *session) begin(t turnInfo) {
	switch {
	case t.seat < 0:
	case s.to.Names[t.seat] == "":
		s.print("\n-------- your turn --------")
	case s.isPerson(game.Player(t.seat)):
		s.print("\n-------- {0}, your turn --------", s.name(t.seat))
	default:
		s.print("\n-------- {0} --------", s.name(t.seat))
		s.printChanges()
	}
}

// end prints the end of a game and returns the share of the win of people.
func (s *session) end() (share float64) {
	at := s.rec.Position()
	fmt.Fprintf(s.out, "\n%s\n\n", at.Render(s.to))
	if s.rec.Truncated {
		s.print("The game has reached the move limit and is stopped: nobody wins.")
		return 0
	}
	people := s.people()
	if len(people) != 1 {
		s.printResults()
		return 0
	}
	r := at.Returns()[people[0]]
	if !s.spec.HasWin() {
		s.print("You took {0} {1}.", number(s.spec.Counted(r)), message.New(s.spec.Unit))
		return 0
	}
	share = s.spec.WinShare(r)
	switch {
	case share > 1-game.Tie:
		s.print("You win.")
	case share < game.Tie:
		s.print("You lose.")
	default:
		s.print("You share the win: {0} of it is yours.", number(share))
	}
	return share
}

func (s *session) printResults() {
	for i, r := range s.rec.Position().Returns() {
		if !s.spec.HasWin() {
			s.print("It took {0} {1} {2}.", s.name(i), number(s.spec.Counted(r)), message.New(s.spec.Unit))
		} else if share := s.spec.WinShare(r); share > 1-game.Tie {
			s.print("The winner is {0}.", s.name(i))
		} else if share > game.Tie {
			s.print("{0} of the win goes to {1}.", number(share), s.name(i))
		}
	}
}
