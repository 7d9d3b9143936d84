package tensorfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/bits"
)

// Number is a type of the elements of a tensor.
type Number interface {
	uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// dtypes are the names of the types of numbers in a file, with their sizes. The numbers of I8 are
// stored as bytes.
var dtypes = map[string]int{"U8": 1, "I8": 1, "U16": 2, "U32": 4, "U64": 8, "F32": 4, "F64": 8}

// Tensor is a tensor to be written.
type Tensor struct {
	Name, DType string
	Shape       []int
	write       func(w io.Writer) error
}

// NewTensor returns a tensor of data, which are read when it is written.
func NewTensor[T Number](name, dtype string, shape []int, data []T) Tensor {
	return Tensor{name, dtype, shape, func(w io.Writer) error {
		var buf []byte
		for rest := data; len(rest) > 0; {
			n := min(len(rest), chunk)
			var err error
			if buf, err = binary.Append(buf[:0], binary.LittleEndian, rest[:n]); err != nil {
				return err
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return nil
	}}
}

// chunk is the number of elements that are converted at once. Chosen: they stay in the cache.
const chunk = 8192

// Sum returns the SHA-256 of a file with these metadata and tensors, in hex.
func Sum(metadata map[string]string, tensors []Tensor) (string, error) {
	s := sha256.New()
	if err := write(s, noSum, metadata, tensors); err != nil {
		return "", err
	}
	return hex.EncodeToString(s.Sum(nil)), nil
}

// Write writes a file with these metadata and tensors, in this order, and their [Sum].
func Write(w io.Writer, sum string, metadata map[string]string, tensors []Tensor) error {
	b := bufio.NewWriterSize(w, 1<<20)
	if err := write(b, sum, metadata, tensors); err != nil {
		return err
	}
	return b.Flush()
}

func write(w io.Writer, sum string, metadata map[string]string, tensors []Tensor) error {
	metadata = maps.Clone(metadata)
	metadata["sha256"] = sum
	var header bytes.Buffer
	header.WriteString(`{"__metadata__":`)
	text, err := json.Marshal(metadata) // in key order
	if err != nil {
		return err
	}
	header.Write(text)
	offset := uint64(0)
	for _, t := range tensors {
		size := uint64(dtypes[t.DType])
		shape := make([]uint64, len(t.Shape))
		for i, n := range t.Shape {
			shape[i] = uint64(n)
			size *= uint64(n)
		}
		text, err := json.Marshal(Info{t.DType, shape, [2]uint64{offset, offset + size}})
		if err != nil {
			return err
		}
		fmt.Fprintf(&header, ",%q:%s", t.Name, text)
		offset += size
	}
	header.WriteByte('}')
	for header.Len()%8 != 0 {
		header.WriteByte(' ')
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(header.Len()))); err != nil {
		return err
	}
	if _, err := w.Write(header.Bytes()); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := t.write(w); err != nil {
			return err
		}
	}
	return nil
}

// ReadTensor reads the tensor of a name from a file with this header. The tensor must be of the given
// type. It returns the shape too.
func ReadTensor[T Number](r io.ReaderAt, h *Header, name, dtype string) (data []T, shape []uint64, err error) {
	t, ok := h.Tensors[name]
	if !ok {
		return nil, nil, fmt.Errorf("it has no tensor %s", name)
	}
	if t.DType != dtype {
		return nil, nil, fmt.Errorf("its tensor %s is of type %s; want %s", name, t.DType, dtype)
	}
	size := uint64(dtypes[dtype])
	n := uint64(1)
	for _, d := range t.Shape {
		hi, lo := bits.Mul64(n, d)
		if hi != 0 {
			lo = 1 << 62 // more than any file has
		}
		n = lo
	}
	if from, to := t.Offsets[0], t.Offsets[1]; from > to || n > uint64(h.Size) || to-from != n*size {
		return nil, nil, fmt.Errorf("its tensor %s of %s %d has %d bytes; want %d", name, dtype, t.Shape, int64(to-from), n*size)
	}
	data = make([]T, n)
	src := io.NewSectionReader(r, h.End+int64(t.Offsets[0]), int64(n*size))
	buf := make([]byte, chunk*size)
	for rest := data; len(rest) > 0; {
		k := min(len(rest), chunk)
		part := buf[:uint64(k)*size]
		if _, err := io.ReadFull(src, part); err != nil {
			return nil, nil, err
		}
		if _, err := binary.Decode(part, binary.LittleEndian, rest[:k]); err != nil {
			return nil, nil, err
		}
		rest = rest[k:]
	}
	return data, t.Shape, nil
}
