//go:build cgo

// In package main, since nothing can import it.
package main

import (
	"math"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/tablegame"
	"marsgym/env/words"
	"marsgym/eval"
	"marsgym/internal/test/testgames"
)

// TestTablePolicy: a policy by the numbers of a table plays what it lists.
func TestTablePolicy(t *testing.T) {
	rules, err := tablegame.New(testgames.TicTacToe())
	if err != nil {
		t.Fatal(err)
	}
	opened := catalog.OpenTable(rules)
	g := newOpenGame(opened)
	if text, err := g.inWords(g.Initial(), "en", "", words.Options{Seat: -1, Legal: true}); err != nil || !strings.Contains(text, "\n...\n...\n...\n") {
		t.Errorf("described as\n%s%v", text, err)
	}
	solve(t, g)
	listed := rules.Table()
	uniform, last := &tablePolicy{table: listed}, &tablePolicy{table: listed}
	for at, mover := range listed.Mover {
		for k := range listed.Count[at] {
			if mover >= 0 {
				uniform.probs = append(uniform.probs, 1/float64(listed.Count[at]))
				last.probs = append(last.probs, float64(max(0, int(k)-int(listed.Count[at])+2)))
			}
		}
	}
	evaluated := func(e entrant) *eval.Multiplayer {
		j := start(g, task{Kind: "evaluate", Entrants: []entrant{e, {Name: "exact"}}})
		if <-j.ended; j.err != nil {
			t.Fatal(j.err)
		}
		return j.result.(evaluated).Multiplayer
	}
	want, got := evaluated(entrant{Name: "random"}), evaluated(entrant{table: uniform})
	if !(math.Abs(got.Mean-want.Mean) <= 1e-12) || !(math.Abs(got.Exploitability-want.Exploitability) <= 1e-12) {
		t.Errorf("uniform: win %v, exploitability %v; want %v and %v", got.Mean, got.Exploitability, want.Mean, want.Exploitability)
	}
	if got := evaluated(entrant{table: last}); !(math.Abs(got.Exploitability-want.Exploitability) > 0.01) {
		t.Errorf("the last action always: exploitability %v, as of uniform play", got.Exploitability)
	}
	s, _ := table(t, g, seating{Opponents: []entrant{{table: last}}, Seat: 1}, 0)
	if err := s.Reset(newJob(g), 1); err != nil {
		t.Fatal(err)
	}
	if x := s.games.Decisions([]int{0}).Position(0).String(); x != "s9" { // seat 0 has played its last action
		t.Errorf("after the first move the game is in %s", x)
	}
}
