//go:build gotch && cgo

package gotch

// In package gotch: the tests compare its unexported operations on tensors with plain arithmetic
// in float64.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// matrix is a matrix in rows, in float64.
type matrix struct {
	rows, columns int
	at            []float64
}

// draw returns a matrix of small numbers with many ties, zeros and, if special, NaN and infinities.
func draw(r *rand.Rand, rows, columns int, special bool) matrix {
	m := matrix{rows, columns, make([]float64, rows*columns)}
	for i := range m.at {
		m.at[i] = float64(r.IntN(9)-4) / 2
		if special && r.IntN(12) == 0 {
			m.at[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
		}
	}
	return m
}

// transposed returns the transpose.
func (m matrix) transposed() matrix {
	t := matrix{m.columns, m.rows, make([]float64, len(m.at))}
	for i := range m.rows {
		for j := range m.columns {
			t.at[j*t.columns+i] = m.at[i*m.columns+j]
		}
	}
	return t
}

// times returns m·o + b, where b is a row, or nil for zeros.
func (m matrix) times(o matrix, b []float64) matrix {
	p := matrix{m.rows, o.columns, make([]float64, m.rows*o.columns)}
	for i := range p.at {
		if b != nil {
			p.at[i] = b[i%p.columns]
		}
		for k := range m.columns {
			p.at[i] += m.at[i/p.columns*m.columns+k] * o.at[k*o.columns+i%p.columns]
		}
	}
	return p
}

// floats returns the elements as float32.
func (m matrix) floats() []float32 {
	x := make([]float32, len(m.at))
	for i, v := range m.at {
		x[i] = float32(v)
	}
	return x
}

// upload copies a matrix to the device.
func (m matrix) upload(t *tensors) tensor { return t.of(m.floats(), m.rows, m.columns) }

// same fails unless x holds the numbers want. They are sums of few small multiples of 1/4, so that
// float32 is exact in any order of the terms.
func same(t *testing.T, ts *tensors, what string, x tensor, want matrix) {
	t.Helper()
	got := make([]float32, len(want.at))
	ts.read(got, x)
	if ts.err != nil {
		t.Fatalf("%s: %v", what, ts.err)
	}
	for i, w := range want.at {
		if g := float64(got[i]); g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Fatalf("%s: element %d, %d is %v, want %v", what, i/want.columns, i%want.columns, g, w)
		}
	}
}

// TestOperations compares the operations with float64: on views that are transposes, on shapes of
// one row or column and without rows, with ties, NaN and infinities.
func TestOperations(t *testing.T) {
	defer lockThread()()
	r := rand.New(rand.NewPCG(1, 0))
	for _, s := range [][3]int{{1, 1, 1}, {1, 5, 3}, {5, 1, 3}, {4, 3, 1}, {7, 4, 9}, {33, 64, 5}, {40, 17, 128}, {0, 3, 2}} {
		for _, special := range []bool{false, true} {
			n, k, m := s[0], s[1], s[2]
			ts := tensors{device: cpu}
			x, w, dz := draw(r, n, k, special), draw(r, k, m, special), draw(r, n, m, special)
			b := draw(r, 1, m, special)
			about := fmt.Sprintf("%d×%d×%d, special %t: ", n, k, m, special)
			cx, cw, cz := x.upload(&ts), w.upload(&ts), dz.upload(&ts)
			same(t, &ts, about+"product", ts.mm(cx, cw), x.times(w, nil))
			same(t, &ts, about+"product with a transpose", ts.mm(cz, ts.transpose(cw)), dz.times(w.transposed(), nil))
			same(t, &ts, about+"product of a transpose", ts.mm(ts.transpose(cx), cz), x.transposed().times(dz, nil))
			same(t, &ts, about+"product of transposes", ts.mm(ts.transpose(cw), ts.transpose(cx)), x.times(w, nil).transposed())
			same(t, &ts, about+"layer", ts.addmm(ts.of(b.floats(), m), cx, cw), x.times(w, b.at))

			ones := matrix{1, n, slices.Repeat([]float64{1}, n)}
			same(t, &ts, about+"sums of columns", ts.sumRows(cz), ones.times(dz, nil))

			gradient, positive := draw(r, n, m, special), dz
			want := matrix{n, m, slices.Clone(gradient.at)}
			for i, y := range positive.at {
				if y <= 0 {
					want.at[i] = 0
				}
			}
			cg := gradient.upload(&ts)
			ts.reluGradient(cg, cz)
			same(t, &ts, about+"gradient of ReLU", cg, want)

			for i, y := range positive.at {
				if y <= 0 {
					positive.at[i] = 0
				}
			}
			ts.relu(cz)
			same(t, &ts, about+"ReLU", cz, positive)
			ts.free()
		}
	}
}

// TestTensorsAreCopies: a tensor holds the bits that it was made of, and shares no memory with them.
func TestTensorsAreCopies(t *testing.T) {
	defer lockThread()()
	ts := tensors{device: cpu}
	defer ts.free()
	for _, shape := range [][]int{{7}, {1, 7}, {7, 1}} {
		data := []float32{
			0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, math.MaxFloat32,
			float32(math.Inf(1)), float32(math.Inf(-1)), math.Float32frombits(0x7fc12345),
		}
		want := slices.Clone(data)
		x := ts.of(data, shape...)
		clear(data)
		got := make([]float32, len(want))
		ts.read(got, x)
		got[0]++
		ts.read(data, x)
		if ts.err != nil {
			t.Fatal(ts.err)
		}
		for i, w := range want {
			if math.Float32bits(data[i]) != math.Float32bits(w) {
				t.Errorf("shape %v: element %d is %x, want %x", shape, i, math.Float32bits(data[i]), math.Float32bits(w))
			}
		}
	}
}
