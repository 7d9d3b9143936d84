package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"marsgym/internal/kernel/simd"
)

// version returns the line that -version prints: the command, the version of its
// module, the revision that it was built from, if the go command recorded one, the
// release of Go, and the kernels in use.
func version(command string, info *debug.BuildInfo) string {
	module, settings := "marsgym (devel)", map[string]string{}
	if info != nil {
		module = info.Main.Path + " " + info.Main.Version
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	fields := []string{command + ": " + module}
	if revision := settings["vcs.revision"]; revision != "" {
		fields = append(fields, "revision "+revision+" of "+settings["vcs.time"])
		if settings["vcs.modified"] == "true" {
			fields = append(fields, "with local changes")
		}
	}
	fields = append(fields, fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH), fmt.Sprintf("%s kernels", simd.Active()))
	return strings.Join(fields, ", ")
}
