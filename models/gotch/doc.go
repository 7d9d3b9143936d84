// Package gotch is a second backend: it fits a network on libtorch, through
// the bindings of github.com/sugarme/gotch, on the CPU or on a CUDA device.
//
// It is built with the tag gotch, by cgo, against the libtorch that ./setup
// brings; without the tag the package is there, needs nothing, and New says
// which commands give the rest:
//
//	eval "$(models/gotch/setup)"
//	go run -tags gotch ./cmd/train -backend gotch
//
// The layers and their gradients are written out as a dozen matrix
// operations; libtorch's own differentiation finds the same in a tenth more
// time (the tests compare). Of gotch only its lower half is used, package libtch.
// The upper half keeps 100 kB beside each tensor, leaks with each operation,
// and ends the program on errors.
//
// As in package gorgonia each shard of a minibatch runs on one core, and the
// sum and [models.Adam] are the same, so that a run's bits do not depend on
// the number of cores. libtorch's own threads are turned off: on shards of
// some hundred rows they gain nothing, and beside any other busy program they
// wait for each other most of the time.
//
// Self-play still asks [models.MLP], on the CPU: its kernels pass over the
// zeros of observations and of rectified layers, and were faster than
// libtorch at every width up to 1024.
package gotch
