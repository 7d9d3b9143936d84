package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"marsgym/cmd/play/dialogue"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/input"
)

// help says what a person can type. It is a key of the tables of package message.
const help = `Type an action, a part of it, or one of these: ? lists the actions, ? WORD some
of them; repeat or repeat 3 plays your last choice again; rules or rules WORD;
undo; save FILE; hint; quit ends the game.`

// command carries out a command of a person, if it is one.
func (s *session) command(at env.Position, words []string) (known bool, err error) {
	switch strings.ToLower(words[0]) {
	case "rules":
		return true, printRules(s.out, s.spec, strings.Join(words[1:], " "))
	case "undo":
		if len(words) > 1 {
			fmt.Fprintln(s.out, "No: undo takes one choice back; type it again for another.")
			break
		}
		if s.undo() {
			return true, errCommand
		}
		fmt.Fprintln(s.out, "No: there is nothing to undo since the last roll.")
	case "repeat":
		if s.setRepeats(words[1:]) {
			return true, errCommand
		}
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
// whether there is one after the last dice and the last choice of another person. With typed
// dice the last roll can be undone too. When dice are to be typed, undo takes back the last roll
// or choice of a person, whichever is later.
func (s *session) undo() bool {
	mover := s.rec.Position().CurrentPlayer()
	for i, step := range slices.Backward(s.rec.Steps) {
		who := step.Before.CurrentPlayer()
		if s.typed && (who == game.Chance || mover == game.Chance && s.isPerson(who)) {
			s.rec.Undo(i)
			return true
		}
		if who == game.Chance || s.isPerson(who) && who != mover {
			return false
		}
		if who == mover {
			s.rec.Undo(i)
			return true
		}
	}
	return false
}

// setRepeats lets the mover repeat the last choice as often as the words say, or while it
// is possible. It reports whether that can begin.
func (s *session) setRepeats(words []string) bool {
	n, err := math.MaxInt, error(nil)
	if len(words) > 0 {
		n, err = strconv.Atoi(strings.Join(words, " "))
	}
	if err != nil || n < 1 {
		fmt.Fprintln(s.out, "No: type repeat, or repeat and a number, such as repeat 3.")
		return false
	}
	a, ok := s.lastChoice()
	if !ok {
		fmt.Fprintln(s.out, "No: you have not made a choice in this turn yet.")
		return false
	}
	if _, err := s.rec.Position().Apply(a); err != nil {
		fmt.Fprintf(s.out, "No: %s is not possible now.\n", s.game.ActionName(a))
		return false
	}
	s.repeats = n
	return true
}

// lastChoice returns the last choice in the game, if it is one of the present turn.
func (s *session) lastChoice() (game.Action, bool) {
	for _, step := range slices.Backward(s.rec.Steps) {
		if !step.Chance() {
			return step.Action, turnOf(step.Before) == turnOf(s.rec.Position())
		}
	}
	return 0, false
}

// repeat returns the choice that the mover repeats. It reports whether there is one, and
// otherwise the mover is to be asked: the repeats are over, or the choice is not possible any
// more, or the coach warns of it.
func (s *session) repeat() (a game.Action, ok bool, err error) {
	if s.repeats == 0 {
		return 0, false, nil
	}
	left, at := s.repeats-1, s.rec.Position()
	s.repeats = 0
	a, ok = s.lastChoice()
	if _, err := at.Apply(a); !ok || err != nil {
		return 0, false, nil
	}
	if s.person.Confirm != nil {
		warning, err := s.person.Confirm(at, a)
		if err != nil {
			return 0, false, err
		}
		if warning != "" {
			fmt.Fprintln(s.out, warning)
			return 0, false, nil
		}
	}
	s.repeats = left
	return a, true, nil
}

func (s *session) saveAs(name string) {
	if name == "" {
		fmt.Fprintln(s.out, "No: name a file, as in save mars.games.")
		return
	}
	if exists(name) {
		fmt.Fprintf(s.out, "No: %s exists; name another file.\n", input.Quote(name))
		return
	}
	if err := s.write(name); err != nil {
		fmt.Fprintf(s.out, "No: %s.\n", input.Message(err))
	}
}

// write writes the game to a file, and prints how to go on.
func (s *session) write(name string) error {
	if err := atomicfile.Write(name, func(w io.Writer) error { return s.rec.Write(w) }); err != nil {
		var at *fs.PathError
		if errors.As(err, &at) { // it has a temporary name
			err = fmt.Errorf("%s cannot be written: %w", input.Quote(name), at.Err)
		}
		return err
	}
	fmt.Fprintf(s.out, "The game is saved. To go on: %s\n", cli.Command("play", append(slices.Clone(s.flags), "-resume", name)...))
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// keep saves an unfinished game in the folder, so that nothing is lost if a person leaves
// or the terminal is closed. The file is new, or that of
// an earlier call, whose game went on.
func (s *session) keep(folder, resumed string) {
	if folder == "" || s.rec == nil || len(s.rec.Steps) == 0 || len(s.people()) == 0 {
		return
	}
	const prefix = "unfinished-"
	base := filepath.Join(folder, fmt.Sprintf("%s%s-%d", prefix, s.spec.ID, s.seed))
	name := base + ".games"
	if inFolder(resumed, folder) && strings.HasPrefix(filepath.Base(resumed), prefix) {
		name = resumed
	} else {
		for i := 2; exists(name); i++ {
			name = fmt.Sprintf("%s-%d.games", base, i)
		}
	}
	err := os.MkdirAll(folder, 0o777)
	if err == nil {
		err = s.write(name)
	}
	if err != nil {
		fmt.Fprintf(s.out, "The game is not saved: %s\n", input.Message(err))
	}
}

func inFolder(name, folder string) bool {
	at, err := filepath.Abs(filepath.Dir(name))
	in, errIn := filepath.Abs(folder)
	return name != "" && err == nil && errIn == nil && at == in
}

// lastUnfinished returns the last game of a file that has not ended; see [cli.OpenFor] for table. It
// warns of games that are not complete.
func lastUnfinished(path, table string, warn func(error)) (*record.Game, error) {
	var last *record.Game
	for g, err := range record.ReadPath(path, cli.OpenFor(path, table)) {
		if errors.Is(err, record.ErrIncomplete) {
			warn(err)
			continue
		}
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

func (s *session) askRoll(before env.Position) error {
	s.print("Roll {0}.", before.AskRoll())
	for {
		words, err := s.person.ReadLine("dice> ")
		if err != nil {
			return err
		}
		switch strings.ToLower(words[0]) {
		case "quit", "exit", "q":
			return dialogue.ErrQuit
		case "?", "help":
			s.print("Roll {0}. Or type undo, rules, save FILE or quit.", before.AskRoll())
			continue
		case "rules", "save", "undo":
			if _, err := s.command(before, words); err != nil {
				return err
			}
			continue
		}
		if err = s.rec.ReadRoll(strings.ToLower(strings.Join(words, " "))); err == nil {
			return nil
		}
		s.print("No: {0}.", input.Message(errors.New(s.to.Error(err))))
	}
}

func parseSeats(list []string, players int) (seats []game.Player, err error) {
	for _, text := range list {
		var p int
		if _, err := fmt.Sscanf(text+"\n", "%d\n", &p); err != nil {
			return nil, cli.Usagef("-seat: %s is no number", input.Quote(text))
		}
		if p < 0 || p >= players {
			return nil, cli.Usagef("-seat is %d; want %s", p, input.Range(0, players-1))
		}
		if slices.Contains(seats, game.Player(p)) {
			return nil, cli.Usagef("-seat names seat %d twice", p)
		}
		seats = append(seats, game.Player(p))
	}
	return seats, nil
}
