package sgemm_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"marsgym/internal/kernel/sgemm"
)

func TestRowsBinary(t *testing.T) {
	x := []float32{0, 1, 0.5, 0, 0, 0, -3, 0, 1, 1, 1, 1}
	var r, back sgemm.Rows
	r.Reset(4)
	r.Append(x)
	b := r.AppendBinary(nil)
	back.Reset(4)
	rest, err := back.CutBinary(append(slices.Clone(b), 9))
	if err != nil || !bytes.Equal(rest, []byte{9}) {
		t.Fatalf("%v, %v", rest, err)
	}
	got := make([]float32, len(x))
	back.Dense(got, 0, back.Len())
	if !slices.Equal(got, x) {
		t.Errorf("%v, want %v", got, x)
	}
	for n := range b {
		if _, err := back.CutBinary(b[:n]); err == nil || err.Error() != "the bytes are no rows" {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
}

// TestRowsBinaryRefuses: numbers that are not finite or 0, and elements that no row of four has.
func TestRowsBinaryRefuses(t *testing.T) {
	var r sgemm.Rows
	r.Reset(4)
	for _, b := range [][]byte{
		{1, 1, 0, 0, 0, 0xc0, 0x7f}, {1, 1, 0, 0, 0, 0x80, 0xff}, {1, 1, 0, 0, 0, 0, 0}, // NaN, -Inf and 0
		{1, 1, 9}, {1, 2, 1, 7}, {1, 5, 1, 1, 1, 1, 1}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
	} {
		if _, err := r.CutBinary(b); err == nil || err.Error() != "the bytes are no rows" {
			t.Errorf("%x: %v", b, err)
		}
	}
}

func FuzzRowsBinary(f *testing.F) {
	f.Add([]byte{1, 2, 1, 3})
	f.Add([]byte{1, 1, 0, 0, 0, 0xc0, 0x7f}) // NaN
	f.Add([]byte{1, 1, 9})                   // beyond the columns
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		var r sgemm.Rows
		r.Reset(4)
		rest, err := r.CutBinary(b)
		if err != nil {
			return
		}
		x := make([]float32, 4*r.Len())
		r.Dense(x, 0, r.Len())
		for _, v := range x {
			if math.IsNaN(float64(v)) {
				t.Error("NaN")
			}
		}
		var again sgemm.Rows
		again.Reset(4)
		if after, err := again.CutBinary(append(r.AppendBinary(nil), rest...)); err != nil || !bytes.Equal(after, rest) {
			t.Errorf("rows that were read are not read again: %v", err)
		}
	})
}
