package curve_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/chart"
	"marsgym/internal/curve"
	"marsgym/internal/input"
	"marsgym/internal/plot"
	"marsgym/internal/test/fulltest"
)

func load(t *testing.T, name, metrics string) (curve.Run, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "metrics.jsonl")
	if err := os.WriteFile(path, []byte(metrics), 0o666); err != nil {
		t.Fatal(err)
	}
	return curve.Load(name, path)
}

func TestLoad(t *testing.T) {
	r, err := load(t, "a", `{"steps":10,"entropy":-1e-3,"kl":1,"note":"new","on":true,"list":[1],"none":null}
{"exact":{"win_first":0.5,"deep":{"er":2}},"steps":10,"pool":{"win":1}}
{"steps":30}`) // without a newline
	if err != nil {
		t.Fatal(err)
	}
	want := `{a [map[entropy:-0.001 steps:10] map[exact.deep.er:2 exact.win_first:0.5 steps:10] map[steps:30]]}`
	if got := fmt.Sprint(r); got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	if r, err := load(t, "new", ""); err != nil || len(r.Points) != 0 {
		t.Errorf("an empty file: %v, %v", r, err)
	}
	if _, err := curve.Load("a", filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct{ metrics, want string }{
		{"{\"steps\":1}\n{\"steps\":2,\"entr", "line 2: the end of the JSON document is missing"},
		{"{\"steps\":1}\n\n{\"steps\":2}\n", "line 2: it is empty"},
		{"[1]\n", "line 1: the document is an array; want an object"},
		{"{\"iteration\":1}\n", "line 1: no steps"},
		{"null\n", "line 1: no steps"},
		{"{\"steps\":3}\n{\"steps\":2}\n", "line 2: 2 steps after 3"},
		{"{\"steps\":1}\n{\"steps\":2," + strings.Repeat(" ", 1<<14) + "\"kl\":0}\n", "line 2: it has more than 16384 bytes"},
		{"{\"steps\":3}{\"steps\":4}\n", "line 1: invalid character"},
	}
	for _, tt := range tests {
		_, err := load(t, "a", tt.metrics)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "metrics.jsonl") {
			t.Errorf("%.100q: %v, want %q", tt.metrics, err, tt.want)
		}
	}
}

// again reads a text again and again.
type again struct{ text, rest string }

