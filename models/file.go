package models

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/maruel/safetensors"

	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
)

// File is a model file or a checkpoint, in the safetensors format: any program
// that reads that format can read the weights. What a checkpoint adds to a
// model is in Tensors and Blobs.
type File struct {
	Meta    Meta
	MLP     *MLP
	Tensors []Tensor          // such as an optimizer's moments
	Blobs   map[string][]byte // kept as tensors of bytes
}

// Bounds of a file and of its header, in bytes. Chosen: a header of ours has a
// few thousand, or, of a checkpoint, a hundred for each part of the rows. To read
// one takes some twenty times its size of memory.
const (
	maxFile   = 1 << 30
	maxHeader = 1 << 22
)

// seal stands before the file's SHA-256 in its header. No other value of the
// header's JSON can hold it, since a quote is escaped there.
const seal = `"sha256":"`

// unsealed stands in for the SHA-256 while it is computed.
var unsealed = strings.Repeat("0", 2*sha256.Size)

// Save writes the file whole or not at all. The same content gives the same
// bytes. It refuses weights that are not finite.
func (f *File) Save(path string) error {
	b, err := f.encode()
	if err != nil {
		return fmt.Errorf("models: save %s: %w", path, err)
	}
	if n := binary.LittleEndian.Uint64(b); len(b) > maxFile || n > maxHeader {
		return fmt.Errorf("models: save %s: it would have %d bytes, %d of them in the header, and no more than %d and %d can be loaded", path, len(b), n, maxFile, maxHeader)
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	if err != nil {
		return fmt.Errorf("models: save %s: %w", path, err)
	}
	return nil
}

// Load opens a model file or a checkpoint. An error wraps [ErrFormat] where
// the file is there but is not one, or not as it was written.
func Load(path string) (*File, error) {
	info, err := os.Stat(path) // to open a pipe would wait for its writer
	if err == nil {
		err = checkFile(path, info)
	}
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	r, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	defer r.Close()
	return LoadFrom(r)
}

// LoadFrom is [Load] of a file that is open already.
func LoadFrom(r *os.File) (*File, error) {
	b, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	f, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), err)
	}
	return f, nil
}

// Decode reads the content of a model file or a checkpoint, with errors as
// those of [Load].
func Decode(b []byte) (*File, error) {
	f, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("models: %w: %w", ErrFormat, err)
	}
	return f, nil
}

// read returns the content of a file of reasonable size.
func read(r *os.File) ([]byte, error) {
	info, err := r.Stat()
	if err == nil {
		err = checkFile(r.Name(), info)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxFile))
}

// checkFile reports what cannot be a model file.
func checkFile(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() && info.Size() <= maxFile {
		return nil
	}
	return fmt.Errorf("%s: %w: it is a folder or a device, or larger than %d bytes; give the path of a .safetensors file", path, ErrFormat, maxFile)
}

func (f *File) encode() ([]byte, error) {
	if err := f.MLP.CheckFinite(); err != nil {
		return nil, err
	}
	meta := f.Meta
	meta.Net = f.MLP.shape
	md, err := meta.strings()
	if err != nil {
		return nil, err
	}
	md["sha256"] = unsealed
	out := safetensors.File{Metadata: md}
	seen := map[string]bool{}
	add := func(name string, dtype safetensors.DType, shape []int, data []byte) error {
		if name == "" || name == "__metadata__" || seen[name] {
			return fmt.Errorf("a tensor is named %q: want another name", name)
		}
		seen[name] = true
		t := safetensors.Tensor{Name: name, DType: dtype, Data: data}
		for _, d := range shape {
			t.Shape = append(t.Shape, uint64(d))
		}
		out.Tensors = append(out.Tensors, t)
		return t.Validate()
	}
	for _, t := range slices.Concat(f.MLP.Tensors(), f.Tensors) {
		data := make([]byte, 0, 4*len(t.Data))
		for _, v := range t.Data {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		if err := add(t.Name, safetensors.F32, t.Shape, data); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Blobs)) {
		b := f.Blobs[name]
		if err := add(name, safetensors.U8, []int{len(b)}, b); err != nil {
			return nil, err
		}
	}
	var buf bytes.Buffer
	if err := out.Serialize(&buf); err != nil {
		return nil, err
	}
	b := buf.Bytes()
	sum := sha256.Sum256(b)
	i := bytes.Index(b, []byte(seal)) + len(seal)
	hex.Encode(b[i:i+len(unsealed)], sum[:])
	return b, nil
}

