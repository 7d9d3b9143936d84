// In package main, which cannot be imported.
package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/record"
	"marsgym/eval/analysis"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/golden"
	"marsgym/internal/test/testgames"
)

// played reads the games of a file.
func played(t *testing.T, path string) (games []*record.Game) {
	t.Helper()
	for g, err := range record.ReadPath(path, catalog.Open) {
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, g)
	}
	return games
}

// TestUndo: a choice is taken back with what agents did after it, but not behind dice nor
// behind the choice of another person.
func TestUndo(t *testing.T) {
	tests := []struct {
		name, args, typed, want string
	}{
		{"an agent in between", "-game mars-is-ours-fast -seed 1", "undo\nb1\nundo\nc1\nquit\n", "place-c1"},
		{"two persons", "-game mars-is-ours-fast -seed 1 -seat 0,1", "b1\nundo\nc1\nquit\n", "place-b1 place-c1"},
		{"dice", "-game pig -seed 3", "roll\nundo\nhold\nquit\n", "roll hold"},
		{"two decisions", "-game martian-dice -seed 1", "rays\nundo\nhumans\nquit\n", "humans"},
		{"a number", "-game martian-dice -seed 1", "rays\nundo 2\nroll\nquit\n", "rays roll"},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "a.games")
		stdout, stderr, status := command(t, tt.typed, append(strings.Fields(tt.args), "-record", file)...)
		if status != cli.Done || stderr != "" {
			t.Fatalf("%s: status %d, %s", tt.name, status, stderr)
		}
		var got []string
		for _, s := range played(t, file)[0].Steps {
			if who := s.Before.CurrentPlayer(); who >= 0 && played(t, file)[0].Seats[who] == human {
				got = append(got, played(t, file)[0].Rules.ActionName(s.Action))
			}
		}
		if text := strings.Join(got, " "); !strings.HasPrefix(text, tt.want) || strings.Count(text, " ") != strings.Count(tt.want, " ") {
			t.Errorf("%s: played %s, want %s\n%s", tt.name, text, tt.want, stdout)
		}
	}
}

// TestUndoTypedRoll: with typed dice the last roll is taken back too, also behind an agent's
// choice, and at the question for the next roll the choice before it.
func TestUndoTypedRoll(t *testing.T) {
	tests := []struct{ name, typed, want string }{
		{"at a choice", "roll\n3\nundo\n4\nhold\nquit\n", "roll 4 hold roll"},
		{"at the next roll", "roll\n3\nroll\nundo\nhold\nquit\n", "roll 3 hold roll"},
		{"of an agent", "roll\n3\nhold\n2\nundo\n5\nquit\n", "roll 3 hold roll 5 roll"},
		{"without one", "undo\nroll\nquit\n", "roll"},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "a.games")
		stdout, stderr, status := command(t, tt.typed, "-game", "pig", "-opponent", "greedy", "-dice", "typed", "-cache", "none", "-record", file)
		if status != cli.Done || stderr != "" {
			t.Fatalf("%s: status %d, %s", tt.name, status, stderr)
		}
		var got []string
		g := played(t, file)[0]
		for _, s := range g.Steps {
			name := g.Rules.ActionName(s.Action)
			if s.Chance() {
				name = g.Show(s)
			}
			got = append(got, name)
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: played %s, want %s\n%s", tt.name, text, tt.want, stdout)
		}
	}
}

// TestResume: a game that is left at any moment goes on with the same dice and ends as
// the whole game does.
func TestResume(t *testing.T) {
	g, err := catalog.Open("martian-dice", 2, []byte(reduced))
	if err != nil {
		t.Fatal(err)
	}
	typed, end := script(t, g, 1, 5)
	lines := strings.SplitAfter(typed, "\n")
	for _, n := range []int{0, 1, len(lines) / 2, len(lines) - 2} {
		file := filepath.Join(t.TempDir(), "Left Off.games")
		args := []string{"-seat", "1", "-seed", "5", "-game-config", clitest.Config(t, reduced)}
		stdout, _, _ := command(t, strings.Join(lines[:n], "")+"save "+file+"\nsave "+file+"\nquit\n", args...)
		if !strings.Contains(stdout, "To go on: go run ./cmd/play -resume "+cli.Argument(file)+"\n") || !strings.Contains(stdout, " exists; name another file.\n") {
			t.Fatalf("the game is not saved in\n%s", stdout)
		}
		stdout, stderr, status := command(t, strings.Join(lines[n:], ""), "-resume", file)
		if status != cli.Done || stderr != "" || !strings.Contains(stdout, "\n"+shown(end, 1)+"\n\n") {
			t.Errorf("after %d lines: status %d, %s; want the end\n%s\nin\n%s", n, status, stderr, end.Render(message.Speaker{}), stdout)
		}
	}
}

