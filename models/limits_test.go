package models_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marsgym/models"
)

// panics fails unless f panics with this text.
func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q; want %q", got, want)
		}
	}()
	f()
}

// TestShapeLimits has shapes at their limits, and beyond.
func TestShapeLimits(t *testing.T) {
	for _, test := range []struct {
		name, want string
		set        func(s *models.Shape, x int)
		in, out    []int
	}{
		{"obs", "obs is %d: want 1 to 65536", func(s *models.Shape, x int) { s.Obs = x }, []int{1, 1 << 16}, []int{0, 1<<16 + 1}},
		{"layers", "number of hidden layers is %d: want 1 to 64", func(s *models.Shape, x int) { s.Hidden = slices.Repeat([]int{1}, x) }, []int{1, 64}, []int{0, 65}},
		{"width", "hidden[1] is %d: want 1 to 65536", func(s *models.Shape, x int) { s.Hidden = []int{1, x} }, []int{1, 1 << 16}, []int{0, 1<<16 + 1}},
		{"actions", "actions is %d: want 1 to 65536", func(s *models.Shape, x int) { s.Actions = x }, []int{1, 1 << 16}, []int{0, 1<<16 + 1}},
		{"players", "players is %d: want 1 to 65536", func(s *models.Shape, x int) { s.Players = x }, []int{1, 1 << 16}, []int{0, 1<<16 + 1}},
	} {
		for _, x := range test.in {
			s := models.Shape{Obs: 1, Hidden: []int{1}, Head: models.Score, Actions: 1, Players: 1}
			if test.set(&s, x); s.Validate() != nil {
				t.Errorf("%s of %d: %v", test.name, x, s.Validate())
			}
		}
		for _, x := range test.out {
			s := models.Shape{Obs: 1, Hidden: []int{1}, Head: models.Score, Actions: 1, Players: 1}
			test.set(&s, x)
			if want, err := "shape of a network: "+fmt.Sprintf(test.want, x), s.Validate(); err == nil || err.Error() != want {
				t.Errorf("%s of %d: error %v; want %q", test.name, x, err, want)
			}
		}
	}
	most := models.Shape{Obs: 55828, Hidden: []int{1202}, Head: models.Score, Actions: 1, Players: 1}
	if n := most.Size(); n != 1<<26 || most.Validate() != nil {
		t.Errorf("%d weights: %v; want %d, which are valid", n, most.Validate(), 1<<26)
	}
	most.Obs++
	if err := most.Validate(); err == nil || err.Error() != "shape of a network: it has 67110066 weights: want at most 67108864" {
		t.Errorf("of a larger network the error is %v", err)
	}
}