func (a *again) Read(b []byte) (int, error) {
	if a.rest == "" {
		a.rest = a.text
	}
	n := copy(b, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// TestLoadIsBounded: what is kept of metrics is smaller than the file, and a file without an
// end is refused.
func TestLoadIsBounded(t *testing.T) {
	line := `{"iteration":1,"steps":1,"games":61,"seconds":0.5,"policy_loss":0.1,"value_loss":0.4,"entropy":0.9,"kl":0,"clipped":0,"grad_norm":1.5,` +
		`"learning_rate":0.005,"steps_per_s":2000,"pool":{"win":0.1,"min_win":0.2,"bots":{"greedy":0.5,"random":0.7,"a":1,"b":2,"c":3,"d":4}}}` + "\n"
	text := strings.Repeat(line, 10_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := load(t, "a", text)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); len(r.Points) != 10_000 || used > int64(len(text)) {
		t.Errorf("%d points of %d bytes take %d bytes", len(r.Points), len(text), used)
	}
	runtime.KeepAlive(r)
	if _, err := curve.LoadFrom("a", "endless", &again{text: "x"}); err == nil || !strings.Contains(err.Error(), "endless: line 1: it has more than") {
		t.Errorf("an endless line: %v", err)
	}
	if fulltest.On() {
		dense := `{"steps":1`
		for i := range 1000 {
			dense += fmt.Sprintf(`,"%dloss":1`, i)
		}
		if _, err := curve.LoadFrom("a", "endless", &again{text: dense + "}\n"}); !errors.Is(err, input.ErrTooLarge) {
			t.Errorf("endless lines: %v", err)
		}
	}
}

// point is a line of metrics with an evaluation.
func point(steps, seconds, exploitability float64) curve.Point {
	return curve.Point{
		"steps": steps, "seconds": seconds, "entropy": 1,
		"exact.exploitability": exploitability, "exact.win_first": 0.5 - exploitability, "exact.win_second": 0.5,
	}
}

// draw returns the chart of runs, which must be drawable.
func draw(t *testing.T, runs ...curve.Run) chart.Chart {
	t.Helper()
	c, err := curve.Chart("A game", runs)
	if err == nil {
		err = plot.SVG(io.Discard, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestStrengthNeedsBoth: a line without one of the three exact figures has no wins to draw.
func TestStrengthNeedsBoth(t *testing.T) {
	half := point(3e6, 180, 0.2)
	delete(half, "exact.win_second")
	c := draw(t, curve.Run{Name: "a", Points: []curve.Point{point(2e6, 120, 0.1), half, point(4e6, 240, 0.05)}})
	for _, p := range c.Panels {
		want := []float64{math.Log10(0.1), math.Log10(0.2), math.Log10(0.05)}
		if p.Title == "Wins against optimal play" {
			want = []float64{0.45, 0.475}
		}
		if !slices.Equal(p.Lines[0].Y, want) {
			t.Errorf("%s: %v; want %v", p.Title, p.Lines[0].Y, want)
		}
	}
}

func TestStrength(t *testing.T) {
	a := curve.Run{Name: "a", Points: []curve.Point{
		{"steps": 1e6, "seconds": 60},
		point(2e6, 120, 0.1),
		{"steps": 3e6, "seconds": 180},
		point(4e6, 240, 0.01),
	}}
	b := curve.Run{Name: "b", Points: []curve.Point{point(8e6, 30, 0.001), point(9e6, 31, 0)}}
	slow := curve.Run{Name: "slow", Points: []curve.Point{point(1e6, 0, 0.1)}}
	delete(slow.Points[0], "seconds")
	blind := curve.Run{Name: "blind", Points: []curve.Point{{"steps": 9e7, "seconds": 9e7}}}
	c := draw(t, a, b, slow, blind)

	if c.Name != "curve" || c.Title != "A game: learning curves" {
		t.Errorf("named %s, %s", c.Name, c.Title)
	}
	for _, want := range []string{"because they lack exact values: blind.", "because they lack times: slow.", "exploitability is 0"} {
		if !strings.Contains(c.Caption, want) {
			t.Errorf("caption without %q: %s", want, c.Caption)
		}
	}
	want := []struct{ title, x, lines string }{
		{"Exploitability by decisions", "decisions in training (millions)", "a [2 4] [-1 -2]; b [8] [-3]; slow [1] [-1]"},
		{"Exploitability by time", "training time (minutes)", "a [2 4] [-1 -2]; b [0.5] [-3]"},
		{"Wins against optimal play", "decisions in training (millions)",
			"a [2 4] [0.45 0.495]; b [8 9] [0.4995 0.5]; slow [1] [0.45]; optimal play [0 9] [0.5 0.5]"},
	}
	if len(c.Panels) != len(want) {
		t.Fatalf("%d panels, want %d", len(c.Panels), len(want))
	}
	for i, w := range want {
		p := c.Panels[i]
		if got := lines(p); p.Title != w.title || p.X.Label != w.x || got != w.lines {
			t.Errorf("%s by %s: %s\nwant %+v", p.Title, p.X.Label, got, w)
		}
	}
}

// lines writes out the lines of a panel.
func lines(p chart.Panel) string {
	var list []string
	for _, l := range p.Lines {
		list = append(list, fmt.Sprintf("%s %.4g %.4g", l.Name, l.X, l.Y))
	}
	return strings.Join(list, "; ")
}

func TestPerfect(t *testing.T) {
	c := draw(t, curve.Run{Name: "a", Points: []curve.Point{point(1, 1, 0)}})
	if len(c.Panels) != 1 || c.Panels[0].Title != "Wins against optimal play" {
		t.Errorf("panels %v", c.Panels)
	}
}

// TestScale compares the labelled ticks of the logarithmic axis.
func TestScale(t *testing.T) {
	tests := []struct {
		lo, hi float64
		want   string // between the two
	}{
		{0.011, 0.5, "0.02 0.05 0.1 0.2 0.5"},
		{0.0001, 0.3, "0.0001 0.001 0.01 0.1"},
		{0.012, 0.014, "0.0120 0.0125 0.0130 0.0135 0.0140"},
		{0.01, 0.04, "0.010 0.015 0.020 0.025 0.030 0.035 0.040"},
		{0.000021, 0.00021, "0.00005 0.0001 0.0002"},
	}
	for _, tt := range tests {
		c := draw(t, curve.Run{Name: "a", Points: []curve.Point{point(1, 1, tt.hi), point(2, 2, tt.lo)}})
		var got []string
		for _, k := range c.Panels[0].Y.Ticks {
			if x := math.Pow(10, k.At); k.Label != "" && tt.lo*0.9999 < x && x < tt.hi*1.0001 {
				got = append(got, k.Label)
				if label := 0.0; !scan(k.Label, &label) || !(math.Abs(label-x) <= 1e-9) {
					t.Errorf("%s is at %g", k.Label, x)
				}
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%g to %g: %s, want %s", tt.lo, tt.hi, got, tt.want)
		}
	}
	one := draw(t, curve.Run{Name: "a", Points: []curve.Point{point(5, 5, 0.03)}})
	if len(one.Panels[0].Y.Ticks) == 0 {
		t.Error("a single value has no ticks around it")
	}
}

func scan(s string, x *float64) bool {
	_, err := fmt.Sscan(s, x)
	return err == nil
}

func TestTraining(t *testing.T) {
	a, b := curve.Run{Name: "a"}, curve.Run{Name: "b"}
	for i := range 250 {
		a.Points = append(a.Points, curve.Point{"steps": float64(i), "value_loss": float64(i % 5), "entropy": 2, "kl": 1})
	}
	b.Points = []curve.Point{{"steps": 2, "return": 3, "value_loss": 4}}
	c := draw(t, a, b)
	var titles []string
	for _, p := range c.Panels {
		titles = append(titles, p.Title)
	}
	if want := []string{"Entropy", "Return", "Value loss"}; !slices.Equal(titles, want) {
		t.Fatalf("panels %q, want %q", titles, want)
	}
	if got := lines(c.Panels[1]); got != "b [2] [3]" {
		t.Errorf("returns are %s", got)
	}
	if !strings.Contains(c.Caption, "because they lack return: a.") || !strings.Contains(c.Caption, "because they lack entropy: b.") {
		t.Errorf("caption: %s", c.Caption)
	}
	// Two and three of the 250 points alternate: 0 1, 2 3 4, 0 1, ...
	l := c.Panels[2].Lines[0]
	if len(l.X) != 100 || len(l.Y) != 100 {
		t.Fatalf("%d by %d means", len(l.X), len(l.Y))
	}
	for k, want := range [][2]float64{{0.5, 0.5}, {3, 3}, {5.5, 0.5}} {
		if !(math.Abs(l.X[k]-want[0]) <= 1e-12) || !(math.Abs(l.Y[k]-want[1]) <= 1e-12) {
			t.Errorf("mean %d at %g is %g, want %v", k, l.X[k], l.Y[k], want)
		}
	}
	if !(math.Abs(l.X[99]-248) <= 1e-12) {
		t.Errorf("the last mean is at %g", l.X[99])
	}
}

func TestNothing(t *testing.T) {
	for _, runs := range [][]curve.Run{nil, {{Name: "a"}}, {{Name: "a", Points: []curve.Point{{"steps": 1, "kl": 2}}}}} {
		if _, err := curve.Chart("A game", runs); !errors.Is(err, game.ErrNoCharts) {
			t.Errorf("%v: %v", runs, err)
		}
	}
}

// TestSame draws several times: the order of maps has no effect.
func TestSame(t *testing.T) {
	runs := []curve.Run{{Name: "a", Points: []curve.Point{{"steps": 1, "a_loss": 1, "b_loss": 2, "entropy": 3, "return": 4, "c_loss": 5}}}}
	var before []byte
	for range 5 {
		var b bytes.Buffer
		if err := plot.SVG(&b, draw(t, runs...)); err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(before, b.Bytes()) {
			t.Fatal("another chart of the same runs")
		}
		before = b.Bytes()
	}
}

// TestMatches: what networks win in matches is a panel of its own, with an interval at each
// evaluation, and lines without matches are in the other panels only.
func TestMatches(t *testing.T) {
	metrics := `{"steps":100,"entropy":2}
{"steps":200,"entropy":1.5,"matches":{"greedy":{"win":0.25,"low":0.125,"high":0.5,"games":48}}}
{"steps":400,"entropy":1,"matches":{"greedy":{"win":0.5,"low":0.375,"high":0.625,"games":48},"previous":{"win":0.75,"low":0.5,"high":1,"games":48}}}
`
	a, err := load(t, "a", metrics)
	if err != nil {
		t.Fatal(err)
	}
	c := draw(t, a)
	if c.Panels[0].Title != "Wins in matches" || len(c.Panels[0].Lines) != 2 || !strings.HasPrefix(c.Caption, "Wins in matches against the game's bot") {
		t.Fatalf("the first panel is %+v, with the caption %q", c.Panels[0], c.Caption)
	}
	greedy, previous := c.Panels[0].Lines[0], c.Panels[0].Lines[1]
	if greedy.Name != "against greedy" || !slices.Equal(greedy.X, []float64{200, 200, 200, 200, 400, 400, 400, 400}) || !slices.Equal(greedy.Y, []float64{0.25, 0.125, 0.5, 0.25, 0.5, 0.375, 0.625, 0.5}) {
		t.Errorf("against greedy: %+v", greedy)
	}
	if previous.Name != "against previous" || !slices.Equal(previous.Y, []float64{0.75, 0.5, 1, 0.75}) {
		t.Errorf("against the network before: %+v", previous)
	}
	b, err := load(t, "b", metrics)
	if err != nil {
		t.Fatal(err)
	}
	if c := draw(t, a, b); len(c.Panels[0].Lines) != 4 || c.Panels[0].Lines[0].Name != "a against greedy" {
		t.Errorf("of two runs: %+v", c.Panels[0].Lines)
	}
}
