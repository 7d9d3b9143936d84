package tensorboard_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"marsgym/internal/atomicfile"
	"marsgym/internal/tensorboard"
)

// golden is the output of the tensorboard package for Python, 2.21.0, for the same
// two events.
const golden = "0f000000000000006d532b091a0d627261696e2e4576656e743a32fc985129" +
	"3200000000000000241956ec090000a0b48065d24110ac022a240a120a0b6c6f73732f706f6c69637915000080be" +
	"0a0e0a07656e74726f70791500000000082cfb2f"

var at = time.Unix(1234567890, 5e8)

func open(t *testing.T, path string, size int64) *tensorboard.Writer {
	t.Helper()
	d, err := atomicfile.OpenDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f, err := d.Append(filepath.Base(path), size)
	if err != nil {
		t.Fatal(err)
	}
	w, err := tensorboard.New(f, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func scalars(t *testing.T, w *tensorboard.Writer, step int64, s ...tensorboard.Scalar) {
	t.Helper()
	if err := w.Scalars(step, at, s); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), tensorboard.File)
	w := open(t, path, 0)
	scalars(t, w, 300, tensorboard.Scalar{Tag: "loss/policy", Value: -0.25}, tensorboard.Scalar{Tag: "entropy"})
	data := read(t, path)
	if got := hex.EncodeToString(data); got != golden {
		t.Errorf("wrote %s, want %s", got, golden)
	}
	if w.Size() != int64(len(data)) {
		t.Errorf("Size is %d, and the file has %d bytes", w.Size(), len(data))
	}
}

// TestRead decodes events with lengths and numbers of any size.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), tensorboard.File)
	w := open(t, path, 0)
	long := strings.Repeat("λ", 200)
	scalars(t, w, 0)
	scalars(t, w, math.MaxInt64, tensorboard.Scalar{Tag: long, Value: math.Inf(-1)}, tensorboard.Scalar{Tag: "", Value: math.NaN()})
	for range 100 {
		scalars(t, w, 7, tensorboard.Scalar{Tag: "a/b", Value: 0.1})
	}
	got, err := decode(read(t, path))
	if err != nil {
		t.Fatal(err)
	}
	const wall = 1234567890.5
	want := []string{
		"version brain.Event:2",
		fmt.Sprintf("%v 0", wall),
		fmt.Sprintf("%v 9223372036854775807 %s=-Inf =NaN", wall, long),
	}
	for range 100 {
		want = append(want, fmt.Sprintf("%v 7 a/b=0.1", wall))
	}
	if !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// TestResume appends to a truncated file and gets the bytes of a file that was never
// truncated.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "whole"), filepath.Join(dir, "cut")
	a := tensorboard.Scalar{Tag: "a", Value: 1}
	w := open(t, whole, 0)
	scalars(t, w, 1, a)
	scalars(t, w, 2, a)

	w = open(t, cut, 0)
	scalars(t, w, 1, a)
	size := w.Size()
	scalars(t, w, 9, a)
	scalars(t, w, 10, a)
	w.Close()
	w = open(t, cut, size)
	scalars(t, w, 2, a)
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, cut), read(t, whole); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// decode reads an event file, one string for each event. It shares no code with
// the writer, not even the checksum.
func decode(data []byte) (events []string, err error) {
	defer func() {
		if p := recover(); p != nil { // an index out of range
			err = fmt.Errorf("event %d: %v", len(events), p)
		}
	}()
	for len(data) > 0 {
		n := binary.LittleEndian.Uint64(data)
		body := data[12 : 12+n]
		if binary.LittleEndian.Uint32(data[8:]) != crc(data[:8]) || binary.LittleEndian.Uint32(data[12+n:]) != crc(body) {
			return nil, fmt.Errorf("event %d: a wrong checksum", len(events))
		}
		data = data[16+n:]
		var wall, step, values string
		for len(body) > 0 {
			var f field
			f, body = next(body)
			switch f.key {
			case 1<<3 | 1:
				wall = fmt.Sprint(math.Float64frombits(f.number))
			case 2 << 3:
				step = fmt.Sprint(" ", f.number)
			case 3<<3 | 2:
				wall = "version " + string(f.bytes)
			case 5<<3 | 2:
				values = summary(f.bytes)
			default:
				return nil, fmt.Errorf("event %d: an unknown field %d", len(events), f.key)
			}
		}
		events = append(events, wall+step+values)
	}
	return events, nil
}

// summary reads the scalars of an event.
func summary(data []byte) (text string) {
	for len(data) > 0 {
		var f, tag, value field
		f, data = next(data)
		tag, f.bytes = next(f.bytes)
		value, f.bytes = next(f.bytes)
		if f.key != 1<<3|2 || tag.key != 1<<3|2 || value.key != 2<<3|5 || len(f.bytes) > 0 {
			panic("not a summary of scalars")
		}
		text += fmt.Sprintf(" %s=%v", tag.bytes, math.Float32frombits(uint32(value.number)))
	}
	return text
}

type field struct {
	key, number uint64
	bytes       []byte
}

// next reads a field of a message.
func next(data []byte) (f field, rest []byte) {
	f.key, data = varint(data)
	switch f.key & 7 {
	case 0:
		f.number, data = varint(data)
	case 1:
		f.number, data = binary.LittleEndian.Uint64(data), data[8:]
	case 2:
		f.number, data = varint(data)
		f.bytes, data = data[:f.number], data[f.number:]
	case 5:
		f.number, data = uint64(binary.LittleEndian.Uint32(data)), data[4:]
	default:
		panic("not a wire type")
	}
	return f, data
}

func varint(data []byte) (x uint64, rest []byte) {
	for i, b := range data {
		x |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return x, data[i+1:]
		}
	}
	panic("half a number")
}

// crc returns the masked CRC-32C, computed bit by bit.
func crc(data []byte) uint32 {
	c := ^uint32(0)
	for _, b := range data {
		c ^= uint32(b)
		for range 8 {
			c = c>>1 ^ 0x82f63b78*(c&1)
		}
	}
	c = ^c
	return (c>>15 | c<<17) + 0xa282ead8
}
