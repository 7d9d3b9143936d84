//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dirlock

import (
	"os"
	"syscall"
)

// lock returns ErrBusy where somebody else has locked the file.
func lock(f *os.File) error {
	for {
		switch syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrBusy
		default: // locked, or this file system knows no locks
			return nil
		}
	}
}
