// Package heap measures the memory of this process, for tests and benchmarks.
package heap

import "runtime"

// InUse returns the bytes of the heap that are in use.
func InUse() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // sync.Pool drops its content after two
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
