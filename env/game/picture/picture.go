// Package picture draws positions as text for a terminal, from their [game.Scene].
package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/colour"
	"marsgym/internal/input"
)

const (
	columns = 79 // a terminal of 80 columns breaks no line
	most    = 16 // lines, of the 24 of a screen, of a picture that shows all. Chosen
)

// Text draws a scene in lines of 79 columns, in the words of a speaker and in colours for a terminal: the next step, what
// the seats have, the dice, and the map, with the other places and the tracks beside it. A <
// marks the seat to move, and a + comes before what it has gained in its turn. Without
// colours:
//
//	seat 1 rolls on or stops
//	points   seat 0: 13   seat 1: 17+2 < (starter)
//	set aside   3 tanks, 5 rays  (2 points if the turn ends)
//	to roll     5 dice
func Text(s *game.Scene, to message.Speaker) string {
	lines := say(to, s.Text)
	if !s.Warning.IsZero() {
		lines = append(lines, say(to, s.Warning)...)
	}
	if s.Board != "" {
		for line := range strings.SplitSeq(strings.TrimRight(s.Board, "\n"), "\n") {
			for part := range slices.Chunk([]rune(line), columns) {
				lines = append(lines, string(part))
			}
		}
	}
	below := append(dice(s.Dice, to), panel(s, to)...)
	if s.Map == nil {
		return strings.Join(append(append(lines, seats(s, to, len(below))...), below...), "\n")
	}
	d := newDrawing(s.Map)
	below = beside(d.lines(), below)
	lines = append(append(lines, seats(s, to, len(below))...), below...)
	if rest := d.undrawn(to); len(lines)+len(rest) <= most {
		lines = append(lines, rest...)
	}
	return strings.Join(lines, "\n")
}

// seats describes what the seats have: on shared lines if they only score, otherwise in a
// table. Where that is too high above the lines below, two seats share a line, with the
// numbers that fit.
func seats(s *game.Scene, to message.Speaker, below int) []string {
	if s.Seats[0].Counts == nil {
		var texts []string
		for p, seat := range s.Seats {
			text := to.Name(message.Seat(p)) + ": " + score(seat) + mark(s, p)
			if seat.Notes != nil {
				text += " (" + to.Say(message.New("{0}", seat.Notes)) + ")"
			}
			texts = append(texts, text)
		}
		return wrap(to.Word(s.Seats[0].Score.Name)+"   ", texts, "   ")
	}
	if len(s.Seats)+below <= most {
		return table(s, to, columns)
	}
	t := table(s, to, columns/2-1)
	half := 1 + (len(s.Seats)+1)/2
	return beside(t[:half], append(t[:1:1], t[half:]...))
}

// table lists the seats below a line of titles, with the numbers that there is room for.
func table(s *game.Scene, to message.Speaker, room int) []string {
	cells := [][]string{append([]string{to.Word("seat"), strings.Fields(to.Word(s.Seats[0].Score.Name))[0]}, titles(s.Seats[0].Counts, to)...)}
	for _, t := range s.Tracks {
		cells[0] = append(cells[0], to.Word(t.Name))
	}
	notes, longest := []string{""}, 0
	for p, seat := range s.Seats {
		label := strconv.Itoa(p)
		if tiled(s.Map) {
			label += " " + letter(p)
		}
		row := []string{paint(p, label) + pad(mark(s, p), len(" <")), score(seat)}
		for _, n := range seat.Counts {
			row = append(row, strconv.Itoa(n.Value))
		}
		for _, t := range s.Tracks {
			row = append(row, strconv.Itoa(t.At[p]))
		}
		note := to.Say(message.New("{0}", seat.Notes))
		if note != "" {
			note = "  " + note
		}
		cells, notes, longest = append(cells, row), append(notes, note), max(longest, width(note))
	}
	lines := align(cells, room-longest, true)
	for i, note := range notes {
		lines[i] += note
	}
	return lines
}

// titles returns the last word of each name or, where names share it, the first; that of the
// group where names are the same.
func titles(counts []game.SceneCount, to message.Speaker) (list []string) {
	last := func(text string) string { return text[strings.LastIndex(text, " ")+1:] }
	names, words := map[string]int{}, map[string]int{}
	counts = slices.Clone(counts)
	for i, n := range counts {
		n.Name = strings.ReplaceAll(to.Word(n.Name), softHyphen, "")
		if n.Group != "" {
			n.Group = to.Word(n.Group)
		}
		counts[i] = n
		names[n.Name]++
		words[last(n.Name)]++
	}
	for _, n := range counts {
		word := last(n.Name)
		switch {
		case names[n.Name] > 1 && n.Group != "":
			word = last(n.Group)
		case words[word] > 1:
			word = strings.Fields(n.Name)[0]
		}
		list = append(list, word)
	}
	return list
}

