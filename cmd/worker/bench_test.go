//go:build unix

package main_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"marsgym/env/catalog"
	"marsgym/internal/broker"
	"marsgym/internal/cluster"
	"marsgym/internal/cluster/registry"
	"marsgym/internal/jobs"
	"marsgym/internal/test/cputime"
	"marsgym/internal/test/freeport"
	"marsgym/internal/test/heap"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// meter measures the CPU time of what an executor does: of one goroutine at a time.
type meter struct {
	jobs.Executor
	b                      *testing.B
	kinds                  map[string]jobs.Func
	count                  int
	encode, compute, total time.Duration
	in, out                int // bytes of inputs and of results
}

// Do computes tasks as a worker would, from bytes to bytes, if m has kinds.
func (m *meter) Do(ctx context.Context, tasks []jobs.Task) error {
	begin := cputime.Used()
	defer func() { m.total += cputime.Used() - begin }()
	if m.kinds == nil {
		return m.Executor.Do(ctx, tasks)
	}
	sent := map[jobs.Digest]bool{}
	for _, t := range tasks {
		start := cputime.Used()
		j, err := t.Job()
		if err != nil {
			return err
		}
		encoded := cputime.Used()
		r, err := m.kinds[j.Kind](ctx, j.Args, j.Inputs)
		if err != nil {
			return err
		}
		computed := cputime.Used()
		if err := t.Receive(r); err != nil {
			return err
		}
		m.count++
		m.encode += encoded - start + cputime.Used() - computed
		m.compute += computed - encoded
		m.out += len(r.Bytes)
		for _, x := range j.Inputs {
			if !sent[x.Digest] {
				sent[x.Digest] = true
				m.in += len(x.Bytes)
			}
		}
	}
	return nil
}

