package models

import (
	"fmt"
	"slices"
)

// block describes a tensor of a model file, which is some columns of a layer.
type block struct {
	name     string
	layer    int
	from, to int  // columns
	bias     bool // columns of B, not of W
}

// shape returns the tensor's shape: [out, in] for weights, [out] for biases.
func (b block) shape(s Shape) []int {
	if b.bias {
		return []int{b.to - b.from}
	}
	return []int{b.to - b.from, s.denses()[b.layer].in}
}

// blocks lists the tensors of a network in the order of a model file.
func (s Shape) blocks() []block {
	var bs []block
	add := func(name string, layer, from, to int) {
		bs = append(bs, block{name + ".weight", layer, from, to, false}, block{name + ".bias", layer, from, to, true})
	}
	for i, h := range s.Hidden {
		add(fmt.Sprintf("body.%d", i), i, 0, h)
	}
	policy := "policy"
	if s.Head == Score {
		policy = "score"
	}
	add(policy, len(s.Hidden), 0, s.PolicyWidth())
	add("value", len(s.Hidden), s.PolicyWidth(), s.PolicyWidth()+s.Players)
	return bs
}

// Tensors returns copies of the weights as model files store them:
//
//	body.0.weight [Hidden[0], D]     body.0.bias [Hidden[0]]     ...
//	policy.weight [A, h]             policy.bias [A]
//	value.weight  [P, h]             value.bias  [P]
//
// where h is the last of Hidden. With a policy head of the kind [Score],
// score.weight [1, h] and score.bias [1] stand in the place of the policy's.
func (m *MLP) Tensors() []Tensor {
	var ts []Tensor
	for _, b := range m.shape.blocks() {
		t := Tensor{Name: b.name, Shape: b.shape(m.shape)}
		l := m.layers[b.layer]
		if b.bias {
			t.Data = slices.Clone(l.B[b.from:b.to])
		} else {
			t.Data = make([]float32, 0, (b.to-b.from)*l.In)
			for j := b.from; j < b.to; j++ {
				for i := range l.In {
					t.Data = append(t.Data, l.W[i*l.Out+j])
				}
			}
		}
		ts = append(ts, t)
	}
	return ts
}

// SetTensors sets the weights to what [MLP.Tensors] returned, in any order. If it
// returns an error, which wraps [ErrMismatch], the weights are unchanged.
func (m *MLP) SetTensors(ts []Tensor) error {
	bs := m.shape.blocks()
	if len(ts) != len(bs) {
		return fmt.Errorf("models: %w: %d tensors: want %d", ErrMismatch, len(ts), len(bs))
	}
	data := make([][]float32, len(bs))
	for i, b := range bs {
		j := slices.IndexFunc(ts, func(t Tensor) bool { return t.Name == b.name })
		if j < 0 {
			return fmt.Errorf("models: %w: no tensor %s", ErrMismatch, b.name)
		}
		if want := b.shape(m.shape); !slices.Equal(ts[j].Shape, want) || len(ts[j].Data) != volume(want) {
			return fmt.Errorf("models: %w: %s has shape %v and %d numbers: want %v",
				ErrMismatch, b.name, ts[j].Shape, len(ts[j].Data), want)
		}
		data[i] = ts[j].Data
	}
	for i, b := range bs {
		l := m.layers[b.layer]
		if b.bias {
			copy(l.B[b.from:b.to], data[i])
			continue
		}
		for j := b.from; j < b.to; j++ {
			for k, w := range data[i][(j-b.from)*l.In:][:l.In] {
				l.W[k*l.Out+j] = w
			}
		}
	}
	return nil
}

// volume returns the number of elements of a shape.
func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
