// Package alias draws from a fixed discrete distribution in constant time.
//
// Source: A. J. Walker, "An efficient method for generating discrete random
// variables with general distributions", ACM TOMS 3(3), 1977, with the
// construction of M. D. Vose, IEEE TSE 17(9), 1991, here in integers: the
// masses are rounded once and then moved without error.
package alias

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Table is a distribution over 0 to n-1. Many goroutines may draw from it at
// once, each with a generator of its own.
type Table struct {
	columns []column
}

// A column is chosen with probability 1/n. It stands for its own index with
// probability keep/2^64 and else for alias.
type column struct {
	keep  uint64
	alias int
}

// New returns the table of the weights, in proportion to their sum. A weight of
// zero is never drawn. It panics unless the weights are finite, not negative
// and of a sum above zero: they come from the rules of a game, not from a user.
func New(weights []float64) *Table {
	sum := total(weights)
	n := uint64(len(weights))

	// Each column has room for 2^shift; all n fit into a uint64.
	shift := 63 - bits.Len64(n)
	room := uint64(1) << shift
	mass := make([]uint64, n)
	left, largest := n*room, 0
	for i, w := range weights {
		mass[i] = uint64(w / sum * float64(n*room))
		left -= mass[i] // wraps below zero where rounding gave out too much
		if w > weights[largest] {
			largest = i
		}
	}
	mass[largest] += left

	columns := make([]column, n)
	var small, large []int
	for i := range mass {
		columns[i].alias = i
		switch {
		case mass[i] < room:
			small = append(small, i)
		case mass[i] > room:
			large = append(large, i)
		}
	}
	// The masses sum to n columns exactly, so both lists run out together.
	for len(small) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		columns[s] = column{keep: mass[s] << (64 - shift), alias: l}
		mass[l] -= room - mass[s]
		if mass[l] <= room {
			large = large[:len(large)-1]
		}
		if mass[l] < room {
			small = append(small, l)
		}
	}
	return &Table{columns}
}

// total is the sum of the weights, compensated after Kahan, so that many
// weights lose no more than few.
func total(weights []float64) float64 {
	var sum, lost float64
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			panic(fmt.Sprintf("alias: weight %d is %v, want finite and not negative", i, w))
		}
		y := w - lost
		t := sum + y
		lost = (t - sum) - y
		sum = t
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		panic(fmt.Sprintf("alias: the weights sum to %v, want finite and above 0", sum))
	}
	return sum
}

// Len is the number of indices that can be asked for, n.
func (t *Table) Len() int { return len(t.columns) }

// Draw returns an index by its weight. It takes one Uint64 from r: of its
// product with n the high word is the column and the low word the place within.
func (t *Table) Draw(r *rand.PCG) int {
	i, place := bits.Mul64(r.Uint64(), uint64(len(t.columns)))
	if c := &t.columns[i]; place >= c.keep {
		return c.alias
	}
	return int(i)
}
