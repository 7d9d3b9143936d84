package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/atomicfile"
	"marsgym/internal/cli"
	"marsgym/internal/dirlock"
)

// exported are the games whose values the exported page has.
var exported = []struct {
	id      string
	players int
}{{"martian-dice", 2}, {"martian-dice", 3}}

// maxExported bounds a file that is exported, in bytes. Chosen: far above the largest.
const maxExported = 1 << 28

// export writes the page as files to a new folder: at first beside it, so that it exists
// complete or not at all.
func export(ctx context.Context, dir, url, cache string, stdout io.Writer) error {
	dir = filepath.Clean(dir)
	if base := filepath.Base(dir); base == "." || base == ".." || base == string(filepath.Separator) {
		return cli.Usagef("-export: %s cannot be replaced; name a new folder", dir)
	}
	switch info, err := os.Lstat(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return &cli.UsageError{Err: fmt.Errorf("-export: %w", err)}
	case !info.IsDir():
		return cli.Usagef("-export: %s is a link or a file, which is not replaced; name a new folder", dir)
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return cli.Usagef("-export: %s is not empty; name a new folder", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &cli.UsageError{Err: fmt.Errorf("-export: %w", err)}
	}
	if err := atomicfile.Probe(dir); err != nil { // before minutes of work, after which all is written at once
		return &cli.UsageError{Err: fmt.Errorf("-export: %w; make the folder that holds it first", err)}
	}
	files, err := exportFiles(ctx, url, cache)
	if err != nil {
		return err
	}
	if err := writeFolder(ctx, dir, files); err != nil {
		return err
	}
	var total int64
	for _, content := range files {
		total += int64(len(content))
	}
	_, err = fmt.Fprintf(stdout, "%s: %d files, %.1f MB. Any web server serves them, such as: python3 -m http.server -d %s\n", dir, len(files), float64(total)/1e6, cli.Argument(dir))
	return err
}

// writeFolder writes files to a folder that is empty or new: at first in another one beside it, so
// that it exists complete or not at all. What a killed writer leaves there is the next one's.
func writeFolder(ctx context.Context, dir string, files map[string][]byte) (err error) {
	outer := dir + ".unfinished"
	if err := os.Mkdir(outer, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	release, err := dirlock.Lock(outer)
	if err != nil {
		return err
	}
	temp := filepath.Join(outer, filepath.Base(dir))
	defer func() {
		err = cmp.Or(err, os.RemoveAll(temp), release())
		os.Remove(outer) // it is not ours if it holds something else
	}()
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(temp, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	os.Remove(dir) // empty, or there is none
	return os.Rename(temp, dir)
}

func exportFiles(ctx context.Context, url, cache string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(pageFiles(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(pageFiles(), name)
		return err
	})
	if err != nil {
		return nil, err
	}
	maps.Copy(files, languageFiles())
	files["shell.js"] = []byte(shell("worker"))
	if files["app.wasm.gz"], err = buildWorker(ctx); err != nil {
		return nil, err
	}
	root, err := goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if files["wasm_exec.js"], err = atomicfile.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"), maxExported); err != nil {
		return nil, err
	}
	if files[licencesFile], err = licences(ctx); err != nil {
		return nil, err
	}
	if err := addValues(ctx, files, cache); err != nil {
		return nil, err
	}
	for _, name := range agents.PretrainedNames() {
		if files["networks/"+name+".safetensors"], err = agents.PretrainedFile(name); err != nil {
			return nil, err
		}
	}
	return version(files, url)
}

func addValues(ctx context.Context, files map[string][]byte, cache string) error {
	if cache == "" {
		temp, err := os.MkdirTemp("", "marsgym")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		cache = temp
	}
	for _, x := range exported {
		g, err := catalog.Open(x.id, x.players, nil)
		if err != nil {
			return err
		}
		var notCached error
		if _, err := g.SolveCached(ctx, cache, nil, func(err error) { notCached = err }); cmp.Or(err, notCached) != nil {
			return cmp.Or(err, notCached)
		}
		if files[fmt.Sprintf("values/%s-%d.safetensors", x.id, x.players)], err = atomicfile.ReadFile(env.SolutionFile(cache, g.Spec()), maxExported); err != nil {
			return err
		}
	}
	return nil
}

func buildWorker(ctx context.Context) ([]byte, error) {
	temp, err := os.MkdirTemp("", "marsgym")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	name := filepath.Join(temp, "app.wasm")
	if _, err := goCommand(ctx, "build", "-trimpath", "-ldflags=-s -w", "-o", name, "marsgym/cmd/web/worker"); err != nil {
		return nil, err
	}
	wasm, err := atomicfile.ReadFile(name, maxExported)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(wasm); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// goCommand calls the go command for WebAssembly and returns what it writes.
func goCommand(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("-export needs Go and the source code of this program, in its folder: go %s: %w\n%s", args[0], err, errs.String())
	}
	return out, nil
}