// TestResumePretrained: the opponent of a saved game is the released network, which plays in
// its way, and the command that goes on keeps the flags.
func TestResumePretrained(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.games")
	stdout, _, _ := command(t, "1\nsave "+file+"\n", "-game", "pig", "-opponent", "greedy", "-dice", "typed", "-seed", "2", "-cache", "none")
	if want := "go run ./cmd/play -dice typed -cache none -resume " + cli.Argument(file) + "\n"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
	file = filepath.Join(t.TempDir(), "b.games")
	command(t, "T\nsave "+file+"\n", "-opponent", "pretrained", "-seed", "2", "-cache", "none")
	if stdout, stderr, status := command(t, "quit\n", "-cache", "none", "-resume", file); status != cli.Done || !strings.Contains(stdout, "pretrained") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
}

// TestResumeDamaged goes on with a game behind which another one breaks off.
func TestResumeDamaged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.games")
	command(t, "roll\nsave "+file+"\nquit\n", "-game", "pig", "-seed", "3", "-cache", "none")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, text[:len(text)-20]...), 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := command(t, "quit\n", "-resume", file, "-cache", "none")
	if status != cli.Done || !strings.Contains(stderr, "play: -resume: ") || !strings.Contains(stderr, "the game is not complete") || !strings.Contains(stderr, "it is left out\n") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
}

