// Package rulesbook reads the rules of the games out of their pages, for programs that show
// them.
package rulesbook

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"marsgym/docs/games"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
)

// English is the language of the pages that others are translated from.
const English = "en"

// titles are the titles of what programs look for in a page, by language.
var titles = map[string]struct{ rules, worked, config string }{
	English: {"Rules", "A worked turn", "Config"},
	"de":    {"Regeln", "Ein Beispielzug", "Einstellungen"},
	"zh":    {"規則", "示範", "設定"},
}

// page returns the page of a game in a language and its name: that which is the id or begins it,
// since presets share a page. The text is "" if there is none, as for a table, whatever its name.
func page(id, language string) (name, text string) {
	if catalog.IsFile(id) {
		return "", ""
	}
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
	file := name + ".md"
	if language != English {
		file = language + "/" + file
	}
	b, _ := games.Pages.ReadFile(file)
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

// Languages returns the languages that the rules of a game can be read in: English, which every game
// has, then those with a table of messages and a page of the game, by their codes.
func Languages(spec game.Spec) []*message.Language {
	return slices.DeleteFunc(slices.Clone(message.Languages()), func(l *message.Language) bool {
		_, text := page(spec.ID, l.Code)
		return l.Code != English && (text == "" || titles[l.Code].rules == "")
	})
}

// Read returns all rules of a game in a language as text of width columns, or "" where there are none.
// See [Rules].
func Read(spec game.Spec, language string, width int) string {
	return format(rules(spec, language), width)
}

// Rules returns the rules of a game as text of width columns. Settings that differ from
// those of the published game are listed at the end. If about is not empty, Rules returns
// the sections whose titles contain it or, if there are none, the paragraphs. It returns ""
// where there is nothing.
func Rules(spec game.Spec, about string, width int) string {
	blocks := rules(spec, English)
	if about != "" {
		contains := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(about)) }
		found := slices.DeleteFunc(slices.Clone(blocks), func(b Block) bool { return !contains(b.section) })
		if len(found) == 0 {
			found = slices.DeleteFunc(blocks, func(b Block) bool { return !contains(b.Text) })
		}
		blocks = found
	}
	return format(blocks, width)
}

// ownNumbers is the title above settings that differ.
const ownNumbers = "The numbers of this game"

// rules returns the blocks of the rules of a game in a language, or nil if there is no such page and
// the game does not write its rules itself. What does not come from the page is English.
func rules(spec game.Spec, language string) []Block {
	title := titles[language]
	name, p := page(spec.ID, language)
	if title.rules == "" || p == "" && (language != English || spec.WrittenParts["rules"].IsZero()) {
		return nil
	}
	to := message.Speaker{Language: message.Find(language)}
	rules, base := to.Say(spec.WrittenParts["rules"]), spec.ID // of a preset that the page treats as a variant
	if rules == "" {
		base = name
	}
	differ := differing(spec.ConfigJSON(), published(base, spec.Players))
	if rules == "" {
		rules = tailor(section(p, "## "+title.rules), spec, to, differ)
	}
	blocks := parse(rules)
	blocks = slices.DeleteFunc(blocks, func(b Block) bool { return b.section == title.worked }) // in notation
	if numbers := numbers(section(p, "## "+title.config), differ); len(numbers) > 0 {
		blocks = append(blocks, Block{section: ownNumbers, Kind: heading, Text: ownNumbers, Loose: true},
			Block{section: ownNumbers, Kind: paragraph, Loose: true, Text: "Here these settings differ from those in the text above:"})
		for _, n := range numbers {
			n.section = ownNumbers
			blocks = append(blocks, n)
		}
	}
	return blocks
}

// part is a part of a page that depends on the config of the game, or on some of its keys.
var part = regexp.MustCompile(`(?s)<!-- part: (\w+)((?: \w+)*) -->\n.*?<!-- end -->`)

// tailor replaces the parts of a page that depend on the config by those of the game's own
// config. A part with keys is replaced if one of them differs; they then count as told and are
// removed from differ.
func tailor(page string, spec game.Spec, to message.Speaker, differ map[string]json.RawMessage) string {
	var told []string // at the end, since several parts may have a key
	page = part.ReplaceAllStringFunc(page, func(text string) string {
		m := part.FindStringSubmatch(text)
		keys := strings.Fields(m[2])
		own, ok := spec.WrittenParts[m[1]]
		if !ok || len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool { return differ[key] != nil }) {
			return text
		}
		told = append(told, keys...)
		return to.Say(own)
	})
	for _, key := range told {
		delete(differ, key)
	}
	return page
}

// Blocks returns the rules of a game as blocks in order, without the marks of Markdown; see
// [Rules]. They are in a language, such as "de", or nil if they are not translated into it. Parts
// that depend on the config, and whole rules of variants, are in it if its table has them. Titles of
// lists of settings stay English.
func Blocks(spec game.Spec, language string) []Block { return clean(rules(spec, language)) }

// Notation returns what the page of a game says of the notation of its positions, as [Blocks] does.
func Notation(spec game.Spec) []Block {
	_, p := page(spec.ID, English)
	return clean(parse(section(p, "## Notation of positions")))
}

// clean takes the marks of Markdown out of blocks, in place.
func clean(list []Block) []Block {
	for i := range list {
		b := &list[i]
		b.Mark = strings.TrimSpace(b.Mark)
		switch b.Kind {
		case code, drawing:
		case row:
			b.Text = ""
			for j, c := range b.Cells {
				b.Cells[j] = plain(c)
			}
		default:
			b.Text = plain(b.Text)
		}
	}
	return list
}

// Sections returns the titles of the sections of the rules of a game.
func Sections(spec game.Spec) (titles []string) {
	for _, b := range rules(spec, English) {
		if b.Kind == heading && b.Text != ownNumbers {
			titles = append(titles, b.Text)
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

// differing returns the settings of a config whose values differ from those of the published
// game, by key. Long values are maps and tables, which the text shows (see tailor), and the
// number of players is no setting of the rules.
func differing(config, published string) map[string]json.RawMessage {
	var values, defaults map[string]json.RawMessage
	if json.Unmarshal([]byte(config), &values) != nil || json.Unmarshal([]byte(published), &defaults) != nil {
		return nil
	}
	const longest = 60 // chosen
	maps.DeleteFunc(values, func(key string, value json.RawMessage) bool {
		return key == "players" || len(value) > longest || equal(value, defaults[key])
	})
	return values
}

// numbers returns the keys of a table of settings that differ, with their values and meanings.
func numbers(table string, differ map[string]json.RawMessage) (list []Block) {
	for _, b := range parse(table) {
		if b.Kind != row || len(b.Cells) < 2 {
			continue
		}
		key := plain(b.Cells[0])
		if value, ok := differ[key]; ok {
			list = append(list, Block{Kind: item, Mark: "- ", Text: fmt.Sprintf("%s = %s: %s", key, value, plain(b.Cells[len(b.Cells)-1]))})
		}
	}
	return list
}

// equal reports whether two texts are the same JSON value; the order of keys is no part of it.
func equal(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
