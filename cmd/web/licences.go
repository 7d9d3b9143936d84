package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"marsgym/internal/atomicfile"
)

// licences returns the licences of what the exported program holds: marsgym, Go, and the
// modules of other people. Most ask that copies come with their texts.
func licences(ctx context.Context) ([]byte, error) {
	const form = "{{with .Module}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}"
	listed, err := goCommand(ctx, "list", "-deps", "-f", form, "marsgym/cmd/web/worker")
	if err != nil {
		return nil, err
	}
	release, err := goCommand(ctx, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	parts := slices.Compact(slices.Sorted(strings.Lines(string(listed))))
	parts = append(parts, strings.Replace(strings.TrimSpace(string(release)), "\n", "\t", 1))
	var texts []string
	for _, part := range parts {
		name, dir, _ := strings.Cut(strings.TrimSpace(part), "\t")
		own, err := licencesIn(strings.TrimSpace(name), dir)
		if err != nil {
			return nil, err
		}
		texts = append(texts, own...)
	}
	return []byte(strings.Join(texts, "\n"+strings.Repeat("-", 80)+"\n\n")), nil
}

// licencesIn returns the licences in the folder of a module, or a sentence in their place: some
// systems keep those of Go elsewhere.
func licencesIn(name, dir string) (texts []string, err error) {
	folder := os.DirFS(dir)
	for _, pattern := range []string{"LICENSE*", "THIRD_PARTY_LICENSES/*"} {
		files, err := fs.Glob(folder, pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := atomicfile.ReadFile(filepath.Join(dir, file), maxExported)
			if errors.Is(err, atomicfile.ErrNotRegular) {
				continue // a folder
			} else if err != nil {
				return nil, err
			}
			texts = append(texts, fmt.Sprintf("%s, %s\n\n%s", name, path.Base(file), text))
		}
	}
	if texts == nil {
		texts = []string{name + "\n\nNo licence text was found where it was built.\n"}
	}
	return texts, nil
}
