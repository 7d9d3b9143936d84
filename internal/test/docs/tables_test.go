package docs_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martiandice"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
	"marsgym/env/tablegame"
	"marsgym/internal/test/docs"
	"marsgym/internal/test/testgames"
	"marsgym/train"
)

// table returns the rows of the table of a page that begins with this header, in
// cells without code quotes.
func table(t *testing.T, page, header string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../..", page))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := bytes.Cut(text, []byte("\n"+header+"\n"))
	if !ok {
		t.Fatalf("%s has no table %s", page, header)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i, c := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(c), "`")
		}
		if !strings.HasPrefix(cells[0], "---") {
			rows = append(rows, cells)
		}
	}
	return rows
}

// TestGames compares the table of the README with the catalog.
func TestGames(t *testing.T) {
	var ids []string
	for _, row := range table(t, "README.md", "| id | game | players | solved | page |") {
		ids = append(ids, row[0])
		least, most := 0, 0
		for players := 1; players <= 20; players++ {
			if _, err := catalog.Open(row[0], players, nil); err == nil {
				least, most = cmp.Or(least, players), players
			}
		}
		want := fmt.Sprint(least)
		if most > least {
			want += fmt.Sprintf(" to %d", most)
		}
		if row[2] != want {
			t.Errorf("%s is for %s; want %s", row[0], row[2], want)
		}
	}
	if !slices.Equal(ids, catalog.IDs()) {
		t.Errorf("the games are %q; want %q", ids, catalog.IDs())
	}
}

// TestSettings compares the keys and defaults of training with the code.
func TestSettings(t *testing.T) {
	got, want := map[string]map[string]string{}, map[string]map[string]string{}
	rows := table(t, "docs/training-settings.md", "| key | `ppo` | `one-move` | `search` | `turn-exact` | meaning |")
	for i, a := range []train.Algorithm{train.AlgorithmPPO, train.OneMove, train.Search, train.TurnExact} {
		got[string(a)], want[string(a)] = map[string]string{}, map[string]string{}
		for _, row := range rows {
			if row[i+1] != "" {
				got[string(a)][row[0]] = plain(t, row[i+1])
			}
		}
		text, err := json.Marshal(train.DefaultConfig(a))
		if err != nil {
			t.Fatal(err)
		}
		flatten(t, want[string(a)], "", text)
	}
	for a := range want {
		for _, key := range slices.Sorted(maps.Keys(want[a])) {
			if got[a][key] != want[a][key] {
				t.Errorf("%s: %s is %q; want %q", a, key, got[a][key], want[a][key])
			}
			delete(got[a], key)
		}
		for key := range got[a] {
			t.Errorf("%s has no %s", a, key)
		}
	}
}

// plain writes JSON as encoding/json does.
func plain(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// flatten adds the fields of a document to dst, by name, such as "adam.beta1".
func flatten(t *testing.T, dst map[string]string, name string, text json.RawMessage) {
	t.Helper()
	if text[0] != '{' || string(text) == "{}" {
		dst[name] = plain(t, string(text))
		return
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for key, value := range fields {
		flatten(t, dst, strings.TrimPrefix(name+"."+key, "."), value)
	}
}

// TestSettingsFiles reads the files of settings in the documents.
func TestSettingsFiles(t *testing.T) {
	pages, err := docs.Pages(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, p := range pages {
		blocks, _ := p.Split("json")
		for _, b := range blocks {
			if !strings.HasPrefix(b, `{"train"`) {
				continue
			}
			read++
			var file struct{ Train train.Config }
			d := json.NewDecoder(strings.NewReader(b))
			d.DisallowUnknownFields()
			if err := d.Decode(&file); err != nil {
				t.Errorf("%s: %v in\n%s", p.Name, err, b)
			}
		}
	}
	if read == 0 {
		t.Error("no document has settings")
	}
}

// TestInterfaces compares the table of optional interfaces with package game, and
// with what the games implement.
func TestInterfaces(t *testing.T) {
	games := []struct {
		name       string
		interfaces map[string]bool
	}{
		{"Martian Dice", implemented[martiandice.State](martiandice.New(martiandice.DefaultConfig()))},
		{"Mars is Ours!", implemented[marsisours.State](marsisours.New(marsisours.DefaultConfig()))},
		{"Martian Risk", implemented[martianrisk.State](martianrisk.New(martianrisk.DefaultConfig()))},
		{"Pig", implemented[pig.State](pig.New(pig.DefaultConfig()))},
		{"tables", implemented[tablegame.State](tablegame.New(testgames.TicTacToe()))},
	}
	var names []string
	for _, row := range table(t, "CONTRIBUTING.md", "| interface | implemented by | used by |") {
		names = append(names, row[0])
		var by []string
		known := false
		for _, g := range games {
			is, ok := g.interfaces[row[0]]
			known = known || ok
			if is {
				by = append(by, g.name)
			}
		}
		if want := strings.Join(by, ", "); known && row[1] != want {
			t.Errorf("%s is implemented by %s; want %s", row[0], row[1], want)
		}
	}
	// The contract itself, and what is part of another interface.
	names = append(names, "Rules", "Policy", "Solution", "TabularPolicy", "Plan", "Rows")
	slices.Sort(names)
	if want := interfaces(t, "../../../env/game"); !slices.Equal(names, want) {
		t.Errorf("the interfaces are %q; want %q", names, want)
	}
}

// implemented reports which optional interfaces the rules of a game implement.
func implemented[S comparable](rules game.Rules[S], err error) map[string]bool {
	if err != nil {
		panic(err)
	}
	list := map[string]bool{}
	_, list["Sampler"] = rules.(game.Sampler[S])
	_, list["Presenter"] = rules.(game.Presenter[S])
	_, list["Bots"] = rules.(game.Bots[S])
	_, list["Symmetry"] = rules.(game.Symmetry[S])
	_, list["ChanceExpander"] = rules.(game.ChanceExpander[S])
	_, list["SparseEncoder"] = rules.(game.SparseEncoder[S])
	_, list["TurnPlanner"] = rules.(game.TurnPlanner[S])
	_, list["Solver"] = rules.(game.Solver[S])
	_, list["ResumableSolver"] = rules.(game.ResumableSolver[S])
	_, list["MistakeLabeler"] = rules.(game.MistakeLabeler[S])
	_, list["OddsTables"] = rules.(game.OddsTables)
	return list
}

// interfaces returns the exported interfaces of a package, by name.
func interfaces(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() {
				if _, ok := spec.Type.(*ast.InterfaceType); ok {
					names = append(names, spec.Name.Name)
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return names
}
