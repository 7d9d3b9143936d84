package cli_test

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"

	"marsgym/internal/cli"
)

func newFlags() *cli.Flags {
	f := cli.NewFlags("eval", "Eval measures how well a model plays.")
	f.Bool("json", false, "write one JSON document")
	f.String("model", "", "the `agent` to measure")
	f.String("game", "martian-dice", "`name` of the game")
	f.Int("players", 2, "seats at the table")
	f.Group("Game", "players", "game")
	f.Group("Players", "model")
	f.Example("go run ./cmd/eval -model greedy")
	return f
}

func TestHelp(t *testing.T) {
	const want = `Eval measures how well a model plays.

Usage:
  go run ./cmd/eval [flags]

Game:
  -players int  seats at the table (default 2)
  -game name    name of the game (default martian-dice)

Players:
  -model agent  the agent to measure

Flags:
  -json  write one JSON document

Examples:
  go run ./cmd/eval -model greedy
`
	var b strings.Builder
	if err := newFlags().Parse([]string{"-h"}, &b); err != flag.ErrHelp {
		t.Errorf("-h: %v, want flag.ErrHelp", err)
	}
	if b.String() != want {
		t.Errorf("help is\n%s\nwant\n%s", b.String(), want)
	}
}

func TestHelpReportsWriteError(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	if err := newFlags().Parse([]string{"-h"}, w); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("help to a closed pipe: %v", err)
	}
}

func TestParse(t *testing.T) {
	f := newFlags()
	if err := f.Parse([]string{"-players", "3", "-json"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := f.Lookup("players").Value.String(); got != "3" {
		t.Errorf("players = %s, want 3", got)
	}

	tests := []struct{ args, want string }{
		{"-player 3", "unknown flag -player; did you mean -players?"},
		{"-verbose", "unknown flag -verbose"},
		{"-players two", `invalid value "two" for flag -players: parse error`},
		{"-model", "flag needs an argument: -model"},
		{"greedy", `unexpected argument "greedy"`},
		{"-json true", `unexpected argument "true"`},
	}
	for _, tt := range tests {
		var stdout strings.Builder
		err := newFlags().Parse(strings.Fields(tt.args), &stdout)
		var usage *cli.UsageError
		if !errors.As(err, &usage) || err.Error() != tt.want {
			t.Errorf("%s: %v, want the usage error %q", tt.args, err, tt.want)
		}
		if stdout.Len() > 0 {
			t.Errorf("%s: wrote %q to standard output", tt.args, stdout.String())
		}
	}
}

func TestGroupOfUnknownFlag(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a group of a flag that is not defined was accepted")
		}
	}()
	newFlags().Group("More", "seed")
}
