// In package main, which cannot be imported.
package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/record"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/colour"
	"marsgym/internal/test/fulltest"
	"marsgym/models"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// reduced is a Martian Dice that takes no time to solve.
const reduced = `{"dice": 4, "target": 6}`

// command runs play with the input script.
func command(t *testing.T, script string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return clitest.Command(run).Run(t, script, args...)
}

// script plays a game in an [env.Env] against greedy, in which the person always takes
// the last legal action. It returns the input of the person and the final position.
func script(t *testing.T, g env.Game, seat game.Player, seed uint64) (string, env.Position) {
	t.Helper()
	return scriptOf(t, g, seat, seed, func(legal []game.Action) game.Action { return legal[len(legal)-1] })
}

// scriptOf is script with the choices of the person.
func scriptOf(t *testing.T, g env.Game, seat game.Player, seed uint64, pick func([]game.Action) game.Action) (string, env.Position) {
	t.Helper()
	greedy, err := g.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	noise := rand.NewPCG(0, 0) // greedy does not need it
	e := env.New(g)
	for o := e.Reset(seed); o.Player != game.Terminal; {
		legal := e.Position().Legal()
		a := pick(legal)
		if o.Player == seat {
			fmt.Fprintln(&b, g.ActionName(a))
		} else {
			probs, err := env.ActionProbabilities(t.Context(), greedy, e.Position(), g.Spec().Actions)
			if err != nil {
				t.Fatal(err)
			}
			a = env.SampleAction(probs, noise)
		}
		step, err := e.Step(a)
		if err != nil {
			t.Fatal(err)
		}
		o = step.Observation
	}
	return b.String(), e.Position()
}

// shown returns the end of a game as the screen shows it to people in these seats, with greedy in
// the others.
func shown(end env.Position, people ...int) string {
	s := &session{agents: make([]*agents.Agent, len(end.Returns()))}
	for i := range s.agents {
		if !slices.Contains(people, i) {
			s.agents[i] = &agents.Agent{Name: "greedy"}
		}
	}
	return colour.Strip(end.Render(message.Speaker{Names: s.called()}))
}

// TestDice: the dice of a seed are those of an Env, in every seat.
func TestDice(t *testing.T) {
	file := clitest.Config(t, reduced)
	for players := 1; players <= 3; players++ {
		g, err := catalog.Open("martian-dice", players, []byte(reduced))
		if err != nil {
			t.Fatal(err)
		}
		for seat := range players {
			typed, end := script(t, g, game.Player(seat), 5)
			args := fmt.Sprintf("-players %d -seat %d -seed 5 -game-config %s", players, seat, cli.Argument(file))
			stdout, stderr, status := command(t, typed, clitest.Words(args)...)
			if status != cli.Done || stderr != "" {
				t.Fatalf("%s: status %d, %s", args, status, stderr)
			}
			verdict := "You lose."
			if players == 1 {
				verdict = fmt.Sprintf("You took %g turns.", -end.Returns()[0])
			} else if end.Returns()[seat] > 0 {
				verdict = "You win."
			}
			// What happened last stands above the position, once.
			if want := "\n" + shown(end, seat) + "\n\n" + verdict + "\n"; !strings.HasSuffix(stdout, want) {
				t.Errorf("%s: want %q at the end of\n%s", args, want, stdout)
			}
		}
	}
}

// TestTurns adds up the printed dice of Pig by turns.
func TestTurns(t *testing.T) {
	g, err := catalog.Open("pig", 2, []byte(`{"target": 20}`))
	if err != nil {
		t.Fatal(err)
	}
	typed, end := script(t, g, 1, 2)
	stdout, _, _ := command(t, typed, "-game", "pig", "-seat", "1", "-seed", "2", "-game-config", clitest.Config(t, `{"target": 20}`))
	totals, turn, seat := map[string]int{}, 0, ""
	for _, m := range regexp.MustCompile(`-------- (greedy|your)|dice> a (\d)|\z`).FindAllStringSubmatch(stdout, -1) {
		switch m[2] {
		case "":
			totals[seat] += turn
			turn, seat = 0, m[1]
		case "1":
			turn = 0
		default:
			var face int
			fmt.Sscan(m[2], &face)
			turn += face
		}
	}
	if want := fmt.Sprintf("%d-%d over", totals["greedy"], totals["your"]); !strings.HasPrefix(end.String(), want) {
		t.Errorf("the dice give %s, the game %s:\n%s", want, end, stdout)
	}
}

