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
	hints func(env.Position) ([]float64, error)
}

// NewHuman returns a person who reads out and writes in. hints, where not nil,
// gives for each legal action the probability of winning that is shown with it.
func NewHuman(g env.Game, in io.Reader, out io.Writer, hints func(env.Position) ([]float64, error)) *Human {
	return &Human{g, bufio.NewScanner(in), out, hints}
}

// Probs keeps env.Policy: it asks about each decision in turn. It returns
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
	fmt.Fprintf(h.out, "\n%s\n\n", p.Picture())
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
			fmt.Fprintln(h.out, "type a choice or enough of it to tell it apart; quit leaves the game")
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
		fmt.Fprintln(h.out, err)
	}
}

// list prints the legal actions, what they do and, with hints, how they fare.
func (h *Human) list(p env.Position, legal []game.Action) error {
	var wins []float64
	if h.hints != nil {
		var err error
		if wins, err = h.hints(p); err != nil {
			return err
		}
	}
	width := 0
	for _, a := range legal {
		width = max(width, len(h.game.ActionName(a)))
	}
	for i, a := range legal {
		line := fmt.Sprintf("  %-*s  %-26s", width, h.game.ActionName(a), p.Explain(a))
		if wins != nil {
			line += fmt.Sprintf("  wins %7.3f %%", 100*wins[i])
		}
		fmt.Fprintln(h.out, strings.TrimRight(line, " "))
	}
	return nil
}

// match finds the action that a word, or its beginning, names: a legal one if
// there is one, else one whose Apply will say why it is illegal.
func (h *Human) match(word string, legal []game.Action) (game.Action, error) {
	if a, n := h.begins(word, legal); n == 1 {
		return a, nil
	} else if n > 1 {
		return 0, fmt.Errorf("%q could be several of the choices; type more of it", word)
	}
	all := make([]game.Action, h.game.Spec().Actions)
	for i := range all {
		all[i] = game.Action(i)
	}
	if a, n := h.begins(word, all); n > 0 {
		return a, nil
	}
	return 0, fmt.Errorf("%q is none of the choices; ? lists them", word)
}

// begins counts the actions whose names begin with word, an exact match being
// the only one, and returns the first.
func (h *Human) begins(word string, actions []game.Action) (first game.Action, n int) {
	for _, a := range actions {
		name := h.game.ActionName(a)
		if name == word {
			return a, 1
		}
		if strings.HasPrefix(name, word) {
			if n == 0 {
				first = a
			}
			n++
		}
	}
	return first, n
}
