// Package flags adds the flags of a cluster to commands.
package flags

import (
	"context"
	"fmt"
	"io"

	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/internal/cluster"
	"marsgym/internal/cluster/registry"
	"marsgym/internal/input"
	"marsgym/internal/jobs"
)

// Flags are the flags of a command whose jobs workers compute.
type Flags struct {
	cluster.Access
	verify float64
	mixed  bool
}

// Names are the names of the flags.
var Names = []string{"cluster", "verify", "mixed", "key", "tls-cert", "tls-key", "tls-ca"}

// Add adds the flags; the help lists only -cluster, with this usage.
func (c *Flags) Add(f *cli.Flags, usage string) {
	f.StringVar(&c.Addr, "cluster", "", usage+"; see docs/cluster.md")
	f.Float64Var(&c.verify, "verify", 0, "`fraction` of the jobs that this command computes too, to compare the results of workers")
	f.BoolVar(&c.mixed, "mixed", false, "also accept workers of other builds and other kinds of machines, whose bits may differ")
	c.Flags(f.FlagSet)
	f.Group("Cluster", Names[0])
	f.Hide(Names[1:]...)
}

// Check returns an error in the flags.
func (c *Flags) Check(f *cli.Flags) error {
	if c.Addr == "" {
		for _, name := range Names {
			if f.Given(name) {
				return cli.Usagef("-%s is for -cluster, which is missing", name)
			}
		}
		return nil
	}
	if !(c.verify >= 0 && c.verify <= 1) {
		return cli.Usagef("-verify is %v; want 0 to 1", c.verify)
	}
	if err := c.Access.Check(); err != nil {
		return &cli.UsageError{Err: err}
	}
	return nil
}

// Workers are the workers of a command; of the zero value there are none.
type Workers struct{ coordinator *cluster.Coordinator }

// CheckGame returns an error for a game that workers do not have: they have those of env/catalog, and
// no table.
func (c *Flags) CheckGame(id string) error {
	if c.Addr == "" || !catalog.IsFile(id) {
		return nil
	}
	return cli.Usagef("-cluster: workers do not have the table of %s, and it is not sent to them; leave out -cluster", input.Quote(id))
}

// Connect connects a command with the workers of -cluster, if it is given, for jobs of the game of an
// id, see [Flags.CheckGame].
func (c *Flags) Connect(ctx context.Context, command, game string, log io.Writer) (w Workers, err error) {
	if c.Addr == "" {
		return w, nil
	}
	if err := c.CheckGame(game); err != nil {
		return w, err
	}
	identity, err := registry.Identity(c.mixed)
	if err != nil {
		return w, err
	}
	w.coordinator, err = cluster.Connect(ctx, cluster.Options{
		Access: c.Access, Identity: identity, Verify: c.verify, Kinds: registry.All(),
		Log: func(line string) { fmt.Fprintln(log, command+": "+line) },
	})
	return w, err
}

// Executor returns the executor of jobs, or nil.
func (w Workers) Executor() jobs.Executor {
	if w.coordinator == nil {
		return nil
	}
	return w.coordinator
}

// Status returns the state of the jobs, if there are workers.
func (w Workers) Status() (s cluster.Status, ok bool) {
	if w.coordinator == nil {
		return s, false
	}
	return w.coordinator.Status(), true
}

// Close ends the connection.
func (w Workers) Close() {
	if w.coordinator != nil {
		w.coordinator.Close()
	}
}
