package rulesbook_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"marsgym/docs/games"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/rulesbook"
)

const width = 78

// TestRules: every game of the catalog has rules, in lines that fit, without marks of
// Markdown.
func TestRules(t *testing.T) {
	marks := regexp.MustCompile("\\*\\*|`|\\]\\(|^#|\\|")
	for _, id := range catalog.IDs() {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := rulesbook.Rules(g.Spec(), "", width)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(line); n > width+1 || marks.MatchString(line) {
				t.Errorf("%s: %d columns in %q", id, n-1, line)
			}
		}
		if n := strings.Count(text, "\n"); n < 12 {
			t.Errorf("%s: %d lines of rules", id, n)
		}
		for _, title := range rulesbook.Sections(g.Spec()) {
			if part := rulesbook.Rules(g.Spec(), title, width); !strings.HasPrefix(part, title+"\n---") || len(part) >= len(text) {
				t.Errorf("%s: the section %q is %q", id, title, part)
			}
		}
	}
}

func TestAbout(t *testing.T) {
	tests := []struct{ id, about, want, not string }{
		{"mars-is-ours", "LABS", "The labs\n--------\n", "Setup"},
		{"mars-is-ours", "rocket", "rocket  You gain 4 tokens when your robot enters", "fair"},
		{"mars-is-ours-fast", "your turn", "Players take turns.", "Setup"},
		{"martian-risk-small", "what you need", "16 armies (tokens), two four-sided dice and\n  6 tower pieces (2 large, 2 medium and 2 small).", "25"},
		{"martian-risk-small", "setup", "Each player places 6 armies", "10 armies"},
		{"martian-risk-tiny", "numbers", "- experimental = true: whether two players are allowed\n", "Fortify"},
	}
	for _, tt := range tests {
		g, err := catalog.Open(tt.id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := rulesbook.Rules(g.Spec(), tt.about, width)
		if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
			t.Errorf("%s, %s:\n%s", tt.id, tt.about, got)
		}
	}
	for _, id := range []string{"chess", "", "mars", "pig-winscore-20.game"} {
		if got := rulesbook.Rules(game.Spec{ID: id}, "", width); got != "" {
			t.Errorf("%q has the rules %q", id, got)
		}
	}
	if got := rulesbook.Rules(game.Spec{ID: "pig"}, "checkmate", width); got != "" {
		t.Errorf("a word that is not in the rules: %q", got)
	}
}

// TestBlocks compares the blocks with the text: the same words in the same order.
func TestBlocks(t *testing.T) {
	for _, id := range []string{"martian-dice", "mars-is-ours-fast", "martian-risk-small", "pig"} {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		var text []string
		for _, b := range rulesbook.Blocks(g.Spec(), rulesbook.English) {
			text = append(text, b.Mark, b.Text, strings.Join(b.Cells, " "))
		}
		want := strings.Fields(regexp.MustCompile(`(?m)^-+$`).ReplaceAllString(rulesbook.Rules(g.Spec(), "", 79), ""))
		if got := strings.Fields(strings.Join(text, " ")); len(got) < 100 || !slices.Equal(got, want) {
			t.Errorf("%s: the blocks have %d words, the text has %d, or they differ", id, len(got), len(want))
		}
	}
}

