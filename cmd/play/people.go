package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/input"
	"marsgym/record"
)

// help says what a person can type.
const help = `Type an action, a part of it, or one of these: ? lists the actions, ? WORD some
of them; rules or rules WORD; undo; save FILE; hint; quit ends the game.`

// command carries out a command of a person, if it is one.
func (s *session) command(at env.Position, words []string) (known bool, err error) {
	switch strings.ToLower(words[0]) {
	case "rules":
		return true, printRules(s.out, s.spec, strings.Join(words[1:], " "))
	case "undo":
		if s.undo() {
			return true, errUndone
		}
		fmt.Fprintln(s.out, "No: there is no own choice since the last dice.")
	case "save":
		s.saveAs(strings.Join(words[1:], " "))
	case "hint":
		return true, s.advisor.print(s.out, at)
	default:
		return false, nil
	}
	return true, nil
}

// undo takes back the last choice of the mover, and what agents did after it. It reports
// whether there is one after the last dice and the last choice of another person.
func (s *session) undo() bool {
	mover := s.at.CurrentPlayer()
	for i := len(s.rec.Steps) - 1; i >= 0; i-- {
		step := s.rec.Steps[i]
		who := step.Before.CurrentPlayer()
		if who == game.Chance || s.isPerson(who) && who != mover {
			return false
		}
		if who == mover {
			s.rec.Steps = s.rec.Steps[:i]
			s.at = step.Before
			s.recount()
			return true
		}
	}
	return false
}

// saveAs writes the game to a new file.
func (s *session) saveAs(name string) {
	if name == "" {
		fmt.Fprintln(s.out, "No: name a file, as in save mars.games.")
		return
	}
	if _, err := os.Lstat(name); err == nil {
		fmt.Fprintf(s.out, "No: %s exists; name another file.\n", input.Quote(name))
		return
	}
	if err := atomicfile.Write(name, func(w io.Writer) error { return s.rec.Write(w) }); err != nil {
		fmt.Fprintf(s.out, "No: %s.\n", input.Message(err))
		return
	}
	s.printSaved(name)
}

func (s *session) printSaved(name string) {
	fmt.Fprintf(s.out, "The game is saved. To go on: go run ./cmd/play -resume %s\n", name)
}

// keep saves an unfinished game in the folder, so that nothing is lost if a person leaves
// or the terminal is closed.
func (s *session) keep(folder string) {
	if folder == "" || s.rec == nil || len(s.rec.Steps) == 0 || len(s.people()) == 0 {
		return
	}
	name := filepath.Join(folder, fmt.Sprintf("unfinished-%s-%d.games", s.spec.ID, s.seed))
	err := os.MkdirAll(folder, 0o777)
	if err == nil {
		err = atomicfile.Write(name, func(w io.Writer) error { return s.rec.Write(w) })
	}
	if err != nil {
		fmt.Fprintf(s.out, "The game is not saved: %s\n", input.Message(err))
		return
	}
	s.printSaved(name)
}

// lastUnfinished returns the last game of a file that has not ended.
func lastUnfinished(path string) (*record.Game, error) {
	var last *record.Game
	for g, err := range record.ReadPath(path, catalog.Open) {
		if err != nil {
			return nil, err
		}
		if !g.Truncated && g.Position().CurrentPlayer() != game.Terminal {
			last = g
		}
	}
	if last == nil {
		return nil, fmt.Errorf("%s holds no game that goes on", path)
	}
	return last, nil
}

// askRoll asks what the dice show.
func (s *session) askRoll(before env.Position) (next env.Position, roll string, err error) {
	fmt.Fprintf(s.out, "Roll %s.\n", before.AskRoll())
	for {
		words, err := s.person.ReadLine("dice> ")
		if err != nil {
			return nil, "", err
		}
		switch strings.ToLower(words[0]) {
		case "quit", "exit", "q":
			return nil, "", agents.ErrQuit
		case "?", "help":
			fmt.Fprintf(s.out, "Roll %s. Or type rules, save FILE or quit.\n", before.AskRoll())
			continue
		case "rules", "save":
			if _, err := s.command(before, words); err != nil {
				return nil, "", err
			}
			continue
		}
		roll = strings.ToLower(strings.Join(words, " "))
		if next, err = before.ReadRoll(roll); err == nil {
			return next, roll, nil
		}
		fmt.Fprintf(s.out, "No: %s.\n", input.Message(err))
	}
}

// parseSeats reads the numbers of the seats of people.
func parseSeats(list []string, players int) (seats []game.Player, err error) {
	for _, text := range list {
		var p int
		if _, err := fmt.Sscanf(text+"\n", "%d\n", &p); err != nil {
			return nil, cli.Usagef("-seat: %s is no number", input.Quote(text))
		}
		if p < 0 || p >= players {
			return nil, cli.Usagef("-seat is %d; want 0 to %d", p, players-1)
		}
		if slices.Contains(seats, game.Player(p)) {
			return nil, cli.Usagef("-seat names seat %d twice", p)
		}
		seats = append(seats, game.Player(p))
	}
	return seats, nil
}
