package tablegame_test

import (
	"math"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/tablegame"
)

// flips is a game for one: it starts, and then a coin that shows heads with a probability of 1/4 is
// flipped n times. The return is the number of heads. Paths of chance are 2^n, and states about n²/2.
func flips(n int) *tablegame.Table {
	t := &tablegame.Table{Name: "flips", Players: 1, Actions: 1, Action: []uint16{0}}
	t.Mover, t.First, t.Count, t.Next = []game.Player{0}, []uint32{0}, []uint16{1}, []uint32{1}
	for k := range n {
		for heads := range k + 1 { // in state 1+k(k+1)/2+heads
			t.Mover, t.First, t.Count = append(t.Mover, game.Chance), append(t.First, uint32(len(t.Outcome))), append(t.Count, 2)
			tails := uint32(1 + (k+1)*(k+2)/2 + heads)
			t.Outcome, t.Probability = append(t.Outcome, tails, tails+1), append(t.Probability, 0.75, 0.25)
		}
	}
	for heads := range n + 1 {
		t.Mover, t.First, t.Count = append(t.Mover, game.Terminal), append(t.First, uint32(heads)), append(t.Count, 0)
		t.Returns = append(t.Returns, float64(heads))
	}
	return t
}

// TestTurnOfFlips: the plan of a turn follows each state of chance once, however many paths lead to it.
func TestTurnOfFlips(t *testing.T) {
	const n = 60
	r := listed(t, flips(n))
	if err := gametest.Check(listed(t, flips(4))); err != nil {
		t.Error(err)
	}
	near := func(what string, got []float64, want float64) {
		t.Helper()
		if len(got) != 1 || !(math.Abs(got[0]-want) <= 1e-9) {
			t.Errorf("%s: %v; want %v", what, got, want)
		}
	}
	plan := r.NewPlan()
	ends := plan.Begin(r.Initial())
	if len(ends) != n+1 {
		t.Fatalf("%d ends; want %d", len(ends), n+1)
	}
	var squares []float64
	for _, s := range ends {
		v, ok := plan.Known(nil, s)
		if !ok {
			t.Fatalf("the end %v is unknown", s)
		}
		squares = append(squares, v[0]*v[0])
	}
	r.SolveAll([]game.Plan[tablegame.State]{plan}, [][]float64{squares})
	const mean, variance = n * 0.25, n * 0.25 * 0.75
	near("the mean of the squares", plan.Value(nil), mean*mean+variance)
	v, ok := plan.Known(nil, tablegame.State{At: 1})
	if !ok {
		t.Fatal("the return of the flips is unknown")
	}
	near("the mean", v, mean)
	if v, ok := plan.Known(nil, r.Initial()); ok || len(v) > 0 {
		t.Errorf("a decision has the known return %v", v)
	}
}
