package broker_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marsgym/internal/broker"
	"marsgym/internal/cluster"
	"marsgym/internal/jobs"
	"marsgym/internal/test/freeport"
)

// hash is a task that hashes an input many times.
type hash struct {
	input  *jobs.Blob
	times  int
	result []byte
}

func (h *hash) Run(context.Context) error {
	sum := h.input.Digest
	for range h.times {
		sum = sha256.Sum256(sum[:])
	}
	h.result = bytes.Repeat(sum[:], 40_000) // of more than one message
	return nil
}

func (h *hash) Job() (jobs.Job, error) {
	args, err := json.Marshal(h.times)
	return jobs.Job{Kind: "hash", Args: args, Inputs: []*jobs.Blob{h.input}}, err
}

func (h *hash) Receive(r jobs.Result) error {
	h.result = r.Bytes
	if len(r.Bytes) != 40_000*sha256.Size {
		return fmt.Errorf("%d bytes", len(r.Bytes))
	}
	return nil
}

func computeHash(_ context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
	h := hash{input: inputs[0]}
	if err := json.Unmarshal(args, &h.times); err != nil {
		return jobs.Result{}, err
	}
	if h.times < 0 {
		return jobs.Result{}, errors.New("a negative number")
	}
	h.Run(context.Background())
	return jobs.Result{Bytes: h.result, Times: []byte("a second")}, nil
}

var kinds = map[string]jobs.Func{"hash": computeHash}

// TestMain lets more tests wait at the same time than there are cores.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "8")
	m.Run()
}

func serve(t *testing.T, a cluster.Access, keys string) *broker.Broker {
	t.Helper()
	b, err := broker.Start(a, keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// later returns a function that serves a broker until all that comes after this call in the
// test has ended.
func later(t *testing.T, a cluster.Access) func() {
	t.Helper()
	var b *broker.Broker
	t.Cleanup(func() {
		if b != nil {
			b.Close()
		}
	})
	return func() {
		var err error
		if b, err = broker.Start(a, ""); err != nil {
			t.Error(err)
		}
	}
}

// log collects lines.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// text returns the lines so far. A worker may log after it has ended.
func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

func (l *log) has(text string) bool { return strings.Contains(l.text(), text) }

// work starts a worker, which stops when the test ends or stop is called.
func work(t *testing.T, o cluster.WorkOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if o.Slots == 0 {
		o.Slots = 2
	}
	if o.Kinds == nil {
		o.Kinds = kinds
	}
	if o.Log == nil {
		o.Log = func(line string) { t.Log("worker:", line) }
	}
	ended := make(chan error, 1)
	go func() { ended <- cluster.Work(ctx, o) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("worker: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func connect(t *testing.T, o cluster.Options) *cluster.Coordinator {
	t.Helper()
	if o.Run == "" {
		o.Run = "test"
	}
	if o.Kinds == nil {
		o.Kinds = kinds
	}
	if o.Log == nil {
		o.Log = func(line string) { t.Log("coordinator:", line) }
	}
	if o.Lease == 0 {
		o.Lease = time.Second
	}
	c, err := cluster.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func hashes(n, times int) (list []*hash, tasks []jobs.Task) {
	large := jobs.NewBlob(bytes.Repeat([]byte("large"), 100_000)) // of two messages
	for i := range n {
		h := &hash{input: jobs.NewBlob([]byte{byte(i)}), times: times + i}
		if i%2 == 1 {
			h.input = large
		}
		list, tasks = append(list, h), append(tasks, h)
	}
	return list, tasks
}

// waiting gives a coordinator three jobs, and returns one of them once all wait for a worker, and
// the error with which they end.
func waiting(t *testing.T, c *cluster.Coordinator) (job jobs.Digest, ended <-chan error) {
	t.Helper()
	list, tasks := hashes(3, 10)
	j, err := list[0].Job()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Do(t.Context(), tasks) }()
	for c.Status().Pending < 3 {
		time.Sleep(time.Millisecond)
	}
	return j.Digest(), done
}

// check runs tasks on an executor and compares the results with those of this process.
func check(t *testing.T, e jobs.Executor, n, times int) {
	t.Helper()
	got, tasks := hashes(n, times)
	want, local := hashes(n, times)
	if err := e.Do(t.Context(), tasks); err != nil {
		t.Fatal(err)
	}
	if err := (jobs.Local{}).Do(t.Context(), local); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if !bytes.Equal(got[i].result, want[i].result) {
			t.Errorf("the result of task %d differs", i)
		}
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	c := connect(t, cluster.Options{Access: a, Lease: time.Minute}) // no job is computed twice, however slow the machine is
	for range 2 {
		work(t, cluster.WorkOptions{Access: a})
	}
	check(t, c, 20, 10)
	check(t, c, 20, 10) // the same jobs again
	s := c.Status()
	if s.Workers != 2 || s.Slots != 4 || s.UnderWay != 0 || s.Results != 40 || s.BytesIn < 40*40_000*sha256.Size {
		t.Errorf("the status is %+v", s)
	}
}

// TestJoinAndLeave has workers that come and go all the time.
func TestJoinAndLeave(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	c := connect(t, cluster.Options{Access: a})
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			stop := work(t, cluster.WorkOptions{Access: a, Slots: 1})
			select {
			case <-ended:
				stop()
				return
			case <-time.After(50 * time.Millisecond):
			}
			stop()
		}
	})
	check(t, c, 40, 20_000)
	close(ended)
	wg.Wait()
}

// TestLateBroker starts a worker and a coordinator a little before their broker.
func TestLateBroker(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve := later(t, a)
	var served sync.WaitGroup
	served.Go(func() {
		time.Sleep(time.Second)
		serve()
	})
	work(t, cluster.WorkOptions{Access: a})
	c := connect(t, cluster.Options{Access: a})
	served.Wait()
	check(t, c, 4, 10)
}

// TestBrokerLost stops the broker while jobs are computed, and starts it again without
// anything that it held.
func TestBrokerLost(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	b, again := serve(t, a, ""), later(t, a)
	l := &log{}
	c := connect(t, cluster.Options{Access: a, Log: l.add})
	var lost sync.Once
	restart := func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
		lost.Do(func() {
			b.Close()
			again()
		})
		return computeHash(ctx, args, inputs)
	}
	work(t, cluster.WorkOptions{Access: a, Kinds: map[string]jobs.Func{"hash": restart}, Log: l.add})
	check(t, c, 10, 10)
	if !l.has("the connection to the broker is lost") {
		t.Errorf("the log is %q", l.text())
	}
}