var errDamaged = errors.New("it is cut short or its content has changed since it was written; copy it again, or use another checkpoint")

// decode reads what encode returned. The seal is checked first, so that what
// follows meets damage only where somebody made it on purpose.
func decode(b []byte) (*File, error) {
	if len(b) < 8 {
		return nil, errDamaged
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-8) {
		return nil, errors.New("it is no safetensors file, or cut short; give the path of a model that train wrote")
	}
	if n > maxHeader {
		return nil, fmt.Errorf("its header has %d bytes; want at most %d", n, maxHeader)
	}
	header := b[8 : 8+n]
	i := bytes.Index(header, []byte(seal)) + len(seal)
	if i < len(seal) || len(header) < i+len(unsealed) {
		return nil, errors.New("it is no model of this program; give the path of a model that train wrote")
	}
	h := sha256.New()
	h.Write(b[:8+i])
	io.WriteString(h, unsealed)
	h.Write(b[8+i+len(unsealed):])
	if hex.EncodeToString(h.Sum(nil)) != string(header[i:i+len(unsealed)]) {
		return nil, errDamaged
	}
	in, err := safetensors.Parse(b)
	if err != nil {
		return nil, input.Short(err)
	}
	f := &File{}
	if f.Meta, err = parseMeta(in.Metadata); err != nil {
		return nil, err
	}
	if err := f.Meta.Net.Validate(); err != nil {
		return nil, err
	}
	return f, f.take(in.Tensors)
}

// take fills the network and what a checkpoint adds. Nothing is allocated for
// a network before its tensors are seen to be there.
func (f *File) take(tensors []safetensors.Tensor) error {
	var ts []Tensor
	seen := map[string]bool{}
	for _, t := range tensors {
		if seen[t.Name] {
			return fmt.Errorf("it holds two tensors %s", input.Quote(t.Name))
		}
		seen[t.Name] = true
		switch t.DType {
		case safetensors.U8:
			if f.Blobs == nil {
				f.Blobs = map[string][]byte{}
			}
			f.Blobs[t.Name] = bytes.Clone(t.Data)
		case safetensors.F32:
			ts = append(ts, floats(t))
		default:
			return fmt.Errorf("its tensor %s is of type %s: want F32 or U8", input.Quote(t.Name), t.DType)
		}
	}
	blocks := f.Meta.Net.blocks()
	if len(ts) < len(blocks) {
		return fmt.Errorf("it holds %d tensors: its network has %d", len(ts), len(blocks))
	}
	for i, b := range blocks {
		if want := b.shape(f.Meta.Net); ts[i].Name != b.name || !slices.Equal(ts[i].Shape, want) {
			return fmt.Errorf("its tensor %d is %s %v: its network has %s %v there", i, input.Quote(ts[i].Name), ts[i].Shape, b.name, want)
		}
	}
	f.MLP = newMLP(f.Meta.Net)
	if err := f.MLP.SetTensors(ts[:len(blocks)]); err != nil {
		return err
	}
	if len(ts) > len(blocks) {
		f.Tensors = ts[len(blocks):]
	}
	return f.MLP.CheckFinite()
}

// floats copies a tensor of float32.
func floats(t safetensors.Tensor) Tensor {
	f := Tensor{Name: t.Name, Data: make([]float32, len(t.Data)/4)}
	for _, d := range t.Shape {
		f.Shape = append(f.Shape, int(d))
	}
	for i := range f.Data {
		f.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
	}
	return f
}
