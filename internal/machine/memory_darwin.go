package machine

import "golang.org/x/sys/unix"

func memory() uint64 {
	n, _ := unix.SysctlUint64("hw.memsize")
	return n
}
