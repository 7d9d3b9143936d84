package models

import (
	"bytes"
	"cmp"
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

// File is the content of a model file or a checkpoint. The format is safetensors, so
// other programs can read the weights. Tensors and Blobs hold what a checkpoint has
// beside the model.
type File struct {
	Meta    Meta
	MLP     *MLP
	Tensors []Tensor          // such as an optimizer's moments
	Blobs   map[string][]byte // stored as tensors of bytes
}

// Limits of a file and of its header, in bytes. Chosen: the header of a model has a few
// thousand, and that of a checkpoint about a hundred more for each group of rows.
// Reading a header takes about twenty times its size of memory.
const (
	maxFile   = 1 << 30
	maxHeader = 1 << 22
)

// checksumKey precedes the file's SHA-256 in its header. It occurs nowhere else in the
// header's JSON, since quotes within strings are escaped.
const checksumKey = `"sha256":"`

// noChecksum is in the place of the SHA-256 while that is computed.
var noChecksum = strings.Repeat("0", 2*sha256.Size)

// Save writes the file atomically: after an error or a crash, path holds what was there
// before. The same content gives the same bytes. Weights that are not finite are an
// error, and so are those of [MLP.CheckOutputs].
func (f *File) Save(path string) error {
	b, err := f.Encode()
	if err != nil {
		return fmt.Errorf("models: save %s: %w", path, err)
	}
	if n := binary.LittleEndian.Uint64(b); len(b) > maxFile || n > maxHeader {
		return fmt.Errorf("models: save %s: it would have %d bytes, %d of them in the header: want at most %d and %d", path, len(b), n, maxFile, maxHeader)
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

// Load reads a model file or a checkpoint. The error wraps [ErrFormat] if the file
// exists but is neither, or its content is not what was written.
func Load(path string) (*File, error) {
	info, err := os.Stat(path) // before Open, which would wait for the writer of a pipe
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

// LoadFrom is [Load] for an open file.
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

// Decode parses the content of a model file or a checkpoint. Its errors are those of
// [Load].
func Decode(b []byte) (*File, error) {
	f, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("models: %w: %w", ErrFormat, err)
	}
	return f, nil
}

// read returns the content of a file of at most maxFile bytes.
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

// checkFile returns an error if the file cannot be a model file.
func checkFile(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() && info.Size() <= maxFile {
		return nil
	}
	return fmt.Errorf("%s: %w: it is a directory or a device, or larger than %d bytes; give the path of a .safetensors file", path, ErrFormat, maxFile)
}

// Encode returns the content of the file that [File.Save] writes.
func (f *File) Encode() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	meta := f.Meta
	meta.Net = f.MLP.shape
	md, err := meta.strings()
	if err != nil {
		return nil, err
	}
	md["sha256"] = noChecksum
	out := safetensors.File{Metadata: md}
	seen := map[string]bool{}
	add := func(name string, dtype safetensors.DType, shape []int, data []byte) error {
		if name == "" || name == "__metadata__" || seen[name] {
			return fmt.Errorf("the name %q of a tensor is empty, reserved or used twice", name)
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
	i := bytes.Index(b, []byte(checksumKey)) + len(checksumKey)
	hex.Encode(b[i:i+len(noChecksum)], sum[:])
	return b, nil
}

var errDamaged = errors.New("it is truncated, or its content has changed since it was written; copy it again, or use another checkpoint")

// decode parses what encode returned. It checks the SHA-256 first, so the later checks
// fail only for a file that was changed on purpose.
func decode(b []byte) (*File, error) {
	if len(b) < 8 {
		return nil, errDamaged
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-8) {
		return nil, errors.New("it is not a safetensors file, or truncated; give the path of a model that train wrote")
	}
	if n > maxHeader {
		return nil, fmt.Errorf("its header has %d bytes; want at most %d", n, maxHeader)
	}
	header := b[8 : 8+n]
	i := bytes.Index(header, []byte(checksumKey)) + len(checksumKey)
	if i < len(checksumKey) || len(header) < i+len(noChecksum) {
		return nil, errors.New("it is not a model of this program; give the path of a model that train wrote")
	}
	h := sha256.New()
	h.Write(b[:8+i])
	io.WriteString(h, noChecksum)
	h.Write(b[8+i+len(noChecksum):])
	if hex.EncodeToString(h.Sum(nil)) != string(header[i:i+len(noChecksum)]) {
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
	return f, f.setTensors(in.Tensors)
}

// setTensors fills MLP, Tensors and Blobs. It allocates the network only after it has
// checked that the network's tensors are present.
func (f *File) setTensors(tensors []safetensors.Tensor) error {
	var ts []Tensor
	seen := map[string]bool{}
	for _, t := range tensors {
		if seen[t.Name] {
			return fmt.Errorf("it has two tensors %s", input.Quote(t.Name))
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
		return fmt.Errorf("it has %d tensors: its network has %d", len(ts), len(blocks))
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
	return f.check()
}

// check returns an error if the network gives no distribution.
func (f *File) check() error { return cmp.Or(f.MLP.CheckFinite(), f.MLP.CheckOutputs()) }

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
