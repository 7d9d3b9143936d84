package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"marsgym/internal/cli"
	"marsgym/internal/cli/clitest"
	"marsgym/internal/test/fulltest"
	"marsgym/models"
	"marsgym/train"
)

// metricsOf returns the metrics of a run, of which a line has steps, seconds and an entropy.
func metricsOf(t *testing.T, dir string) (list []train.Metrics) {
	t.Helper()
	for line := range bytes.Lines(read(t, dir, train.MetricsFile)) {
		var m train.Metrics
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// TestProgressLines: a line of progress holds the decisions, the time, and the speed and entropy
// since the line before, as the metrics have them; and at the end the time is that of
// training, in all sessions.
func TestProgressLines(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, out, errs := command(t, "-config", clitest.Config(t, quick), "-out", dir)
	if status != cli.Done {
		t.Fatalf("status %d\n%s", status, errs)
	}
	list := metricsOf(t, dir)
	format := regexp.MustCompile(`(?m)^ +(\d+) steps +\d+ s +(\d+) steps/s  entropy ([0-9.]+)  wins`)
	found := format.FindAllStringSubmatch(errs, -1)
	if len(found) != 4 {
		t.Fatalf("%d lines of progress, want 4:\n%s", len(found), errs)
	}
	before := train.Metrics{}
	at := 0
	for _, f := range found {
		sum, n := 0.0, 0.0
		for ; strconv.FormatUint(list[at].Steps, 10) != f[1]; at++ {
			sum, n = sum+list[at].Entropy.Value(), n+1
		}
		m := list[at]
		at++
		sum, n = sum+m.Entropy.Value(), n+1
		if want := fmt.Sprintf("%.0f", float64(m.Steps-before.Steps)/(m.Seconds-before.Seconds)); f[2] != want {
			t.Errorf("after %s steps, %s steps/s; want %s, of %d steps in %v s", f[1], f[2], want, m.Steps-before.Steps, m.Seconds-before.Seconds)
		}
		// The iterations have about as many decisions with a choice.
		if entropy, err := strconv.ParseFloat(f[3], 64); err != nil || !(math.Abs(entropy-sum/n) <= 0.003) {
			t.Errorf("after %s steps, entropy %s; want about %.3f, the mean of %.0f iterations", f[1], f[3], sum/n, n)
		}
		before = m
	}
	if want := "trained in " + seconds(before.Seconds) + ", "; !strings.Contains(out, want) || !strings.Contains(out, " s with evaluations") {
		t.Errorf("%q is not in\n%s", want, out)
	}
}

// TestTrainedInAll: after a resumption the time of training is that of both sessions.
func TestTrainedInAll(t *testing.T) {
	fulltest.Gate(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs bytes.Buffer
	stopping := writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("steps/s")) {
			cancel()
		}
		return errs.Write(b)
	})
	if status := run(ctx, []string{"-config", clitest.Config(t, quick), "-steps", "8192", "-out", dir}, nil, &out, stopping); status != cli.Interrupted {
		t.Fatalf("status %d, %s", status, errs.String())
	}
	status, text, _ := command(t, "-resume", dir)
	list := metricsOf(t, dir)
	if want := "trained in " + seconds(list[len(list)-1].Seconds) + " in all, this session took "; status != cli.Done || !strings.Contains(text, want) {
		t.Errorf("status %d, %q is not in\n%s", status, want, text)
	}
	if _, text, _ = command(t, "-resume", dir); !strings.Contains(text, "the run had ended before\n") || strings.Contains(text, "trained in") {
		t.Errorf("a finished run:\n%s", text)
	}
}

// TestProgressNote: the bar shows the speed of the latest ten seconds, of a run that was resumed too.
func TestProgressNote(t *testing.T) {
	var p progress
	m := train.Metrics{}
	add := func(decisions uint64, took float64) string {
		m.Decisions, m.Steps, m.Seconds, m.StepsPerS = decisions, m.Steps+decisions, m.Seconds+took, float64(decisions)/took
		p.add(m)
		return p.note()
	}
	m.Steps, m.Seconds = 1_000_000, 1000 // when it was resumed
	if got, want := add(500, 1), "500 steps/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	add(1500, 1)
	if got, want := add(4000, 2), "1500 steps/s"; got != want { // 6000 in 4 s
		t.Errorf("%q, want %q", got, want)
	}
	m.Exact = &models.Exact{Exploitability: 0.00000268}
	for range 10 { // the first iterations are forgotten
		add(3000, 1)
	}
	m.Exact = nil
	if got, want := add(3000, 1), "3000 steps/s, exploitability 0.00000268"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := p.line(m, 0), "   1039000 steps   1015 s       2600 steps/s"; got != want { // 39,000 in 15 s, none with an entropy
		t.Errorf("%q, want %q", got, want)
	}
	m.Exact = &models.Exact{WinFirst: 0.5, WinSecond: 0.5, Exploitability: 0.00000268}
	add(1000, 1)
	if got, want := p.line(m, 0), "   1040000 steps   1016 s       1000 steps/s  wins 0.5000 against optimal play  exploitability 0.00000268"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := number(0.00000268); got != "0.00000268" { // in the table of a sweep
		t.Errorf("%q, want three digits of 0.00000268", got)
	}
}

// TestMatchLines: in a game that is not solved a run shows what its network wins in matches, and the
// match at its end.
func TestMatchLines(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	set := clitest.Config(t, strings.Replace(quick, `"dice": 4,`, `"players": 3, "dice": 4,`, 1))
	status, out, errs := command(t, "-config", set, "-out", dir, "-json")
	if status != cli.Done {
		t.Fatalf("status %d\n%s", status, errs)
	}
	var r runResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Evaluations) != 4 || r.Match == nil || r.Match.Games < 12 {
		t.Fatalf("%v, %s", err, out)
	}
	for k, x := range r.Evaluations {
		if _, met := x.Matches["previous"]; met != (k > 0) || x.Matches["greedy"].Games < 48 || x.Exact != nil {
			t.Errorf("evaluation %d is %+v", k+1, x)
		}
	}
	shown := regexp.MustCompile(`wins [0-9.]+ \[[0-9.]+, [0-9.]+\] against (greedy|the network of the evaluation before|the best so far)`)
	if n := len(shown.FindAllString(errs, -1)); n < 7 || !strings.Contains(errs, "games against greedy in the other seats, 99 % interval") {
		t.Errorf("%d results of matches are in\n%s", n, errs)
	}
}
