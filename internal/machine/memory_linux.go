package machine

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"marsgym/internal/atomicfile"
)

func memory() uint64 {
	least := uint64(0)
	limit := func(file, pattern string, unit uint64) {
		text, _ := atomicfile.ReadFile(file, 1<<16)
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			return
		}
		// A group without a limit has "max" or, in the first version of control groups, an absurd number.
		if n, err := strconv.ParseUint(string(m[1]), 10, 54); err == nil && n > 0 && (least == 0 || n*unit < least) {
			least = n * unit
		}
	}
	limit("/proc/meminfo", `(?m)^MemTotal: +(\d+) kB`, 1<<10)
	limit("/sys/fs/cgroup/memory/memory.limit_in_bytes", `(\d+)`, 1)
	groups, _ := atomicfile.ReadFile("/proc/self/cgroup", 1<<16)
	if m := regexp.MustCompile(`(?m)^0::(/.*)$`).FindSubmatch(groups); m != nil {
		for dir := path.Join("/sys/fs/cgroup", string(m[1])); strings.HasPrefix(dir, "/sys/fs/cgroup"); dir = path.Dir(dir) { // of the group and those above it
			limit(path.Join(dir, "memory.max"), `^(\d+)`, 1)
		}
	}
	return least
}
