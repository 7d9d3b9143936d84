// Package marsgym holds the sources of this module. The programs that may work together on a
// cluster carry them, since the go command records no checksum of a module that it builds from
// a folder: see [marsgym/internal/cluster.Identity].
package marsgym

import "embed"

// Sources are the files of all packages that jobs of a cluster use, and the names and checksums
// of the modules that they are built with. Commands, documents and the Python package are not
// among them: they decide which jobs there are, and not what a job finds.
//
//go:embed agents env eval internal models train go.mod go.sum
var Sources embed.FS
