package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"marsgym/internal/kernel/simd"
)

// Version is the release that this is, or the next one with -dev: between two releases the code
// is that of neither. CHANGELOG.md describes both.
const Version = "0.2.0-dev"

// version returns the line that -version prints: the command, the version, the revision
// that it was built from, if the go command recorded one, the release of Go, and the
// kernels in use.
func version(command string, info *debug.BuildInfo) string {
	settings := map[string]string{}
	if info != nil {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	fields := []string{command + ": marsgym " + Version}
	if revision := settings["vcs.revision"]; revision != "" {
		fields = append(fields, "revision "+revision+" of "+settings["vcs.time"])
		if settings["vcs.modified"] == "true" {
			fields = append(fields, "with local changes")
		}
	}
	fields = append(fields, fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH), fmt.Sprintf("%s kernels", simd.Active()))
	return strings.Join(fields, ", ")
}
