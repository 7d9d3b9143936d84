package cli_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/testgames"
	"marsgym/models"
)

// TestGame: flags have precedence over the settings of a file, and those over the defaults.
func TestGame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(`{"target": 30}`), 0o666); err != nil {
		t.Fatal(err)
	}
	type game struct {
		ID              string
		Players, Target int
	}
	for _, tt := range []struct {
		args, settings string // the id that the settings name
		want           game
		err            string
	}{
		{"", "", game{"martian-dice", 2, 20}, ""},
		{"", "pig", game{"pig", 2, 20}, ""},
		{"-game pig -players 3", "pig", game{"pig", 3, 20}, ""},
		{"-game pig", "", game{"pig", 2, 20}, ""},
		{"-game martian-dice", "pig", game{"martian-dice", 2, 25}, ""},
		{"-game-config " + cli.Argument(file), "pig", game{"pig", 2, 30}, ""},
		{"-cache none", "pig", game{"pig", 2, 20}, ""},
		{"-cache ./off", "pig", game{"pig", 2, 20}, ""},
		{"-cache off", "pig", game{}, `-cache: "off" is no folder; want auto, a folder, or none for no cache`},
		{"-game martian-dise", "pig", game{}, `unknown game "martian-dise"; want one of: ` + strings.Join(catalog.IDs(), ", ") + ", FILE.game; did you mean martian-dice?"},
		{"-players -1", "pig", game{}, "-players is -1; want at least 1"},
		{"-players 0", "pig", game{}, "-players is 0; want at least 1"},
		{"-players 11", "pig", game{}, "pig config: players is 11; want 2 to 10"},
		{"-players 11 -game-config " + cli.Argument(file), "pig", game{}, file + ": pig config: players is 11; want 2 to 10"},
	} {
		f := cli.NewFlags("eval", "")
		name := f.Game()
		var g env.Game
		err := f.Parse(clitest.Words(tt.args), io.Discard)
		if err == nil {
			name.Default(tt.settings, []byte(`{"target": 20}`))
			g, err = name.Open()
		}
		if tt.err != "" {
			var usage *cli.UsageError
			if !errors.As(err, &usage) || err.Error() != tt.err {
				t.Errorf("%s: %v, want the usage error %q", tt.args, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := game{ID: g.Spec().ID}
		if err := json.Unmarshal([]byte(g.Spec().ConfigJSON()), &got); err != nil || got != tt.want {
			t.Errorf("%s: %v %v, want %v", tt.args, got, err, tt.want)
		}
	}
	f := cli.NewFlags("eval", "")
	f.Game()
	var usage *cli.UsageError
	if err := f.Parse([]string{"-game-config", "no/such/file"}, io.Discard); !errors.As(err, &usage) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a config file that does not exist: %v, want a usage error", err)
	}
}

// TestGameFile: -game names the file of a table, which has no other settings. The table of a model lies
// beside it.
func TestGameFile(t *testing.T) {
	dir := t.TempDir()
	path, model := filepath.Join(dir, "tic_tac_toe.game"), filepath.Join(dir, "model.safetensors")
	rules := testgames.NewTicTacToe()
	if err := rules.Save(path); err != nil {
		t.Fatal(err)
	}
	spec := rules.Spec()
	mlp, err := models.NewMLP(models.Shape{Obs: spec.ObsLen(), Actions: spec.Actions, Players: spec.Players, Hidden: []int{4}, Head: models.Logits}, rand.NewPCG(1, 1))
	if err == nil {
		err = (&models.File{Meta: agents.MetaOf(spec), MLP: mlp}).Save(model)
	}
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		agents []string
		err    string
	}{
		{args: []string{"-game", path}},
		{agents: []string{model}},
		{agents: []string{"random", "lookahead:2:" + model}},
		{args: []string{"-game", path + ".game"}, err: "there is no table"},
		{args: []string{"-game", model}, err: "it is not a table of a game"},
		{args: []string{"-game", path, "-players", "2"}, err: "-players does not go with the table"},
		{args: []string{"-game", path, "-game-config", config}, err: "-game-config does not go with the table"},
	} {
		runtime.GC() // so that no table is open already
		runtime.GC()
		f := cli.NewFlags("eval", "")
		name := f.Game()
		if err := f.Parse(tt.args, io.Discard); err != nil {
			t.Fatal(err)
		}
		if err := name.DefaultOf(tt.agents); err != nil {
			t.Fatal(err)
		}
		g, err := name.Open()
		var usage *cli.UsageError
		switch {
		case tt.err != "":
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v; want the usage error %q", tt.args, err, tt.err)
			}
		case err != nil || g.Spec().ID != spec.ID:
			t.Errorf("%q, %q: %v; want %s", tt.args, tt.agents, err, spec.ID)
		}
	}
}

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"": "", dir: "", filepath.Join(dir, "new", "folder"): "",
		file: "-plot is " + file + ": it is a file; want a folder", filepath.Join(file, "below"): "; want a folder",
	} {
		err := cli.CheckFolder("plot", path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", path, err, want)
		}
	}
}
