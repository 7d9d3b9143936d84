//go:build cgo

// Command native is the C library of the Python package marsgym: it opens games, steps
// batches in the caller's buffers, looks up positions, solves games and evaluates any
// policy exactly. It knows no game by name.
//
//	go build -buildmode c-shared -o libmarsgym.so ./python/native
//
// Most functions return a code, see [result], and write a text to *out: JSON or, if the
// code is not 0, an error. The caller frees it with marsgym_free_text. An object is a
// handle, which the caller releases with marsgym_release. A handle that was released, or
// that another process made, gives an error. Every function may be called by any thread;
// calls with the same batch wait for each other.
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
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"unsafe"

	"marsgym/env/game"
	"marsgym/models"
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
	missingFile
)

// answer calls f and writes its text, or its error, to out.
func answer(out **C.char, f func() (string, error)) result {
	text, err := protect(f)
	if err != nil {
		*out = C.CString(strings.ReplaceAll(strings.ToValidUTF8(err.Error(), "\uFFFD"), "\x00", `\x00`))
		return codeOf(err)
	}
	if text != "" {
		*out = C.CString(text)
	}
	return ok
}

var errInternal = errors.New("an error of the library itself; please report it")

// protect calls f and turns a panic into an error.
func protect[T any](f func() (T, error)) (_ T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errInternal, p)
		}
	}()
	return f()
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
	case errors.Is(err, errInternal):
		return internalError
	case errors.Is(err, fs.ErrNotExist):
		return missingFile
	}
	return badArgument
}

// objects are the objects of the caller by their handles. The first handle is drawn, so
// that a handle of another process is unknown here.
var objects = struct {
	sync.Mutex
	last C.uintptr_t
	of   map[C.uintptr_t]any
}{last: C.uintptr_t(rand.Uint64() >> 2), of: map[C.uintptr_t]any{}}

func handle(object any) C.uintptr_t {
	objects.Lock()
	defer objects.Unlock()
	objects.last++
	objects.of[objects.last] = object
	return objects.last
}

func resolve[T any](h C.uintptr_t) (want T, err error) {
	objects.Lock()
	defer objects.Unlock()
	switch object := objects.of[h].(type) {
	case T:
		return object, nil
	case nil:
		return want, fmt.Errorf("the %s is closed", noun(want))
	default:
		return want, fmt.Errorf("the object is a %s; want a %s", noun(object), noun(want))
	}
}

func noun(object any) string {
	switch object.(type) {
	case *openGame:
		return "game"
	case *batch:
		return "batch"
	case *models.MLP:
		return "model"
	case *tablePolicy:
		return "policy"
	default:
		return "job"
	}
}

// view returns the caller's memory of n elements as a slice.
func view[T, C any](p *C, n int) []T { return unsafe.Slice((*T)(unsafe.Pointer(p)), n) }

// marsgym_free_text frees a text, or a state, that another function returned.
//
//export marsgym_free_text
func marsgym_free_text(text *C.char) { C.free(unsafe.Pointer(text)) }

// marsgym_release releases an object. A job is cancelled. If it plays in a batch, it has
// ended when this returns, and the buffers are as they were. A batch is released after the
// call in progress, whose job is released first.
//
//export marsgym_release
func marsgym_release(object C.uintptr_t, out **C.char) result {
	return call(out, func() error {
		objects.Lock()
		released := objects.of[object]
		delete(objects.of, object)
		objects.Unlock()
		switch o := released.(type) {
		case *job:
			if o.cancel(); o.plays {
				<-o.ended
			}
		case *batch:
			o.mu.Lock() // waits
			defer o.mu.Unlock()
		}
		return nil
	})
}
