// Package flags adds the flags of a cluster to commands.
package flags

import (
	"context"
	"fmt"
	"io"

	"marsgym/internal/cli"
	"marsgym/internal/cluster"
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

// Add adds the flags and groups them in the help; what says what workers compute.
func (c *Flags) Add(f *cli.Flags, what string) {
	f.StringVar(&c.Addr, "cluster", "", "`address` of the broker whose workers compute "+what+"; see cmd/worker")
	f.Float64Var(&c.verify, "verify", 0, "`fraction` of the jobs that are computed here too, to compare the results of workers")
	f.BoolVar(&c.mixed, "mixed", false, "accept workers of other builds and other kinds of machines, whose bits may differ")
	c.Flags(f.FlagSet)
	f.Group("Cluster", Names...)
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

// Connect returns the coordinator of a command, or nil without -cluster. kinds are those of its
// jobs.
func (c *Flags) Connect(ctx context.Context, command string, fingerprint func() (jobs.Digest, error), kinds map[string]jobs.Func, log io.Writer) (*cluster.Coordinator, error) {
	if c.Addr == "" {
		return nil, nil
	}
	identity := cluster.Mixed
	if !c.mixed {
		digest, err := fingerprint()
		if err != nil {
			return nil, err
		}
		identity = cluster.Identity(digest)
	}
	return cluster.Connect(ctx, cluster.Options{
		Access: c.Access, Identity: identity, Verify: c.verify, Kinds: kinds,
		Log: func(line string) { fmt.Fprintln(log, command+": "+line) },
	})
}
