package cli

// The test is in package cli, since a test binary has no version of its own.

import (
	"runtime"
	"runtime/debug"
	"testing"

	"marsgym/internal/kernel/simd"
)

func TestVersionLine(t *testing.T) {
	release := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ", " + simd.Active().String() + " kernels"
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	module := debug.Module{Path: "marsgym", Version: "v0.3.0"}
	tests := []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "play: marsgym (devel), "},
		{&debug.BuildInfo{Main: module}, "play: marsgym v0.3.0, "},
		{&debug.BuildInfo{Main: module, Settings: []debug.BuildSetting{
			setting("vcs", "git"), setting("vcs.revision", "7e00382"), setting("vcs.time", "2026-11-22T09:00:00Z"), setting("vcs.modified", "false"),
		}}, "play: marsgym v0.3.0, revision 7e00382 of 2026-11-22T09:00:00Z, "},
		{&debug.BuildInfo{Main: module, Settings: []debug.BuildSetting{
			setting("vcs.revision", "7e00382"), setting("vcs.time", "2026-11-22T09:00:00Z"), setting("vcs.modified", "true"),
		}}, "play: marsgym v0.3.0, revision 7e00382 of 2026-11-22T09:00:00Z, with local changes, "},
	}
	for _, tt := range tests {
		if got := version("play", tt.info); got != tt.want+release {
			t.Errorf("%s, want %s", got, tt.want+release)
		}
	}
}
