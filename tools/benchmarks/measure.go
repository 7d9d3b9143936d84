package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tree is a checkout of this module with what was built from it.
type tree struct {
	name string // "" is this one, else a commit
	dir  string // of the checkout
	bin  string // folder of the programs
}

func (t tree) build(ctx context.Context) error {
	for _, args := range [][]string{
		{"build", "-o", t.bin + "/", "./cmd/train", "./cmd/eval", "./cmd/solve"},
		{"test", "-c", "-o", filepath.Join(t.bin, "env.test"), "./env"},
	} {
		if _, err := output(ctx, t.dir, "go", args...); err != nil {
			return err
		}
	}
	return nil
}

// command returns a call of a program of the tree, on that many cores.
func (t tree) command(ctx context.Context, cores int, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(t.bin, program), args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(cores))
	return cmd
}

// sample is one measurement.
type sample struct {
	Steps       float64 `json:"steps"` // decisions, simulations, or 1 for a whole process
	CPU         float64 `json:"cpu"`   // seconds, user and system
	wall        float64 // seconds
	Memory      float64 `json:"memory"`      // peak, in bytes; 0 if it is not measured
	Observation int     `json:"observation"` // length; 0 if it is not known
	Actions     int     `json:"actions"`
}

// work measures one thing. size is the share of the usual amount of work.
type work func(ctx context.Context, t tree, cores int, size float64) (sample, error)

// process measures a program from its start to its end.
func process(program string, args ...string) work {
	return func(ctx context.Context, t tree, cores int, _ float64) (sample, error) {
		cmd := t.command(ctx, cores, program, args...)
		cmd.Dir = t.dir
		_, s, err := finish(cmd)
		return s, err
	}
}

// benchmark measures n iterations of a benchmark of ./env, which reports how many steps a second
// it takes. All of the process counts.
func benchmark(pattern string, n int) work {
	return func(ctx context.Context, t tree, cores int, size float64) (sample, error) {
		out, s, err := t.benchmark(ctx, cores, pattern, n, size)
		if err == nil {
			var iterations, ns, rate float64
			iterations, ns, rate, err = result(string(out), "/s")
			// An iteration is a whole number of steps, of which rounding hides nothing.
			s.Steps = iterations * math.Round(ns*1e-9*rate)
		}
		return s, err
	}
}

// batch measures n iterations of a benchmark of ./env that steps some games at a time and reports
// the CPU time of a decision, without what comes before.
func batch(pattern string, games, n int) work {
	return func(ctx context.Context, t tree, cores int, size float64) (sample, error) {
		out, s, err := t.benchmark(ctx, cores, pattern, n, size)
		if err == nil {
			var iterations, ns float64
			iterations, _, ns, err = result(string(out), "cpu-ns/decision")
			s.Steps = iterations * float64(games)
			s.CPU = 1e-9 * ns * s.Steps
		}
		return s, err
	}
}

// benchmark runs n iterations, or a share of them, of a benchmark of ./env.
func (t tree) benchmark(ctx context.Context, cores int, pattern string, n int, size float64) ([]byte, sample, error) {
	cmd := t.command(ctx, cores, "env.test", "-test.run", "^$", "-test.bench", pattern,
		"-test.benchtime", fmt.Sprintf("%dx", max(1, int(size*float64(n)))), "-test.timeout", "0")
	cmd.Dir = filepath.Join(t.dir, "env")
	return finish(cmd)
}

// result returns the number of iterations, the nanoseconds of one, and the figure with a unit
// that ends so, of the one benchmark in this output of go test.
func result(out, unit string) (iterations, ns, figure float64, err error) {
	for line := range strings.Lines(out) {
		// Name, iterations, and pairs of a number and its unit.
		f := strings.Fields(line)
		if len(f) != 6 || f[3] != "ns/op" || !strings.HasSuffix(f[5], unit) {
			continue
		}
		var x [3]float64
		var errs [3]error
		for i, text := range []string{f[1], f[2], f[4]} {
			x[i], errs[i] = strconv.ParseFloat(text, 64)
		}
		return x[0], x[1], x[2], errors.Join(errs[:]...)
	}
	return 0, 0, 0, fmt.Errorf("no benchmark that reports %s in %q", unit, out)
}

