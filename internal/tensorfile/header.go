// Package tensorfile reads and writes safetensors files that carry a SHA-256 of their content: models,
// checkpoints and tables of games. Any program reads them as safetensors.
package tensorfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// sumKey precedes the file's SHA-256 in its header. It occurs nowhere else in the header's JSON,
// since quotes within strings are escaped.
const sumKey = `"sha256":"`

// noSum is in the place of the SHA-256 while that is computed.
var noSum = strings.Repeat("0", 2*sha256.Size)

// ErrDamaged is returned for a file whose content is not what was written.
var ErrDamaged = errors.New("it is truncated, or its content has changed since it was written")

// Kind is a kind of file, with its limits.
type Kind struct {
	Name        string // such as "model"
	Hint        string // what to do about another file
	File        int64  // the largest size of a file, in bytes
	Header      int64  // the largest size of a header, in bytes
	WhenDamaged string // what to do about ErrDamaged
}

// damaged is ErrDamaged with what to do.
func (k *Kind) damaged() error { return fmt.Errorf("%w; %s", ErrDamaged, k.WhenDamaged) }

// Header is the beginning of a file. It can be damaged unless [Header.CheckSum] returns nil.
type Header struct {
	Metadata  map[string]string
	Tensors   map[string]Info
	End, Size int64 // of the header and of the file

	kind  *Kind
	bytes []byte // with the length of the header before it
	sum   int    // where the SHA-256 is in bytes
}

// Info says where a tensor is.
type Info struct {
	DType   string    `json:"dtype"`
	Shape   []uint64  `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"` // after the header
}

// Sum returns the SHA-256 that the header states, in hex.
func (h *Header) Sum() string { return string(h.bytes[h.sum : h.sum+len(noSum)]) }

// ReadHeader reads the header of a file of that size, without its JSON, see [Header.Parse].
func (k *Kind) ReadHeader(r io.ReaderAt, size int64) (*Header, error) {
	if size < 8 {
		return nil, k.damaged()
	}
	if size > k.File {
		return nil, fmt.Errorf("it has %d bytes; want at most %d", size, k.File)
	}
	var length [8]byte
	if _, err := r.ReadAt(length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > uint64(size-8) {
		return nil, fmt.Errorf("it is not a safetensors file, or truncated; %s", k.Hint)
	}
	if n > uint64(k.Header) {
		return nil, fmt.Errorf("its header has %d bytes; want at most %d", n, k.Header)
	}
	h := &Header{kind: k, bytes: make([]byte, 8+n), End: 8 + int64(n), Size: size}
	if _, err := r.ReadAt(h.bytes, 0); err != nil {
		return nil, err
	}
	h.sum = bytes.Index(h.bytes, []byte(sumKey)) + len(sumKey)
	if h.sum < len(sumKey) || len(h.bytes) < h.sum+len(noSum) {
		return nil, fmt.Errorf("it is not a %s of this program; %s", k.Name, k.Hint)
	}
	return h, nil
}

// Parse parses the JSON, and compares the size of the file with that of its tensors.
func (h *Header) Parse() error {
	var parts map[string]json.RawMessage
	if json.Unmarshal(h.bytes[8:], &parts) != nil || json.Unmarshal(parts["__metadata__"], &h.Metadata) != nil {
		return h.kind.damaged()
	}
	delete(parts, "__metadata__")
	h.Tensors = make(map[string]Info, len(parts))
	last := uint64(0) // end of the tensors
	for name, text := range parts {
		var t Info
		if json.Unmarshal(text, &t) != nil {
			return h.kind.damaged()
		}
		last = max(last, t.Offsets[1])
		h.Tensors[name] = t
	}
	if last != uint64(h.Size-h.End) {
		return h.kind.damaged()
	}
	return nil
}

// CheckSum compares the SHA-256 with that of the header and the rest of the file.
func (h *Header) CheckSum(rest io.Reader) error {
	s := sha256.New()
	s.Write(h.bytes[:h.sum])
	io.WriteString(s, noSum)
	s.Write(h.bytes[h.sum+len(noSum):])
	if _, err := io.Copy(s, rest); err != nil {
		return err
	}
	if hex.EncodeToString(s.Sum(nil)) != h.Sum() {
		return h.kind.damaged()
	}
	return nil
}

// NoSum is the value of the key "sha256" in the metadata of a file that [Seal] is to complete.
func NoSum() string { return noSum }

// Seal writes the SHA-256 into the content of a file, whose metadata have [NoSum] for it.
func Seal(b []byte) {
	sum := sha256.Sum256(b)
	hex.Encode(b[bytes.Index(b, []byte(sumKey))+len(sumKey):], sum[:])
}
