// In package main, which cannot be imported.
package main

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/testgames"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// command runs solve and returns what it wrote and its exit status.
func command(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return clitest.Command(run).Run(t, "", args...)
}

// document runs solve -json and decodes its output.
func document(t *testing.T, args ...string) (a answer) {
	t.Helper()
	clitest.Command(run).Document(t, &a, args...)
	return a
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12f, want %.12f", what, got, want)
	}
}

func TestMartianDiceForTwo(t *testing.T) {
	a := document(t)
	if a.Game != "martian-dice" || a.Players != 2 || a.Position != "0-0@0" || a.Options == nil || len(a.Options) > 0 {
		t.Errorf("the answer is %+v", a)
	}
	if len(a.Win) != 2 || a.Turns != nil {
		t.Fatalf("win is %v and turns %v; want two shares", a.Win, a.Turns)
	}
	near(t, "seat 0", a.Win[0], 0.4841229766, 1e-9)
	near(t, "seat 1", a.Win[1], 0.5158770234, 1e-9)
	near(t, "the score of a turn", a.Facts["expected_turn_score"], 3.110381746838, 1e-9)
	if a.Starts != 25*25+41*25 || !(a.Bytes >= 2*8*a.Starts) {
		t.Errorf("%d starts in %d bytes", a.Starts, a.Bytes)
	}
	if !(a.Residual <= 1e-12) || !(a.Seconds > 0) {
		t.Errorf("residual %g after %g s", a.Residual, a.Seconds)
	}
}

// TestOptions evaluates a decision with one best option.
func TestOptions(t *testing.T) {
	file := clitest.Config(t, `{"target": 20}`)
	a := document(t, "-game", "pig", "-game-config", file, "-position", "15-12@1 turn 3")
	if len(a.Options) != 2 || a.Options[0].Action != "roll" || a.Options[1].Action != "hold" {
		t.Fatalf("options %+v; want roll and hold", a.Options)
	}
	best := math.Inf(-1)
	for _, o := range a.Options {
		best = max(best, *o.Win)
	}
	near(t, "the mover's value", a.Win[1], best, 1e-12)
	near(t, "the sum of shares", a.Win[0]+a.Win[1], 1, 1e-12)
	regrets := 0
	for _, o := range a.Options {
		near(t, "the regret of "+o.Action, o.Regret, best-*o.Win, 1e-12)
		if o.Regret > 0 {
			regrets++
		}
	}
	if regrets != 1 {
		t.Errorf("%d options with regret, want 1: %+v", regrets, a.Options)
	}
}

// TestOutcomes: the value of a chance position is the mean of those of its outcomes, which
// are listed if they are few.
func TestOutcomes(t *testing.T) {
	args := []string{"-game", "pig", "-game-config", clitest.Config(t, `{"target": 20}`), "-position", "15-12@1 turn 3 rolling"}
	a := document(t, args...)
	prob, mean := 0.0, 0.0
	for _, o := range a.Outcomes {
		prob, mean = prob+o.Prob, mean+o.Prob*o.Win[1]
	}
	near(t, "the sum of probabilities", prob, 1, 1e-12)
	near(t, "the mean of the outcomes", mean, a.Win[1], 1e-12)
	stdout, _, _ := command(t, args...)
	if !strings.Contains(stdout, "\n  outcome   probability        seat 0        seat 1\n  1         16.666667 %") {
		t.Errorf("no outcomes in\n%s", stdout)
	}
	if stdout, _, _ = command(t, "-game-config", clitest.Config(t, `{"target": 20}`)); !strings.Contains(stdout, " outcomes; -json lists them\n") {
		t.Errorf("many outcomes:\n%s", stdout)
	}
}

func TestSolitaireCountsTurns(t *testing.T) {
	file := clitest.Config(t, `{"dice": 4, "target": 6}`)
	a := document(t, "-players", "1", "-game-config", file)
	if a.Win != nil || len(a.Turns) != 1 || !(a.Turns[0] > 1) {
		t.Fatalf("win %v, turns %v; want turns only, more than one", a.Win, a.Turns)
	}
	later := document(t, "-players", "1", "-game-config", file, "-position", "0@0 turns 3")
	near(t, "turns after three without points", later.Turns[0], a.Turns[0]+3, 1e-9)

	at := document(t, "-players", "1", "-game-config", file, "-position", "4@0 aside H1 roll R1C2")
	if len(at.Options) != 2 || at.Options[1].Action != "cows" || at.Options[0].Turns == nil || at.Options[0].Win != nil {
		t.Fatalf("options %+v; want rays and cows with turns", at.Options)
	}
	if least := min(*at.Options[0].Turns, *at.Options[1].Turns); !(math.Abs(least-at.Turns[0]) <= 1e-12) {
		t.Errorf("best play takes %g turns and the best option %g", at.Turns[0], least)
	}
	for _, o := range at.Options {
		near(t, "the regret of "+o.Action, o.Regret, *o.Turns-at.Turns[0], 1e-12)
	}

	stdout, _, _ := command(t, "-players", "1", "-game-config", file)
	if !strings.Contains(stdout, "seat 0 takes") || !strings.Contains(stdout, "turns") {
		t.Errorf("as text:\n%s", stdout)
	}
}

