package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"marsgym/internal/input"
	"marsgym/internal/jobs"
)

// WorkOptions are the options of a worker.
type WorkOptions struct {
	Access
	Identity string
	Kinds    map[string]jobs.Func
	Slots    int          // jobs at the same time
	Log      func(string) // is called with lines for the user
}

// Work computes jobs until ctx is done, and then ends those that it has begun.
func Work(ctx context.Context, opt WorkOptions) error {
	opt.Log = clean(opt.Log)
	name, err := opt.name()
	if err != nil {
		return err
	}
	w := &workerProcess{WorkOptions: opt, name: name, silent: map[string]time.Time{}}
	if w.nc, err = opt.dial(ctx, name, Workers, opt.Log, w.denied); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer w.nc.Close()
	if w.js, err = jetstream.New(w.nc); err != nil {
		return err
	}
	refused := map[string]bool{}
	if _, err := w.nc.Subscribe("marsgym.refuse."+name, func(m *nats.Msg) {
		if other := string(m.Data); len(other) <= maxReport && !refused[other] && len(refused) < 100 {
			refused[other] = true
			opt.Log("a coordinator refuses this worker: " + refusal(other, opt.Identity))
		}
	}); err != nil {
		return err
	}
	var wg sync.WaitGroup
	ended := make(chan struct{})
	wg.Go(func() { w.present(ended) })
	defer context.AfterFunc(ctx, func() {
		opt.Log(fmt.Sprintf("stopping, after the jobs under way, which are %d; Ctrl-C again stops at once, and they are computed by other workers", w.begun.Load()))
	})()
	var slots sync.WaitGroup
	for range opt.Slots {
		slots.Go(func() { w.pull(ctx) })
	}
	slots.Wait()
	close(ended)
	wg.Wait()
	// Acknowledgements that are lost are of jobs whose results have arrived.
	w.nc.FlushTimeout(time.Second)
	return nil
}

type workerProcess struct {
	WorkOptions
	name string
	nc   *nats.Conn
	js   jetstream.JetStream

	begun atomic.Int32 // jobs under way

	mu     sync.Mutex
	inputs *inputs
	silent map[string]time.Time // when coordinators did not answer
}

// denied says what the broker does not allow this worker.
func (w *workerProcess) denied(err error) {
	w.Log(fmt.Sprintf("the broker at %s does not allow this process what a worker needs: %v; give the -key of a worker", w.Addr, err))
}

// present tells coordinators that the worker is there, until ended is closed.
func (w *workerProcess) present(ended <-chan struct{}) {
	text, err := json.Marshal(presence{w.Identity, w.Slots})
	if err != nil {
		return
	}
	for {
		w.nc.Publish("marsgym.worker."+w.name, text)
		select {
		case <-ended:
			return
		case <-time.After(presenceEvery):
		}
	}
}

// pause waits for a while, or until ctx is done. Chosen: longer than a broker takes to
// start, shorter than people wait.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(300 * time.Millisecond):
	}
}

// pull pulls and computes jobs one by one until ctx is done.
func (w *workerProcess) pull(ctx context.Context) {
	for ctx.Err() == nil {
		q, err := w.queue(ctx)
		if err == nil {
			for err == nil && ctx.Err() == nil {
				var m *nats.Msg
				if m, err = q.next(ctx); err == nil && m != nil {
					w.handle(ctx, m, q.lease)
				}
			}
			q.leave()
		}
		pause(ctx) // there is no coordinator yet, or no broker
	}
}

// queue returns the queue of this worker's jobs.
func (w *workerProcess) queue(ctx context.Context) (*queue, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	s, err := w.js.Stream(ctx, inputStream)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	if w.inputs == nil {
		w.inputs = &inputs{stream: s}
	}
	w.mu.Unlock()
	c, err := w.js.Consumer(ctx, jobStream, consumerName(w.Identity))
	if err != nil {
		return nil, err
	}
	return newQueue(w.nc, consumerName(w.Identity), c.CachedInfo().Config.AckWait)
}

// handle computes a job and sends its result. A job that nobody waits for is dropped.
func (w *workerProcess) handle(ctx context.Context, m *nats.Msg, lease time.Duration) {
	run, j, sizes, err := parseJob(m.Data)
	if err != nil {
		w.Log(fmt.Sprintf("a job is refused: %v", err))
		m.Term()
		return
	}
	if w.isSilent(run) {
		m.Ack()
		return
	}
	w.begun.Add(1)
	defer w.begun.Add(-1)
	t := &task{workerProcess: w, run: run, digest: j.Digest(), turn: rand.Text()}
	switch a, err := t.tell(askTimeout, 4, "ask", report{}, nil); {
	case err != nil: // nobody is there; a coordinator that comes back publishes the job again
		w.silence(run, err)
		m.Ack()
		return
	case a.Aside:
		m.NakWithDelay(lease)
		select {
		case <-ctx.Done():
		case <-time.After(lease):
		}
		return
	case a.Later:
		m.NakWithDelay(lease)
		return
	case !a.OK:
		m.Ack()
		return
	}
	// A worker that stops ends the job that it has begun, so this context ends only with
	// those who want the job.
	job, cancel := context.WithCancelCause(context.Background())
	var renews sync.WaitGroup
	renews.Go(func() { t.renew(job, cancel, m, lease) })
	defer renews.Wait()
	defer cancel(nil)
	result, err := t.compute(job, j, sizes)
	if cause := context.Cause(job); cause != nil {
		w.Log(fmt.Sprintf("a job is dropped: %v", cause))
		m.Nak() // the next worker that asks gets the same answer, or computes it
		return
	}
	if err != nil {
		w.Log(fmt.Sprintf("a job could not be computed: %s", input.Cut(err.Error())))
		t.tell(askTimeout, 4, "failed", report{Error: input.Cut(err.Error())}, nil)
		m.Ack()
		return
	}
	if t.send(result) {
		m.Ack()
	} else {
		m.Nak()
	}
}

