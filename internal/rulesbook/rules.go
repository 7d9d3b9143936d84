// Package rulesbook reads the rules of the games out of their pages, for programs that show
// them.
package rulesbook

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"marsgym/docs/games"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

// page returns the page of a game and its name: that which is the id or begins it, since
// presets share a page. It returns "" if there is none.
func page(id string) (name, text string) {
	list, err := games.Pages.ReadDir(".")
	if err != nil {
		panic(err) // the files are embedded
	}
	for _, f := range list {
		n := strings.TrimSuffix(f.Name(), ".md")
		if (id == n || strings.HasPrefix(id, n+"-")) && len(n) > len(name) {
			name = n
		}
	}
	b, _ := games.Pages.ReadFile(name + ".md")
	return name, string(b)
}

// section returns the text below a heading, up to the next heading of that level or above.
func section(page, heading string) string {
	_, text, _ := strings.Cut(page, "\n"+heading+"\n")
	level := strings.Count(heading, "#")
	if end := regexp.MustCompile(fmt.Sprintf(`(?m)^#{1,%d} `, level)).FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	return text
}

// Rules returns the rules of a game as text of width columns. Settings that differ from
// those of the published game are listed at the end. If about is not empty, Rules returns
// the sections whose titles contain it or, if there are none, the paragraphs. It returns ""
// where there is nothing.
func Rules(spec game.Spec, about string, width int) string {
	blocks := rules(spec)
	if about != "" {
		contains := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(about)) }
		found := slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return !contains(b.section) })
		if len(found) == 0 {
			found = slices.DeleteFunc(blocks, func(b block) bool { return !contains(b.text) })
		}
		blocks = found
	}
	return format(blocks, width)
}

// rules returns the blocks of the rules of a game.
func rules(spec game.Spec) []block {
	name, p := page(spec.ID)
	blocks := parse(section(p, "## Rules"))
	blocks = slices.DeleteFunc(blocks, func(b block) bool { return b.section == "A worked turn" }) // in notation
	if numbers := numbers(section(p, "## Config"), spec.ConfigJSON(), published(name, spec.Players)); len(numbers) > 0 {
		const title = "The numbers of this game"
		blocks = append(blocks, block{section: title, kind: heading, text: title, loose: true},
			block{section: title, loose: true, text: "The text above is that of the published game. Here these settings differ:"})
		for _, n := range numbers {
			n.section = title
			blocks = append(blocks, n)
		}
	}
	return blocks
}

// Block is a part of the rules of a game, for programs that lay them out themselves.
type Block struct {
	Kind   string   `json:"kind"` // paragraph, heading, item, row or code
	Text   string   `json:"text,omitempty"`
	Mark   string   `json:"mark,omitempty"`   // of an item: "-", "- a." or "1."; "" goes on the one before
	Indent int      `json:"indent,omitempty"` // of an item, in characters
	Cells  []string `json:"cells,omitempty"`  // of a row of a table, the first of which has the titles
	Loose  bool     `json:"loose,omitempty"`  // an empty line comes before it
}

// Blocks returns the rules of a game as blocks in order; see [Rules].
func Blocks(spec game.Spec) (list []Block) {
	for _, b := range rules(spec) {
		x := Block{Kind: b.kind.String(), Text: plain(b.text), Mark: strings.TrimSpace(b.mark), Indent: b.indent, Loose: b.loose}
		switch b.kind {
		case code:
			x.Text = b.text
		case row:
			x.Text = ""
			for _, c := range b.cells {
				x.Cells = append(x.Cells, plain(c))
			}
		}
		list = append(list, x)
	}
	return list
}

// Sections returns the titles of the sections of the rules of a game.
func Sections(id string) (titles []string) {
	_, p := page(id)
	for _, b := range parse(section(p, "## Rules")) {
		if b.kind == heading && b.text != "A worked turn" {
			titles = append(titles, b.text)
		}
	}
	return titles
}

// published returns the config of the published game for these players, or for its default
// number if it is not for that many.
func published(id string, players int) string {
	g, err := catalog.Open(id, players, nil)
	if err != nil {
		g, err = catalog.Open(id, 0, nil)
	}
	if err != nil {
		return ""
	}
	return g.Spec().ConfigJSON()
}

// numbers returns the keys of a table of settings whose values in config differ from those
// of the published game, with their values and meanings.
func numbers(table, config, published string) (list []block) {
	var values, defaults map[string]json.RawMessage
	if json.Unmarshal([]byte(config), &values) != nil || json.Unmarshal([]byte(published), &defaults) != nil {
		return nil
	}
	const longest = 60 // chosen: longer values, such as maps, are no numbers
	for _, b := range parse(table) {
		if b.kind != row || len(b.cells) < 2 {
			continue
		}
		key := plain(b.cells[0])
		value, ok := values[key]
		if !ok || key == "players" || len(value) > longest || equal(value, defaults[key]) {
			continue
		}
		list = append(list, block{kind: item, mark: "- ", text: fmt.Sprintf("%s is %s: %s", key, value, plain(b.cells[len(b.cells)-1]))})
	}
	return list
}

// equal reports whether two texts are the same JSON value; the order of keys is no part of it.
func equal(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
