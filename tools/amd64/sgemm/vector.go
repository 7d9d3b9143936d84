package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors generates a kernel that loops over slices of 8·blocks elements, with blocks at
// least 1. setup generates what comes before the loop and returns the generator of its
// body, which is called with the next 8 elements of each slice.
func vectors(name, doc, params string, slices []string, setup func() func(at []Mem)) {
	TEXT(name, NOSPLIT, "func(blocks int, "+params+")")
	Pragma("noescape")
	Doc(name+" "+doc, "for slices of 8·blocks elements, blocks at least 1.")
	blocks := Load(Param("blocks"), GP64())
	at := make([]Mem, len(slices))
	for i, s := range slices {
		at[i] = Mem{Base: Load(Param(s), GP64())}
	}
	body := setup()
	Label("loop")
	body(at)
	for _, m := range at {
		ADDQ(Imm(32), m.Base)
	}
	DECQ(blocks)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func zeroYMM() reg.VecVirtual {
	zero := YMM()
	VXORPS(zero, zero, zero)
	return zero
}

func constant(name string, bits uint32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U32(bits))
	return m
}

func relu() {
	vectors("relu8", "is [reluGo]", "y *float32", []string{"y"}, func() func([]Mem) {
		floor := zeroYMM()
		return func(at []Mem) {
			y := YMM()
			VMOVUPS(at[0], y)
			VMAXPS(y, floor, y) // NaN stays NaN
			VMOVUPS(y, at[0])
		}
	})
}

func reluGrad() {
	vectors("reluGrad8", "is [reluGradGo]", "dy, y *float32", []string{"dy", "y"}, func() func([]Mem) {
		zero := zeroYMM()
		return func(at []Mem) {
			keep := YMM()
			VMOVUPS(at[1], keep)
			VCMPPS(Imm(6), zero, keep, keep)
			VANDPS(at[0], keep, keep)
			VMOVUPS(keep, at[0])
		}
	})
}

func adam() {
	vectors("adam8", "is [adamGo], with the fields of c as an array,", "c, w, m, v, grad *float32", []string{"w", "m", "v", "grad"}, func() func([]Mem) {
		c := Load(Param("c"), GP64())
		var field [8]reg.VecVirtual
		for i := range field {
			field[i] = YMM()
			VBROADCASTSS(Mem{Base: c, Disp: 4 * i}, field[i])
		}
		scale, beta1, rest1, beta2, rest2 := field[0], field[1], field[2], field[3], field[4]
		rate, root, eps := field[5], field[6], field[7]
		least, magnitude := YMM(), YMM()
		VBROADCASTSS(constant("leastNormal", math.Float32bits(0x1p-126)), least)
		VBROADCASTSS(constant("magnitude", math.MaxInt32), magnitude)
		flush := func(x reg.VecVirtual) {
			keep := YMM()
			VANDPS(magnitude, x, keep)
			VCMPPS(Imm(5), least, keep, keep) // not <
			VANDPS(keep, x, x)
		}
		return func(at []Mem) {
			g, t := YMM(), YMM()
			VMULPS(at[3], scale, g)

			m := YMM()
			VMULPS(at[1], beta1, m)
			VMULPS(rest1, g, t)
			VADDPS(t, m, m)
			flush(m)
			VMOVUPS(m, at[1])

			v := YMM()
			VMULPS(at[2], beta2, v)
			VMULPS(rest2, g, t)
			VMULPS(g, t, t)
			VADDPS(t, v, v)
			flush(v)
			VMOVUPS(v, at[2])

			w := YMM()
			VSQRTPS(v, v)
			VMULPS(root, v, v)
			VADDPS(eps, v, v)
			VMULPS(rate, m, m)
			VDIVPS(v, m, m) // m / v
			VMOVUPS(at[0], w)
			VSUBPS(m, w, w) // w − m
			VMOVUPS(w, at[0])
		}
	})
}
