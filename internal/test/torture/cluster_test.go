//go:build unix

package torture_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"marsgym/internal/cluster"
	"marsgym/internal/jobs"
)

// clustered are settings of trainings whose jobs workers compute.
func (w *worker) clustered() training {
	algorithm := pick(w, []string{"search", "one-move"})
	return training{
		name:   "clustered " + algorithm,
		config: fmt.Sprintf(`{"game": "pig", "game_config": %s, "train": {"algorithm": %q, "seed": 1, %s}}`, small, algorithm, settings),
	}
}

// broker starts a broker, with a worker of its own, whose leases are short. It returns its
// address and the arguments that let a command in.
func (w *worker) broker() (p *process, address string, access []string, err error) {
	var lines []string
	for _, role := range []string{"worker a", "worker b", "coordinator c"} {
		name, file := strings.Fields(role)[0], strings.Fields(role)[1]
		r, err := w.done("worker", "-new-key", file+".key")
		if err != nil {
			return nil, "", nil, err
		}
		lines = append(lines, name+" "+strings.TrimSpace(r.stdout))
	}
	if err := w.write("keys", strings.Join(lines, "\n")+"\n"); err != nil {
		return nil, "", nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", nil, err
	}
	address = free.Addr().String()
	free.Close()
	p, err = w.start(fault{signal: syscall.SIGINT}, "worker", "-serve", address, "-keys", "keys", "-key", "a.key", "-mixed", "-lease", "1s", "-jobs", "2")
	for err == nil && !strings.Contains(p.stdout.String(), "working at") {
		select {
		case <-p.ended:
			_, fault := p.wait()
			err = errors.Join(errors.New("the broker does not start: "+tail(p.stderr.String())), fault)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return p, address, []string{"-cluster", address, "-key", "c.key", "-mixed", "-cache", w.cache()}, err
}

// stop interrupts a process and waits for its end.
func (p *process) stop() error {
	p.cmd.Process.Signal(syscall.SIGINT)
	_, err := p.wait()
	return err
}

// collide trains twice at the same time, in folders of the same name, by one broker. The first
// folder is moved away before the second is made, as if both commands ran in containers.
func (w *worker) collide() (err error) {
	t := w.clustered()
	ref, err := w.uninterrupted(t)
	if err != nil {
		return err
	}
	here, there := filepath.Join(w.dir, "here"), filepath.Join(w.dir, "there")
	b, _, access, err := w.broker()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	keys, dir := filepath.Join(w.dir, "c.key"), w.dir
	access[3] = keys
	defer func() { w.dir = dir }()
	var both []*process
	for i := range 2 {
		if err := os.Mkdir(here, 0o777); err != nil {
			return err
		}
		w.dir = here
		if err := w.write("config.json", t.config); err != nil {
			return err
		}
		p, err := w.start(fault{}, "train", append([]string{"-config", "config.json", "-out", "run"}, access...)...)
		if err != nil {
			return err
		}
		both = append(both, p)
		if i == 1 {
			break
		}
		for !w.exists("run", metricsFile) { // it has begun
			select {
			case <-p.ended:
			case <-time.After(5 * time.Millisecond):
				continue
			}
			break
		}
		if err := os.Rename(here, there); err != nil {
			return err
		}
	}
	for i, at := range []string{there, here} {
		w.dir = at
		r, err := both[i].wait()
		if err == nil && r.status != 0 {
			err = r.failure("fails")
		}
		if err == nil {
			err = w.same(ref, "run", modelFile, metricsFile)
		}
		if err != nil {
			return fmt.Errorf("command %d of two in folders of one name: %w", i, err)
		}
	}
	return nil
}

// wrongChunks trains by a broker to which a worker with a valid key sends wrong chunks, in any
// order, and never a whole result. The run ends with the right bits.
func (w *worker) wrongChunks() (err error) {
	t := w.clustered()
	ref, err := w.uninterrupted(t)
	if err != nil {
		return err
	}
	b, address, access, err := w.broker()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	liar := &liar{w: w, Rand: rand.New(rand.NewPCG(w.Uint64(), 1))}
	all.Go(func() { liar.run(ctx, address) })
	defer func() {
		cancel()
		all.Wait()
		err = errors.Join(err, liar.err)
	}()
	if err := w.write("config.json", t.config); err != nil {
		return err
	}
	if _, err := w.done("train", append([]string{"-config", "config.json", "-out", "run"}, access...)...); err != nil {
		return err
	}
	return w.same(ref, "run", modelFile)
}

// liar is a worker that takes jobs, and sends chunks that fit no result of them.
type liar struct {
	w *worker
	*rand.Rand
	err error
}

func (l *liar) run(ctx context.Context, address string) {
	keys, err := os.ReadFile(filepath.Join(l.w.dir, "keys"))
	if err != nil {
		l.err = err
		return
	}
	name := strings.Fields(string(keys))[3] // of the second line
	key, err := nats.NkeyOptionFromSeed(filepath.Join(l.w.dir, "b.key"))
	if err != nil {
		l.err = err
		return
	}
	nc, err := nats.Connect("nats://"+address, key, nats.CustomInboxPrefix("_INBOX_"+name), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		l.err = err
		return
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		l.err = err
		return
	}
	for ctx.Err() == nil {
		m := l.take(ctx, js)
		if m == nil {
			continue
		}
		var job struct {
			Run    string          `json:"run"`
			Kind   string          `json:"kind"`
			Args   json.RawMessage `json:"args"`
			Inputs []struct {
				SHA256 string `json:"sha256"`
			} `json:"inputs"`
		}
		if err := json.Unmarshal(m.Data(), &job); err != nil {
			l.err = fmt.Errorf("the queue has %q: %w", m.Data(), err)
			return
		}
		j := jobs.Job{Kind: job.Kind, Args: job.Args}
		for _, in := range job.Inputs {
			var d jobs.Digest
			if n, err := hex.Decode(d[:], []byte(in.SHA256)); err != nil || n != len(d) {
				l.err = fmt.Errorf("the queue has an input %q: %w", in.SHA256, err)
				return
			}
			j.Inputs = append(j.Inputs, &jobs.Blob{Digest: d})
		}
		l.lie(nc, "marsgym.run."+job.Run+".%s."+name, j.Digest().String())
		switch l.IntN(3) { // or leave it to the lease
		case 0:
			m.Nak()
		case 1:
			m.NakWithDelay(100 * time.Millisecond)
		}
	}
}

// take takes a job from the queue, or returns nil.
func (l *liar) take(ctx context.Context, js jetstream.JetStream) jetstream.Msg {
	soon, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	queue, err := js.Consumer(soon, "MARSGYM_JOBS", "workers_"+cluster.IdentityToken(cluster.Mixed))
	if err != nil {
		time.Sleep(50 * time.Millisecond)
		return nil
	}
	batch, err := queue.Fetch(1, jetstream.FetchContext(soon))
	if err != nil {
		return nil
	}
	return <-batch.Messages()
}

// lie sends wrong chunks of a result, and other nonsense, to the coordinator.
func (l *liar) lie(nc *nats.Conn, subject, job string) {
	for range 1 + l.IntN(60) {
		what := []string{"result", "result", "result", "result", "ask", "missing", "nonsense"}[l.IntN(7)]
		r := map[string]any{"job": job, "offset": 0, "size": 1 + l.IntN(1<<16), "times": 0}
		chunk := make([]byte, l.IntN(r["size"].(int))) // never all of it
		switch l.IntN(8) {
		case 0:
			r["offset"] = 1 + l.IntN(1<<16)
		case 1:
			r["size"] = l.IntN(2) - l.IntN(1<<30)
		case 2:
			r["times"] = 1 << 20
		case 3:
			r["offset"], chunk = len(chunk), chunk[:len(chunk)/2]
		case 4:
			r["job"] = strings.Repeat("0", 64)
		case 5:
			r["size"], chunk = 1<<28, make([]byte, 1<<18)
		case 6:
			r["more"] = 1
		}
		text, err := json.Marshal(r)
		if err != nil {
			return
		}
		data := append(jobs.AppendSlice(nil, text), chunk...)
		if l.IntN(20) == 0 {
			data = data[:l.IntN(len(data))]
		}
		reply, err := nc.Request(fmt.Sprintf(subject, what), data, 200*time.Millisecond)
		if err == nil && l.IntN(4) == 0 && len(reply.Data) == 0 {
			return
		}
		l.w.count("wrong messages of a worker")
	}
}
