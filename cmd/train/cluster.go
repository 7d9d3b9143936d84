package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/cli"
	"marsgym/internal/cluster"
	"marsgym/internal/jobs"
	"marsgym/models/gorgonia"
	"marsgym/train"
)

// clusterFlags are the flags of a run whose jobs others compute.
type clusterFlags struct {
	cluster.Access
	verify float64
	mixed  bool
}

// add adds the flags, and groups them in the help.
func (c *clusterFlags) add(f *cli.Flags) {
	f.StringVar(&c.Addr, "cluster", "", "`address` of the broker whose workers compute the self-play of expert iteration, and the runs and matches of a sweep; see cmd/worker")
	f.Float64Var(&c.verify, "verify", 0, "`fraction` of the jobs that are computed here too, to compare the results of workers")
	f.BoolVar(&c.mixed, "mixed", false, "accept workers of other builds and other kinds of machines, whose bits may differ")
	f.Group("Cluster", append([]string{"cluster", "verify", "mixed"}, c.Flags(f.FlagSet)...)...)
}

// clusterNames are those flags.
var clusterNames = []string{"cluster", "verify", "mixed", "key", "tls-cert", "tls-key", "tls-ca"}

// check returns an error in the flags.
func (c *clusterFlags) check(f *cli.Flags) error {
	if c.Addr == "" {
		for _, name := range clusterNames {
			if f.Given(name) {
				return cli.Usagef("-%s is for -cluster, which is missing", name)
			}
		}
		return nil
	}
	if !(c.verify >= 0 && c.verify <= 1) {
		return cli.Usagef("-verify is %v; want 0 to 1", c.verify)
	}
	if err := c.Check(); err != nil {
		return &cli.UsageError{Err: err}
	}
	return nil
}

// connect returns the coordinator of the run in a folder, or nil without -cluster.
func (c *clusterFlags) connect(ctx context.Context, dir string, log io.Writer) (*cluster.Coordinator, error) {
	if c.Addr == "" {
		return nil, nil
	}
	identity := cluster.Mixed
	if !c.mixed {
		fingerprint, err := train.Fingerprint(gorgonia.New)
		if err != nil {
			return nil, err
		}
		identity = cluster.Identity(fingerprint)
	}
	name, err := runName(dir)
	if err != nil {
		return nil, err
	}
	return cluster.Connect(ctx, cluster.Options{
		Access: c.Access, Run: name, Identity: identity, Verify: c.verify,
		Kinds: map[string]jobs.Func{train.SelfPlayKind: train.SelfPlay(openGame)},
		Log:   func(line string) { fmt.Fprintln(log, "train: "+line) },
	})
}

// openGame opens the game of a job.
func openGame(id string, config []byte) (env.Game, error) { return catalog.Open(id, 0, config) }

// runName names the run in a folder of this machine, the same whenever it is resumed.
func runName(dir string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(host + "\x00" + dir))
	return hex.EncodeToString(sum[:12]), nil
}
