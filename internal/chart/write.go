package chart

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"marsgym/env/game"
	"marsgym/internal/atomicfile"
)

// Write draws each chart as NAME.svg and NAME.png in a folder, made if missing,
// and says so to log. A file that is there already is not overwritten: the error
// then wraps [fs.ErrExist], and nothing is written.
func Write(log io.Writer, dir string, charts []game.Chart) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	type file struct {
		path string
		draw func(io.Writer, game.Chart) error
		game.Chart
	}
	var files []file
	for _, c := range charts {
		for _, f := range []file{{".svg", SVG, c}, {".png", PNG, c}} {
			f.path = filepath.Join(dir, c.Name+f.path)
			if _, err := os.Lstat(f.path); err == nil {
				return fmt.Errorf("%s: %w; name another folder, or remove it", f.path, fs.ErrExist)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			files = append(files, f)
		}
	}
	for _, f := range files {
		if err := atomicfile.Write(f.path, func(w io.Writer) error { return f.draw(w, f.Chart) }); err != nil {
			return err
		}
		fmt.Fprintln(log, "wrote", f.path)
	}
	return nil
}