// BenchmarkCluster trains in this process, from bytes to bytes, and by a broker and a worker
// on this machine. Per job, in CPU-milliseconds of one core:
//
//	local-ms     the job in this process
//	learner-ms   the rest of training: fitting
//	compute-ms   the job as a worker computes it, from its inputs to its result
//	encode-ms    to make a job, and to read its result, on the side of the command
//	nats-ms      what NATS adds, in the command, the broker and the worker together
//
// and B-in and B-out, the bytes of its inputs, those of several jobs counted once for each
// iteration, and of its result; messages are those of the command.
func BenchmarkCluster(b *testing.B) {
	for _, tt := range []struct {
		name, game  string
		algorithm   train.Algorithm
		steps       uint64
		rows        int // 0 is the default
		decisions   int
		simulations int
	}{
		{"turn-exact", "martian-dice", train.TurnExact, 60_000, 0, 0, 0},
		{"one-move", "mars-is-ours-fast", train.OneMove, 15_000, 0, 0, 0},
		{"search", "mars-is-ours", train.Search, 1500, 64, 12, 0},
		{"search-400", "mars-is-ours", train.Search, 700, 64, 12, 400},
	} {
		if testing.Short() && tt.algorithm != train.TurnExact {
			continue
		}
		b.Run(tt.name, func(b *testing.B) {
			g, err := catalog.Open(tt.game, 2, nil)
			if err != nil {
				b.Fatal(err)
			}
			cfg, err := train.DefaultForAlgorithm(g, tt.algorithm)
			if err != nil {
				b.Fatal(err)
			}
			cfg.Steps, cfg.Checkpoints = tt.steps, 1
			if tt.rows > 0 {
				cfg.Rows, cfg.Expert.Search.Decisions = tt.rows, tt.decisions
			}
			if tt.simulations > 0 {
				cfg.Expert.Search.Tree.Simulations, cfg.Expert.Search.Tree.FastSimulations = tt.simulations, tt.simulations/4
			}
			run := func(e jobs.Executor) time.Duration {
				begin := cputime.Used()
				if _, err := train.Run(b.Context(), cfg, train.Options{Game: g, Dir: b.TempDir(), Learner: gorgonia.New, Executor: e}); err != nil {
					b.Fatal(err)
				}
				return cputime.Used() - begin
			}
			a := startBroker(b)
			silent := func(string) {}
			c, err := cluster.Connect(b.Context(), cluster.Options{Access: a, Run: "bench", Kinds: registry.All(), Log: silent})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			stop := startWorker(b, a)
			run(c) // the worker is there, and has opened the game
			local, bytes := &meter{b: b, Executor: jobs.Local{}}, &meter{b: b, kinds: registry.All()}
			var locally, encoded, remote, wallLocal, wallRemote time.Duration
			before := c.Status()
			for b.Loop() {
				start := time.Now()
				locally += run(local)
				wallLocal += time.Since(start)
				encoded += run(bytes)
				start = time.Now()
				remote += run(c)
				wallRemote += time.Since(start)
			}
			stop()
			s, n := c.Status(), float64(bytes.count)
			ms := func(d time.Duration, unit string) { b.ReportMetric(d.Seconds()*1000/n, unit) }
			ms(local.total, "local-ms")
			ms(locally-local.total, "learner-ms")
			ms(bytes.compute, "compute-ms")
			ms(bytes.encode, "encode-ms")
			ms(remote-encoded, "nats-ms")
			b.ReportMetric(float64(remote)/float64(locally), "cpu-ratio")
			b.ReportMetric(float64(wallRemote)/float64(wallLocal), "wall-ratio")
			b.ReportMetric(float64(bytes.in)/n, "B-in")
			b.ReportMetric(float64(bytes.out)/n, "B-out")
			b.ReportMetric(float64(s.Messages-before.Messages)/n, "messages")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkGrowth trains by a broker and workers of this process with a slot each, or without: the
// CPU time of all and the time of the clock, both relative to those without, and the memory of all.
func BenchmarkGrowth(b *testing.B) {
	g, err := catalog.Open("martian-dice", 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	cfg, err := train.DefaultForAlgorithm(g, train.TurnExact)
	if err != nil {
		b.Fatal(err)
	}
	cfg.Steps, cfg.Checkpoints = 200_000, 1
	run := func(e jobs.Executor) (cpu, wall time.Duration) {
		used, start := cputime.Used(), time.Now()
		if _, err := train.Run(b.Context(), cfg, train.Options{Game: g, Dir: b.TempDir(), Learner: gorgonia.New, Executor: e}); err != nil {
			b.Fatal(err)
		}
		return cputime.Used() - used, time.Since(start)
	}
	for _, workers := range []int{1, 2, 4} {
		if testing.Short() && workers > 1 {
			continue
		}
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			before := heap.InUse()
			a := startBroker(b)
			c, err := cluster.Connect(b.Context(), cluster.Options{Access: a, Run: "bench", Kinds: registry.All(), Log: func(string) {}})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			for range workers {
				defer startWorker(b, a)()
			}
			run(c) // the workers are there, and have opened the game
			var local, remote, wallLocal, wallRemote time.Duration
			for b.Loop() {
				cpu, wall := run(jobs.Local{})
				local, wallLocal = local+cpu, wallLocal+wall
				cpu, wall = run(c)
				remote, wallRemote = remote+cpu, wallRemote+wall
			}
			b.ReportMetric(float64(remote)/float64(local), "cpu-ratio")
			b.ReportMetric(float64(wallRemote)/float64(wallLocal), "wall-ratio")
			b.ReportMetric((heap.InUse()-before)/1e6, "MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// startWorker starts a worker with one slot, and returns what ends it.
func startWorker(b *testing.B, a cluster.Access) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- cluster.Work(ctx, cluster.WorkOptions{Access: a, Slots: 1, Kinds: registry.All(), Log: func(string) {}})
	}()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
}

// startBroker starts a broker on this machine, which ends with the benchmark, and returns the
// access to it.
func startBroker(b *testing.B) cluster.Access {
	b.Helper()
	a := cluster.Access{Addr: freeport.Address(b)}
	server, err := broker.Start(a, "")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { server.Close() })
	return a
}
