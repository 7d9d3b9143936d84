package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"marsgym/internal/input"
	"marsgym/internal/jobs"
)

// Options are the options of a coordinator.
type Options struct {
	Access
	// Run names this coordinator in subjects: letters, digits, _ and -. No other one may
	// have the same name at the same time. "" is a random name.
	Run      string
	Identity string // of this process
	// Kinds compute jobs here: those that workers could not compute, and those that are
	// verified.
	Kinds map[string]jobs.Func
	// Verify is the fraction of jobs that are computed here as well, chosen at random; a
	// result that differs stops the run.
	Verify float64
	Lease  time.Duration // 0 is [Lease]
	Log    func(string)  // is called with lines for the user
}

// ErrDiffer is returned when a job has two results: a worker is faulty, or lies.
var ErrDiffer = errors.New("two results of one job differ")

// ErrTaken is returned where another coordinator has the same name.
var ErrTaken = errors.New("another command has the same name at the broker")

// attempts is the number of times that workers may begin a job, which is then computed
// here. Chosen: machines fail rarely, so a job that ends this many workers is the cause.
const attempts = 20

// Coordinator is an executor whose jobs are computed by workers.
type Coordinator struct {
	opt     Options
	nc      *nats.Conn
	js      jetstream.JetStream
	subject string // of the jobs
	audits  chan struct{}
	stop    context.CancelFunc
	ended   sync.WaitGroup
	token   string        // that no other coordinator has
	local   chan struct{} // the jobs that are computed here

	bytesIn, bytesOut, results, leased atomic.Int64

	mu      sync.Mutex
	pending map[jobs.Digest]*pending
	done    map[jobs.Digest]jobs.Digest // the results of all jobs, by job
	workers map[string]worker
	failed  chan struct{} // closed with failure
	failure error
	times   waiting

	partials partials
	refused  map[string]int       // refused messages of each worker since its latest good result
	refusal  string               // the latest
	sent     map[jobs.Digest]bool // inputs that were published
	heard    time.Time            // when the latest result came
}

// worker is what a coordinator knows of one.
type worker struct {
	seen    time.Time
	slots   int
	refused bool
}

// pending is a job without a result.
type pending struct {
	job     jobs.Job
	text    []byte // in the queue
	issued  time.Time
	begun   int                // times that a worker has begun it
	turns   map[turn]time.Time // who computes it, and when each was heard of last
	silent  time.Time          // since when nobody that has begun it is heard of, if so
	here    bool               // it is computed here too
	waiters []func(outcome)
	calls   int          // of Do that wait for it
	result  *jobs.Result // while it is verified
}

// turn is a delivery of a job to a worker.
type turn struct{ worker, name string }

// outcome is the result of a job, and the worker that it is from.
type outcome struct {
	jobs.Result
	from string
}

