package catalog_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
)

// docs is the folder of the pages of the games, and index the page that lists them.
const docs, index = "../../docs/games", "README.md"

// TestDocs compares the tables of the pages with the code. The head of the first column
// is the kind of a table's rows:
//
//	game         games, or the sizes of one by the number of players
//	field        the fields of an observation, in order
//	first index  the actions, in order
//	key          the settings of the config; a column for each preset has the defaults
//	position     positions in the game's notation, each the next of the one above
//
// Other tables are not read. A table is about the games that the heading above it
// names, or else about all games of its page. A formula is between backticks; its
// letters are columns of the sizes.
func TestDocs(t *testing.T) {
	pages := readDocs(t)
	for _, err := range checkDocs(pages).errs {
		t.Error(err)
	}
	var listed []string
	for _, t := range tables(index, pages[index]) {
		for _, row := range t.rows {
			if t.head[0].text == "game" {
				listed = append(listed, row[0].text)
			}
		}
	}
	if want := catalog.IDs(); !slices.Equal(listed, want) {
		t.Errorf("%s lists the games %q; the code has %q", index, listed, want)
	}
}

// TestDocsErrors changes each cell of a page that TestDocs compares, one at a time.
// Each change must be reported in its line, or in the next if chance could lead to a
// changed position.
func TestDocsErrors(t *testing.T) {
	const name = "pig.md"
	text := readDocs(t)[name]
	lines := strings.Split(text, "\n")
	kinds := map[string]bool{}
	for _, c := range checkDocs(map[string]string{name: text}).checked {
		kinds[c.kind] = true
		cells := strings.Split(lines[c.line-1], "|")
		b := []byte(cells[c.col+1])
		i := bytes.LastIndexFunc(b, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
		if i < 0 {
			t.Errorf("%s:%d: column %s has nothing to change", name, c.line, c.head)
			continue
		}
		if b[i] >= '0' && b[i] <= '9' {
			b[i] = '0' + (b[i]-'0'+1)%10
		} else {
			b[i] = 'x'
		}
		cells[c.col+1] = string(b)
		changed := slices.Clone(lines)
		changed[c.line-1] = strings.Join(cells, "|")
		errs := checkDocs(map[string]string{name: strings.Join(changed, "\n")}).errs
		at, next := fmt.Sprintf("%s:%d:", name, c.line), fmt.Sprintf("%s:%d:", name, c.line+1)
		found := func(err error) bool {
			return strings.HasPrefix(err.Error(), at) || c.kind == "position" && strings.HasPrefix(err.Error(), next)
		}
		if !slices.ContainsFunc(errs, found) {
			t.Errorf("%s column %s accepts %q", at, c.head, b)
		}
	}
	for _, kind := range []string{"game", "field", "first index", "key", "position"} {
		if !kinds[kind] {
			t.Errorf("%s has no table that begins with %q", name, kind)
		}
	}
}

func readDocs(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(docs, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages in %s: %v", docs, err)
	}
	pages := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(file)] = string(text)
	}
	return pages
}

// table is a table of a page.
type table struct {
	ids  []string // of the heading above
	head []cell
	rows [][]cell
}

// cell is a cell of a table. Its text has no backticks.
type cell struct {
	page, kind, head, text string
	line, col              int
	code                   bool // whether it begins with a backtick
}

var codeText = regexp.MustCompile("`([^`]*)`")

// tables reads the tables of a page.
func tables(page, text string) (list []*table) {
	var ids []string
	var last *table
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") {
			ids = nil
			for _, m := range codeText.FindAllStringSubmatch(line, -1) {
				if slices.Contains(catalog.IDs(), m[1]) {
					ids = append(ids, m[1])
				}
			}
		}
		if !strings.HasPrefix(line, "|") {
			last = nil
			continue
		}
		var row []cell
		for col, text := range strings.Split(strings.Trim(line, "|"), "|") {
			text = strings.TrimSpace(text)
			c := cell{page: page, line: i + 1, col: col, text: strings.ReplaceAll(text, "`", ""), code: strings.HasPrefix(text, "`")}
			if last != nil && col < len(last.head) {
				c.kind, c.head = last.head[0].text, last.head[col].text
			}
			row = append(row, c)
		}
		switch {
		case last == nil:
			last = &table{ids: ids, head: row}
			list = append(list, last)
		case strings.HasPrefix(row[0].text, "-"):
		case len(row) != len(last.head):
			last.rows = append(last.rows, row[:1]) // the caller reports it
		default:
			last.rows = append(last.rows, row)
		}
	}
	return list
}

// column returns the cell of a row below a head.
func column(row []cell, head string) (cell, bool) {
	for _, c := range row {
		if c.head == head {
			return c, true
		}
	}
	return cell{}, false
}

// size is a game under one config, with the letters of its formulas.
type size struct {
	id      string
	game    env.Game
	letters map[string]int
}

// docsChecker collects the errors of pages, one for each cell.
type docsChecker struct {
	pages   map[string]string
	errs    []error
	failed  map[cell]bool
	checked []cell
	sizes   []size // of the current page
}

// checkDocs checks pages, given by name.
func checkDocs(pages map[string]string) *docsChecker {
	c := &docsChecker{pages: pages, failed: map[cell]bool{}}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		list := tables(name, pages[name])
		c.sizes = nil
		for _, t := range list {
			for _, row := range t.rows {
				if len(row) != len(t.head) {
					c.fail(row[0], "the row and the head have different numbers of cells")
					return c
				}
			}
			if t.head[0].text == "game" {
				c.games(t)
			}
		}
		check := map[string]func(*table, []size){"field": c.fields, "first index": c.actions, "key": c.settings, "position": c.positions}
		has := map[string]map[string]bool{} // kinds of tables, by game
		for _, t := range list {
			about := slices.DeleteFunc(slices.Clone(c.sizes), func(s size) bool { return t.ids != nil && !slices.Contains(t.ids, s.id) })
			if f := check[t.head[0].text]; f != nil {
				f(t, about)
			}
			for _, s := range about {
				if has[s.id] == nil {
					has[s.id] = map[string]bool{}
				}
				has[s.id][t.head[0].text] = true
			}
		}
		for id, kinds := range has {
			for kind := range check {
				if !kinds[kind] {
					c.errs = append(c.errs, fmt.Errorf("%s: no table of %s begins with %q", name, id, kind))
				}
			}
			c.allSeats(name, id)
		}
	}
	return c
}

// fail adds an error for a cell.
func (c *docsChecker) fail(at cell, format string, args ...any) {
	if c.failed[at] {
		return
	}
	c.failed[at] = true
	c.errs = append(c.errs, fmt.Errorf("%s:%d: column %q has %q; %s", at.page, at.line, at.head, at.text, fmt.Sprintf(format, args...)))
}

// equal compares a cell with the value in the code.
func (c *docsChecker) equal(at cell, code any) {
	c.checked = append(c.checked, at)
	if want := fmt.Sprint(code); at.text != want {
		c.fail(at, "the code has %q", want)
	}
}
