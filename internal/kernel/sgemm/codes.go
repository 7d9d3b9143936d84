package sgemm

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// Codes say what the bytes of a row stand for.
type Codes struct {
	columns int
	bytes   []codeByte // of a row
	values  []float32
}

// codeByte is a byte of a row. Code c of its column is values[first+c].
type codeByte struct {
	column int32
	first  int32
	wide   bool // the low byte of two
	high   bool // the high byte of two
}

// NewCodes returns codes of rows in which column i has the bytes start[i] to start[i+1], one or
// two, the low one first. Its code c stands for values[first[i]+c], and 0 for 0.
func NewCodes(start, first []int, values []float32) *Codes {
	c := &Codes{columns: len(first), values: values}
	for i, v := range first {
		b := codeByte{column: int32(i), first: int32(v), wide: start[i+1]-start[i] == 2}
		c.bytes = append(c.bytes, b)
		if b.wide {
			b.wide, b.high = false, true
			c.bytes = append(c.bytes, b)
		}
	}
	return c
}

// AppendCodes appends rows [m, columns] of which codes has the bytes. It panics if the codes have
// another number of columns, or rows another length.
func (r *Rows) AppendCodes(c *Codes, codes []uint8) {
	size := len(c.bytes)
	if c.columns != r.k || len(codes)%max(1, size) != 0 {
		panic(fmt.Sprintf("sgemm: %d bytes cannot be divided into rows of %d columns in %d bytes", len(codes), r.k, size))
	}
	for ; len(codes) > 0; codes = codes[size:] {
		n := len(r.elements)
		r.elements = slices.Grow(r.elements, r.k)
		r.elements = r.elements[:n+c.list(r.elements[n:n+r.k], codes[:size])]
		r.EndRow()
	}
}

// list sets dst to the elements of a row that are not 0 and returns their number.
func (c *Codes) list(dst []element, row []uint8) (count int) {
	j := 0
	for ; j+8 <= len(row); j += 8 {
		for set := binary.LittleEndian.Uint64(row[j:]); set != 0; {
			k := bits.TrailingZeros64(set) &^ 7
			count = c.add(dst, count, row, j+k/8)
			set &^= 0xff << k
		}
	}
	for ; j < len(row); j++ {
		if row[j] != 0 {
			count = c.add(dst, count, row, j)
		}
	}
	return count
}

// add adds the element of byte j of a row, which is not 0, to dst and returns the number of elements.
func (c *Codes) add(dst []element, count int, row []uint8, j int) int {
	b := &c.bytes[j]
	code := int(row[j])
	if b.wide || b.high {
		if b.high {
			if row[j-1] != 0 {
				return count // the low byte has added it
			}
			code <<= 8
		} else {
			code += int(row[j+1]) << 8
		}
	}
	value := c.values[int(b.first)+code]
	if value == 0 {
		return count
	}
	dst[count] = element{b.column, value}
	return count + 1
}
