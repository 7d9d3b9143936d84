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

// device is as libtch numbers them: that of CUDA from 0, or cpu.
type device int32

const cpu device = -1

// float is float32 as libtorch numbers the types.
const float = 6

// enter ties the goroutine to a thread and libtorch's work for it to the same
// thread: the last error, and how many threads work for one, are kept by
// thread.
func enter() (leave func()) {
	runtime.LockOSThread()
	C.marsgym_set_num_threads(1)
	return runtime.UnlockOSThread
}

// open finds a device by name.
func open(name string) (device, error) {
	if name == "cpu" {
		return cpu, nil
	}
	number, ok := strings.CutPrefix(name, "cuda:")
	n, err := strconv.ParseUint(number, 10, 8)
	if !ok || err != nil {
		return 0, fmt.Errorf("gotch: device is %q: want cpu, or cuda:0 and so on", name)
	}
	// libtorch says 0 for a missing driver and for a build without CUDA alike.
	switch count := int(libtch.AtcCudaDeviceCount()); {
	case count == 0:
		return 0, fmt.Errorf("gotch: there is no %s: libtorch finds no CUDA device; take -device cpu, or, where nvidia-smi lists one, set libtorch up by models/gotch/setup cuda", name)
	case int(n) >= count:
		return 0, fmt.Errorf("gotch: there is no %s: the CUDA devices are cuda:0 to cuda:%d", name, count-1)
	}
	return device(n), nil
}

type tensor = libtch.Ctensor

// tensors makes tensors on a device, and frees them all together. After an
// operation has failed, err says why and the rest do nothing. One goroutine
// uses it, and must [enter] first.
type tensors struct {
	device device
	live   []tensor
	err    error
}

// free gives all the tensors back.
func (t *tensors) free() {
	for _, x := range t.live {
		libtch.AtFree(x)
	}
	t.live = nil
}

// do runs an operation that makes one tensor.
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

// lastError returns what the last operation of this thread threw.
func lastError() error {
	text := unsafe.Pointer(libtch.GetAndResetLastErr())
	if text == nil {
		return nil
	}
	defer C.free(text)
	first, _, _ := strings.Cut(C.GoString((*C.char)(text)), "\n") // the rest is a trace
	return errors.New("gotch: " + first)
}

// of copies data to the device, as a tensor of that shape.
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

// read copies a tensor from the device to dst, which has its length.
func (t *tensors) read(dst []float32, x tensor) {
	x = t.to(cpu, x)
	if t.err == nil {
		copy(dst, unsafe.Slice((*float32)(libtch.AtDataPtr(x)), len(dst)))
	}
}

// to returns x on a device: itself where it is there.
func (t *tensors) to(d device, x tensor) tensor {
	if t.device == cpu {
		return x
	}
	return t.do(func(out *tensor) { libtch.AtgTo(out, x, int32(d)) })
}

// addmm is x·w + b.
func (t *tensors) addmm(b, x, w tensor) tensor {
	return t.do(func(out *tensor) { libtch.AtgAddmm(out, b, x, w) })
}

// mm is x·y.
func (t *tensors) mm(x, y tensor) tensor {
	return t.do(func(out *tensor) { libtch.AtgMm(out, x, y) })
}

// transpose is a view of x.
func (t *tensors) transpose(x tensor) tensor {
	return t.do(func(out *tensor) { libtch.AtgT(out, x) })
}

// sumRows is the sum over the first dimension.
func (t *tensors) sumRows(x tensor) tensor {
	return t.do(func(out *tensor) { libtch.AtgSumDimIntlist(out, x, []int64{0}, 1, 0, float) })
}

// relu is max(x, 0), in place.
func (t *tensors) relu(x tensor) {
	t.do(func(out *tensor) { libtch.AtgRelu_(out, x) })
}

// reluGradient sets dy to 0 wherever y is not above 0.
func (t *tensors) reluGradient(dy, y tensor) {
	zero := libtch.AtsFloat(0)
	defer libtch.AtsFree(zero)
	t.do(func(out *tensor) { libtch.AtgThresholdBackwardGradInput(out, dy, dy, y, zero) })
}
