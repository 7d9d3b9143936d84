// Package random draws from distributions.
package random

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Below draws a number from 0 to n-1. Its bias is below n/2⁶⁴.
func Below(r *rand.PCG, n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// Table is a distribution over 0 to n-1, which is sampled in constant time. It may be used
// by many goroutines at once, each with a generator of its own.
//
// Source: A. J. Walker, "An efficient method for generating discrete random
// variables with general distributions", ACM TOMS 3(3), 1977, with the
// construction of M. D. Vose, IEEE TSE 17(9), 1991. Here it uses integers: the
// masses are rounded once and then moved without error.
type Table struct {
	columns []column
}

// column is chosen with probability 1/n. It stands for its own index with probability
// keep/2^64 and else for alias.
type column struct {
	keep  uint64
	alias int
}

// New returns the distribution in proportion to the weights. An index of weight zero is
// never drawn. New panics unless the weights are finite and not negative, and their sum
// is above zero: they come from the rules of a game, not from a user.
func New(weights []float64) *Table {
	sum := total(weights)
	n := uint64(len(weights))

	// Each column has a mass of 2^shift, so that the sum of all n fits into a uint64.
	shift := 63 - bits.Len64(n)
	room := uint64(1) << shift
	mass := make([]uint64, n)
	left, largest := n*room, 0
	for i, w := range weights {
		mass[i] = uint64(w / sum * float64(n*room))
		left -= mass[i] // wraps around where the rounded masses exceed the sum
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
	// The masses sum exactly to n columns, so both lists become empty together.
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

// total returns the sum of the weights by Kahan's compensated summation, so that the
// rounding error does not grow with their number.
func total(weights []float64) float64 {
	var sum, lost float64
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			panic(fmt.Sprintf("random: weight %d is %v, want finite and not negative", i, w))
		}
		y := w - lost
		t := sum + y
		lost = (t - sum) - y
		sum = t
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		panic(fmt.Sprintf("random: the weights sum to %v, want finite and above 0", sum))
	}
	return sum
}

// Draw returns a random index. It takes one Uint64 from r: the high word of its product
// with n is the column, and the low word the position within the column.
func (t *Table) Draw(r *rand.PCG) int {
	i, within := bits.Mul64(r.Uint64(), uint64(len(t.columns)))
	if c := &t.columns[i]; within >= c.keep {
		return c.alias
	}
	return int(i)
}

// Len returns n.
func (t *Table) Len() int { return len(t.columns) }

// Column returns what Draw does in column i: it returns i if the position within the
// column is below keep, else alias.
func (t *Table) Column(i int) (keep uint64, alias int) {
	c := t.columns[i]
	return c.keep, c.alias
}
