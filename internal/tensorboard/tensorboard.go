package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"os"
	"time"
)

// File is the name of the event file of a run. TensorBoard accepts any name that
// contains "tfevents". Usual names end in the time of the start and the machine, so
// a resumed run has several files. Here a run has one, which resuming finds by its
// name.
const File = "events.out.tfevents.0.marsgym"

const version = "brain.Event:2"

// Scalar is a number with a name. TensorBoard groups tags by the text before their
// first slash.
type Scalar struct {
	Tag   string
	Value float64 // written as a float32
}

// Writer appends to an event file. It is not safe for concurrent use.
type Writer struct {
	f    *os.File
	size int64
	buf  []byte
}

// New returns a writer that appends to a file which is positioned at its end, after
// size bytes of events. If size is 0 it writes the first event.
func New(f *os.File, size int64) (*Writer, error) {
	w := &Writer{f: f, size: size}
	if size > 0 {
		return w, nil
	}
	return w, w.write(appendString(nil, 3, version))
}

// Scalars appends one event with all the scalars of a step. TensorBoard shows the
// time wall.
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

// Size returns the number of bytes in the file.
func (w *Writer) Size() int64 { return w.size }

// Sync makes what was written durable.
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

// checksum returns the CRC-32C, masked as the format requires for data that contains
// checksums itself.
func checksum(data []byte) uint32 {
	return bits.RotateLeft32(crc32.Checksum(data, castagnoli), 17) + 0xa282ead8
}

// appendString appends a length-delimited field: a string, bytes or a message.
func appendString[T string | []byte](dst []byte, field byte, s T) []byte {
	dst = append(dst, field<<3|2)
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}
