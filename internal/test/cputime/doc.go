// Package cputime measures the CPU time of this process, for benchmarks: other programs on the
// machine change it less than the time of the clock.
package cputime
