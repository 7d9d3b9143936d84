// Command worker computes jobs of other commands, and serves the broker between them.
package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"marsgym/internal/broker"
	"marsgym/internal/cli"
	"marsgym/internal/cluster"
	"marsgym/internal/cluster/registry"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Run("worker", stdout, stderr, func(stdout io.Writer) error { return work(ctx, args, stdout, stderr) })
}

// options are the flags.
type options struct {
	cluster.Access
	serve, join, keys, newKey string
	slots                     int
	lease                     time.Duration
	mixed                     bool
}

func parse(args []string, stdout io.Writer) (o options, err error) {
	f := cli.NewFlags("worker", "Worker computes jobs for cmd/train -cluster and cmd/eval -cluster: self-play, exact evaluations, matches and sweeps. After Ctrl-C it finishes the jobs that it has begun, and exits.")
	f.StringVar(&o.serve, "serve", "", "serve the broker at this `address`, such as 127.0.0.1:4222, and work for it")
	f.StringVar(&o.join, "join", "", "work for the broker at this `address`; separate the addresses of a NATS cluster by commas")
	f.IntVar(&o.slots, "jobs", runtime.GOMAXPROCS(0), "`number` of jobs to compute at the same time; with 0, -serve only serves")
	f.DurationVar(&o.lease, "lease", cluster.Lease, "with -serve, the `time` after which the job of a silent worker goes to another worker")
	f.BoolVar(&o.mixed, "mixed", false, "also work for other builds and other kinds of machines, whose bits may differ")
	f.Group("Work", "serve", "join", "jobs", "lease", "mixed")
	names := o.Flags(f.FlagSet)
	f.StringVar(&o.keys, "keys", "", "`file` of the keys that may connect to the broker of -serve, one a line: worker KEY or coordinator KEY")
	f.StringVar(&o.newKey, "new-key", "", "create a key, write it to this `file` and print its public part")
	f.Group("Keys and certificates", append(names, "keys", "new-key")...)
	f.Example("go run ./cmd/worker -serve 127.0.0.1:4222")
	f.Example("go run ./cmd/worker -join 127.0.0.1:4222")
	f.Example("go run ./cmd/worker -new-key worker.key")
	f.Example("go run ./cmd/worker -join broker.example.org:4222 -key worker.key -tls-cert worker.pem -tls-key worker-key.pem -tls-ca ca.pem")
	if err := f.Parse(args, stdout); err != nil {
		return o, err
	}
	switch {
	case o.newKey != "":
		if len(f.Others("new-key")) > 0 {
			return o, cli.Usagef("-new-key stands alone; leave out the other flags")
		}
		return o, nil
	case (o.serve == "") == (o.join == ""):
		return o, cli.Usagef("want one of -serve ADDRESS and -join ADDRESS")
	case o.serve == "" && (f.Given("keys") || f.Given("lease")):
		return o, cli.Usagef("-keys and -lease are for -serve")
	case o.lease < 10*time.Millisecond || o.lease > time.Hour:
		return o, cli.Usagef("-lease is %v; want 10ms to 1h", o.lease)
	case o.slots < 0 || o.slots > 4096 || o.slots == 0 && o.serve == "":
		return o, cli.Usagef("-jobs is %d; want 1 to 4096, or 0 with -serve", o.slots)
	}
	if o.Addr = o.join; o.serve != "" {
		o.Addr = o.serve
	}
	if err := o.Check(); err != nil {
		return o, &cli.UsageError{Err: err}
	}
	return o, nil
}

func work(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	if o.newKey != "" {
		public, err := cluster.NewKey(o.newKey)
		if err == nil {
			_, err = fmt.Fprintln(stdout, public)
		}
		return err
	}
	identity, err := registry.Identity(o.mixed)
	if err != nil {
		return err
	}
	if o.serve != "" {
		b, err := broker.Start(o.Access, o.keys)
		if err != nil {
			return err
		}
		defer b.Close()
		if err := b.Prepare(ctx, identity, o.lease); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "serving at %s\n", o.serve)
		if o.keys == "" {
			fmt.Fprintln(stderr, "worker: this broker has no keys: every user of this machine can read, change and delete its jobs; where others use it too, give -keys and -key")
		}
	}
	fmt.Fprintf(stdout, "working at %s, %d jobs at a time: %s\n", o.Addr, o.slots, identity)
	if o.slots == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	err = cluster.Work(ctx, cluster.WorkOptions{
		Access: o.Access, Identity: identity, Slots: o.slots, Kinds: registry.All(),
		Log: func(line string) { fmt.Fprintln(stderr, "worker: "+line) },
	})
	if err == nil {
		err = ctx.Err()
	}
	return err
}
