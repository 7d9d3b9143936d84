package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
)

// Open opens a game, as catalog.Open of package env/catalog.
type Open func(id string, players int, config []byte) (env.Game, error)

// Suffix ends the names of files with games in a folder.
const Suffix = ".games"

// maxLine bounds a line, in bytes. Chosen: the config is the longest line, and no
// settings file may be longer.
const maxLine = input.Settings

// ErrIncomplete is wrapped by the error in the place of a game that breaks off, because the
// program that wrote it was killed or the disk was full. The games after it are read.
var ErrIncomplete = errors.New("the game is not complete")

// Read reads games from r until its end or the first error that does not wrap
// [ErrIncomplete]. Each transition is checked against the rules. Errors name the line.
func Read(r io.Reader, open Open) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		p := parser{lines: bufio.NewScanner(r), open: open}
		p.lines.Buffer(nil, maxLine)
		p.lines.Split(p.split)
		for {
			g, err := p.game()
			if err == io.EOF {
				return
			}
			if !yield(g, err) || err != nil && !errors.Is(err, ErrIncomplete) {
				return
			}
		}
	}
}

// ReadPath reads the games of a file, or of all files in a folder whose names end in
// [Suffix], by name.
func ReadPath(path string, open Open) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		files := []string{path}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(globEscape(path), "*"+Suffix)); err == nil && len(files) == 0 {
				err = fmt.Errorf("%s: no file in it has a name that ends in %s", path, Suffix)
			}
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, name := range files {
			if !readFile(name, open, yield) {
				return
			}
		}
	}
}

// readFile yields the games of a file, and reports whether to go on.
func readFile(name string, open Open, yield func(*Game, error) bool) bool {
	f, err := atomicfile.Open(name)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer f.Close()
	for g, err := range Read(f, open) {
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		if !yield(g, err) || err != nil && !errors.Is(err, ErrIncomplete) {
			return false
		}
	}
	return true
}

