package cli_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
)

func TestGame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	type game struct {
		id      string
		players int
		config  string
	}
	open := func(id string, players int, config []byte) (game, error) {
		if players > 10 {
			return game{}, errors.New("too many players")
		}
		return game{id, players, string(config)}, nil
	}
	tests := []struct {
		args string
		want game
		err  string
	}{
		{"", game{"pig", 0, "of the file"}, ""},
		{"-game pig -players 3", game{"pig", 3, "of the file"}, ""},
		{"-game martian-dice", game{"martian-dice", 0, ""}, ""},
		{"-game-config " + cli.Argument(file), game{"pig", 0, "{}"}, ""},
		{"-game martian-dise", game{}, `unknown game "martian-dise"; want one of: martian-dice, pig; did you mean martian-dice?`},
		{"-cache none", game{"pig", 0, "of the file"}, ""},
		{"-cache ./off", game{"pig", 0, "of the file"}, ""},
		{"-cache off", game{}, `-cache is "off"; want auto, a folder, or none for no cache`},
		{"-players -1", game{}, "-players is -1; want at least 1"},
		{"-players 0", game{}, "-players is 0; want at least 1"},
		{"-players 11", game{}, "too many players"},
	}
	for _, tt := range tests {
		f := cli.NewFlags("eval", "")
		flags := f.Game([]string{"martian-dice", "pig"})
		if err := f.Parse(clitest.Words(tt.args), io.Discard); err != nil {
			t.Fatal(err)
		}
		flags.Default("pig", []byte("of the file"))
		got, err := cli.OpenGame(flags, open)
		if tt.err != "" {
			var usage *cli.UsageError
			if !errors.As(err, &usage) || err.Error() != tt.err {
				t.Errorf("%s: %v, want the usage error %q", tt.args, err, tt.err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: %v %v, want %v", tt.args, got, err, tt.want)
		}
	}
}

func TestGameDefaults(t *testing.T) {
	f := cli.NewFlags("solve", "")
	flags := f.Game([]string{"martian-dice", "pig"})
	err := f.Parse([]string{"-game-config", "no/such/file"}, io.Discard)
	var usage *cli.UsageError
	if !errors.As(err, &usage) {
		t.Errorf("a config file that does not exist: %v, want a usage error", err)
	}
	id, err := cli.OpenGame(flags, func(id string, _ int, _ []byte) (string, error) { return id, nil })
	if id != "martian-dice" || err != nil {
		t.Errorf("without flags the game is %q, %v; want the first", id, err)
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
