package broker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"marsgym/internal/cluster"
	"marsgym/internal/jobs"
	"marsgym/internal/test/freeport"
)

// forever is a lease that no test outlives: a job that waits for it hangs the test.
const forever = time.Hour

// counting counts the jobs that are computed, by their arguments.
func counting(counts *sync.Map) map[string]jobs.Func {
	return map[string]jobs.Func{"hash": func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
		n, _ := counts.LoadOrStore(string(args)+inputs[0].Digest.String(), new(atomic.Int32))
		n.(*atomic.Int32).Add(1)
		return computeHash(ctx, args, inputs)
	}}
}

// TestCommands has several commands with equal and different jobs on one broker, whose workers
// leave in between and are replaced. Each job is computed once for each command, and none waits
// for a lease.
func TestCommands(t *testing.T) {
	t.Parallel()
	const commands, tasks = 4, 10
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	var counts sync.Map
	var list []*cluster.Coordinator
	for k := range commands {
		list = append(list, connect(t, cluster.Options{Access: a, Run: fmt.Sprint("command-", k), Lease: forever, Identity: "c"}))
	}
	ended := make(chan struct{})
	var wg, running sync.WaitGroup
	wg.Go(func() {
		for {
			stop := work(t, cluster.WorkOptions{Access: a, Identity: "c", Slots: 2, Kinds: counting(&counts)})
			select {
			case <-ended:
				stop()
				return
			case <-time.After(30 * time.Millisecond):
			}
			stop()
		}
	})
	for k, c := range list {
		running.Go(func() { check(t, c, tasks, 1000+k/2*tasks) }) // pairs are equal
	}
	running.Wait()
	close(ended)
	wg.Wait()
	total := 0
	counts.Range(func(_, n any) bool {
		total += int(n.(*atomic.Int32).Load())
		return true
	})
	if total != commands*tasks {
		t.Errorf("%d jobs are computed; want %d", total, commands*tasks)
	}
}

// TestSameName has two commands of one name: the later one is refused, and the other goes on.
func TestSameName(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	l := &log{}
	c := connect(t, cluster.Options{Access: a, Run: "same", Lease: forever, Log: l.add})
	if _, err := cluster.Connect(t.Context(), cluster.Options{Access: a, Run: "same", Kinds: kinds, Log: l.add}); !errors.Is(err, cluster.ErrTaken) || !strings.Contains(err.Error(), "start this command again") {
		t.Errorf("error %v; want ErrTaken", err)
	}
	if !l.has("tried to start with the name of this one") {
		t.Errorf("the log is %q", l.text())
	}
	work(t, cluster.WorkOptions{Access: a})
	check(t, c, 4, 10)
}

// TestSameNameLater has another command of the same name that Connect could not see, as one
// that was connected to a broker that has started again.
func TestSameNameLater(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	c := connect(t, cluster.Options{Access: a, Run: "same"})
	nc, err := nats.Connect(a.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if err := nc.Publish("marsgym.run.same", []byte("another")); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), tasksOnly(2)); !errors.Is(err, cluster.ErrTaken) {
		t.Errorf("error %v; want ErrTaken", err)
	}
}

// TestCommandGone kills a command whose job a worker computes: the worker drops that, and
// another job whose command no longer waits for it.
func TestCommandGone(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	began, dropped := make(chan struct{}, 2), make(chan struct{}, 2)
	endless := func(ctx context.Context, _ []byte, _ []*jobs.Blob) (jobs.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		dropped <- struct{}{}
		return jobs.Result{}, ctx.Err()
	}
	l := &log{}
	work(t, cluster.WorkOptions{Access: a, Slots: 1, Kinds: map[string]jobs.Func{"hash": endless}, Log: l.add})
	for _, want := range []string{"nobody waits for its result any more", "the command that wanted it is gone"} {
		c, err := cluster.Connect(t.Context(), cluster.Options{Access: a, Kinds: kinds, Lease: 200 * time.Millisecond, Log: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Do(ctx, tasksOnly(1)) }()
		<-began
		if strings.HasPrefix(want, "nobody") {
			cancel()
			<-ended
			<-dropped
			c.Close()
		} else {
			c.Close()
			<-dropped
			cancel()
			<-ended
		}
		for !l.has(want) { // the test ends in time, or hangs
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// TestStop has a worker say that it stops, and what it ends first.
func TestStop(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: freeport.Address(t)}
	serve(t, a, "")
	c := connect(t, cluster.Options{Access: a})
	began, end := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
		close(began)
		<-end
		return computeHash(ctx, args, inputs)
	}
	l := &log{}
	stop := work(t, cluster.WorkOptions{Access: a, Slots: 1, Kinds: map[string]jobs.Func{"hash": slow}, Log: l.add})
	ended := make(chan error, 1)
	go func() { ended <- c.Do(t.Context(), tasksOnly(1)) }()
	<-began
	go stop()
	for !l.has("stopping, after the jobs under way, which are 1; Ctrl-C again stops at once") {
		time.Sleep(10 * time.Millisecond)
	}
	close(end)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	stop()
}

// TestUnreachable cancels a wait for a broker that accepts connections and says nothing.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	a := cluster.Access{Addr: mute(t)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() {
		_, err := cluster.Connect(ctx, cluster.Options{Access: a, Kinds: kinds, Log: func(string) {}})
		ended <- err
	}()
	go func() {
		ended <- cluster.Work(ctx, cluster.WorkOptions{Access: a, Kinds: kinds, Slots: 1, Log: func(string) {}})
	}()
	cancel()
	for range 2 {
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("error %v; want that of the context, or none", err)
		}
	}
}
