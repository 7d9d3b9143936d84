package models_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/internal/test/golden"
	"marsgym/models"
)

// checkpoint returns a small file that has all a checkpoint can have, but no
// ValueTarget, as older releases wrote it.
func checkpoint(t testing.TB) *models.File {
	t.Helper()
	s := models.Shape{Obs: 2, Hidden: []int{3}, Head: models.Logits, Actions: 2, Players: 2}
	m := newMLP(t, s, 5)
	for i := range m.Weights() {
		m.Weights()[i] = float32(i) / 8
	}
	return &models.File{
		Meta: models.Meta{
			Game:         "pig",
			RulesVersion: 2,
			RulesHash:    "a1b2",
			ObsHash:      "c3d4",
			Config:       json.RawMessage(`{"goal":100,"name":"<\"sha256\":\">"}`),
			Algorithm:    "ppo",
			Seed:         math.MaxUint64,
			Steps:        1 << 40,
			Iterations:   7,
			Games:        12345,
			Exact:        &models.Exact{WinFirst: 0.53, WinSecond: 0.46, Exploitability: 1e-4},
		},
		MLP:     m,
		Tensors: []models.Tensor{{Name: "adam.m", Shape: []int{2, 1}, Data: []float32{1, float32(math.Inf(1))}}},
		Blobs:   map[string][]byte{"state.rows": {1, 2, 255}, "state.empty": {}},
	}
}

// TestFormat: the bytes of files must not change, so that old files load.
func TestFormat(t *testing.T) {
	f := checkpoint(t)
	golden.Check(t, "checkpoint.safetensors", saved(t, f))
	f.Tensors, f.Blobs = nil, nil
	golden.Check(t, "model.safetensors", saved(t, f))
}

// saved returns the bytes of a file.
func saved(t testing.TB, f *models.File) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// load loads a file of these bytes.
func load(t testing.TB, path string, b []byte) (*models.File, error) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return models.Load(path)
}

func TestSaveLoad(t *testing.T) {
	want := checkpoint(t)
	path := filepath.Join(t.TempDir(), "m.safetensors")
	b := saved(t, want)
	if !bytes.Equal(b, saved(t, checkpoint(t))) {
		t.Error("the same content gives other bytes")
	}
	got, err := load(t, path, b)
	if err != nil {
		t.Fatal(err)
	}
	want.Meta.Net = want.MLP.Shape()
	if !reflect.DeepEqual(got.Meta, want.Meta) {
		t.Errorf("meta %+v, want %+v", got.Meta, want.Meta)
	}
	if !slices.Equal(got.MLP.Weights(), want.MLP.Weights()) {
		t.Error("Load returns other weights than were saved")
	}
	if !reflect.DeepEqual(got.Tensors, want.Tensors) || !reflect.DeepEqual(got.Blobs, want.Blobs) {
		t.Errorf("Load returns %v and %v, want %v and %v", got.Tensors, got.Blobs, want.Tensors, want.Blobs)
	}
	if err := got.Save(path); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, b) {
		t.Errorf("a file saved again has other bytes, or error %v", err)
	}
}

// TestValueTarget: a file of an older release has no value target and loads without
// one. A value target that is set is restored.
func TestValueTarget(t *testing.T) {
	for _, name := range []string{"checkpoint.safetensors", "model.safetensors"} {
		old, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(old, []byte("value_target")) {
			t.Fatalf("%s has a value target", name)
		}
		f, err := models.Decode(old)
		if err != nil {
			t.Fatal(err)
		}
		if f.Meta.ValueTarget != "" {
			t.Errorf("%s loads with the value target %q", name, f.Meta.ValueTarget)
		}
		if !bytes.Equal(saved(t, f), old) {
			t.Errorf("%s has other bytes when saved again", name)
		}
		f.Meta.ValueTarget = "turn_start"
		got, err := models.Decode(saved(t, f))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Meta, f.Meta) {
			t.Errorf("meta %+v, want %+v", got.Meta, f.Meta)
		}
	}
}

func TestSaveLoadModelOnly(t *testing.T) {
	want := &models.File{MLP: newMLP(t, score, 1)}
	got, err := load(t, filepath.Join(t.TempDir(), "m"), saved(t, want))
	if err != nil {
		t.Fatal(err)
	}
	want.Meta.Net = score
	if !reflect.DeepEqual(got.Meta, want.Meta) || got.Tensors != nil || got.Blobs != nil {
		t.Errorf("Load returns %+v, want %+v", got, want)
	}
}

func TestSaveRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*models.File){
		"weight 3 of 25 is NaN":                        func(f *models.File) { f.MLP.Weights()[3] = float32(math.NaN()) },
		`the name "adam.m" of a tensor is empty`:       func(f *models.File) { f.Blobs["adam.m"] = nil },
		`the name "value.bias" of a tensor is empty`:   func(f *models.File) { f.Tensors[0].Name = "value.bias" },
		`the name "__metadata__" of a tensor is empty`: func(f *models.File) { f.Tensors[0].Name = "__metadata__" },
		"shape=[3] len(data)=8":                        func(f *models.File) { f.Tensors[0].Shape = []int{3} },
		"its config: ":                                 func(f *models.File) { f.Meta.Config = json.RawMessage("{") },
	} {
		f := checkpoint(t)
		spoil(f)
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := f.Save(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: Save leaves a file, or error %v", want, err)
		}
	}
}

