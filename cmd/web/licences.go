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
		had, folder := len(texts), os.DirFS(dir)
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
				texts = append(texts, fmt.Sprintf("%s, %s\n\n%s", strings.TrimSpace(name), path.Base(file), text))
			}
		}
		if len(texts) == had {
			return nil, fmt.Errorf("-export: %s has no licence in %s", name, dir)
		}
	}
	return []byte(strings.Join(texts, "\n"+strings.Repeat("-", 80)+"\n\n")), nil
}
