package pig_test

import (
	"errors"
	"math"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
)

// The maps must agree with an independent solution at all scores that can come up.
func TestCharts(t *testing.T) {
	const target = 30
	charts, err := solve(t, rules(t, 2, target)).Charts()
	if err != nil {
		t.Fatal(err)
	}
	if len(charts) != 1 || len(charts[0].Panels) != 2 {
		t.Fatalf("got %+v, want one chart of two maps", charts)
	}
	hold, win := charts[0].Panels[0].Map, charts[0].Panels[1].Map
	p := valueIteration(target)
	for j := range target {
		for i := range target {
			at, share := hold.Z[j][i], win.Z[j][i]
			if i == 1 || j == 1 { // no turn scores 1
				if !math.IsNaN(at) || !math.IsNaN(share) {
					t.Errorf("%d against %d cannot come up, but shows %v and %v", i, j, at, share)
				}
				continue
			}
			if !(math.Abs(share-100*p[i][j][0]) <= 1e-9) {
				t.Errorf("%d against %d wins %v %%, want %v", i, j, share, 100*p[i][j][0])
			}
			want := target - i
			for k := target - i - 1; k >= 2; k-- {
				if held := 1 - p[j][i+k][0]; held > rollValue(p, i, j, k)+1e-12 {
					want = k
				}
			}
			if at != float64(want) {
				t.Errorf("%d against %d holds at %v, want %d", i, j, at, want)
			}
			if edges := hold.Edges; !(edges[0] <= at && at <= edges[len(edges)-1]) {
				t.Errorf("%v lies outside the edges %v", at, edges)
			}
		}
	}
	if _, err := solve(t, rules(t, 3, 8)).Charts(); !errors.Is(err, game.ErrNoCharts) {
		t.Errorf("three players: got error %v, want ErrNoCharts", err)
	}
}

// rollValue returns the probability that the mover wins by rolling with a turn total k.
func rollValue(p [][][]float64, i, j, k int) float64 {
	v := 1 - p[j][i][0]
	for face := 2; face <= 6; face++ {
		if i+k+face >= len(p) {
			v++
		} else {
			v += p[i][j][k+face]
		}
	}
	return v / 6
}

func TestMistakes(t *testing.T) {
	r := rules(t, 2, 100)
	for _, test := range []struct {
		position        string
		a, best         game.Action
		kind, situation string
	}{
		{"30-40@0 turn 25", pig.Roll, pig.Hold, "rolled too long", "early, behind"},
		{"30-40@1 turn 12", pig.Hold, pig.Roll, "held too early", "early, ahead"},
		{"70-70@0 turn 20", pig.Hold, pig.Roll, "held too early", "early, level"},
		{"71-0@0 turn 20", pig.Hold, pig.Roll, "held too early", "late, ahead"},
		{"0-71@0 turn 40", pig.Roll, pig.Hold, "rolled too long", "late, behind"},
		{"90-90@0 turn 2", pig.Hold, pig.Roll, "held too early", "late, level"},
	} {
		s, err := r.Parse(test.position)
		if err != nil {
			t.Fatal(err)
		}
		if kind, situation := r.Kind(s, test.a, test.best), r.Situation(s); kind != test.kind || situation != test.situation {
			t.Errorf("%s: %q, %q; want %q, %q", test.position, kind, situation, test.kind, test.situation)
		}
	}
}
