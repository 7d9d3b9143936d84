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

// ErrQuit is returned when a person leaves the game.
var ErrQuit = errors.New("the player has left")

// Human asks a person. One goroutine owns it.
type Human struct {
	game  env.Game
	in    *bufio.Scanner
	out   io.Writer
	hints func(env.Position) ([]string, error)
}

// NewHuman returns a person who reads out and writes in. hints, where not nil,
// gives what is shown beside each legal action, such as its probability of
// winning.
func NewHuman(g env.Game, in io.Reader, out io.Writer, hints func(env.Position) ([]string, error)) *Human {
	return &Human{g, bufio.NewScanner(in), out, hints}
}

// Probs implements env.Policy: it asks about each decision in turn. It returns
// ErrQuit if the person quits, or in has ended.
func (h *Human) Probs(dst []float64, d env.Decisions) error {
	clear(dst)
	n := h.game.Spec().Actions
	for i := range d.Len() {
		a, err := h.ask(d.Position(i))
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

// inverse is the index of a in label.
func inverse(label []game.Action, a game.Action) game.Action {
	for i, b := range label {
		if b == a {
			return game.Action(i)
		}
	}
	return a
}

// ask shows a position and its options until a legal one is chosen.
func (h *Human) ask(p env.Position) (game.Action, error) {
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
			fmt.Fprintln(h.out, "Type one of these, or as much of it as stands in brackets; quit leaves the game.")
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

// list prints the legal actions, what they do and, where there are hints, those.
func (h *Human) list(p env.Position, legal []game.Action) error {
	hints := make([]string, len(legal))
	if h.hints != nil {
		var err error
		if hints, err = h.hints(p); err != nil {
			return err
		}
	}
	keys := make([]string, len(legal))
	explain := make([]string, len(legal))
	var wide, wider int
	for i, a := range legal {
		keys[i] = h.key(a, legal)
		explain[i] = p.DescribeAction(a)
		wide, wider = max(wide, len(keys[i])), max(wider, len(explain[i]))
	}
	for i := range legal {
		line := fmt.Sprintf("  %-*s   %-*s   %s", wide, keys[i], wider, explain[i], hints[i])
		fmt.Fprintln(h.out, strings.TrimRight(line, " "))
	}
	return nil
}

// key is the name of a, in brackets as much of it as tells it apart.
func (h *Human) key(a game.Action, legal []game.Action) string {
	name := h.game.ActionName(a)
	for n := 1; n < len(name); n++ {
		if b, err := h.match(name[:n], legal); err == nil && b == a {
			return "[" + name[:n] + "]" + name[n:]
		}
	}
	return "[" + name + "]"
}

// match finds the action that a word, or its beginning, names: a legal one if
// there is one, else one whose Apply will say why it is illegal.
func (h *Human) match(word string, legal []game.Action) (game.Action, error) {
	switch found := h.begin(word, legal); len(found) {
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
	if found := h.begin(word, all); len(found) > 0 {
		return found[0], nil
	}
	return 0, fmt.Errorf("%s is not one of %s", word, h.names(legal, ", "))
}

// begin returns the actions whose names begin with word, or the one that it is.
func (h *Human) begin(word string, actions []game.Action) (found []game.Action) {
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

// names lists actions.
func (h *Human) names(actions []game.Action, between string) string {
	var list []string
	for _, a := range actions {
		list = append(list, h.game.ActionName(a))
	}
	return strings.Join(list, between)
}
