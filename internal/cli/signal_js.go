package cli

import (
	"os"
	"syscall"
)

// interrupts are the signals that interrupt a command.
func interrupts() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
