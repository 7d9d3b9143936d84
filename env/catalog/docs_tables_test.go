package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

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

// number compares the formula of a cell with the value in the code.
func (c *docsChecker) number(at cell, s size, code int) {
	if n, ok := c.value(at, s.letters); ok {
		c.checked = append(c.checked, at)
		if n != code {
			c.fail(at, "which is %d for %s; the code has %d", n, s, code)
		}
	}
}

func (s size) String() string {
	return fmt.Sprintf("%s for %d", s.id, s.game.Spec().Players)
}

var letter = regexp.MustCompile(`\b[A-Z]\b`)

// substitute replaces the letters of a text by their numbers.
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
			c.fail(p, "the code returns %v", err)
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
		c.errs = append(c.errs, fmt.Errorf("%s: the sizes of %s are listed for %v players; the code has %v", page, id, listed, want))
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
			scale, _ := column(row, "scale")
			c.scales(scale, s, want[i].Scales)
		}
		if len(t.rows) < len(want) {
			c.fail(t.rows[len(t.rows)-1][0], "the next field of %s is %q", s, want[len(t.rows)].Name)
		}
	}
}

// scales compares a cell with the scales of a field: those that are not 1, each once, as
// formulas or settings.
func (c *docsChecker) scales(at cell, s size, code []int) {
	var config map[string]any
	if err := json.Unmarshal([]byte(s.game.Spec().ConfigJSON()), &config); err != nil {
		c.fail(at, "%v", err)
	}
	distinct := func(list []int) (kept []int) {
		for _, scale := range list {
			if scale != 1 && !slices.Contains(kept, scale) {
				kept = append(kept, scale)
			}
		}
		return kept
	}
	var listed []int
	if at.text != "" {
		c.checked = append(c.checked, at)
		for formula := range strings.SplitSeq(at.text, ", ") {
			x := at
			x.text = formula
			if setting, ok := config[formula].(float64); ok {
				listed = append(listed, int(setting))
			} else if n, ok := c.value(x, s.letters); ok {
				listed = append(listed, n)
			}
		}
	}
	if want := distinct(code); !slices.Equal(distinct(listed), want) {
		c.fail(at, "which are the scales %v for %s; the code has %v", listed, s, want)
	}
}

// Words in capitals stand for a part of an action's name.
var (
	capitals = regexp.MustCompile(`[A-Z]+`)
	parts    = map[string]string{"N": `[0-9]+`, "CELL": `[a-j][0-9]+`, "PRODUCTS": `[a-z]+(\+[a-z]+)*`}
)

// actions checks the numbers and the names in the table of actions.
func (c *docsChecker) actions(t *table, sizes []size) {
	for _, s := range sizes {
		next, total := 0, s.game.Spec().Actions
		for _, row := range t.rows {
			if from, ok := c.value(row[0], s.letters); ok && from != next {
				c.fail(row[0], "which is %d for %s; the rows above end before %d", from, s, next)
				return
			}
			count, _ := column(row, "count")
			n, ok := c.value(count, s.letters)
			if !ok {
				return
			}
			name, _ := column(row, "name")
			c.checked = append(c.checked, row[0], count, name)
			pattern := capitals.ReplaceAllStringFunc(regexp.QuoteMeta(name.text), func(word string) string {
				if part, ok := parts[word]; ok {
					return part
				}
				return `[a-z]+`
			})
			named := regexp.MustCompile("^" + pattern + "$")
			for a := next; a < next+n; a++ {
				if a >= total {
					c.fail(count, "%s has %d actions", s, total)
					return
				}
				if got := s.game.ActionName(game.Action(a)); !named.MatchString(got) {
					c.fail(name, "the code has %q for action %d of %s", got, a, s)
					return
				}
			}
			next += n
		}
		if next != total {
			last, _ := column(t.rows[len(t.rows)-1], "count")
			c.fail(last, "which makes %d actions of %s; the code has %d", next, s, total)
		}
	}
}

// settings checks the keys, defaults and values in the table of a config.
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

// defaults checks the keys of a config and their defaults: setting a default must give
// the same game.
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
			c.fail(def, "the code has %.200s: %v", code[key.text], err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(missing)) {
		c.fail(t.rows[len(t.rows)-1][0], "the key %s of %s is missing", key, id)
	}
}

// values checks a cell that lists the values of a setting: a range, as in "1 to 10",
// or values as in a file. At least one game must accept each value, since a game may
// refuse one because of its other settings. All must refuse the numbers beside a range.
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

// positions checks that each position of a table can be read, and that each follows
// from the one above by the action in its row and by chance.
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
			c.fail(at, "the code returns %v", err)
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
				c.fail(action, "the code returns %v", err)
				return
			}
		}
	}
}

// follows reports whether a position is another, or can follow it by chance.
func follows(from, to env.Position) bool {
	if from.String() == to.String() {
		return true
	}
	return slices.ContainsFunc(from.Outcomes(), func(o game.Outcome[env.Position]) bool { return o.State.String() == to.String() })
}
