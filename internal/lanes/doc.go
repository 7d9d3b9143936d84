// Package lanes finds best play in a graph of chance and choices for eight sets
// of payoffs at once, one in each lane of a vector: in assembly where the
// processor has AVX2 or AVX-512, in plain Go elsewhere or with the build tag
// purego.
//
// The lanes have the graph in common, so a vector is loaded where one set of
// payoffs would load a number, and no lane waits for another's choice: both
// options get their share, one of them nothing. All kernels multiply, add and
// compare in the same order and agree bit for bit.
package lanes

//go:generate go -C asm run . -out ../kernel_amd64.s -pkg lanes
