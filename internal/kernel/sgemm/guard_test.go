//go:build unix

package sgemm_test

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"marsgym/internal/kernel/sgemm"
	"marsgym/internal/kernel/simd/simdtest"
)

// guarded returns a copy of x between two pages that fault on any access: right before
// the upper page if end is set, otherwise right after the lower one.
func guarded(t *testing.T, x []float32, end bool) []float32 {
	page := syscall.Getpagesize()
	size := (4*len(x) + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, guard := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Skip(err)
		}
	}
	offset := page
	if end {
		offset += size - 4*len(x)
	}
	y := unsafe.Slice((*float32)(unsafe.Pointer(&mem[offset])), len(x))
	copy(y, x)
	return y
}

// TestKernelsStayWithinSlices: an access outside the slices ends the test program with
// a fault.
func TestKernelsStayWithinSlices(t *testing.T) {
	simdtest.Each(t, func(t *testing.T) {
		next := integers()
		transposes(func(tA, tB bool) {
			for _, s := range [][3]int{{1, 1, 1}, {3, 13, 9}, {7, 32, 8}, {9, 45, 33}, {13, 16, 7}, {5, 150, 30}, {129, 523, 17}} {
				p := product{tA: tA, tB: tB, m: s[0], n: s[1], k: s[2], add: true}
				p.fill(next)
				want := slices.Clone(p.c)
				p.gonum(want)
				for _, end := range []bool{false, true} {
					q := p
					q.a, q.b, q.c = guarded(t, p.a, end), guarded(t, p.b, end), guarded(t, p.c, end)
					q.gemm(q.c)
					if !slices.Equal(q.c, want) {
						t.Errorf("%v: C is wrong", &q)
					}
					if tB {
						continue
					}
					q.thin(rand.New(rand.NewPCG(1, 2)), 0.2, 0)
					q.add = false
					want := slices.Clone(q.c)
					q.gonum(want)
					q.sparse(q.c)
					if !slices.Equal(q.c, want) {
						t.Errorf("%v: C of Sparse is wrong", &q)
					}
					clear(q.c)
					q.rows(q.c)
					if !slices.Equal(q.c, want) {
						t.Errorf("%v: C of Rows is wrong", &q)
					}
				}
			}
		})
		for n := 1; n < 40; n++ {
			for _, end := range []bool{false, true} {
				x := func() []float32 { return guarded(t, make([]float32, n), end) }
				sgemm.ReLUGrad(x(), x())
				new(sgemm.Adam).Step(x(), x(), x(), x())
				var rows sgemm.Rows
				rows.Reset(n)
				rows.AppendDifference(x(), guarded(t, drawn(n, next), end), n)
			}
		}
	})
}
