//go:build unix

package torture_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is the time after which a process that reads a hostile file hangs. Chosen: each
// takes a second or two on a free machine.
const patience = time.Minute

// hostile puts something in the place of a file that cannot be read to its end, or is no
// file. It returns what that is, and a function that ends it.
func (w *worker) hostile(path string) (what string, end func(), err error) {
	end = func() {}
	kind := w.IntN(8)
	if info, err := os.Lstat(path); kind > 1 || err == nil && !info.Mode().IsRegular() {
		os.RemoveAll(path)
	}
	switch kind {
	case 0, 1: // what was there may come first
		what = "a sparse file of 64 GB"
		if kind == 1 {
			what = "a sparse file of 2 GB"
		}
		var f *os.File
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666); err == nil {
			err = errors.Join(f.Truncate(map[int]int64{0: 64e9, 1: 2e9}[kind]), f.Close())
		}
		if errors.Is(err, syscall.EFBIG) {
			return what, end, nil // the file system has no such files; the file is as it was
		}
	case 2:
		what, err = "a pipe without a writer", syscall.Mkfifo(path, 0o666)
	case 3:
		what = "an endless pipe"
		if err = syscall.Mkfifo(path, 0o666); err != nil {
			break
		}
		var pipe *os.File
		if pipe, err = os.OpenFile(path, os.O_RDWR, 0); err != nil { // waits for nobody
			break
		}
		var writer sync.WaitGroup
		writer.Go(func() {
			block := []byte(strings.Repeat(pick(w, []string{"\x00", "x", "[", `{"a":1}`, "\n"}), 4096))
			for {
				if _, err := pipe.Write(block); err != nil {
					return
				}
			}
		})
		end = func() {
			pipe.Close()
			writer.Wait()
		}
	case 4:
		what, err = "a link to /dev/zero", os.Symlink("/dev/zero", path)
	case 5:
		what, err = "a link to /dev/urandom", os.Symlink("/dev/urandom", path)
	case 6:
		what, err = "a device", syscall.Mknod(path, syscall.S_IFCHR|0o666, 1<<8|5) // /dev/zero of Linux
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
			what, err = "a link to a terminal", os.Symlink("/dev/tty", path)
		}
	default:
		what, err = "a folder", os.Mkdir(path, 0o777)
	}
	return what, end, err
}

// reader is a command and a file that it reads.
type reader struct {
	file    string
	command string
	args    []string
}

// readers lists the commands with each kind of file that they read. Arguments are separated by
// spaces.
func readers() (list []reader) {
	add := func(file, command, args string) { list = append(list, reader{file, command, strings.Fields(args)}) }
	for _, name := range runFiles {
		file := filepath.Join("runs", "a", name)
		for _, use := range [][2]string{
			{"train", "-resume runs/a"},
			{"eval", "-game pig -game-config small.json -model runs/a -against random -games 10"},
			{"eval", "compare runs/a runs/b"},
			{"eval", "tournament -game pig -game-config small.json -games 10 runs/a runs/b random"},
			{"play", "-game pig -game-config small.json -opponent runs/a"},
			{"play", "-game pig -game-config small.json -opponent search:5:runs/a/model.safetensors -hints"},
			{"play", "-game pig -game-config small.json -opponent greedy -network runs/a -hints"},
		} {
			add(file, use[0], use[1])
		}
	}
	for _, use := range [][2]string{{"solve", ""}, {"eval", "-model greedy -against random -games 10"}, {"play", "-opponent greedy"}} {
		add("small.json", use[0], "-game pig -game-config small.json "+use[1])
	}
	add("config.json", "train", "-config config.json -out run")
	add("sweep.json", "train", "-sweep sweep.json -out sweep")
	add("sweep/sweep.json", "train", "-sweep sweep.json -out sweep")
	for _, use := range [][2]string{{"solve", ""}, {"eval", "-model greedy -against exact"}, {"play", "-opponent exact"}, {"train", "-steps 2000"}} {
		add("solutions/*", use[0], "-cache solutions "+use[1])
	}
	add("kept", "eval", "-model greedy -against random -games 2000 -checkpoint kept")
	add("games/a.games", "eval", "games games/a.games")
	add("games/a.games", "eval", "games games")
	add("games/a.games", "eval", "-game pig -model greedy -against random -games 10 -record games/a.games")
	add("games/a.games", "play", "-game pig -watch -opponent greedy -record games/a.games")
	add("games/saved", "play", "-resume games/saved")
	for _, flag := range []string{"-key", "-tls-cert", "-tls-key", "-tls-ca"} {
		args := "-key key -tls-cert cert -tls-key certkey -tls-ca ca"
		file := strings.Fields(args)[1+2*map[string]int{"-key": 0, "-tls-cert": 1, "-tls-key": 2, "-tls-ca": 3}[flag]]
		add(file, "worker", "-join 127.0.0.1:1 "+args)
		add(file, "eval", "-model greedy -against random -games 10 -cluster 127.0.0.1:1 "+args)
	}
	add("keys", "worker", "-serve 127.0.0.1:0 -keys keys")
	return list
}

