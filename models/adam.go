package models

import (
	"errors"
	"fmt"
	"math"

	"marsgym/internal/kernel/elementary"
	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/parallel"
)

// AdamConfig are the settings of [Adam].
type AdamConfig struct {
	Beta1       float64 `json:"beta1"`         // decay of the mean gradient
	Beta2       float64 `json:"beta2"`         // decay of the mean squared gradient
	Eps         float64 `json:"eps"`           // added to the square root of the latter
	MaxGradNorm float64 `json:"max_grad_norm"` // largest norm of a gradient; 0 for no clipping
}

// DefaultAdam returns the settings of Kingma and Ba, arXiv:1412.6980, algorithm 1,
// without clipping.
func DefaultAdam() AdamConfig {
	return AdamConfig{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
}

// maxBeta is the largest decay rate: with it, the bias corrections are exactly 1 after
// maxSteps steps.
const maxBeta = 0.99999

// Validate reports all faults at once.
func (c AdamConfig) Validate() error {
	var errs []error
	for _, b := range []struct {
		name string
		beta float64
	}{{"beta1", c.Beta1}, {"beta2", c.Beta2}} {
		if !(b.beta >= 0 && b.beta <= maxBeta) {
			errs = append(errs, fmt.Errorf("adam.%s is %v; want 0 to %v", b.name, b.beta, maxBeta))
		}
	}
	if !(c.Eps >= 1e-30 && c.Eps <= 1) {
		errs = append(errs, fmt.Errorf("adam.eps is %v; want 1e-30 to 1", c.Eps))
	}
	if !(c.MaxGradNorm >= 0 && c.MaxGradNorm <= math.MaxFloat32) {
		errs = append(errs, fmt.Errorf("adam.max_grad_norm is %v; want a positive norm, or 0 for none", c.MaxGradNorm))
	}
	return errors.Join(errs...)
}

const (
	// maxNorm is the largest norm of a gradient that counts as finite: its square
	// still fits in a float32.
	maxNorm = 1e18
	// maxSteps is the number at which the step count stops: float32 counts exactly up
	// to it, and both bias corrections are exactly 1 before it.
	maxSteps = 1 << 24
)

// Adam is the optimizer of Kingma and Ba, arXiv:1412.6980, applied to a gradient that
// is first clipped to a maximum norm.
type Adam struct {
	cfg   AdamConfig
	m, v  []float32 // [weights] mean gradient, mean squared gradient
	steps int
}

// NewAdam returns an optimizer for n weights.
func NewAdam(n int, cfg AdamConfig) (*Adam, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return &Adam{cfg: cfg, m: make([]float32, n), v: make([]float32, n)}, nil
}

// Step updates the weights [n] by one step of gradient descent, for the gradient
// grad [n] and the learning rate rate:
//
//	m ← β₁·m + (1−β₁)·g      v ← β₂·v + (1−β₂)·g²
//	w ← w − rate · m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + ε)
//
// It returns the norm of the gradient before clipping. If that is not finite it
// changes nothing and returns an error that wraps [ErrDiverged].
func (a *Adam) Step(weights, grad []float32, rate float64) (norm float64, err error) {
	if len(weights) != len(a.m) || len(grad) != len(a.m) {
		panic(fmt.Sprintf("models: Adam.Step: weights and grad have lengths %d and %d: want %d", len(weights), len(grad), len(a.m)))
	}
	if !(rate >= 0 && rate <= math.MaxFloat32) {
		return 0, fmt.Errorf("models: learning rate is %v: want a finite number that is not negative", rate)
	}
	norm = Norm(grad)
	if !(norm <= maxNorm) {
		return norm, fmt.Errorf("models: %w: the gradient's norm is %v; lower the learning rate", ErrDiverged, norm)
	}
	scale := float32(1)
	if a.cfg.MaxGradNorm > 0 && norm > a.cfg.MaxGradNorm {
		scale = float32(a.cfg.MaxGradNorm / norm)
	}
	a.steps = min(a.steps+1, maxSteps)
	t := float64(a.steps)
	step := sgemm.Adam{
		Scale: scale,
		Beta1: float32(a.cfg.Beta1),
		Rest1: float32(1 - a.cfg.Beta1),
		Beta2: float32(a.cfg.Beta2),
		Rest2: float32(1 - a.cfg.Beta2),
		Rate:  float32(rate / (1 - elementary.Pow(a.cfg.Beta1, t))),
		Root:  float32(1 / math.Sqrt(1-elementary.Pow(a.cfg.Beta2, t))),
		Eps:   float32(a.cfg.Eps),
	}
	parallel.For(len(grad), stepRange, func(i, j int) { step.Step(weights[i:j], a.m[i:j], a.v[i:j], grad[i:j]) })
	return norm, nil
}

// Norm returns the Euclidean norm of x, summed in float64.
func Norm(x []float32) float64 {
	squares := make([]float64, (len(x)+weightRange-1)/weightRange)
	parallel.For(len(x), weightRange, func(from, to int) { squares[from/weightRange] = sumOfSquares(x[from:to]) })
	sum := 0.0
	for _, s := range squares {
		sum += s
	}
	return math.Sqrt(sum)
}

func sumOfSquares(x []float32) float64 {
	var a, b, c, d float64 // four sums, so that an addition need not wait for the one before
	for ; len(x) >= 4; x = x[4:] {
		a += square(x[0])
		b += square(x[1])
		c += square(x[2])
		d += square(x[3])
	}
	var rest [4]float32
	copy(rest[:], x)
	return ((a + square(rest[0])) + (b + square(rest[1]))) + ((c + square(rest[2])) + d)
}

func square(x float32) float64 { return float64(float64(x) * float64(x)) }

// State returns copies of the moments, [n] each in the order of [MLP.Weights], and of
// the step count, as the tensors adam.m, adam.v and adam.steps.
func (a *Adam) State() []Tensor {
	n := len(a.m)
	return []Tensor{
		{"adam.m", []int{n}, append([]float32(nil), a.m...)},
		{"adam.v", []int{n}, append([]float32(nil), a.v...)},
		{"adam.steps", []int{1}, []float32{float32(a.steps)}},
	}
}

// Restore restores what [Adam.State] returned, and ignores other tensors. If it
// returns an error, which wraps [ErrMismatch], nothing is changed.
func (a *Adam) Restore(state []Tensor) error {
	got := map[string][]float32{}
	for _, t := range state {
		got[t.Name] = t.Data
	}
	m, v, steps := got["adam.m"], got["adam.v"], got["adam.steps"]
	if len(m) != len(a.m) || len(v) != len(a.v) || len(steps) != 1 {
		return fmt.Errorf("models: %w: adam.m, adam.v and adam.steps hold %d, %d and %d numbers: want %d, %d and 1",
			ErrMismatch, len(m), len(v), len(steps), len(a.m), len(a.v))
	}
	if s := steps[0]; !(s >= 0 && s <= maxSteps) || s != float32(int(s)) {
		return fmt.Errorf("models: %w: adam.steps is %v: want a count", ErrMismatch, s)
	}
	for i := range m {
		if m[i]-m[i] != 0 || !(v[i] >= 0 && v[i] <= math.MaxFloat32) {
			return fmt.Errorf("models: %w: the optimizer's moments of weight %d are %v and %v: want finite numbers",
				ErrMismatch, i, m[i], v[i])
		}
	}
	copy(a.m, m)
	copy(a.v, v)
	a.steps = int(steps[0])
	return nil
}
