package gametest

import (
	"encoding/binary"
	"math"
	"slices"
)

// mergedChecks is the number of chance states at which Merged is checked: each
// takes a look at all moves after all outcomes. Chosen.
const mergedChecks = 300

// checkMerged checks what may follow a chance state, as far as it matters.
func (c *checker[S]) checkMerged(s S) {
	s = c.representative(s)
	var (
		diff  = map[string]float64{} // how much more likely Merged makes what is alike
		shown = map[string]S{}
		moves = sameness[S]{c, map[S]uint32{}}
	)
	for _, o := range c.rules.Outcomes(nil, s) {
		x := c.representative(o.State)
		k := moves.key(x)
		diff[k] -= o.Prob
		shown[k] = x
	}
	seen := map[S]bool{}
	for _, o := range c.merger.Merged(nil, s) {
		if c.representative(o.State) != o.State || seen[o.State] {
			c.failAt(s, "Merged lists representatives, each once", "it lists %s", c.text(o.State))
		}
		seen[o.State] = true
		k := moves.key(o.State)
		diff[k] += o.Prob
		if _, ok := shown[k]; !ok {
			shown[k] = o.State
		}
	}
	for k, d := range diff {
		if !(math.Abs(d) <= tolerance) {
			c.failAt(s, "Merged follows Outcomes", "what is like %s is more likely by %v", c.text(shown[k]), d)
		}
	}
}

func (c *checker[S]) representative(s S) S {
	if c.symmetry != nil {
		s, _ = c.symmetry.Canonical(s)
	}
	return s
}

// sameness tells which states are alike as far as play matters.
type sameness[S comparable] struct {
	c      *checker[S]
	number map[S]uint32
}

// key is the same for states in which the same seat has moves to the same states,
// up to symmetry, and for no others.
func (m sameness[S]) key(s S) string {
	who := m.c.rules.Turn(s)
	var list []uint32
	if who < 0 {
		list = append(list, m.of(s))
	} else {
		for _, a := range m.c.rules.Legal(nil, s) {
			after, err := m.c.rules.Apply(s, a)
			if err != nil {
				continue // a breach of another clause
			}
			list = append(list, m.of(m.c.representative(after)))
		}
		slices.Sort(list)
	}
	key := []byte{byte(who)}
	for _, x := range list {
		key = binary.LittleEndian.AppendUint32(key, x)
	}
	return string(key)
}

func (m sameness[S]) of(s S) uint32 {
	i, ok := m.number[s]
	if !ok {
		i = uint32(len(m.number))
		m.number[s] = i
	}
	return i
}
