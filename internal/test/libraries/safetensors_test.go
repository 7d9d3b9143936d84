package libraries_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/maruel/safetensors"

	"marsgym/internal/test/golden"
)

// exchanged are the tensors of testdata/exchange.py.
func exchanged() []safetensors.Tensor {
	floats := func(values ...float32) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	doubles := func(values ...float64) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	words := func(values ...uint16) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
		return b
	}
	integers := func(values ...int64) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		return b
	}
	return []safetensors.Tensor{
		{Name: "z.first", DType: safetensors.F32, Shape: []uint64{2, 3}, Data: floats(1, 2, 3, 4, 5, 6)},
		{Name: "bytes", DType: safetensors.U8, Shape: []uint64{5}, Data: []byte{1, 2, 3, 4, 255}},
		{Name: "after.bytes", DType: safetensors.F32, Shape: []uint64{2}, Data: floats(.5, -.25)},
		{Name: "doubles", DType: safetensors.F64, Shape: []uint64{3},
			Data: doubles(1./3, math.Inf(1), math.Copysign(0, -1))},
		{Name: "empty", DType: safetensors.F32, Shape: []uint64{0}, Data: []byte{}},
		{Name: "without.rows", DType: safetensors.I64, Shape: []uint64{2, 0, 3}, Data: []byte{}},
		{Name: "scalar", DType: safetensors.F32, Shape: []uint64{}, Data: floats(2.5)},
		{Name: "half", DType: safetensors.F16, Shape: []uint64{4}, Data: words(0x3c00, 0xc000, 0x7bff, 1)},
		{Name: "brain", DType: safetensors.BF16, Shape: []uint64{3}, Data: words(0x3f80, 0xc000, 0x7f62)},
		{Name: "flags", DType: safetensors.BOOL, Shape: []uint64{3}, Data: []byte{1, 0, 1}},
		{Name: "a.last", DType: safetensors.I64, Shape: []uint64{2}, Data: integers(math.MinInt64, math.MaxInt64)},
	}
}

// What Python's safetensors writes is read with the same names, types, shapes and bits.
func TestSafetensorsOfPython(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "python.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if got := file.Metadata["note"]; got != "Ende – 終" || len(file.Metadata) != 1 {
		t.Errorf("metadata is %q", file.Metadata)
	}
	if want := exchanged(); len(file.Tensors) != len(want) {
		t.Errorf("%d tensors; want %d", len(file.Tensors), len(want))
	}
	for _, want := range exchanged() {
		i := slices.IndexFunc(file.Tensors, func(x safetensors.Tensor) bool { return x.Name == want.Name })
		if i < 0 {
			t.Errorf("%s is missing", want.Name)
			continue
		}
		got := file.Tensors[i]
		if got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s is %v; want %v", want.Name, got, want)
		}
	}
}

// What Python reads in the tests of the package is what Serialize writes.
func TestSafetensorsForPython(t *testing.T) {
	file := safetensors.File{Tensors: exchanged(), Metadata: map[string]string{"note": "Ende – 終"}}
	var got bytes.Buffer
	if err := file.Serialize(&got); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "go.safetensors", got.Bytes())
	n := 8 + binary.LittleEndian.Uint64(got.Bytes())
	if n%8 != 0 {
		t.Errorf("the values begin at byte %d, which is not aligned to 8", n)
	}
}
