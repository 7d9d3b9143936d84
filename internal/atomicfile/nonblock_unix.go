//go:build unix

package atomicfile

import "syscall"

// nonblock makes the opening of a pipe wait for nobody.
const nonblock = syscall.O_NONBLOCK
