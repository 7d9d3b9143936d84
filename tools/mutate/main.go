// Command mutate measures tests: it puts small faults into a package, one at a time, and says which
// of them no test notices. Packages are named from the root of the main module.
//
//	go -C tools run ./mutate [-n 40] [-seed 1] [-skip 'Arithmetic|Golden'] [-with PACKAGES] PACKAGE...
//
// The faults are drawn by the seed from all the places where one is possible (see sites). Each is
// killed by a test that fails, survives, or lies in code that no test reaches. The files of the
// package stay as they are: the compiler reads the changed file from elsewhere. The exit status is
// 1 if less than nine tenths of the faults that a test reaches are killed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 40, "faults a package")
	seed := flag.Uint64("seed", 1, "seed of the draw")
	skip := flag.String("skip", "Arithmetic|Golden", "tests to leave out: a regular expression, as of go test")
	with := flag.String("with", "", "packages whose tests count too, with spaces between them")
	flag.Parse()
	if flag.NArg() == 0 || *n < 1 {
		fmt.Fprintln(os.Stderr, "mutate: name at least one package, such as ./train/ppo, and at least one fault")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	enough, err := run(ctx, flag.Args(), strings.Fields(*with), *n, *seed, *skip)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	if err != nil || !enough {
		os.Exit(1)
	}
}

// run tries n faults in each package, and reports whether nine tenths of those reached are killed
// in each.
func run(ctx context.Context, packages, with []string, n int, seed uint64, skip string) (enough bool, err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	root, err := output(ctx, "", []string{"list", "-m", "-f", "{{.Dir}}", "marsgym"})
	if err != nil {
		return false, err
	}
	module := string(bytes.TrimSpace(root))
	list, err := output(ctx, module, append([]string{"list", "-json=Dir,ImportPath,GoFiles"}, packages...))
	if err != nil {
		return false, err
	}
	enough = true
	for d := json.NewDecoder(bytes.NewReader(list)); d.More(); {
		p := tested{module: module, with: with, skip: skip, dir: dir}
		if err := d.Decode(&p.Package); err != nil {
			return false, err
		}
		count, err := p.try(ctx, n, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			return false, fmt.Errorf("%s: %w", p.Package.ImportPath, err)
		}
		enough = enough && 10*count[killed] >= 9*(count[killed]+count[survives])
	}
	return enough, nil
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
	Package struct {
		Dir, ImportPath string
		GoFiles         []string
	}
	module  string   // folder of the module
	with    []string // further packages with tests
	skip    string
	dir     string // for files
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
	for _, name := range p.Package.GoFiles {
		found, err := sites(filepath.Join(p.Package.Dir, name))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	reached, err := p.coverage(ctx)
	if err != nil {
		return nil, err
	}
	count = map[result]int{}
	for _, i := range r.Perm(len(all)) {
		if count[killed]+count[survives]+count[missed] == n {
			break
		}
		s, res := all[i], missed
		if reached.has(s) {
			if res, err = p.test(ctx, s); err != nil {
				return nil, err
			}
		}
		count[res]++
		if res == survives || res == missed {
			file, err := filepath.Rel(p.Package.Dir, s.file)
			if err != nil {
				return nil, err
			}
			fmt.Printf("%-9s %s/%s:%d: %s\n", res, p.Package.ImportPath, file, s.line, s.what)
		}
	}
	total := count[killed] + count[survives]
	fmt.Printf("%s: %d of %d faults that a test reaches are killed; %d are not reached, of %d places\n",
		p.Package.ImportPath, count[killed], total, count[missed], len(all))
	return count, nil
}

// coverage runs the tests of the package and returns what they reach. It sets the timeout of
// tests of faults.
func (p *tested) coverage(ctx context.Context) (blocks, error) {
	profile, start := filepath.Join(p.dir, "cover"), time.Now()
	out, err := p.run(ctx, "-coverprofile", profile, "-coverpkg", p.Package.ImportPath)
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

// run runs the tests.
func (p *tested) run(ctx context.Context, args ...string) ([]byte, error) {
	args = append([]string{"test", "-count=1", "-vet=off", "-skip", p.skip}, args...)
	return output(ctx, p.module, append(append(args, p.Package.ImportPath), p.with...))
}

// test runs the tests with a fault.
func (p *tested) test(ctx context.Context, s site) (result, error) {
	source, err := s.apply()
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(p.dir, "changed.go"), filepath.Join(p.dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {s.file: changed}})
	if err != nil {
		return "", err
	}
	for name, data := range map[string][]byte{changed: source, overlay: replace} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return "", err
		}
	}
	out, err := p.run(ctx, "-failfast", "-overlay", overlay, "-timeout", p.timeout.String())
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return survives, nil
	case strings.Contains(string(out), "[build failed]"):
		return invalid, nil
	}
	return killed, nil
}
