//go:build gotch && cgo

package gotch

// #include <stdlib.h>
// void marsgym_set_num_threads(int n);
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"github.com/sugarme/gotch/libtch"
)

// device is a device as libtch numbers them: CUDA devices from 0 on, or cpu.
type device int32

const cpu device = -1

// float is libtorch's number for the type float32.
const float = 6

// lockThread locks the goroutine to its thread, and limits libtorch's work for it to that
// thread. It is needed because libtorch stores the last error and the number of its
// worker threads for each thread.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	C.marsgym_set_num_threads(1)
	return runtime.UnlockOSThread
}

// parseDevice returns the device of that name, if it exists.
func parseDevice(name string) (device, error) {
	if name == "cpu" {
		return cpu, nil
	}
	number, ok := strings.CutPrefix(name, "cuda:")
	n, err := strconv.ParseUint(number, 10, 8)
	if !ok || err != nil {
		return 0, fmt.Errorf("gotch: device is %q: want cpu, or cuda:0 and so on", name)
	}
	// The count is 0 both without a driver and for a build without CUDA.
	switch count := int(libtch.AtcCudaDeviceCount()); {
	case count == 0:
		return 0, fmt.Errorf("gotch: there is no %s: libtorch finds no CUDA device; use the device cpu or, if nvidia-smi lists a CUDA device, set up libtorch by models/gotch/setup cuda", name)
	case int(n) >= count:
		return 0, fmt.Errorf("gotch: there is no %s: the CUDA devices are cuda:0 to cuda:%d", name, count-1)
	}
	return device(n), nil
}

type tensor = libtch.Ctensor

// tensors creates tensors on a device, and frees them all together. After an operation
// has failed, err is set and later operations do nothing. One goroutine uses it, after
// [lockThread].
type tensors struct {
	device device
	live   []tensor
	err    error
}

// free frees all tensors.
func (t *tensors) free() {
	for _, x := range t.live {
		libtch.AtFree(x)
	}
	t.live = nil
}

// do runs an operation that creates one tensor.
func (t *tensors) do(op func(out *tensor)) tensor {
	if t.err != nil {
		return nil
	}
	var out tensor
	op(&out)
	if t.err = lastError(); t.err != nil {
		return nil
	}
	t.live = append(t.live, out)
	return out
}

// lastError returns the exception of the last operation of this thread as an error.
func lastError() error {
	text := unsafe.Pointer(libtch.GetAndResetLastErr())
	if text == nil {
		return nil
	}
	defer C.free(text)
	first, _, _ := strings.Cut(C.GoString((*C.char)(text)), "\n") // the rest is a trace
	return errors.New("gotch: " + first)
}

// of returns a tensor of that shape on the device, with a copy of data.
func (t *tensors) of(data []float32, shape ...int) tensor {
	dims := make([]int64, len(shape))
	for i, d := range shape {
		dims[i] = int64(d)
	}
	x := t.do(func(out *tensor) { libtch.AtgEmpty(out, dims, len(dims), float, int32(cpu)) })
	if t.err == nil {
		copy(unsafe.Slice((*float32)(libtch.AtDataPtr(x)), len(data)), data)
	}
	return t.to(t.device, x)
}

// read copies a tensor from the device to dst, which has the same length.
func (t *tensors) read(dst []float32, x tensor) {
	x = t.to(cpu, x)
	if t.err == nil {
		copy(dst, unsafe.Slice((*float32)(libtch.AtDataPtr(x)), len(dst)))
	}
}

// to returns x on device d: x itself if t uses the CPU only.
func (t *tensors) to(d device, x tensor) tensor {
	if t.device == cpu {
		return x
	}
	return t.do(func(out *tensor) { libtch.AtgTo(out, x, int32(d)) })
}

// addmm returns x·w + b.
func (t *tensors) addmm(b, x, w tensor) tensor {
	return t.do(func(out *tensor) { libtch.AtgAddmm(out, b, x, w) })
}

// mm returns x·y.
func (t *tensors) mm(x, y tensor) tensor {
	return t.do(func(out *tensor) { libtch.AtgMm(out, x, y) })
}

// transpose returns the transpose of x, as a view.
func (t *tensors) transpose(x tensor) tensor {
	return t.do(func(out *tensor) { libtch.AtgT(out, x) })
}

// sumRows returns the sum over the first dimension.
func (t *tensors) sumRows(x tensor) tensor {
	return t.do(func(out *tensor) { libtch.AtgSumDimIntlist(out, x, []int64{0}, 1, 0, float) })
}

// relu sets x to max(x, 0).
func (t *tensors) relu(x tensor) {
	t.do(func(out *tensor) { libtch.AtgRelu_(out, x) })
}

// reluGradient sets dy to 0 where y is not above 0.
func (t *tensors) reluGradient(dy, y tensor) {
	zero := libtch.AtsFloat(0)
	defer libtch.AtsFree(zero)
	t.do(func(out *tensor) { libtch.AtgThresholdBackwardGradInput(out, dy, dy, y, zero) })
}