func TestLoadRefusesDamage(t *testing.T) {
	b := saved(t, checkpoint(t))
	refused := func(what string, i int, b []byte) {
		if _, err := models.Decode(b); !errors.Is(err, models.ErrFormat) {
			t.Errorf("%s %d: %v", what, i, err)
		}
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for i := 0; i < len(b); i += step {
		for flip := 1; flip < 256; flip += 1 + i%5 {
			b[i] ^= byte(flip)
			refused("a change of byte", i, b)
			b[i] ^= byte(flip)
		}
		refused("truncation to length", i, b[:i])
	}
	refused("one byte more than", len(b), append(slices.Clone(b), 0))

	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := load(t, path, b[:len(b)/2]); !errors.Is(err, models.ErrFormat) || !strings.Contains(err.Error(), path) {
		t.Errorf("half a file: error %v: want ErrFormat and the path", err)
	}
}

// fixChecksum corrects the SHA-256 of a changed file.
func fixChecksum(b []byte) []byte {
	if i := bytes.Index(b, []byte(`"sha256":"`)); i >= 0 && len(b) >= i+10+64 {
		copy(b[i+10:], strings.Repeat("0", 64))
		sum := sha256.Sum256(b)
		hex.Encode(b[i+10:], sum[:])
	}
	return b
}

// edit replaces text in the header of a file and corrects its SHA-256.
func edit(b []byte, old, new string) []byte {
	n := binary.LittleEndian.Uint64(b)
	header := strings.Replace(string(b[8:8+n]), old, new, 1)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return fixChecksum(append(append(out, header...), b[8+n:]...))
}

// TestLoadRefusesForgeries changes files on purpose: their SHA-256 is correct.
func TestLoadRefusesForgeries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	b := saved(t, checkpoint(t))
	if _, err := load(t, path, edit(b, `"seed":"18446744073709551615"`, `"seed":"1"`)); err != nil {
		t.Errorf("another seed with the correct SHA-256: %v", err)
	}
	nan := slices.Clone(b)
	copy(nan[8+binary.LittleEndian.Uint64(b):], "\x00\x00\xc0\x7f")
	last := `"state.rows":{"dtype":"U8","shape":[3],"data_offsets":[108,111]}`
	tests := []struct {
		name string
		b    []byte
		want string
	}{
		{"weight NaN", fixChecksum(nan), "weight 0 of 25 is NaN"},
		{"format", edit(b, `"format_version":"1"`, `"format_version":"2"`), "use the release that wrote it"},
		{"no format", edit(b, `"format_version":"1",`, ``), "format version"},
		{"no checksum", edit(b, `"sha256":`, `"sha256": `), "not a model of this program"},
		{"seed", edit(b, `"seed":"1`, `"seed":"x`), "its seed: "},
		{"steps", edit(b, `"steps":"1`, `"steps":"-1`), "its steps: -1099511627776 is negative"},
		{"net", edit(b, `\"hidden\":[3]`, `\"hidden\":[4]`), `"body.0.weight" [3 2]`},
		{"deep net", edit(b, `\"hidden\":[3]`, `\"hidden\":[3,3]`), "network has 8"},
		{"large net", edit(b, `\"hidden\":[3]`, `\"hidden\":[3,8000,8000]`), "network has 10"},
		{"huge net", edit(b, `\"hidden\":[3]`, `\"hidden\":[3,60000,60000]`), "weights: want at most"},
		{"absurd net", edit(b, `\"hidden\":[3]`, `\"hidden\":[3,1000000000000]`), "hidden[1] is 1000000000000"},
		{"head", edit(b, `\"head\":\"logits\"`, `\"head\":\"score\"`), "score.weight"},
		{"type", edit(b, `"adam.m":{"dtype":"F32"`, `"adam.m":{"dtype":"I32"`), `its tensor "adam.m" is of type I32: want F32 or U8`},
		{"name", edit(b, `"value.bias":`, `"value.bios":`), "value.bias"},
		{"twice", edit(b, `"state.empty":`, `"adam.m":`), `two tensors "adam.m"`},
		{"outside", edit(b, last, `"state.rows":{"dtype":"U8","shape":[4],"data_offsets":[108,112]}`), "it is truncated, or its content has changed since it was written"},
		{"far outside", edit(b, last, `"state.rows":{"dtype":"U8","shape":[18446744073709551499],"data_offsets":[108,18446744073709551607]}`), "it is truncated, or its content has changed since it was written"},
		{"not an object", edit(b, `{`, `[`), "it is truncated, or its content has changed since it was written"},
		{"long header", edit(b, `{`, `{`+strings.Repeat(" ", 1<<22)), "bytes; want at most 4194304"},
		{"long name", edit(b, `"value.bias":`, `"\u001b[2J`+strings.Repeat("x", 1<<20)+`":`), `is "\x1b[2Jxxx`},
		{"long number", edit(b, `"steps":"1`, `"steps":"`+strings.Repeat("1", 1<<20)), `its steps: the document is 111`},
		{"Config", edit(b, `{\"goal\":100`, `{\"goal\":,100`), "its config: "},
	}
	for _, tt := range tests {
		if _, err := load(t, path, tt.b); !errors.Is(err, models.ErrFormat) || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 1000 {
			t.Errorf("%s: error %.1000v: want a short ErrFormat and %q", tt.name, err, tt.want)
		}
	}
}