// hostileFolder makes a folder of each kind that commands read.
func (w *worker) hostileFolder() error {
	t := training{"hostile", `{"game": "pig", "game_config": ` + small + `, "train": {"algorithm": "ppo", "seed": 1, ` + settings + settingsPPO + `}}`}
	ref, err := w.uninterrupted(t)
	if err != nil {
		return err
	}
	for _, to := range []string{"a", "b"} {
		if err := os.CopyFS(filepath.Join(w.dir, "runs", to), os.DirFS(ref.dir)); err != nil {
			return err
		}
	}
	for _, dir := range []string{"sweep", "games", "solutions"} {
		if err := os.Mkdir(filepath.Join(w.dir, dir), 0o777); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"config.json": t.config, "sweep.json": `{"base": ` + t.config + `, "seeds": [1]}`, "sweep/sweep.json": `{"base": ` + t.config + `, "seeds": [1]}`,
		"kept": "", "games/a.games": "", "games/saved": "", "key": "", "cert": "", "certkey": "", "ca": "", "keys": "",
	} {
		if err := w.write(name, text); err != nil {
			return err
		}
	}
	if err := w.files(); err != nil {
		return err
	}
	_, err = w.done("solve", "-cache", "solutions")
	return err
}

// hostileFiles puts a pipe, a device, an endless or a sparse file, or a folder in the place of a
// file that a command reads. The command ends all the same, and takes little memory.
func (w *worker) hostileFiles() error {
	if err := w.hostileFolder(); err != nil {
		return err
	}
	x := pick(w, readers())
	path := filepath.Join(w.dir, x.file)
	if found, err := filepath.Glob(path); err == nil && len(found) > 0 {
		path = found[0]
	}
	what, end, err := w.hostile(path)
	if err != nil {
		return err
	}
	defer end()
	args := x.args
	if x.command != "worker" && args[0] != "compare" && !slices.Contains(args, "-cache") {
		args = append(args, "-cache", w.cache())
	}
	f := fault{in: "quit\n", limit: patience}
	if x.command == "worker" { // it may find nothing wrong, and work
		f.signal, f.after = syscall.SIGINT, 10*time.Second
	}
	if _, err := w.run(f, x.command, args...); err != nil {
		return fmt.Errorf("%s is %s: %w", x.file, what, err)
	}
	w.count("hostile files: " + what)
	return nil
}

var pageAddress = regexp.MustCompile(`Open (http://\S+?)/?\s`)

// hostilePage asks a server for runs with such files. It answers each request, and others then.
func (w *worker) hostilePage() error {
	if err := w.hostileFolder(); err != nil {
		return err
	}
	for range 1 + w.IntN(4) {
		name := pick(w, runFiles)
		what, end, err := w.hostile(filepath.Join(w.dir, "runs", "a", name))
		if err != nil {
			return err
		}
		defer end()
		w.count("hostile files: " + what)
	}
	p, err := w.start(fault{signal: syscall.SIGINT, limit: 3 * patience}, "web", "-listen", "127.0.0.1:0", "-runs", "runs", "-limit", "2s", "-cache", w.cache())
	if err != nil {
		return err
	}
	var address []string
	for address == nil {
		select {
		case <-p.ended:
			_, err := p.wait()
			return errors.Join(errors.New("the server does not start"), err)
		case <-time.After(20 * time.Millisecond):
			address = pageAddress.FindStringSubmatch(p.stdout.String())
		}
	}
	requests := []string{
		`{"do":"run","run":"a"}`, `{"do":"run","run":"b"}`, `{"do":"runs"}`, `{"do":"agents","game":"pig"}`,
		`{"do":"play","game":"pig","seats":["run:a","human"]}`, `{"do":"play","game":"pig","seats":["search:9:run:a","human"]}`,
	}
	faults := make([]error, 12)
	var all sync.WaitGroup
	for i := range faults {
		request := pick(w, requests)
		all.Go(func() { faults[i] = ask(address[1], request, false) })
	}
	all.Wait()
	err = errors.Join(append(faults, ask(address[1], `{"do":"games"}`, true))...)
	p.cmd.Process.Signal(syscall.SIGINT)
	_, ended := p.wait()
	return errors.Join(err, ended)
}

// ask sends a request to a server and waits for its answer: any answer, or one of status 200.
func ask(address, request string, ok bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", address+"/api", bytes.NewReader([]byte(request)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("the page gets no answer to %s: %w", request, err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, 64<<20))
	if err == nil && (ok && reply.StatusCode != http.StatusOK || reply.StatusCode == http.StatusInternalServerError || bytes.Contains(text, []byte("goroutine "))) {
		err = fmt.Errorf("the page gets status %d to %s: %.300s", reply.StatusCode, request, text)
	}
	return err
}
