// Command mutate measures tests: it puts small faults into a package, one at a time, and says which
// of them no test notices. Packages are named from the root of the main module.
//
//	go -C tools run ./mutate [-n 40] [-seed 1] [-skip 'Arithmetic|Golden'] [-with PACKAGES] [-only REGEXP] PACKAGE...
//
// The faults are drawn by the seed from all the places where one is possible (see sites). Each is
// killed by a test that fails, survives, or lies in code that no test reaches. The files of the
// package stay as they are: the compiler reads changed files from elsewhere, which hold a copy of
// a function for each of its faults, so the tests are compiled once. The exit status is 1 if less
// than nine tenths of the faults that a test reaches are killed. To try some of them again, name
// them by a part of what was printed: -only fit.go:177:.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 40, "faults a package")
	seed := flag.Uint64("seed", 1, "seed of the draw")
	skip := flag.String("skip", "Arithmetic|Golden", "tests to leave out: a regular expression, as of go test")
	with := flag.String("with", "", "packages whose tests count too, with spaces between them")
	only := flag.String("only", "", "only faults that match this regular expression, such as fit.go:177:")
	flag.Parse()
	if flag.NArg() == 0 || *n < 1 {
		fmt.Fprintln(os.Stderr, "mutate: name at least one package, such as ./train/ppo, and at least one fault")
		os.Exit(2)
	}
	which, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate: -only:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	enough, err := run(ctx, flag.Args(), strings.Fields(*with), tested{skip: *skip, only: which}, *n, *seed)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	if err != nil || !enough {
		os.Exit(1)
	}
}

// run tries n faults in each package, and reports whether nine tenths of those reached are killed
// in each. The tests of further packages count too.
func run(ctx context.Context, packages, with []string, p tested, n int, seed uint64) (enough bool, err error) {
	if p.dir, err = os.MkdirTemp("", "mutate"); err != nil {
		return false, err
	}
	defer os.RemoveAll(p.dir)
	root, err := output(ctx, "", []string{"list", "-m", "-f", "{{.Dir}}", "marsgym"})
	if err != nil {
		return false, err
	}
	p.module = string(bytes.TrimSpace(root))
	all, err := list(ctx, p.module, packages)
	if err == nil && len(with) > 0 {
		p.with, err = list(ctx, p.module, with)
	}
	if err != nil {
		return false, err
	}
	enough = true
	for _, p.pkg = range all {
		p := p
		count, err := p.try(ctx, n, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			return false, fmt.Errorf("%s: %w", p.pkg.ImportPath, err)
		}
		enough = enough && 10*count[killed] >= 9*(count[killed]+count[survives])
	}
	return enough, nil
}

// pkg is a package, as go list prints it.
type pkg struct {
	Dir, ImportPath, Name string
	GoFiles               []string
}

// list returns the packages of a module that patterns match.
func list(ctx context.Context, module string, patterns []string) (all []pkg, err error) {
	text, err := output(ctx, module, append([]string{"list", "-json=Dir,ImportPath,Name,GoFiles"}, patterns...))
	for d := json.NewDecoder(bytes.NewReader(text)); err == nil && d.More(); {
		var p pkg
		err = d.Decode(&p)
		all = append(all, p)
	}
	return all, err
}