func TestLoadRefusesOtherPaths(t *testing.T) {
	dir := t.TempDir()
	if _, err := models.Load(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, models.ErrFormat) {
		t.Errorf("no file: error %v: want ErrNotExist", err)
	}
	if _, err := models.Load(dir); !errors.Is(err, models.ErrFormat) || !strings.Contains(err.Error(), dir+" is a directory, not a regular file") {
		t.Errorf("a directory: error %v: want ErrFormat", err)
	}
	huge := filepath.Join(dir, "huge")
	if err := os.WriteFile(huge, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := models.Load(huge); !errors.Is(err, models.ErrFormat) || !strings.Contains(err.Error(), "it has 1099511627776 bytes; want at most") {
		t.Errorf("a huge file: error %v: want ErrFormat", err)
	}
}

// TestLoadReadsLittle: files that are refused for their header or their SHA-256 are not read
// into memory, and the header is enough for the metadata.
func TestLoadReadsLittle(t *testing.T) {
	const size = 64 << 20
	b := saved(t, checkpoint(t))
	claims := edit(b, `"data_offsets":[108,111]`, fmt.Sprintf(`"data_offsets":[108,%d]`, size))
	claims = edit(claims, `"shape":[3],"data_offsets":[108`, fmt.Sprintf(`"shape":[%d],"data_offsets":[108`, size-108))
	for name, test := range map[string]struct {
		start []byte
		size  int64
	}{
		"sparse":        {nil, size},
		"long header":   {binary.LittleEndian.AppendUint64(nil, size-8), size},
		"grown":         {b, size},
		"claims a blob": {claims, 8 + int64(binary.LittleEndian.Uint64(claims)) + size},
	} {
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := errors.Join(os.WriteFile(path, test.start, 0o666), os.Truncate(path, test.size)); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := models.Load(path)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, models.ErrFormat) || used > size/16 {
			t.Errorf("%s: %v after %d bytes of memory", name, err, used)
		}
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole, err := models.LoadFrom(f)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := models.MetaFrom(f); err != nil || !reflect.DeepEqual(m, whole.Meta) {
		t.Errorf("the metadata are %+v, %v; want %+v", m, err, whole.Meta)
	}
}

func TestMetaCheck(t *testing.T) {
	meta := checkpoint(t).Meta
	meta.Net = score
	if err := meta.Check(meta); err != nil {
		t.Error(err)
	}
	tests := []struct {
		spoil func(*models.Meta)
		want  string
	}{
		{func(m *models.Meta) { m.Game = "chess" }, `it plays "pig", not chess`},
		{func(m *models.Meta) { m.RulesVersion = 3 }, "version 2"},
		{func(m *models.Meta) { m.Net.Players = 3 }, "for 2 players, not 3"},
		{func(m *models.Meta) { m.RulesHash = "" }, `{"goal":100`},
		{func(m *models.Meta) { m.ObsHash = "" }, "train a new model"},
		{func(m *models.Meta) { m.Net.Obs++ }, "these are 12 and 6"},
		{func(m *models.Meta) { m.Net.Actions++ }, "these are 11 and 7"},
	}
	for _, tt := range tests {
		want := meta
		tt.spoil(&want)
		if err := meta.Check(want); !errors.Is(err, models.ErrMismatch) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v: want ErrMismatch and %q", err, tt.want)
		}
	}
}

// FuzzLoadModel decodes its input, as it is and with a correct SHA-256, so that it
// passes that check. What can be decoded must be the same after it is encoded and
// decoded again, except for spaces in its config.
func FuzzLoadModel(f *testing.F) {
	for _, name := range []string{"checkpoint.safetensors", "model.safetensors"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, fixChecksum(slices.Clone(b))} {
			got, err := models.Decode(b)
			if err != nil {
				continue
			}
			written, err := got.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := models.Decode(written)
			if err != nil {
				t.Fatal(err)
			}
			if got.Meta.Config != nil {
				var config bytes.Buffer
				if err := json.Compact(&config, got.Meta.Config); err != nil {
					t.Fatal(err)
				}
				got.Meta.Config = config.Bytes()
			}
			if !reflect.DeepEqual(again.Meta, got.Meta) || !slices.Equal(again.MLP.Weights(), got.MLP.Weights()) {
				t.Errorf("%+v becomes %+v", got.Meta, again.Meta)
			}
			if twice, err := again.Encode(); err != nil || !bytes.Equal(twice, written) {
				t.Errorf("encoded again it has other bytes, or error %v", err)
			}
		}
	})
}