// globEscape returns a path as a pattern that matches it alone.
func globEscape(path string) string {
	special := []string{`*`, `[*]`, `?`, `[?]`, `[`, `[[]`}
	if runtime.GOOS != "windows" { // where it separates
		special = append(special, `\`, `\\`)
	}
	return strings.NewReplacer(special...).Replace(path)
}

// rules are opened rules with the actions by name.
type rules struct {
	env.Game
	id, config string // as written
	spec       game.Spec
	hash       string
	actions    map[string]game.Action
}

// parser reads games line by line.
type parser struct {
	lines *bufio.Scanner
	n     int // lines read
	open  Open
	last  rules // of the game before
	cut   bool  // the last line has no end, or the input has ended
	wrong bool  // a result is whole, and not that of the rules
	begun bool  // the first line of the next game was read before the result of a game
}

// split is [bufio.ScanLines] that notes whether the line has an end.
func (p *parser) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	advance, line, err = bufio.ScanLines(data, atEOF)
	p.cut = atEOF && (advance == 0 || data[advance-1] != '\n')
	return advance, line, err
}

// first is the first line of a game.
var first = fmt.Sprintf("%s %d", header, version)

// next returns the next line with a meaning, and its first word and the rest apart. Within a
// game it returns an error for the first line of another, which may follow half a line.
func (p *parser) next(within bool) (word, rest string, err error) {
	for p.lines.Scan() {
		p.n++
		line, err := input.Line(p.lines.Text())
		if err != nil {
			return "", "", p.errorf("%w", err)
		}
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			word, rest, _ = strings.Cut(line, " ")
			if within && word != "seat" && strings.HasSuffix(line, first) {
				p.begun = true
				return "", "", p.errorf("another game begins before the result")
			}
			return word, strings.TrimSpace(rest), nil
		}
	}
	if err := p.lines.Err(); err == bufio.ErrTooLong {
		p.n++
		return "", "", p.errorf("it is longer than %d bytes", maxLine)
	} else if err != nil {
		return "", "", err
	}
	return "", "", io.EOF
}

// errorf returns an error in the current line.
func (p *parser) errorf(format string, args ...any) error {
	return message.NewError("line {0}: {1}", p.n, fmt.Errorf(format, args...))
}

// field returns the value of the next line, which must begin with this word.
func (p *parser) field(want string) (string, error) {
	word, rest, err := p.next(true)
	if err == io.EOF {
		return "", p.errorf("the file ends; want a line %q", want)
	}
	if err == nil && (word != want || rest == "") {
		err = p.errorf("want a line %q with a value", want)
	}
	return rest, err
}

// game reads a game. It returns io.EOF if there is none left.
func (p *parser) game() (*Game, error) {
	if !p.begun {
		word, rest, err := p.next(false)
		if err != nil {
			return nil, err
		}
		if found := word + " " + rest; found != first {
			if n, ok := strings.CutPrefix(found, header+" "); ok {
				return nil, p.errorf("version %s of the format; this program reads version %d", input.Quote(n), version)
			}
			return nil, p.errorf("a game begins with the line %q", first)
		}
	}
	p.begun = false
	g, err := p.rest()
	if err != nil && !p.wrong && (p.begun || p.cut && p.lines.Err() == nil || p.follows()) {
		return nil, fmt.Errorf("%w: %w", ErrIncomplete, err)
	}
	return g, err
}

// follows reports whether the next line begins another game, as after a line that
// [Game.Append] ended.
func (p *parser) follows() bool {
	if !p.lines.Scan() {
		return false
	}
	p.n++
	line, err := input.Line(p.lines.Text())
	p.begun = err == nil && strings.TrimSpace(line) == first
	return p.begun
}

func (p *parser) rest() (*Game, error) {
	r, err := p.rules()
	if err != nil {
		return nil, err
	}
	g := New(r.Game, nil)
	if err := p.seats(g, r.spec.Players); err != nil {
		return nil, err
	}
	for {
		word, rest, err := p.next(true)
		switch {
		case err == io.EOF:
			return nil, p.errorf("the file ends before the result of a game")
		case err != nil:
			return nil, err
		case word == wordResult:
			return g, p.result(g, rest)
		case word == wordChance:
			err = p.chance(g, rest)
		default:
			err = p.action(g, r, word, rest)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parser) rules() (*rules, error) {
	id, err := p.field("game")
	if err != nil {
		return nil, err
	}
	text, err := p.field("rules")
	if err != nil {
		return nil, err
	}
	number, hash, _ := strings.Cut(text, " ")
	line := p.n
	config, err := p.field("config")
	if err != nil {
		return nil, err
	}
	r := &p.last
	if r.id != id || r.config != config {
		g, err := p.open(id, 0, []byte(config))
		if err != nil {
			return nil, p.errorf("%w", err)
		}
		*r = rules{Game: g, id: id, config: config, spec: g.Spec(), hash: g.Spec().RulesHash(), actions: map[string]game.Action{}}
		for a := range game.Action(r.spec.Actions) {
			r.actions[g.ActionName(a)] = a
		}
	}
	if number != strconv.Itoa(r.spec.Version) || hash != r.hash {
		return nil, fmt.Errorf("line %d: the game has the rules %s; this program plays %s by the rules %d %s", line, input.Quote(text), id, r.spec.Version, r.hash)
	}
	return r, nil
}

func (p *parser) seats(g *Game, players int) error {
	word, rest, err := p.next(true)
	if err == nil && word == "seed" {
		seed, e := strconv.ParseUint(rest, 10, 64)
		if e != nil {
			return p.errorf("the seed is %s; want a whole number", input.Quote(rest))
		}
		g.Seed = &seed
		word, rest, err = p.next(true)
	}
	for i := range players {
		if i > 0 {
			word, rest, err = p.next(true)
		}
		number, name, _ := strings.Cut(rest, " ")
		switch {
		case err != nil && err != io.EOF:
			return err
		case err == io.EOF || word != "seat" || number != strconv.Itoa(i):
			return p.errorf("want a line \"seat %d\" with a name", i)
		}
		name = strings.TrimSpace(name)
		if err := checkName(name); err != nil {
			return p.errorf("the name of seat %d: %w", i, err)
		}
		g.Seats = append(g.Seats, name)
	}
	return nil
}

func (p *parser) chance(g *Game, name string) error {
	at := g.Position()
	if who := at.CurrentPlayer(); who != game.Chance {
		return p.errorf("a chance transition, but %s", mover(who))
	}
	next, err := at.Outcome(name)
	if err != nil {
		return p.errorf("%w", err)
	}
	g.Chance(next)
	return nil
}

func (p *parser) action(g *Game, r *rules, seat, name string) error {
	who := g.Position().CurrentPlayer()
	if who < 0 || seat != strconv.Itoa(int(who)) {
		return p.errorf("%s, but %s", input.Quote(cmp.Or(seat, "nobody")+" "+name), mover(who))
	}
	a, ok := r.actions[name]
	if !ok {
		return p.errorf("no action is named %s%s", input.Quote(name), input.Hint(name, r.legal(g.Position())))
	}
	if err := g.Apply(a); err != nil {
		return p.errorf("%w", err)
	}
	return nil
}

func (r *rules) legal(at env.Position) (names []string) {
	for _, a := range at.Legal() {
		names = append(names, r.ActionName(a))
	}
	return names
}

func mover(who game.Player) string {
	switch who {
	case game.Chance:
		return "chance is to move"
	case game.Terminal:
		return "the game is over"
	}
	return fmt.Sprintf("seat %d is to move", who)
}

// result reads the result, which must be that of the last position.
func (p *parser) result(g *Game, text string) error {
	g.Truncated = text == truncated
	if want := g.result(); !slices.Equal(strings.Fields(text), strings.Fields(want)) {
		p.wrong = !strings.HasPrefix(want, text) && !strings.HasPrefix(truncated, text)
		return p.errorf("the result is %s; by the rules it is %q", input.Quote(text), want)
	}
	return nil
}