// silence notes that a coordinator did not answer, as one whose process is stopped: its jobs
// are dropped for a while, so that those of others need not wait for it.
func (w *workerProcess) silence(run string, err error) {
	if !errors.Is(err, nats.ErrTimeout) || !w.nc.IsConnected() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.silent) > 1000 {
		clear(w.silent)
	}
	w.silent[run] = time.Now()
}

func (w *workerProcess) isSilent(run string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.silent[run]) < silenceLasts
}

// task is a job that a worker computes.
type task struct {
	*workerProcess
	run    string
	digest jobs.Digest
	turn   string
}

// Why a job is dropped.
var (
	errGone     = errors.New("the command that wanted it is gone")
	errUnwanted = errors.New("nobody waits for its result any more")
)

// renew renews the lease of the job until ctx is done. It cancels the job when nobody wants it
// any more: when the coordinator says so, or is gone for so long that it does not come back.
func (t *task) renew(ctx context.Context, cancel context.CancelCauseFunc, m *nats.Msg, lease time.Duration) {
	every := max(lease/4, time.Millisecond)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	heard := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		m.InProgress()
		switch a, err := t.tell(min(every, askTimeout), 1, "wanted", report{}, nil); {
		case err == nil && !a.OK:
			cancel(errUnwanted)
		case !errors.Is(err, nats.ErrNoResponders): // an answer, or a connection that is lost
			heard = time.Now()
		case time.Since(heard) > max(3*lease, goneAfter):
			cancel(errGone)
		}
	}
}

// compute fetches the inputs of the job and computes it.
func (t *task) compute(ctx context.Context, j jobs.Job, sizes []int) (jobs.Result, error) {
	f := t.Kinds[j.Kind]
	if f == nil {
		return jobs.Result{}, fmt.Errorf("this worker computes no jobs of kind %s", input.Quote(j.Kind))
	}
	for i, b := range j.Inputs {
		full, err := t.inputs.get(ctx, b.Digest, sizes[i])
		for try := 0; err != nil && try < 3; try++ {
			if errors.Is(err, errMissing) {
				if a, told := t.tell(askTimeout, 4, "missing", report{}, nil); told != nil || !a.OK {
					return jobs.Result{}, err
				}
			} else {
				pause(ctx)
			}
			full, err = t.inputs.get(ctx, b.Digest, sizes[i])
		}
		if err != nil {
			return jobs.Result{}, err
		}
		j.Inputs[i] = full
	}
	return f(ctx, j.Args, j.Inputs)
}

// send sends a result in chunks, and reports whether the coordinator has it or does not want
// it. If the coordinator is gone the result is dropped.
func (t *task) send(result jobs.Result) bool {
	r := report{Size: len(result.Bytes) + len(result.Times), Times: len(result.Times)}
	all := append(result.Bytes, result.Times...)
	size := min(int(t.nc.MaxPayload())/2, 512<<10)
	for {
		chunk := all[r.Offset:min(r.Offset+size, len(all))]
		if a, err := t.tell(askTimeout, 4, "result", r, chunk); err != nil || !a.OK {
			return err == nil && a.Error == ""
		}
		if r.Offset += len(chunk); r.Offset == len(all) {
			return true
		}
	}
}

// tell sends a report of the job to the coordinator and returns its answer.
func (t *task) tell(timeout time.Duration, tries int, what string, r report, chunk []byte) (a answer, err error) {
	r.Job, r.Turn = t.digest, t.turn
	data, err := appendChunk(r, chunk)
	if err != nil {
		return a, err
	}
	var reply *nats.Msg
	for range tries { // an answer is late if the connection was lost, or a machine is busy
		reply, err = t.nc.Request("marsgym.run."+t.run+"."+what+"."+t.name, data, timeout)
		if !errors.Is(err, nats.ErrTimeout) {
			break
		}
	}
	if err != nil {
		return a, err
	}
	if err := decode(reply.Data, maxReport, &a); err != nil {
		return a, err
	}
	if a.Error != "" {
		t.Log("the coordinator refuses a message: " + input.Cut(a.Error))
	}
	return a, nil
}
