package chrome

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Find returns the path of a Chromium on this machine, or "". On Windows programs have no
// such pipes, and Find finds none.
func Find() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Browser is a running Chromium. Many goroutines may use it at once.
type Browser struct {
	cmd *exec.Cmd
	in  io.WriteCloser

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	pages   map[string]*Page // by session
	err     error            // of the pipe, once it has ended
}

// message is a command, an answer or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start starts the Chromium at path without a window, with a profile in the folder dir. Its
// language is English, whatever that of the machine.
func Start(path, dir string) (*Browser, error) {
	fromUs, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, toUs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	args := []string{"--headless", "--remote-debugging-pipe", "--user-data-dir=" + dir, "--disable-gpu", "--no-first-run",
		"--no-proxy-server", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--accept-lang=en-US", "about:blank"}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // the sandbox refuses root
	}
	b := &Browser{cmd: exec.Command(path, args...), in: in, waiting: map[int]chan message{}, pages: map[string]*Page{}}
	b.cmd.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4
	// Chromium ends if the path of its socket for temporary files is too long.
	b.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") })
	err = b.cmd.Start()
	fromUs.Close()
	toUs.Close()
	if err != nil {
		return nil, err
	}
	go b.read(out)
	return b, nil
}

// Close ends the browser.
func (b *Browser) Close() {
	b.in.Close() // the browser ends with its pipe
	b.cmd.Wait()
}

// read delivers messages until the pipe ends.
func (b *Browser) read(r io.ReadCloser) {
	defer r.Close()
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		text, err := lines.ReadBytes(0)
		if err != nil {
			b.end(err)
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		answer, page := b.waiting[m.ID], b.pages[m.Session]
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		switch {
		case m.ID != 0 && answer != nil:
			answer <- m
		case page != nil:
			page.event(m)
		}
	}
}

func (b *Browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = fmt.Errorf("the browser has ended: %w", err)
	for _, answer := range b.waiting {
		close(answer)
	}
	b.waiting = nil
}

// call sends a command and waits for its answer, which it decodes into result unless
// that is nil.
func (b *Browser) call(ctx context.Context, session, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	if b.err != nil {
		b.mu.Unlock()
		return b.err
	}
	b.next++
	id := b.next
	b.waiting[id] = answer
	command, err := json.Marshal(message{ID: id, Session: session, Method: method, Params: text})
	if err == nil {
		_, err = b.in.Write(append(command, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return errors.New("the browser has ended")
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result != nil:
			return json.Unmarshal(m.Result, result)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}
