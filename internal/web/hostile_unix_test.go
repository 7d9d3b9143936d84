//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"marsgym/internal/web"
)

// TestPipes puts pipes, a link to an endless device and folders in the place of the files of
// runs. Each request is answered, with one place to compute.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	for _, run := range []string{"pipes", "devices", "folders"} {
		if err := os.Mkdir(filepath.Join(dir, run), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"metrics.jsonl", "model.safetensors", "checkpoint.safetensors"} {
			path, err := filepath.Join(dir, run, file), error(nil)
			switch run {
			case "pipes":
				err = syscall.Mkfifo(path, 0o666)
			case "devices":
				err = os.Symlink("/dev/zero", path)
			default:
				err = os.Mkdir(path, 0o777)
			}
			if err != nil {
				t.Skip(err)
			}
		}
	}
	a := web.New(web.Options{Runs: openRoot(t, dir)})
	for _, test := range []struct{ request, want string }{
		{`{"do":"run","run":"pipes"}`, "is a pipe, not a regular file"},
		{`{"do":"run","run":"pipes"}`, "is a pipe, not a regular file"},
		{`{"do":"run","run":"devices"}`, `"error":"the run folder devices`},
		{`{"do":"run","run":"folders"}`, "is a directory, not a regular file"},
		{`{"do":"agents","game":"pig"}`, `{"name":"search:400","about":"tree search, 400 simulations a decision"}]`},
		{`{"do":"play","game":"pig","seats":["run:pipes","human"]}`, "is a pipe, not a regular file"},
		{`{"do":"play","game":"pig","seats":["search:9:run:pipes/checkpoint","human"]}`, "is a pipe, not a regular file"},
		{`{"do":"runs"}`, `"agents":[]`},
		{`{"do":"view","game":"pig"}`, `"position":"0-0@0"`},
	} {
		if answer, _ := a.Handle(t.Context(), []byte(test.request)); !strings.Contains(string(answer), test.want) {
			t.Errorf("%s: %s, want %s", test.request, answer, test.want)
		}
	}
}
