package method_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/models"
	"marsgym/train/method"
)

// TestNames: checkpoints and runs of other releases rely on the names and streams.
func TestNames(t *testing.T) {
	if got, want := method.PartBlob(12), "part.12"; got != want {
		t.Errorf("a part is %q; want %q", got, want)
	}
	if got, want := method.OpponentBlob(12), "pool.12"; got != want {
		t.Errorf("an opponent is %q; want %q", got, want)
	}
	streams := []uint64{method.WeightStream, method.ShuffleStream, method.PopulationStream}
	if want := []uint64{0x8000000000000000, 0x8000000000000001, 0x8000000100000000}; !slices.Equal(streams, want) {
		t.Errorf("the streams are %#x; want %#x", streams, want)
	}
}

func TestRestoreOpponent(t *testing.T) {
	shape := models.Shape{Obs: 2, Hidden: []int{3}, Head: models.Score, Actions: 2, Players: 2}
	mlp, err := models.NewMLP(shape, rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	blobs := map[string][]byte{method.OpponentBlob(1): mlp.WeightBytes()}
	got, err := method.RestoreOpponent(blobs, 1, mlp)
	if err != nil || !slices.Equal(got.Weights(), mlp.Weights()) {
		t.Errorf("the weights are %v, %v; want %v", got, err, mlp.Weights())
	}
	if _, err := method.RestoreOpponent(blobs, 2, mlp); err == nil || !strings.Contains(err.Error(), "opponent pool: opponent 2: models: the weights are 0 bytes") {
		t.Errorf("of an opponent that is missing the error is %v", err)
	}
}

// mean returns the mean of some terms.
func mean(terms ...float64) (m method.Mean) {
	for _, x := range terms {
		m.Add(x)
	}
	return m
}

func TestMean(t *testing.T) {
	var m method.Mean
	if !m.IsZero() || m.Value() != 0 {
		t.Errorf("without terms the mean is %v, known: %v", m.Value(), !m.IsZero())
	}
	m.Add(2)
	if m.IsZero() || m.Value() != 2 {
		t.Errorf("of one term the mean is %v, known: %v; want 2", m.Value(), !m.IsZero())
	}
	m.Join(mean(4, 6))
	if m.N != 3 || m.Value() != 4 {
		t.Errorf("of 2, 4 and 6 the mean is %v of %v terms; want 4 of 3", m.Value(), m.N)
	}
	if zero := mean(0); zero.IsZero() {
		t.Error("a mean of 0 is unknown")
	}
	var read struct {
		A method.Mean `json:"a,omitzero"`
		B method.Mean `json:"b,omitzero"`
	}
	read.A = m
	text, err := json.Marshal(read)
	if want := `{"a":4}`; err != nil || string(text) != want {
		t.Errorf("the means are written as %s, %v; want %s", text, err, want)
	}
	if err := json.Unmarshal([]byte(`{"b":2.5}`), &read); err != nil || read.B != (method.Mean{Sum: 2.5, N: 1}) {
		t.Errorf("2.5 is read as %+v, %v", read.B, err)
	}
}

// TestJoinLosses joins losses, each of whose means has another sum and number of terms.
func TestJoinLosses(t *testing.T) {
	a := method.Losses{Policy: mean(1), Value: mean(2), Entropy: mean(3), KL: mean(4), Clipped: mean(5), GradNorm: mean(6), ValueKL: mean(7)}
	b := method.Losses{Policy: mean(10, 0), Value: mean(20, 0), Entropy: mean(30, 0), KL: mean(40, 0), Clipped: mean(50, 0), GradNorm: mean(60, 0), ValueKL: mean(70, 0)}
	a.Join(b)
	for k, m := range []method.Mean{a.Policy, a.Value, a.Entropy, a.KL, a.Clipped, a.GradNorm, a.ValueKL} {
		if want := float64(11 * (k + 1)); m.Sum != want || m.N != 3 {
			t.Errorf("mean %d is %v of %v terms; want %v of 3", k, m.Sum, m.N, want)
		}
	}
}

func TestSchedule(t *testing.T) {
	s := method.Schedule{3, 1}
	for _, test := range [][2]float64{{0, 3}, {0.25, 2 + math.Sqrt(0.5)}, {0.5, 2}, {0.75, 2 - math.Sqrt(0.5)}, {1, 1}} {
		if got := s.At(test[0]); !(math.Abs(got-test[1]) <= 1e-12) {
			t.Errorf("at %v the schedule is %v; want %v", test[0], got, test[1])
		}
	}
	if err := json.Unmarshal([]byte(`[5, 0.5]`), &s); err != nil || s != (method.Schedule{5, 0.5}) {
		t.Errorf("[5, 0.5] is read as %v, %v", s, err)
	}
	for _, text := range []string{`[1]`, `[1, 2, 3]`, `[]`, `2`, `["a", "b"]`} {
		if err := json.Unmarshal([]byte(text), &s); err == nil || !strings.Contains(err.Error(), "want two numbers, the first and the last") {
			t.Errorf("of %s the error is %v", text, err)
		}
	}
}
