package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"marsgym/agents"
	"marsgym/cmd/play/dialogue"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/internal/colour"
	"marsgym/internal/input"
	"marsgym/internal/seats"
)

// session plays games of agents and people, and prints all that happens.
type session struct {
	game    env.Game
	spec    game.Spec
	agents  []*agents.Agent // [P], nil in the seats of people
	names   seats.Names     // [P] by which people know the seats
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
			fmt.Fprintf(s.out, "\n======== game %d of %d ========\n", i+1, games)
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
		fmt.Fprintf(s.out, "You have won %.4g of %d games.\n", won, games)
	}
	s.advisor.report(s.out, s.people(), s.names)
	return nil
}

// People are warned of a search with at least these budgets. Chosen: a person wonders after
// ten seconds, in which a search of a long game has some 100,000 simulations.
const (
	patience        = 10 * time.Second
	manySimulations = 100_000
)

func (s *session) printTable() {
	fmt.Fprintf(s.out, "%s.\n", s.spec.Title)
	parts := make([]string, len(s.agents))
	for i, name := range s.names {
		parts[i] = fmt.Sprintf("%s seat %d", name, i)
		if a := s.agents[i]; a != nil && !strings.HasPrefix(name, a.Name) { // it is "seat 1"
			parts[i] = fmt.Sprintf("%s seat %d", a.Name, i)
		}
	}
	fmt.Fprintln(s.out, input.Fit("Boards and positions call "+strings.Join(parts, ", ")+".", columns))
	for i, a := range s.agents {
		if a == nil {
			continue
		}
		switch n, d := agents.Budget(a.Name); {
		case d >= patience:
			fmt.Fprintf(s.out, "%s thinks for up to %v at each choice; Ctrl-C quits.\n", s.names[i], d)
		case n >= manySimulations:
			fmt.Fprintln(s.out, input.Fit(fmt.Sprintf("%s thinks for %d simulations at each choice, which takes long; Ctrl-C quits.", s.names[i], n), columns))
		}
	}
	if len(s.people()) > 0 {
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

// called returns the names of the seats on the screen. An agent with a long name, such as a path,
// would break its lines.
func (s *session) called() seats.Names {
	const longest = 12 // chosen
	names := make([]string, len(s.agents))
	for i, a := range s.agents {
		switch {
		case a == nil:
		case len(a.Name) > longest:
			names[i] = fmt.Sprintf("seat %d", i)
		default:
			names[i] = a.Name
		}
	}
	return seats.Call(names, "player %d", "%s %c")
}

// prompts is the width of what may stand before a line.
const prompts = 7

// named returns a text of the game with the names of the seats. A line for which they are too long
// keeps the numbers of the seats.
func (s *session) named(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if named := s.names.In(line); utf8.RuneCountInString(colour.Strip(named)) <= columns-prompts {
			lines[i] = named
		}
	}
	return strings.Join(lines, "\n")
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
				fmt.Fprintf(s.out, "\n%s\n", s.named(before.Render()))
				printed, s.shown = true, lines(before)
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
		s.shown = lines(before) // the person has seen all of them
	default:
		words, _, _ := strings.Cut(s.named(before.DescribeAction(a)), "; ")
		line := fmt.Sprintf("%s> %-8s  %s", s.names[mover], s.game.ActionName(a), words)
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
		fmt.Fprintf(s.out, "%s%s\n", first, s.named(line))
		first = strings.Repeat(" ", len(first))
	}
}

// printChanges prints the lines of the position that differ from those printed last.
func (s *session) printChanges() {
	now := lines(s.rec.Position())
	for i, line := range now {
		if i >= len(s.shown) || line != s.shown[i] {
			fmt.Fprintf(s.out, "  %s\n", s.named(line))
		}
	}
	s.shown = now
}

func lines(p env.Position) []string { return strings.Split(p.Render(), "\n") }

// begin prints the heading of a turn and, in turns of agents, the position.
func (s *session) begin(t turnInfo) {
	switch {
	case t.seat < 0:
	case s.names[t.seat] == seats.You:
		fmt.Fprintln(s.out, "\n-------- your turn --------")
	case s.isPerson(game.Player(t.seat)):
		fmt.Fprintf(s.out, "\n-------- %s, your turn --------\n", s.names[t.seat])
	default:
		fmt.Fprintf(s.out, "\n-------- %s --------\n", s.names[t.seat])
		s.printChanges()
	}
}

// end prints the end of a game and returns the share of the win of people.
func (s *session) end() (share float64) {
	at := s.rec.Position()
	fmt.Fprintf(s.out, "\n%s\n\n", s.named(at.Render()))
	if s.rec.Truncated {
		fmt.Fprintf(s.out, "The game has reached the move limit and is stopped: nobody wins.\n")
		return 0
	}
	people := s.people()
	if len(people) != 1 {
		s.printResults()
		return 0
	}
	r := at.Returns()[people[0]]
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

func (s *session) printResults() {
	for i, r := range s.rec.Position().Returns() {
		if !s.spec.HasWin() {
			fmt.Fprintf(s.out, "It took %s %g %s.\n", s.names[i], -r, s.spec.Unit)
		} else if share := s.spec.WinShare(r); share > 1-game.Tie {
			fmt.Fprintf(s.out, "The winner is %s.\n", s.names[i])
		} else if share > game.Tie {
			fmt.Fprintf(s.out, "%.4g of the win goes to %s.\n", share, s.names[i])
		}
	}
}
