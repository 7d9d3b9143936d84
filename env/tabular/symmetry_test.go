package tabular_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/game/gametest"
)

// heap is a game of two piles: the mover takes one or two from a pile, then a coin may
// put one back on each. The seat that takes the last wins. Action 2k+n-1 takes n from
// pile k.
type heap struct{}

type piles struct {
	Size    [2]int8
	Mover   int8
	Tossing bool
}

func (heap) Spec() game.Spec {
	return game.Spec{
		ID: "heap", Title: "Heap", Version: 1, Players: 2, Actions: 4, Win: 1, Loss: -1,
		Information: game.PerfectInformation, Chance: game.ExplicitStochastic, MinPlayers: 2, MaxPlayers: 2,
		Observation: []game.Field{{Name: "piles", Len: 2}, {Name: "tossing", Len: 1}, {Name: "turn", Len: 1}},
	}
}

func (heap) Initial() piles { return piles{Size: [2]int8{5, 3}} }

func (heap) CurrentPlayer(s piles) game.Player {
	switch {
	case s.Size == [2]int8{}:
		return game.Terminal
	case s.Tossing:
		return game.Chance
	}
	return game.Player(s.Mover)
}

func (h heap) Legal(dst []game.Action, s piles) []game.Action {
	if h.CurrentPlayer(s) >= 0 {
		for a := range game.Action(4) {
			if s.Size[a/2] > int8(a%2) {
				dst = append(dst, a)
			}
		}
	}
	return dst
}

func (h heap) Outcomes(dst []game.Outcome[piles], s piles) []game.Outcome[piles] {
	if h.CurrentPlayer(s) != game.Chance {
		return dst
	}
	s.Tossing = false
	more := s
	for k := range more.Size {
		more.Size[k] = min(5, more.Size[k]+1)
	}
	if more == s {
		return append(dst, game.Outcome[piles]{State: s, Prob: 1})
	}
	return append(dst, game.Outcome[piles]{State: s, Prob: 0.75}, game.Outcome[piles]{State: more, Prob: 0.25})
}

func (h heap) Apply(s piles, a game.Action) (piles, error) {
	if h.CurrentPlayer(s) == game.Terminal {
		return s, game.ErrGameOver
	}
	if !slices.Contains(h.Legal(nil, s), a) {
		return s, fmt.Errorf("%w: %d", game.ErrIllegalAction, a)
	}
	s.Size[a/2] -= 1 + int8(a%2)
	if s.Size == [2]int8{} {
		return s, nil // the mover has won
	}
	s.Mover = 1 - s.Mover
	s.Tossing = true
	return s, nil
}

func (h heap) Returns(dst []float64, s piles) []float64 {
	if h.CurrentPlayer(s) != game.Terminal {
		return append(dst, 0, 0)
	}
	if s.Mover == 0 {
		return append(dst, 1, -1)
	}
	return append(dst, -1, 1)
}

func (h heap) Encode(dst []float32, s piles, p game.Player) {
	dst[0], dst[1], dst[2], dst[3] = float32(s.Size[0]), float32(s.Size[1]), 0, 0
	if s.Tossing {
		dst[2] = 1
	}
	if h.CurrentPlayer(s) == p {
		dst[3] = 1
	}
}

// sorted puts the smaller pile first.
type sorted struct{ heap }

var exchange = []game.Action{2, 3, 0, 1}

func (sorted) Canonical(s piles) (piles, []game.Action) {
	if s.Size[0] <= s.Size[1] {
		return s, nil
	}
	s.Size[0], s.Size[1] = s.Size[1], s.Size[0]
	return s, exchange
}

type byPiles func(row []float64, s piles)

func (f byPiles) Probs(dst []float64, states []piles) error {
	for i, s := range states {
		f(dst[4*i:4*i+4], s)
	}
	return nil
}

// A solution of representatives has the same values for all positions as one without
// symmetry.
func TestSymmetry(t *testing.T) {
	if err := gametest.Check(sorted{}); err != nil {
		t.Fatal(err)
	}
	plain, rep := solve(t, heap{}), solve(t, sorted{})
	if plain.Len() <= rep.Len()*3/2 {
		t.Errorf("%d positions without symmetry, %d with", plain.Len(), rep.Len())
	}
	r := rand.New(rand.NewPCG(1, 1))
	h := heap{}
	decisions := 0
	for range 200 {
		for s := h.Initial(); ; {
			v, err := plain.Value(nil, s)
			w, err2 := rep.Value(nil, s)
			if err != nil || err2 != nil || !near(v, w, 1e-14) {
				t.Fatalf("the value of %v is %v, %v without symmetry, %v, %v with", s, v, err, w, err2)
			}
			v, err = plain.Options([]float64{9}, s)
			w, err2 = rep.Options([]float64{9}, s)
			if err != nil || err2 != nil || !near(v, w, 1e-14) {
				t.Fatalf("the options of %v are %v, %v without symmetry, %v, %v with", s, v, err, w, err2)
			}
			legal := h.Legal(nil, s)
			if len(legal) > 0 {
				decisions++
				row := make([]float64, 4)
				if err := rep.Policy().Probs(row, []piles{s}); err != nil {
					t.Fatal(err)
				}
				a := slices.Index(row, 1)
				k := slices.Index(legal, game.Action(a))
				if k < 0 || !(v[1+k] >= slices.Max(v[1:])-1e-12) {
					t.Fatalf("best play in %v is %v, of %v with values %v", s, row, legal, v[1:])
				}
				s, _ = h.Apply(s, legal[r.IntN(len(legal))])
			} else if h.CurrentPlayer(s) == game.Chance {
				o := h.Outcomes(nil, s)
				s = o[r.IntN(len(o))].State
			} else {
				break
			}
		}
	}
	if decisions < 100 {
		t.Errorf("only %d decisions tested", decisions)
	}
	uniform := byPiles(func(row []float64, s piles) {
		clear(row)
		legal := h.Legal(nil, s)
		for _, a := range legal {
			row[a] = 1 / float64(len(legal))
		}
	})
	a, b := tabulate(t, plain, uniform), tabulate(t, rep, uniform)
	v, err := plain.Evaluate(ctx, nil, []game.TabularPolicy{a, a})
	w, err2 := rep.Evaluate(ctx, nil, []game.TabularPolicy{b, b})
	if err != nil || err2 != nil || !near(v, w, 1e-14) {
		t.Errorf("random play has values %v, %v without symmetry, %v, %v with", v, err, w, err2)
	}
	best := tabulate(t, rep, rep.Policy())
	v, _ = plain.Value(nil, h.Initial())
	w, err = rep.Evaluate(ctx, nil, []game.TabularPolicy{best, best})
	if err != nil || !near(v, w, 1e-14) {
		t.Errorf("best play has values %v, %v; want %v", w, err, v)
	}
}
