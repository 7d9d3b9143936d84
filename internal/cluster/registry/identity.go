package registry

import (
	"io/fs"
	"runtime/debug"

	"marsgym"
	"marsgym/internal/cluster"
)

// sources are the modules that programs are built from in folders. A game in a module of its
// own, in a folder too, needs a line here; see docs/cluster.md.
var sources = map[string]fs.FS{
	"marsgym": marsgym.Sources,
}

// Identity returns the identity of this process among those of a cluster, which decides whom it
// works with. With mixed it is [cluster.Mixed].
func Identity(mixed bool) (string, error) {
	if mixed {
		return cluster.Mixed, nil
	}
	arithmetic, err := Fingerprint()
	if err != nil {
		return "", err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", cluster.ErrUnnamed
	}
	return cluster.Identity(info, sources, arithmetic)
}
