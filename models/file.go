package models

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/maruel/safetensors"

	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
	"marsgym/internal/tensorfile"
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

// MaxFile is the largest size of a file, in bytes. Chosen.
const MaxFile = 1 << 30

// maxHeader is the largest size of a header, in bytes. Chosen: the header of a model has a
// few thousand, and that of a checkpoint about a hundred more for each group of rows.
// Reading a header takes about twenty times its size of memory.
const maxHeader = 1 << 22

// kind is that of models and checkpoints.
var kind = tensorfile.Kind{
	Name: "model", Hint: "give the path of a model that train wrote", File: MaxFile, Header: maxHeader,
	WhenDamaged: "copy it again, or use another checkpoint",
}

// Save writes the file atomically: after an error or a crash, path holds what was there
// before. The same content gives the same bytes. Weights that are not finite are an
// error, and so are those of [MLP.CheckOutputs].
func (f *File) Save(path string) error {
	return f.SaveBy(path, func(b []byte) error { return atomicfile.WriteBytes(path, b) })
}

// SaveBy is [File.Save] by a function that writes the content, also atomically. The errors name the
// path.
func (f *File) SaveBy(path string, write func(b []byte) error) error {
	b, err := f.Encode()
	if err != nil {
		return fmt.Errorf("models: save %s: %w", path, err)
	}
	if n := binary.LittleEndian.Uint64(b); len(b) > MaxFile || n > maxHeader {
		return fmt.Errorf("models: save %s: it would have %d bytes, %d of them in the header: want at most %d and %d", path, len(b), n, MaxFile, maxHeader)
	}
	if err := write(b); err != nil {
		return fmt.Errorf("models: save %s: %w", path, err)
	}
	return nil
}

// Load reads a model file or a checkpoint. The error wraps [ErrFormat] if the file
// exists but is neither, or its content is not what was written.
func Load(path string) (*File, error) {
	r, err := atomicfile.Open(path)
	if errors.Is(err, atomicfile.ErrNotRegular) {
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	defer r.Close()
	return LoadFrom(r)
}

// LoadFrom is [Load] for an open file. It reads the content into memory only after it has
// checked the header and the SHA-256.
func LoadFrom(r *os.File) (*File, error) {
	h, err := headerFrom(r)
	if err == nil {
		err = h.CheckSum(io.NewSectionReader(r, h.End, h.Size-h.End))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: models: %w: %w", r.Name(), ErrFormat, err)
	}
	b := make([]byte, h.Size)
	if _, err := r.ReadAt(b, 0); err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	f, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), err)
	}
	return f, nil
}

// MetaFrom returns the metadata of a model file or a checkpoint. It reads the header only,
// so that [LoadFrom] can still find that the content is damaged.
func MetaFrom(r *os.File) (Meta, error) {
	h, err := headerFrom(r)
	var m Meta
	if err == nil {
		m, err = metaOf(h)
	}
	if err != nil {
		return Meta{}, fmt.Errorf("%s: models: %w: %w", r.Name(), ErrFormat, err)
	}
	return m, nil
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
	md["sha256"] = tensorfile.NoSum()
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
	tensorfile.Seal(b)
	return b, nil
}

// headerFrom reads the header of an open file, and checks that the file has as many bytes as
// its tensors.
func headerFrom(r *os.File) (*tensorfile.Header, error) {
	info, err := r.Stat()
	if err != nil {
		return nil, err
	}
	h, err := kind.ReadHeader(r, info.Size())
	if err != nil {
		return nil, err
	}
	return h, h.Parse()
}

// metaOf returns the metadata.
func metaOf(h *tensorfile.Header) (Meta, error) {
	m, err := parseMeta(h.Metadata)
	if err == nil {
		err = m.Net.Validate()
	}
	return m, err
}

// decode parses what Encode returned. What follows the check of the SHA-256 fails only for a
// file that was changed on purpose.
func decode(b []byte) (*File, error) {
	r := bytes.NewReader(b)
	h, err := kind.ReadHeader(r, int64(len(b)))
	if err == nil {
		err = h.CheckSum(bytes.NewReader(b[h.End:]))
	}
	if err == nil {
		err = h.Parse()
	}
	if err != nil {
		return nil, err
	}
	in, err := safetensors.Parse(b)
	if err != nil {
		return nil, input.Short(err)
	}
	f := &File{}
	if f.Meta, err = metaOf(h); err != nil {
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
