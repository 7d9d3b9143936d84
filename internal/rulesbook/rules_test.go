package rulesbook_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"marsgym/env/catalog"
	"marsgym/env/game"
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
		for _, title := range rulesbook.Sections(id) {
			if part := rulesbook.Rules(g.Spec(), title, width); !strings.HasPrefix(part, title+"\n---") || len(part) >= len(text) {
				t.Errorf("%s: the section %q is %q", id, title, part)
			}
		}
	}
}

func TestAbout(t *testing.T) {
	tests := []struct{ id, about, want, not string }{
		{"mars-is-ours", "LABS", "The labs\n--------\n", "Setup"},
		{"mars-is-ours", "rocket", "rocket  4 tokens when a robot enters", "fair"},
		{"mars-is-ours-fast", "quick game", "Each player has 6 robots", "Setup"},
		{"martian-risk-small", "numbers", "- setup_armies is 6: armies that each player places in the setup\n", "Fortify"},
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
	for _, id := range []string{"chess", "", "mars"} {
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
		for _, b := range rulesbook.Blocks(g.Spec()) {
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
		{"martian-risk", 0, "", nil},
		{"martian-risk", 6, `{"max_rounds": 50}`, []string{"max_rounds"}},
		{"pig", 0, "", nil},
	}
	for _, tt := range tests {
		g, err := catalog.Open(tt.id, tt.players, []byte(cmp.Or(tt.config, "{}")))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if part := rulesbook.Rules(g.Spec(), title, width); strings.HasPrefix(part, title) {
			for _, m := range regexp.MustCompile(`(?m)^- (\w+) is `).FindAllStringSubmatch(part, -1) {
				got = append(got, m[1])
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s for %d with %s lists %q, want %q", tt.id, tt.players, tt.config, got, tt.want)
		}
	}
}