// TestOutput: the output shows whose turn it is, the position before it, the dice and
// the actions.
func TestOutput(t *testing.T) {
	g, err := catalog.Open("martian-dice", 2, []byte(reduced))
	if err != nil {
		t.Fatal(err)
	}
	typed, _ := script(t, g, 1, 2)
	stdout, _, _ := command(t, typed, "-seat", "1", "-seed", "2", "-game-config", clitest.Config(t, reduced))
	for _, want := range []string{
		`-------- greedy --------\n  greedy rolls \d dice\n  points   greedy: \d.*   you: \d.*\n(  .*\n)*dice> (\d \w+(, )?)+\ngreedy> `,
		`\ngreedy> roll +roll \d di\w+\ndice> `,
		`\n-------- your turn --------\ndice> .*\n\nyou choose a type of dice to set aside\npoints `,
		`\ndice> (\d \w+(, )?)+\n      no type can be set aside, which ends the turn\n      (greedy has|you have) \d \w+ against \d \w+, .*\n      \d points?.*; total \d\n\n--------`,
	} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestGames(t *testing.T) {
	loop := strings.Repeat("rays\nhumans\ncows\nchickens\nstop\n", 2000)
	stdout, _, status := command(t, loop, "-games", "5", "-seed", "1", "-opponent", "random", "-game-config", clitest.Config(t, reduced))
	won, lost := strings.Count(stdout, "\nYou win.\n"), strings.Count(stdout, "\nYou lose.\n")
	if status != cli.Done || won == 0 || lost == 0 || won+lost != 5 || !strings.Contains(stdout, "game 5 of 5") {
		t.Errorf("status %d, %d games won and %d lost, of 5", status, won, lost)
	}
	if want := fmt.Sprintf("You have won %d of 5 games.\n", won); !strings.HasSuffix(stdout, want) {
		t.Errorf("it ends with %q, want %q", stdout[max(0, len(stdout)-100):], want)
	}
}

// TestBetweenTurns: the draw for the first player and the roll-off are shown.
func TestBetweenTurns(t *testing.T) {
	file := clitest.Config(t, `{"dice": 1, "target": 1, "faces": {"tank": 0}, "tie_dice": 1, "first_player": "random"}`)
	loop := strings.Repeat("rays\nhumans\ncows\nchickens\nstop\n", 200)
	tied := false
	for seed := range 20 {
		stdout, _, status := command(t, loop, "-seed", fmt.Sprint(seed), "-game-config", file)
		if status != cli.Done || !regexp.MustCompile(`the dice decide who starts\npoints   you: 0   greedy: 0\ndice> (you start|greedy starts)\n`).MatchString(stdout) {
			t.Fatalf("seed %d: status %d\n%s", seed, status, stdout)
		}
		tied = tied || strings.Contains(stdout, "\nyou and greedy are tied and roll 1 d")
	}
	if !tied {
		t.Error("no roll-off in 20 games")
	}
}

// TestRules: -rules and the command rules show the text of the documents.
func TestRules(t *testing.T) {
	for _, id := range catalog.IDs() {
		stdout, stderr, status := command(t, "", "-rules", "-game", id)
		if status != cli.Done || stderr != "" || strings.Count(stdout, "\n") < 12 {
			t.Errorf("%s: status %d, %q\n%s", id, status, stderr, stdout)
		}
	}
	stdout, _, _ := command(t, "rules labs\nrules chess\nrules\n", "-game", "mars-is-ours", "-seed", "1")
	for _, want := range []string{"> \nThe labs\n--------\n", "> \nThe rules do not mention \"chess\".\n> ", "\nThe end\n-------\n", "\nAt the prompt, rules WORD shows one part. "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestQuit(t *testing.T) {
	for name, typed := range map[string]string{"end of input": "", "quit": "quit\n", "exit": "?\nexit\n"} {
		stdout, stderr, status := command(t, typed, "-seed", "1", "-game-config", clitest.Config(t, reduced))
		if status != cli.Done || stderr != "" || !strings.Contains(stdout, "You quit at 0-0@0 ") {
			t.Errorf("%s: status %d, %q\n%s", name, status, stderr, stdout)
		}
	}
}

// TestInterrupted: Ctrl-C ends a game without input, and a solve.
func TestInterrupted(t *testing.T) {
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs strings.Builder
	done := make(chan int)
	go func() { done <- run(ctx, []string{"-game-config", clitest.Config(t, reduced)}, in, &out, &errs) }()
	cancel()
	if status := <-done; status != cli.Interrupted || !strings.Contains(errs.String(), "interrupted") || !strings.Contains(out.String(), "You quit") {
		t.Errorf("status %d, %q\n%s", status, errs.String(), out.String())
	}
	errs.Reset()
	if status := run(ctx, []string{"-hints"}, in, &out, &errs); status != cli.Interrupted || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("while solving: status %d, %q", status, errs.String())
	}
}

// fits checks that no line is too long for a terminal of 80 columns, apart from commands to copy.
func fits(t *testing.T, screen string) {
	t.Helper()
	for line := range strings.Lines(colour.Strip(screen)) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 79 && !strings.Contains(line, "go run ") {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

func TestHints(t *testing.T) {
	file := clitest.Config(t, reduced)
	// A choice to roll, whose description is the longest; then the coach warns.
	stdout, _, _ := command(t, "r\ns\n", "-seed", "1", "-hints", "-coach", "0.0001", "-cache", "none", "-game-config", file)
	fits(t, stdout)
	if want := regexp.MustCompile(`\n  \[r\]oll   roll \d dice?; .*   wins +\d+\.\d{4} %\n`); !want.MatchString(stdout) {
		t.Errorf("no %s in\n%s", want, stdout)
	}
	stdout, _, _ = command(t, "", "-seed", "1", "-hints", "-opponent", "exact", "-cache", t.TempDir(), "-game-config", file)
	fits(t, stdout)
	if strings.Count(stdout, "Solving Martian Dice") != 1 || !regexp.MustCompile(`keep \d \w+; \d dice left +wins +\d+\.\d{4} %\n`).MatchString(stdout) {
		t.Errorf("for two:\n%s", stdout)
	}
	stdout, _, _ = command(t, "", "-seed", "1", "-hints", "-players", "1", "-game-config", file)
	fits(t, stdout)
	if !regexp.MustCompile(`keep \d \w+; \d dice left +\d+\.\d{4} turns\n`).MatchString(stdout) {
		t.Errorf("for one:\n%s", stdout)
	}
}

// TestModelFile plays against a network; no flag names its game.
func TestModelFile(t *testing.T) {
	g, err := catalog.Open("pig", 2, []byte(`{"target": 20}`))
	if err != nil {
		t.Fatal(err)
	}
	meta := agents.MetaOf(g.Spec())
	shape := meta.Net
	shape.Hidden, shape.Head = []int{8}, models.Logits
	mlp, err := models.NewMLP(shape, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "a-folder-whose-name-is-so-long-that-its-path-needs-a-line-of-its-own") // as that of macOS
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := (&models.File{Meta: meta, MLP: mlp}).Save(filepath.Join(dir, agents.ModelFile)); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := command(t, "", "-opponent", dir, "-seat", "1", "-policy", "sample", "-seed", "1", "-cache", "none")
	if status != cli.Done || stderr != "" || !strings.HasPrefix(strings.Join(strings.Fields(stdout), " "), "Pig. Boards and positions call "+dir+" seat 0, you seat 1. ") {
		t.Errorf("status %d, %q\n%s", status, stderr, stdout)
	}
	again, _, _ := command(t, "", "-opponent", dir, "-seat", "1", "-policy", "sample", "-seed", "1", "-cache", "none")
	if again != stdout {
		t.Errorf("the same seed gives another game:\n%s\n%s", stdout, again)
	}
}

// TestWatch: with -watch the output shows the actions of every seat and the result,
// and does not address a person; the same seed gives the same game.
func TestWatch(t *testing.T) {
	args := []string{"-watch", "-players", "3", "-opponent", "greedy,random,greedy", "-seed", "4", "-game-config", clitest.Config(t, reduced)}
	stdout, stderr, status := command(t, "", args...)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{"greedy A seat 0, random seat 1, greedy B seat 2", "greedy A> ", "random> ", "greedy B> "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if !regexp.MustCompile(`(?m)^(The winner is|.* of the win goes to) (greedy [AB]|random)\.\n\z`).MatchString(stdout) {
		t.Errorf("it ends with %q", stdout[max(0, len(stdout)-80):])
	}
	if strings.Contains(stdout, "You") {
		t.Error("the output addresses a person")
	}
	if again, _, _ := command(t, "", args...); again != stdout {
		t.Error("the same seed gives another game")
	}
}

// TestWatchBattles: the results of battles are shown, and no turn in which nothing
// happens has a heading, not even at the end.
func TestWatchBattles(t *testing.T) {
	stdout, stderr, status := command(t, "", "-watch", "-game", "martian-risk-small", "-seed", "3")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{`\ngreedy [ABC]> \w+>\w+ +attack greedy [ABC]'s \w+ from .*\ndice> \w+ \d\+\d( and tower \d)? = \d+ against \w+ \d\+\d( and tower \d)? = \d+\n      battle (won|lost): `, `\n  round 2 of 20, greedy [ABC] rolls the die\n(  .*\n)*dice> greedy [ABC] rolls a \d: \d points`} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if empty := regexp.MustCompile(`--------\n(  .*\n)*\n`).FindString(stdout); empty != "" {
		t.Errorf("a turn in which nothing happens:\n%s", empty)
	}
}

// TestSeed: without -seed each game has a random seed, which is printed.
func TestSeed(t *testing.T) {
	seed := func() string {
		stdout, _, _ := command(t, "", "-game-config", clitest.Config(t, reduced))
		return regexp.MustCompile(`-seed \d+\n`).FindString(stdout)
	}
	if a, b := seed(), seed(); a == "" || a == b {
		t.Errorf("the seeds are %q and %q", a, b)
	}
}

// TestHelp: the help says that the person in seat 0 need not move first.
func TestHelp(t *testing.T) {
	stdout, _, status := command(t, "", "-h")
	if want := "the game decides which seat moves first"; status != cli.Done || !strings.Contains(stdout, want) {
		t.Errorf("exit status %d, want %d and a text with %q:\n%s", status, cli.Done, want, stdout)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		args   string
		status int
		want   string
	}{
		{"-seat 2", cli.Misuse, "-seat is 2; want 0 to 1"},
		{"-games 0", cli.Misuse, "-games is 0"},
		{"-opponent greedy,greedy", cli.Misuse, "names 2 agents, and the number of seats to fill is 1; name one agent"},
		{"-opponent greedy, -players 3", cli.Misuse, `-opponent: "greedy," holds an empty name`},
		{"-seed -1", cli.Misuse, `-seed is "-1"; want a whole number from 0 to 18446744073709551615`},
		{"-opponent gredy", cli.Misuse, "did you mean greedy?"},
		{"-policy best", cli.Misuse, "want one of: argmax, sample"},
		{"-players 1 -opponent exact", cli.Misuse, "no other seats"},
		{"-players 4 -opponent random,greedy", cli.Misuse, "names 2 agents, and the number of seats to fill is 3"},
		{"-watch -seat 1", cli.Misuse, "fills all seats"},
		{"-game chess", cli.Misuse, "unknown game"},
		{"-coach 0", cli.Misuse, "-coach is 0; want above 0"},
		{"-coach -1", cli.Misuse, "-coach is -1; want above 0"},
		{"-hints -think 0s", cli.Misuse, "-think is 0s; want above 0"},
		{"-think 2s", cli.Misuse, "-think and -network are for -hints and -coach"},
		{"-game martian-risk -hints -network nobody", cli.Misuse, "unknown agent"},
		{"-seat x", cli.Misuse, `-seat: "x" is no number`},
		{"-seat 0,0", cli.Misuse, "-seat names seat 0 twice"},
		{"-dice real", cli.Misuse, "want one of: drawn, typed"},
		{"-resume no.games -game pig", cli.Misuse, "-resume takes the game from the file; leave out -game"},
		{"-resume no.games", cli.Misuse, "-resume: stat no.games: no such file"},
	}
	for _, tt := range tests {
		_, stderr, status := command(t, "", strings.Fields(tt.args)...)
		if status != tt.status || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q; want %d and %q", tt.args, status, stderr, tt.status, tt.want)
		}
	}
}

func TestStatuses(t *testing.T) {
	clitest.Statuses(t, run, func() []string { return []string{"-watch", "-seed", "1", "-game-config", clitest.Config(t, reduced)} })
}

// TestWatchTruncates: an endless game is stopped where a batch truncates it.
func TestWatchTruncates(t *testing.T) {
	fulltest.Gate(t)
	endless := clitest.Config(t, `{"max_rounds": 0}`)
	stdout, stderr, status := command(t, "", "-watch", "-game", "martian-risk-tiny", "-game-config", endless, "-opponent", "random", "-seed", "1", "-games", "2")
	if status != cli.Done || stderr != "" || strings.Count(stdout, "is stopped: nobody wins.\n") != 2 {
		t.Errorf("status %d, %q, and the output ends with %q", status, stderr, stdout[max(0, len(stdout)-200):])
	}
}

func TestUnusableCache(t *testing.T) {
	clitest.UnusableCache(t, run, func() []string {
		return []string{"-watch", "-seed", "1", "-opponent", "exact", "-game-config", clitest.Config(t, reduced)}
	})
}

// TestRecord: -record adds games to a file, the last one unfinished if the person quits.
func TestRecord(t *testing.T) {
	file, games := clitest.Config(t, reduced), filepath.Join(t.TempDir(), "a.games")
	g, err := catalog.Open("martian-dice", 2, []byte(reduced))
	if err != nil {
		t.Fatal(err)
	}
	typed, end := script(t, g, 1, 5)
	for _, args := range []string{"-seat 1 -seed 5", "-seat 1 -seed 5 -games 2", "-watch -seed 6"} {
		args += " -record " + cli.Argument(games) + " -game-config " + cli.Argument(file)
		if _, stderr, status := command(t, typed, clitest.Words(args)...); status != cli.Done {
			t.Fatalf("%s: status %d, %s", args, status, stderr)
		}
	}
	var got []*record.Game
	for g, err := range record.ReadPath(games, catalog.Open) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, g)
	}
	if len(got) != 4 || got[0].Position().String() != end.String() || got[1].Position().String() != end.String() {
		t.Fatalf("%d games; the first should have ended at %s", len(got), end)
	}
	last := got[len(got)-1]
	if *got[0].Seed != 5 || !slices.Equal(got[0].Seats, []string{"greedy", "human"}) || !slices.Equal(last.Seats, []string{"greedy", "greedy"}) {
		t.Errorf("the seed is %d, the seats are %q and %q", *got[0].Seed, got[0].Seats, last.Seats)
	}
	if got[2].Position().CurrentPlayer() == game.Terminal {
		t.Errorf("the game that the person quits ends at %s", got[2].Position())
	}
	if _, stderr, status := command(t, "", "-record", t.TempDir()); status != cli.Misuse || !strings.Contains(stderr, "-record: open ") {
		t.Errorf("a folder: status %d, %s", status, stderr)
	}
}
