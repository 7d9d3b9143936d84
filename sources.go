// Package marsgym holds the sources of this module. The programs that may work together on a
// cluster carry them, since the go command records no checksum of a module that it builds from
// a folder: see [marsgym/internal/cluster.Identity].
package marsgym

import "embed"

// Sources are the files of the folders with the packages that jobs of a cluster use, and the names
// and checksums of the modules that they are built with. Commands, documents, the page and the
// Python package are not among them: they decide which jobs there are, and not what a job finds.
//
//go:embed agents env eval models train go.mod go.sum
//go:embed internal/atomicfile internal/cluster internal/colour internal/core internal/dirlock internal/figure
//go:embed internal/firstplayer internal/input internal/intern internal/jobs internal/kernel
//go:embed internal/machine internal/parallel internal/random internal/tensorboard internal/tensorfile
var Sources embed.FS
