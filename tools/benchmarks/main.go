// Benchmarks measures this module and other projects in turns, and writes what it
// measured into docs/benchmarks.md.
//
// All figures are medians over the turns, of CPU-seconds (user and system) on one core
// except where a table says otherwise. Training is measured on Linux only. The other
// projects are measured if tools/peers/peers has installed them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"marsgym/internal/atomicfile"
	"marsgym/internal/kernel/simd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := benchmarks(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "benchmarks: %v\n", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	turns         int
	against, only string
	peers, quick  bool
}

// parse returns the options of a command line. Errors and help are on stderr too.
func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("benchmarks", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintf(stderr, "Benchmarks measures marsgym and other projects, and writes docs/benchmarks.md.\n\nUsage:\n  go -C tools run ./benchmarks [flags]\n\n")
		f.PrintDefaults()
	}
	f.IntVar(&o.turns, "turns", 5, "`number` of times to measure everything; the page shows the medians")
	f.StringVar(&o.against, "against", "", "`commit` to measure beside this one")
	f.StringVar(&o.only, "only", "", "measure only rows whose names contain this `text`; write no page")
	f.BoolVar(&o.peers, "peers", true, "measure the other projects, if tools/peers/peers has installed them")
	f.BoolVar(&o.quick, "quick", false, "measure everything once and briefly, to check that it works; write no page")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 || o.turns < 1 {
		return o, errors.New("want no arguments, and at least one turn; for help: go -C tools run ./benchmarks -h")
	}
	return o, nil
}

// chosen reports whether -only lets a row be measured.
func (o options) chosen(r row) bool { return strings.Contains(r.what, o.only) }

func benchmarks(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(each(), o.chosen) {
		return fmt.Errorf("no row has a name that contains %q; the rows are in tools/benchmarks/rows.go", o.only)
	}
	log := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	size := 1.0
	if o.quick {
		o.turns, size = 1, 0.01
	}

	root, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", "marsgym")
	if err != nil {
		return err
	}
	path := filepath.Join(root, "docs", "benchmarks.md")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if _, err := splice(string(old), ""); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	temp, err := os.MkdirTemp("", "marsgym")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	trees := []tree{{dir: root, bin: filepath.Join(temp, "bin")}}
	if o.against != "" {
		t := tree{name: o.against, dir: filepath.Join(temp, "tree"), bin: filepath.Join(temp, "bin-against")}
		if _, err := output(ctx, root, "git", "worktree", "add", "--detach", t.dir, t.name); err != nil {
			return err
		}
		defer func() {
			_, e := output(context.WithoutCancel(ctx), root, "git", "worktree", "remove", "--force", t.dir)
			err = errors.Join(err, e)
		}()
		if err := samePlay(root, t.dir); err != nil {
			return err
		}
		trees = append(trees, t)
	}
	for _, t := range trees {
		if err := t.build(ctx); err != nil {
			return err
		}
	}

	before := average()
	r := results{map[run][]sample{}, map[run]error{}}
	for turn := range o.turns {
		for _, row := range each() {
			if !o.chosen(row) {
				continue
			}
			r.measure(ctx, row, trees, o.peers, size, func(format string, args ...any) {
				log("turn %d of %d: %s", turn+1, o.turns, fmt.Sprintf(format, args...))
			})
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	text, err := r.page(o.against)
	if err != nil {
		return err
	}
	commit, err := output(ctx, root, "git", "describe", "--always", "--dirty= with local changes", "--exclude=*")
	if err != nil {
		commit = "unknown"
	}
	command := strings.Join(append([]string{"go -C tools run ./benchmarks"}, args...), " ")
	text = fmt.Sprintf("\nMeasured by `%s` at commit %s, with %s on %s. The programs took turns; figures are medians of %d. The load average was %s before and %s after.\n%s\n",
		command, commit, runtime.Version(), machine(), o.turns, before, average(), text)
	if !o.quick && o.only == "" {
		page, err := splice(string(old), text)
		if err != nil {
			return err
		}
		if err := atomicfile.WriteBytes(path, []byte(page)); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(stdout, text); err != nil {
		return err
	}
	return r.failed()
}

// samePlay copies the benchmarks of batches, and how they measure, to another tree: both trees
// play the same actions.
func samePlay(from, to string) error {
	for _, name := range []string{"env/bench_test.go", "internal/test/cputime/doc.go", "internal/test/cputime/cputime_unix.go"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// measure measures a row once in each tree, on one core and, if it says so, on two and twice
// at once, or each of its extras. What failed once is not measured again.
func (r results) measure(ctx context.Context, row row, trees []tree, peers bool, size float64, report func(format string, args ...any)) {
	if row.project != "" || row.recent {
		trees = trees[:1]
	}
	cores := []int{1}
	if row.two {
		cores = []int{1, 2, atOnce}
	}
	one := func(key run, work work, t tree) {
		if r.faults[key] != nil {
			return
		}
		if row.project != "" && !peers {
			r.faults[key] = errLeftOut
			return
		}
		name := strings.Join(strings.Fields(row.project+" "+row.what+" "+key.extra+" "+t.name), " ")
		list, errs := make([]sample, 1), make([]error, 2)
		if key.cores == atOnce {
			list = make([]sample, 2)
		}
		var wg sync.WaitGroup
		for i := range list {
			wg.Go(func() { list[i], errs[i] = work(ctx, t, max(key.cores, 1), size) })
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			r.faults[key] = err
			report("%s: %v", name, err)
			return
		}
		r.samples[key] = append(r.samples[key], list...)
		report("%s: %.3g CPU-seconds for %.4g steps", name, list[0].CPU, list[0].Steps)
	}
	for _, n := range cores {
		for _, t := range trees {
			one(run{what: row.what, tree: t.name, cores: n}, row.work, t)
		}
	}
	for _, e := range row.extras {
		for _, t := range trees {
			one(run{row.what, t.name, 1, e.title}, e.work, t)
		}
	}
}

// errLeftOut is the error of a peer that the command line leaves out.
var errLeftOut = errors.New("left out by -peers=false")

// failed returns the errors of all that should have been measured.
func (r results) failed() error {
	var errs []error
	for key, err := range r.faults {
		if err != errLeftOut && err != errNotInstalled {
			errs = append(errs, fmt.Errorf("%s: %w", key.what, err))
		}
	}
	return errors.Join(errs...)
}

func machine() string {
	system := field("/etc/os-release", "PRETTY_NAME=")
	if system == "" {
		system = runtime.GOOS
	}
	model := field("/proc/cpuinfo", "model name\t:")
	if model == "" {
		model = "a processor without a name"
	}
	return fmt.Sprintf("%d cores of %s, %s, %s, %s kernels", runtime.NumCPU(), model, system, runtime.GOARCH, simd.Active())
}

// field returns the rest of the first line of a file that begins so, without quotes,
// or "".
func field(file, prefix string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}

func average() string {
	text, _ := os.ReadFile("/proc/loadavg")
	one, _, ok := strings.Cut(string(text), " ")
	if !ok {
		return "unknown"
	}
	return one
}
