package testgames

import "marsgym/env"

// Mixture plays like policy A with a probability, and otherwise like B.
type Mixture struct {
	A, B env.Policy
	Prob float64
}

// Probs implements [env.Policy].
func (m Mixture) Probs(dst []float64, d env.Decisions) error {
	other := make([]float64, len(dst))
	if err := m.A.Probs(dst, d); err != nil {
		return err
	}
	if err := m.B.Probs(other, d); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = float64(m.Prob*dst[i]) + float64((1-m.Prob)*other[i])
	}
	return nil
}
