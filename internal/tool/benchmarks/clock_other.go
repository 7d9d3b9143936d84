//go:build !linux

package main

import "time"

// processTime and threadTime return the time of the clock, in the place of CPU time.
func processTime() time.Duration { return time.Since(start) }
func threadTime() time.Duration  { return time.Since(start) }

var start = time.Now()
