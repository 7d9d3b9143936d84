package machine

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

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
	// The runtime of Go reserves addresses that it never uses, which ulimit -v counts: those of
	// this process beyond its memory.
	pages, _ := atomicfile.ReadFile("/proc/self/statm", 1<<16)
	var size, resident uint64
	fmt.Sscan(string(pages), &size, &resident)
	reserved := (size - min(size, resident)) * uint64(os.Getpagesize())
	for _, r := range []struct {
		which  int
		unused uint64
	}{{unix.RLIMIT_AS, reserved}, {unix.RLIMIT_DATA, 0}} {
		var l unix.Rlimit
		if err := unix.Getrlimit(r.which, &l); err == nil && l.Cur != unix.RLIM_INFINITY {
			if n := max(1, l.Cur-min(l.Cur, r.unused)); least == 0 || n < least {
				least = n
			}
		}
	}
	return least
}