// TestSlowWorker has a worker whose results come after the lease: of the job that was
// computed again there are two, which are equal. No test runs beside it, as one might delay the
// renewal of the lease.
func TestSlowWorker(t *testing.T) {
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	c := connect(t, cluster.Options{Access: a, Lease: 100 * time.Millisecond})
	var slept atomic.Int32
	slow := func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
		if slept.Add(1) == 1 {
			time.Sleep(500 * time.Millisecond) // the lease is renewed
		}
		return computeHash(ctx, args, inputs)
	}
	work(t, cluster.WorkOptions{Access: a, Kinds: map[string]jobs.Func{"hash": slow}, Slots: 1})
	check(t, c, 3, 10)
	if n := slept.Load(); n != 3 {
		t.Errorf("3 jobs were computed %d times", n)
	}
}

// TestFailing has a worker that cannot compute jobs, and a job that nobody can compute.
func TestFailing(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	l := &log{}
	c := connect(t, cluster.Options{Access: a, Log: l.add})
	fails := func(context.Context, []byte, []*jobs.Blob) (jobs.Result, error) {
		return jobs.Result{}, errors.New("no memory")
	}
	work(t, cluster.WorkOptions{Access: a, Kinds: map[string]jobs.Func{"hash": fails}, Log: l.add})
	check(t, c, 3, 10)
	if !l.has("could not compute a job, which is computed here: no memory") {
		t.Errorf("the log is %q", l.text())
	}
	if n := c.Status().Results; n != 0 {
		t.Errorf("%d results are of workers, which have computed none", n)
	}
	if err := c.Do(t.Context(), []jobs.Task{&hash{input: jobs.NewBlob(nil), times: -1}}); err == nil || !strings.Contains(err.Error(), "a negative number") {
		t.Errorf("error %v; want that of the job", err)
	}
}