// TestLongSearch: a search that takes a day is announced, and Ctrl-C ends it and keeps the game.
func TestLongSearch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs strings.Builder
	watch := writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("-------- search:24h")) {
			cancel() // in the turn of the search
		}
		return out.Write(b)
	})
	cache := t.TempDir()
	status := run(ctx, []string{"-game", "pig", "-seed", "3", "-opponent", "search:24h", "-cache", cache}, strings.NewReader("roll\nhold\n"), watch, &errs)
	calls := clitest.Copied(t, "play", out.String())
	if status != cli.Interrupted || !strings.Contains(out.String(), "search:24h thinks for up to 24h0m0s at each choice; Ctrl-C quits.\n") || len(calls) != 1 {
		t.Fatalf("status %d, %q, %s\n%s", status, calls, &errs, &out)
	}
	// A saved game may name such a search too. A context that is done ends it at once.
	out.Reset()
	status = run(ctx, calls[0], strings.NewReader(""), &out, &errs)
	if status != cli.Interrupted || !strings.Contains(out.String(), "thinks for up to 24h0m0s") {
		t.Errorf("the saved game: status %d\n%s", status, &out)
	}
	if stdout, _, _ := command(t, "quit\n", "-game", "pig", "-opponent", "search:1000000", "-cache", "none"); !strings.Contains(stdout, "for 1000000 simulations at each choice") {
		t.Errorf("many simulations:\n%s", stdout)
	}
	if stdout, _, _ := command(t, "quit\n", "-game", "pig", "-opponent", "search:100", "-cache", "none"); strings.Contains(stdout, "thinks for") {
		t.Errorf("few simulations:\n%s", stdout)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestSaveFails: a game is not saved over a folder or a file, nor into nothing, and goes on.
func TestSaveFails(t *testing.T) {
	folder := t.TempDir()
	full := filepath.Join(folder, "a.games")
	if err := os.WriteFile(full, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"":                                  "> No: name a file, as in save mars.games.\n> ",
		folder:                              " exists; name another file.\n> ",
		full:                                " exists; name another file.\n> ",
		filepath.Join(folder, "no", "b"):    " no such file or directory.\n> ",
		filepath.Join(full, "b"):            " not a directory.\n> ",
		filepath.Join(folder, "my b'd"):     "-resume " + cli.Argument(filepath.Join(folder, "my b'd")) + "\n> ",
		filepath.Join(folder, "r\x1b[2Jed"): "> No: the line has control characters",
	} {
		stdout, _, _ := command(t, "save "+name+"\nroll\n", "-game", "pig", "-seed", "3", "-cache", "none")
		if !strings.Contains(stdout, want) || !strings.Contains(stdout, "dice> ") || strings.Contains(stdout, ".tmp") {
			t.Errorf("%q: no %q in\n%s", name, want, stdout)
		}
	}
	if text, err := os.ReadFile(full); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestKept: a game that a person leaves is kept in the cache folder, and goes on.
func TestKept(t *testing.T) {
	cache := t.TempDir()
	stdout, _, _ := command(t, "roll\n", "-game", "pig", "-seed", "3", "-cache", cache)
	file := filepath.Join(cache, "unfinished-pig-3.games")
	if !strings.Contains(stdout, "To go on: go run ./cmd/play -cache "+cli.Argument(cache)+" -resume "+cli.Argument(file)+"\n") || len(played(t, file)) != 1 {
		t.Errorf("the game is not kept:\n%s", stdout)
	}
	stdout, _, _ = command(t, "hold\n", "-cache", cache, "-resume", file)
	if again := played(t, file); !strings.Contains(stdout, " -resume "+cli.Argument(file)+"\n") || len(again) != 1 || len(again[0].Steps) < 3 {
		t.Errorf("the game that went on is not kept:\n%s", stdout)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stdout, _, _ = command(t, "roll\n", "-game", "pig", "-seed", "3", "-cache", cache)
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) || !strings.Contains(stdout, "unfinished-pig-3-2.games") {
		t.Errorf("another game has overwritten it: %v\n%s", err, stdout)
	}
	stdout, _, _ = command(t, "roll\n", "-game", "pig", "-seed", "3", "-cache", "none")
	if strings.Contains(stdout, "saved") {
		t.Errorf("with -cache none:\n%s", stdout)
	}
	mine := filepath.Join(cache, "mine.games") // a person's own file is not overwritten
	if err := os.WriteFile(mine, before, 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, _, _ = command(t, "hold\n", "-cache", cache, "-resume", mine)
	if after, err := os.ReadFile(mine); err != nil || string(after) != string(before) || !strings.Contains(stdout, "unfinished-pig-3-3.games") {
		t.Errorf("it has overwritten %s: %v\n%s", mine, err, stdout)
	}
	blocked := filepath.Join(cache, "file")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, _, status := command(t, "roll\n", "-game", "pig", "-seed", "3", "-cache", blocked)
	if status != cli.Done || !strings.Contains(stdout, "The game is not saved: ") {
		t.Errorf("an unusable folder: status %d\n%s", status, stdout)
	}
}

// TestRepeat: a repeated choice is played as if it were typed, while it is possible and
// the coach does not warn of it, and a wrong repeat changes nothing.
func TestRepeat(t *testing.T) {
	play := func(typed string, args ...string) (screen, games string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "a.games")
		screen, stderr, status := command(t, typed, append(args, "-record", file, "-cache", "none")...)
		text, err := os.ReadFile(file)
		if status != cli.Done || stderr != "" || err != nil {
			t.Fatalf("status %d, %s, %v\n%s", status, stderr, err, screen)
		}
		return screen, string(text)
	}
	pig := []string{"-game", "pig", "-seed", "3"}
	dice := []string{"-seed", "4"}
	tiny := []string{"-game", "martian-risk-tiny", "-seed", "2"}
	for _, tt := range []struct {
		name, typed, same string
		args              []string
		screen            string
	}{
		{"a number", "roll\nrepeat 2\nhold\n", "roll\nroll\nroll\nhold\n", pig, "> > roll\ndice> "},
		{"nothing yet", "repeat\nroll\n", "roll\n", pig, "> No: you have not made a choice in this turn yet.\n> "},
		{"another seat has chosen", "roll\nhold\nrepeat\nroll\n", "roll\nhold\nroll\n", pig, "> No: you have not made a choice in this turn yet.\n> "},
		{"no number", "roll\nrepeat it\nrepeat 0\nrepeat 99999999999999999999\nroll\n", "roll\nroll\n", pig, "> No: type repeat, or repeat and a number, such as repeat 3.\n> No: "},
		{"not possible", "rays\nrepeat\n", "rays\n", dice, "> No: rays is not possible now.\n> "},
		{"while it is possible", "a\nb\nb\nb\nrepeat\n", "a\nb\nb\nb\nb\n", tiny, "> > b\n"},
		{"the coach warns", "roll\nrepeat\n", strings.Repeat("roll\n", 6), []string{"-game", "pig", "-seed", "9", "-coach", "0.01", "-game-config", clitest.Config(t, `{"target": 50}`)}, "> roll\ndice> a 4, turn total 23\nCoach: this loses "},
	} {
		screen, got := play(tt.typed, tt.args...)
		if _, want := play(tt.same, tt.args...); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
		if !strings.Contains(screen, tt.screen) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.screen, screen)
		}
	}
}

