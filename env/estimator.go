package env

import (
	"context"

	"marsgym/env/search"
)

// Estimator estimates the values of positions.
type Estimator interface {
	// Values writes the estimated share of the win of each seat to dst [n, P], for
	// positions of the game of any kind.
	Values(ctx context.Context, dst []float64, at []Position) error
}

// estimator estimates by searches.
type estimator[S comparable] struct{ search.Searcher[S] }

// Values implements [Estimator].
func (e estimator[S]) Values(ctx context.Context, dst []float64, at []Position) error {
	states := make([]S, len(at))
	for i, p := range at {
		own := p.(position[S])
		states[i], _ = own.rules.Canonical(own.s)
	}
	return e.Searcher.Values(ctx, dst, states)
}
