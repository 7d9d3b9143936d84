package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"marsgym/internal/web"
)

// host is a static web server as many are: browsers need not ask again for ten minutes, as on
// GitHub Pages. What it serves can be replaced.
type host struct {
	declares bool   // .gz is the encoding of a file, not its type
	falls    bool   // what is missing is index.html with the status 200, as for a page with routes
	untyped  string // a suffix whose files are sent as plain text
	api      http.Handler

	mu    sync.Mutex
	files map[string][]byte
	stop  func(name string) bool // breaks off an answer; may be nil
}

// publish replaces all files.
func (h *host) publish(files map[string][]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files = files
}

// breakOff breaks off the answers for which stop is true.
func (h *host) breakOff(stop func(name string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stop = stop
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "api" && h.api != nil {
		h.api.ServeHTTP(w, r)
		return
	}
	if name == "" {
		name = "index.html"
	}
	h.mu.Lock()
	content, ok := h.files[name]
	index, stop := h.files["index.html"], h.stop != nil && h.stop(name)
	h.mu.Unlock()
	switch {
	case stop:
		panic(http.ErrAbortHandler)
	case !ok && name == "favicon.ico":
		w.WriteHeader(http.StatusNoContent)
		return
	case !ok && !h.falls:
		http.NotFound(w, r)
		return
	case !ok:
		name, content = "index.html", index
	}
	kind := path.Ext(name)
	if h.declares && kind == ".gz" {
		w.Header().Set("Content-Encoding", "gzip")
		kind = path.Ext(strings.TrimSuffix(name, kind))
	}
	if kind == h.untyped {
		kind = ".txt"
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(kind))
	w.Header().Set("Cache-Control", "max-age=600")
	w.Write(content)
}

// filesOf returns the files in a folder.
func filesOf(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files, root := map[string][]byte{}, os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(root, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// module is an expression for the address of a module of the page, exported or not.
func module(name string) string {
	return fmt.Sprintf(`new URL(%q, document.querySelector('script[type=module]').src).href`, name)
}

// marked returns a version of the exported page that says in each module, style sheet and table of
// words which it is. In place of WebAssembly, which takes a minute to compile, its worker loads a
// packed file and asks the logic of the page over HTTP.
func marked(t testing.TB, mark string) map[string][]byte {
	t.Helper()
	out, err := version(parts(t, mark), "")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// flat returns a version as marsgym 0.1.0 exported it, with its service worker.
func flat(t testing.TB, mark string) map[string][]byte {
	t.Helper()
	worker, err := os.ReadFile("testdata/sw-0.1.0.js")
	if err != nil {
		t.Fatal(err)
	}
	files := parts(t, mark)
	names, err := json.Marshal(slices.Sorted(maps.Keys(files)))
	if err != nil {
		t.Fatal(err)
	}
	files["worker.js"] = bytes.ReplaceAll(files["worker.js"], []byte("'../api'"), []byte("'api'"))
	files["worker.js"] = bytes.ReplaceAll(files["worker.js"], []byte("'files.js', "), nil)
	files["load.js"] = []byte("self.load = (name) => fetch(name).then((r) => new Response(r.body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());")
	files["sw.js"] = worker
	files["files.js"] = fmt.Appendf(nil, "self.version = %q;\nself.files = %s;\n", mark, names)
	return files
}

// parts returns the files of marked without their version.
func parts(t testing.TB, mark string) map[string][]byte {
	t.Helper()
	files := filesOf(t, "page")
	maps.Copy(files, languageFiles())
	for name, content := range files {
		switch path.Ext(name) {
		case ".js":
			files[name] = fmt.Appendf(content, "\n(self.marks ??= new Set()).add('%s');\n", mark)
		case ".css":
			files[name] = fmt.Appendf(content, "\n:root { --%s: '%s'; }\n", strings.TrimSuffix(name, ".css"), mark)
		case ".json":
			files[name] = bytes.Replace(content, []byte(`"page": {`), fmt.Appendf(nil, `"page": { "mark": "%s",`, mark), 1)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("\x00asm" + mark)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	maps.Copy(files, map[string][]byte{
		"shell.js": []byte(shell("worker")), "app.wasm.gz": packed.Bytes(), "values/martian-dice-2.safetensors": []byte("values of " + mark), "networks/net.safetensors": []byte("network of " + mark),
		previewFile: nil, licencesFile: nil,
		"worker.js": []byte(`importScripts('files.js', 'load.js');
const program = self.load('app.wasm.gz').then((b) => new TextDecoder().decode(b).slice(4));
onmessage = async ({ data: { id, request } }) => {
	try {
		if (await program !== '` + mark + `') throw new Error('another program');
		const response = await fetch('../api', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: request });
		postMessage({ id, response: await response.text() });
	} catch (error) {
		postMessage({ failed: error.message });
	}
};`),
	})
	return files
}

// logic answers the requests of the page.
func logic() http.Handler {
	s := &server{app: web.New(web.Options{Work: work, Limit: limit, Solve: solved}), inFlight: make(chan struct{}, maxInFlight)}
	return http.HandlerFunc(s.api)
}
