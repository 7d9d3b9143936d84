package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"os"
	"time"
)

// File is what to call the events of a run. TensorBoard takes any name with
// "tfevents" in it; the usual ones go on with the second of the start and the
// machine, so that a run which is resumed has several files. A run of ours has
// one, found again by its name.
const File = "events.out.tfevents.0.marsgym"

const version = "brain.Event:2"

// Scalar is a number by name. TensorBoard groups tags by what is before their
// first slash.
type Scalar struct {
	Tag   string
	Value float64 // kept as a float32
}

// Writer appends to an event file. It is not safe for concurrent use.
type Writer struct {
	f    *os.File
	size int64
	buf  []byte
}

// New returns a writer that appends to a file which has so many bytes of events,
// at whose end it stands. Where it has none yet, the writer begins it.
func New(f *os.File, size int64) (*Writer, error) {
	w := &Writer{f: f, size: size}
	if size > 0 {
		return w, nil
	}
	return w, w.write(appendString(nil, 3, version))
}

// Scalars appends one event with all the scalars of a step, at a time that
// TensorBoard shows.
func (w *Writer) Scalars(step int64, wall time.Time, scalars []Scalar) error {
	var summary, value []byte
	for _, s := range scalars {
		value = appendString(value[:0], 1, s.Tag)
		value = append(value, 2<<3|5)
		value = binary.LittleEndian.AppendUint32(value, math.Float32bits(float32(s.Value)))
		summary = appendString(summary, 1, value)
	}
	event := append([]byte(nil), 1<<3|1)
	event = binary.LittleEndian.AppendUint64(event, math.Float64bits(float64(wall.UnixNano())/1e9))
	event = append(event, 2<<3)
	event = binary.AppendUvarint(event, uint64(step))
	event = appendString(event, 5, summary)
	return w.write(event)
}

// Size returns how many bytes the file has.
func (w *Writer) Size() int64 { return w.size }

// Sync makes what was written last.
func (w *Writer) Sync() error { return w.f.Sync() }

// Close closes the file.
func (w *Writer) Close() error { return w.f.Close() }

// write appends a record.
func (w *Writer) write(data []byte) error {
	w.buf = binary.LittleEndian.AppendUint64(w.buf[:0], uint64(len(data)))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, checksum(w.buf))
	w.buf = append(w.buf, data...)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, checksum(data))
	n, err := w.f.Write(w.buf)
	w.size += int64(n)
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the CRC-32C, masked as the format demands, for the sake of
// records within records.
func checksum(data []byte) uint32 {
	return bits.RotateLeft32(crc32.Checksum(data, castagnoli), 17) + 0xa282ead8
}

// appendString appends a field of a length: a string, bytes or a message.
func appendString[T string | []byte](dst []byte, field byte, s T) []byte {
	dst = append(dst, field<<3|2)
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}
