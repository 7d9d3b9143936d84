package jobs

import (
	"encoding/binary"
	"fmt"
)

// AppendSlice appends the length of s and its elements, which have a fixed size.
func AppendSlice[T any](dst []byte, s []T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	dst, err := binary.Append(dst, binary.LittleEndian, s)
	if err != nil {
		panic("jobs: " + err.Error()) // an element without a fixed size
	}
	return dst
}

// CutSlice returns the slice that [AppendSlice] wrote at the start of src, and the rest. It
// allocates no more than src has bytes.
func CutSlice[T any](src []byte) (s []T, rest []byte, err error) {
	var zero T
	n, src, err := CutLength(src)
	if size := binary.Size(zero); err == nil && n > len(src)/size {
		err = fmt.Errorf("%d elements of %d bytes in the remaining %d bytes", n, size, len(src))
	}
	if err != nil {
		return nil, nil, err
	}
	s = make([]T, n)
	used, err := binary.Decode(src, binary.LittleEndian, s)
	return s, src[used:], err
}

// CutLength returns the uvarint at the start of src, which is a length or a count of at
// most 2³¹−1, and the rest.
func CutLength(src []byte) (n int, rest []byte, err error) {
	x, used := binary.Uvarint(src)
	if used <= 0 || x > 1<<31-1 {
		return 0, nil, fmt.Errorf("no length in the remaining %d bytes", len(src))
	}
	return int(x), src[used:], nil
}
