package models_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"marsgym/models"
)

var (
	score  = models.Shape{Obs: 11, Hidden: []int{16, 12}, Head: models.Score, Actions: 6, Players: 2}
	logits = models.Shape{Obs: 7, Hidden: []int{9}, Head: models.Logits, Actions: 5, Players: 3}
)

// race reports whether the race detector is on.
var race bool

func newMLP(t testing.TB, s models.Shape, seed uint64) *models.MLP {
	t.Helper()
	m, err := models.NewMLP(s, rand.NewPCG(seed, 0))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// noise returns n normal numbers.
func noise(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func TestShapeValidate(t *testing.T) {
	for _, s := range []models.Shape{score, logits} {
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
	}
	err := models.Shape{Obs: 0, Hidden: []int{3, -1}, Head: "both", Values: "x", Actions: 1 << 40, Players: 2}.Validate()
	for _, want := range []string{"obs is 0", "hidden[1] is -1", `head is "both"`, `values is "x": want "" or "shares"`, "actions is 1099511627776"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want it to contain %q", err, want)
		}
	}
	if err := (models.Shape{Obs: 1, Head: models.Score, Actions: 1, Players: 1}).Validate(); err == nil || !strings.Contains(err.Error(), "number of hidden layers is 0: want 1") {
		t.Errorf("a network without hidden layers: %v", err)
	}
	huge := models.Shape{Obs: 60000, Hidden: []int{60000}, Head: models.Score, Actions: 1, Players: 1}
	if err := huge.Validate(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("it has %d weights: want at most", huge.Size())) {
		t.Errorf("error %v: want it to name the number of weights", err)
	}
}

// reference computes the outputs for one row in float64, from the tensors of a model
// file.
func reference(m *models.MLP, obs []float32) (policy, values []float64) {
	data := map[string][]float32{}
	for _, t := range m.Tensors() {
		data[t.Name] = t.Data
	}
	layer := func(name string, x []float64) []float64 {
		y := make([]float64, len(data[name+".bias"]))
		for i := range y {
			y[i] = float64(data[name+".bias"][i])
			for j, v := range x {
				y[i] += v * float64(data[name+".weight"][i*len(x)+j])
			}
		}
		return y
	}
	var x []float64
	for _, v := range obs {
		x = append(x, float64(v))
	}
	for i := range m.Shape().Hidden {
		x = layer(fmt.Sprint("body.", i), x)
		for j := range x {
			x[j] = math.Max(x[j], 0)
		}
	}
	head := "policy"
	if m.Shape().Head == models.Score {
		head = "score"
	}
	return layer(head, x), layer("value", x)
}

func TestForward(t *testing.T) {
	for _, s := range []models.Shape{score, logits} {
		m, r := newMLP(t, s, 1), rand.New(rand.NewPCG(2, 0))
		copy(m.Weights(), noise(r, len(m.Weights())))
		const n = 700 // several chunks, the last of fewer rows
		k, p := s.PolicyWidth(), s.Players
		obs := noise(r, n*s.Obs)
		policy, values := make([]float32, n*k), make([]float32, n*p)
		m.Forward(policy, values, obs)
		for i := range n {
			wantPolicy, wantValues := reference(m, obs[i*s.Obs:(i+1)*s.Obs])
			for j, want := range slices.Concat(wantPolicy, wantValues) {
				got := float64(slices.Concat(policy[i*k:(i+1)*k], values[i*p:(i+1)*p])[j])
				if !(math.Abs(got-want) <= 1e-4*(1+math.Abs(want))) {
					t.Fatalf("%s: row %d, output %d is %v: want %v", s.Head, i, j, got, want)
				}
			}
		}

		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		for _, rows := range []int{1, 2, 7, 8, 9, 255, 256, 257, n} {
			gotPolicy, gotValues := make([]float32, rows*k), make([]float32, rows*p)
			m.Forward(gotPolicy, nil, obs[:rows*s.Obs])
			m.Forward(nil, gotValues, obs[:rows*s.Obs])
			if !slices.Equal(gotPolicy, policy[:rows*k]) || !slices.Equal(gotValues, values[:rows*p]) {
				t.Errorf("%s: %d rows alone have other bits than among %d", s.Head, rows, n)
			}
		}
		m.Forward(nil, nil, nil)
	}
}

func TestForwardConcurrently(t *testing.T) {
	m, r := newMLP(t, score, 1), rand.New(rand.NewPCG(2, 0))
	const n = 600
	obs := noise(r, n*score.Obs)
	want := make([]float32, n)
	m.Forward(want, nil, obs)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := make([]float32, n)
			for range 20 {
				m.Forward(got, nil, obs)
				if !slices.Equal(got, want) {
					t.Error("Forward from several goroutines gives other bits")
				}
			}
		})
	}
	wg.Wait()
}