// TestAdamLimits has settings at their limits, and beyond.
func TestAdamLimits(t *testing.T) {
	above := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	below := func(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
	for _, test := range []struct {
		want    string
		set     func(c *models.AdamConfig, x float64)
		in, out []float64
	}{
		{"adam.beta1 is %v; want 0 to 0.99999", func(c *models.AdamConfig, x float64) { c.Beta1 = x }, []float64{0, 0.99999}, []float64{-0.1, above(0.99999)}},
		{"adam.beta2 is %v; want 0 to 0.99999", func(c *models.AdamConfig, x float64) { c.Beta2 = x }, []float64{0, 0.99999}, []float64{-0.1, above(0.99999)}},
		{"adam.eps is %v; want 1e-30 to 1", func(c *models.AdamConfig, x float64) { c.Eps = x }, []float64{1e-30, 1}, []float64{below(1e-30), above(1)}},
		{"adam.max_grad_norm is %v; want a positive norm, or 0 for none", func(c *models.AdamConfig, x float64) { c.MaxGradNorm = x }, []float64{0, math.MaxFloat32}, []float64{-1, above(math.MaxFloat32), math.NaN()}},
	} {
		for _, x := range test.in {
			c := models.DefaultAdam()
			if test.set(&c, x); c.Validate() != nil {
				t.Error(c.Validate())
			}
		}
		for _, x := range test.out {
			c := models.DefaultAdam()
			test.set(&c, x)
			if want, err := fmt.Sprintf(test.want, x), c.Validate(); err == nil || err.Error() != want {
				t.Errorf("error %v; want %q", err, want)
			}
		}
	}
	if c := models.DefaultAdam(); c != (models.AdamConfig{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}) {
		t.Errorf("the settings are %+v", c)
	}
}

// TestAdamStepLimits: a gradient of the largest norm, a learning rate of 0 or of the largest number,
// and steps after the last that is counted.
func TestAdamStepLimits(t *testing.T) {
	a, w := newAdam(t, 2, models.DefaultAdam()), []float32{1, 2}
	if norm, err := a.Step(w, []float32{0, float32(1e18)}, 0); err != nil || norm != float64(float32(1e18)) || !slices.Equal(w, []float32{1, 2}) {
		t.Errorf("with a learning rate of 0: norm %v, %v, weights %v", norm, err, w)
	}
	if _, err := a.Step(w, []float32{0, 1.1e18}, 0.1); !errors.Is(err, models.ErrDiverged) || !strings.Contains(err.Error(), "the gradient's norm is 1.1") {
		t.Errorf("of a gradient that is too large the error is %v", err)
	}
	if _, err := newAdam(t, 1, models.DefaultAdam()).Step([]float32{0}, []float32{0}, math.MaxFloat32); err != nil {
		t.Errorf("with the largest learning rate: %v", err)
	}
	for _, rate := range []float64{-1e-9, math.Nextafter(math.MaxFloat32, math.Inf(1))} {
		want := fmt.Sprintf("models: learning rate is %v: want a finite number that is not negative", rate)
		if _, err := a.Step(w, []float32{1, 1}, rate); err == nil || err.Error() != want {
			t.Errorf("error %v; want %q", err, want)
		}
	}
	panics(t, "models: Adam.Step: weights and grad have lengths 1 and 2: want 2", func() { a.Step(w[:1], []float32{1, 1}, 0.1) })
	panics(t, "models: Adam.Step: weights and grad have lengths 2 and 3: want 2", func() { a.Step(w, []float32{1, 1, 1}, 0.1) })

	steps := func(n float32) []models.Tensor {
		s := a.State()
		s[2].Data = []float32{n}
		return s
	}
	for _, test := range [][2]float32{{0, 1}, {5, 6}, {1<<24 - 1, 1 << 24}, {1 << 24, 1 << 24}} {
		if err := a.Restore(steps(test[0])); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Step(w, []float32{1, 1}, 0.1); err != nil || a.State()[2].Data[0] != test[1] {
			t.Errorf("after %v steps another is number %v, %v; want %v", test[0], a.State()[2].Data[0], err, test[1])
		}
	}
	for _, n := range []float32{-1, 1<<24 + 2, 0.5} {
		if want, err := fmt.Sprintf("adam.steps is %v: want a count", n), a.Restore(steps(n)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
	}
}

// TestLargestNorm takes a step along a gradient whose norm is the largest one exactly.
func TestLargestNorm(t *testing.T) {
	const largest = 1e18
	var grad []float32
	for rest := largest * largest; rest > 1; {
		x := float32(math.Sqrt(rest))
		if float64(x)*float64(x) > rest {
			x = math.Nextafter32(x, 0)
		}
		grad = append(grad, x)
		rest -= float64(x) * float64(x)
	}
	if norm := models.Norm(grad); norm != largest {
		t.Fatalf("the norm is %v; want %v", norm, largest)
	}
	if _, err := newAdam(t, len(grad), models.DefaultAdam()).Step(make([]float32, len(grad)), grad, 0.1); err != nil {
		t.Error(err)
	}
}

// TestOutputLimit: the largest weight with which no output overflows, if all numbers of an
// observation are 1,024.
func TestOutputLimit(t *testing.T) {
	const most = math.MaxFloat32 / 4 / 1024
	m := newMLP(t, models.Shape{Obs: 1, Hidden: []int{1}, Head: models.Score, Actions: 1, Players: 1}, 1)
	for _, w := range []float32{most, -most} {
		clear(m.Weights())
		if m.Weights()[0] = w; m.CheckOutputs() != nil {
			t.Errorf("with a weight of %v: %v", w, m.CheckOutputs())
		}
		m.Weights()[0] = math.Nextafter32(w, 2*w)
		if err := m.CheckOutputs(); err == nil || !strings.Contains(err.Error(), "its outputs overflow (layer 0, unit 0)") {
			t.Errorf("with a weight above %v the error is %v", w, err)
		}
		// Either sign of the number leads to a large output of the first layer.
		copy(m.Weights(), []float32{w / 1e18, 0, 1e19})
		if err := m.CheckOutputs(); err == nil || !strings.Contains(err.Error(), "its outputs overflow (layer 1, unit 0)") {
			t.Errorf("with a weight of %v before one of 1e19 the error is %v", w/1e18, err)
		}
	}
}

// TestHugeFile: a file that is too large is refused by its size.
func TestHugeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, models.MaxFile+1); err != nil {
		t.Skip(err)
	}
	if _, err := models.Load(path); !errors.Is(err, models.ErrFormat) || !strings.Contains(err.Error(), "it has 1073741825 bytes; want at most 1073741824") {
		t.Errorf("error %v", err)
	}
}

