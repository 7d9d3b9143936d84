// In package main, which cannot be imported.
package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/eval/analysis"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/testgames"
)

// recorded returns a file with a match of 40 games of greedy against random.
func recorded(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "match.games")
	text(t, append([]string{"-model", "greedy", "-against", "random", "-games", "40", "-record", path}, args...)...)
	return path
}

func TestGamesFile(t *testing.T) {
	path := recorded(t, "-game-config", clitest.Config(t, reduced))
	var r gamesResult
	document(t, &r, "games", path, "-mistakes", "3")
	if len(r.Reports) != 1 {
		t.Fatalf("%d reports", len(r.Reports))
	}
	x := r.Reports[0]
	if !x.Exact || x.Title != "Martian Dice" || len(x.Games) != 40 || len(x.Worst) != 3 || x.Games[0].Decisions != nil {
		t.Fatalf("the report is %+v", x)
	}
	if x.Summary[0].Name != "greedy" || x.Summary[1].Name != "random" || !(x.Summary[1].Loss.Value > 10*x.Summary[0].Loss.Value) {
		t.Errorf("the players are %+v", x.Summary)
	}
	for _, g := range x.Games {
		for q, s := range g.Seats {
			near(t, "the sum", s.Start.Value+s.Luck.Value-s.Losses.Value+s.Others.Value, s.Result.Value, 1e-12)
			near(t, "the errors of the other seat", s.Others.Value, g.Seats[1-q].Losses.Value, 1e-12)
		}
	}
	got := text(t, "games", path, "-decisions")
	for _, want := range []string{"Martian Dice for 2 players: 40 recorded games. Values are exact", "result − luck", "The worst mistakes", "result = start + luck − losses + others\n", "\nGame 40, greedy in seat "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestTableFile evaluates a policy of a table exactly, and prices games of it: their table lies beside them or
// is named by -game, and has not changed.
func TestTableFile(t *testing.T) {
	folder := t.TempDir()
	path, moved := filepath.Join(folder, "tic_tac_toe.game"), filepath.Join(folder, "moved.game")
	if err := testgames.NewTicTacToe().Save(path); err != nil {
		t.Fatal(err)
	}
	var r pairResult
	document(t, &r, "-game", path, "-model", "random")
	near(t, "the exploitability of random", r.Exploitability, 0.479914847883598, 1e-12) // half of what OpenSpiel computes
	games := filepath.Join(folder, "match.games")
	text(t, "-game", path, "-model", "random", "-against", "exact", "-games", "20", "-record", games)
	forget := func() { // another process has not opened the table
		for range 2 {
			runtime.GC()
		}
	}
	forget()
	if got := text(t, "games", games); !strings.Contains(got, ": 20 recorded games. Values are exact") {
		t.Error(got)
	}
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	forget()
	digest := testgames.NewTicTacToe().Digest()
	if _, stderr, status := command(t, "games", games); status == cli.Done || !strings.Contains(stderr, "with the SHA-256 "+digest) {
		t.Errorf("without the table: status %d, %s", status, stderr)
	}
	forget()
	if got := text(t, "games", games, "-game", moved); !strings.Contains(got, ": 20 recorded games. Values are exact") {
		t.Error(got)
	}
	dice := recorded(t, "-game-config", clitest.Config(t, reduced))
	if _, stderr, status := command(t, "games", dice, "-game", moved); status != cli.Misuse || !strings.Contains(stderr, "which is no table; leave out -game") {
		t.Errorf("games of no table: status %d, %s", status, stderr)
	}
	if _, stderr, status := command(t, "-game", moved, "-model", "random", "-cluster", "127.0.0.1:1"); status != cli.Misuse || !strings.Contains(stderr, "-cluster: workers do not have the table of") {
		t.Errorf("with -cluster: status %d, %s", status, stderr)
	}
}

// TestPoints evaluates a policy of a table whose returns are points: they are shown as they are.
func TestPoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shares.game")
	if err := testgames.NewShares().Save(path); err != nil {
		t.Fatal(err)
	}
	if got := text(t, "-game", path, "-model", "random"); !strings.Contains(got, "random  takes 1.000000000 points on average") {
		t.Error(got)
	}
}

// TestDamagedGames prices the complete games of a file in which others break off, and of one
// that a Windows editor saved.
func TestDamagedGames(t *testing.T) {
	path := recorded(t, "-game", "pig", "-game-config", clitest.Config(t, "\ufeff"+`{"target": 10}`))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	half := string(whole[:strings.Index(string(whole), "\nresult")-2])
	if err := os.WriteFile(path, []byte("\ufeff"+half+"\n"+string(whole)+half), 0o666); err != nil {
		t.Fatal(err)
	}
	out, errs, status := command(t, "games", path)
	if status != cli.Done || !strings.Contains(out, ": 40 recorded games.") || strings.Count(errs, "the game is not complete") != 2 {
		t.Errorf("status %d, %s\n%s", status, errs, out)
	}
	if err := os.WriteFile(path, []byte(half), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := command(t, "games", path); status != cli.Failed || !strings.Contains(stderr, "the game is not complete") {
		t.Errorf("half a game alone: status %d, %s", status, stderr)
	}
}

// TestCopiedGames: the same game twice is one game, which has no interval; the message says so.
// Games that are alike because they are short are no copies.
func TestCopiedGames(t *testing.T) {
	path := recorded(t, "-game", "pig", "-game-config", clitest.Config(t, `{"target": 30}`))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	games := strings.SplitAfterN(string(whole), "marsgym game 1", 4)
	one := "marsgym game 1" + strings.TrimSuffix(games[1], "marsgym game 1")
	two := one + "marsgym game 1" + strings.TrimSuffix(games[2], "marsgym game 1")
	for _, tt := range []struct {
		text, games, want string
	}{
		{one + one, ": 1 recorded games.", "left out 1 of 2 games of Pig: each is a copy of another"},
		{two + one, ": 2 recorded games.", "left out 1 of 3 games"},
	} {
		if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		out, errs, status := command(t, "games", path)
		if status != cli.Done || !strings.Contains(out, tt.games) || !strings.Contains(errs, tt.want) {
			t.Errorf("status %d, %s\n%s; want %q and %q", status, errs, out, tt.games, tt.want)
		}
	}
	if path = recorded(t, "-game", "pig", "-game-config", clitest.Config(t, `{"target": 2}`)); !strings.Contains(text(t, "games", path), ": 40 recorded games.") {
		t.Error("short games are left out")
	}
}

// TestGamesFolder prices games of different rules, by rollouts.
func TestGamesFolder(t *testing.T) {
	dir := t.TempDir()
	for name, from := range map[string]string{
		"a.games": recorded(t, "-game-config", clitest.Config(t, reduced)),
		"b.games": recorded(t, "-game", "pig", "-game-config", clitest.Config(t, `{"target": 10}`)),
	} {
		if err := os.Rename(from, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	var r gamesResult
	document(t, &r, "games", dir, "-rollouts", "20")
	if len(r.Reports) != 2 || r.Reports[0].Title != "Martian Dice" || r.Reports[1].Title != "Pig" {
		t.Fatalf("the reports are %+v", r)
	}
	for _, x := range r.Reports {
		if x.Exact || x.Method != "rollouts:20:greedy" || x.Summary[0].Name != "greedy" {
			t.Errorf("%s: %s, %+v", x.Title, x.Method, x.Summary)
		}
		for _, g := range x.Games {
			for _, s := range g.Seats {
				near(t, "the sum", s.Start.Value+s.Luck.Value-s.Losses.Value+s.Others.Value+s.Correction.Value, s.Result.Value, 1e-12)
			}
		}
	}
	var random gamesResult
	document(t, &random, "games", filepath.Join(dir, "b.games"), "-model", "random", "-rollouts", "5")
	if random.Reports[0].Method != "rollouts:5:random" {
		t.Errorf("by random: %s", random.Reports[0].Method)
	}
	if got := text(t, "games", dir, "-rollouts", "5"); !strings.Contains(got, "estimated by rollouts:5:greedy") || !strings.Contains(got, " + correction") {
		t.Errorf("two reports:\n%s", got)
	}
}

// TestPosition values a position: exactly, by searches, and before dice.
func TestPosition(t *testing.T) {
	rules := clitest.Config(t, `{"target": 20}`)
	args := []string{"position", "-game", "pig", "-game-config", rules, "15-12@1 turn 3"}
	var exact, estimated, dice positionResult
	document(t, &exact, args...)
	document(t, &estimated, append(args, "-searches", "6", "-model", "search:500")...)
	if !exact.Exact || estimated.Exact || estimated.Method != "searches:6:500:greedy" || exact.Seat != 1 || len(exact.Options) != 2 || len(estimated.Options) != 2 {
		t.Fatalf("%+v and %+v", exact, estimated)
	}
	if e, x := estimated.Options[0], exact.Options[0]; e.Action != x.Action || !(math.Abs(e.Value.Value-x.Value.Value) <= 0.05) {
		t.Errorf("%+v, exactly %+v", e, x)
	}
	document(t, &dice, "position", "-game", "pig", "-game-config", rules, "15-12@1 turn 3 rolling")
	mean := 0.0
	for _, o := range dice.Outcomes {
		mean += o.Prob * (1 - o.Value.Value)
	}
	if roll := exact.Options[slices.IndexFunc(exact.Options, func(o analysis.Option) bool { return o.Action == "roll" })]; len(dice.Outcomes) != 6 || !(math.Abs(mean-roll.Value.Value) <= 1e-9) {
		t.Errorf("the outcomes %+v have the mean %v, and rolling the value %v", dice.Outcomes, mean, roll.Value.Value)
	}
	if got := text(t, append(args, "-rollouts", "5")...); !strings.Contains(got, "estimated by rollouts:5:greedy.\nBehind ± is how far the 99 % interval reaches, which covers chance only: values are of the play of greedy, not of best play.\n\n  option ") {
		t.Errorf("the text is\n%s", got)
	}
}

func TestGamesErrors(t *testing.T) {
	path := recorded(t, "-game-config", clitest.Config(t, reduced))
	broken, empty := filepath.Join(t.TempDir(), "broken.games"), filepath.Join(t.TempDir(), "empty.games")
	if err := errors.Join(os.WriteFile(broken, []byte("# nothing\nmarsgym game 9\n"), 0o666), os.WriteFile(empty, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"games " + cli.Argument(path) + " -game pig", cli.Misuse, "which is no table; leave out -game"},
		{"games " + cli.Argument(path) + " -searches 1", cli.Misuse, "-searches is 1"},
		{"games " + cli.Argument(path) + " -searches 9 -rollouts 9", cli.Misuse, "leave one out"},
		{"games " + cli.Argument(path) + " -searches 9 -model greedy", cli.Misuse, "want a search such as"},
		{"games " + cli.Argument(path) + " -searches 9 -model search:9ms", cli.Misuse, "want a number of simulations"},
		{"position -game pig 0-0", cli.Misuse, "position"},
		{"position -game pig 0-0@0 -games 9", cli.Misuse, "unknown flag -games"},
		{"position 0-0@0 -searches 2", cli.Failed, "outcomes; values of up to 100 are estimated"},
		{"games " + cli.Argument(path) + " -rollouts 1", cli.Misuse, "-rollouts is 1"},
		{"games " + cli.Argument(path) + " -rollouts 9223372036854775807", cli.Misuse, "-rollouts is 9223372036854775807; want 2 to 10000000"},
		{"games " + cli.Argument(path) + " -searches 9223372036854775807", cli.Misuse, "want 2 to 10000000"},
		{"games " + cli.Argument(path) + " -rollouts 9 -model exact", cli.Misuse, "needs no estimates"},
		{"games " + cli.Argument(path) + " -mistakes -1", cli.Misuse, "-mistakes is -1"},
		{"games " + cli.Argument(path) + " -model nobody", cli.Misuse, "unknown agent"},
		{"games " + cli.Argument(broken), cli.Failed, `broken.games: line 2: version "9"`},
		{"games missing", cli.Failed, "missing"},
		{"games " + cli.Argument(empty), cli.Failed, "holds no game"},
		{"games " + os.DevNull, cli.Failed, "not a regular file"},
		{"-model greedy -rollouts 10", cli.Misuse, "-rollouts is now"},
		{"-model greedy -decisions", cli.Misuse, "-decisions is now"},
		{"-model greedy -record x.games", cli.Misuse, "-record is for the match of -games"},
		{"-model greedy -games 10 -record " + cli.Argument(path), cli.Misuse, "exists; name another file"},
		{"-model greedy -games 10 -record " + cli.Argument(filepath.Join(path, "x")), cli.Misuse, "-record"},
		{"tournament greedy random -record x.games", cli.Misuse, "unknown flag -record"},
	} {
		if stdout, stderr, status := command(t, clitest.Words(tt.args)...); status != tt.status || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q %q; want %d and %q", tt.args, status, stdout, stderr, tt.status, tt.want)
		}
	}
}
