package models

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"marsgym/internal/kernel/elementary"
)

// MLP is a network: its weights and its forward pass. Several goroutines may use it
// at the same time while none changes its weights.
type MLP struct {
	shape   Shape
	weights []float32
	layers  []Layer
	scratch sync.Pool // of *scratch
	near    sync.Pool // of *Observations
}

// Layer is one dense layer, y = x·W + b. Its slices are views of an MLP's weights. A
// row of W belongs to one input, so a zero input skips contiguous memory; model files
// store the transpose.
type Layer struct {
	In, Out int
	W       []float32 // [In, Out]
	B       []float32 // [Out]
}

// newMLP returns a network with all weights zero. The shape must be valid.
func newMLP(s Shape) *MLP {
	s.Hidden = slices.Clone(s.Hidden)
	m := &MLP{shape: s, weights: make([]float32, s.Size())}
	rest, widest := m.weights, 0
	take := func(n int) (head []float32) {
		head, rest = rest[:n:n], rest[n:]
		return head
	}
	for _, d := range s.denses() {
		m.layers = append(m.layers, Layer{d.in, d.out, take(d.in * d.out), take(d.out)})
		widest = max(widest, d.out)
	}
	m.scratch.New = func() any {
		return &scratch{make([]float32, chunk*widest), make([]float32, chunk*widest)}
	}
	return m
}

// NewMLP returns a network with random weights drawn from src. They are normal, with
// standard deviation √(2/in) in the body (He et al., arXiv:1502.01852, eq. 10),
// 1/√in in the value head and a hundredth of that in the policy head, so that
// training starts from a nearly uniform policy (Andrychowicz et al.,
// arXiv:2006.05990, section 3.2). Biases are zero.
func NewMLP(s Shape, src *rand.PCG) (*MLP, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	m, r := newMLP(s), rand.New(src)
	for i, l := range m.layers {
		head := i == len(m.layers)-1
		for j := range l.W {
			gain := math.Sqrt2
			switch {
			case head && j%l.Out < s.PolicyWidth():
				gain = 0.01
			case head:
				gain = 1
			}
			l.W[j] = float32(gain / math.Sqrt(float64(l.In)) * elementary.Normal(r))
		}
	}
	return m, nil
}

// NewMLPOf returns a network with the weights that [MLP.WeightBytes] returned. It returns an
// error if their number is wrong, or if one is not finite.
func NewMLPOf(s Shape, weights []byte) (*MLP, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	if want := 4 * s.Size(); len(weights) != want {
		return nil, fmt.Errorf("models: the weights are %d bytes; want %d", len(weights), want)
	}
	m := newMLP(s)
	if _, err := binary.Decode(weights, binary.LittleEndian, m.weights); err != nil {
		return nil, err
	}
	return m, m.CheckFinite()
}

// WeightBytes returns the weights in the order of [MLP.Weights], four bytes each.
func (m *MLP) WeightBytes() []byte {
	b := make([]byte, 4*len(m.weights))
	if _, err := binary.Encode(b, binary.LittleEndian, m.weights); err != nil {
		panic("models: " + err.Error()) // numbers have a fixed size
	}
	return b
}

// Shape returns the shape of the network.
func (m *MLP) Shape() Shape {
	s := m.shape
	s.Hidden = slices.Clone(s.Hidden)
	return s
}

// Weights returns all weights in one slice, layer by layer, W before B. It is not a
// copy: an optimizer writes to it.
func (m *MLP) Weights() []float32 { return m.weights }

// Layers returns the body's layers in order and then both heads as one layer, whose
// columns are the K of the policy and the P values. They are views of [MLP.Weights].
func (m *MLP) Layers() []Layer { return slices.Clone(m.layers) }

// Clone returns a copy of the network that shares no memory with it.
func (m *MLP) Clone() *MLP {
	c := newMLP(m.shape)
	copy(c.weights, m.weights)
	return c
}

// CheckFinite returns an error that names the first weight that is NaN or infinite,
// or nil.
func (m *MLP) CheckFinite() error {
	for i, w := range m.weights {
		if w-w != 0 {
			return fmt.Errorf("weight %d of %d is %v", i, len(m.weights), w)
		}
	}
	return nil
}

const (
	// maxObservation is above the magnitude of all numbers in observations. Chosen: those of
	// the games of this module are below 10.
	maxObservation = 1 << 10
	// maxOutput leaves room for the difference of two outputs.
	maxOutput = math.MaxFloat32 / 4
)

// CheckOutputs returns an error if a number that the network computes could overflow for
// some observation, so that its outputs would be infinite or NaN. It bounds all numbers by
// the sums of the weights of either sign, which trained networks stay far below.
func (m *MLP) CheckOutputs() error {
	bound := make([]float64, m.shape.Obs) // of the inputs of a layer
	for i := range bound {
		bound[i] = maxObservation
	}
	for k, l := range m.layers {
		up, down := make([]float64, l.Out), make([]float64, l.Out)
		add := func(j int, x float64) {
			if x > 0 {
				up[j] += x
			} else {
				down[j] -= x
			}
		}
		for j, b := range l.B {
			add(j, float64(b))
		}
		for i, x := range bound {
			for j, w := range l.W[i*l.Out : (i+1)*l.Out] {
				add(j, float64(float64(w)*x))
				if k == 0 { // observations have either sign, and the outputs of a ReLU do not
					add(j, -float64(float64(w)*x))
				}
			}
		}
		for j := range up {
			if !(max(up[j], down[j]) <= maxOutput) {
				return fmt.Errorf("its weights are so large that its outputs overflow (layer %d, unit %d); use another checkpoint, or train with a lower learning rate", k, j)
			}
		}
		bound = up
	}
	return nil
}
