package cli_test

import (
	"errors"
	"flag"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/kernel/simd"
)

func newFlags() *cli.Flags {
	f := cli.NewFlags("eval", "Eval measures how well a model plays.")
	f.Bool("json", false, "write one JSON document")
	f.String("model", "", "the `agent` to measure")
	f.String("tournament", "", "`agents` to rate")
	f.Renamed("pool", "tournament")
	f.String("game", "martian-dice", "`name` of the game")
	f.Int("players", 2, "number of players")
	f.Group("Game", "players", "game")
	f.Group("Agents", "model", "tournament")
	f.Example("go run ./cmd/eval -model greedy")
	return f
}

func TestHelp(t *testing.T) {
	const want = `Eval measures how well a model plays.

Usage: go run ./cmd/eval [flags]

Game:
  -players int  number of players (default 2)
  -game name    name of the game (default martian-dice)

Agents:
  -model agent        the agent to measure
  -tournament agents  agents to rate

Flags:
  -json     write one JSON document
  -version  print the version and exit

Exit status:
  0    done
  1    failed, or the answer could not be written
  2    a wrong command line or setting, nothing was done; or a traceback of Go
  130  interrupted, by Ctrl-C, SIGTERM or a closed terminal

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

func TestVersion(t *testing.T) {
	var b strings.Builder
	if err := newFlags().Parse([]string{"-json", "-version"}, &b); err != flag.ErrHelp {
		t.Errorf("-version: %v, want flag.ErrHelp", err)
	}
	want := "eval: marsgym " + cli.Version + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ", " + simd.Active().String() + " kernels\n"
	if b.String() != want {
		t.Errorf("-version prints %q, want %q", b.String(), want)
	}
	r, w := io.Pipe()
	r.Close()
	if err := newFlags().Parse([]string{"-version"}, w); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the version to a closed pipe: %v", err)
	}
	if err := newFlags().Parse([]string{"-version=false"}, io.Discard); err != nil {
		t.Errorf("-version=false: %v", err)
	}
}

func TestParse(t *testing.T) {
	f := newFlags()
	seed := f.Uint64("seed", 1, "")
	var names []string
	f.List(&names, "against", "")
	if err := f.Parse([]string{"-players", "3", "-json", "-seed", "12e6", "-against", "a,b"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := f.Lookup("players").Value.String(); got != "3" || *seed != 12_000_000 || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("players = %s, seed %d, against %q; want 3, 12000000, a and b", got, *seed, names)
	}
	if !f.Given("seed") || f.Given("model") || !slices.Equal(f.Others("json", "model"), []string{"against", "players", "seed"}) {
		t.Errorf("given are %q beside json and model", f.Others("json", "model"))
	}

	tests := []struct{ args, want string }{
		{"-player 3", "unknown flag -player; did you mean -players?"},
		{"-verbose", "unknown flag -verbose"},
		{"-pool a,b", "-pool has been renamed to -tournament"},
		{"--pool=a", "-pool has been renamed to -tournament"},
		{"-model a -pool", "-pool has been renamed to -tournament"},
		{"-players two", `-players is "two"; want a whole number`},
		{"-model", "flag needs an argument: -model"},
		{"greedy", `unexpected argument "greedy"`},
		{"-model=", "-model is empty; give it a value or leave it out"},
		{"-model a -game pig -model b", "-model is given twice"},
		{"-json -json", "-json is given twice"},
		{"-json=perhaps", `-json is "perhaps"; want true or false`},
		{"-players 1.5e0", `-players is "1.5e0"; want a whole number`},
		{"-players 1e999999999999", `-players is "1e999999999999"; want a whole number`},
		{"-seed 1e20", `-seed is "1e20"; want a whole number from 0 to 18446744073709551615`},
		{"-seed -1e3", `-seed is "-1e3"; want a whole number from 0 to 18446744073709551615`},
		{"-players 1e300", `-players is "1e300"; want a whole number`},
		{"-seed -1", `-seed is "-1"; want a whole number from 0 to 18446744073709551615`},
		{"-seed 18446744073709551616", `-seed is "18446744073709551616"; want a whole number from 0 to 18446744073709551615`},
		{"-share half", `-share is "half"; want a number`},
		{"-against a,,b", `-against: "a,,b" holds an empty name; want names separated by single commas`},
		{"-json true", `unexpected argument "true"`},
	}
	for _, tt := range tests {
		var stdout strings.Builder
		f := newFlags()
		f.Uint64("seed", 1, "")
		f.Float64("share", 0, "")
		f.List(new([]string), "against", "")
		err := f.Parse(strings.Fields(tt.args), &stdout)
		var usage *cli.UsageError
		if !errors.As(err, &usage) || err.Error() != tt.want {
			t.Errorf("%s: %v, want the usage error %q", tt.args, err, tt.want)
		}
		if stdout.Len() > 0 {
			t.Errorf("%s: wrote %q to standard output", tt.args, stdout.String())
		}
	}
}

// TestList: names with commas, quotes and spaces can be named, and [cli.Names] writes them.
func TestList(t *testing.T) {
	for _, names := range [][]string{
		{"a"}, {"a,b"}, {"runs/a,b", "greedy"}, {"x y", " z "}, {`say "go"`, "b"}, {"search:800:runs/a,b", `"`}, {`\.`, "it's"},
	} {
		var got []string
		f := newFlags()
		f.List(&got, "against", "")
		if err := f.Parse([]string{"-against", cli.Names(names...)}, io.Discard); err != nil || !slices.Equal(got, names) {
			t.Errorf("%s is read as %q, %v; want %q", cli.Names(names...), got, err, names)
		}
	}
	for _, text := range []string{`"a,b`, `"a"b,c`, `a"b`, "a\nb"} {
		f := newFlags()
		f.List(new([]string), "against", "")
		if err := f.Parse([]string{"-against", text}, io.Discard); err == nil || !strings.Contains(err.Error(), "stands in double quotes") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestGroupOfUnknownFlag(t *testing.T) {
	defer func() {
		if got, want := recover(), `cli: group "More": no flag -seed`; got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	newFlags().Group("More", "seed")
}

func TestRenamedToUnknownFlag(t *testing.T) {
	defer func() {
		if got, want := recover(), "cli: renamed from -games: no flag -matches"; got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	newFlags().Renamed("games", "matches")
}

func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "1e6": 1_000_000, "1.5E3": 1500, "0e0": 0, "120e-1": 12, "1e19": 10_000_000_000_000_000_000,
		"18446744073709551615": 1<<64 - 1, "1.8446744073709551615e19": 1<<64 - 1, "0x1e": 30, "1_000": 1000,
	} {
		f := newFlags()
		seed := f.Uint64("seed", 1, "")
		if err := f.Parse([]string{"-seed", text}, io.Discard); err != nil || *seed != want {
			t.Errorf("%s: %d, %v; want %d", text, *seed, err, want)
		}
	}
}

// TestArguments: a call can be repeated by the command line that it prints, whatever the values.
func TestArguments(t *testing.T) {
	args := []string{"-model", `my runs/it's $x "a"`, "-json", "-players=3", "-against", `"a,b",c`, "-game", "x\x1b[2J\u009by"}
	f := newFlags()
	f.List(new([]string), "against", "")
	if err := f.Parse(args, io.Discard); err != nil {
		t.Fatal(err)
	}
	want := []string{"-model", `my runs/it's $x "a"`, "-json", "-players", "3", "-against", `"a,b",c`, "-game", "x\x1b[2J\u009by"}
	if got := f.Arguments(); !slices.Equal(got, want) {
		t.Errorf("got %q; want %q", got, want)
	}
	if got := f.Arguments("json", "cache"); !slices.Equal(got, []string{"-json"}) {
		t.Errorf("of json and cache %q are there", got)
	}
	line := cli.Command("eval", want...)
	if strings.ContainsFunc(line, unicode.IsControl) {
		t.Errorf("%q has control characters", line)
	}
	if got := clitest.Copied(t, "eval", line); len(got) != 1 || !slices.Equal(got[0], want) {
		t.Errorf("a shell reads %q as %q", line, got)
	}
	if err := newFlags().Parse(want[:5], io.Discard); err != nil {
		t.Error(err)
	}
}
