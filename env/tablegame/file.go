package tablegame

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"marsgym/env/game"
	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
	"marsgym/internal/tensorfile"
)

// Extension is the end of the names of files of tables.
const Extension = ".game"

// format names the format and its version, which rises when a program that reads the older one would
// misread a file.
const format = "marsgym.table.1"

// ErrFormat is wrapped by the errors of [Load] for a file that is not a table, or is damaged.
var ErrFormat = errors.New("not a usable table of a game")

// kind is that of tables. The limits are chosen: a table of a billion numbers, and headers of a few
// hundred bytes.
var kind = tensorfile.Kind{
	Name: "table of a game", Hint: "give the path of a file that marsgym.Game.save or tablegame.Rules.Save wrote", File: 1 << 36, Header: 1 << 20,
	WhenDamaged: "copy it again, or make it again",
}

// Load reads the table in a file. The error wraps [ErrFormat] if the file exists but is no table, is
// damaged, or holds a game that cannot be played: then it names the state.
func Load(path string) (*Rules, error) {
	f, err := atomicfile.Open(path)
	if errors.Is(err, atomicfile.ErrNotRegular) {
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := load(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrFormat, err)
	}
	return r, nil
}

func load(f *os.File) (*Rules, error) {
	h, err := open(f)
	if err != nil {
		return nil, err
	}
	t, err := decode(f, h)
	if err != nil {
		return nil, err
	}
	return build(t) // of a file that another program wrote, the digest can differ from its own
}

// open reads the header of a file, and checks that the file is as it was written.
func open(f *os.File) (*tensorfile.Header, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	h, err := kind.ReadHeader(f, info.Size())
	if err == nil {
		err = h.CheckSum(io.NewSectionReader(f, h.End, h.Size-h.End))
	}
	if err == nil {
		err = h.Parse()
	}
	return h, err
}

