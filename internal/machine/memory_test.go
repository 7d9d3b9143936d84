package machine_test

import (
	"runtime"
	"testing"

	"marsgym/internal/machine"
)

func TestMemory(t *testing.T) {
	n := machine.Memory()
	switch runtime.GOOS {
	case "linux", "darwin", "windows":
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); n < m.HeapAlloc || n > 1<<50 {
			t.Errorf("the machine has %d bytes; want more than the heap of this test, and less than a pebibyte", n)
		}
	default:
		if n != 0 {
			t.Errorf("%d bytes on %s; want 0", n, runtime.GOOS)
		}
	}
}
