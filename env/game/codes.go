package game

import (
	"errors"
	"fmt"
	"math"
)

// DType is the type of the elements of observations in a batch: float32, or uint8 for [Codes].
type DType interface{ float32 | uint8 }

// ErrNoCodes is returned where observations of a game, or of its config, have no [Codes].
var ErrNoCodes = errors.New("observations cannot be shown as uint8 without loss; use float32")

// Codes say how bytes stand for observations, without loss: in a quarter to a third of the memory.
// The bytes of an observation hold its numbers in order. A count (see [Field]) is the code of its
// quotient; any other number has its index in Values. A code takes one byte or, where it can be
// above 255, two: the low one first. Zeros are the code of 0 everywhere.
type Codes struct {
	Scales []int     // [D] see Spec.ObsScales
	Start  []int     // [D+1] number i has the bytes Start[i] to Start[i+1], one or two
	Values []float32 // of the numbers with scale 0, by code; the first is 0
}

// NewCodes returns the codes of the observations of a game. Numbers with scale 0 take two bytes,
// and so do those that wide, if it is not nil, reports: the counts that can be above 255. The error
// wraps [ErrNoCodes] if there are more values than codes, or none where numbers have scale 0.
func NewCodes(spec Spec, wide func(number int) bool, values []float32) (*Codes, error) {
	c := &Codes{Scales: spec.ObsScales(), Start: []int{0}, Values: values}
	end := 0
	for i, scale := range c.Scales {
		if end++; scale == 0 || wide != nil && wide(i) {
			end++
		}
		c.Start = append(c.Start, end)
		if scale == 0 && (len(values) == 0 || len(values) > math.MaxUint16+1) {
			return nil, fmt.Errorf("%s: %d values for two bytes: %w", spec.ID, len(values), ErrNoCodes)
		}
	}
	return c, nil
}

// Len returns C, the number of bytes of an observation.
func (c *Codes) Len() int { return c.Start[len(c.Scales)] }

// Put writes the code of number i to an observation [C].
func (c *Codes) Put(obs []uint8, i, code int) {
	at := c.Start[i]
	obs[at] = uint8(code)
	if c.Start[i+1] > at+1 {
		obs[at+1] = uint8(code >> 8)
	}
}

// Decode writes observations [n, D], given their codes [n, C].
func (c *Codes) Decode(dst []float32, obs []uint8) {
	for size := c.Len(); len(obs) > 0; obs = obs[size:] {
		for i, scale := range c.Scales {
			at := c.Start[i]
			code := int(obs[at])
			if c.Start[i+1] > at+1 {
				code += int(obs[at+1]) << 8
			}
			if scale == 0 {
				dst[i] = c.Values[code]
			} else {
				dst[i] = float32(code) / float32(scale)
			}
		}
		dst = dst[len(c.Scales):]
	}
}

// PutNumber writes the code of number i, which must be a count, to an observation [C].
func (c *Codes) PutNumber(obs []uint8, i int, x float32) {
	c.Put(obs, i, int(math.Round(float64(x)*float64(c.Scales[i]))))
}

// CountElements returns how a count is shown, of those below n: as its quotient by a scale (see
// [Quotients]) or, for uint8, as its code. Count k has the elements from width·k on, one or two.
func CountElements[T DType](n, scale int, wide bool) (list []T, width int) {
	numbers := make([]float32, n)
	Quotients(numbers, scale)
	return elements[T](numbers, wide)
}

// ValueElements returns how the values of [Codes] are shown: as they are or, for uint8, as their
// codes. Value k has the elements from width·k on, one or two.
func ValueElements[T DType](values []float32) (list []T, width int) { return elements[T](values, true) }

// elements returns numbers or, for uint8, their indices in one byte or two.
func elements[T DType](numbers []float32, wide bool) (list []T, width int) {
	for k, x := range numbers {
		switch _, code := any(T(0)).(uint8); {
		case !code:
			list = append(list, T(x))
		case wide:
			list = append(list, T(k&0xff), T(k>>8&0xff))
		default:
			list = append(list, T(k))
		}
	}
	return list, len(list) / max(1, len(numbers))
}
