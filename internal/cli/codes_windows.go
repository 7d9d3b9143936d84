package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// ansiBar reports whether the progress bar is removed by an ANSI code. Here the library
// would otherwise leave it, and log lines would be written over its beginning.
const ansiBar = true

// obeysCodes makes a terminal obey ANSI codes, and reports whether it does. Consoles of
// Windows print them as characters unless a program asks for that.
func obeysCodes(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	if err := windows.GetConsoleMode(h, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
