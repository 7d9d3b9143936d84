//go:build !windows

package cli

import "os"

// ansiBar reports whether the progress bar is removed by an ANSI code.
const ansiBar = false

// obeysCodes reports whether a terminal obeys ANSI codes.
func obeysCodes(*os.File) bool { return true }
