// In package main, which cannot be imported.
package main

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/models"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// reduced is a Martian Dice that takes no time to solve.
const reduced = `{"dice": 4, "target": 6}`

func command(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return clitest.Command(run).Run(t, "", args...)
}

// document runs eval -json and decodes its output.
func document(t *testing.T, v any, args ...string) {
	t.Helper()
	clitest.Command(run).Document(t, v, args...)
}

// text runs eval and returns its standard output.
func text(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, status := command(t, args...)
	if status != cli.Done || stderr != "" {
		t.Fatalf("%q: status %d, %s", args, status, stderr)
	}
	return stdout
}

// runFolder returns a run folder with a small random network for the reduced game.
func runFolder(t *testing.T) string {
	t.Helper()
	g, err := catalog.Open("martian-dice", 2, []byte(reduced))
	if err != nil {
		t.Fatal(err)
	}
	meta := agents.MetaOf(g.Spec())
	shape := meta.Net
	shape.Hidden, shape.Head = []int{8}, models.Score
	mlp, err := models.NewMLP(shape, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := models.File{Meta: meta, MLP: mlp}
	if err := f.Save(filepath.Join(dir, agents.ModelFile)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12f, want %.12f", what, got, want)
	}
}

func TestPair(t *testing.T) {
	file := clitest.Config(t, reduced)
	var a, b pairResult
	document(t, &a, "-model", "greedy", "-game-config", file)
	document(t, &b, "-model", "exact", "-against", "greedy", "-game-config", file)
	if a.A != "greedy" || a.B != "exact" || a.Method != "exact" || a.Match != nil || b.A != "exact" || b.B != "greedy" {
		t.Errorf("the answers are %+v and %+v", a, b)
	}
	near(t, "greedy first and exact second", a.WinFirst+b.WinSecond, 1, 1e-12)
	near(t, "greedy second and exact first", a.WinSecond+b.WinFirst, 1, 1e-12)
	near(t, "the mean of both seats", a.Win, (a.WinFirst+a.WinSecond)/2, 1e-15)
	near(t, "exploitability of exact", b.Exploitability, 0, 1e-12)
	if !(a.Exploitability > 0.001) || a.Cost.Decisions == 0 || a.Cost.Rows == 0 {
		t.Errorf("greedy: exploitability %g, cost %+v", a.Exploitability, a.Cost)
	}
}

// TestPairFields lists the fields of the JSON that other programs read.
func TestPairFields(t *testing.T) {
	var fields map[string]any
	document(t, &fields, "-model", "greedy", "-game-config", clitest.Config(t, reduced))
	for _, name := range []string{"a", "b", "method", "win_first", "win_second", "win", "exploitability", "cost"} {
		if fields[name] == nil {
			t.Errorf("no field %q", name)
		}
		delete(fields, name)
	}
	if len(fields) > 0 {
		t.Errorf("unexpected fields: %v", fields)
	}
}

func TestCrossCheck(t *testing.T) {
	file := clitest.Config(t, reduced)
	var r pairResult
	document(t, &r, "-model", "greedy", "-against", "random", "-game-config", file, "-games", "4000", "-seed", "3")
	if r.Match == nil || r.Match.Games != 4000 || r.Match.Seed != 3 || !r.Match.Within {
		t.Fatalf("the match is %+v; the exact value %g", r.Match, r.Win)
	}
	if !slices.Equal(r.Match.Seats, []string{"greedy", "random"}) {
		t.Errorf("it was played by %q", r.Match.Seats)
	}
	got := text(t, "-model", "greedy", "-against", "random", "-game-config", file, "-games", "4000", "-seed", "3")
	for _, want := range []string{"greedy against random. Exact", "wins moving first", "decisions", "a match of 4000 games", "which contains the exact"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestModelFile opens a network without flags that name its game.
func TestModelFile(t *testing.T) {
	dir := runFolder(t)
	var argmax, sample, file pairResult
	document(t, &argmax, "-model", dir)
	document(t, &file, "-model", filepath.Join(dir, agents.ModelFile))
	document(t, &sample, "-model", dir, "-policy", "sample")
	if argmax.A != dir || !(argmax.Win > 0 && argmax.Win < 0.5) || argmax.Win != file.Win {
		t.Errorf("the folder: %+v; the file: %+v", argmax, file)
	}
	if sample.Win == argmax.Win {
		t.Errorf("with -policy sample the network wins %g, as by argmax", sample.Win)
	}
	var reverse pairResult
	document(t, &reverse, "-model", "exact", "-against", dir)
	near(t, "exact against the file", reverse.Win, 1-argmax.Win, 1e-12)

	for _, tt := range []struct{ flags, want string }{
		{"-players 3", "open it with -players 2"},
		{"-game pig", `open it with -game "martian-dice"`},
		{"-game-config " + cli.Argument(clitest.Config(t, `{"dice": 5, "target": 6}`)), "other settings"},
	} {
		stdout, stderr, status := command(t, append([]string{"-model", dir}, clitest.Words(tt.flags)...)...)
		if status != cli.Failed || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q; want %q", tt.flags, status, stderr, tt.want)
		}
	}
}

func TestMultiplayer(t *testing.T) {
	file := clitest.Config(t, reduced)
	var exact, same multiplayerResult
	document(t, &exact, "-model", "random", "-players", "3", "-game-config", file)
	if exact.Method != "exact" || !slices.Equal(exact.Seats, []string{"random", "exact", "exact"}) || exact.Games != 0 {
		t.Fatalf("the answer is %+v", exact)
	}
	if !slices.Equal(exact.Low, exact.Win) || !slices.Equal(exact.High, exact.Win) {
		t.Errorf("exact shares %v have the bounds %v and %v", exact.Win, exact.Low, exact.High)
	}
	near(t, "the sum of shares", exact.Win[0]+exact.Win[1]+exact.Win[2], 1, 1e-12)
	document(t, &same, "-model", "exact", "-players", "3", "-game-config", file)
	if !slices.Equal(same.WinBySeat, same.Win) {
		t.Errorf("best play wins %v by seat, and with best play in the other seats %v", same.Win, same.WinBySeat)
	}
	near(t, "best play against best play", same.Mean, 1.0/3, 1e-12)
	near(t, "exploitability of an equilibrium", same.Exploitability, 0, 1e-12)
	for seat, win := range exact.WinBySeat {
		if !(win < same.WinBySeat[seat]) {
			t.Errorf("in seat %d random wins %g and best play %g", seat, win, same.WinBySeat[seat])
		}
	}
	near(t, "the mean of the seats", exact.Mean, (exact.WinBySeat[0]+exact.WinBySeat[1]+exact.WinBySeat[2])/3, 1e-15)
	near(t, "in seat 0", exact.WinBySeat[0], exact.Win[0], 0)

	var m matchResult
	document(t, &m, "-model", "random", "-players", "3", "-game-config", file, "-games", "600")
	if m.Method != "match" || m.Games != 600 || !(m.Low[0] <= exact.Mean && exact.Mean <= m.High[0]) {
		t.Errorf("the match is %+v; exactly random wins %g", m, exact.Mean)
	}
	got := text(t, "-model", "random", "-players", "3", "-game-config", file)
	for _, want := range []string{"seat 2  exact", "Exact", "random in each seat", "wins in seat 2", "the fair share is 33.333333 %", "exploitability"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestMultiplayerFields lists the fields of the JSON that other programs read.
func TestMultiplayerFields(t *testing.T) {
	var fields map[string]any
	document(t, &fields, "-model", "greedy", "-players", "3", "-game-config", clitest.Config(t, reduced))
	for _, name := range []string{"method", "seats", "win", "low", "high", "games", "win_by_seat", "mean", "fair", "exploitability", "cost"} {
		if fields[name] == nil {
			t.Errorf("no field %q", name)
		}
		delete(fields, name)
	}
	if len(fields) > 0 {
		t.Errorf("unexpected fields: %v", fields)
	}
}

// TestAgainstEach names an agent for each of the other seats.
func TestAgainstEach(t *testing.T) {
	file := clitest.Config(t, reduced)
	var r, turned multiplayerResult
	document(t, &r, "-model", "greedy", "-players", "4", "-against", "random,exact,greedy", "-game-config", file)
	if !slices.Equal(r.Seats, []string{"greedy", "random", "exact", "greedy"}) {
		t.Fatalf("the seats are %q", r.Seats)
	}
	document(t, &turned, "-model", "random", "-players", "4", "-against", "exact,greedy,greedy", "-game-config", file)
	near(t, "greedy in the last seat", r.WinBySeat[3], turned.Win[3], 1e-15)

	var m matchResult
	document(t, &m, "-model", "greedy", "-players", "4", "-against", "random,exact,greedy", "-game-config", file, "-games", "4000")
	if !slices.Equal(m.Seats, r.Seats) || !(m.Low[0] <= r.Mean && r.Mean <= m.High[0]) {
		t.Errorf("the match is %+v; exactly greedy wins %g", m, r.Mean)
	}
}

// TestLimited: a game limited by few rounds is evaluated exactly, as its matches agree.
func TestLimited(t *testing.T) {
	var r pairResult
	document(t, &r, "-model", "random", "-against", "greedy", "-game-config", clitest.Config(t, `{"dice": 3, "target": 5, "max_rounds": 2}`), "-games", "4000")
	if r.Method != "exact" || r.Match == nil || !r.Match.Within || !(0 < r.Exploitability && r.Exploitability < 0.5) {
		t.Errorf("the evaluation is %+v, the match %+v", r.Pair, r.Match)
	}
}

// TestUnsolved: a game with too many rounds has no solution.
func TestUnsolved(t *testing.T) {
	file := clitest.Config(t, `{"dice": 4, "target": 6, "max_rounds": 1000}`)
	var m matchResult
	document(t, &m, "-model", "random", "-game-config", file)
	if m.Method != "match" || m.Games != defaultGames || !slices.Equal(m.Seats, []string{"random", "greedy"}) {
		t.Errorf("the match is %+v", m)
	}
	if got := text(t, "-model", "random", "-game-config", file, "-games", "100"); !strings.Contains(got, "match of 100 games") || !strings.Contains(got, "99 % interval") {
		t.Errorf("as text:\n%s", got)
	}
	_, stderr, status := command(t, "-model", "exact", "-game-config", file)
	if status != cli.Failed || !strings.Contains(stderr, "no exact solution") {
		t.Errorf("exact: status %d, %q", status, stderr)
	}
}

func TestSolitaire(t *testing.T) {
	file := clitest.Config(t, reduced)
	var best, greedy turnsResult
	document(t, &best, "-model", "exact", "-players", "1", "-game-config", file)
	document(t, &greedy, "-model", "greedy", "-players", "1", "-game-config", file)
	if len(best.Turns) != 1 || !(1 < best.Turns[0] && best.Turns[0] < greedy.Turns[0]) {
		t.Errorf("best play: %+v; greedy: %+v", best, greedy)
	}
	if got := text(t, "-model", "exact", "-players", "1", "-game-config", file); !strings.Contains(got, "turns") {
		t.Errorf("as text:\n%s", got)
	}
}

func TestTable(t *testing.T) {
	dir := runFolder(t)
	var r tableResult
	document(t, &r, "table", "-model", dir)
	if len(r.Agents) != 4 || r.Agents[0] != "exact" || !slices.Contains(r.Agents, dir) {
		t.Fatalf("the table lists %q", r.Agents)
	}
	for i, row := range r.Win {
		near(t, r.Agents[i]+" against itself", row[i], 0.5, 1e-12)
		for k := range row {
			near(t, r.Agents[i]+" and "+r.Agents[k], row[k]+r.Win[k][i], 1, 1e-12)
		}
		if i > 0 && !(row[0] < 0.5 && r.Exploitability[i] >= r.Exploitability[i-1]) {
			t.Errorf("row %d: %s wins %v, exploitability %g", i, r.Agents[i], row, r.Exploitability[i])
		}
	}
	var few tableResult
	document(t, &few, "table", "-model", dir, "random", "greedy")
	if len(few.Agents) != 3 || slices.Contains(few.Agents, "exact") {
		t.Errorf("the table of three agents lists %q", few.Agents)
	}
	var pair pairResult
	document(t, &pair, "-model", dir, "-against", "greedy")
	near(t, "the model against greedy", r.Win[slices.Index(r.Agents, dir)][slices.Index(r.Agents, "greedy")], pair.Win, 1e-12)

	got := text(t, "table", "-game-config", clitest.Config(t, reduced))
	if lines := strings.Split(got, "\n"); !strings.HasPrefix(lines[4], "  exact   50.00000") {
		t.Errorf("as text:\n%s", got)
	}
}

func TestTableMultiplayer(t *testing.T) {
	file := clitest.Config(t, reduced)
	for _, players := range []int{3, 4} {
		seats := strconv.Itoa(players)
		var r tableResult
		document(t, &r, "table", "-players", seats, "-game-config", file)
		if r.Agents[0] != "exact" || len(r.Win) != 3 || r.Rating[0] != 0 {
			t.Fatalf("the table is %+v", r)
		}
		near(t, "the fair share", r.Fair, 1/float64(players), 1e-15)
		for i, row := range r.Win {
			near(t, r.Agents[i]+" against itself", row[i], r.Fair, 1e-12)
			if i > 0 && !(row[0] < r.Fair && r.Exploitability[i] > r.Exploitability[0]) {
				t.Errorf("%s wins %v, exploitability %g", r.Agents[i], row, r.Exploitability[i])
			}
		}
		var one multiplayerResult
		document(t, &one, "-model", "greedy", "-against", "random", "-players", seats, "-game-config", file)
		greedy, random := slices.Index(r.Agents, "greedy"), slices.Index(r.Agents, "random")
		near(t, "greedy among random", r.Win[greedy][random], one.Mean, 1e-12)
		near(t, "its exploitability", r.Exploitability[greedy], one.Exploitability, 1e-12)
		if !(r.Rating[random] < r.Rating[greedy]) {
			t.Errorf("the ratings of %q are %v", r.Agents, r.Rating)
		}
	}
	if got := text(t, "table", "-players", "3", "-game-config", file); !strings.Contains(got, "the fair share is 33.33333") {
		t.Errorf("as text:\n%s", got)
	}
}

func TestErrors(t *testing.T) {
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad.safetensors")
	if err := os.WriteFile(bad, []byte("not a model"), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args   string
		status int
		want   string
	}{
		{"", cli.Misuse, "-model is missing"},
		{"-model gredy", cli.Misuse, "did you mean greedy?"},
		{"-model greedy -against runs/no-such-run", cli.Misuse, `there is no model file or run folder "runs/no-such-run"`},
		{"-model greedy -policy best", cli.Misuse, "want one of: argmax, sample"},
		{"-model greedy -games -1", cli.Misuse, "-games is -1"},
		{"-model greedy -games 0", cli.Misuse, "-games is 0"},
		{"-model greedy -players 3 -against random -games 1e12", cli.Misuse, "-games is 1000000000000; want at most 10000000"},
		{"match -model greedy -players 3 -against random -sequential 0.01 -games 9223372036854775807", cli.Misuse, "want at most 10000000"},
		{"tournament greedy random -games 1e9", cli.Misuse, "want at most 10000000"},
		{"tournament greedy", cli.Misuse, "want AGENT AGENT..."},
		{"-model greedy -plot main_test.go", cli.Misuse, "-plot is main_test.go: it is a file; want a folder"},
		{"-model greedy -games 1e300", cli.Misuse, `-games is "1e300"; want a whole number`},
		{"match -model greedy -sequential 0", cli.Misuse, "-sequential is 0; want a margin"},
		{"match -model greedy -sequential NaN", cli.Misuse, "-sequential is NaN; want a margin"},
		{"-model greedy -mistakes 0", cli.Misuse, "-mistakes is 0"},
		{"-model greedy -seed -1", cli.Misuse, `-seed is "-1"; want a whole number from 0`},
		{"compare", cli.Misuse, "want RUN..."},
		{"compare a -seed 2", cli.Misuse, "unknown flag -seed"},
		{"chess", cli.Misuse, `unknown command "chess"; want one of: exact, match, tournament`},
		{"table -games 5", cli.Misuse, "unknown flag -games"},
		{"-model greedy -players 1 -against exact", cli.Misuse, "no other seats"},
		{"-model greedy -game chess", cli.Misuse, "unknown game"},
		{"-model " + cli.Argument(bad), cli.Failed, "not a model file"},
		{"-model " + cli.Argument(folder), cli.Failed, "is not a run folder with a model"},
		{"table -players 1", cli.Misuse, "Martian Dice for 1 player has no win"},
		{"table gredy", cli.Misuse, "did you mean greedy?"},
		{"-model greedy -against random,exact", cli.Misuse, "-against names 2 agents, and the number of other seats is 1; name one agent"},
		{"-model greedy -players 4 -against random,exact", cli.Misuse, "the number of other seats is 3"},
		{"-model greedy -players 3 -against random,", cli.Misuse, "holds an empty name"},
		{"-model greedy -players 3 -against=", cli.Misuse, "-against is empty"},
		{"-model greedy -blunders=20", cli.Misuse, "-blunders has been renamed to -mistakes"},
		{"-model greedy -checkpoint " + cli.Argument(bad), cli.Failed, "not a file of results; name another file"},
		{"-model greedy -games 4 -record " + cli.Argument(bad) + " -checkpoint " + cli.Argument(bad), cli.Misuse, "-record keeps the games of a match without -cluster and -checkpoint"},
		{"-model greedy -cache off", cli.Misuse, "none for no cache"},
	}
	for _, tt := range tests {
		args := clitest.Words(tt.args)
		if !strings.Contains(tt.args, "-game ") && !strings.HasPrefix(tt.args, "c") {
			args = append(args, "-game-config", clitest.Config(t, reduced))
		}
		stdout, stderr, status := command(t, args...)
		if status != tt.status || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q %q; want %d and %q", tt.args, status, stdout, stderr, tt.status, tt.want)
		}
	}
}

// TestCheckpoint compares matches and exact evaluations that go on from a file with others.
func TestCheckpoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results")
	for _, args := range [][]string{
		{"-game", "pig", "-game-config", clitest.Config(t, `{"target": 20}`), "-model", "greedy", "-against", "random", "-games", "200", "-json"},
		{"-model", runFolder(t), "-against", "greedy", "-games", "40", "-json"},
	} {
		seconds := regexp.MustCompile(`"seconds": [0-9.e-]+`)
		run := func(more ...string) string {
			stdout, stderr, status := command(t, append(args, more...)...)
			if status != 0 {
				t.Fatalf("status %d, %s", status, stderr)
			}
			return seconds.ReplaceAllString(stdout, "")
		}
		want, sizes := run(), [2]int64{}
		for i := range sizes {
			if got := run("-checkpoint", file); got != want {
				t.Errorf("%v: with a checkpoint\n%s; want\n%s", args, got, want)
			}
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			sizes[i] = info.Size()
		}
		if sizes[0] < 1000 || sizes[1] != sizes[0] {
			t.Errorf("%v: the file has %v bytes after the first and the second time", args, sizes)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	if status := run(ctx, []string{"-model", "greedy"}, strings.NewReader(""), &out, &errs); status != cli.Interrupted || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("status %d, %q", status, errs.String())
	}
}

func TestStatuses(t *testing.T) {
	clitest.Statuses(t, run, func() []string {
		return []string{"-model", "greedy", "-game-config", clitest.Config(t, reduced), "-cache", "none"}
	})
}

func TestUnusableCache(t *testing.T) {
	clitest.UnusableCache(t, run, func() []string {
		return []string{"-model", "greedy", "-game-config", clitest.Config(t, reduced)}
	})
}
