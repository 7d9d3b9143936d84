package search

// This test is inside the package to give the simulations of a Gumbel their results.

import (
	"math"
	"slices"
	"testing"
)

// newGumbel returns a policy of actions with these logits, without noise.
func newGumbel(logits, value []float64, h Halving) *Gumbel {
	r := new(Gumbel)
	r.begun(logits, value, h)
	return r
}

// begun lets r begin a search of actions with these logits, without noise.
func (r *Gumbel) begun(logits, value []float64, h Halving) {
	r.reset(len(logits), len(value), h)
	copy(r.Logit, logits)
	copy(r.Value, value)
	clear(r.noise)
	sum := 0.0
	for _, x := range logits {
		sum += math.Exp(x)
	}
	for i, x := range logits {
		r.prior[i] = math.Exp(x) / sum
	}
}

// TestHalving: the simulations are divided equally among the phases, and after each phase half of the
// candidates are left, at least two.
func TestHalving(t *testing.T) {
	for _, tt := range []struct {
		actions, candidates, simulations int
		want                             []int // simulations by round
	}{
		{5, 4, 16, []int{4, 4, 2, 2, 2, 2}},
		{4, 9, 16, []int{4, 4, 2, 2, 2, 2}},
		{3, 3, 10, []int{3, 2, 2, 2, 1}},
		{8, 8, 24, []int{8, 4, 4, 2, 2, 2, 2}},
		{6, 6, 7, []int{6, 1}},
		{9, 5, 3, []int{3}},
		{2, 2, 5, []int{2, 2, 1}},
		{7, 7, 1, []int{1}},
	} {
		r := newGumbel(make([]float64, tt.actions), []float64{0.5, 0.5}, Halving{Simulations: tt.simulations, Candidates: tt.candidates, Temperature: 1})
		var got []int
		for left := tt.simulations; left > 0; {
			c := r.next(left)
			got, left = append(got, len(c)), left-len(c)
			for _, e := range c {
				r.add(e, []float64{0.5, 0.5})
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d actions, %d candidates, %d simulations: rounds of %v; want %v", tt.actions, tt.candidates, tt.simulations, got, tt.want)
		}
	}
}

// TestHalvingRejects: those candidates stay whose logit and value are highest together, for the mover.
func TestHalvingRejects(t *testing.T) {
	r := newGumbel([]float64{0, 0.3, 0.1, 0.2, -9}, []float64{0.5, 0.5}, Halving{Simulations: 16, Candidates: 4, Temperature: 0.5})
	r.Mover = 1
	if got := r.next(16); !slices.Equal(got, []int32{1, 3, 2, 0}) {
		t.Fatalf("the candidates are %v; want those with the highest logits", got)
	}
	for e, won := range map[int32]float64{0: 0.9, 1: 0.2, 2: 0.5, 3: 0.4} { // 1.8, 0.7, 1.1, 1.0 with the logits
		r.add(e, []float64{1 - won, won})
	}
	r.next(12)
	if got := r.next(8); !slices.Equal(got, []int32{0, 2}) {
		t.Errorf("the candidates left are %v; want 0 and 2", got)
	}
	r.noise[3] = 2
	if value := make([]float64, 2); r.Result(value) != 0 {
		t.Error("a candidate that was rejected is taken")
	}
}

// TestCompletedValues compares completed values and the value of the improved policy with the
// equations of the paper.
func TestCompletedValues(t *testing.T) {
	const τ = 0.25
	logits, value := []float64{0.5, -1, 0, 1}, []float64{0.3, 0.5, 0.2}
	r := newGumbel(logits, value, Halving{Simulations: 8, Candidates: 4, Temperature: τ})
	r.Mover = 2
	results := map[int32][][]float64{0: {{0.1, 0.2, 0.7}, {0.3, 0.3, 0.4}}, 3: {{1, 0, 0}}}
	simulations, weight, mixed := 0.0, 0.0, make([]float64, 3)
	q := make([][]float64, 4)
	for e, list := range results {
		q[e] = make([]float64, 3)
		for _, share := range list {
			r.add(e, share)
			for j, x := range share {
				q[e][j] += x / float64(len(list))
			}
		}
		simulations += float64(len(list))
		weight += r.prior[e]
		for j := range mixed {
			mixed[j] += r.prior[e] * q[e][j]
		}
	}
	for _, e := range []int{1, 2} { // eq. 33
		for j := range mixed {
			q[e] = append(q[e], (value[j]+simulations*mixed[j]/weight)/(1+simulations))
		}
	}
	got := make([]float64, 3)
	best := r.Result(got)
	sum, want, most := 0.0, make([]float64, 3), math.Inf(-1)
	wantBest := -1
	for e := range logits { // eq. 11
		p := math.Exp(logits[e] + q[e][2]/τ)
		sum += p
		for j := range want {
			want[j] += p * q[e][j]
			if !(math.Abs(r.Q[e*3+j]-q[e][j]) <= 1e-12) {
				t.Errorf("action %d is worth %v to seat %d; want %v", e, r.Q[e*3+j], j, q[e][j])
			}
		}
		if x := logits[e] + q[e][2]/τ; x > most {
			wantBest, most = e, x
		}
	}
	for j := range want {
		if !(math.Abs(got[j]-want[j]/sum) <= 1e-12) {
			t.Errorf("the root is worth %v to seat %d; want %v", got[j], j, want[j]/sum)
		}
	}
	if best != wantBest {
		t.Errorf("action %d is taken; want %d", best, wantBest)
	}

	// Without a simulation all actions have the network's value, and of equal ones the first is taken:
	// the simulations before count no more.
	r.begun(make([]float64, 3), value, Halving{Simulations: 8, Candidates: 3, Temperature: τ})
	if best := r.Result(got); best != 0 || !(math.Abs(got[1]-0.5) <= 1e-12) {
		t.Errorf("without a simulation action %d is taken, and the root is worth %v; want %v", best, got, value)
	}
}