// TestMixed: builds that may find other bits may do so for one job too, where a worker pauses
// until the job is another worker's.
func TestMixed(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	c := connect(t, cluster.Options{Access: a, Identity: cluster.Mixed, Lease: 200 * time.Millisecond})
	job, ended := waiting(t, c)
	nc := bad(t, a, "paused")
	if _, err := nc.Request("marsgym.run.test.ask.paused", message(job, `, "offset":0,"size":0,"times":0`, nil), time.Second); err != nil {
		t.Fatal(err)
	}
	work(t, cluster.WorkOptions{Access: a, Identity: cluster.Mixed})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	other := bytes.Repeat([]byte{7}, 1000)
	if _, err := nc.Request("marsgym.run.test.result.paused", message(job, fmt.Sprintf(`, "offset":0,"size":%d,"times":0`, len(other)), other), time.Second); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), tasksOnly(3)); err != nil {
		t.Errorf("after another result of one job: %v", err)
	}
}

// TestLies has a worker whose results are wrong.
func TestLies(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	lie := func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
		r, err := computeHash(ctx, args, inputs)
		r.Bytes[100]++
		return r, err
	}
	short := func(context.Context, []byte, []*jobs.Blob) (jobs.Result, error) {
		return jobs.Result{Bytes: []byte("short")}, nil
	}
	t.Run("verified", func(t *testing.T) {
		c := connect(t, cluster.Options{Access: a, Run: "verified", Identity: "v", Verify: 1})
		defer work(t, cluster.WorkOptions{Access: a, Identity: "v"})()
		check(t, c, 3, 10)
		defer work(t, cluster.WorkOptions{Access: a, Identity: "v", Kinds: map[string]jobs.Func{"hash": lie}, Slots: 8})()
		for range 20 { // until the liar has had a job
			if err := c.Do(t.Context(), tasksOnly(8)); err != nil {
				if !errors.Is(err, cluster.ErrDiffer) {
					t.Errorf("error %v; want ErrDiffer", err)
				}
				return
			}
		}
		t.Error("no lie was found")
	})
	t.Run("impossible", func(t *testing.T) {
		l := &log{}
		c := connect(t, cluster.Options{Access: a, Run: "impossible", Identity: "i", Log: l.add})
		work(t, cluster.WorkOptions{Access: a, Identity: "i", Kinds: map[string]jobs.Func{"hash": short}})
		check(t, c, 3, 10)
		if !l.has("a result is refused") {
			t.Errorf("the log is %q", l.text())
		}
	})
	t.Run("twice", func(t *testing.T) { // a job is computed again by a worker that lies
		c := connect(t, cluster.Options{Access: a, Run: "twice", Identity: "t"})
		stop := work(t, cluster.WorkOptions{Access: a, Identity: "t"})
		check(t, c, 3, 10)
		stop()
		work(t, cluster.WorkOptions{Access: a, Identity: "t", Kinds: map[string]jobs.Func{"hash": lie}})
		_, tasks := hashes(3, 10)
		if err := c.Do(t.Context(), tasks); !errors.Is(err, cluster.ErrDiffer) {
			t.Errorf("error %v; want ErrDiffer", err)
		}
	})
}

func tasksOnly(n int) []jobs.Task {
	_, tasks := hashes(n, int(time.Now().UnixNano()%1000))
	return tasks
}

// TestIdentity has a worker of another build.
func TestIdentity(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	l, other := &log{}, &log{}
	var computed atomic.Int32
	work(t, cluster.WorkOptions{Access: a, Identity: "code 2, go1.26, arithmetic 5", Log: other.add, Kinds: map[string]jobs.Func{"hash": func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
		computed.Add(1)
		return computeHash(ctx, args, inputs)
	}}})
	c := connect(t, cluster.Options{Access: a, Identity: "code 1, go1.26, arithmetic 5", Log: l.add})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // both sides log within it
	defer cancel()
	if err := c.Do(ctx, tasksOnly(2)); !errors.Is(err, context.DeadlineExceeded) || computed.Load() != 0 {
		t.Errorf("error %v, and the worker has computed %d jobs; want none", err, computed.Load())
	}
	for _, l := range []*log{l, other} {
		if !l.has("and this process has code ") || !l.has("build both from the same files") || l.has("arithmetic") {
			t.Errorf("the log is %q; want what differs, and what to do", l.text())
		}
	}
	if !l.has("no worker is there; start one with go run ./cmd/worker -join " + a.Addr) {
		t.Errorf("the log is %q", l.text())
	}
	if s := c.Status(); s.Workers != 0 {
		t.Errorf("the status is %+v; want no workers", s)
	}
	work(t, cluster.WorkOptions{Access: a, Identity: "code 1, go1.26, arithmetic 5"})
	check(t, c, 4, 10)
}
