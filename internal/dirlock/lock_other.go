//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package dirlock

import "os"

func lock(*os.File) error { return nil }
