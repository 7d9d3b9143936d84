package catalog_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

// docs is the folder of the pages of the games, and index the page that lists them.
const docs, index = "../../docs/games", "README.md"

// TestDocs compares the tables of the pages with the code. The first word of the
// head of a table says what the table lists:
//
//	game      games, or the sizes of one by the number of players
//	field     the fields of an observation, in order
//	from      the actions, in order
//	key       the settings of the config; a column for each preset has the defaults
//	position  positions in the game's notation, each the next of the one above
//
// Other tables are not read. A table is about the games that the heading above it
// names, or else about all games of its page. A formula stands between backticks;
// its letters are columns of the sizes.
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

// TestDocsErrors changes each cell of a page that TestDocs compares, one at a
// time. Each change must be found in its line. A position that chance could have
// led to as well is found in the next.
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
			t.Errorf("%s column %s may say %q", at, c.head, b)
		}
	}
	for _, kind := range []string{"game", "field", "from", "key", "position"} {
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
	code                   bool // it begins with a backtick
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
			last.rows = append(last.rows, row[:1]) // found by the caller
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

// docsChecker gathers what is wrong with pages.
type docsChecker struct {
	pages   map[string]string
	errs    []error
	checked []cell
	sizes   []size // of the page at hand
}

// checkDocs checks pages, which it is given by their names.
func checkDocs(pages map[string]string) *docsChecker {
	c := &docsChecker{pages: pages}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		list := tables(name, pages[name])
		c.sizes = nil
		for _, t := range list {
			for _, row := range t.rows {
				if len(row) != len(t.head) {
					c.fail(row[0], "the row has not as many cells as the head")
					return c
				}
			}
			if t.head[0].text == "game" {
				c.games(t)
			}
		}
		check := map[string]func(*table, []size){"field": c.fields, "from": c.actions, "key": c.settings, "position": c.positions}
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

// fail reports what is wrong with a cell.
func (c *docsChecker) fail(at cell, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s:%d: column %q says %q; %s", at.page, at.line, at.head, at.text, fmt.Sprintf(format, args...)))
}

// equal compares a cell with what the code says.
func (c *docsChecker) equal(at cell, code any) {
	c.checked = append(c.checked, at)
	if want := fmt.Sprint(code); at.text != want {
		c.fail(at, "the code says %q", want)
	}
}

// value computes the formula of a cell.
func (c *docsChecker) value(at cell, letters map[string]int) (int, bool) {
	text := strings.NewReplacer("·", "*", "−", "-").Replace(substitute(at.text, letters))
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil {
		c.checked = append(c.checked, at)
		c.fail(at, "it is no formula of the columns of the sizes: %v", err)
		return 0, false
	}
	n, _ := constant.Int64Val(constant.ToInt(v.Value))
	return int(n), true
}

// number compares the formula of a cell with what the code says.
func (c *docsChecker) number(at cell, s size, code int) {
	if n, ok := c.value(at, s.letters); ok {
		c.checked = append(c.checked, at)
		if n != code {
			c.fail(at, "which is %d for %s; the code says %d", n, s, code)
		}
	}
}

func (s size) String() string {
	return fmt.Sprintf("%s for %d", s.id, s.game.Spec().Players)
}

var letter = regexp.MustCompile(`\b[A-Z]\b`)

// substitute writes the numbers that the letters of a text stand for.
func substitute(text string, letters map[string]int) string {
	return letter.ReplaceAllStringFunc(text, func(l string) string {
		if n, ok := letters[l]; ok {
			return strconv.Itoa(n)
		}
		return l
	})
}

// seats lists the numbers of players that a game can have.
func seats(id string) (list []int) {
	for players := 1; players <= 20; players++ {
		if _, err := catalog.Open(id, players, nil); err == nil {
			list = append(list, players)
		}
	}
	return list
}

// games checks a table of games, or of their sizes.
func (c *docsChecker) games(t *table) {
	for _, row := range t.rows {
		at := row[0]
		if !slices.Contains(catalog.IDs(), at.text) {
			c.checked = append(c.checked, at)
			c.fail(at, "the games are %q", catalog.IDs())
			continue
		}
		s := size{id: at.text, letters: map[string]int{}}
		for _, x := range row {
			if len(x.head) == 1 && x.text != "" {
				n, err := strconv.Atoi(x.text)
				if err != nil {
					c.fail(x, "want a number")
				}
				s.letters[x.head] = n
			}
		}
		config, _ := column(row, "config")
		var err error
		if config.text == "" {
			config.text = "{}"
		}
		if s.game, err = catalog.Open(s.id, s.letters["P"], []byte(config.text)); err != nil {
			p, _ := column(row, "P")
			c.fail(p, "the code says %v", err)
			continue
		}
		spec := s.game.Spec()
		if _, sized := s.letters["P"]; sized {
			c.sizes = append(c.sizes, s)
		}
		for _, x := range row {
			switch x.head {
			case "game":
				c.checked = append(c.checked, x)
			case "title":
				c.equal(x, spec.Title)
			case "rules version":
				c.equal(x, spec.Version)
			case "players":
				list := seats(s.id)
				want := strconv.Itoa(list[0])
				if len(list) > 1 {
					want += fmt.Sprintf(" to %d", list[len(list)-1])
				}
				c.equal(x, want)
			case "P":
				c.equal(x, spec.Players)
			case "A":
				c.equal(x, spec.Actions)
			case "D":
				c.equal(x, spec.ObsLen())
			case "move limit":
				c.equal(x, spec.MoveLimit)
			case "page":
				c.page(x, s.id)
			}
		}
	}
}

// page checks the link to the page of a game.
func (c *docsChecker) page(at cell, id string) {
	c.checked = append(c.checked, at)
	_, link, _ := strings.Cut(at.text, "](")
	text := c.pages[strings.TrimSuffix(link, ")")]
	for _, t := range tables("", text) {
		for _, row := range t.rows {
			if row[0].text == id && t.head[0].text == "game" {
				return
			}
		}
	}
	c.fail(at, "that page has no table with the game %s", id)
}

// allSeats checks that the sizes of a game are listed for each number of players.
func (c *docsChecker) allSeats(page, id string) {
	var listed []int
	for _, s := range c.sizes {
		if s.id == id && !slices.Contains(listed, s.game.Spec().Players) {
			listed = append(listed, s.game.Spec().Players)
		}
	}
	if want := seats(id); !slices.Equal(listed, want) {
		c.errs = append(c.errs, fmt.Errorf("%s: the sizes of %s are listed for %v players; the code says %v", page, id, listed, want))
	}
}

// fields checks the table of the fields of an observation.
func (c *docsChecker) fields(t *table, sizes []size) {
	for _, s := range sizes {
		want := s.game.Spec().Observation
		for i, row := range t.rows {
			if i >= len(want) {
				c.fail(row[0], "the observation of %s has %d fields", s, len(want))
				break
			}
			name := row[0]
			name.text = substitute(name.text, s.letters)
			c.equal(name, want[i].Name)
			if n, ok := column(row, "length"); ok {
				c.number(n, s, want[i].Len)
			} else {
				c.fail(row[0], "the table has no column \"length\"")
			}
		}
		if len(t.rows) < len(want) {
			c.fail(t.rows[len(t.rows)-1][0], "the next field of %s is %q", s, want[len(t.rows)].Name)
		}
	}
}

// Words in capitals stand for a part of an action's name.
var (
	capitals = regexp.MustCompile(`[A-Z]+`)
	parts    = map[string]string{"N": `[0-9]+`, "CELL": `[a-j][0-9]+`, "PRODUCTS": `[a-z]+(\+[a-z]+)*`}
)

// actions checks the table of actions: which numbers they have, and how they are
// named.
func (c *docsChecker) actions(t *table, sizes []size) {
	for _, s := range sizes {
		next, total := 0, s.game.Spec().Actions
		for _, row := range t.rows {
			if from, ok := c.value(row[0], s.letters); ok && from != next {
				c.fail(row[0], "which is %d for %s; the rows above end before %d", from, s, next)
			}
			count, _ := column(row, "count")
			n, ok := c.value(count, s.letters)
			if !ok {
				return
			}
			name, _ := column(row, "name")
			pattern := capitals.ReplaceAllStringFunc(regexp.QuoteMeta(name.text), func(word string) string {
				if part, ok := parts[word]; ok {
					return part
				}
				return `[a-z]+`
			})
			named := regexp.MustCompile("^" + pattern + "$")
			c.checked = append(c.checked, row[0], count, name)
			for a := next; a < next+n; a++ {
				if a >= total {
					c.fail(count, "%s has %d actions", s, total)
					return
				}
				if got := s.game.ActionName(game.Action(a)); !named.MatchString(got) {
					c.fail(name, "the code says %q for action %d of %s", got, a, s)
					break
				}
			}
			next += n
		}
		if next != total {
			last, _ := column(t.rows[len(t.rows)-1], "count")
			c.fail(last, "which makes %d actions of %s; the code says %d", next, s, total)
		}
	}
}

// settings checks the table of a config: that each key stands there, what it is by
// default, and which values it can have.
func (c *docsChecker) settings(t *table, sizes []size) {
	var ids []string
	for _, head := range t.head {
		if slices.Contains(catalog.IDs(), head.text) {
			ids = append(ids, head.text)
			c.defaults(t, head.text)
		}
	}
	for _, s := range sizes {
		if !slices.Contains(ids, s.id) {
			c.fail(t.head[0], "there is no column for %s", s.id)
			break
		}
	}
	for _, row := range t.rows {
		origin, _ := column(row, "origin")
		c.checked = append(c.checked, origin)
		if !slices.Contains([]string{"seed", "inferred", "invented"}, origin.text) {
			c.fail(origin, "want seed, inferred or invented")
		}
		if at, ok := column(row, "values"); ok && at.code {
			c.values(at, row[0].text, ids)
		}
	}
}

// defaults checks the keys of a config, and what they are by default in a game: a
// game that is given that value is the same game.
func (c *docsChecker) defaults(t *table, id string) {
	g, err := catalog.Open(id, 0, nil)
	var code map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal([]byte(g.Spec().ConfigJSON()), &code)
	}
	if err != nil {
		c.fail(t.head[0], "%s: %v", id, err)
		return
	}
	missing := maps.Clone(code)
	for _, row := range t.rows {
		key := row[0]
		c.checked = append(c.checked, key)
		if _, ok := code[key.text]; !ok {
			c.fail(key, "the config of %s has no such key", id)
			continue
		}
		delete(missing, key.text)
		def, _ := column(row, id)
		c.checked = append(c.checked, def)
		with, err := catalog.Open(id, 0, fmt.Appendf(nil, `{%q: %s}`, key.text, def.text))
		if err == nil && with.Spec().RulesHash() != g.Spec().RulesHash() {
			err = errors.New("which is another game")
		}
		if err != nil {
			c.fail(def, "the code says %.200s: %v", code[key.text], err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(missing)) {
		c.fail(t.rows[len(t.rows)-1][0], "the key %s of %s is missing", key, id)
	}
}

// values checks a cell that lists what a setting can be: a range, as in "1 to 10",
// or values as in a file. A game may refuse one because of its other settings, but
// not all games may, and all refuse the numbers beside a range.
func (c *docsChecker) values(at cell, key string, ids []string) {
	c.checked = append(c.checked, at)
	refused := func(value string) bool {
		return !slices.ContainsFunc(ids, func(id string) bool {
			_, err := catalog.Open(id, 0, fmt.Appendf(nil, `{%q: %s}`, key, value))
			return err == nil || !strings.HasPrefix(err.Error(), "game config:") && !strings.Contains(err.Error(), key+" is ")
		})
	}
	list := strings.Split(at.text, ", ")
	if lo, hi, ok := strings.Cut(at.text, " to "); ok {
		low, err := strconv.Atoi(lo)
		high, err2 := strconv.Atoi(hi)
		if err != nil || err2 != nil {
			c.fail(at, "want two numbers")
			return
		}
		list = []string{lo, hi}
		for _, n := range []int{low - 1, high + 1} {
			if !refused(strconv.Itoa(n)) {
				c.fail(at, "the code accepts %d", n)
			}
		}
	}
	for _, value := range list {
		if refused(value) {
			c.fail(at, "the code refuses %s", value)
		}
	}
}

// positions checks that each position of a table can be read, and that each
// follows from the one above by the action that stands there, and by chance.
func (c *docsChecker) positions(t *table, sizes []size) {
	var before env.Position
	for _, row := range t.rows {
		at, action := row[0], cell{}
		if len(row) > 1 && row[1].head == "action" {
			action = row[1]
		}
		var now env.Position
		err := errors.New("there is no such game")
		var s size
		for _, s = range sizes {
			if now, err = s.game.Parse(at.text); err == nil {
				break
			}
		}
		if err != nil {
			c.fail(at, "the code says %v", err)
			return
		}
		if got := now.String(); got != at.text {
			c.fail(at, "the code writes %q", got)
		}
		if before != nil {
			c.checked = append(c.checked, at)
			if !follows(before, now) {
				c.fail(at, "it does not follow from the row above")
			}
		}
		if before = nil; action.head != "" {
			before = now
		}
		if action.code {
			c.checked = append(c.checked, action)
			a := slices.IndexFunc(now.Legal(), func(a game.Action) bool { return s.game.ActionName(a) == action.text })
			if a < 0 {
				c.fail(action, "that is no legal action there")
				return
			}
			if before, err = now.Apply(now.Legal()[a]); err != nil {
				c.fail(action, "the code says %v", err)
				return
			}
		}
	}
}

// follows reports whether a position is another, or may come of it by chance.
func follows(from, to env.Position) bool {
	if from.String() == to.String() {
		return true
	}
	return slices.ContainsFunc(from.Outcomes(), func(o game.Outcome[env.Position]) bool { return o.State.String() == to.String() })
}