// softHyphen is where a browser may break a word.
const softHyphen = "\u00ad"

func score(seat game.SceneSeat) string {
	if seat.Score.Gain > 0 {
		return strconv.Itoa(seat.Score.Value) + "+" + strconv.Itoa(seat.Score.Gain)
	}
	return strconv.Itoa(seat.Score.Value)
}

func mark(s *game.Scene, p int) string {
	if int(s.Player) == p {
		return " <"
	}
	return ""
}

// dice lists the groups of dice, each with the first part of its text.
func dice(groups []game.SceneDice, to message.Speaker) (lines []string) {
	longest := 0
	for _, g := range groups {
		longest = max(longest, width(to.Word(g.Name)))
	}
	for _, g := range groups {
		var list []message.Message
		for _, d := range g.Dice {
			list = append(list, message.Count(d.Count, cmp.Or(d.Face, "die")))
		}
		if list == nil {
			list = []message.Message{message.New("nothing")}
		}
		words := []string{to.Say(message.New("{0}", list))}
		if text := to.Say(g.Text.Head()); text != "" {
			words = append(words, "("+text+")")
		}
		lines = append(lines, wrap(pad(to.Word(g.Name), longest)+"   ", words, "  ")...)
	}
	return lines
}

// panel lists the places that are not on the map, with what they do, and what the levels of
// the tracks pay, as in 3t1d for "3 tokens, 1 die".
func panel(s *game.Scene, to message.Speaker) []string {
	var cells [][]string
	for i := range s.Places {
		c := &s.Places[i]
		cells = append(cells, []string{to.Word(c.Name), piece(c), " " + to.Say(c.Power)})
	}
	lines := align(cells, columns, false)
	cells = nil
	for _, t := range s.Tracks {
		cells = append(cells, []string{colour.Paint(kind(s.Map, t.Name).Colour, to.Word(t.Name)), strings.Join(t.Brief[1:], " ")})
	}
	return append(lines, align(cells, columns, false)...)
}

// letter returns the letter of a seat on a map of tiles.
func letter(p int) string { return string(rune('A' + p)) }

// paint returns text in the colour of a seat.
func paint(p int, text string) string {
	if p < len(colour.Seats) {
		return colour.Paint(colour.Seats[p], text)
	}
	return text
}

// width returns the number of columns of text without its colour codes.
func width(text string) int { return input.Width(colour.Strip(text)) }

// pad returns text followed by spaces up to that many columns.
func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-width(text)))
}

// align writes the rows of a table in columns, all but the first perhaps to the right, and
// leaves out the last columns if there is no room for them.
func align(cells [][]string, room int, right bool) []string {
	lines := make([]string, len(cells))
	for i := 0; len(cells) > 0 && i < len(cells[0]); i++ {
		wide, used := 0, width(lines[0])
		for _, row := range cells {
			wide = max(wide, width(row[i]))
		}
		if i > 0 && used+1+wide > room {
			break
		}
		for k, text := range cells {
			switch gap := strings.Repeat(" ", wide-width(text[i])); {
			case i == 0:
				lines[k] = text[i] + gap
			case right:
				lines[k] += " " + gap + text[i]
			default:
				lines[k] += " " + text[i] + gap
			}
		}
	}
	for k, line := range lines {
		lines[k] = strings.TrimRight(line, " ")
	}
	return lines
}

// wrap writes words behind a title, in lines of 79 columns.
func wrap(title string, words []string, space string) []string {
	return input.Lines(title, strings.Repeat(" ", width(title)), words, space, func(line string) bool { return width(line) <= columns })
}

// beside writes lines beside others or, where there is no room, below them.
func beside(left, right []string) (lines []string) {
	wide, wide2 := 0, 0
	for _, line := range left {
		wide = max(wide, width(line))
	}
	for _, line := range right {
		wide2 = max(wide2, width(line))
	}
	if wide+2+wide2 > columns {
		return append(left, right...)
	}
	for i := range max(len(left), len(right)) {
		line := ""
		if i < len(left) {
			line = left[i]
		}
		if i < len(right) {
			line = pad(line, wide+2) + right[i]
		}
		lines = append(lines, line)
	}
	return lines
}