// TestTypedDice: people type the dice, and wrong ones are refused.
func TestTypedDice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.games")
	typed := "roll\n7\n?\nrules checkmate\n5\nhold\n1\nroll\n4\nhold\nquit\n"
	stdout, stderr, status := command(t, typed, "-game", "pig", "-dice", "typed", "-opponent", "random", "-record", file, "-seed", "1")
	if status != cli.Done || stderr != "" || strings.Contains(stdout, "-seed") {
		t.Fatalf("status %d, %q\n%s", status, stderr, stdout)
	}
	for _, want := range []string{"Roll the die, 1 to 6.\ndice> No: want a number from 1 to 6.\ndice> Roll the die", "do not mention \"checkmate\".\ndice>       a 5, turn total 5\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if at := played(t, file)[0].Steps[3]; at.Before.String() != "5-0@1" {
		t.Errorf("seat 1 moves at %s", at.Before)
	}
}

// TestSeats: several people play, and agents in the other seats.
func TestSeats(t *testing.T) {
	stdout, _, status := command(t, strings.Repeat("roll\nhold\n", 400), "-game", "pig", "-players", "3", "-seat", "0,2", "-seed", "1", "-game-config", clitest.Config(t, `{"target": 20}`))
	for _, want := range []string{"player 1 seat 0, greedy seat 1, player 3 seat 2.", "-------- player 1, your turn --------", "-------- player 3, your turn --------", "-------- greedy --------", "The winner is "} {
		if status != cli.Done || !strings.Contains(stdout, want) {
			t.Errorf("status %d, and no %q in\n%s", status, want, stdout)
		}
	}
}

// TestCoach: the coach warns before a costly choice, and the game is priced at its end.
func TestCoach(t *testing.T) {
	file := clitest.Config(t, `{"target": 20}`)
	stdout, _, status := command(t, strings.Repeat("hold\nroll\nroll\nroll\nroll\nhold\nhold\n", 200), "-game", "pig", "-seed", "2", "-coach", "0.001", "-game-config", file)
	for _, want := range []string{
		`\n> Coach: this loses \d+\.\d\d % of the win\.\n  roll \(.*\): wins +\d+\.\d{4} %\n  hold \(.*\): wins +\d+\.\d{4} %\nType it again`,
		`\nPrice of game 1 to you: result (0|100\.00) %\n  = start \d+\.\d\d % \+ luck (0|-?\d+\.\d\d+) % − own losses (0|\d+\.\d\d+) % \+ others' losses (0|\d+\.\d\d+) %\n`,
		`\n  \d+-\d+@0.*\n    \w+ lost \d+\.\d\d %; best is \w+\n`, `\nEstimated rating, with best play at 0: -\d+\.\d; one game`,
	} {
		if status != cli.Done || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("status %d, and no %q in\n%s", status, want, stdout)
		}
	}
}

