package cluster

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"marsgym/internal/jobs"
)

// build names the source of this program, for builds whose revision the go command does
// not record: go build -ldflags "-X marsgym/internal/cluster.build=NAME".
var build string

// Mixed is the identity of processes that need not find the same bits.
const Mixed = "any build on any machine"

// Identity returns the identity of this process: its revision and Go release, and the
// fingerprint of its arithmetic. A build without a revision has only the latter two.
func Identity(fingerprint jobs.Digest) string {
	name, changed := build, ""
	if info, ok := debug.ReadBuildInfo(); ok && name == "" {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				name = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = " with local changes"
			}
		}
	}
	if name == "" {
		name = "without a revision"
	}
	return fmt.Sprintf("build %s%s, %s, arithmetic %.12v", name, changed, runtime.Version(), fingerprint)
}
