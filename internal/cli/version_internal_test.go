package cli

// The test is in package cli, since a test binary has no build information of a command.

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
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

// TestVersions compares the version with those in the citation, the Python package and the
// changelog. That of a release is the latest in the changelog, nothing is "Unreleased", and its
// dates are equal. A development version is above that and has no date.
func TestVersions(t *testing.T) {
	find := func(file, pattern string) string {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			return ""
		}
		return string(m[1])
	}
	next, development := strings.CutSuffix(Version, "-dev")
	python := Version
	if development {
		python = next + ".dev0" // PEP 440
	}
	if got := find("python/marsgym/__init__.py", `(?m)^__version__ = "(.*)"$`); got != python {
		t.Errorf("the Python package has the version %q; want %q", got, python)
	}
	if got := find("CITATION.cff", `(?m)^version: (.*)$`); got != Version {
		t.Errorf("CITATION.cff has the version %q; want %q", got, Version)
	}
	latest, released := find("CHANGELOG.md", `(?m)^## \[(\d[^]]*)\] - `), find("CHANGELOG.md", `(?m)^## \[\d[^]]*\] - (.*)$`)
	cited := find("CITATION.cff", `(?m)^date-released: (.*)$`)
	if !development {
		if changes := find("CHANGELOG.md", `(?s)\n## \[Unreleased\]\s+(.*?)\s*\n## `); changes != "" {
			t.Errorf("the version is the release %s, but CHANGELOG.md has changes after it", Version)
		}
		if latest != Version || cited != released {
			t.Errorf("CHANGELOG.md has the release %q of %q; want %q of %q, the date of CITATION.cff", latest, released, Version, cited)
		}
		return
	}
	numbers := func(version string) []int {
		n := make([]int, 3)
		if _, err := fmt.Sscanf(version, "%d.%d.%d", &n[0], &n[1], &n[2]); err != nil {
			t.Errorf("%q is no version", version)
		}
		return n
	}
	if slices.Compare(numbers(next), numbers(latest)) <= 0 {
		t.Errorf("the version is %s, after the release %s", Version, latest)
	}
	if cited != "" {
		t.Errorf("CITATION.cff has the date %s, but %s is not released", cited, Version)
	}
	if find("CHANGELOG.md", `(?m)^## \[(Unreleased)\]$`) == "" {
		t.Error("CHANGELOG.md has no heading for what is not released")
	}
}
