// Package expectimax computes best play in a graph of chance and choices for 16 sets of
// payoffs at once, one in each lane of a vector: in assembly where the processor has
// AVX2, AVX-512 or NEON, in plain Go elsewhere or with the build tag purego.
//
// All lanes have the same graph, so a kernel loads a vector where one set of payoffs
// needs a number. It does not branch on the choice of a lane: each option gets a vector
// of probabilities, which is 0 in the lanes that choose another option. All kernels
// multiply, add and compare in the same order and agree bit for bit.
package expectimax

//go:generate go -C ../../../tools run ./amd64/expectimax -out ../internal/kernel/expectimax/kernel_amd64.s -pkg expectimax
//go:generate go -C ../../../tools run ./arm64/expectimax -out ../internal/kernel/expectimax/kernel_arm64.s
