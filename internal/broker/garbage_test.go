package broker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"marsgym/internal/cluster"
	"marsgym/internal/jobs"
	"marsgym/internal/test/freeport"
)

// mute returns the address of a listener that accepts connections and says nothing.
func mute(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// message is a report of a worker, and a chunk.
func message(job jobs.Digest, fields string, chunk []byte) []byte {
	text := fmt.Sprintf(`{"job": %q, "turn": "t"%s}`, job, fields)
	return append(jobs.AppendSlice(nil, []byte(text)), chunk...)
}

// bad connects as a worker that sends what it likes.
func bad(t *testing.T, a cluster.Access, name string, more ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(a.Addr, append(more, nats.CustomInboxPrefix("_INBOX_"+name))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// TestGarbage has a worker ask for a job over and over, send chunks at wrong offsets, begin
// results that it does not end, and fail jobs that it does not have. It is set aside, and the
// run goes on by the other worker.
func TestGarbage(t *testing.T) {
	t.Parallel()
	for what, send := range map[string]func(k int, job jobs.Digest) (verb string, data []byte){
		"asks": func(k int, job jobs.Digest) (string, []byte) {
			return "ask", message(job, fmt.Sprintf(`, "error": "%d"`, k), nil)
		},
		"wrong chunks": func(k int, job jobs.Digest) (string, []byte) {
			return "result", message(job, `, "offset": 7, "size": 1000, "times": 0`, make([]byte, 100))
		},
		"failures": func(_ int, job jobs.Digest) (string, []byte) {
			return "failed", message(job, `, "error": "\u001b[2J\nall is well"`, nil)
		},
		"no JSON": func(int, jobs.Digest) (string, []byte) { return "ask", []byte("\x03zzz") },
	} {
		t.Run(what, func(t *testing.T) {
			a := cluster.Access{Addr: freeport.Address(t)}
			serve(t, a, "")
			l := &log{}
			c := connect(t, cluster.Options{Access: a, Log: l.add})
			job, ended := waiting(t, c)
			nc := bad(t, a, "bad")
			for k := range 100 {
				verb, data := send(k, job)
				if _, err := nc.Request("marsgym.run.test."+verb+".bad", data, 5*time.Second); err != nil {
					t.Fatal(err)
				}
			}
			work(t, cluster.WorkOptions{Access: a})
			if err := <-ended; err != nil {
				t.Error(err)
			}
			// One that asks and one that fails are refused too where their job has ended meanwhile.
			if (what == "wrong chunks" || what == "no JSON") && !l.has("worker bad is set aside") {
				t.Errorf("the worker is not set aside; the log is %q", l.text())
			}
			if l.has("\x1b") || l.has("\nall is well") {
				t.Errorf("the log is %q", l.text())
			}
			check(t, c, 4, 50)
		})
	}
}

// TestAside has a worker all of whose results are refused. It gets no more jobs, and another
// worker computes them.
func TestAside(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	l := &log{}
	c := connect(t, cluster.Options{Access: a, Log: l.add})
	short := func(context.Context, []byte, []*jobs.Blob) (jobs.Result, error) {
		return jobs.Result{Bytes: []byte("short")}, nil
	}
	work(t, cluster.WorkOptions{Access: a, Slots: 1, Kinds: map[string]jobs.Func{"hash": short}, Log: l.add})
	check(t, c, 19, 10)
	work(t, cluster.WorkOptions{Access: a})
	for range 20 {
		check(t, c, 8, 30)
		if l.has("is set aside, since 20 of its messages in a row were refused, the last one because: 5 bytes") {
			if n := c.Status().Workers; n != 1 {
				t.Errorf("%d workers are there; want the one that is not set aside", n)
			}
			return
		}
	}
	t.Errorf("the worker is not set aside: %q", l.text())
}

// TestStalled has a command say why no result comes.
func TestStalled(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	l := &log{}
	c := connect(t, cluster.Options{Access: a, Log: l.add, Lease: 50 * time.Millisecond})
	text, err := json.Marshal(map[string]any{"identity": "", "slots": 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Do(ctx, tasksOnly(2)) }()
	nc := bad(t, a, "idle")
	for !l.has("no result has come for") || !l.has("and 2 jobs have none: workers compute 0 of them; they may be busy") {
		nc.Publish("marsgym.worker.idle", text)
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	<-ended
}

// TestReplies has a worker with a key ask for answers on the subjects of inputs and jobs. No
// answer is put into a stream.
func TestReplies(t *testing.T) {
	t.Parallel()
	ca, addr := newAuthority(t), freeport.Address(t)
	server, serverKey := ca.access(addr)
	worker, workerKey := ca.access(addr)
	serve(t, server, keys(t, "coordinator "+serverKey, "worker "+workerKey))
	c := connect(t, cluster.Options{Access: server})
	config, err := worker.TLS()
	if err != nil {
		t.Fatal(err)
	}
	options := func(a cluster.Access) []nats.Option {
		key, err := nats.NkeyOptionFromSeed(a.Key)
		if err != nil {
			t.Fatal(err)
		}
		return []nats.Option{nats.Secure(config), key}
	}
	_, tasks := hashes(3, 10)
	ended := make(chan error, 1)
	go func() { ended <- c.Do(t.Context(), tasks) }()
	own := bad(t, server, "own", options(server)...)
	js, err := jetstream.New(own)
	if err != nil {
		t.Fatal(err)
	}
	state := func(stream string) jetstream.StreamState {
		s, err := js.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State
	}
	for c.Status().Pending < 3 || state("MARSGYM_JOBS").Msgs < 3 {
		time.Sleep(10 * time.Millisecond)
	}
	jobsBefore, inputsBefore := state("MARSGYM_JOBS"), state("MARSGYM_INPUTS")
	nc := bad(t, worker, workerKey, options(worker)...)
	consumer := "workers_" + cluster.IdentityToken("")
	none := strings.Repeat("0", 64)
	for _, subject := range []string{
		"marsgym.run.test.ask." + workerKey, "marsgym.run.test.missing." + workerKey, "marsgym.worker." + workerKey,
		"$JS.API.STREAM.INFO.MARSGYM_INPUTS", "$JS.API.CONSUMER.INFO.MARSGYM_JOBS." + consumer,
		"$JS.API.CONSUMER.MSG.NEXT.MARSGYM_JOBS." + consumer, "$JS.API.DIRECT.GET.MARSGYM_INPUTS.marsgym.input." + none + ".0",
	} {
		for _, reply := range []string{"marsgym.input." + none + ".0", "marsgym.job.nobody.x", "marsgym.job." + cluster.IdentityToken("") + ".test"} {
			if err := nc.PublishRequest(subject, reply, message(jobs.Digest{}, "", nil)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if m, err := nc.Request("$JS.API.STREAM.INFO.MARSGYM_INPUTS", nil, 5*time.Second); err != nil || !strings.Contains(string(m.Data), `"state"`) {
		t.Fatalf("an answer to the inbox: %v", err) // after the answers to the requests before it
	}
	if s := state("MARSGYM_JOBS"); s.LastSeq != jobsBefore.LastSeq {
		t.Errorf("the queue has %d messages; want %d", s.LastSeq, jobsBefore.LastSeq)
	}
	if s := state("MARSGYM_INPUTS"); s.LastSeq != inputsBefore.LastSeq {
		t.Errorf("the inputs have %d messages; want %d", s.LastSeq, inputsBefore.LastSeq)
	}
	work(t, cluster.WorkOptions{Access: worker})
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
