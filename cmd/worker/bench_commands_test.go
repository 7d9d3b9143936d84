//go:build unix

package main_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marsgym/env/catalog"
	"marsgym/internal/cluster"
	"marsgym/internal/cluster/registry"
	"marsgym/internal/jobs"
	"marsgym/internal/test/cputime"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// BenchmarkCommands trains by several commands on one broker and one worker: equal ones and
// ones of other seeds, together, one after another, and together while the worker leaves and
// another one comes. It reports
//
//	ratio      the time of all, relative to the sum of those of the commands alone
//	cpu-ratio  the same of CPU time, which other work of the machine changes less
//	longest-s  the longest that a command has waited for the jobs of an iteration; a lease has 10 s
//	computed   how often a job is computed; 1 is once for each command that wants it
func BenchmarkCommands(b *testing.B) {
	for _, commands := range []int{2, 3, 10} {
		if testing.Short() && commands > 2 {
			continue
		}
		for _, equal := range []bool{true, false} {
			if testing.Short() && !equal {
				continue
			}
			for _, how := range []string{"together", "in turn", "worker leaves"} {
				name := fmt.Sprintf("%d different/%s", commands, how)
				if equal {
					name = fmt.Sprintf("%d equal/%s", commands, how)
				}
				b.Run(name, func(b *testing.B) { benchmarkCommands(b, commands, equal, how) })
			}
		}
	}
}

func benchmarkCommands(b *testing.B, commands int, equal bool, how string) {
	g, err := catalog.Open("pig", 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	a := startBroker(b)
	var computed, wanted, longest atomic.Int64
	all := registry.All()
	for kind, f := range all {
		all[kind] = func(ctx context.Context, args []byte, inputs []*jobs.Blob) (jobs.Result, error) {
			computed.Add(1)
			return f(ctx, args, inputs)
		}
	}
	silent := func(string) {}
	work := func() (stop func()) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			ended <- cluster.Work(ctx, cluster.WorkOptions{Access: a, Slots: 1, Kinds: all, Log: silent})
		}()
		return func() {
			cancel()
			if err := <-ended; err != nil {
				b.Error(err)
			}
		}
	}
	command := func(k int) time.Duration {
		cfg, err := train.DefaultForAlgorithm(g, train.OneMove)
		if err != nil {
			b.Error(err)
			return 0
		}
		cfg.Steps, cfg.Checkpoints, cfg.Evaluations = 10_000, 1, 1
		if !equal {
			cfg.Seed += uint64(k)
		}
		begin := time.Now()
		c, err := cluster.Connect(b.Context(), cluster.Options{Access: a, Kinds: all, Log: silent})
		if err != nil {
			b.Error(err)
			return 0
		}
		defer c.Close()
		if _, err := train.Run(b.Context(), cfg, train.Options{Game: g, Dir: b.TempDir(), Learner: gorgonia.New, Executor: &counter{c, &wanted, &longest}}); err != nil {
			b.Error(err)
		}
		return time.Since(begin)
	}
	stop := work()
	command(0) // the worker is there, and has opened the game
	longest.Store(0)
	var alone, took time.Duration
	var cpuAlone, cpuTook time.Duration
	rounds := 0
	for b.Loop() {
		rounds++
		before := cputime.Used()
		for k := range commands {
			alone += command(k)
		}
		between := cputime.Used()
		begin := time.Now()
		if how == "in turn" {
			for k := range commands {
				command(k)
			}
		} else {
			var wg sync.WaitGroup
			for k := range commands {
				wg.Go(func() { command(k) })
			}
			if how == "worker leaves" {
				time.Sleep(alone / time.Duration(2*rounds))
				stop()
				stop = work()
			}
			wg.Wait()
		}
		took += time.Since(begin)
		cpuAlone, cpuTook = cpuAlone+between-before, cpuTook+cputime.Used()-between
	}
	stop()
	b.ReportMetric(float64(took)/float64(alone), "ratio")
	b.ReportMetric(float64(cpuTook)/float64(cpuAlone), "cpu-ratio")
	b.ReportMetric(float64(computed.Load())/float64(wanted.Load()), "computed")
	b.ReportMetric(alone.Seconds()/float64(rounds), "alone-s")
	b.ReportMetric(time.Duration(longest.Load()).Seconds(), "longest-s")
	b.ReportMetric(0, "ns/op")
}

// counter counts the tasks of an executor, and notes the longest call in nanoseconds.
type counter struct {
	jobs.Executor
	count, longest *atomic.Int64
}

// Do implements [jobs.Executor].
func (c *counter) Do(ctx context.Context, tasks []jobs.Task) error {
	c.count.Add(int64(len(tasks)))
	begin := time.Now()
	err := c.Executor.Do(ctx, tasks)
	for took := int64(time.Since(begin)); ; {
		if most := c.longest.Load(); took <= most || c.longest.CompareAndSwap(most, took) {
			return err
		}
	}
}
