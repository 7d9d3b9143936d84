//go:build !js

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// interrupts are the signals that interrupt a command: SIGHUP among them, unless nohup
// ignores it.
func interrupts() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
