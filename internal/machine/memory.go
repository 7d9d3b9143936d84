// Package machine knows the machine that a command runs on.
package machine

// Memory returns the bytes of memory that this process may use: those of the machine or, on
// Linux, of its control group or its limits (ulimit -v and -d), if these are fewer. It returns 0
// where it does not know.
func Memory() uint64 { return memory() }
