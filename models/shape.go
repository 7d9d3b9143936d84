package models

import (
	"errors"
	"fmt"
)

// Head says how a network expresses its policy.
type Head string

const (
	// Score gives one number to the state just after each legal action; their
	// softmax is the policy.
	Score Head = "score"
	// Logits gives one number to each action from the observation; the softmax
	// over the legal ones is the policy.
	Logits Head = "logits"
)

// Values says how a network expresses what a position is worth to each seat.
type ValueKind string

const (
	// Returns gives expected returns.
	ValueReturns ValueKind = ""
	// Shares gives logarithms, up to a constant, of expected shares of the win;
	// their softmax is the shares.
	ValueShares ValueKind = "shares"
)

// Bounds of a shape, far above any that is of use. They keep a damaged file
// from asking for all the memory there is.
const (
	maxWidth   = 1 << 16
	maxHidden  = 64
	maxWeights = 1 << 26
)

// Shape is the shape of a network: a body of dense layers with ReLU, then a
// linear policy head of Width columns beside a linear value head of Players
// columns. Its JSON is kept in model files.
type Shape struct {
	Obs     int       `json:"obs"`              // D, the length of an observation
	Hidden  []int     `json:"hidden"`           // widths of the body's layers
	Head    Head      `json:"head"`             // what the policy head scores
	Values  ValueKind `json:"values,omitempty"` // what the value head says
	Actions int       `json:"actions"`          // A
	Players int       `json:"players"`          // P
}

// Width is K, the number of columns of the policy head: A logits or one score.
func (s Shape) PolicyWidth() int {
	if s.Head == Logits {
		return s.Actions
	}
	return 1
}

// Validate reports every fault of the shape at once.
func (s Shape) Validate() error {
	var errs []error
	check := func(field string, got, least, most int) {
		if got < least || got > most {
			errs = append(errs, fmt.Errorf("%s is %d: want %d to %d", field, got, least, most))
		}
	}
	check("obs", s.Obs, 1, maxWidth)
	check("number of hidden layers", len(s.Hidden), 1, maxHidden)
	for i, h := range s.Hidden {
		check(fmt.Sprintf("hidden[%d]", i), h, 1, maxWidth)
	}
	if s.Head != Score && s.Head != Logits {
		errs = append(errs, fmt.Errorf("head is %q: want %q or %q", s.Head, Score, Logits))
	}
	if s.Values != ValueReturns && s.Values != ValueShares {
		errs = append(errs, fmt.Errorf("values is %q: want %q or %q", s.Values, ValueReturns, ValueShares))
	}
	check("actions", s.Actions, 1, maxWidth)
	check("players", s.Players, 1, maxWidth)
	if len(errs) == 0 && s.Size() > maxWeights {
		errs = append(errs, fmt.Errorf("it has %d weights: want at most %d", s.Size(), maxWeights))
	}
	if len(errs) > 0 {
		return fmt.Errorf("shape of a network: %w", errors.Join(errs...))
	}
	return nil
}

// dense is one layer's place among the weights.
type dense struct{ in, out int }

// denses lists the layers: the body's, then the two heads as one layer whose
// columns are the policy's and then the values'.
func (s Shape) denses() []dense {
	var ds []dense
	in := s.Obs
	for _, h := range s.Hidden {
		ds = append(ds, dense{in, h})
		in = h
	}
	return append(ds, dense{in, s.PolicyWidth() + s.Players})
}

// Size is the number of weights.
func (s Shape) Size() int {
	n := 0
	for _, d := range s.denses() {
		n += (d.in + 1) * d.out
	}
	return n
}
