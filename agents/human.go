package agents

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
)

// ErrQuit is returned when the person quits the game.
var ErrQuit = errors.New("the person has quit")

// Human is a policy that lets a person choose. It may be used by one goroutine at a
// time.
type Human struct {
	game  env.Game
	in    *bufio.Scanner
	out   io.Writer
	hints func(env.Position) ([]string, error)
}

// NewHuman returns a policy that shows positions on out and reads actions from in.
// hints, if not nil, returns the text to show beside each legal action, such as its
// probability of winning.
func NewHuman(g env.Game, in io.Reader, out io.Writer, hints func(env.Position) ([]string, error)) *Human {
	return &Human{g, bufio.NewScanner(in), out, hints}
}

// Probs implements [env.Policy]: it prompts for each decision in order. It returns
// ErrQuit if the person quits or in ends.
func (h *Human) Probs(dst []float64, d env.Decisions) error {
	clear(dst)
	n := h.game.Spec().Actions
	for i := range d.Len() {
		a, err := h.choose(d.Position(i))
		if err != nil {
			return err
		}
		if label := d.Relabel(i); label != nil {
			a = inverse(label, a)
		}
		dst[i*n+int(a)] = 1
	}
	return nil
}

// inverse returns the index of a in label.
func inverse(label []game.Action, a game.Action) game.Action {
	for i, b := range label {
		if b == a {
			return game.Action(i)
		}
	}
	return a
}

// choose shows a position and its legal actions until the person chooses one.
func (h *Human) choose(p env.Position) (game.Action, error) {
	legal := p.Legal()
	fmt.Fprintf(h.out, "\n%s\n\n", p.Render())
	if err := h.list(p, legal); err != nil {
		return 0, err
	}
	for {
		fmt.Fprint(h.out, "> ")
		if !h.in.Scan() {
			fmt.Fprintln(h.out)
			return 0, errors.Join(ErrQuit, h.in.Err())
		}
		word := strings.ToLower(strings.TrimSpace(h.in.Text()))
		switch word {
		case "":
			continue
		case "?", "help":
			fmt.Fprintln(h.out, "Type one of these actions, or only the part in brackets; quit ends the game.")
			if err := h.list(p, legal); err != nil {
				return 0, err
			}
			continue
		case "quit", "exit", "q":
			return 0, ErrQuit
		}
		a, err := h.match(word, legal)
		if err == nil {
			if _, err = p.Apply(a); err == nil {
				return a, nil
			}
		}
		fmt.Fprintf(h.out, "No: %s.\n", strings.TrimSuffix(err.Error(), ": "+game.ErrIllegalAction.Error()))
	}
}

// list prints the legal actions, their descriptions and, if there are hints, these.
func (h *Human) list(p env.Position, legal []game.Action) error {
	hints := make([]string, len(legal))
	if h.hints != nil {
		var err error
		if hints, err = h.hints(p); err != nil {
			return err
		}
	}
	keys := make([]string, len(legal))
	descriptions := make([]string, len(legal))
	var keyWidth, width int
	for i, a := range legal {
		keys[i] = h.key(a, legal)
		descriptions[i] = p.DescribeAction(a)
		keyWidth, width = max(keyWidth, len(keys[i])), max(width, len(descriptions[i]))
	}
	for i := range legal {
		line := fmt.Sprintf("  %-*s   %-*s   %s", keyWidth, keys[i], width, descriptions[i], hints[i])
		fmt.Fprintln(h.out, strings.TrimRight(line, " "))
	}
	return nil
}

// key returns the name of a, with the shortest unambiguous prefix in brackets.
func (h *Human) key(a game.Action, legal []game.Action) string {
	name := h.game.ActionName(a)
	for n := 1; n < len(name); n++ {
		if b, err := h.match(name[:n], legal); err == nil && b == a {
			return "[" + name[:n] + "]" + name[n:]
		}
	}
	return "[" + name + "]"
}

// match returns the action that a word names, in full or by a prefix: a legal action
// if there is one, otherwise an illegal one, for which Apply returns the reason.
func (h *Human) match(word string, legal []game.Action) (game.Action, error) {
	switch found := h.withPrefix(word, legal); len(found) {
	case 0:
	case 1:
		return found[0], nil
	default:
		return 0, fmt.Errorf("%s could be %s", word, h.names(found, " or "))
	}
	all := make([]game.Action, h.game.Spec().Actions)
	for i := range all {
		all[i] = game.Action(i)
	}
	if found := h.withPrefix(word, all); len(found) > 0 {
		return found[0], nil
	}
	return 0, fmt.Errorf("%s is not one of %s", word, h.names(legal, ", "))
}

// withPrefix returns the action that word names in full, or those whose names begin
// with it.
func (h *Human) withPrefix(word string, actions []game.Action) (found []game.Action) {
	for _, a := range actions {
		name := h.game.ActionName(a)
		if name == word {
			return []game.Action{a}
		}
		if strings.HasPrefix(name, word) {
			found = append(found, a)
		}
	}
	return found
}

// names joins the names of actions.
func (h *Human) names(actions []game.Action, separator string) string {
	var list []string
	for _, a := range actions {
		list = append(list, h.game.ActionName(a))
	}
	return strings.Join(list, separator)
}