// TestNumbers: the rules list the settings that differ from those of the published game for
// as many players, and no others.
func TestNumbers(t *testing.T) {
	const title = "The numbers of this game"
	tests := []struct {
		id      string
		players int
		config  string
		want    []string // keys
	}{
		{"martian-dice", 0, "", nil},
		{"martian-dice", 5, "", nil},
		{"martian-dice", 0, `{"faces": {"chicken": 1, "cow": 1, "human": 1, "ray": 2, "tank": 1}, "target": 20}`, []string{"target"}},
		{"mars-is-ours", 0, "", nil},
		{"mars-is-ours", 3, `{"lying_lab_active": false}`, []string{"lying_lab_active"}},
		{"mars-is-ours", 2, oneTile, nil}, // in the text
		{"martian-risk", 0, "", nil},
		{"martian-risk", 6, `{"max_rounds": 50, "one_attack": true}`, []string{"one_attack"}},
		{"martian-risk", 3, ring, nil},
		{"martian-risk-small", 0, "", nil},
		{"pig", 0, "", nil},
	}
	for _, tt := range tests {
		g, err := catalog.Open(tt.id, tt.players, []byte(cmp.Or(tt.config, "{}")))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if part := rulesbook.Rules(g.Spec(), title, width); strings.HasPrefix(part, title) {
			for _, m := range regexp.MustCompile(`(?m)^- (\w+) = `).FindAllStringSubmatch(part, -1) {
				got = append(got, m[1])
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s for %d with %s lists %q, want %q", tt.id, tt.players, tt.config, got, tt.want)
		}
	}
}

// Configs with data of their own.
const (
	oneTile = `{"data": {"layouts": {"four": {"cells": ["aabb", "aabb"], "terrain": ["gs..", "mt.."], "stations": {"corners": {"cells": ["a1", "d2"]}}}},
		"tiles": {"quarters": {"tiles": [{"tile": "ggmm", "copies": 3}]}},
		"tracks": {"gem": {"levels": [{}, {"money": 7}]}, "soda": {"levels": [{}, {}]}, "metal": {"levels": [{}, {"tokens": 1, "dice": 1}]}, "turf": {"levels": [{}, {"robots": 2}]}}}}`
	ring = `{"regions_per_player": 0, "setup_armies": 4, "map": {"name": "ring", "source": "a test",
		"regions": [{"name": "Ay", "at": [0, 0]}, {"name": "Bee", "at": [1, 0]}, {"name": "Cee", "at": [2, 0]}, {"name": "Dee", "at": [1, 1]}],
		"borders": {"Ay": ["Bee", "Dee"], "Cee": ["Bee", "Dee"]}, "unions": [["Ay", "Cee"], ["Bee"]]}}`
)

// TestParts: the rules of a game show its own map and tables, and say what marsgym invented.
func TestParts(t *testing.T) {
	tests := []struct {
		id, config string
		players    int
		want, not  []string
	}{
		{"mars-is-ours", "{}", 3, []string{"marsgym invented the map, the stations and the ground of the tiles", "marsgym invented what a track pays at each level",
			" 3   obccdo\n", "2 × gem-soda-metal-turf", "6      21 money  16 money  4 tokens, 3 dice  6 money, 3 robots\n"}, []string{" 1 oabo"}},
		{"mars-is-ours", "{}", 2, []string{" 1 oabo\n 2 aabb\n"}, []string{"obccdo"}},
		{"mars-is-ours", `{"terrain": "random48", "layout": "nine"}`, 3, []string{" 1 oabbco\n", "Each cell is a tile of its own: 12 × gem, 12 × soda"}, []string{"obccdo"}},
		{"mars-is-ours-fast", "{}", 2, []string{" 1 o..o\n 2 ....\n", "o space station", "marsgym invented the map, since", "The source puts the stations in its corners.", "4 in the hand and 2 in the junkyard", "the starter wins a tie"}, []string{"oabo", "gem-soda", "token", "money", "Maintenance", "shield", "settings differ"}},
		{"mars-is-ours-fast", `{"layout": "nine"}`, 2, []string{"marsgym invented the map and the stations, since"}, []string{"The source puts"}},
		{"mars-is-ours-fast", `{"fast_count": "all"}`, 2, []string{"settings differ", "fast_count = \"all\""}, []string{"start_junk ="}},
		{"mars-is-ours", oneTile, 2, []string{"The data in the config of this game gives the map", "   abcd\n 1 oabb\n 2 aabo\n", "ground of these cells is fixed", " 1 gs..\n 2 mt..\n",
			"3 × gem-gem-metal-metal", "1      7 money  nothing  1 token, 1 die  2 robots\n"}, []string{"marsgym invented", "obccdo", "21 money", "gem-soda"}},
		{"martian-risk", "{}", 4, []string{"28 regions", "unions are balanced proper colourings, invented", "a      AL ID ND NE NM\n", "invented larger numbers: 32 armies", "marsgym invented a limit and a\nranking: after 100 rounds"},
			[]string{"AL AR ID"}},
		{"martian-risk-small", "{}", 3, []string{"- A map with 12 regions.", "After the setup, marsgym plays forced moves itself", "- You get a further point for each union", "The regions of one colour form a union", "WY\n", "after 20 rounds, the player"}, []string{"25", "seven regions for each player", "10 armies", "100 rounds", "settings"}},
		{"martian-risk-tiny", "{}", 2, []string{"4 regions", "B       C\n", "The first seat begins."}, []string{"AL ID", "highest total begins"}},
		{"martian-risk", `{"max_rounds": 0, "trios": 0}`, 3, []string{"There are no tower pieces", "this game has no limit: it can lock for ever, since armies move only by conquest."}, []string{"15 tower pieces", "ranking"}},
		{"martian-risk", `{"max_rounds": 60, "ranking": "linear"}`, 3, []string{"after 60 rounds, the players with armies are ranked"}, []string{"the most regions wins", "settings"}},
		{"martian-risk", `{"ranking": "even"}`, 3, []string{"after 100 rounds, the players with armies share the win."}, []string{"the most regions wins"}},
		{"martian-risk", ring, 3, []string{"4 regions", "a test", "a      Ay Cee\n", "none   Dee\n", "Cee     Bee Dee\n"}, []string{"AL ID", "Michigan", "AZ"}},
		{"martian-risk", `{"regions_per_player": 6, "unions": false}`, 3, []string{"18 regions", "Roll one die for points.", "OR      WA"}, []string{"AR CO NV", "union", "Union"}},
	}
	for _, tt := range tests {
		g, err := catalog.Open(tt.id, tt.players, []byte(tt.config))
		if err != nil {
			t.Fatal(err)
		}
		got := rulesbook.Rules(g.Spec(), "", width)
		for _, want := range tt.want {
			if !strings.Contains(strings.ReplaceAll(got, "\n", " "), strings.ReplaceAll(want, "\n", " ")) {
				t.Errorf("%s for %d, %.40s: the rules lack %q", tt.id, tt.players, tt.config, want)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(got, not) {
				t.Errorf("%s for %d, %.40s: the rules have %q", tt.id, tt.players, tt.config, not)
			}
		}
		if t.Failed() {
			t.Log(got)
			return
		}
	}
}

// TestPages: what a page says of maps and tables by default is what the code writes.
func TestPages(t *testing.T) {
	marked := regexp.MustCompile(`(?s)<!-- part: (\w+)([^\n]*) -->\n(.*?)<!-- end -->`)
	fixed := regexp.MustCompile(`^( \d|10|\| \d) `)            // a row of a map or of a table
	unions := regexp.MustCompile(`^\| [3-6] \| ([A-Z ;]+) \|`) // for so many players
	for page, ids := range map[string]string{"mars-is-ours": "map tracks quick", "martian-risk": "pieces setup unions limit unions map"} {
		text, err := games.Pages.ReadFile(page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		written := map[string]string{}
		for _, players := range []int{2, 3, 4, 5, 6} {
			if g, err := catalog.Open(page, players, nil); err == nil {
				for id, part := range g.Spec().WrittenParts {
					written[id] += part.String()
				}
			}
		}
		var names []string
		for _, m := range marked.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
			own := strings.Join(strings.Fields(m[3]), " ")
			if m[2] != "" && m[1] != "pieces" && m[1] != "unions" && !strings.Contains(strings.Join(strings.Fields(written[m[1]]), " "), own) { // with keys; of the pieces the page tells for all numbers of players, and of unions only the page does
				t.Errorf("%s: the code does not write %q", page, own)
			}
			for line := range strings.Lines(m[3]) {
				wants := []string{line}
				if m := unions.FindStringSubmatch(line); m != nil {
					wants = strings.Split(m[1], "; ")
				} else if !fixed.MatchString(line) {
					continue
				}
				for _, want := range wants {
					if !strings.Contains(written[m[1]], want) {
						t.Errorf("%s: the code does not write %q", page, want)
					}
				}
			}
		}
		if got := strings.Join(names, " "); got != ids {
			t.Errorf("%s marks the parts %q, want %q", page, got, ids)
		}
	}
}

// TestLanguages: the languages of a game are those of its pages, and Read returns them.
func TestLanguages(t *testing.T) {
	for id, want := range map[string]string{"martian-dice": "en de", "mars-is-ours": "en zh", "mars-is-ours-fast": "en zh", "martian-risk-tiny": "en", "pig": "en"} {
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, l := range rulesbook.Languages(g.Spec()) {
			codes = append(codes, l.Code)
			text := rulesbook.Read(g.Spec(), l.Code, width)
			if english := rulesbook.Rules(g.Spec(), "", width); text == "" || (text == english) != (l.Code == rulesbook.English) {
				t.Errorf("%s in %s:\n%s", id, l.Code, text)
			}
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("%s is in %s; want %s", id, got, want)
		}
	}
	own := game.Spec{ID: "own", WrittenParts: map[string]message.Message{"rules": message.Text("### The goal\n\nWin.")}}
	if got := rulesbook.Read(own, "en", width); !strings.Contains(got, "Win.") || rulesbook.Read(own, "de", width) == got {
		t.Errorf("rules that a game writes itself: %q", got)
	}
}
