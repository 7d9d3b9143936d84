package models

import (
	"fmt"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/parallel"
)

// chunk is the number of rows that one forward pass handles at once. Chosen so that
// the outputs of two layers of 128 columns stay in a 256 KiB cache.
const chunk = 256

// scratch holds the outputs of two layers for one chunk.
type scratch struct{ x, y []float32 }

// Forward runs the network on obs [n, D] and fills policy [n, K] and values [n, P].
// Either may be nil, and is then not computed. Values are of the shape's [ValueKind],
// in the order of play from the viewer of the observation.
//
// Up to GOMAXPROCS goroutines share the rows. If the weights are finite, the outputs
// of a row are the same to the bit whatever the other rows are. Forward panics if the
// lengths do not match.
func (m *MLP) Forward(policy, values, obs []float32) {
	n := len(obs) / m.shape.Obs
	m.check("Forward", n, policy, values)
	if len(obs) != n*m.shape.Obs {
		panic(fmt.Sprintf("models: Forward: obs has length %d: want a multiple of %d", len(obs), m.shape.Obs))
	}
	if n <= chunk { // without a closure, which would be allocated
		m.forward(0, n, policy, values, obs, nil, 0)
		return
	}
	parallel.For(n, chunk, func(from, to int) { m.forward(from, to, policy, values, obs, nil, 0) })
}

// ForwardObservations is [MLP.Forward] for the observations from <= i < to, with the
// same results to the bit.
func (m *MLP) ForwardObservations(policy, values []float32, obs *Observations, from, to int) {
	n := to - from
	m.check("ForwardObservations", n, policy, values)
	if d := obs.rows.Columns(); d != m.shape.Obs {
		panic(fmt.Sprintf("models: ForwardObservations: observations of %d numbers: want %d", d, m.shape.Obs))
	}
	if n <= chunk {
		m.forward(0, n, policy, values, nil, obs, from)
		return
	}
	parallel.For(n, chunk, func(i, j int) { m.forward(i, j, policy, values, nil, obs, from) })
}

// ForwardNear is [MLP.Forward] for observations of which those from first[i] on, up to
// first[i+1], differ little, such as the afterstates of a decision. It takes less time if they
// have many numbers that are not 0. The results are the same to rounding, and to the bit
// whatever the other groups are.
func (m *MLP) ForwardNear(policy, values, obs []float32, first []int) {
	o, _ := m.near.Get().(*Observations)
	if o == nil {
		o = NewObservations(m.shape.Obs, nil)
	}
	defer m.near.Put(o)
	o.Reset()
	d := m.shape.Obs
	for i, from := range first[:len(first)-1] {
		if to := first[i+1]; from < to {
			o.AppendNear(obs[from*d:(from+1)*d], obs[(from+1)*d:to*d])
		}
	}
	m.ForwardObservations(policy, values, o, 0, o.Len())
}

// check panics unless policy and values have room for n rows, or are nil.
func (m *MLP) check(name string, n int, policy, values []float32) {
	k, p := m.shape.PolicyWidth(), m.shape.Players
	if policy != nil && len(policy) != n*k || values != nil && len(values) != n*p {
		panic(fmt.Sprintf("models: %s: policy and values have lengths %d and %d: want %d rows of %d and %d",
			name, len(policy), len(values), n, k, p))
	}
}

// forward computes the rows from <= i < to of policy and values, at most chunk of them,
// from the rows of obs or, if that is nil, from the rows first+i of sparse.
func (m *MLP) forward(from, to int, policy, values, obs []float32, sparse *Observations, first int) {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	n, last := to-from, len(m.layers)-1
	var x []float32
	for i, l := range m.layers[:last] {
		y := s.y[:n*l.Out]
		switch {
		case i > 0:
			l.ReLU(y, x)
		case sparse != nil:
			l.ReLUObservations(y, sparse, first+from, first+to)
		default:
			l.ReLU(y, obs[from*l.In:to*l.In])
		}
		x, s.x, s.y = y, s.y, s.x
	}
	heads, k, p := m.layers[last], m.shape.PolicyWidth(), m.shape.Players
	switch {
	case policy == nil && values == nil:
	case values == nil:
		heads.columns(0, k, policy[from*k:to*k], x)
	case policy == nil:
		heads.columns(k, k+p, values[from*p:to*p], x)
	default:
		y := s.y[:n*(k+p)]
		heads.Linear(y, x)
		Split(policy[from*k:to*k], values[from*p:to*p], y, k, p)
	}
}

// Split copies the outputs of both heads, y [n, k+p], to policy [n, k] and values
// [n, p].
func Split(policy, values, y []float32, k, p int) {
	for len(y) > 0 {
		copy(policy[:k], y)
		copy(values[:p], y[k:])
		policy, values, y = policy[k:], values[p:], y[k+p:]
	}
}

// Linear sets y [n, Out] to x·W + b, for x [n, In].
func (l Layer) Linear(y, x []float32) { l.columns(0, l.Out, y, x) }

// columns sets y [n, to-from] to the columns from <= j < to of x·W + b.
func (l Layer) columns(from, to int, y, x []float32) {
	c := to - from
	for i := 0; i < len(y); i += c {
		copy(y[i:i+c], l.B[from:to])
	}
	sgemm.Gemm(false, false, len(y)/c, c, l.In, x, l.In, l.W[from:], l.Out, y, c, true)
}

// ReLU sets y [n, Out] to max(x·W + b, 0), for x [n, In]. NaN stays NaN, but a weight
// that is NaN may have no effect where x is 0.
func (l Layer) ReLU(y, x []float32) {
	sgemm.Sparse(len(y)/l.Out, l.Out, l.In, x, l.W, y, sgemm.Epilogue{Bias: l.B, ReLU: true})
}

// ReLUObservations is [Layer.ReLU] for x the observations from <= i < to.
func (l Layer) ReLUObservations(y []float32, obs *Observations, from, to int) {
	obs.relu(from, to, l.Out, l.W, l.B, y)
}
