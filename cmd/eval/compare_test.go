// In package main, which cannot be imported.
package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/models"
	"marsgym/train"
)

// folder returns a run folder of a game with these metrics.
func folder(t *testing.T, game, algorithm, metrics string) string {
	t.Helper()
	g, err := catalog.Open(game, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	meta := agents.MetaOf(g.Spec())
	meta.Algorithm = algorithm
	meta.Net.Head, meta.Net.Hidden = models.Score, []int{4}
	mlp, err := models.NewMLP(meta.Net, rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := (&models.File{Meta: meta, MLP: mlp}).Save(filepath.Join(dir, agents.ModelFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, train.MetricsFile), []byte(metrics), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCompare(t *testing.T) {
	a := folder(t, "martian-dice", "ppo", `{"steps": 10, "seconds": 1, "exact": {"win_first": 0.4, "win_second": 0.5, "exploitability": 0.02}}
{"steps": 20, "seconds": 2, "entropy": 0.3}
`)
	b := folder(t, "martian-dice", "turn-exact", `{"steps": 30, "seconds": 3, "exact": {"win_first": 0.48, "win_second": 0.5, "exploitability": 0.01}}
`)
	var got comparison
	document(t, &got, "compare", a, b)
	want := []comparedRun{
		{b, "turn-exact", 30, 3, &exactResult{0.49, 0.01}},
		{a, "ppo", 20, 2, &exactResult{0.45, 0.02}}, // the latest result
	}
	for i, w := range want {
		g := got.Runs[i]
		if g.Run != w.Run || g.Algorithm != w.Algorithm || g.Steps != w.Steps || g.Seconds != w.Seconds || *g.Exact != *w.Exact {
			t.Errorf("run %d is %+v %+v; want %+v %+v", i, g, *g.Exact, w, *w.Exact)
		}
	}
	charts := filepath.Join(t.TempDir(), "charts")
	stdout, stderr, status := command(t, "compare", a, b, "-plot", charts)
	if status != cli.Done || !strings.Contains(stderr, "curve.svg") || !strings.Contains(stdout, "1.00000") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	svg, err := os.ReadFile(filepath.Join(charts, "curve.svg"))
	if err != nil || !strings.Contains(string(svg), "Martian Dice for 2 players") {
		t.Errorf("the chart: %v", err)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{a, folder(t, "pig", "ppo", `{"steps": 1}`)}, cli.Misuse, "plays Pig for 2 players, but the runs before it play Martian Dice for 2 players"},
		{[]string{t.TempDir()}, cli.Failed, agents.ModelFile},
		{[]string{folder(t, "pig", "ppo", `{"steps": 1`)}, cli.Failed, "line 1: "},
		{[]string{a, "-model", "greedy"}, cli.Misuse, "-model"},
	} {
		if stdout, stderr, status := command(t, append([]string{"compare"}, test.args...)...); status != test.status || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: status %d, %q; want %d and %q", test.args, status, stderr, test.status, test.want)
		}
	}
}
