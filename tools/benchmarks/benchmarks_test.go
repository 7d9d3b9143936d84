// In package main, which cannot be imported.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"marsgym/internal/test/docs"
	"marsgym/internal/test/fulltest"
)

// TestQuick measures everything, the other projects too if they are installed.
func TestQuick(t *testing.T) {
	if !fulltest.On() {
		t.Skip("takes two minutes; MARSGYM_FULL=1 tests it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("training is measured on Linux only")
	}
	args := []string{"-quick"}
	if _, err := output(t.Context(), "", "git", "rev-parse", "HEAD"); err == nil {
		args = append(args, "-against", "HEAD")
	}
	var out, log bytes.Buffer
	if err := benchmarks(t.Context(), args, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	for _, row := range each() {
		if row.project == "" && !strings.Contains(out.String(), "| "+row.what+" | marsgym | ") {
			t.Errorf("no row %s", row.what)
		}
	}
}

func TestRowsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range each() {
		if seen[row.what] {
			t.Errorf("two rows %s", row.what)
		}
		seen[row.what] = true
	}
}

func TestResult(t *testing.T) {
	const out = "goos: linux\nBenchmarkMars/quick/rows=64 \t    4000\t    240134 ns/op\t   66.5 cpu-ns/decision\nPASS\n"
	if n, ns, cpu, err := result(out, "cpu-ns/decision"); err != nil || n != 4000 || ns != 240134 || cpu != 66.5 {
		t.Errorf("%v, %v, %v, %v", n, ns, cpu, err)
	}
	for out, want := range map[string]string{
		"PASS\n": `no benchmark that reports /s in "PASS\n"`,
		"BenchmarkMars \t 4000\t 240134 ns/op\t x decisions/s\n": `parsing "x": invalid syntax`,
		"BenchmarkMars \t 4000\t 240134 ns/op\t 8 B/op\n":        "no benchmark that reports /s in ",
	} {
		if n, _, _, err := result(out, "/s"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", out, n, err, want)
		}
	}
}

func TestUsage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	var before, after sample
	if err := before.usage(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 64<<20)
	for start := time.Now(); after.CPU < before.CPU+0.05 && time.Since(start) < time.Minute; {
		for i := range block {
			block[i]++
		}
		if err := after.usage(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	if after.CPU < before.CPU+0.05 || after.Memory < float64(len(block)) {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestMedian(t *testing.T) {
	for want, x := range map[float64][]float64{7: {7}, 2: {3, 1}, 4: {9, 4, 1}, 5: {9, 6, 4, 1}} {
		if got := median(x); got != want {
			t.Errorf("median(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestPage writes tables from measurements with simple medians.
func TestPage(t *testing.T) {
	ours := row{what: "loop", unit: million, two: true}
	scores := row{what: "scores", unit: million, extras: []extra{{title: "64 games"}}}
	other := row{what: "other", project: "Peer", unit: million, differs: "no masks"}
	absent := row{what: "absent", project: "Peer", unit: million}
	r := results{
		samples: map[run][]sample{
			{what: "loop", cores: 1}:                {{Steps: 1e6, CPU: 3, wall: 4, Memory: 95e6}, {Steps: 2e6, CPU: 4, wall: 8, Memory: 95e6}, {Steps: 1e6, CPU: 1, wall: 4, Memory: 95e6}},
			{what: "loop", tree: "", cores: 2}:      {{Steps: 1e6, CPU: 3, wall: 2.5}},
			{what: "loop", tree: "", cores: atOnce}: {{Steps: 1e6, CPU: 3, wall: 4.2}, {Steps: 1e6, CPU: 3, wall: 4.6}},
			{what: "loop", tree: "v1", cores: 1}:    {{Steps: 1e6, CPU: 5, wall: 5, Memory: 1e9}},
			{what: "scores", tree: "", cores: 1}:    {{Steps: 1e6, CPU: 40}},
			{what: "other", tree: "", cores: 1}:     {{Steps: 1e6, CPU: 20}},
			{what: "scores", tree: "v1", cores: 1}:  {{Steps: 1e6, CPU: 44}},
			{"scores", "", 1, "64 games"}:           {{Steps: 1e6, CPU: 25}},
			{"scores", "v1", 1, "64 games"}:         {{Steps: 1e6, CPU: 50}},
		},
		faults: map[run]error{{what: "absent", tree: "", cores: 1}: errNotInstalled, {what: "loop", tree: "v1", cores: 2}: errors.New("killed")},
	}
	for _, tt := range []struct {
		kind kind
		want string
	}{
		{costs, `| what | project | CPU-seconds | at v1 | times as fast | 64 games | 64 games: times as fast | peak memory | peak memory at v1 | × marsgym's CPU time | what differs |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| loop | marsgym | 2 | 5 | 2.5 |  |  | 95 MB | 1000 MB |  |  |
| scores | marsgym | 40 | 44 | 1.1 | 25 | 2 |  |  |  |  |
| other | Peer | 20 |  |  |  |  |  |  | 10; 0.5 | no masks |
| absent | Peer | not measured: tools/peers/peers has not installed it |  |  |  |  |  |  |  |  |
`},
		{rates, `| what | project | million decisions per CPU-second | at v1 | times as fast | 64 games | 64 games: times as fast | × marsgym's CPU time | what differs |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| loop | marsgym | 0.5 | 0.2 | 2.5 |  |  |  |  |
| scores | marsgym | 0.025 | 0.0227 | 1.1 | 0.04 | 2 |  |  |
| other | Peer | 0.05 |  |  |  |  | 10; 0.5 | no masks |
| absent | Peer | not measured: tools/peers/peers has not installed it |  |  |  |  |  |  |
`},
	} {
		groups := []group{{ours, scores, other, absent}}
		columns, err := r.columns(table{kind: tt.kind, groups: groups}, "v1")
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if write(&b, columns, groups); b.String() != tt.want {
			t.Errorf("got\n%swant\n%s", &b, tt.want)
		}
	}
	var b strings.Builder
	write(&b, r.twoCores("v1"), []group{{ours}})
	if want := `| what | one core | two cores | times as fast | share of the limit | one core at v1 | two cores at v1 |
| --- | --- | --- | --- | --- | --- | --- |
| loop | 4 | 2.5 | 1.6 | 88 % | 5 | not measured: killed |
`; b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
	if err := r.failed(); err == nil || err.Error() != "loop: killed" {
		t.Errorf("failed: %v", err)
	}
}

// TestOnly shows the tables of what was measured and of what should have been.
func TestOnly(t *testing.T) {
	r := results{
		samples: map[run][]sample{{what: "tic-tac-toe, a table", cores: 1}: {{Steps: 5e6, CPU: 0.1}}},
		faults:  map[run]error{{what: "tic-tac-toe, C++", cores: 1}: errNotInstalled},
	}
	page, err := r.page("")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(page, "| --- |")
	if !strings.Contains(rows, "\n| tic-tac-toe, a table | marsgym | 27 | 9 | 50 |") || !strings.Contains(rows, "\n| tic-tac-toe, C++ | OpenSpiel |  |  | not measured: ") || strings.Count(rows, "\n| ") != 2 || strings.Count(page, "## ") != 1 {
		t.Error(page)
	}
	if err := benchmarks(t.Context(), []string{"-only", "chess"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), `no row has a name that contains "chess"`) {
		t.Errorf("-only chess: %v", err)
	}
}

// TestTrees counts the trees in which rows are measured.
func TestTrees(t *testing.T) {
	for want, r := range map[int]row{2: {}, 1: {recent: true}} {
		calls := 0
		r.work = func(context.Context, tree, int, float64) (sample, error) {
			calls++
			return sample{Steps: 1}, nil
		}
		results{map[run][]sample{}, map[run]error{}}.measure(t.Context(), r, []tree{{}, {name: "v1"}}, true, 1, func(string, ...any) {})
		if calls != want {
			t.Errorf("recent %v: measured in %d trees, want %d", r.recent, calls, want)
		}
	}
}

func TestSplice(t *testing.T) {
	page, err := splice("a\n"+begin+"old\n"+end+"b\n", "new\n")
	if want := "a\n" + begin + "new\n" + end + "b\n"; err != nil || page != want {
		t.Errorf("%q, %v; want %q", page, err, want)
	}
	for _, page := range []string{"", end + begin, begin} {
		if got, err := splice(page, ""); err == nil || !strings.Contains(err.Error(), "the page lacks the line ") {
			t.Errorf("%q: %q, %v", page, got, err)
		}
	}
}

// TestDocs parses every call of this command in the documents.
func TestDocs(t *testing.T) {
	pages, err := docs.Pages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range pages {
		for _, args := range p.Commands("go", "-C", "tools", "run", "./benchmarks") {
			n++
			if _, err := parse(args, io.Discard); err != nil {
				t.Errorf("%s: %q: %v", p.Name, args, err)
			}
		}
	}
	if n == 0 {
		t.Error("no document names the command")
	}
}
