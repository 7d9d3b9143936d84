// Package losstest compares the gradient of a loss with differences of its formula.
package losstest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"marsgym/models"
)

// Learner is a learner whose OnFit is called in the place of Fit.
type Learner struct {
	models.Learner
	OnFit func([]models.Shard)
}

// Fit implements [models.Learner]. It changes no weights.
func (l *Learner) Fit(_ context.Context, shards []models.Shard, _ float64) (norm float64, err error) {
	l.OnFit(shards)
	return 0, nil
}

// Formula is a loss as its documentation states it, in terms of the outputs of a network:
// policy [n, K] and values [n, P].
type Formula func(policy, values []float64) float64

// Check calls the loss of a shard, and returns an error that names the first gradients that
// differ from central differences of the formula by more than tolerance, or nil. No output may be
// within 1e-4 of a kink of the formula.
func Check(s models.Shard, f Formula, policy, values []float32, tolerance float64) error {
	dpolicy, dvalues := make([]float32, len(policy)), make([]float32, len(values))
	s.Loss(policy, values, dpolicy, dvalues)
	p, v := widen(policy), widen(values)
	loss := func() float64 { return f(p, v) }
	return errors.Join(compare("policy", p, dpolicy, loss, tolerance), compare("values", v, dvalues, loss, tolerance))
}

func compare(name string, at []float64, gradient []float32, loss func() float64, tolerance float64) error {
	const h = 1e-4
	var first error
	differ := 0
	for k, x := range at {
		at[k] = x + h
		up := loss()
		at[k] = x - h
		down := loss()
		at[k] = x
		if want := (up - down) / (2 * h); !(math.Abs(float64(gradient[k])-want) <= tolerance) {
			if differ++; first == nil {
				first = fmt.Errorf("gradient in output %d is %v; the formula has %v", k, gradient[k], want)
			}
		}
	}
	if differ > 0 {
		return fmt.Errorf("%s: %d of %d gradients differ: %w", name, differ, len(at), first)
	}
	return nil
}

func widen(x []float32) []float64 {
	dst := make([]float64, len(x))
	for i, v := range x {
		dst[i] = float64(v)
	}
	return dst
}

// LogSoftmax returns the logarithms of the softmax of x, directly from its definition.
func LogSoftmax(x []float64) []float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v)
	}
	logs := make([]float64, len(x))
	for i, v := range x {
		logs[i] = v - math.Log(sum)
	}
	return logs
}
