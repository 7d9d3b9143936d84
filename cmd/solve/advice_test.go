package main

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/test/fulltest"
)

var (
	adviceRow  = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (`.+) \\|$")
	adviceCell = regexp.MustCompile("`([^`]+)` ([0-9.]+)")
)

// TestAdvice compares the tables of docs/advice.md with the exact solutions: of Martian
// Dice, and in full tests those of the quick game of Mars is Ours!
func TestAdvice(t *testing.T) {
	fulltest.Gate(t)
	text, err := os.ReadFile("../../docs/advice.md")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{"martian-dice": 19, "mars-is-ours-fast": 3} {
		if id != "martian-dice" && !fulltest.On() {
			continue
		}
		g, err := catalog.Open(id, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, row := range adviceRow.FindAllStringSubmatch(string(text), -1) {
			if at, err := g.Parse(row[1]); err == nil {
				rows++
				checkAdvice(t, g, s, at, row[2])
			}
		}
		if rows != want {
			t.Errorf("%s: %d rows, want %d", id, rows, want)
		}
	}
}

// checkAdvice compares the cells of a row with the values of options or outcomes.
func checkAdvice(t *testing.T, g env.Game, s env.Solution, at env.Position, row string) {
	a, err := evaluate(g, s, at)
	if err != nil {
		t.Fatal(err)
	}
	last := 100.0
	for _, cell := range adviceCell.FindAllStringSubmatch(row, -1) {
		win := math.NaN()
		for _, o := range a.Options {
			if o.Action == cell[1] {
				win = 100 * *o.Win
			}
		}
		for _, o := range a.Outcomes {
			if o.Outcome == cell[1] {
				win = 100 * o.Win[0]
			}
		}
		got, err := strconv.ParseFloat(cell[2], 64)
		if err != nil || !(math.Abs(got-win) <= 0.005+1e-9) || got > last {
			t.Errorf("%s: %s has %s, want %.2f, and the best first", at, cell[1], cell[2], win)
		}
		last = got
	}
	if !strings.Contains(row, "`") || len(a.Options) > 0 && len(a.Options) <= 4 && len(a.Options) != strings.Count(row, "`")/2 {
		t.Errorf("%s: the row leaves options out: %s", at, row)
	}
}