// TestTableFile solves the table of a file.
func TestTableFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttt.game")
	if err := testgames.NewTicTacToe().Save(path); err != nil {
		t.Fatal(err)
	}
	a := document(t, "-game", path)
	if a.Game != "tic_tac_toe.game" || !slices.Equal(a.Win, []float64{0.5, 0.5}) || len(a.Options) != 9 || a.Facts["positions"] != 5478 {
		t.Errorf("%+v", a)
	}
}

// TestPoints solves a table whose returns are points: they are shown as they are.
func TestPoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shares.game")
	if err := testgames.NewShares().Save(path); err != nil {
		t.Fatal(err)
	}
	a := document(t, "-game", path)
	if !slices.Equal(a.Turns, []float64{3, 0.5}) || *a.Options[1].Turns != -1 || a.Options[1].Regret != 4 {
		t.Errorf("%+v", a)
	}
	if out, _, _ := command(t, "-game", path); !strings.Contains(out, "seat 0 takes  3.000000000 points on average") {
		t.Error(out)
	}
}

func TestText(t *testing.T) {
	file := clitest.Config(t, `{"target": 20}`)
	stdout, stderr, status := command(t, "-game", "pig", "-game-config", file, "-position", "15-12@1 turn 3")
	if status != cli.Done || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{"Pig for 2 players, under best play from 15-12@1 turn 3", "seat 0: 15   seat 1: 12+3 <", "seat 1 wins", "seat 1 chooses", "hold", "best", "computed in"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		args   string
		status int
		want   string
	}{
		{"-game martian-dise", cli.Misuse, "did you mean martian-dice?"},
		{"-players 11", cli.Misuse, "players is 11; want 1 to 10"},
		{"-position 13-17", cli.Misuse, "names no seat to move"},
		{"-players 3 -position 13-17@1", cli.Misuse, "has 2 scores; want one for each of 3 players"},
		{"-game-config no/such/file", cli.Misuse, "no such file"},
		{"0-0@0", cli.Misuse, `unexpected argument "0-0@0"`},
		{"-players 7", cli.Failed, "no exact solution"},
		{"-cache off", cli.Misuse, "none for no cache"},
		{"-estimate -position 3-3@0", cli.Misuse, "-estimate does not solve"},
		{"-estimate -plot pictures", cli.Misuse, "-estimate does not solve"},
		{"-estimate -players 11", cli.Misuse, "players is 11; want 1 to 10"},
		{"-estimate -game pig", cli.Failed, "pig has no estimate"},
		{"-odds all -estimate", cli.Misuse, "-odds does not solve"},
		{"-odds all -game pig", cli.Failed, "no odds tables"},
		{"-odds 5 -game martian-risk", cli.Misuse, "ask for"},
	}
	for _, tt := range tests {
		stdout, stderr, status := command(t, strings.Fields(tt.args)...)
		if status != tt.status || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q %q; want %d and %q", tt.args, status, stdout, stderr, tt.status, tt.want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	if status := run(ctx, []string{"-cache", "none"}, strings.NewReader(""), &out, &errs); status != cli.Interrupted || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("status %d, %q", status, errs.String())
	}
}

func TestStatuses(t *testing.T) {
	clitest.Statuses(t, run, func() []string {
		return []string{"-game-config", clitest.Config(t, `{"dice": 4, "target": 6}`), "-cache", "none"}
	})
}

func TestUnusableCache(t *testing.T) {
	clitest.UnusableCache(t, run, func() []string { return []string{"-json"} })
}

// TestNoNegativeZero: a game that is over takes 0 turns more, not −0.
func TestNoNegativeZero(t *testing.T) {
	args := []string{"-players", "1", "-game-config", clitest.Config(t, `{"dice": 4, "target": 6}`), "-position", "6 over 0"}
	if a := document(t, args...); a.Turns[0] != 0 || math.Signbit(a.Turns[0]) {
		t.Errorf("the turns are %v", a.Turns)
	}
	if out, errs, status := command(t, args...); status != cli.Done || !strings.Contains(out, "seat 0 takes  0 turns on average\n") {
		t.Errorf("status %d, %s%s", status, errs, out)
	}
}
