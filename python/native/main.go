//go:build cgo

// Command native is the C library of the Python package marsgym: it opens games, steps
// batches in the caller's buffers, looks up positions, solves games and evaluates any
// policy exactly. It knows no game by name.
//
//	go build -buildmode c-shared -o libmarsgym.so ./python/native
//
// Most functions return a code, see [result], and write a text to *out: JSON or, if the
// code is not 0, an error. The caller frees it with marsgym_free_text. An object is a
// handle, which the caller releases with marsgym_release. Every function may be called
// by any thread; calls with the same batch wait for each other.
//
// No function keeps a pointer, except marsgym_batch, whose buffers must stay where they
// are until the batch is released. None calls back. A panic becomes an error.
package main

/*
#include <stdint.h>
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"

	"marsgym/env/game"
)

func main() {} // the build mode needs it

// result is the code that a function returns.
type result = C.int

const (
	ok            result = iota
	badArgument          // a wrong value, name, text or file
	illegalAction        // nothing has changed
	noSolution           // the game has no exact solution
	cancelled
	internalError // a panic: an error of this library
)

// answer calls f and writes its text, or its error, to out.
func answer(out **C.char, f func() (string, error)) (code result) {
	defer func() {
		if p := recover(); p != nil {
			code = internalError
			*out = C.CString(fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	text, err := f()
	if err != nil {
		*out = C.CString(err.Error())
		return codeOf(err)
	}
	if text != "" {
		*out = C.CString(text)
	}
	return ok
}

// call is answer for functions without a text.
func call(out **C.char, f func() error) result {
	return answer(out, func() (string, error) { return "", f() })
}

// document is answer for functions whose text is JSON.
func document(out **C.char, f func() (any, error)) result {
	return answer(out, func() (string, error) {
		v, err := f()
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(v)
		return string(text), err
	})
}

func codeOf(err error) result {
	switch {
	case errors.Is(err, game.ErrIllegalAction), errors.Is(err, game.ErrGameOver):
		return illegalAction
	case errors.Is(err, game.ErrNoSolution):
		return noSolution
	case errors.Is(err, context.Canceled):
		return cancelled
	}
	return badArgument
}

// resolve returns the object of a handle.
func resolve[T any](h C.uintptr_t) (T, error) {
	object, ok := cgo.Handle(h).Value().(T)
	if !ok {
		return object, fmt.Errorf("the handle is of a %T; want a %T", cgo.Handle(h).Value(), object)
	}
	return object, nil
}

// handle returns a new handle of an object.
func handle(object any) C.uintptr_t { return C.uintptr_t(cgo.NewHandle(object)) }

// view returns the caller's memory of n elements as a slice.
func view[T, C any](p *C, n int) []T { return unsafe.Slice((*T)(unsafe.Pointer(p)), n) }

// marsgym_free_text frees a text, or a state, that another function returned.
//
//export marsgym_free_text
func marsgym_free_text(text *C.char) { C.free(unsafe.Pointer(text)) }

// marsgym_release releases an object. A job is cancelled.
//
//export marsgym_release
func marsgym_release(object C.uintptr_t, out **C.char) result {
	return call(out, func() error {
		if j, ok := cgo.Handle(object).Value().(*job); ok {
			j.cancel()
		}
		cgo.Handle(object).Delete()
		return nil
	})
}
