package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/colour"
)

// Explain returns lines, in the words of a speaker, about what a lower-case word names in a scene: a cell with its group
// and its neighbours, a place, a kind of cells, a track or an action; "map" explains how to
// read the map, and "seats" lists all that the seats have. It returns nil for other words.
func Explain(s *game.Scene, to message.Speaker, word string) (lines []string) {
	m := s.Map
	if m == nil {
		m = &game.SceneMap{}
	}
	named := func(c game.SceneCell) bool { return strings.EqualFold(c.Name, word) }
	if i := slices.IndexFunc(m.Cells, named); i >= 0 {
		lines = explainCell(m, to, i)
	}
	if i := slices.IndexFunc(s.Places, named); i >= 0 {
		c := &s.Places[i]
		lines = append(lines, say(to, message.Detail(message.New(c.Name), message.Note(c.Text, c.Power)))...)
	}
	for _, k := range m.Kinds {
		if k.Kind == word {
			lines = append(lines, say(to, message.New("map.kind", message.New(word), pieces(s, word), k.Text))...)
		}
	}
	for _, t := range s.Tracks {
		if t.Name == word {
			var levels []string
			for _, pay := range t.Levels[1:] {
				levels = append(levels, cmp.Or(to.Say(pay), to.Word("nothing")))
			}
			lines = append(lines, wrap(to.Say(message.New("map.levels")), levels, "; ")...)
		}
	}
	for _, o := range s.Options {
		if o.Name == word && word != "" {
			lines = append(lines, say(to, o.Text)...)
		}
	}
	switch {
	case word == "seats":
		lines = append(lines, table(s, to, columns)...)
	case word == "map" && s.Map != nil:
		lines = append(lines, explainMap(m, to)...)
	}
	for i, line := range lines {
		lines[i] = colour.Strip(line)
	}
	return lines
}

// say writes a message in lines.
func say(to message.Speaker, m message.Message) []string {
	return wrap("", strings.Split(to.Say(m), " "), " ")
}

// explainCell describes a cell.
func explainCell(m *game.SceneMap, to message.Speaker, i int) []string {
	c := &m.Cells[i]
	lines := say(to, message.Detail(message.Text(c.Name), c.Text))
	d := newDrawing(m)
	for _, g := range m.Groups {
		if g.Name == c.Group {
			lines = append(lines, wrap(to.Say(message.New("map.group", message.New(m.Group), g.Name)), d.names(g.Cells), "  ")...)
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
	return append(lines, wrap(to.Say(message.New("map.beside")), d.names(beside), "  ")...)
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

// pieces counts the pieces of the seats on cells of a kind, as in "3-1".
func pieces(s *game.Scene, kind string) string {
	count := make([]int, len(s.Seats))
	for _, c := range s.Map.Cells {
		for _, p := range c.Pieces {
			if c.Kind == kind {
				count[p.Seat] += p.Count
			}
		}
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(count), "[]"), " ", "-")
}

// explainMap describes how to read a map, and lists what is not drawn.
func explainMap(m *game.SceneMap, to message.Speaker) (lines []string) {
	d := newDrawing(m)
	d.lines()
	if tiled(m) {
		lines = say(to, message.New("map.tiles", m.Cells[0].Name, []message.Seat{0, 1}))
		for _, k := range m.Kinds {
			lines = append(lines, wrap(fmt.Sprintf("%-2s %s: ", k.Sign, to.Word(k.Kind)), strings.Split(to.Say(k.Text), " "), " ")...)
		}
		return lines
	}
	name := m.Cells[0].Name
	lines = say(to, message.New("map.regions", name, message.New(m.Group), strings.ToLower(name), message.Seat(0)))
	lines = append(lines, d.undrawn(to)...)
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
		lines = append(lines, wrap(to.Word(m.Group+"s")+": ", groups, " ")...)
	}
	return lines
}
