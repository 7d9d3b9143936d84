//go:build unix

package torture_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marsgym/internal/test/fulltest"
)

var (
	duration = flag.Duration("for", 0, "time during which new attacks start; 0 runs two kinds once or, in full tests, is a minute")
	seed     = flag.Uint64("seed", 0, "seed of the attacks; 0 is a random seed")
	only     = flag.String("only", "", "the only kind of attack to run")
)

// attack is one kind of attack. do returns an error for a wrong result.
type attack struct {
	name     string
	do       func(w *worker) error
	commands string // that it starts
}

var attacks = []attack{
	{"train", (*worker).train, "train"},
	{"train damaged", (*worker).trainDamaged, "train eval"},
	{"train replaced", (*worker).trainReplaced, "train"},
	{"sweep", (*worker).sweep, "train"},
	{"solve", (*worker).solve, "solve"},
	{"solve damaged", (*worker).solveDamaged, "solve"},
	{"eval", (*worker).eval, "eval"},
	{"play", (*worker).play, "play"},
	{"invalid input", (*worker).invalid, "train eval play solve"},
	{"hostile files", (*worker).hostileFiles, "train eval play solve worker"},
	{"hostile files on the page", (*worker).hostilePage, "train solve web"},
	{"colliding ids", (*worker).collide, "train worker"},
	{"wrong chunks", (*worker).wrongChunks, "train worker"},
}

// shared holds what all workers share.
type shared struct {
	bin string // folder of the commands

	mu         sync.Mutex
	counts     map[string]int
	memory     map[string]int64 // peak of any process of a command, in bytes
	references map[string]*reference
}

// count adds 1 to a figure of the summary.
func (a *shared) count(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counts[what]++
}

// peak notes the memory of a process and returns it.
func (a *shared) peak(command string, bytes int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.memory[command] = max(a.memory[command], bytes)
	return bytes
}

// reference is the result of a job without faults.
type reference struct {
	once  sync.Once
	dir   string
	out   string
	took  time.Duration
	fault error
}

// reference returns the reference of a name. It computes it at the first call.
func (a *shared) reference(name string, work func(*reference) error) (*reference, error) {
	a.mu.Lock()
	r := a.references[name]
	if r == nil {
		r = &reference{}
		a.references[name] = r
	}
	a.mu.Unlock()
	r.once.Do(func() {
		start := time.Now()
		if r.fault = work(r); r.fault != nil {
			r.fault = fmt.Errorf("%s fails without faults: %w", name, r.fault)
		}
		r.took = time.Since(start)
	})
	return r, r.fault
}

// worker runs attacks one after the other.
type worker struct {
	*shared
	*rand.Rand
	dir string // of the current attack
}

// pick returns a random element of list.
func pick[T any](w *worker, list []T) T { return list[w.IntN(len(list))] }

func TestTorture(t *testing.T) {
	if *duration == 0 && *only == "" {
		fulltest.Gate(t)
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("-seed %d", *seed)
	a := &shared{bin: t.TempDir(), counts: map[string]int{}, memory: map[string]int64{}, references: map[string]*reference{}}
	chosen := slices.DeleteFunc(slices.Clone(attacks), func(x attack) bool { return *only != "" && *only != x.name })
	if len(chosen) == 0 {
		t.Fatalf("no attack is named %q", *only)
	}
	switch {
	case *duration > 0 || *only != "":
	case fulltest.On():
		*duration = time.Minute
	default:
		rand.New(rand.NewPCG(*seed, math.MaxUint64)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:2]
	}
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", a.bin+"/")
	for _, x := range chosen {
		for _, name := range strings.Fields(x.commands) {
			if path := "marsgym/cmd/" + name; !slices.Contains(build.Args, path) {
				build.Args = append(build.Args, path)
			}
		}
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	deadline := time.Now().Add(*duration)
	var next int
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				a.mu.Lock()
				n := next
				next++
				a.mu.Unlock()
				if n >= len(chosen) && !time.Now().Before(deadline) {
					return
				}
				x := chosen[n%len(chosen)]
				w := &worker{shared: a, Rand: rand.New(rand.NewPCG(*seed, uint64(n))), dir: filepath.Join(a.bin, fmt.Sprintf("attack-%d", n))}
				err := os.Mkdir(w.dir, 0o777)
				if err == nil {
					err = x.do(w)
				}
				a.count("attacks: " + x.name)
				if err != nil {
					a.count("failures")
					t.Errorf("attack %d of -seed %d, %s: %v\nits files are in %s", n, *seed, x.name, err, keep(t, w.dir))
					continue
				}
				os.RemoveAll(w.dir)
			}
		})
	}
	wg.Wait()
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(a.counts)) {
		lines = append(lines, fmt.Sprintf("%6d  %s", a.counts[what], what))
	}
	for _, command := range slices.Sorted(maps.Keys(a.memory)) {
		lines = append(lines, fmt.Sprintf("%6d  MB, peak memory of %s", a.memory[command]>>20, command))
	}
	t.Logf("\n%s", strings.Join(lines, "\n"))
}

// keep moves the folder of a failed attack to a folder that remains after the test.
func keep(t *testing.T, dir string) string {
	to, err := os.MkdirTemp("", "torture-")
	if err != nil {
		t.Error(err)
		return dir
	}
	kept := filepath.Join(to, filepath.Base(dir))
	if err := os.Rename(dir, kept); err != nil {
		return dir
	}
	return kept
}