func TestForwardPanics(t *testing.T) {
	m := newMLP(t, score, 1)
	for n, want := range map[[3]int]string{
		{1, 2, 12}: "models: Forward: obs has length 12: want a multiple of 11",
		{2, 4, 11}: "models: Forward: policy and values have lengths 2 and 4: want 1 rows of 1 and 2",
		{1, 4, 22}: "models: Forward: policy and values have lengths 1 and 4: want 2 rows of 1 and 2",
		{2, 3, 22}: "models: Forward: policy and values have lengths 2 and 3: want 2 rows of 1 and 2",
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("lengths %v: panic %v, want %q", n, got, want)
				}
			}()
			m.Forward(make([]float32, n[0]), make([]float32, n[1]), make([]float32, n[2]))
		}()
	}
}

func TestForwardDoesNotAllocate(t *testing.T) {
	m := newMLP(t, score, 1)
	policy, values, obs := make([]float32, 256), make([]float32, 512), make([]float32, 256*11)
	// With the race detector, sync.Pool drops objects at random.
	if n := testing.AllocsPerRun(100, func() { m.Forward(policy, values, obs) }); n > 0 && !race {
		t.Errorf("Forward allocates %v times", n)
	}
}

// TestForwardKeepsNaN: a weight that is NaN must reach the output, or a broken network
// would not be noticed.
func TestForwardKeepsNaN(t *testing.T) {
	for i := range newMLP(t, score, 1).Weights() {
		m := newMLP(t, score, 1)
		for j, w := range m.Weights() {
			m.Weights()[j] = float32(math.Abs(float64(w))) // so that every ReLU is active
		}
		m.Weights()[i] = float32(math.Copysign(math.NaN(), -1))
		policy, values, obs := make([]float32, 1), make([]float32, 2), make([]float32, 11)
		for j := range obs {
			obs[j] = 1
		}
		m.Forward(policy, values, obs)
		if policy[0] == policy[0] && values[0] == values[0] && values[1] == values[1] {
			t.Errorf("weight %d is NaN and the outputs are %v and %v", i, policy, values)
		}
		if err := m.CheckFinite(); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("weight %d of ", i)) {
			t.Errorf("weight %d is NaN and CheckFinite returns %v", i, err)
		}
	}
}

func TestNewMLP(t *testing.T) {
	s := models.Shape{Obs: 200, Hidden: []int{300}, Head: models.Logits, Actions: 50, Players: 40}
	a, b := newMLP(t, s, 9), newMLP(t, s, 9)
	if !slices.Equal(a.Weights(), b.Weights()) {
		t.Error("the same seed gives other weights")
	}
	want := map[string]float64{
		"body.0.weight": math.Sqrt(2. / 200),
		"policy.weight": 0.01 / math.Sqrt(300),
		"value.weight":  1 / math.Sqrt(300),
	}
	for _, tensor := range a.Tensors() {
		got := models.Norm(tensor.Data) / math.Sqrt(float64(len(tensor.Data)))
		if w := want[tensor.Name]; !(math.Abs(got-w) <= 0.03*w) {
			t.Errorf("%s has standard deviation %v: want %v", tensor.Name, got, w)
		}
	}
	if _, err := models.NewMLP(models.Shape{}, rand.NewPCG(0, 0)); err == nil || !strings.Contains(err.Error(), "obs is 0: want 1") {
		t.Errorf("NewMLP of a shape of zeros: %v", err)
	}
}

