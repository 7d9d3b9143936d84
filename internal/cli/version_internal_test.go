package cli

// The test is in package cli, since a test binary has no build information of a command.

import (
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"

	"marsgym/internal/kernel/simd"
)

func TestVersionLine(t *testing.T) {
	release := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ", " + simd.Active().String() + " kernels"
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	built := []debug.BuildSetting{setting("vcs", "git"), setting("vcs.revision", "7e00382"), setting("vcs.time", "2026-11-22T09:00:00Z")}
	tests := []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, ", "},
		{&debug.BuildInfo{}, ", "},
		{&debug.BuildInfo{Settings: append(built[:3:3], setting("vcs.modified", "false"))}, ", revision 7e00382 of 2026-11-22T09:00:00Z, "},
		{&debug.BuildInfo{Settings: append(built[:3:3], setting("vcs.modified", "true"))}, ", revision 7e00382 of 2026-11-22T09:00:00Z, with local changes, "},
	}
	for _, tt := range tests {
		if got, want := version("play", tt.info), "play: marsgym "+Version+tt.want+release; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestVersions compares the version with those in the changelog, the citation and the Python
// package, and the dates of the first two.
func TestVersions(t *testing.T) {
	first := func(file, pattern string) string {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no %s", file, pattern)
		}
		return string(m[1])
	}
	for file, pattern := range map[string]string{
		"CHANGELOG.md":               `(?m)^## \[(\d[^]]*)\] - `,
		"CITATION.cff":               `(?m)^version: (.*)$`,
		"python/marsgym/__init__.py": `(?m)^__version__ = "(.*)"$`,
	} {
		if got := first(file, pattern); got != Version {
			t.Errorf("%s names the version %s, and the commands %s", file, got, Version)
		}
	}
	cited, released := first("CITATION.cff", `(?m)^date-released: (.*)$`), first("CHANGELOG.md", `(?m)^## \[\d[^]]*\] - (.*)$`)
	if cited != released {
		t.Errorf("CITATION.cff has the date %s, and CHANGELOG.md %s", cited, released)
	}
}
