package env

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/internal/atomicfile"
)

// ErrSolutionFile is wrapped by the errors of a solution file that is damaged, belongs
// to other rules, or holds wrong values.
var ErrSolutionFile = errors.New("not a solution of this game, or damaged")

// maxHeader bounds the length of the header. Chosen: headers have some 400 bytes.
const maxHeader = 4096

// maxResidual bounds the residual of a solution, relative to its largest value or to
// 1. Chosen: residuals of the published games are near 10⁻¹⁵, and no figure is printed
// with more digits than this.
const maxResidual = 1e-6

// solutionHeader is the header of a solution file, which is in the format safetensors: the
// length of the header, the header in JSON with spaces up to a multiple of 8 bytes, and the
// values.
type solutionHeader struct {
	Meta struct {
		Game      string  `json:"game"`
		Players   int     `json:"players,string"`
		Rules     int     `json:"rules,string"`
		RulesHash string  `json:"rules_hash"`
		Next      int64   `json:"next,string"`
		Done      float64 `json:"done,string"` // 1: complete
		Residual  float64 `json:"residual,string"`
		SHA256    string  `json:"sha256"` // of the JSON without it, and the values
	} `json:"__metadata__"`
	Values valuesHeader `json:"values"`
}

// valuesHeader describes the tensor of n values: "F64", [n], [0, 8n].
type valuesHeader struct {
	DType       string   `json:"dtype"`
	Shape       [1]int   `json:"shape"`
	DataOffsets [2]int64 `json:"data_offsets"`
}

func valuesOf(n int) valuesHeader { return valuesHeader{"F64", [1]int{n}, [2]int64{0, 8 * int64(n)}} }

// SolutionFile returns the path of a game's solution in a folder.
//
// A SHA-256 detects damage, and a sample of the optimality equations detects wrong
// values: they pass with a probability of 10⁻⁹ if one equation in a hundred is
// violated, and of 13% if one in a thousand is. Neither detects a forgery: do not use
// a folder that you do not trust.
func SolutionFile(dir string, spec game.Spec) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%d-%s.safetensors", spec.ID, spec.Players, spec.RulesHash()[:16]))
}

// solutionFile is the file of a game's solution.
type solutionFile struct {
	path   string
	spec   game.Spec
	values int   // in a complete solution
	steps  int64 // Next of a complete solution
}

// save writes a solution, finished or not.
func (f *solutionFile) save(w *game.SolverState) error {
	head := solutionHeader{Values: valuesOf(len(w.Values))}
	m := &head.Meta
	m.Game, m.Players, m.Rules, m.RulesHash = f.spec.ID, f.spec.Players, f.spec.Version, f.spec.RulesHash()
	m.Next, m.Done, m.Residual = w.Next, w.Done, w.Residual
	sum, err := head.sum()
	if err != nil {
		return err
	}
	if err := writeValues(sum, w.Values); err != nil {
		return err
	}
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	text, err := head.encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(f.path, func(w2 io.Writer) error {
		b := bufio.NewWriterSize(w2, 1<<20)
		b.Write(text)
		if err := writeValues(b, w.Values); err != nil {
			return err
		}
		return b.Flush()
	})
}

// load reads a file of the same rules. An error that does not wrap ErrSolutionFile
// means that the file cannot be read.
func (f *solutionFile) load() (*game.SolverState, error) {
	r, err := atomicfile.Open(f.path)
	if errors.Is(err, atomicfile.ErrNotRegular) {
		return nil, f.refuse(err)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return nil, err
	}
	return f.read(r, info.Size())
}

// read reads the content of a file of that size.
func (f *solutionFile) read(r io.Reader, bytes int64) (*game.SolverState, error) {
	b := bufio.NewReaderSize(r, maxHeader)
	head, size, err := f.readHeader(b)
	if err == nil && bytes != size {
		err = fmt.Errorf("it has %d bytes; want %d", bytes, size)
	}
	if err != nil {
		return nil, f.refuse(err)
	}
	w := &game.SolverState{Values: make([]float64, f.values), Next: head.Meta.Next, Done: head.Meta.Done, Residual: head.Meta.Residual}
	want := head.Meta.SHA256
	head.Meta.SHA256 = ""
	sum, err := head.sum()
	if err != nil {
		return nil, err
	}
	if err := readValues(io.TeeReader(b, sum), w.Values); err != nil {
		return nil, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return nil, f.refuse(errors.New("its SHA-256 is wrong"))
	}
	if err := f.check(w); err != nil {
		return nil, f.refuse(err)
	}
	return w, nil
}

