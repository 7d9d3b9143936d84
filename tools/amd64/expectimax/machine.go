package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// machine is an instruction set. An operation on two vectors changes the last one.
type machine struct {
	name string
	size int // of a register, in bytes
	reg  func() reg.VecVirtual
}

// vector is the lanes of a Vec that a kernel handles: 8 with AVX2, and all 16 with
// AVX-512.
type vector []reg.VecVirtual

const registers = 2 // of a vector

// vec is a Vec in memory, at an offset from base.
type vec struct{ base, offset reg.Register }

func (m machine) part(x vec, i int) Mem {
	if x.offset == nil {
		return Mem{Base: x.base, Disp: i * m.size}
	}
	return Mem{Base: x.base, Index: x.offset, Scale: 1, Disp: i * m.size}
}

func (m machine) new(fill func(i int, r reg.VecVirtual)) vector {
	x := make(vector, registers)
	for i := range x {
		x[i] = m.reg()
		fill(i, x[i])
	}
	return x
}

func (m machine) zero() vector {
	return m.new(func(_ int, r reg.VecVirtual) {
		if m.size == 64 {
			VPXORQ(r, r, r)
		} else {
			VXORPD(r, r, r)
		}
	})
}

func (m machine) load(at vec) vector {
	return m.new(func(i int, r reg.VecVirtual) { VMOVUPD(m.part(at, i), r) })
}

func (m machine) store(x vector, at vec) {
	for i, r := range x {
		VMOVUPD(r, m.part(at, i))
	}
}

// broadcast returns a vector with the number at the address in all lanes. Its elements
// are the same register.
func (m machine) broadcast(at Mem) vector {
	r := m.reg()
	VBROADCASTSD(at, r)
	x := make(vector, registers)
	for i := range x {
		x[i] = r
	}
	return x
}

func (m machine) add(x, y vector) {
	for i := range y {
		VADDPD(x[i], y[i], y[i])
	}
}

func (m machine) sub(x, y vector) {
	for i := range y {
		VSUBPD(x[i], y[i], y[i])
	}
}

func (m machine) max(x, y vector) vector {
	return m.new(func(i int, r reg.VecVirtual) { VMAXPD(x[i], y[i], r) })
}

// times returns the product of x and the number at y.
func (m machine) times(x vector, y Mem) vector {
	if m.size == 64 {
		return m.new(func(i int, r reg.VecVirtual) { VMULPD_BCST(y, x[i], r) })
	}
	q := m.broadcast(y)
	return m.new(func(i int, r reg.VecVirtual) { VMULPD(x[i], q[i], r) })
}

func (m machine) maxAt(x vec, y vector) {
	for i := range y {
		VMAXPD(m.part(x, i), y[i], y[i])
	}
}

func (m machine) addTo(at vec, x vector) {
	y := m.load(at)
	m.add(x, y)
	m.store(y, at)
}

func (m machine) ifZero(x vector, label string) {
	if m.size == 64 {
		r, k := m.reg(), K()
		VPORQ(x[0], x[1], r)
		VPTESTMQ(r, r, k)
		KORTESTW(k, k)
	} else {
		r := m.reg()
		VORPD(x[0], x[1], r)
		VPTEST(r, r)
	}
	JZ(LabelRef(label))
}

// Predicates of comparisons.
const (
	greater = 0x1E
	atLeast = 0x1D
)

// take adds q to the Vec at dst and sets q to 0, both only in the lanes where x is
// greater than y, or at least y, by the predicate.
func (m machine) take(dst vec, q, x vector, predicate uint64, y vector) {
	for i := range q {
		sum := m.reg()
		if m.size == 64 {
			k := K()
			VCMPPD(Imm(predicate), y[i], x[i], k)
			VMOVUPD(m.part(dst, i), sum)
			VADDPD(q[i], sum, k, sum)
			VMOVUPD(sum, m.part(dst, i))
			VPXORQ(q[i], q[i], k, q[i])
			continue
		}
		so := m.reg()
		VCMPPD(Imm(predicate), y[i], x[i], so)
		VANDPD(q[i], so, sum)
		VADDPD(m.part(dst, i), sum, sum)
		VMOVUPD(sum, m.part(dst, i))
		VANDNPD(q[i], so, q[i])
	}
}
