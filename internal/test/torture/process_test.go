//go:build unix

package torture_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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
	limit  time.Duration // after which the process hangs; 0 is timeout
}

// timeout is the time after which a process counts as hanging. Chosen: a hundred times
// the time that any process takes on a busy machine.
const timeout = 5 * time.Minute

// maxMemory is the largest number of bytes that a process may have in memory.
const maxMemory = 1 << 30

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
	p, err := w.start(f, command, args...)
	if err != nil {
		return result{}, err
	}
	if f.signal != 0 {
		select {
		case <-p.ended:
		case <-time.After(f.after):
			p.cmd.Process.Signal(f.signal)
		}
	}
	return p.wait()
}

// process is a command under way.
type process struct {
	w              *worker
	f              fault
	command        string
	args           []string
	cmd            *exec.Cmd
	cancel         context.CancelFunc
	ctx            context.Context
	disk           *os.File // or nil
	stdout, stderr buffer
	ended          chan struct{} // closed at the end
	err            error         // at the end
	most           int64         // bytes of memory seen while it ran
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start starts a command in the folder of the attack. wait must be called.
func (w *worker) start(f fault, command string, args ...string) (*process, error) {
	p := &process{w: w, f: f, command: command, args: args, ended: make(chan struct{})}
	p.ctx, p.cancel = context.WithTimeout(context.Background(), cmp.Or(f.limit, timeout))
	name, argv := filepath.Join(w.bin, command), args
	if f.blocks > 0 {
		argv = append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, f.blocks), name}, args...)
		name = "sh"
	}
	cmd := exec.CommandContext(p.ctx, name, argv...)
	p.cmd = cmd
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "HOME="+w.dir, "XDG_CACHE_HOME="+filepath.Join(w.dir, "cache"))
	if f.cores > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", f.cores))
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(f.in), &p.stdout, &p.stderr
	var err error
	if f.full {
		if p.disk, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
			return nil, err
		}
		cmd.Stdout = p.disk
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.watch()
	go func() {
		p.err = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// watch ends the process once it has more memory than it may, so that it leaves some to others.
// It needs the files of Linux; elsewhere only wait measures.
func (p *process) watch() {
	for p.most <= maxMemory {
		select {
		case <-p.ended:
			return
		case <-time.After(20 * time.Millisecond):
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
		if err != nil {
			return
		}
		if _, rest, ok := strings.Cut(string(status), "VmRSS:"); ok {
			var kilobytes int64
			fmt.Sscan(rest, &kilobytes)
			p.most = max(p.most, kilobytes<<10)
		}
	}
	p.cmd.Process.Kill()
}

// wait waits for the end of the process and checks its result.
func (p *process) wait() (result, error) {
	<-p.ended
	defer p.cancel()
	if p.disk != nil {
		p.disk.Close()
	}
	r := result{command: p.command + " " + strings.Join(p.args, " "), stdout: p.stdout.String(), stderr: p.stderr.String()}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) && !errors.Is(p.err, exec.ErrWaitDelay) {
		return r, p.err
	}
	state := p.cmd.ProcessState
	r.status = state.ExitCode()
	if s, ok := state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		r.signal = s.Signal()
	}
	p.w.count("processes")
	if p.f.blocks > 0 || p.f.full {
		p.w.count("faults of writing")
	}
	if used := peak(state); p.w.peak(p.command, used) > maxMemory {
		return r, r.failure(fmt.Sprintf("takes %d MB of memory, more than %d,", used>>20, maxMemory>>20))
	}
	if p.ctx.Err() != nil {
		return r, r.failure("hangs")
	}
	return r, r.check(p.command, p.f)
}

// peak returns the peak memory of a process that has ended, in bytes.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
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
		if who, _, ok := strings.Cut(line, ": "); ok && (who == command || strings.HasPrefix(who, command+" ")) { // "eval match"
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