// refuse adds to an error what to do about the file.
func (f *solutionFile) refuse(err error) error {
	return fmt.Errorf("%s: %w: %w; remove it to solve the game again", f.path, ErrSolutionFile, err)
}

// readHeader reads what is before the values and returns the size of the whole file.
func (f *solutionFile) readHeader(b *bufio.Reader) (head solutionHeader, size int64, err error) {
	length, err := b.Peek(8)
	if err != nil || binary.LittleEndian.Uint64(length) > maxHeader {
		return head, 0, errors.New("it does not begin with a header of safetensors")
	}
	text := make([]byte, 8+binary.LittleEndian.Uint64(length))
	if _, err := io.ReadFull(b, text); err != nil || json.Unmarshal(text[8:], &head) != nil {
		return head, 0, errors.New("its header is damaged")
	}
	if head.Meta.Game != f.spec.ID || head.Meta.RulesHash != f.spec.RulesHash() {
		return head, 0, errors.New("it belongs to another game, or to other rules")
	}
	if n := head.Values.Shape[0]; n != f.values {
		return head, 0, fmt.Errorf("its header has %d values; the game has %d", n, f.values)
	}
	if again, err := head.encode(); err != nil || !bytes.Equal(again, text) || head.Values != valuesOf(f.values) {
		return head, 0, errors.New("its header is damaged")
	}
	return head, int64(len(text)) + 8*int64(f.values), nil
}

// check returns an error if w cannot be a state of the solver.
func (f *solutionFile) check(w *game.SolverState) error {
	if !(w.Next > 0 && w.Next <= f.steps && w.Done > 0 && w.Done <= 1) || (w.Done == 1) != (w.Next == f.steps) {
		return fmt.Errorf("its header has next %d and done %v; the game takes %d steps", w.Next, w.Done, f.steps)
	}
	least, most := -math.MaxFloat64, math.MaxFloat64
	if f.spec.HasWin() {
		least, most = -game.Tie, 1+game.Tie // a share, up to rounding
	}
	for i, v := range w.Values {
		if !(v >= least && v <= most) {
			return fmt.Errorf("its value %d is %v; want %v to %v", i, v, least, most)
		}
	}
	if !(w.Residual >= 0 && w.Residual <= maxResidual*scale(w)) {
		return fmt.Errorf("its residual is %v; want 0 to %v", w.Residual, maxResidual*scale(w))
	}
	return nil
}

// scale returns the largest absolute value, at least 1.
func scale(w *game.SolverState) float64 {
	most := 1.0
	for _, v := range w.Values {
		most = max(most, math.Abs(v))
	}
	return most
}

// encode returns what is before the values.
func (h solutionHeader) encode() ([]byte, error) {
	text, err := json.Marshal(h)
	text = append(text, strings.Repeat(" ", -len(text)&7)...)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), err
}

// sum starts the SHA-256 of a file with its header.
func (h solutionHeader) sum() (hash.Hash, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write(line)
	return sum, nil
}

// valueBlock is the number of values written or read at once.
const valueBlock = 1 << 12

func writeValues(w io.Writer, values []float64) error {
	block := make([]byte, 0, 8*valueBlock)
	for part := range slices.Chunk(values, valueBlock) {
		block, _ = binary.Append(block[:0], binary.LittleEndian, part) // numbers can be written
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

func readValues(r io.Reader, values []float64) error {
	block := make([]byte, 8*valueBlock)
	for part := range slices.Chunk(values, valueBlock) {
		n, err := io.ReadFull(r, block[:8*len(part)])
		if err != nil {
			return err
		}
		binary.Decode(block[:n], binary.LittleEndian, part)
	}
	return nil
}