func TestTensors(t *testing.T) {
	for _, s := range []models.Shape{score, logits} {
		a, b := newMLP(t, s, 1), newMLP(t, s, 2)
		ts := a.Tensors()
		slices.Reverse(ts)
		if err := b.SetTensors(ts); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Weights(), b.Weights()) {
			t.Errorf("%s: Tensors and SetTensors change weights", s.Head)
		}
		for want, bad := range map[string][]models.Tensor{
			fmt.Sprintf("%d tensors: want %d", len(ts)-1, len(ts)):                ts[1:],
			"no tensor " + ts[0].Name:                                             append([]models.Tensor{{Name: "x", Shape: ts[0].Shape, Data: ts[0].Data}}, ts[1:]...),
			fmt.Sprintf("%s has shape [1 %d] and ", ts[0].Name, len(ts[0].Data)):  append([]models.Tensor{{Name: ts[0].Name, Shape: []int{1, len(ts[0].Data)}, Data: ts[0].Data}}, ts[1:]...),
			fmt.Sprintf("%s has shape %v and 0 numbers", ts[0].Name, ts[0].Shape): append([]models.Tensor{{Name: ts[0].Name, Shape: ts[0].Shape}}, ts[1:]...),
		} {
			if err := b.SetTensors(bad); !errors.Is(err, models.ErrMismatch) || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v: want ErrMismatch and %q", err, want)
			}
		}
	}
}

func TestClone(t *testing.T) {
	m := newMLP(t, score, 1)
	c := m.Clone()
	m.Weights()[0]++
	if slices.Equal(c.Weights(), m.Weights()) {
		t.Error("a clone shares the weights")
	}
}

// BenchmarkForward runs a network of the size for Martian Dice for two players on
// observations like that game's: 14 one-hot fields.
func BenchmarkForward(b *testing.B) {
	s := models.Shape{Obs: 173, Hidden: []int{128, 128}, Head: models.Score, Actions: 6, Players: 2}
	m := newMLP(b, s, 1)
	for _, l := range m.Layers()[:2] {
		for j := range l.B {
			l.B[j] = -0.12 // a third of the units are active, as after training
		}
	}
	for _, n := range []int{1, 8, 16, 256, 4096} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			policy, values := make([]float32, n), make([]float32, 2*n)
			obs := make([]float32, n*s.Obs)
			r := rand.New(rand.NewPCG(2, 0))
			for i := range n {
				for field := range 14 {
					obs[i*s.Obs+12*field+r.IntN(12)] = 1
				}
			}
			for b.Loop() {
				m.Forward(policy, values, obs)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// TestCheckOutputs: a bound of what a network computes, by hand, and deep networks with
// random weights, which stay below it.
func TestCheckOutputs(t *testing.T) {
	s := models.Shape{Obs: 2, Hidden: []int{2}, Head: models.Logits, Actions: 1, Players: 1}
	for _, test := range []struct {
		weights []float32 // W [2, 2], B [2], then W [2, 2], B [2]
		want    string    // of the error, or ""
	}{
		{[]float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, ""},
		{[]float32{1e30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, ""},
		{[]float32{1e36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "(layer 0, unit 0)"},
		{[]float32{-1e36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "(layer 0, unit 0)"},
		{[]float32{0, 0, 0, 0, -1e38, 0, 0, 0, 0, 0, 0, 0}, "(layer 0, unit 0)"},
		{[]float32{0, 0, 0, 0, -8e37, 0, 1e30, 0, 0, 0, 0, 0}, ""}, // the ReLU gives 0
		{[]float32{0, 0, 0, 0, 8e37, 0, 1e30, 0, 0, 0, 0, 0}, "(layer 1, unit 0)"},
		{[]float32{1e17, 0, 0, 0, 0, 0, 1e19, 0, 0, 0, 0, 0}, "(layer 1, unit 0)"},
		{[]float32{1e17, 0, 0, 0, 0, 0, 0, 0, 1e19, 0, 0, 0}, ""},
		{[]float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, math.MaxFloat32}, "(layer 1, unit 1)"},
	} {
		m := newMLP(t, s, 1)
		copy(m.Weights(), test.weights)
		if err := m.CheckOutputs(); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v; want %q", test.weights, err, test.want)
		}
	}
	deep := models.Shape{Obs: 500, Head: models.Score, Actions: 10, Players: 4}
	for range 24 {
		deep.Hidden = append(deep.Hidden, 128)
	}
	if err := newMLP(t, deep, 2).CheckOutputs(); err != nil {
		t.Error(err)
	}
}
