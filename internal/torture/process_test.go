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

// fault is a fault of a process.
type fault struct {
	signal syscall.Signal // 0 is none
	after  time.Duration
	blocks int  // the largest file that it may write, in units of the shell's ulimit -f; 0 is no limit
	full   bool // standard output is a full disk
	cores  int  // GOMAXPROCS; 0 is all
	in     string
}

// timeout is the time after which a process counts as hanging. Chosen: a hundred times
// the time that any process takes on a busy machine.
const timeout = 5 * time.Minute

// result is the result of a process.
type result struct {
	command        string
	status         int // -1 if a signal ended it
	signal         syscall.Signal
	stdout, stderr string
}

// run runs a command in the folder of the attack and returns an error if its result is
// not allowed for any command.
func (w *worker) run(f fault, command string, args ...string) (result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
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
	return r, r.check(command, f)
}

// check checks the rules for every process.
func (r *result) check(command string, f fault) error {
	for _, word := range []string{"panic:", "goroutine ", "runtime error", "fatal error", "DATA RACE"} {
		if strings.Contains(r.stderr+r.stdout, word) {
			return r.failure("crashes")
		}
	}
	interrupted := f.signal == syscall.SIGINT || f.signal == syscall.SIGTERM
	switch {
	case r.signal != 0 && r.signal != f.signal:
		return r.failure("ends by signal " + r.signal.String())
	case r.signal != 0 || r.status == 0:
		return nil
	case r.status == 130 && interrupted:
		return nil
	case r.status == 1 || r.status == 2:
		return r.checkRefusal(command)
	}
	return r.failure("ends with an undocumented status")
}

// checkRefusal checks that the process has written an error in one line, with at most a
// few further lines on what to do.
func (r *result) checkRefusal(command string) error {
	lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
	var errs []string
	for _, line := range lines {
		if strings.HasPrefix(line, command+": ") {
			errs = append(errs, line)
		}
	}
	switch {
	case len(errs) == 0:
		return r.failure("fails without an error message")
	case len(lines) > 12:
		return r.failure("fails with too many lines")
	}
	for _, line := range lines {
		if len(line) > 6000 { // a path may have 4,096 bytes
			return r.failure("fails with a line that is too long")
		}
	}
	return nil
}

// failure returns an error about the process.
func (r *result) failure(what string) error {
	return fmt.Errorf("%q %s: status %d, signal %d\nstandard error: %s\nstandard output: %s", r.command, what, r.status, r.signal, tail(r.stderr), tail(r.stdout))
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// done runs a command that must succeed.
func (w *worker) done(command string, args ...string) (result, error) {
	r, err := w.run(fault{cores: 1 + w.IntN(4)}, command, args...)
	if err == nil && r.status != 0 {
		err = r.failure("fails")
	}
	return r, err
}

// randomFault returns a random fault for a process that takes about the given time.
func (w *worker) randomFault(took time.Duration) fault {
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
