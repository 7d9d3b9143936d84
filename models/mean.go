package models

import (
	"fmt"
	"reflect"
)

// Mean returns a network whose outputs are the sums of those of networks of one shape, each
// times its weight, up to rounding. It holds their hidden layers side by side: its shape is
// theirs with [Shape.Widen]. It returns an error if the shapes differ, or if that of the
// mean is not valid.
func Mean(networks []*MLP, weights []float32) (*MLP, error) {
	if len(networks) == 0 || len(networks) != len(weights) {
		return nil, fmt.Errorf("models: %d weights for %d networks", len(weights), len(networks))
	}
	shape := networks[0].shape
	wide := shape.Widen(len(networks))
	if err := wide.Validate(); err != nil {
		return nil, fmt.Errorf("models: the mean of %d networks: %w", len(networks), err)
	}
	mean := newMLP(wide)
	for k, m := range networks {
		if !reflect.DeepEqual(m.shape, shape) {
			return nil, fmt.Errorf("models: the mean of networks of shapes %+v and %+v", shape, m.shape)
		}
		for i, to := range mean.layers {
			// The inputs of the first layer are those of all networks, and so are the
			// outputs of the last.
			from, row, column := m.layers[i], k*m.layers[i].In, k*m.layers[i].Out
			if i == 0 {
				row = 0
			}
			factor := float32(1)
			if i == len(mean.layers)-1 {
				column, factor = 0, weights[k]
			}
			add := func(y, x []float32) {
				for j, v := range x {
					y[j] += float32(factor * v)
				}
			}
			for j := range from.In {
				add(to.W[(row+j)*to.Out+column:], from.W[j*from.Out:][:from.Out])
			}
			add(to.B[column:], from.B)
		}
	}
	return mean, nil
}
