//go:build unix

// In package main, which cannot be imported.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"marsgym/internal/cli"
	"marsgym/internal/test/freeport"
	"marsgym/internal/test/fulltest"
)

// built is the folder of the commands of this build, once a test needs it.
var built string

func TestMain(m *testing.M) {
	status := m.Run()
	if built != "" {
		os.RemoveAll(filepath.Dir(built))
	}
	os.Exit(status)
}

// commands returns the folder of cmd/worker, cmd/train and cmd/eval, of one build.
func commands(t *testing.T) string {
	t.Helper()
	if built == "" {
		dir, err := os.MkdirTemp("", "marsgym-worker-test-")
		if err != nil {
			t.Fatal(err)
		}
		built = filepath.Join(dir, "bin")
		build(t, built, nil, "worker", "train", "eval")
	}
	return built
}

// build builds commands into a folder, with other texts in some files of the module, and
// without what debuggers read, which takes half of the time.
func build(t *testing.T, dir string, files map[string]string, commands ...string) {
	t.Helper()
	replace := map[string]string{}
	for name, text := range files {
		own, err := filepath.Abs(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		replace[own] = filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(replace[own], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"build", "-ldflags", "-s -w", "-overlay", file, "-o", dir + "/"}
	for _, c := range commands {
		args = append(args, "../"+c)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// process is a process of a command.
type process struct {
	cmd    *exec.Cmd
	out    output
	killed bool
	ended  chan struct{}
}

// output is what a process has printed so far.
type output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

func start(t *testing.T, bin, command string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(filepath.Join(bin, command), args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill kills the process, whatever it does.
func (p *process) kill() {
	p.killed = true
	p.cmd.Process.Kill()
	<-p.ended
}

// wait waits for the process and fails unless it ends well.
func (p *process) wait(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(3 * time.Minute):
		p.kill()
		t.Fatalf("%v hangs:\n%s", p.cmd.Args, p.out.String())
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("%v: exit status %d\n%s", p.cmd.Args, code, p.out.String())
	}
}

// serving waits until a broker accepts connections.
func serving(t *testing.T, addr string) {
	t.Helper()
	for range 600 {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("no broker")
}

// settings writes a short run of a game, and returns the file.
func settings(t *testing.T, game, config, algorithm string, steps int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json")
	text := fmt.Sprintf(`{"game": %q, "game_config": %s, "train": {"algorithm": %q, "steps": %d, "hidden": [16], "rows": 16, "evaluations": 1, "checkpoints": 20, "expert": {"search": {"decisions": 8}}}}`,
		game, config, algorithm, steps)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// digest returns the digest of the model of a run.
func digest(t *testing.T, run string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(run, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

// runs are a run for each of two algorithms and two games.
var runs = []struct{ game, config, algorithm string }{
	{"martian-dice", `{"dice": 4, "target": 4}`, "turn-exact"},
	{"pig", `{"target": 10}`, "one-move"},
}

// TestSameBits compares the models of local training and of training by 1, 2 and 4 workers.
func TestSameBits(t *testing.T) {
	fulltest.Gate(t)
	bin, addr := commands(t), freeport.Address(t)
	t.Parallel()
	start(t, bin, "worker", "-serve", addr, "-jobs", "0")
	serving(t, addr)
	for i, r := range runs {
		file, local := settings(t, r.game, r.config, r.algorithm, 1000), filepath.Join(t.TempDir(), "local")
		start(t, bin, "train", "-config", file, "-cache", "none", "-out", local).wait(t)
		want := digest(t, local)
		var workers []*process
		for _, n := range []int{1, 2, 4} {
			for len(workers) < n {
				workers = append(workers, start(t, bin, "worker", "-join", addr, "-jobs", "1"))
			}
			run := filepath.Join(t.TempDir(), fmt.Sprintf("%d-%d", i, n))
			start(t, bin, "train", "-config", file, "-cache", "none", "-out", run, "-cluster", addr).wait(t)
			if got := digest(t, run); got != want {
				t.Errorf("%s by %s with %d workers: model %s; want %s", r.game, r.algorithm, n, got, want)
			}
		}
		for _, w := range workers {
			w.kill()
		}
	}
}

// TestEvaluationAndSweep compares an exact evaluation for three players, a match and a sweep
// with a league by two workers with those of one process.
func TestEvaluationAndSweep(t *testing.T) {
	fulltest.Gate(t)
	bin, addr, dir := commands(t), freeport.Address(t), t.TempDir()
	t.Parallel()
	start(t, bin, "worker", "-serve", addr, "-jobs", "1")
	serving(t, addr)
	start(t, bin, "worker", "-join", addr, "-jobs", "1")
	run := filepath.Join(dir, "run")
	start(t, bin, "train", "-config", settings(t, "martian-dice", `{"players": 3, "dice": 5, "target": 6}`, "turn-exact", 3000), "-out", run).wait(t)
	both := func(seconds string, command string, args ...string) {
		t.Helper()
		var out [2]string
		for i, more := range [][]string{nil, {"-cluster", addr, "-verify", "0.5"}} {
			p := start(t, bin, command, append(args, more...)...)
			p.wait(t)
			out[i] = regexp.MustCompile(seconds).ReplaceAllString(p.out.String(), "")
		}
		if out[0] != out[1] {
			t.Errorf("%s %v by workers prints\n%s\nwant\n%s", command, args, out[1], out[0])
		}
	}
	both(`"seconds": .*`, "eval", "-model", run, "-against", "exact", "-cache", "none", "-json")
	both("$^", "eval", "-model", run, "-against", "greedy", "-games", "900", "-policy", "sample", "-json")

	sweep := filepath.Join(dir, "sweep.json")
	if err := os.WriteFile(sweep, []byte(`{"base": {"game": "pig", "game_config": {"target": 10}, "train": {"algorithm": "one-move", "steps": 1000, "hidden": [8], "rows": 8, "checkpoints": 4, "evaluations": 2}},
		"grid": {"train.learning_rate": [[0.01, 0.001], [0.001, 0.001]]}, "seeds": [1, 2], "league": {"games": 20}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	local, remote := filepath.Join(dir, "local"), filepath.Join(dir, "remote")
	start(t, bin, "train", "-sweep", sweep, "-out", local, "-cache", "none").wait(t)
	start(t, bin, "train", "-sweep", sweep, "-out", remote, "-cache", "none", "-cluster", addr).wait(t)
	for _, run := range []string{"", "01-seed-1", "01-seed-2", "02-seed-1", "02-seed-2"} {
		if got, want := digest(t, filepath.Join(remote, run)), digest(t, filepath.Join(local, run)); got != want {
			t.Errorf("sweep, %q: model %s; want %s", run, got, want)
		}
	}
}

// TestKills kills workers, the broker and the training command at any moment, and stops
// workers for longer than their lease. Training ends with the model of an undisturbed run.
func TestKills(t *testing.T) {
	fulltest.Gate(t)
	kills := 5
	if fulltest.On() {
		kills = 50
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	bin, addr := commands(t), freeport.Address(t)
	t.Parallel()
	const lease = 500 * time.Millisecond
	broker := func() *process {
		p := start(t, bin, "worker", "-serve", addr, "-jobs", "0", "-lease", lease.String())
		serving(t, addr)
		return p
	}
	join := func() *process { return start(t, bin, "worker", "-join", addr, "-jobs", "1") }
	b, workers := broker(), []*process{join(), join(), join()}
	var stopped sync.WaitGroup
	defer stopped.Wait()
	counts := map[string]int{}
	for done, round := 0, 0; done < kills; round++ {
		r := runs[round%len(runs)]
		file, local := settings(t, r.game, r.config, r.algorithm, 20_000), filepath.Join(t.TempDir(), "local")
		start(t, bin, "train", "-config", file, "-cache", "none", "-out", local).wait(t)
		run := filepath.Join(t.TempDir(), "run")
		begin := func() *process {
			if _, err := os.Stat(filepath.Join(run, "config.json")); err == nil {
				return start(t, bin, "train", "-resume", run, "-cache", "none", "-cluster", addr)
			}
			os.RemoveAll(run) // it was killed while it wrote the first file
			return start(t, bin, "train", "-config", file, "-cache", "none", "-out", run, "-cluster", addr)
		}
		c := begin()
	running:
		for {
			pause := time.Duration(random.Int64N(int64(700 * time.Millisecond)))
			if done == kills {
				pause = time.Hour // undisturbed to the end
			}
			select {
			case <-c.ended:
				break running
			case <-time.After(pause):
			}
			k := random.IntN(len(workers))
			switch x := random.IntN(10); {
			case x < 4:
				counts["worker"]++
				workers[k].kill()
				workers[k] = join()
				done++
			case x < 6:
				counts["stop"]++
				w := workers[k]
				w.cmd.Process.Signal(syscall.SIGSTOP)
				stopped.Go(func() {
					time.Sleep(2 * lease)
					w.cmd.Process.Signal(syscall.SIGCONT)
				})
			case x < 7:
				counts["drain"]++ // it ends its jobs
				workers[k].cmd.Process.Signal(syscall.SIGTERM)
				workers[k].cmd.Process.Signal(syscall.SIGCONT)
				<-workers[k].ended
				workers[k] = join()
			case x < 8:
				counts["broker"]++
				b.kill()
				b = broker()
				done++
			case x < 9:
				counts["train"]++
				c.kill()
				c = begin()
				done++
			default:
				counts["interrupt"]++ // it saves a checkpoint
				c.cmd.Process.Signal(syscall.SIGTERM)
				<-c.ended
				code := c.cmd.ProcessState.ExitCode()
				early := code == -1 && c.out.String() == "" // before it caught signals
				if code != 0 && code != cli.Interrupted && !early {
					t.Fatalf("%v: exit status %d after SIGTERM\n%s", c.cmd.Args, code, c.out.String())
				}
				c = begin()
			}
		}
		c.wait(t)
		if got, want := digest(t, run), digest(t, local); got != want {
			t.Fatalf("%s by %s after %v: model %s; want %s", r.game, r.algorithm, counts, got, want)
		}
	}
	t.Logf("%v", counts)
}

// TestOtherCode has workers of other builds: one that differs in a constant of the search, which
// both sides refuse, and one that differs in a sentence of the documents, which works.
func TestOtherCode(t *testing.T) {
	fulltest.Gate(t)
	replaced := func(file, from, to string) map[string]string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), from) != 1 {
			t.Fatalf("%s does not have %q once", file, from)
		}
		return map[string]string{file: strings.Replace(string(text), from, to, 1)}
	}
	bin, addr, code, text := commands(t), freeport.Address(t), t.TempDir(), t.TempDir()
	build(t, code, replaced("agents/search/search.go", "aFew = 4", "aFew = 5"), "worker")
	build(t, text, replaced("docs/cluster.md", "Workers may come and go.", "Workers come and go."), "worker")
	t.Parallel()
	match := []string{"match", "-game", "pig", "-model", "search:10", "-against", "greedy", "-games", "20", "-json"}
	local := start(t, bin, "eval", match...)
	local.wait(t)
	start(t, bin, "worker", "-serve", addr, "-jobs", "0")
	serving(t, addr)
	other := start(t, code, "worker", "-join", addr)
	remote := start(t, bin, "eval", append(match, "-cluster", addr)...)
	for p, want := range map[*process]string{other: "a coordinator refuses this worker: it has code ", remote: "is refused: it has code "} {
		for range 600 {
			if out := p.out.String(); strings.Contains(out, want) && strings.Contains(out, "build both from the same files") {
				want = ""
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if want != "" {
			t.Fatalf("%v prints\n%s\nwant %q", p.cmd.Args, p.out.String(), want)
		}
	}
	select {
	case <-remote.ended:
		t.Fatalf("a worker of other code has computed the match:\n%s", remote.out.String())
	default:
	}
	start(t, text, "worker", "-join", addr)
	remote.wait(t)
	document := regexp.MustCompile(`(?s)\{.*\}`)
	if got, want := document.FindString(remote.out.String()), document.FindString(local.out.String()); got != want || want == "" {
		t.Errorf("workers print\n%s; want\n%s", remote.out.String(), local.out.String())
	}
}
