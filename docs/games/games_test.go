package games_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"marsgym/docs/games"
	"marsgym/env/catalog"
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
		text := games.Rules(id, g.Spec().ConfigJSON(), "", width)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(line); n > width+1 || marks.MatchString(line) {
				t.Errorf("%s: %d columns in %q", id, n-1, line)
			}
		}
		if n := strings.Count(text, "\n"); n < 12 {
			t.Errorf("%s: %d lines of rules", id, n)
		}
		for _, title := range games.Sections(id) {
			if part := games.Rules(id, "", title, width); !strings.HasPrefix(part, title+"\n---") || len(part) >= len(text) {
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
		got := games.Rules(tt.id, g.Spec().ConfigJSON(), tt.about, width)
		if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
			t.Errorf("%s, %s:\n%s", tt.id, tt.about, got)
		}
	}
	for _, id := range []string{"chess", "", "mars"} {
		if got := games.Rules(id, "", "", width); got != "" {
			t.Errorf("%q has the rules %q", id, got)
		}
	}
	if got := games.Rules("pig", `{}`, "checkmate", width); got != "" {
		t.Errorf("a word that is not in the rules: %q", got)
	}
}

// TestBlocks compares the blocks with the text: the same words in the same order.
func TestBlocks(t *testing.T) {
	for _, id := range []string{"martian-dice", "mars-is-ours-fast", "martian-risk-small", "pig"} {
		config := `{"players": 2, "max_rounds": 3}`
		var text []string
		for _, b := range games.Blocks(id, config) {
			text = append(text, b.Mark, b.Text, strings.Join(b.Cells, " "))
		}
		want := strings.Fields(regexp.MustCompile(`(?m)^-+$`).ReplaceAllString(games.Rules(id, config, "", 79), ""))
		if got := strings.Fields(strings.Join(text, " ")); len(got) < 100 || !slices.Equal(got, want) {
			t.Errorf("%s: the blocks have %d words, the text has %d, or they differ", id, len(got), len(want))
		}
	}
}
