package plot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"marsgym/env/game/chart"
	"marsgym/internal/atomicfile"
)

// Write draws each chart as NAME.svg and NAME.png in a folder, which it makes if it is
// missing, and writes a line for each file to log. If one of the files exists, nothing
// is written, and the error wraps [fs.ErrExist].
func Write(log io.Writer, dir string, charts []chart.Chart) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, c := range charts {
		for _, f := range formats {
			path := filepath.Join(dir, c.Name+f.ext)
			if _, err := os.Lstat(path); err == nil {
				return fmt.Errorf("%s: %w; name another folder, or remove it", path, fs.ErrExist)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	for _, c := range charts {
		if err := Replace(log, dir, c); err != nil {
			return err
		}
	}
	return nil
}

// Replace writes one chart to an existing folder and replaces existing files. It removes
// temporary files of a Replace that was killed; only one process at a time may write a
// chart.
func Replace(log io.Writer, dir string, c chart.Chart) error {
	d, err := atomicfile.OpenDir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	for _, f := range formats {
		name := c.Name + f.ext
		if err := d.Clean(name, 0); err != nil {
			return err
		}
		if err := d.Write(name, func(w io.Writer) error { return f.draw(w, c) }); err != nil {
			return err
		}
		fmt.Fprintln(log, "wrote", filepath.Join(dir, name))
	}
	return nil
}

// formats lists the file formats of a chart.
var formats = []struct {
	ext  string
	draw func(io.Writer, chart.Chart) error
}{{".svg", SVG}, {".png", PNG}}
