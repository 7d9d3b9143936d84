package libraries_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

// TestTensorIsMemory: a tensor with a backing is that memory, and changes with it.
func TestTensorIsMemory(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {1, 5}, {5, 1}, {3, 4}} {
		data := make([]float32, shape[0]*shape[1])
		for i := range data {
			data[i] = float32(i)
		}
		d := tensor.New(tensor.WithShape(shape[0], shape[1]), tensor.WithBacking(data))
		data[0], data[len(data)-1] = float32(math.NaN()), float32(math.Inf(-1))
		if got := d.Float32s(); &got[0] != &data[0] || len(got) != len(data) {
			t.Errorf("shape %v: Float32s is not the backing", shape)
		}
		if got := d.Shape(); !slices.Equal(got, shape[:]) || !slices.Equal(got.Clone(), shape[:]) {
			t.Errorf("shape %v: Shape is %v, its clone %v", shape, got, got.Clone())
		}
	}
	if s := tensor.ScalarShape(); len(s) != 0 {
		t.Errorf("ScalarShape is %v", s)
	}
}

// square returns a random n×n matrix in rows, and as a slice of a larger one.
func square(r *rand.Rand, n int) ([][]float64, mat.Matrix) {
	rows, large := make([][]float64, n), mat.NewDense(n+2, n+3, nil)
	for i := range n + 2 {
		for j := range n + 3 {
			large.Set(i, j, r.NormFloat64())
		}
	}
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range n {
			rows[i][j] = large.At(i+1, j+1)
		}
	}
	return rows, large.Slice(1, n+1, 1, n+1)
}

// product returns a·b.
func product(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i := range a {
		c[i] = make([]float64, len(b))
		for j := range b {
			for k := range b {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

// equal fails unless the matrices differ by at most 1e-9 in each element.
func equal(t *testing.T, what string, got mat.Matrix, want [][]float64) {
	t.Helper()
	for i := range want {
		for j := range want {
			if !(math.Abs(got.At(i, j)-want[i][j]) <= 1e-9) {
				t.Fatalf("%s: element %d, %d is %v, want %v", what, i, j, got.At(i, j), want[i][j])
			}
		}
	}
}

func TestMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for n := 1; n <= 12; n++ {
		a, av := square(r, n)
		b, bv := square(r, n)
		var c, inverse, one mat.Dense
		c.Mul(av, bv)
		equal(t, fmt.Sprint("product of slices, ", n), &c, product(a, b))
		if err := inverse.Inverse(av); err != nil {
			t.Fatal(err)
		}
		one.Mul(&inverse, av)
		identity := make([][]float64, n)
		for i := range identity {
			identity[i] = make([]float64, n)
			identity[i][i] = 1
		}
		equal(t, fmt.Sprint("inverse of a slice, ", n), &one, identity)

		// A positive definite system: a'a + 1.
		s, x, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				sum := identity[i][j]
				for k := range n {
					sum += a[k][i] * a[k][j]
				}
				s.SetSym(i, j, sum)
				if s.At(j, i) != sum {
					t.Fatal("SetSym sets one of two elements")
				}
			}
			y.SetVec(i, r.NormFloat64())
		}
		var factors mat.Cholesky
		if !factors.Factorize(s) {
			t.Fatalf("a positive definite matrix of size %d has no factors", n)
		}
		if err := factors.SolveVecTo(x, y); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			sum := 0.0
			for j := range n {
				sum += s.At(i, j) * x.AtVec(j)
			}
			if !(math.Abs(sum-y.AtVec(i)) <= 1e-9) {
				t.Fatalf("size %d: row %d of the solution gives %v, want %v", n, i, sum, y.AtVec(i))
			}
		}
	}
	var inverse mat.Dense
	if err := inverse.Inverse(mat.NewDense(2, 2, []float64{1, 2, 2, 4})); err == nil {
		t.Error("a singular matrix has an inverse")
	}
	var factors mat.Cholesky
	if factors.Factorize(mat.NewSymDense(2, []float64{1, 2, 2, 1})) {
		t.Error("a matrix that is not positive definite has factors")
	}
}

func TestMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for n := 2; n < 40; n++ {
		x := make([]float64, n)
		sum := 0.0
		for i := range x {
			x[i] = 1e6 + math.Floor(8*r.Float64()) // with ties, far from 0
			sum += x[i]
		}
		mean, squares := sum/float64(n), 0.0
		for _, x := range x {
			squares += (x - mean) * (x - mean)
		}
		if got := stat.Mean(x, nil); !(math.Abs(got-mean) <= 1e-9) {
			t.Errorf("the mean of %d numbers is %v, want %v", n, got, mean)
		}
		if m, deviation := stat.MeanStdDev(x, nil); !(math.Abs(m-mean) <= 1e-9 && math.Abs(deviation-math.Sqrt(squares/float64(n-1))) <= 1e-9) {
			t.Errorf("the mean and deviation of %d numbers are %v and %v", n, m, deviation)
		}
		if got, want := stat.Variance(x, nil), squares/float64(n-1); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("the variance of %d numbers is %v, want %v", n, got, want)
		}
	}
}

// TestStudent: the density between the quantiles of p and of 1 − p has the integral 2p − 1.
func TestStudent(t *testing.T) {
	for freedom := 1; freedom <= 30; freedom++ {
		nu := float64(freedom)
		gamma := func(x float64) float64 { g, _ := math.Lgamma(x); return g }
		scale := math.Exp(gamma((nu+1)/2)-gamma(nu/2)) / math.Sqrt(nu*math.Pi)
		for _, p := range []float64{.6, .9, .975, .995} {
			q := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}.Quantile(p)
			const steps = 20_000 // of Simpson's rule, over the angle whose tangent is x/√ν
			end, integral := math.Atan(q/math.Sqrt(nu)), 0.0
			for i := range 2*steps + 1 {
				weight := float64(2 + 2*(i%2))
				if i == 0 || i == 2*steps {
					weight = 1
				}
				integral += weight * math.Pow(math.Cos(end*float64(i)/(2*steps)), nu-1)
			}
			integral *= scale * math.Sqrt(nu) * end / (6 * steps)
			if !(math.Abs(integral-(p-.5)) <= 1e-9) {
				t.Errorf("%d degrees of freedom: the quantile of %v is %v, below which lies %v", freedom, p, q, .5+integral)
			}
		}
	}
}