// Connect returns a coordinator, which [Coordinator.Close] ends.
func Connect(ctx context.Context, opt Options) (*Coordinator, error) {
	opt.Log = clean(opt.Log)
	if opt.Run == "" {
		opt.Run = rand.Text()
	}
	if !token.MatchString(opt.Run) {
		return nil, fmt.Errorf("cluster: the name of the run is %q", opt.Run)
	}
	if opt.Lease == 0 {
		opt.Lease = Lease
	}
	name, err := opt.name()
	if err != nil {
		return nil, err
	}
	c := &Coordinator{
		opt: opt, subject: "marsgym.job." + IdentityToken(opt.Identity) + "." + opt.Run, audits: make(chan struct{}, 1),
		token: rand.Text(), local: make(chan struct{}, runtime.GOMAXPROCS(0)), heard: time.Now(),
		pending: map[jobs.Digest]*pending{}, done: map[jobs.Digest]jobs.Digest{}, workers: map[string]worker{}, failed: make(chan struct{}),
		refused: map[string]int{}, sent: map[jobs.Digest]bool{},
	}
	begin, cancelBegin := context.WithCancelCause(ctx) // until it is connected
	defer cancelBegin(nil)
	c.nc, err = opt.dial(begin, name, Commands, opt.Log, func(err error) {
		err = fmt.Errorf("%w: the broker at %s does not allow this process what a command needs: %w; give the -key of a coordinator", ErrAccess, opt.Addr, err)
		cancelBegin(err)
		c.fail(err)
	}, nats.ReconnectHandler(func(*nats.Conn) {
		c.claim()
		c.audit()
	}))
	if err != nil {
		return nil, err
	}
	// A match or an evaluation publishes thousands of jobs at once.
	if c.js, err = jetstream.New(c.nc, jetstream.WithPublishAsyncMaxPending(1<<16)); err != nil {
		return nil, err
	}
	err = retry(begin, requestTimeout, func() error {
		ctx, cancel := context.WithTimeout(begin, askTimeout)
		defer cancel()
		return c.prepare(ctx)
	})
	if err != nil {
		c.nc.Close()
		if cause := context.Cause(begin); cause != nil {
			return nil, cause
		}
		return nil, fmt.Errorf("the broker at %s: %w; it needs JetStream", opt.Addr, err)
	}
	soon, cancel := context.WithTimeout(ctx, askTimeout)
	_, err = c.nc.RequestWithContext(soon, c.name(), []byte(c.token))
	cancel()
	if !errors.Is(err, nats.ErrNoResponders) { // another one is there, even if it does not answer
		c.nc.Close()
		return nil, cmp.Or(ctx.Err(), c.taken())
	}
	ctx, c.stop = context.WithCancel(context.Background())
	err = cmp.Or(c.subscribe(ctx, c.name(), c.claimed), c.subscribe(ctx, "marsgym.worker.*", c.present))
	for subject, handle := range map[string]func(context.Context, *nats.Msg, report, []byte){
		".ask.*": c.asked, ".wanted.*": c.wanted, ".missing.*": c.missing, ".result.*": c.received, ".failed.*": c.couldNot,
	} {
		err = cmp.Or(err, c.subscribe(ctx, c.name()+subject, func(ctx context.Context, m *nats.Msg) { c.read(ctx, m, handle) }))
	}
	if err != nil {
		c.nc.Close()
		return nil, err
	}
	// The broker knows the subscriptions before Connect returns. If the connection is lost
	// here, they are made again with the next one.
	c.nc.FlushTimeout(askTimeout)
	c.claim() // against one that connects at the same time
	c.ended.Go(func() { c.auditAll(ctx) })
	return c, nil
}

// subscribe has messages on a subject handled one by one.
func (c *Coordinator) subscribe(ctx context.Context, subject string, handle func(context.Context, *nats.Msg)) error {
	sub, err := c.nc.Subscribe(subject, func(m *nats.Msg) { handle(ctx, m) })
	if err == nil { // chunks wait here while others are read
		err = sub.SetPendingLimits(-1, 2*maxResult)
	}
	return err
}

// prepare makes the streams and the queue.
func (c *Coordinator) prepare(ctx context.Context) error {
	lease, err := prepare(ctx, c.js, c.opt.Identity, c.opt.Lease)
	if err == nil {
		c.leased.Store(int64(lease))
	}
	return err
}

// lease is the lease of the queue.
func (c *Coordinator) lease() time.Duration { return time.Duration(c.leased.Load()) }

// name is the subject that all messages to this coordinator begin with.
func (c *Coordinator) name() string { return "marsgym.run." + c.opt.Run }

// claim tells any other coordinator of this name that this one is there.
func (c *Coordinator) claim() { c.nc.Publish(c.name(), []byte(c.token)) }

// claimed answers the claim of another coordinator, and ends this one if both are there. Each
// would take jobs of the other for its own, and tell workers that nobody wants them.
func (c *Coordinator) claimed(_ context.Context, m *nats.Msg) {
	switch {
	case string(m.Data) == c.token:
	case m.Reply != "": // it is about to connect, and goes
		c.opt.Log("another command has tried to start with the name of this one, and is refused")
		m.Respond(nil)
	default:
		c.fail(c.taken())
	}
}

func (c *Coordinator) taken() error {
	return fmt.Errorf("%w: %s; wait until that has ended, and start this command again", ErrTaken, c.opt.Run)
}

// Close removes what is left of the run's jobs and disconnects.
func (c *Coordinator) Close() {
	c.stop()
	c.ended.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if c.nc.IsConnected() && !errors.Is(c.Failure(), ErrTaken) { // else workers drop the jobs
		if s, err := c.js.Stream(ctx, jobStream); err == nil {
			s.Purge(ctx, jetstream.WithPurgeSubject(c.subject))
		}
	}
	c.nc.Close()
}