// output returns what a go command in a folder prints, or an error with what it prints as errors.
func output(ctx context.Context, folder string, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = folder
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if err != nil && stderr.Len() > 0 {
		err = fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return out, err
}

// tested is a package whose tests are measured.
type tested struct {
	module  string // its folder
	pkg     pkg
	with    []pkg // further packages with tests
	skip    string
	only    *regexp.Regexp // of the faults to try
	dir     string         // for files
	timeout time.Duration
}

// result is what became of a fault.
type result string

const (
	killed   result = "killed"
	survives result = "SURVIVES"
	missed   result = "unreached"
	invalid  result = "invalid" // it does not compile; another one is drawn
)

// try tries n faults, or all that there are, and prints those that no test kills.
func (p *tested) try(ctx context.Context, n int, r *rand.Rand) (count map[result]int, err error) {
	var all []site
	for _, name := range p.pkg.GoFiles {
		found, err := sites(filepath.Join(p.pkg.Dir, name))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	places := len(all)
	all = slices.DeleteFunc(all, func(s site) bool { return !p.only.MatchString(s.String()) })
	reached, err := p.coverage(ctx)
	if err != nil {
		return nil, err
	}
	count = map[result]int{}
	rest := r.Perm(len(all))
	for len(rest) > 0 {
		tried := count[killed] + count[survives] + count[missed]
		drawn := rest[:min(n-tried, len(rest))]
		if len(drawn) == 0 {
			break
		}
		rest = rest[len(drawn):]
		faults := map[int]site{} // in functions
		for _, i := range drawn {
			switch s := all[i]; {
			case !reached.has(s):
				p.report(count, s, missed)
			case s.in != nil:
				faults[len(faults)+1] = s
			default: // it needs tests of its own
				if err := p.test(ctx, count, map[int]site{0: s}); err != nil {
					return nil, err
				}
			}
		}
		if err := p.test(ctx, count, faults); err != nil {
			return nil, err
		}
	}
	total := count[killed] + count[survives]
	fmt.Printf("%s: %d of %d faults that a test reaches are killed; %d are not reached, of %d places\n",
		p.pkg.ImportPath, count[killed], total, count[missed], places)
	return count, nil
}

// report counts a result, and prints it if no test kills the fault.
func (p *tested) report(count map[result]int, s site, r result) {
	count[r]++
	if r == survives || r == missed {
		fmt.Printf("%-9s %s/%s\n", r, p.pkg.ImportPath, s)
	}
}

// coverage runs the tests of the package and returns what they reach. It sets the timeout of
// tests of faults.
func (p *tested) coverage(ctx context.Context) (blocks, error) {
	profile, start := filepath.Join(p.dir, "cover"), time.Now()
	args := []string{"test", "-count=1", "-vet=off", "-skip", p.skip, "-coverprofile", profile, "-coverpkg", p.pkg.ImportPath, p.pkg.ImportPath}
	for _, with := range p.with {
		args = append(args, with.ImportPath)
	}
	out, err := output(ctx, p.module, args)
	if err != nil {
		return nil, fmt.Errorf("the tests fail without a fault: %w\n%s", err, out)
	}
	p.timeout = 10*time.Since(start) + 10*time.Second // a fault may make a loop endless
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return parseBlocks(string(text)), nil
}

// test tests faults by their numbers: from 1 on those in functions, of which a test chooses one when
// it runs, or one with the number 0 elsewhere. It compiles the tests once.
func (p *tested) test(ctx context.Context, count map[result]int, faults map[int]site) error {
	programs, err := p.build(ctx, count, faults)
	if err != nil || len(faults) == 0 {
		return err
	}
	if _, always := faults[0]; !always {
		start := time.Now()
		if ok, err := p.pass(ctx, programs, 0); err != nil || !ok {
			return cmp.Or(err, errors.New("the tests fail where each function can have a fault, but none has one"))
		}
		p.timeout = 5*time.Since(start) + 10*time.Second
	}
	for _, k := range slices.Sorted(maps.Keys(faults)) {
		ok, err := p.pass(ctx, programs, k)
		if err != nil {
			return err
		}
		res := killed
		if ok {
			res = survives
		}
		p.report(count, faults[k], res)
	}
	return nil
}

// program is a compiled test, and where it runs.
type program struct{ path, dir string }

// pass reports whether all tests pass with a fault.
func (p *tested) pass(ctx context.Context, programs []program, fault int) (bool, error) {
	for _, t := range programs {
		cmd := exec.CommandContext(ctx, t.path, "-test.failfast", "-test.skip", p.skip, "-test.timeout", p.timeout.String())
		cmd.Dir, cmd.Env = t.dir, append(os.Environ(), fmt.Sprintf("MUTATE_FAULT=%d", fault))
		var exit *exec.ExitError
		switch err := cmd.Run(); {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.As(err, &exit):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}

// declaration declares the number of the fault that is chosen.
const declaration = `package %s

import "os"

var fault__ = func() (k int) {
	for _, digit := range os.Getenv("MUTATE_FAULT") {
		k = 10*k + int(digit-'0')
	}
	return k
}()
`

// inFault finds the number of a fault in an error of the compiler.
var inFault = regexp.MustCompile(`\bfault(\d+)\.go:`)

// build compiles the tests with faults. It counts and removes those that do not compile.
func (p *tested) build(ctx context.Context, count map[result]int, faults map[int]site) (programs []program, err error) {
	overlay := filepath.Join(p.dir, "overlay.json")
	for {
		if err := p.write(overlay, faults); err != nil || len(faults) == 0 {
			return nil, err
		}
		// The flag asks for all errors instead of ten.
		_, err := output(ctx, p.module, []string{"build", "-o", os.DevNull, "-gcflags=-e", "-overlay", overlay, p.pkg.ImportPath})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			break
		}
		before := len(faults)
		delete(faults, 0)
		for _, m := range inFault.FindAllStringSubmatch(err.Error(), -1) {
			k, _ := strconv.Atoi(m[1])
			delete(faults, k)
		}
		if len(faults) == before {
			return nil, err
		}
		count[invalid] += before - len(faults)
	}
	for i, from := range append([]pkg{p.pkg}, p.with...) {
		t := program{filepath.Join(p.dir, fmt.Sprintf("%s.%d.test", p.pkg.Name, i)), from.Dir}
		_, err := output(ctx, p.module, []string{"test", "-c", "-vet=off", "-gcflags=-e", "-overlay", overlay, "-o", t.path, from.ImportPath})
		if _, always := faults[0]; err != nil && always && ctx.Err() == nil { // such as a constant that is too large
			delete(faults, 0)
			count[invalid]++
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(t.path); err == nil { // else it has no tests
			programs = append(programs, t)
		}
	}
	return programs, nil
}

// write writes changed files, and the overlay by which the go command finds them.
func (p *tested) write(overlay string, faults map[int]site) error {
	byFile := map[string]map[int]site{}
	for k, s := range faults {
		if byFile[s.file] == nil {
			byFile[s.file] = map[int]site{}
		}
		byFile[s.file][k] = s
	}
	replace := map[string]string{}
	add := func(file string, text []byte) error {
		replace[file] = filepath.Join(p.dir, fmt.Sprintf("changed%d.go", len(replace)))
		return os.WriteFile(replace[file], text, 0o644)
	}
	for file, list := range byFile {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if s, always := faults[0]; always {
			text = apply(text, s.edit)
		} else {
			text = choices(text, list)
		}
		if err := add(file, text); err != nil {
			return err
		}
	}
	if err := add(filepath.Join(p.pkg.Dir, "fault__.go"), fmt.Appendf(nil, declaration, p.pkg.Name)); err != nil {
		return err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(overlay, data, 0o644)
}