// TestObservationsDoNotAllocate: neither does a network that computes few observations.
func TestObservationsDoNotAllocate(t *testing.T) {
	m := newMLP(t, score, 1)
	policy, values, obs := make([]float32, 256), make([]float32, 512), models.NewObservations(11, make([]float32, 256*11))
	// With the race detector, sync.Pool drops objects at random.
	if n := testing.AllocsPerRun(100, func() { m.ForwardObservations(policy, values, obs, 0, 256) }); n > 0 && !race {
		t.Errorf("ForwardObservations allocates %v times", n)
	}
}

// TestAdamRestoreErrors: the error names the numbers, and moments of the largest size are valid.
func TestAdamRestoreErrors(t *testing.T) {
	a := newAdam(t, 2, models.DefaultAdam())
	state := func(m, v, steps []float32) []models.Tensor {
		return []models.Tensor{{Name: "x"}, {Name: "adam.m", Data: m}, {Name: "adam.v", Data: v}, {Name: "adam.steps", Data: steps}}
	}
	two, one, inf := []float32{1, 1}, []float32{1}, float32(math.Inf(1))
	for _, test := range []struct {
		m, v, steps []float32
		want        string
	}{
		{[]float32{-math.MaxFloat32, 0}, []float32{0, math.MaxFloat32}, one, ""},
		{one, two, one, "hold 1, 2 and 1 numbers: want 2, 2 and 1"},
		{two, one, one, "hold 2, 1 and 1 numbers: want 2, 2 and 1"},
		{two, two, two, "hold 2, 2 and 2 numbers: want 2, 2 and 1"},
		{two, two, nil, "hold 2, 2 and 0 numbers: want 2, 2 and 1"},
		{[]float32{0, -inf}, two, one, "moments of weight 1 are -Inf and 1: want finite numbers"},
		{two, []float32{-1, 1}, one, "moments of weight 0 are 1 and -1: want finite numbers"},
		{two, []float32{1, inf}, one, "moments of weight 1 are 1 and +Inf: want finite numbers"},
	} {
		if err := a.Restore(state(test.m, test.v, test.steps)); test.want == "" && err != nil || test.want != "" && (!errors.Is(err, models.ErrMismatch) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("error %v; want %q", err, test.want)
		}
	}
}

// TestNorm sums the squares of numbers in ranges, and of those that are left.
func TestNorm(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 1 << 14, 1<<14 + 1, 1<<15 + 3} {
		x, sum := make([]float32, n), 0.0
		for i := range x {
			x[i] = float32(i%7 - 3)
			sum += float64(x[i] * x[i])
		}
		if got, want := models.Norm(x), math.Sqrt(sum); !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("the norm of %d numbers is %v; want %v", n, got, want)
		}
	}
}

