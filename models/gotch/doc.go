// Package gotch is a second backend: it computes gradients with libtorch, through the
// bindings of github.com/sugarme/gotch, on the CPU or on a CUDA device.
//
// It is built with the tag gotch, by cgo, against the libtorch that ./setup downloads.
// Without the tag the package needs nothing, and New returns an error that names these
// commands:
//
//	eval "$(models/gotch/setup)"
//	go run -tags gotch ./cmd/train -backend gotch
//
// The layers and their gradients are written as a dozen matrix operations; libtorch's
// own differentiation computes the same in a tenth more time (the tests compare both).
// Of gotch only the low-level package libtch is used. Its high-level package keeps
// 100 kB for each tensor, leaks memory with each operation, and ends the program on
// errors.
//
// As in package gorgonia each shard of a minibatch runs on one core, and the sum of the
// gradients and [models.Adam] are the same, so the bits of a run do not depend on the
// number of cores. libtorch's own threads are turned off: they do not speed up shards of
// some hundred rows, and while other programs use the cores they wait for each other
// most of the time.
//
// Rollouts use [models.MLP] on the CPU: its kernels skip the zeros of observations and
// of the outputs of ReLU, and were faster than libtorch at every width up to 1024.
package gotch
