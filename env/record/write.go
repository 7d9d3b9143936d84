package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/atomicfile"
)

// The first line of a game is header and the version of the format.
const (
	header  = "marsgym game"
	version = 1
)

// The words that begin lines.
const (
	wordChance = "chance"
	wordResult = "result"
)

// The results of games without returns.
const (
	truncated  = "truncated"
	unfinished = "unfinished"
)

// Write writes a game to w, by one call of w.Write. [Read] reads it. It returns an error for
// a game that begins at another position than the initial one, which the format cannot say.
func (g *Game) Write(w io.Writer) error {
	spec := g.Rules.Spec()
	if len(g.Seats) != spec.Players {
		return fmt.Errorf("a record of %d seats in a game for %d players", len(g.Seats), spec.Players)
	}
	if start := g.At(0).String(); start != g.Rules.Initial().String() {
		return fmt.Errorf("the game begins at %s; a record holds games from their beginning", start)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d\ngame %s\nrules %d %s\nconfig %s\n", header, version, spec.ID, spec.Version, spec.RulesHash(), spec.ConfigJSON())
	if g.Seed != nil {
		fmt.Fprintf(&b, "seed %d\n", *g.Seed)
	}
	for i, name := range g.Seats {
		if err := checkName(name); err != nil {
			return fmt.Errorf("the name %q of seat %d: %w", name, i, err)
		}
		fmt.Fprintf(&b, "seat %d %s\n", i, name)
	}
	b.WriteByte('\n')
	for _, s := range g.Steps {
		if s.Chance() {
			fmt.Fprintf(&b, "%s %s\n", wordChance, s.Before.OutcomeName(s.After))
		} else {
			fmt.Fprintf(&b, "%d %s\n", s.Before.CurrentPlayer(), g.Rules.ActionName(s.Action))
		}
	}
	fmt.Fprintf(&b, "%s %s\n\n", wordResult, g.result())
	_, err := io.WriteString(w, b.String())
	return err
}

// Append adds a game to a file that is open for appending: all of it or, after an error,
// nothing. It begins a new line if the file ends in the middle of one.
func (g *Game) Append(f *os.File) error {
	var b bytes.Buffer
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if info.Mode().IsRegular() && size > 0 {
		var last [1]byte
		r, err := atomicfile.Open(f.Name()) // f cannot be read
		if err != nil {
			return err
		}
		_, err = r.ReadAt(last[:], size-1)
		if err := cmp.Or(err, r.Close()); err != nil {
			return err
		}
		if last[0] != '\n' {
			b.WriteByte('\n')
		}
	}
	if err := g.Write(&b); err != nil {
		return err
	}
	n, err := f.Write(b.Bytes())
	if err == nil {
		return nil
	}
	if now, e := f.Stat(); e == nil && n > 0 && now.Size() == size+int64(n) { // nobody else has written
		err = errors.Join(err, f.Truncate(size))
	}
	return fmt.Errorf("%w; the game is not in the file, and those before it are", err)
}

func (g *Game) result() string {
	end := g.Position()
	if end.CurrentPlayer() != game.Terminal {
		if g.Truncated {
			return truncated
		}
		return unfinished
	}
	var list []string
	for _, r := range end.Returns() {
		list = append(list, strconv.FormatFloat(r, 'g', -1, 64))
	}
	return strings.Join(list, " ")
}
