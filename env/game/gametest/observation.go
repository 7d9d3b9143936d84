package gametest

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
)

// sentinel is a NaN that no computation produces. It marks elements that Encode has
// not written.
var sentinel = math.Float32frombits(0x7fc0dead)

func isSentinel(x float32) bool { return math.Float32bits(x) == math.Float32bits(sentinel) }

// checkEncode checks the observation of seat p, between guard zones.
func (c *checker[S]) checkEncode(s S, p game.Player) {
	const guard = 16
	d := c.spec.ObsLen()
	buf := slices.Repeat([]float32{sentinel}, guard+d+guard)
	obs := buf[guard : guard+d]
	c.rules.Encode(obs, s, p)
	for i, x := range buf {
		if (i < guard || i >= guard+d) && !isSentinel(x) {
			c.failAt(s, "Encode stays within its slice", "for seat %d it wrote element %d of %d", p, i-guard, d)
			return
		}
	}
	for i, x := range obs {
		scale := float64(c.scales[i])
		count := math.Round(float64(x) * scale)
		switch {
		case isSentinel(x):
			c.failAt(s, "Encode writes every element", "for seat %d element %d (%s) was not written", p, i, c.field(i))
		case !elementary.Finite(float64(x)):
			c.failAt(s, "Encode writes finite numbers", "for seat %d element %d (%s) is %v", p, i, c.field(i), x)
		case scale != 0 && x != float32(count/scale):
			c.failAt(s, "Encode divides counts by their scales", "for seat %d element %d (%s) is %v; want %v, which is %v over the scale %v, or another scale in Spec.Observation, 0 for what is no count",
				p, i, c.field(i), x, float32(count/scale), count, scale)
		}
	}
	if encoder, ok := c.rules.(game.SparseEncoder[S]); ok {
		c.checkSparse(encoder, s, p, obs)
	}
	if c.codes != nil {
		c.checkCompact(s, p, obs)
	}
	again := make([]float32, d)
	c.rules.Encode(again, s, p)
	for i := range again {
		if math.Float32bits(again[i]) != math.Float32bits(obs[i]) && !isSentinel(obs[i]) {
			c.failAt(s, "Encode is a function of the state", "for seat %d element %d (%s) is %v, then %v", p, i, c.field(i), obs[i], again[i])
		}
	}
}

// checkSparse compares the list of numbers of an observation, appended to another list,
// with the observation.
func (c *checker[S]) checkSparse(encoder game.SparseEncoder[S], s S, p game.Player, obs []float32) {
	before := game.Element{Index: -1, Value: 7}
	list := encoder.EncodeSparse([]game.Element{before}, s, p)
	want := []game.Element{before}
	for i, x := range obs {
		if x != 0 {
			want = append(want, game.Element{Index: int32(i), Value: x})
		}
	}
	if !slices.Equal(list, want) {
		c.failAt(s, "EncodeSparse appends the numbers of Encode that are not 0", "for seat %d it gives %v; want %v", p, list, want)
	}
}

// checkCodes notes the codes of observations, if the config has any.
func (c *checker[S]) checkCodes() {
	codes, err := c.compact.Codes()
	again, _ := c.compact.Codes()
	switch {
	case errors.Is(err, game.ErrNoCodes):
	case err != nil:
		c.fail("the error of Codes wraps ErrNoCodes", "got %v", err)
	case !reflect.DeepEqual(codes, again):
		c.fail("Codes are always the same", "%+v, then %+v", codes, again)
	case !slices.Equal(codes.Scales, c.scales) || codes.Len() < len(c.scales):
		c.fail("Codes have the scales of Spec.Observation", "got %v in %d bytes", codes.Scales, codes.Len())
	case len(codes.Values) > 0 && math.Float32bits(codes.Values[0]) != 0:
		c.fail("the code 0 stands for 0", "got %v", codes.Values[0])
	default:
		c.codes = codes
	}
}

// checkCompact compares what the codes of an observation stand for with the observation. They are
// written between guard zones, over zeros and over ones.
func (c *checker[S]) checkCompact(s S, p game.Player, obs []float32) {
	const guard = 16
	n := c.codes.Len()
	var first []uint8
	for _, fill := range []uint8{0, 0xff} {
		buf := slices.Repeat([]uint8{fill}, guard+n+guard)
		c.compact.EncodeCompact(buf[guard:guard+n], s, p)
		for i, x := range buf {
			if (i < guard || i >= guard+n) && x != fill {
				c.failAt(s, "EncodeCompact stays within its slice", "for seat %d it wrote byte %d of %d", p, i-guard, n)
				return
			}
		}
		codes := buf[guard : guard+n]
		if first != nil && !slices.Equal(first, codes) {
			c.failAt(s, "EncodeCompact writes every byte", "for seat %d over %d it writes %v, over 0 %v", p, fill, codes, first)
			return
		}
		first = codes
	}
	decoded := make([]float32, len(obs))
	c.codes.Decode(decoded, first)
	for i, x := range decoded {
		if math.Float32bits(x) != math.Float32bits(obs[i]) {
			c.failAt(s, "EncodeCompact gives the codes of Encode", "for seat %d element %d (%s) stands for %v; want %v", p, i, c.field(i), x, obs[i])
			return
		}
	}
}

// field returns the name of the field of element i of an observation.
func (c *checker[S]) field(i int) string {
	for _, f := range c.spec.Observation {
		if i < f.Len {
			return f.Name
		}
		i -= f.Len
	}
	return "?"
}

// observed is a decision whose observation is known.
type observed[S comparable] struct {
	state S
	legal string // one byte per action
}

// observationKey returns the observation of seat p as a key.
func (c *checker[S]) observationKey(s S, p game.Player) string {
	obs := make([]float32, c.spec.ObsLen())
	c.rules.Encode(obs, s, p)
	h := sha256.New()
	for _, x := range obs {
		x += 0 // -0 and 0 are equal
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
	}
	return string(h.Sum(nil))
}

// checkObservation compares the legal actions of s with those of states with the same
// observation.
func (c *checker[S]) checkObservation(s S, mover game.Player, legal []game.Action) {
	mask := make([]byte, c.spec.Actions)
	for _, a := range legal {
		mask[a] = 1
	}
	key := c.observationKey(s, mover)
	was, ok := c.observed[key]
	if !ok {
		c.observed[key] = observed[S]{s, string(mask)}
	} else if was.legal != string(mask) {
		c.failAt(s, "Encode tells apart states with different legal actions", "%s has the same observation", c.text(was.state))
	}
}
