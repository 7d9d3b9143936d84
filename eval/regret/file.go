package regret

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"marsgym/agents"
	"marsgym/internal/atomicfile"
	"marsgym/internal/dirlock"
)

// header is the first line of a file of games: what is measured. The number of games is no part of it,
// so that a measurement can be made longer.
type header struct {
	Format    string   `json:"format"`
	Game      string   `json:"game"`
	RulesHash string   `json:"rules_hash"`
	Policy    string   `json:"policy"` // its [Identity]
	Others    []string `json:"others"` // theirs
	Seed      uint64   `json:"seed"`
}

const fileFormat = "marsgym.regret.1"

// maxFile bounds the size of a file of games. Chosen: far above that of [MaxGames].
const maxFile = 4 << 30

// file is an open file of games: JSON, one document a line, a header and then a game a line.
type file struct {
	dir    *atomicfile.Dir
	f      *os.File
	unlock func() error
}

// open opens the file of a measurement, which no other can then use, and reads the games that it holds.
// A last line that is cut off, as by a crash, is removed.
func (m *measurement) open() (err error) {
	own, err := m.header()
	if err != nil {
		return err
	}
	dir, err := atomicfile.OpenDir(filepath.Dir(m.File))
	if err != nil {
		return err
	}
	opened := &file{dir: dir}
	defer func() {
		if err != nil {
			opened.close()
		}
	}()
	if opened.unlock, err = dirlock.LockFile(m.File); err != nil {
		return err
	}
	name := filepath.Base(m.File)
	content, err := dir.ReadFile(name, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	whole := content[:bytes.LastIndexByte(content, '\n')+1]
	switch {
	case len(content) == 0:
		whole = own
		err = dir.Write(name, func(w io.Writer) error {
			_, err := w.Write(own)
			return err
		})
	case len(whole) == 0:
		err = errors.New("it is no file of measured games; name another file")
	default:
		err = m.read(whole, own)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.File, err)
	}
	if opened.f, err = dir.Append(name, int64(len(whole))); err != nil {
		return err
	}
	m.file = opened
	return nil
}

// header returns the first line of the file of a measurement.
func (m *measurement) header() ([]byte, error) {
	h := header{Format: fileFormat, Game: m.game.Spec().ID, RulesHash: m.game.Spec().RulesHash(), Policy: cmp.Or(m.Identity, m.name), Others: []string{}, Seed: m.Seed}
	for _, a := range m.Others {
		identity, err := Identity(a)
		if err != nil {
			return nil, err
		}
		h.Others = append(h.Others, identity)
	}
	line, err := json.Marshal(h)
	return append(line, '\n'), err
}

// Identity returns what an agent is called in a file of games: its name, with how it plays and the
// SHA-256 of its network where the name does not tell.
func Identity(a *agents.Agent) (string, error) {
	s := a.Source
	if s == nil {
		return a.Name, nil
	}
	text := a.Name
	if s.Model != nil {
		content, err := s.ModelBytes()
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf(", SHA-256 %x", sha256.Sum256(content))
		if s.Sample {
			text += ", sampled"
		}
	}
	if s.Model != nil && !s.Network || strings.HasPrefix(s.Name, agents.Search) {
		text += fmt.Sprintf(", seed %d", s.Seed)
	}
	return text, nil
}

// read reads the lines of a file, of which the first must be the header of the measurement.
func (m *measurement) read(content, own []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if n == 1 {
			var was header
			if err := json.Unmarshal(line, &was); err != nil || was.Format != fileFormat {
				return errors.New("it is no file of measured games; name another file")
			}
			if string(line)+"\n" != string(own) {
				return fmt.Errorf("it holds games of another measurement, %s; name another file", line)
			}
			continue
		}
		x := &Game{Number: -1}
		if err := json.Unmarshal(line, x); err != nil || x.Number < 0 || x.Seat != x.Number%m.game.Spec().Players || m.games[x.Number] != nil {
			return fmt.Errorf("line %d is damaged; remove it and those after it", n)
		}
		m.games[x.Number] = x
	}
	return lines.Err()
}

// append writes a game in one piece, and waits until it is stored.
func (f *file) append(x *Game) error {
	line, err := json.Marshal(x)
	if err != nil {
		return err
	}
	if _, err := f.f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%s: %w", f.f.Name(), err)
	}
	return f.f.Sync()
}

func (f *file) close() {
	if f.f != nil {
		f.f.Close()
	}
	f.dir.Close()
	if f.unlock != nil {
		f.unlock()
	}
}