// TestEstimatedHints: where the game is not solved, hints are estimates and say so.
func TestEstimatedHints(t *testing.T) {
	stdout, stderr, status := command(t, "hint\n", "-hints", "-think", "300ms", "-seed", "1", "-game-config", clitest.Config(t, unsolved))
	if status != cli.Done || stderr != "" || !regexp.MustCompile(`not solved: advice is estimated by 4 searches with greedy, 300ms\sfor\seach\schoice\.\nBehind ± is how far the 99 % interval reaches, which covers the error of the\n(.*\n)* +\[\w\]\w+ .* about \d+(\.\d+)?( ± \d+(\.\d+)?)? %\n(.*\n)*> Estimated by searches:4:\d+:greedy\.\n  \w+ +about`).MatchString(stdout) {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	stdout, _, _ = command(t, "hint\n", "-seed", "1", "-game-config", clitest.Config(t, reduced))
	if !strings.Contains(stdout, "> No: hints need -hints or -coach.\n") {
		t.Errorf("without an advisor:\n%s", stdout)
	}
}

// unsolved is a Martian Dice with too many rounds for an exact solution.
const unsolved = `{"max_rounds": 1000, "dice": 4, "target": 6}`

// TestEstimates: neither an estimate nor how far its interval reaches reads as certain.
func TestEstimates(t *testing.T) {
	var a advisor
	a.spec.Win = 1
	for _, tt := range []struct {
		n           analysis.Number
		value, part string
	}{
		{analysis.Number{Value: 0.52, Low: 0.5197, High: 0.5204}, "about 52.000 ± 0.040 %", "52.000 ± 0.040 %"},
		{analysis.Number{Value: 0.42, Low: 0.2, High: 0.5}, "about 42 ± 22 %", "42 ± 22 %"},
		{analysis.Number{Value: 0.9996, Low: 0, High: 1, NoInterval: true}, "about 99.96 %", ""},
		{analysis.Number{Value: 1.004, Low: 0, High: 1, NoInterval: true}, "about 100 %", ""},
		{analysis.Number{Value: 0.99999, Exact: true}, "wins  99.9990 %", "99.999 %"},
	} {
		if value, part := a.value(tt.n), a.figure(tt.n); value != tt.value || tt.part != "" && part != tt.part {
			t.Errorf("%+v reads %q and %q; want %q and %q", tt.n, value, part, tt.value, tt.part)
		}
	}
}

// TestEstimatedPrice: a game that is not solved is priced by estimates, without a rating, or
// the reason is printed.
func TestEstimatedPrice(t *testing.T) {
	fulltest.Gate(t)
	typed := strings.Repeat("rays\nhumans\ncows\nchickens\nroll\nstop\n", 60)
	stdout, stderr, status := command(t, typed, "-coach", "0.9", "-think", "20ms", "-seed", "1", "-game-config", clitest.Config(t, unsolved))
	for _, want := range []string{
		`\nEstimated by searches:4:\d+:greedy\.\nBehind ± is how far the 99 % interval reaches, which covers the error of the\nsearch and chance; without ±, simulations were too few\.\n`,
		`\nPrice of game 1 to you: result (0|100\.00) %\n  = start \d+ % \+ luck -?\d+ % − own losses -?\d+ % \+ others' losses -?\d+ %\n  \+ correction -?\d+ %\n`,
		`\n(    \w+ lost \d+(\.\d+)? ± \d+(\.\d+)? %; best is \w+|No choice lost anything beyond the error of the estimates\.)\n`,
		`\nNo rating: it compares with best play, and the game is not solved\.\n$`,
	} {
		if status != cli.Done || stderr != "" || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("status %d, %q, and no %q in\n%s", status, stderr, want, stdout)
		}
	}
	stdout, _, status = command(t, typed, "-coach", "0.9", "-think", "1us", "-seed", "1", "-game-config", clitest.Config(t, unsolved))
	if status != cli.Done || strings.Contains(stdout, "Price of game") || !strings.Contains(stdout, "A longer -think allows it.\n") {
		t.Errorf("in no time: status %d\n%s", status, stdout)
	}
}

// TestShownRolls: the rolls that are shown lead from each position to the next, in every
// game, and the games are those without a screen.
func TestShownRolls(t *testing.T) {
	for _, id := range catalog.IDs() {
		file := filepath.Join(t.TempDir(), "a.games")
		stdout, stderr, status := command(t, "", "-watch", "-game", id, "-seed", "4", "-record", file)
		if status != cli.Done || stderr != "" {
			t.Fatalf("%s: status %d, %s", id, status, stderr)
		}
		g := played(t, file)[0]
		if g.Position().CurrentPlayer() != game.Terminal || !strings.Contains(stdout, "\n"+shown(g.Position())+"\n") {
			t.Errorf("%s: the end is not shown", id)
		}
		for i, line := range strings.Split(stdout, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%s, line %d has %d columns: %s", id, i, n, line)
			}
		}
	}
}

