package gorgonia_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"marsgym/models"
	"marsgym/models/gorgonia"
)

// squares is a shard with the loss Σ (output − target)² / 2.
type squares struct {
	shape  models.Shape
	obs    []float32 // [n, D]
	policy []float32 // [n, K] targets
	values []float32 // [n, P] targets
}

func newSquares(s models.Shape, r *rand.Rand, n int) squares {
	return squares{s, noise(r, n*s.Obs), noise(r, n*s.PolicyWidth()), noise(r, n*s.Players)}
}

func (q squares) shard() models.Shard {
	return models.Shard{Obs: models.NewObservations(q.shape.Obs, q.obs), Loss: func(p, v, dp, dv []float32) {
		for i := range p {
			dp[i] = p[i] - q.policy[i]
		}
		for i := range v {
			dv[i] = v[i] - q.values[i]
		}
	}}
}

// gradient returns the gradient that Fit computes. With Beta1 = 0, Adam's mean gradient
// is the last gradient.
func gradient(t *testing.T, mlp *models.MLP, shards ...models.Shard) []float32 {
	t.Helper()
	cfg := models.DefaultAdam()
	cfg.Beta1 = 0
	l, err := gorgonia.New(mlp.Clone(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	norm, err := l.Fit(t.Context(), shards, 0)
	if err != nil {
		t.Fatal(err)
	}
	grad := l.State()[0].Data
	if want := models.Norm(grad); !(math.Abs(norm-want) <= 1e-12*want) {
		t.Errorf("norm returned by Fit is %v: want %v", norm, want)
	}
	return grad
}

// near fails unless got differs from want by at most tol times the largest number of
// want.
func near(t *testing.T, what string, got, want []float32, tol float64) {
	t.Helper()
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(float64(w)))
	}
	if !(scale > 0) || len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d, the largest %v", what, len(got), len(want), scale)
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i]-w)) <= tol*scale) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// random returns a network with normal weights, in which the biases and the policy head
// are not small.
func random(t *testing.T, s models.Shape, seed uint64) *models.MLP {
	t.Helper()
	mlp, err := models.NewMLP(s, rand.NewPCG(seed, 0))
	if err != nil {
		t.Fatal(err)
	}
	copy(mlp.Weights(), noise(rand.New(rand.NewPCG(seed, 1)), len(mlp.Weights())))
	return mlp
}

// plain is the same network and loss, built from gorgonia's own operations.
type plain struct {
	grads   G.Nodes // W, b of each layer
	weights G.Nodes
	vm      G.VM
}

func newPlain(t testing.TB, mlp *models.MLP, q squares) *plain {
	t.Helper()
	var (
		s  = mlp.Shape()
		n  = len(q.obs) / s.Obs
		g  = G.NewGraph()
		pl = &plain{}
	)
	input := func(name string, rows, cols int, data []float32) *G.Node {
		v := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(slices.Clone(data)))
		return G.NewMatrix(g, tensor.Float32, G.WithName(name), G.WithShape(rows, cols), G.WithValue(v))
	}
	x := input("x", n, s.Obs, q.obs)
	layers := mlp.Layers()
	for i, l := range layers {
		w := input("W"+string(rune('0'+i)), l.In, l.Out, l.W)
		b := input("b"+string(rune('0'+i)), 1, l.Out, l.B)
		pl.weights = append(pl.weights, w, b)
		x = G.Must(G.BroadcastAdd(G.Must(G.Mul(x, w)), b, nil, []byte{0}))
		if i < len(layers)-1 {
			x = G.Must(G.Rectify(x))
		}
	}
	var targets []float32
	k, p := s.PolicyWidth(), s.Players
	for i := range n {
		targets = append(targets, q.policy[i*k:(i+1)*k]...)
		targets = append(targets, q.values[i*p:(i+1)*p]...)
	}
	d := G.Must(G.Sub(x, input("targets", n, k+p, targets)))
	cost := G.Must(G.Mul(G.Must(G.Sum(G.Must(G.Square(d)))), G.NewConstant(float32(0.5))))
	var err error
	if pl.grads, err = G.Grad(cost, pl.weights...); err != nil {
		t.Fatal(err)
	}
	pl.vm = G.NewTapeMachine(g, G.BindDualValues(pl.weights...))
	return pl
}

func TestGradientAgainstPlainGraph(t *testing.T) {
	for _, s := range []models.Shape{scoreShape, logitsShape} {
		mlp := random(t, s, 21)
		q := newSquares(s, rand.New(rand.NewPCG(22, 0)), 33)
		got := gradient(t, mlp, q.shard())
		pl := newPlain(t, mlp, q)
		if err := pl.vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		var want []float32
		for _, w := range pl.weights {
			v, err := w.Grad()
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, v.Data().([]float32)...)
		}
		near(t, "gradient against gorgonia's own operations", got, want, 1e-5)
	}
}

// TestGraphGrows: a graph is rebuilt for larger shards, and gives the same gradients.
func TestGraphGrows(t *testing.T) {
	s := scoreShape
	mlp := random(t, s, 31)
	r := rand.New(rand.NewPCG(32, 0))
	shard := newSquares(s, r, 300).shard()
	want := gradient(t, mlp, shard)
	cfg := models.DefaultAdam()
	cfg.Beta1 = 0
	l, err := gorgonia.New(mlp.Clone(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, shard := range []models.Shard{newSquares(s, r, 1).shard(), newSquares(s, r, 90).shard(), shard, newSquares(s, r, 5).shard(), shard} {
		if _, err := l.Fit(t.Context(), []models.Shard{shard}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(l.State()[0].Data, want) {
		t.Error("a graph that was rebuilt gives another gradient")
	}
}
