package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
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
	name, err := opt.name()
	if err != nil {
		return err
	}
	w := &workerProcess{WorkOptions: opt, name: name}
	if w.nc, err = opt.dial(ctx, name, nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
		if err != nil {
			opt.Log(fmt.Sprintf("the connection to the broker is lost, trying again: %v", err))
		}
	})); err != nil {
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
			opt.Log(fmt.Sprintf("a coordinator refuses this worker: it is %s, and this worker is %s; build both from the same revision and run them on the same kind of machine, or give up equal bits by -mixed on both", input.Quote(other), input.Quote(opt.Identity)))
		}
	}); err != nil {
		return err
	}
	var wg sync.WaitGroup
	ended := make(chan struct{})
	wg.Go(func() { w.present(ended) })
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

	mu     sync.Mutex
	inputs *inputs
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
		queue, err := w.queue(ctx)
		for err == nil && ctx.Err() == nil {
			var m jetstream.Msg
			if m, err = next(ctx, queue); err == nil && m != nil {
				w.handle(m, queue.CachedInfo().Config.AckWait)
			}
		}
		pause(ctx) // there is no coordinator yet, or no broker
	}
}

// queue returns the consumer of this worker's jobs.
func (w *workerProcess) queue(ctx context.Context) (jetstream.Consumer, error) {
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
	return w.js.Consumer(ctx, jobStream, consumerName(w.Identity))
}

// next waits a while for a job, and returns nil if there is none.
func next(ctx context.Context, queue jetstream.Consumer) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // chosen
	defer cancel()
	batch, err := queue.Fetch(1, jetstream.FetchContext(ctx))
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return m, nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && !errors.Is(err, nats.ErrTimeout) {
		return nil, err
	}
	return nil, nil
}

// handle computes a job and sends its result. A job that nobody waits for is dropped.
func (w *workerProcess) handle(m jetstream.Msg, lease time.Duration) {
	run, j, sizes, err := parseJob(m.Data())
	if err != nil {
		w.Log(fmt.Sprintf("a job is refused: %v", err))
		m.TermWithReason("the job is refused")
		return
	}
	// A worker that stops ends the job that it has begun, so this context does not end.
	ctx, cancel := context.WithCancel(context.Background())
	var renews sync.WaitGroup
	renews.Go(func() { renew(ctx, m, lease) })
	defer renews.Wait()
	defer cancel()
	digest := j.Digest()
	if !w.tell(run, "ask", report{Job: digest.String()}, nil) {
		m.Ack()
		return
	}
	result, err := w.compute(ctx, run, j, sizes, digest)
	if err != nil {
		w.Log(fmt.Sprintf("a job could not be computed: %v", err))
		w.tell(run, "failed", report{Job: digest.String(), Error: input.Cut(err.Error())}, nil)
		m.Ack()
		return
	}
	w.send(run, digest, result)
	m.Ack()
}

// renew renews the lease of a job until ctx is done.
func renew(ctx context.Context, m jetstream.Msg, lease time.Duration) {
	t := time.NewTicker(max(lease/4, time.Millisecond))
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			m.InProgress()
		}
	}
}

// compute fetches the inputs of a job and computes it.
func (w *workerProcess) compute(ctx context.Context, run string, j jobs.Job, sizes []int, digest jobs.Digest) (jobs.Result, error) {
	f := w.Kinds[j.Kind]
	if f == nil {
		return jobs.Result{}, fmt.Errorf("this worker computes no jobs of kind %s", input.Quote(j.Kind))
	}
	for i, b := range j.Inputs {
		full, err := w.inputs.get(ctx, b.Digest, sizes[i])
		for try := 0; err != nil && try < 3; try++ {
			if errors.Is(err, errMissing) && !w.tell(run, "missing", report{Job: digest.String()}, nil) {
				return jobs.Result{}, err
			}
			pause(ctx)
			full, err = w.inputs.get(ctx, b.Digest, sizes[i])
		}
		if err != nil {
			return jobs.Result{}, err
		}
		j.Inputs[i] = full
	}
	return f(ctx, j.Args, j.Inputs)
}

// send sends a result in chunks. If the coordinator is gone, or wants it no more, it is
// dropped: a coordinator that comes back publishes the job again.
func (w *workerProcess) send(run string, d jobs.Digest, result jobs.Result) {
	r := report{Job: d.String(), Size: len(result.Bytes) + len(result.Times), Times: len(result.Times)}
	all := append(result.Bytes, result.Times...)
	size := min(int(w.nc.MaxPayload())/2, 512<<10)
	for {
		chunk := all[r.Offset:min(r.Offset+size, len(all))]
		if !w.tell(run, "result", r, chunk) {
			return
		}
		if r.Offset += len(chunk); r.Offset == len(all) {
			return
		}
	}
}

// tell sends a report to the coordinator and returns its answer; false if there is none.
func (w *workerProcess) tell(run, what string, r report, chunk []byte) bool {
	data, err := appendChunk(r, chunk)
	if err != nil {
		return false
	}
	var reply *nats.Msg
	for range 4 { // an answer is late if the connection was lost, or a machine is busy
		reply, err = w.nc.Request("marsgym.run."+run+"."+what+"."+w.name, data, askTimeout)
		if !errors.Is(err, nats.ErrTimeout) {
			break
		}
	}
	if err != nil {
		return false
	}
	var a answer
	if err := decode(reply.Data, maxReport, &a); err != nil {
		return false
	}
	if a.Error != "" {
		w.Log("the coordinator refuses a message: " + input.Cut(a.Error))
	}
	return a.OK
}
