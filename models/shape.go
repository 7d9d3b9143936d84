package models

import (
	"errors"
	"fmt"
	"slices"
)

// Head is the kind of a network's policy head.
type Head string

// The kinds of policy heads.
const (
	// Score: the network evaluates each afterstate and outputs one score for it. The
	// policy is the softmax of the scores of the legal actions' afterstates.
	Score Head = "score"
	// Logits: the network evaluates the decision and outputs a logit for each action.
	// The policy is the softmax of the logits of the legal actions.
	Logits Head = "logits"
)

// ValueKind is what the outputs of a network's value head mean.
type ValueKind string

// The kinds of values.
const (
	// ValueReturns are expected returns, one for each seat.
	ValueReturns ValueKind = ""
	// ValueShares are logits of the expected shares of the win: their softmax over
	// the seats is the shares, see [SharesOf].
	ValueShares ValueKind = "shares"
)

// Limits of a shape, far above any useful one. They bound the memory that a damaged
// file can make Load allocate.
const (
	maxWidth   = 1 << 16
	maxHidden  = 64
	maxWeights = 1 << 26
)

// Shape is the architecture of a network: a body of dense ReLU layers, then a linear
// policy head of PolicyWidth columns and a linear value head of Players columns.
// Model files store it as JSON.
type Shape struct {
	Obs     int       `json:"obs"`              // D, the length of an observation
	Hidden  []int     `json:"hidden"`           // widths of the body's layers
	Head    Head      `json:"head"`             // kind of the policy head
	Values  ValueKind `json:"values,omitempty"` // meaning of the value head's outputs
	Actions int       `json:"actions"`          // A
	Players int       `json:"players"`          // P
}

// PolicyWidth returns K, the number of columns of the policy head: A logits or one score.
func (s Shape) PolicyWidth() int {
	if s.Head == Logits {
		return s.Actions
	}
	return 1
}

// Widen returns the shape with hidden layers n times as wide.
func (s Shape) Widen(n int) Shape {
	s.Hidden = slices.Clone(s.Hidden)
	for i := range s.Hidden {
		s.Hidden[i] *= n
	}
	return s
}

// Validate reports all faults at once.
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

// dense holds the sizes of one layer.
type dense struct{ in, out int }

// denses lists the layers: those of the body, then both heads as one layer, whose
// columns are those of the policy and then those of the values.
func (s Shape) denses() []dense {
	var ds []dense
	in := s.Obs
	for _, h := range s.Hidden {
		ds = append(ds, dense{in, h})
		in = h
	}
	return append(ds, dense{in, s.PolicyWidth() + s.Players})
}

// Size returns the number of weights.
func (s Shape) Size() int {
	n := 0
	for _, d := range s.denses() {
		n += (d.in + 1) * d.out
	}
	return n
}
