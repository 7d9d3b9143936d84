package sgemm

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// AppendBinary appends the rows in few bytes: of each its number of elements, and of each
// element its distance from the one before and its value, which takes no bytes if it is 1.
func (r *Rows) AppendBinary(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(r.Len()))
	for i := range r.Len() {
		row := r.elements[r.start[i]:r.start[i+1]]
		dst = binary.AppendUvarint(dst, uint64(len(row)))
		next := int32(0)
		for _, e := range row {
			d := uint64(e.column-next) << 1
			next = e.column + 1
			if e.value == 1 {
				dst = binary.AppendUvarint(dst, d|1)
				continue
			}
			dst = binary.AppendUvarint(dst, d)
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(e.value))
		}
	}
	return dst
}

var errRows = errors.New("the bytes are no rows")

// CutBinary replaces the rows by those that [Rows.AppendBinary] wrote at the start of src,
// with the same number of columns, and returns the rest. It refuses numbers that are not
// finite. The memory it allocates is a small multiple of len(src).
func (r *Rows) CutBinary(src []byte) (rest []byte, err error) {
	r.Reset(r.k)
	rows, used := binary.Uvarint(src)
	if used <= 0 || rows > uint64(len(src)-used) { // a row takes a byte
		return nil, errRows
	}
	src = src[used:]
	r.start = slices.Grow(r.start, int(rows))
	for range rows {
		n, used := binary.Uvarint(src)
		if used <= 0 || n > uint64(len(src)-used) { // and an element too
			return nil, errRows
		}
		src = src[used:]
		next := uint64(0)
		for range n {
			d, used := binary.Uvarint(src)
			if used <= 0 || d>>1 >= uint64(r.k) || next+d>>1 >= uint64(r.k) {
				return nil, errRows
			}
			src = src[used:]
			e := element{int32(next + d>>1), 1}
			next += d>>1 + 1
			if d&1 == 0 {
				if len(src) < 4 {
					return nil, errRows
				}
				e.value = math.Float32frombits(binary.LittleEndian.Uint32(src))
				src = src[4:]
				if e.value-e.value != 0 || e.value == 0 {
					return nil, errRows
				}
			}
			r.elements = append(r.elements, e)
		}
		r.EndRow()
	}
	return src, nil
}