// TestGroupSizes: a group has 2,048 rows at most, or a 64th of a larger minibatch.
func TestGroupSizes(t *testing.T) {
	shard := func(n int) models.Shard { return models.Shard{Obs: models.NewObservations(1, make([]float32, n))} }
	for _, test := range []struct {
		shards []int
		groups []int // shards of each
		rows   int
	}{
		{[]int{1024, 1024}, []int{2}, 2048}, {[]int{1024, 1025}, []int{1, 1}, 1025}, {[]int{2047, 0, 1, 1}, []int{2, 1}, 2048},
		{[]int{5000}, []int{1}, 5000}, {[]int{3000, 10}, []int{1, 1}, 3000},
		{slices.Repeat([]int{2048}, 128), slices.Repeat([]int{2}, 64), 4096},
		{slices.Repeat([]int{2048}, 127), slices.Repeat([]int{1}, 127), 2048},
	} {
		var shards []models.Shard
		for _, n := range test.shards {
			shards = append(shards, shard(n))
		}
		groups, rows, err := models.Groups(shards, 1)
		var got []int
		for _, g := range groups {
			got = append(got, len(g))
		}
		if err != nil || rows != test.rows || !slices.Equal(got, test.groups) {
			t.Errorf("%v rows are in groups of %v shards, with %d rows at most, %v; want %v and %d", test.shards, got, rows, err, test.groups, test.rows)
		}
	}
}

