package rulesbook // reads pages as the rules do

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marsgym/docs/games"
	"marsgym/env/catalog"
)

var (
	number = regexp.MustCompile(`\d+`)
	level  = regexp.MustCompile(`(?m)^#+`)
)

// TestTranslations: a translated page says that it has this English text, and has its headings,
// lists, tables, numbers and code.
func TestTranslations(t *testing.T) {
	files, err := fs.Glob(games.Pages, "*/*.md")
	if err != nil || len(files) < 2 {
		t.Fatalf("the translations are %q, %v", files, err)
	}
	for _, file := range files {
		language, name := path.Dir(file), strings.TrimSuffix(path.Base(file), ".md")
		_, own := page(name, language)
		_, english := page(name, English)
		for _, err := range compare(own, english, language) {
			t.Errorf("docs/games/%s: %s", file, err)
		}
		for _, link := range []struct{ page, to string }{{own, "](../" + name + ".md)"}, {english, "](" + file + ")"}} {
			if !strings.Contains(link.page, link.to) {
				t.Errorf("docs/games/%s: no link %s between the page and its translation", file, link.to)
			}
		}
		for _, change := range []struct{ old, new, want string }{ // each must be found
			{"\n### ", "\n#### ", "the headings are "}, {"\n2. ", "\n", "block"}, {"\n- ", "\n", "block"}, {" 6", " 7", "block "},
			{"| `players` ", "| `dice` ", "block "}, {"`data`", "data", "block "}, {"translated from", "from", "the English text has changed since"},
		} {
			if changed := strings.Replace(own, change.old, change.new, 1); changed != own && !strings.Contains(strings.Join(compare(changed, english, language), "\n"), change.want) {
				t.Errorf("docs/games/%s: %q in the place of %q is not found: %q", file, change.new, change.old, compare(changed, english, language))
			}
		}
		if errs := compare(own, strings.Replace(english, "roll", "throw", 1), language); len(errs) != 1 || !strings.Contains(errs[0], "the English text has changed since") {
			t.Errorf("docs/games/%s: another English text: %q", file, errs)
		}
	}
}

// compare returns what a translated page and its English one do not share.
func compare(own, english, language string) (errs []string) {
	a, b := titles[language], titles[English]
	rules, settings := section(english, "## "+b.rules), section(english, "## "+b.config)
	if sum := fmt.Sprintf("<!-- translated from %.4x -->", sha256.Sum256([]byte(rules+fmt.Sprint(meanings(settings))))); !strings.Contains(own, sum) {
		errs = append(errs, "the English text has changed since; translate what is new, and then write "+sum)
	}
	got, want := section(own, "## "+a.rules), rules
	if x, y := level.FindAllString(got, -1), level.FindAllString(want, -1); !slices.Equal(x, y) {
		errs = append(errs, fmt.Sprintf("the headings are %q; want %q", x, y))
	}
	lists := [2][]Block{parse(got), parse(want)}
	lists[0] = append(lists[0], meanings(section(own, "## "+a.config))...)
	lists[1] = append(lists[1], meanings(settings)...)
	for i := range max(len(lists[0]), len(lists[1])) {
		if i >= len(lists[0]) || i >= len(lists[1]) {
			return append(errs, fmt.Sprintf("%d blocks; want %d", len(lists[0]), len(lists[1])))
		}
		if x, y := skeleton(lists[0][i]), skeleton(lists[1][i]); x != y {
			return append(errs, fmt.Sprintf("block %d is\n%s\nwant\n%s\nas in %q", i, x, y, lists[1][i].Text))
		}
	}
	return errs
}

// meanings returns the rows of a table of settings with their keys and meanings, and the numbers of
// readings if it has them.
func meanings(table string) (rows []Block) {
	readings := regexp.MustCompile(`^ ?(M\d+(, M\d+)*)? ?$`)
	for _, r := range parse(table) {
		if r.Kind != row || !strings.HasPrefix(r.Cells[0], "`") {
			continue
		}
		n := len(r.Cells)
		cells := []string{r.Cells[0]}
		if readings.MatchString(r.Cells[n-2]) {
			cells = append(cells, strings.TrimSpace(r.Cells[n-2]))
		}
		r.Cells = append(cells, r.Cells[n-1])
		r.Text = strings.Join(r.Cells, " | ")
		rows = append(rows, r)
	}
	return rows
}

// skeleton returns what a block has in every language.
func skeleton(b Block) string {
	if b.Kind == code {
		return b.Text
	}
	text := b.Text + strings.Join(b.Cells, "|")
	numbers := number.FindAllString(text, -1)
	slices.Sort(numbers)
	var spans []string
	for i, s := range strings.Split(text, "`") {
		if i%2 == 1 {
			spans = append(spans, s)
		}
	}
	return fmt.Sprint(b.Kind, " ", b.Mark, b.Indent, b.Loose, " cells ", len(b.Cells), " bold ", strings.Count(text, "**"), " links ", strings.Count(text, "]("), " numbers ", numbers, " code ", slices.Compact(spans))
}

// TestLanguages: rules come in the language where there are some; what differs is listed in it.
func TestLanguages(t *testing.T) {
	for _, tt := range []struct{ id, config, language, last string }{
		{"martian-dice", `{"target": 20}`, "de", "target = 20: Punkte, mit denen das Spiel nach Ende der Runde vorbei ist"},
		{"mars-is-ours", `{"tax_first": true}`, "zh", "tax_first = true: 繳稅是否在進帳的其他步驟之前"},
		{"mars-is-ours-fast", `{"fast_count": "all"}`, "zh", `fast_count = "all": 快速版結束時計算哪些機器人；all 包括廢棄物存放場（原因）`},
		{"martian-dice", "{}", "zh", ""},
		{"pig", "{}", "../de", ""},
		{"pig", "{}", "", ""},
	} {
		g, err := catalog.Open(tt.id, 0, []byte(tt.config))
		if err != nil {
			t.Fatal(err)
		}
		list := Blocks(g.Spec(), tt.language)
		if last := append([]Block{{}}, list...)[len(list)].Text; last != tt.last || (list != nil) != (tt.last != "") {
			t.Errorf("%s in %q ends with %q, want %q", tt.id, tt.language, last, tt.last)
		}
	}
}
