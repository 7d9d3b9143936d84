package env

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"marsgym/env/game"
	"marsgym/internal/atomicfile"
)

// ErrSolutionFile says that a solution file is damaged, or of other rules.
var ErrSolutionFile = errors.New("not a solution of this game, or damaged")

// keepEvery is how often an unfinished solution is written, chosen so that a
// crash costs little of the hours that a large one takes.
const keepEvery = time.Minute

// solutionMagic is the first line of a solution file; a header in JSON is the
// second, and the values follow as little-endian float64.
const solutionMagic = "marsgym solution 1\n"

// solutionHeader is the second line of a solution file.
type solutionHeader struct {
	Game      string  `json:"game"`
	Players   int     `json:"players"`
	Rules     int     `json:"rules"`
	RulesHash string  `json:"rules_hash"`
	Values    int     `json:"values"`
	Next      int64   `json:"next"`
	Done      float64 `json:"done"` // 1: complete
	Residual  float64 `json:"residual"`
	SHA256    string  `json:"sha256"` // of the header without it, and the values
}

// SolutionFile is the path of a game's solution in a folder.
func SolutionFile(dir string, spec game.Spec) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%d-%s.solution", spec.ID, spec.Players, spec.RulesHash()[:16]))
}

func (h *handle[S]) Estimate() (game.Estimate, bool) {
	if k, ok := h.rules.(game.Keeper[S]); ok {
		return k.Estimate(), true
	}
	return game.Estimate{}, false
}

func (h *handle[S]) SolveIn(ctx context.Context, dir string, progress func(float64)) (Solution, error) {
	k, ok := h.rules.(game.Keeper[S])
	if !ok || dir == "" {
		return h.Solve(ctx, progress)
	}
	path := SolutionFile(dir, h.spec)
	w, err := loadWork(path, h.spec)
	if errors.Is(err, fs.ErrNotExist) {
		w, err = new(game.Work), nil
	}
	if err != nil {
		return nil, err
	}
	written, complete := time.Now(), w.Done == 1
	var failed error
	s, err := k.SolveFrom(ctx, w, func(done float64) {
		if progress != nil {
			progress(done)
		}
		if time.Since(written) > keepEvery && done < 1 {
			failed = errors.Join(failed, saveWork(path, h.spec, w))
			written = time.Now()
		}
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if !complete && w.Next > 0 {
		failed = errors.Join(failed, saveWork(path, h.spec, w))
	}
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	return &solution[S]{kit: &h.kit, s: s}, nil
}

// saveWork writes a solution, finished or not.
func saveWork(path string, spec game.Spec, w *game.Work) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	head := solutionHeader{
		Game: spec.ID, Players: spec.Players, Rules: spec.Version, RulesHash: spec.RulesHash(),
		Values: len(w.Values), Next: w.Next, Done: w.Done, Residual: w.Residual,
	}
	sum, err := head.sum()
	if err != nil {
		return err
	}
	if err := writeValues(sum, w.Values); err != nil {
		return err
	}
	head.SHA256 = hex.EncodeToString(sum.Sum(nil))
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	err = atomicfile.Write(path, func(f io.Writer) error {
		b := bufio.NewWriterSize(f, 1<<20)
		b.WriteString(solutionMagic)
		b.Write(append(line, '\n'))
		if err := writeValues(b, w.Values); err != nil {
			return err
		}
		return b.Flush()
	})
	if err != nil {
		return fmt.Errorf("keeping the solution: %w", err)
	}
	return nil
}

// loadWork reads what saveWork wrote for the same rules.
func loadWork(path string, spec game.Spec) (*game.Work, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w, err := decodeWork(b, spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w; remove it to solve the game anew", path, ErrSolutionFile, err)
	}
	return w, nil
}

func decodeWork(b []byte, spec game.Spec) (*game.Work, error) {
	rest, ok := bytes.CutPrefix(b, []byte(solutionMagic))
	line, values, found := bytes.Cut(rest, []byte("\n"))
	if !ok || !found {
		return nil, errors.New("it does not begin like one")
	}
	var head solutionHeader
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&head); err != nil {
		return nil, err
	}
	if head.Game != spec.ID || head.RulesHash != spec.RulesHash() {
		return nil, fmt.Errorf("it is of %s for %d, rules version %d", head.Game, head.Players, head.Rules)
	}
	if len(values) != 8*head.Values {
		return nil, fmt.Errorf("it has %d bytes of values; its header says %d", len(values), 8*head.Values)
	}
	want := head.SHA256
	head.SHA256 = ""
	sum, err := head.sum()
	if err != nil {
		return nil, err
	}
	sum.Write(values)
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return nil, errors.New("its SHA-256 is wrong")
	}
	w := &game.Work{Values: make([]float64, head.Values), Next: head.Next, Done: head.Done, Residual: head.Residual}
	for i := range w.Values {
		w.Values[i] = math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:]))
	}
	return w, nil
}

// sum begins the SHA-256 of a file with its header.
func (h solutionHeader) sum() (hash.Hash, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write(line)
	return sum, nil
}

func writeValues(w io.Writer, values []float64) error {
	var block [8 << 12]byte
	for len(values) > 0 {
		n := min(len(values), len(block)/8)
		for i, v := range values[:n] {
			binary.LittleEndian.PutUint64(block[8*i:], math.Float64bits(v))
		}
		if _, err := w.Write(block[:8*n]); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}