// TestWholeGames plays a whole game of each preset by a person, and keeps what the screen
// shows of the short ones. Every line fits on 80 columns, and every choice on 24 lines.
func TestWholeGames(t *testing.T) {
	kept := map[string]string{"martian-dice": reduced, "mars-is-ours-fast": "{}", "martian-risk-tiny": "{}", "pig": `{"target": 20}`}
	for _, id := range catalog.IDs() {
		text := kept[id]
		if text == "" {
			text = "{}"
		}
		g, err := catalog.Open(id, 0, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		choices := rand.New(rand.NewPCG(1, 1))
		typed, end := scriptOf(t, g, 0, 3, func(legal []game.Action) game.Action {
			if n := len(legal) - 1; n > 0 && choices.IntN(5) > 0 {
				return legal[choices.IntN(n)] // to pass or to stop is rare
			}
			return legal[len(legal)-1]
		})
		stdout, stderr, status := command(t, typed, "-game", id, "-seed", "3", "-game-config", clitest.Config(t, text))
		if status != cli.Done || stderr != "" || !strings.Contains(stdout, "\n"+shown(end, 0)+"\n\n") {
			t.Errorf("%s: status %d, %s; want the end\n%s\nin\n%s", id, status, stderr, end.Render(message.Speaker{}), stdout)
		}
		for i, line := range strings.Split(stdout, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%s, line %d has %d columns: %s", id, i, n, line)
			}
		}
		screens := strings.Split(stdout, "\n> ")
		for _, screen := range screens[:len(screens)-1] {
			screen = screen[strings.LastIndex(screen, "\n\n")+2:]
			if n := strings.Count(screen, "\n") + 2; n > 24 {
				t.Errorf("%s: a choice takes %d lines:\n%s", id, n, screen)
			}
		}
		if kept[id] != "" {
			golden.Check(t, id+".txt", []byte(stdout))
		}
	}
}

// TestTableFile plays a game of the table of a file by the texts of its actions. A saved game continues
// with the table that -game names.
func TestTableFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttt.game")
	if err := testgames.NewTicTacToe().Save(path); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(filepath.Dir(path), "a.games")
	play := func(typed string, args ...string) string {
		t.Helper()
		for range 2 {
			runtime.GC() // another process has not opened the table
		}
		stdout, stderr, status := command(t, typed, append(args, "-cache", "none")...)
		if status != cli.Done {
			t.Fatalf("status %d, %s\n%s", status, stderr, stdout)
		}
		return stdout
	}
	if got, want := play("b2\nsave "+saved+"\nquit\n", "-game", path, "-opponent", "exact"), cli.Command("play", "-cache", "none", "-game", path, "-resume", saved); !strings.Contains(got, "\no..\n.x.\n...\n") || !strings.Contains(got, want) {
		t.Errorf("the choice after b2 or %s is not shown:\n%s", want, got)
	}
	if got := play("c3\nb3\n", "-resume", saved, "-game", path); !strings.Contains(got, "\noxx\nox.\no..\n") || !strings.Contains(got, "You lose.") {
		t.Error(got)
	}
	if _, stderr, status := command(t, "", "-resume", saved, "-game", "pig"); status != cli.Misuse || !strings.Contains(stderr, "leave out -game") {
		t.Errorf("another game: status %d, %s", status, stderr)
	}
}

// TestPoints plays a table whose returns are points: they are shown as they are.
func TestPoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shares.game")
	if err := testgames.NewShares().Save(path); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := command(t, "0\n", "-game", path, "-opponent", "exact", "-hints", "-cache", "none")
	if status != cli.Done || !strings.Contains(stdout, "3 points") || !strings.Contains(stdout, "\nYou took 3 points.\n") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
}

// TestPlayed replays whole games in which a person chose by what the screen told: the lines
// that were typed, below a first line with the flags, and the screen.
func TestPlayed(t *testing.T) {
	inputs, err := filepath.Glob("testdata/played/*.in")
	if err != nil || len(inputs) == 0 {
		t.Fatal(inputs, err)
	}
	for _, name := range inputs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		flags, typed, _ := strings.Cut(string(text), "\n")
		stdout, stderr, status := command(t, typed, append(strings.Fields(flags), "-cache", "none")...)
		if status != cli.Done || stderr != "" || !regexp.MustCompile(`\nYou (win|lose|share the win: .*)\.\n$`).MatchString(stdout) {
			t.Errorf("%s: status %d, %s\n%s", name, status, stderr, stdout)
		}
		golden.Check(t, "played/"+strings.TrimSuffix(filepath.Base(name), ".in")+".txt", []byte(stdout))
	}
}
