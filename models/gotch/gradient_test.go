//go:build gotch && cgo

package gotch

// In package gotch: the tests compare libtorch's own differentiation with the unexported
// gradient.

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sugarme/gotch/libtch"

	"marsgym/models"
)

// automatic is gradient by libtorch's own differentiation.
func (l *learner) automatic(grad []float32, shard models.Shard) error {
	s := l.mlp.Shape()
	n, k, p := shard.Len(), s.PolicyWidth(), s.Players
	t := tensors{device: l.device}
	defer t.free()
	follow := func(x tensor) tensor {
		return t.do(func(out *tensor) { libtch.AtgSetRequiresGrad(out, x, 1) })
	}
	layers := upload(&t, l.mlp)
	for i := range layers {
		layers[i] = layer{follow(layers[i].w), follow(layers[i].b)}
	}
	xs := forward(&t, layers, uploadObservations(&t, n, s.Obs, shard))
	last := xs[len(layers)]
	y := make([]float32, n*(k+p))
	t.read(y, t.do(func(out *tensor) { libtch.AtgDetach(out, last) }))
	dy := t.of(lossGradient(y, k, p, shard), n, k+p)
	product := t.do(func(out *tensor) { libtch.AtgMul(out, last, dy) })
	loss := t.do(func(out *tensor) { libtch.AtgSum(out, product, float) })
	if t.err != nil {
		return t.err
	}
	libtch.AtBackward(loss, 0, 0)
	t.err = lastError()
	for i, m := range l.mlp.Layers() {
		for _, part := range []struct {
			x tensor
			n int
		}{{layers[i].w, len(m.W)}, {layers[i].b, len(m.B)}} {
			t.read(grad[:part.n], t.do(func(out *tensor) { libtch.AtgGrad(out, part.x) }))
			grad = grad[part.n:]
		}
	}
	return t.err
}

// written calls gradient, as Fit does.
func (l *learner) written(grad []float32, shard models.Shard) error {
	t := tensors{device: l.device}
	defer t.free()
	return l.gradient(grad, upload(&t, l.mlp), []models.Shard{shard})
}

// random returns a learner on a device, and a shard whose loss is a random linear function
// of the outputs.
func random(t testing.TB, s models.Shape, n int, device string) (*learner, models.Shard) {
	t.Helper()
	mlp, err := models.NewMLP(s, rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(mlp, models.DefaultAdam(), device)
	if err != nil {
		t.Fatal(err)
	}
	noise := func(n int) []float32 {
		r, x := rand.New(rand.NewPCG(2, uint64(n))), make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	dp, dv := noise(n*s.PolicyWidth()), noise(n*s.Players)
	return l.(*learner), models.Shard{Obs: models.NewObservations(s.Obs, noise(n*s.Obs)), Loss: func(_, _, dpolicy, dvalues []float32) {
		copy(dpolicy, dp)
		copy(dvalues, dv)
	}}
}

func TestGradientAgainstAutomatic(t *testing.T) {
	defer lockThread()()
	for _, s := range []models.Shape{
		{Obs: 11, Hidden: []int{16, 12}, Head: models.Score, Actions: 6, Players: 2},
		{Obs: 7, Hidden: []int{9, 40, 5}, Head: models.Logits, Actions: 5, Players: 3},
	} {
		l, shard := random(t, s, 33, "cpu")
		got, want := make([]float32, len(l.mlp.Weights())), make([]float32, len(l.mlp.Weights()))
		if err := l.written(got, shard); err != nil {
			t.Fatal(err)
		}
		if err := l.automatic(want, shard); err != nil {
			t.Fatal(err)
		}
		norm := models.Norm(want)
		for i, w := range want {
			if !(math.Abs(float64(got[i]-w)) <= 1e-6*norm) {
				t.Fatalf("%s: number %d is %v, want %v of a norm of %v", s.Head, i, got[i], w, norm)
			}
		}
	}
}

// TestGradientCUDA compares gradients on a CUDA device with those on the CPU, and logs how
// far they differ.
func TestGradientCUDA(t *testing.T) {
	const device = "cuda:0"
	if err := CheckDevice(device); err != nil {
		t.Skip(err)
	}
	defer lockThread()()
	for _, width := range []int{16, 64, 256, 1024, 2048} {
		s := models.Shape{Obs: 173, Hidden: []int{width, width}, Head: models.Score, Actions: 6, Players: 2}
		gradient := func(device string) []float32 {
			l, shard := random(t, s, 1024, device)
			grad := make([]float32, len(l.mlp.Weights()))
			if err := l.written(grad, shard); err != nil {
				t.Fatal(err)
			}
			return grad
		}
		want, got := gradient("cpu"), gradient(device)
		largest, norm := 0.0, models.Norm(want)
		for i, w := range want {
			got[i] -= w
			largest = max(largest, math.Abs(float64(got[i])))
		}
		difference := models.Norm(got) / norm
		t.Logf("width %d: relative to the norm of the gradient, the difference has the norm %.1e, and its largest number is %.1e", width, difference, largest/norm)
		if !(difference <= 1e-5) {
			t.Errorf("width %d: the difference has %v of the norm of the gradient", width, difference)
		}
	}
}

func TestTensorsStopAtFirstError(t *testing.T) {
	defer lockThread()()
	ts := tensors{device: cpu}
	defer ts.free()
	x := ts.of(make([]float32, 6), 2, 3)
	live := len(ts.live)
	dst := []float32{7}
	ts.read(dst, ts.mm(ts.mm(x, x), x))
	ts.relu(x)
	if want := "gotch: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"; ts.err == nil || ts.err.Error() != want {
		t.Errorf("error %v, want %s", ts.err, want)
	}
	if len(ts.live) != live || dst[0] != 7 {
		t.Errorf("after the error %d tensors are created and %v is read", len(ts.live)-live, dst)
	}
	if err := lastError(); err != nil {
		t.Errorf("the error is not reset: %v", err)
	}
}

func BenchmarkGradient(b *testing.B) {
	defer lockThread()()
	l, shard := random(b, models.Shape{Obs: 173, Hidden: []int{128, 128}, Head: models.Score, Actions: 6, Players: 2}, 1024, "cpu")
	grad := make([]float32, len(l.mlp.Weights()))
	for _, way := range []struct {
		name string
		run  func([]float32, models.Shard) error
	}{{"written", l.written}, {"automatic", l.automatic}} {
		b.Run(way.name, func(b *testing.B) {
			defer lockThread()()
			measure(b, 1024, func() error { return way.run(grad, shard) })
		})
	}
}
