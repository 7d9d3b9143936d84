package machine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

func memory() uint64 {
	status := struct { // MEMORYSTATUSEX
		length, load                    uint32
		total, available, _, _, _, _, _ uint64
	}{}
	status.length = uint32(unsafe.Sizeof(status))
	windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&status)))
	return status.total // 0 if the call fails
}
