package regret

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"marsgym/internal/atomicfile"
)

// header is the first line of a file of games: what is measured. The number of games is no part of it,
// so that a measurement can be made longer.
type header struct {
	Format    string   `json:"format"`
	Game      string   `json:"game"`
	RulesHash string   `json:"rules_hash"`
	Policy    string   `json:"policy"`
	Others    []string `json:"others"`
	Seed      uint64   `json:"seed"`
}

const fileFormat = "marsgym.regret.1"

// maxFile bounds the size of a file of games. Chosen: far above that of [MaxGames].
const maxFile = 4 << 30

// file is an open file of games: JSON, one document a line, a header and then a game a line.
type file struct {
	dir *atomicfile.Dir
	f   *os.File
}

// open opens the file of a measurement and reads the games that it holds. A last line that is cut off,
// as by a crash, is removed.
func (m *measurement) open() error {
	h := header{Format: fileFormat, Game: m.game.Spec().ID, RulesHash: m.game.Spec().RulesHash(), Policy: m.name, Others: []string{}, Seed: m.Seed}
	for _, a := range m.Others {
		h.Others = append(h.Others, a.Name)
	}
	own, err := json.Marshal(h)
	if err != nil {
		return err
	}
	dir, err := atomicfile.OpenDir(filepath.Dir(m.File))
	if err != nil {
		return err
	}
	name := filepath.Base(m.File)
	content, err := dir.ReadFile(name, maxFile)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		dir.Close()
		return err
	}
	whole := content[:bytes.LastIndexByte(content, '\n')+1]
	if len(whole) > 0 {
		if err := m.read(whole, own); err != nil {
			dir.Close()
			return fmt.Errorf("%s: %w", m.File, err)
		}
	} else if len(content) > 0 {
		dir.Close()
		return fmt.Errorf("%s: it is no file of measured games; name another file", m.File)
	}
	f, err := dir.Append(name, int64(len(whole)))
	if err == nil && len(whole) == 0 {
		_, err = f.Write(append(own, '\n'))
	}
	if err != nil {
		dir.Close()
		return err
	}
	m.file = &file{dir, f}
	return nil
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
			if !bytes.Equal(line, own) {
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
	f.f.Close()
	f.dir.Close()
}