// decode reads the tensors.
func decode(r io.ReaderAt, h *tensorfile.Header) (*Table, error) {
	md := h.Metadata
	if f, ok := md["format"]; !ok {
		return nil, fmt.Errorf("it is not a table of a game; %s", kind.Hint)
	} else if f != format {
		return nil, fmt.Errorf("its format is %s; this release reads %s", input.Quote(f), format)
	}
	t := &Table{Name: md["name"], About: md["about"]}
	for _, n := range []struct {
		key string
		to  *int
	}{{"players", &t.Players}, {"actions", &t.Actions}, {"move_limit", &t.MoveLimit}} {
		text, ok := md[n.key]
		if !ok && n.key == "move_limit" {
			continue
		}
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("%s is %s; want a number", n.key, input.Quote(text))
		}
		*n.to = v
	}
	d := decoder{r: r, h: h, known: map[string]bool{}}
	for _, seat := range read[uint8](&d, "player", "I8", 1) {
		t.Mover = append(t.Mover, game.Player(seat))
	}
	t.First, t.Count = read[uint32](&d, "first", "U32", 1), read[uint16](&d, "count", "U16", 1)
	if d.has("action") || d.has("next") {
		t.Action, t.Next = read[uint16](&d, "action", "U16", 1), read[uint32](&d, "next", "U32", 1)
	}
	if d.has("outcome") || d.has("probability") {
		t.Outcome, t.Probability = read[uint32](&d, "outcome", "U32", 1), read[float64](&d, "probability", "F64", 1)
	}
	t.Returns = read[float64](&d, "returns", "F64", 2)
	if n := d.shape[1]; d.err == nil && n != uint64(t.Players) {
		return nil, fmt.Errorf("its tensor returns has rows of %d; want %d, the number of players", n, t.Players)
	}
	if d.has("observation") {
		if h.Tensors["observation"].DType == "U8" {
			t.Observation.Bytes = read[uint8](&d, "observation", "U8", 3)
		} else {
			t.Observation.Floats = read[float32](&d, "observation", "F32", 3)
		}
		t.Observation.Seats, t.Observation.Len = int(d.shape[1]), int(d.shape[2])
	}
	if d.has("state_text") || d.has("state_text_end") {
		t.StateText = Texts{read[uint8](&d, "state_text", "U8", 1), read[uint64](&d, "state_text_end", "U64", 1)}
	}
	if d.has("action_text") || d.has("action_text_end") {
		t.ActionText.Bytes = read[uint8](&d, "action_text", "U8", 1)
		for _, end := range read[uint32](&d, "action_text_end", "U32", 1) {
			t.ActionText.End = append(t.ActionText.End, uint64(end))
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	for name := range h.Tensors {
		if !d.known[name] {
			return nil, fmt.Errorf("it has a tensor %s, which no table of this format has", input.Quote(name))
		}
	}
	return t, nil
}

// decoder reads the tensors of a file one by one. Its error is the first.
type decoder struct {
	r     io.ReaderAt
	h     *tensorfile.Header
	known map[string]bool
	shape [3]uint64 // of the last tensor
	err   error
}

// has reports whether there is a tensor of that name.
func (d *decoder) has(name string) bool {
	_, ok := d.h.Tensors[name]
	return ok
}

// read returns the tensor of a name and a type, with dims dimensions.
func read[T tensorfile.Number](d *decoder, name, dtype string, dims int) []T {
	if d.err != nil {
		return nil
	}
	d.known[name] = true
	data, shape, err := tensorfile.ReadTensor[T](d.r, d.h, name, dtype)
	if err == nil && len(shape) != dims {
		err = fmt.Errorf("its tensor %s has the shape %d; want %d dimensions", name, shape, dims)
	}
	d.err, d.shape = err, [3]uint64{}
	copy(d.shape[:], shape)
	return data
}

// Save writes the table to a file, atomically: after an error or a crash, path holds what was there
// before. The same table gives the same bytes. Save overwrites no file: it returns an error that wraps
// [fs.ErrExist] if there is one, or nil if that holds the same table.
func (r *Rules) Save(path string) error {
	md, tensors := r.t.encode()
	err := save(path, r.Digest(), func(w io.Writer) error { return tensorfile.Write(w, r.Digest(), md, tensors) })
	if err != nil {
		return fmt.Errorf("table %s: save %s: %w", r.t.Name, path, err)
	}
	return nil
}

// save writes a file unless there is one.
func save(path, sum string, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err != nil {
		if err = atomicfile.Create(path, write); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if f, err := atomicfile.Open(path); err == nil {
		defer f.Close()
		if h, err := open(f); err == nil && h.Sum() == sum {
			return nil
		}
	}
	return fmt.Errorf("%w, and is not overwritten; choose another name, or remove it", fs.ErrExist)
}

// digest returns the SHA-256 of the file that Save writes.
func (t *Table) digest() (string, error) { return tensorfile.Sum(t.encode()) }

// encode returns the metadata and the tensors of the file. Tensors of larger numbers come first, so that
// all are aligned.
func (t *Table) encode() (map[string]string, []tensorfile.Tensor) {
	md := map[string]string{"format": format, "name": t.Name, "players": strconv.Itoa(t.Players), "actions": strconv.Itoa(t.Actions)}
	if t.About != "" {
		md["about"] = t.About
	}
	if t.MoveLimit > 0 {
		md["move_limit"] = strconv.Itoa(t.MoveLimit)
	}
	n := len(t.Mover)
	seats := make([]uint8, n)
	for i, seat := range t.Mover {
		seats[i] = uint8(seat)
	}
	var list []tensorfile.Tensor
	if len(t.Outcome) > 0 {
		list = append(list, tensorfile.NewTensor("probability", "F64", []int{len(t.Probability)}, t.Probability))
	}
	list = append(list, tensorfile.NewTensor("returns", "F64", []int{len(t.Returns) / t.Players, t.Players}, t.Returns))
	if len(t.StateText.End) > 0 {
		list = append(list, tensorfile.NewTensor("state_text_end", "U64", []int{n}, t.StateText.End))
	}
	o := &t.Observation
	shape := []int{n, o.Seats, o.Len}
	if o.Floats != nil {
		list = append(list, tensorfile.NewTensor("observation", "F32", shape, o.Floats))
	}
	list = append(list, tensorfile.NewTensor("first", "U32", []int{n}, t.First), tensorfile.NewTensor("next", "U32", []int{len(t.Next)}, t.Next))
	if len(t.Outcome) > 0 {
		list = append(list, tensorfile.NewTensor("outcome", "U32", []int{len(t.Outcome)}, t.Outcome))
	}
	if len(t.ActionText.End) > 0 {
		ends := make([]uint32, t.Actions)
		for a, end := range t.ActionText.End {
			ends[a] = uint32(end)
		}
		list = append(list, tensorfile.NewTensor("action_text_end", "U32", []int{t.Actions}, ends))
	}
	list = append(list,
		tensorfile.NewTensor("count", "U16", []int{n}, t.Count),
		tensorfile.NewTensor("action", "U16", []int{len(t.Action)}, t.Action),
		tensorfile.NewTensor("player", "I8", []int{n}, seats))
	if o.Bytes != nil {
		list = append(list, tensorfile.NewTensor("observation", "U8", shape, o.Bytes))
	}
	if len(t.StateText.End) > 0 {
		list = append(list, tensorfile.NewTensor("state_text", "U8", []int{len(t.StateText.Bytes)}, t.StateText.Bytes))
	}
	if len(t.ActionText.End) > 0 {
		list = append(list, tensorfile.NewTensor("action_text", "U8", []int{len(t.ActionText.Bytes)}, t.ActionText.Bytes))
	}
	return md, list
}