// TestGradientSum: sums of networks of different sizes by one accumulator, of one part, of many
// weights, and none when the context is done.
func TestGradientSum(t *testing.T) {
	var a models.GradientAccumulator
	fill := func(part int, grad []float32) error {
		for j := range grad {
			grad[j] = float32((part + 1) * (j%5 + 1))
		}
		return nil
	}
	for _, test := range []struct{ parts, weights int }{{3, 4}, {1, 4}, {2, 1<<14 + 7}, {3, 2}, {4, 2}, {1, 9}} {
		sum, err := a.Sum(t.Context(), test.parts, test.weights, fill)
		if err != nil || len(sum) != test.weights {
			t.Fatalf("%d parts of %d weights: %d sums, %v", test.parts, test.weights, len(sum), err)
		}
		for j, got := range sum {
			if want := float32(test.parts * (test.parts + 1) / 2 * (j%5 + 1)); got != want {
				t.Fatalf("%d parts of %d weights: sum %d is %v; want %v", test.parts, test.weights, j, got, want)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sum, err := a.Sum(ctx, 2, 3, func(int, []float32) error { t.Error("a gradient is computed"); return nil })
	if sum != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v, %v", sum, err)
	}
}

// TestForwardLengths: the panic names the lengths that are wrong.
func TestForwardLengths(t *testing.T) {
	m := newMLP(t, score, 1) // 11 numbers, a score and two values
	row := func(n int) []float32 { return make([]float32, n) }
	panics(t, "models: Forward: policy and values have lengths 1 and 4: want 2 rows of 1 and 2", func() { m.Forward(row(1), row(4), row(22)) })
	panics(t, "models: Forward: policy and values have lengths 0 and 3: want 2 rows of 1 and 2", func() { m.Forward(nil, row(3), row(22)) })
	panics(t, "models: Forward: obs has length 23: want a multiple of 11", func() { m.Forward(row(2), row(4), row(23)) })
	obs := models.NewObservations(11, row(33))
	panics(t, "models: ForwardObservations: policy and values have lengths 3 and 0: want 2 rows of 1 and 2", func() { m.ForwardObservations(row(3), nil, obs, 1, 3) })
	panics(t, "models: ForwardObservations: observations of 12 numbers: want 11", func() { m.ForwardObservations(nil, nil, models.NewObservations(12, nil), 0, 0) })
	panics(t, "models: Dense: obs has length 32: want 3 observations of 11", func() { obs.Dense(row(32)) })
	panics(t, "models: AppendNear: lengths 10 and 11: want an observation of 11 numbers, and whole ones", func() { obs.AppendNear(row(10), row(11)) })
	panics(t, "models: AppendNear: lengths 22 and 0: want an observation of 11 numbers, and whole ones", func() { obs.AppendNear(row(22), nil) })
	panics(t, "models: AppendNear: lengths 11 and 12: want an observation of 11 numbers, and whole ones", func() { obs.AppendNear(row(11), row(12)) })
}

// TestForwardRange computes a part of some observations, of more rows than one pass takes.
func TestForwardRange(t *testing.T) {
	m := newMLP(t, score, 3)
	const n, from, to = 700, 13, 650
	obs := make([]float32, n*11)
	for i := range obs {
		obs[i] = float32(i%13) / 4
	}
	policy, values := make([]float32, n), make([]float32, 2*n)
	m.Forward(policy, values, obs)
	p, v := make([]float32, to-from), make([]float32, 2*(to-from))
	m.ForwardObservations(p, v, models.NewObservations(11, obs), from, to)
	if !slices.Equal(p, policy[from:to]) || !slices.Equal(v, values[2*from:2*to]) {
		t.Error("the outputs are other ones")
	}
	m.ForwardNear(p, v, obs[from*11:to*11], []int{0, 0, 4, 5, 5, to - from}) // some groups are empty
	if far(p, policy[from:to]) || far(v, values[2*from:2*to]) {
		t.Error("in groups the outputs are other ones")
	}
}

// TestWeightBytes: weights as bytes make a network, unless their number is wrong or one is not finite.
func TestWeightBytes(t *testing.T) {
	m := newMLP(t, logits, 1)
	b := m.WeightBytes()
	if len(b) != 4*len(m.Weights()) || math.Float32frombits(binary.LittleEndian.Uint32(b[8:])) != m.Weights()[2] {
		t.Errorf("%d bytes; want %d, in ascending order of their places", len(b), 4*len(m.Weights()))
	}
	again, err := models.NewMLPOf(logits, b)
	if err != nil || !slices.Equal(again.Weights(), m.Weights()) {
		t.Errorf("other weights, %v", err)
	}
	wild := slices.Clone(b)
	binary.LittleEndian.PutUint32(wild[20:], math.Float32bits(float32(math.Inf(-1))))
	for _, test := range []struct {
		shape models.Shape
		bytes []byte
		want  string
	}{
		{logits, b[4:], fmt.Sprintf("models: the weights are %d bytes; want %d", len(b)-4, len(b))},
		{logits, append(b, 0), fmt.Sprintf("models: the weights are %d bytes; want %d", len(b)+1, len(b))},
		{logits, wild, fmt.Sprintf("weight 5 of %d is -Inf", len(b)/4)},
		{models.Shape{}, nil, "models: shape of a network: obs is 0"},
	} {
		if _, err := models.NewMLPOf(test.shape, test.bytes); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("error %v; want %q", err, test.want)
		}
	}
}

// TestFileLimits: a file that is too short has another error than one that is none of ours.
func TestFileLimits(t *testing.T) {
	length := func(n uint64, more int) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, n), make([]byte, more)...)
	}
	for _, test := range []struct {
		b    []byte
		want string
	}{
		{nil, "it is truncated"}, {make([]byte, 7), "it is truncated"},
		{length(0, 0), "it is not a model of this program"}, {length(1, 0), "it is not a safetensors file, or truncated"},
		{length(8, 7), "it is not a safetensors file, or truncated"}, {length(8, 8), "it is not a model of this program"},
		{length(1<<22, 1<<22), "it is not a model of this program"}, {length(1<<22+1, 1<<22+1), "its header has 4194305 bytes; want at most 4194304"},
	} {
		if _, err := models.Decode(test.b); !errors.Is(err, models.ErrFormat) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d bytes: error %.300v; want %q", len(test.b), err, test.want)
		}
	}
	f := checkpoint(t)
	f.Blobs[strings.Repeat("x", 1<<22)] = nil
	err := f.SaveBy("a/path", func([]byte) error { t.Error("a file that cannot be read is written"); return nil })
	if err == nil || !strings.Contains(err.Error(), "models: save a/path: it would have ") || !strings.Contains(err.Error(), "of them in the header: want at most 1073741824 and 4194304") {
		t.Errorf("of a header that is too long the error is %v", err)
	}
	full := errors.New("the disk is full")
	if err := checkpoint(t).SaveBy("a/path", func([]byte) error { return full }); !errors.Is(err, full) || err.Error() != "models: save a/path: the disk is full" {
		t.Errorf("error %v", err)
	}
}

// TestWin is the mean over both seats.
func TestWin(t *testing.T) {
	if got := (models.Exact{WinFirst: 0.5, WinSecond: 0.25}).Win(); got != 0.375 {
		t.Errorf("the win probability is %v; want 0.375", got)
	}
}
