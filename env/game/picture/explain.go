package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/colour"
)

// Explain returns lines about what a lower-case word names in a scene: a cell with its group
// and its neighbours, a place, a kind of cells, a track or an action; "map" explains how to
// read the map, and "seats" lists all that the seats have. It returns nil for other words.
func Explain(s *game.Scene, word string) (lines []string) {
	m := s.Map
	if m == nil {
		m = &game.SceneMap{}
	}
	named := func(c game.SceneCell) bool { return strings.EqualFold(c.Name, word) }
	if i := slices.IndexFunc(m.Cells, named); i >= 0 {
		lines = explainCell(m, i)
	}
	if i := slices.IndexFunc(s.Places, named); i >= 0 {
		c := &s.Places[i]
		lines = append(lines, say(c.Name+": "+c.Text+"; "+c.Power)...)
	}
	for _, k := range m.Kinds {
		if k.Kind == word {
			lines = append(lines, say(word+pieces(s, word)+": "+k.Text)...)
		}
	}
	for _, t := range s.Tracks {
		if t.Name == word {
			levels := slices.Clone(t.Levels[1:])
			for i, pay := range levels {
				levels[i] = cmp.Or(pay, "nothing")
			}
			lines = append(lines, wrap("its levels pay: ", levels, "; ")...)
		}
	}
	for _, o := range s.Options {
		if o.Name == word && word != "" {
			lines = append(lines, say(o.Text)...)
		}
	}
	switch {
	case word == "seats":
		lines = append(lines, table(s, columns)...)
	case word == "map" && s.Map != nil:
		lines = append(lines, explainMap(m)...)
	}
	for i, line := range lines {
		lines[i] = colour.Strip(line)
	}
	return lines
}

// say writes a text in lines.
func say(text string) []string { return wrap("", strings.Split(text, " "), " ") }

// explainCell describes a cell.
func explainCell(m *game.SceneMap, i int) []string {
	c := &m.Cells[i]
	lines := say(c.Name + ": " + c.Text)
	d := newDrawing(m)
	for _, g := range m.Groups {
		if g.Name == c.Group {
			lines = append(lines, wrap(m.Group+" "+g.Name+": ", d.names(g.Cells), "  ")...)
		}
	}
	var beside []int
	for _, b := range m.Borders {
		switch i {
		case b[0]:
			beside = append(beside, b[1])
		case b[1]:
			beside = append(beside, b[0])
		}
	}
	slices.Sort(beside)
	return append(lines, wrap("beside it: ", d.names(beside), "  ")...)
}

// names names cells with what stands there.
func (d *drawing) names(cells []int) (texts []string) {
	for _, i := range cells {
		if tiled(d.m) {
			texts = append(texts, d.m.Cells[i].Name+" "+strings.TrimSpace(colour.Strip(d.tile(i))))
		} else {
			texts = append(texts, colour.Strip(d.cell(i))+small(&d.m.Cells[i]))
		}
	}
	return texts
}

// pieces counts the pieces of the seats on cells of a kind, as in ", pieces 3-1 by seat".
func pieces(s *game.Scene, kind string) string {
	count := make([]int, len(s.Seats))
	for _, c := range s.Map.Cells {
		for _, p := range c.Pieces {
			if c.Kind == kind {
				count[p.Seat] += p.Count
			}
		}
	}
	return ", pieces " + strings.ReplaceAll(strings.Trim(fmt.Sprint(count), "[]"), " ", "-") + " by seat"
}

// explainMap describes how to read a map, and lists what is not drawn.
func explainMap(m *game.SceneMap) (lines []string) {
	d := newDrawing(m)
	d.lines()
	if tiled(m) {
		lines = say("The map: a cell is named by its column and row, as in " + m.Cells[0].Name + ". It shows the sign of its kind and the piece there: A and B are pieces of seats 0 and 1, a and b lie, and none can stand on a sign of two characters.")
		for _, k := range m.Kinds {
			lines = append(lines, wrap(fmt.Sprintf("%-2s %s: ", k.Sign, k.Kind), strings.Split(k.Text, " "), " ")...)
		}
		return lines
	}
	name := m.Cells[0].Name
	lines = say(fmt.Sprintf("The map: %s 0:2 is %[1]s, in which seat 0 has 2 armies. Below it stand the letter of its %s and the other pieces: L large, M medium, S small. %[1]s>0:2 attacks, and %[1]s!0:2 is attacked, was conquered or got pieces. Lines are borders. ?%[3]s shows it with its neighbours.", name, m.Group, strings.ToLower(name)))
	lines = append(lines, d.undrawn()...)
	var groups []string
	for _, g := range m.Groups {
		var list []string
		for _, i := range g.Cells {
			list = append(list, m.Cells[i].Name)
		}
		slices.Sort(list)
		groups = append(groups, g.Name+" "+strings.Join(list, "+"))
	}
	if groups != nil {
		lines = append(lines, wrap(m.Group+"s: ", groups, " ")...)
	}
	return lines
}
