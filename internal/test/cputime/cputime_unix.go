//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used returns the CPU time of this process so far, user and system.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("cputime: " + err.Error())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