// training measures a run of cmd/train in Martian Dice for two, with that many
// decisions, from the end of its second iteration until three quarters of it are done.
// So neither the start nor the evaluation at the end is in it.
func training(settings string, decisions int) work {
	config := fmt.Sprintf(`{"game": "martian-dice", "game_config": {"players": 2},
		"train": {"steps": %d, "evaluations": 0, "checkpoints": 1, %s}}`, decisions, settings)
	return func(ctx context.Context, t tree, cores int, size float64) (sample, error) {
		dir, err := os.MkdirTemp("", "marsgym")
		if err != nil {
			return sample{}, err
		}
		defer os.RemoveAll(dir)
		file, out := filepath.Join(dir, "config.json"), filepath.Join(dir, "run")
		if err := os.WriteFile(file, []byte(config), 0o666); err != nil {
			return sample{}, err
		}
		cmd := t.command(ctx, cores, "train", "-config", file, "-out", out, "-cache", "none")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			return sample{}, err
		}
		ended := make(chan struct{})
		go func() {
			cmd.Wait() // its error is that of the kill
			close(ended)
		}()
		s, err := follow(cmd.Process.Pid, filepath.Join(out, "metrics.jsonl"), size*0.75*float64(decisions), ended)
		cmd.Process.Kill()
		<-ended
		return s, failure(cmd, err, stderr.Bytes())
	}
}

// follow reads the metrics of a running process from the second line on, until that
// many decisions have been made since the start.
func follow(pid int, metrics string, decisions float64, ended <-chan struct{}) (sample, error) {
	var (
		r     *bufio.Reader
		line  []byte
		n     int
		first sample
		start time.Time
	)
	for {
		if r == nil {
			if f, err := os.Open(metrics); err == nil {
				defer f.Close()
				r = bufio.NewReader(f)
			}
		}
		if r != nil {
			part, err := r.ReadBytes('\n')
			if line = append(line, part...); err == nil {
				now := sample{}
				if err := errors.Join(json.Unmarshal(line, &now), now.usage(pid)); err != nil {
					return now, err
				}
				if line, n = line[:0], n+1; n == 2 {
					first, start = now, time.Now()
				}
				if n > 2 && now.Steps >= decisions {
					now.Steps, now.CPU, now.wall = now.Steps-first.Steps, now.CPU-first.CPU, time.Since(start).Seconds()
					return now, nil
				}
				continue
			} else if err != io.EOF {
				return sample{}, err
			}
		}
		select {
		case <-ended:
			return sample{}, errors.New("it ended too early")
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// usage sets the CPU-seconds and the peak memory of a running process, as Linux has
// them: proc(5).
func (s *sample) usage(pid int) error {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return err
	}
	// The name of the program, in parentheses, may hold spaces.
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err1 := strconv.ParseFloat(f[11], 64)
	system, err2 := strconv.ParseFloat(f[12], 64)
	s.CPU = (user + system) / 100 // USER_HZ
	status, err3 := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "kB")
	kilobytes, err4 := strconv.ParseFloat(strings.TrimSpace(peak), 64)
	s.Memory = kilobytes * 1024
	return errors.Join(err1, err2, err3, err4)
}

// errNotInstalled is the error of a peer that tools/peers/peers has not installed.
var errNotInstalled = errors.New("tools/peers/peers has not installed it")

func peer(name string) work {
	return func(ctx context.Context, t tree, _ int, size float64) (sample, error) {
		const seconds = 3.0
		out, _, err := finish(exec.CommandContext(ctx, filepath.Join(t.dir, "tools", "peers", "peers"), name, fmt.Sprint(size*seconds)))
		var s sample
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 69 {
			return s, errNotInstalled
		}
		if err == nil {
			err = json.Unmarshal(out, &s)
		}
		return s, err
	}
}

// finish runs a program to its end and measures it as one step.
func finish(cmd *exec.Cmd) ([]byte, sample, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	out, err := cmd.Output()
	s := sample{Steps: 1, wall: time.Since(start).Seconds()}
	if err == nil {
		s.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	return out, s, failure(cmd, err, stderr.Bytes())
}

// output runs a program in a folder and returns what it prints, without space around.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, _, err := finish(cmd)
	return strings.TrimSpace(string(out)), err
}

// failure adds the name of a program and its last words to its error.
func failure(cmd *exec.Cmd, err error, stderr []byte) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(stderr)), "\n")
	return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, lines[len(lines)-1])
}