// Do implements [jobs.Executor].
func (c *Coordinator) Do(ctx context.Context, tasks []jobs.Task) error {
	c.wait(1)
	defer c.wait(-1)
	type answer struct {
		outcome
		task int
	}
	list, digests := make([]jobs.Job, len(tasks)), make([]jobs.Digest, len(tasks))
	var inputs []*jobs.Blob
	for i, t := range tasks {
		var err error
		if list[i], err = t.Job(); err != nil {
			return err
		}
		digests[i] = list[i].Digest()
		inputs = append(inputs, list[i].Inputs...)
	}
	outcomes := make(chan answer, len(tasks))
	defer c.forget(digests)
	lost := c.put(ctx, inputs, false) != nil
	for i, j := range list {
		if err := c.issue(ctx, j, digests[i], lost, func(o outcome) { outcomes <- answer{o, i} }); err != nil {
			return err
		}
	}
	for range tasks {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.failed:
			return c.failure
		case o := <-outcomes:
			err := tasks[o.task].Receive(o.Result)
			if err == nil {
				c.trust(o.from)
			} else { // a faulty worker
				c.opt.Log(fmt.Sprintf("a result is refused, and the job is computed here: that of %s: %s", of(o.from), input.Cut(err.Error())))
				c.refuse(o.from, err)
				var own jobs.Result
				if own, err = c.compute(ctx, list[o.task]); err == nil {
					c.mu.Lock()
					c.done[digests[o.task]] = own.Digest() // the right result of another worker is no lie
					c.mu.Unlock()
					err = tasks[o.task].Receive(own)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// waiting is how long this process has waited for results.
type waiting struct {
	calls       int // of Do, under way
	first, last time.Time
	total       time.Duration
}

// wait notes that a call of Do begins, or ends.
func (c *Coordinator) wait(calls int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, now := &c.times, time.Now()
	if w.first.IsZero() {
		w.first = now
	} else if w.calls > 0 {
		w.total += now.Sub(w.last)
	}
	w.last = now
	w.calls += calls
}

// share returns the share of the time since the first call of Do in which one was under way.
func (w waiting) share(now time.Time) float64 {
	all := now.Sub(w.first)
	if w.first.IsZero() || all <= 0 {
		return 0
	}
	if w.calls > 0 {
		w.total += now.Sub(w.last)
	}
	return float64(w.total) / float64(all)
}

// issue puts a job into the queue, unless it is there, and has finish called with its
// result. If lost is set, or if the broker does not take the job, it is published when the
// broker is audited.
func (c *Coordinator) issue(ctx context.Context, j jobs.Job, d jobs.Digest, lost bool, finish func(outcome)) error {
	text, err := newJobMessage(c.opt.Run, j)
	if err != nil {
		return err
	}
	c.mu.Lock()
	p, ok := c.pending[d]
	if !ok {
		if len(c.pending) == 0 {
			c.heard = time.Now()
		}
		p = &pending{job: j, text: text, issued: time.Now(), turns: map[turn]time.Time{}}
		c.pending[d] = p
	}
	p.waiters = append(p.waiters, finish)
	p.calls++
	c.mu.Unlock()
	if !ok && (lost || c.publish(ctx, p) != nil) {
		c.mu.Lock()
		p.issued = time.Time{}
		c.mu.Unlock()
		c.audit()
	}
	return nil
}

// publish puts a job into the queue. The broker has its inputs.
func (c *Coordinator) publish(ctx context.Context, p *pending) error {
	_, err := c.js.PublishMsgAsync(&nats.Msg{Subject: c.subject, Data: p.text})
	c.bytesOut.Add(int64(len(p.text)))
	return err
}

// put publishes inputs, those that were published before only if again is set.
func (c *Coordinator) put(ctx context.Context, list []*jobs.Blob, again bool) error {
	var missing []*jobs.Blob
	bytes := 0
	c.mu.Lock()
	for _, b := range list {
		if again || !c.sent[b.Digest] {
			missing, bytes = append(missing, b), bytes+len(b.Bytes)
		}
		// Inputs of many jobs are among the latest; others are used once.
		if len(c.sent) >= 1024 {
			clear(c.sent)
		}
		c.sent[b.Digest] = true
	}
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout+time.Duration(bytes)*time.Microsecond) // at 1 MB/s
	defer cancel()
	var acks []jetstream.PubAckFuture
	for _, b := range missing {
		more, err := putInput(c.js, b)
		if err != nil {
			return err
		}
		acks = append(acks, more...)
		c.bytesOut.Add(int64(len(b.Bytes)))
	}
	for _, a := range acks {
		select {
		case <-a.Ok():
		case err := <-a.Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// forget removes jobs whose results nobody waits for any more.
func (c *Coordinator) forget(list []jobs.Digest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range list {
		if p := c.pending[d]; p != nil {
			if p.calls--; p.calls <= 0 {
				delete(c.pending, d)
			}
		}
	}
}

// compute computes a job here.
func (c *Coordinator) compute(ctx context.Context, j jobs.Job) (jobs.Result, error) {
	f := c.opt.Kinds[j.Kind]
	if f == nil {
		return jobs.Result{}, fmt.Errorf("cluster: no function for jobs of kind %s", j.Kind)
	}
	select {
	case c.local <- struct{}{}:
	case <-ctx.Done():
		return jobs.Result{}, ctx.Err()
	}
	defer func() { <-c.local }()
	return f(ctx, j.Args, j.Inputs)
}

// own computes here, once, a job that workers could not compute: if it fails here too, the run
// stops with that error.
func (c *Coordinator) own(ctx context.Context, d jobs.Digest, p *pending, why string) {
	c.mu.Lock()
	again := p.here || p.result != nil
	p.here = true
	c.mu.Unlock()
	if again {
		return
	}
	c.opt.Log(why)
	go func() {
		r, err := c.compute(ctx, p.job)
		if err == nil {
			c.accept(ctx, d, r, "")
		} else if ctx.Err() == nil {
			c.fail(err)
		}
	}()
}

// fail ends all calls of Do with an error.
func (c *Coordinator) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		c.failure = err
		close(c.failed)
	}
}

// of names where a result is from.
func of(worker string) string {
	if worker == "" {
		return "this process"
	}
	return "worker " + worker
}

// differ stops the run, since a job has another result by a worker.
func (c *Coordinator) differ(d jobs.Digest, from string) {
	c.fail(fmt.Errorf("%w: job %v; the last one is of %s. A machine is faulty, or a worker lies: stop that worker, or the others, and start anew: earlier results may be wrong too", ErrDiffer, d, of(from)))
}

// Failure returns the error that has ended all calls of Do, or nil.
func (c *Coordinator) Failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// accept takes a complete result of a job from a worker, or from this process, which is "".
func (c *Coordinator) accept(ctx context.Context, d jobs.Digest, r jobs.Result, from string) {
	if from != "" {
		c.results.Add(1)
	}
	found := r.Digest()
	c.mu.Lock()
	known, seen := c.done[d]
	p := c.pending[d]
	if seen && known != found && c.opt.Identity != Mixed {
		c.mu.Unlock()
		c.differ(d, from)
		return
	}
	c.done[d], c.heard = found, time.Now()
	if p == nil || p.result != nil {
		c.mu.Unlock()
		return
	}
	p.result = &r
	c.mu.Unlock()
	if from != "" && c.opt.Verify > 0 && mathrand.Float64() < c.opt.Verify {
		go c.verify(ctx, d, p, from)
		return
	}
	c.finish(d, p, from)
}

// verify computes a job here too, and finishes it if the results are the same.
func (c *Coordinator) verify(ctx context.Context, d jobs.Digest, p *pending, from string) {
	own, err := c.compute(ctx, p.job)
	if err == nil && own.Digest() != p.result.Digest() {
		err = fmt.Errorf("%w: job %v, by worker %s and here. Stop that worker, and start anew: its earlier results may be wrong too", ErrDiffer, d, from)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.finish(d, p, from)
}

// finish hands the result of a job to those who wait for it.
func (c *Coordinator) finish(d jobs.Digest, p *pending, from string) {
	c.mu.Lock()
	waiters := p.waiters
	p.waiters = nil
	if c.pending[d] == p {
		delete(c.pending, d)
	}
	c.mu.Unlock()
	for _, w := range waiters {
		w(outcome{*p.result, from})
	}
}
