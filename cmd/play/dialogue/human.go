package dialogue

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/input"
)

// ErrQuit is returned when the person quits the game.
var ErrQuit = errors.New("the person has quit")

// Human is a policy that lets a person choose. It may be used by one goroutine at a
// time.
type Human struct {
	// Hints, if not nil, returns a hint for each legal action.
	Hints func(env.Position) ([]Hint, error)
	// Command, if not nil, is called with the words of a line. It reports whether they
	// are a command; otherwise they name an action. Its error ends the choice.
	Command func(at env.Position, words []string) (known bool, err error)
	// Confirm, if not nil, returns a warning before the person plays an action, or "".
	// The person then decides again.
	Confirm func(at env.Position, a game.Action) (warning string, err error)
	// To says what the game has to say.
	To message.Speaker

	game env.Game
	in   *bufio.Reader
	out  io.Writer
}

// Hint is what to show beside an action.
type Hint struct {
	Text  string  // such as its probability of winning
	Value float64 // the best action has the highest
}

// NewHuman returns a policy that shows positions on out and reads actions from in.
func NewHuman(g env.Game, in io.Reader, out io.Writer) *Human {
	return &Human{game: g, in: bufio.NewReader(in), out: out}
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
			a = game.Action(slices.Index(label, a))
		}
		dst[i*n+int(a)] = 1
	}
	return nil
}

// maxTyped bounds a line that a person types, in bytes. Chosen.
const maxTyped = 1000

// ReadLine prompts and returns the words of the next line that is not empty. It refuses
// lines whose characters or length show that they were not meant. It returns ErrQuit at
// the end of the input.
func (h *Human) ReadLine(prompt string) ([]string, error) {
	for {
		fmt.Fprint(h.out, prompt)
		line, more, err := h.in.ReadLine()
		text := string(line[:min(len(line), maxTyped)])
		long := more || len(line) > maxTyped
		for more && err == nil {
			_, more, err = h.in.ReadLine()
		}
		if err != nil {
			fmt.Fprintln(h.out)
			if err == io.EOF {
				err = nil
			}
			return nil, errors.Join(ErrQuit, err)
		}
		text, utf16 := input.Line(text) // of a file, perhaps
		words := strings.Fields(text)
		switch {
		case utf16 != nil:
			fmt.Fprintf(h.out, "No: %v.\n", utf16)
		case long:
			fmt.Fprintf(h.out, "No: the line is longer than %d bytes.\n", maxTyped)
		case !utf8.ValidString(text) || strings.ContainsFunc(strings.Join(words, " "), unicode.IsControl):
			fmt.Fprintln(h.out, "No: the line has control characters, such as those of arrow keys, or is not UTF-8; type it again.")
		case len(words) > 0:
			return words, nil
		}
	}
}

// choose shows a position and its legal actions until the person chooses one.
func (h *Human) choose(p env.Position) (game.Action, error) {
	o, err := h.options(p)
	if err != nil {
		return 0, err
	}
	board := p.Render(h.To)
	fmt.Fprintf(h.out, "\n%s\n%s", board, o.short(strings.Count(board, "\n")+1))
	warned := game.Action(-1)
	for {
		words, err := h.ReadLine("> ")
		if err != nil {
			return 0, err
		}
		if h.Command != nil {
			if known, err := h.Command(p, words); err != nil {
				return 0, err
			} else if known {
				continue
			}
		}
		words = strings.Fields(strings.ToLower(strings.Join(words, " ")))
		if rest, ok := strings.CutPrefix(words[0], "?"); ok && rest != "" { // ?ca
			words = append([]string{"?", rest}, words[1:]...)
		}
		switch words[0] {
		case "?", "help":
			fmt.Fprint(h.out, o.explain(p, h.To, words[1:]))
			continue
		case "quit", "exit", "q":
			return 0, ErrQuit
		}
		a, err := o.match(words)
		if err == nil {
			_, err = p.Apply(a)
		}
		if err != nil {
			fmt.Fprintf(h.out, "No: %s.\n", strings.TrimSuffix(input.Message(err), ": "+game.ErrIllegalAction.Error()))
			continue
		}
		if h.Confirm != nil && a != warned {
			warning, err := h.Confirm(p, a)
			if err != nil {
				return 0, err
			}
			if warning != "" {
				fmt.Fprintf(h.out, "%s\nType it again to play it, or another action.\n", warning)
				warned = a
				continue
			}
		}
		return a, nil
	}
}
