//go:build unix

package torture_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// fault is what happens to a process.
type fault struct {
	signal syscall.Signal // 0 is none
	after  time.Duration
	blocks int  // the most that it may write to a file, in units of the shell's ulimit -f; 0 is no limit
	full   bool // standard output is a full disk
	cores  int  // GOMAXPROCS; 0 is all
	in     string
}

// patience is how long a process may take before it counts as one that hangs.
// Chosen: a hundred times what any takes on a busy machine.
const patience = 5 * time.Minute

// result is what became of a process.
type result struct {
	command        string
	status         int // -1 if a signal ended it
	signal         syscall.Signal
	stdout, stderr string
}

// run runs a command in the folder of the attack, and returns an error if it did
// what no command may do.
func (w *worker) run(f fault, command string, args ...string) (result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r := result{command: command + " " + strings.Join(args, " ")}
	name, argv := filepath.Join(w.bin, command), args
	if f.blocks > 0 {
		argv = append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, f.blocks), name}, args...)
		name = "sh"
	}
	cmd := exec.CommandContext(ctx, name, argv...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "HOME="+w.dir, "XDG_CACHE_HOME="+filepath.Join(w.dir, "cache"))
	if f.cores > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", f.cores))
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(f.in), &stdout, &stderr
	if f.full {
		disk, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			return r, err
		}
		defer disk.Close()
		cmd.Stdout = disk
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	if f.signal == 0 {
		err = <-ended
	} else {
		select {
		case err = <-ended:
		case <-time.After(f.after):
			cmd.Process.Signal(f.signal)
			err = <-ended
		}
	}
	r.stdout, r.stderr = stdout.String(), stderr.String()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return r, err
	}
	r.status = cmd.ProcessState.ExitCode()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		r.signal = s.Signal()
	}
	w.count("processes")
	if f.blocks > 0 || f.full {
		w.count("faults of writing")
	}
	if ctx.Err() != nil {
		return r, fmt.Errorf("%s hangs", r.command)
	}
	return r, r.sane(command, f)
}

// sane checks what holds for every process.
func (r *result) sane(command string, f fault) error {
	for _, word := range []string{"panic:", "goroutine ", "runtime error", "fatal error", "DATA RACE"} {
		if strings.Contains(r.stderr+r.stdout, word) {
			return r.wrong("crashes")
		}
	}
	interrupted := f.signal == syscall.SIGINT || f.signal == syscall.SIGTERM
	switch {
	case r.signal != 0 && r.signal != f.signal:
		return r.wrong("ends by signal " + r.signal.String())
	case r.signal != 0 || r.status == 0:
		return nil
	case r.status == 130 && interrupted:
		return nil
	case r.status == 1 || r.status == 2:
		return r.refusal(command)
	}
	return r.wrong("ends with a status that is not in the table")
}

// refusal checks that the process has said why it failed, in one clear line and at
// most a few on what to do.
func (r *result) refusal(command string) error {
	lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
	var said []string
	for _, line := range lines {
		if strings.HasPrefix(line, command+": ") {
			said = append(said, line)
		}
	}
	switch {
	case len(said) == 0:
		return r.wrong("fails without a word")
	case len(lines) > 12:
		return r.wrong("fails with too many words")
	}
	for _, line := range lines {
		if len(line) > 6000 { // a path may have 4,096 bytes
			return r.wrong("fails in a line without an end")
		}
	}
	return nil
}

// wrong is an error about the process.
func (r *result) wrong(what string) error {
	return fmt.Errorf("%q %s: status %d, signal %d\nstandard error: %s\nstandard output: %s", r.command, what, r.status, r.signal, tail(r.stderr), tail(r.stdout))
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// done runs a command that must succeed.
func (w *worker) done(command string, args ...string) (result, error) {
	r, err := w.run(fault{cores: 1 + w.IntN(4)}, command, args...)
	if err == nil && r.status != 0 {
		err = r.wrong("fails")
	}
	return r, err
}

// strike is a random fault for a process that takes about so long.
func (w *worker) strike(took time.Duration) fault {
	f := fault{cores: 1 + w.IntN(4), after: time.Duration(w.Float64() * 1.1 * float64(took))}
	switch w.IntN(8) {
	case 0, 1, 2, 3:
		f.signal = syscall.SIGKILL
	case 4:
		f.signal = syscall.SIGTERM
	case 5:
		f.signal = syscall.SIGINT
	case 6:
		f.blocks = 1 + w.IntN(40)
	default:
		f.full = true
	}
	return f
}
