package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// iota returns constant data 0, 1, 2, ... 15: the numbers of a vector's lanes.
func iota() Mem {
	m := GLOBL("iota", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(i))
	}
	return m
}

// sparse generates a kernel that lists the non-zeros of a row of a and then sums those
// rows of b in registers: eight vectors of columns at a time, then four, then one, of
// which only the remaining columns are used. The vectors have size bytes.
func sparse(name string, vec func() reg.VecVirtual, size int, iota Mem) {
	lanes := size / 4
	TEXT(name, NOSPLIT, "func(m, n, k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, add bool, most, slack int, val *float32, idx *int32) (left int)")
	Pragma("noescape")
	Doc(name+" is [sparseGo] for m at least 1. val and idx are scratch for k+16",
		"elements.")
	a, lda := Load(Param("a"), GP64()), Load(Param("lda"), GP64())
	b, ldb := Load(Param("b"), GP64()), Load(Param("ldb"), GP64())
	c, ldc := Load(Param("c"), GP64()), Load(Param("ldc"), GP64())
	val, idx := Load(Param("val"), GP64()), Load(Param("idx"), GP64())
	for _, s := range []reg.Register{lda, ldb, ldc} {
		SHLQ(Imm(2), s)
	}
	zero := func() reg.VecVirtual {
		z := vec()
		if size == 64 {
			VPXORD(z, z, z)
		} else {
			VXORPS(z, z, z)
		}
		return z
	}

	Label("row")
	count := GP64()
	XORQ(count, count)
	list := list256
	if size == 64 {
		list = list512
	}
	list(a, val, idx, count, iota)

	slack := GP64()
	Load(Param("slack"), slack)
	ADDQ(param("most"), slack)
	SUBQ(count, slack)
	JLT(LabelRef("return"))
	MOVQ(slack, param("slack"))

	bp, cp, cols := GP64(), GP64(), GP64()
	MOVQ(b, bp)
	MOVQ(c, cp)
	Load(Param("n"), cols)
	for _, v := range []int{8, 4, 1} {
		label := func(s string) string { return fmt.Sprintf("v%d%s", v, s) }
		next, least := map[int]string{8: "v4", 4: "v1", 1: "done"}[v], v*lanes
		if v == 1 {
			least = 1
		}
		Label(label(""))
		CMPQ(cols, I32(least))
		JLT(LabelRef(next))
		// with calls f with the columns of b or c at m as an operand.
		with := func(m Mem, f func(Op)) { f(m) }
		store := func(src reg.VecVirtual, m Mem) { VMOVUPS(src, m) }
		if v == 1 {
			var load func(m Mem, dst reg.VecVirtual)
			load, store = masked(cols, size, iota)
			with = func(m Mem, f func(Op)) {
				t := vec()
				load(m, t)
				f(t)
			}
		}
		acc := make([]reg.VecVirtual, v)
		for j := range acc {
			acc[j] = zero()
		}
		i, bi := GP64(), GP64()
		XORQ(i, i)
		JMP(LabelRef(label("test")))
		Label(label("loop"))
		MOVLQZX(Mem{Base: idx, Index: i, Scale: 4}, bi)
		IMULQ(ldb, bi)
		x := vec()
		VBROADCASTSS(Mem{Base: val, Index: i, Scale: 4}, x)
		for j := range acc {
			with(Mem{Base: bp, Index: bi, Scale: 1, Disp: j * size}, func(y Op) { VFMADD231PS(y, x, acc[j]) })
		}
		INCQ(i)
		Label(label("test"))
		CMPQ(i, count)
		JLT(LabelRef(label("loop")))

		CMPB(param("add"), Imm(0))
		JEQ(LabelRef(label("set")))
		for j := range acc {
			with(Mem{Base: cp, Disp: j * size}, func(y Op) { VADDPS(y, acc[j], acc[j]) })
		}
		Label(label("set"))
		for j := range acc {
			store(acc[j], Mem{Base: cp, Disp: j * size})
		}
		ADDQ(I32(v*size), bp)
		ADDQ(I32(v*size), cp)
		SUBQ(I32(v*lanes), cols)
		JMP(LabelRef(label("")))
	}
	Label("done")
	ADDQ(lda, a)
	ADDQ(ldc, c)
	DECQ(param("m")) // in memory: all registers are in use
	JNZ(LabelRef("row"))
	Label("return")
	Load(Param("m"), count)
	Store(count, Return("left"))
	VZEROUPPER()
	RET()
}

// masked returns a load and a store of the first cols lanes of a vector of size bytes,
// or of all lanes if there are fewer. Other lanes are 0 after a load.
func masked(cols reg.GPVirtual, size int, iota Mem) (load func(Mem, reg.VecVirtual), store func(reg.VecVirtual, Mem)) {
	if size == 64 {
		n, k := ZMM(), K()
		VPBROADCASTD(cols.As32(), n)
		VPCMPD(Imm(6), iota, n, k) // not ≤
		return func(m Mem, dst reg.VecVirtual) { VMOVUPS_Z(m, k, dst) },
			func(src reg.VecVirtual, m Mem) { VMOVUPS(src, k, m) }
	}
	x, n := XMM(), YMM()
	VMOVD(cols.As32(), x)
	VPBROADCASTD(x, n)
	VPCMPGTD(iota, n, n)
	return func(m Mem, dst reg.VecVirtual) { VMASKMOVPS(m, n, dst) },
		func(src reg.VecVirtual, m Mem) { VMASKMOVPS(src, n, m) }
}

// list512 appends the non-zeros of a row of a to val and their columns to idx, and adds
// their number to count.
func list512(a, val, idx reg.Register, count reg.GPVirtual, iota Mem) {
	ap, left := GP64(), GP64()
	MOVQ(a, ap)
	Load(Param("k"), left)
	at, step, zero := ZMM(), ZMM(), ZMM()
	VMOVDQU32(iota, at)
	VPXORD(zero, zero, zero)
	sixteen := GP32()
	MOVL(U32(16), sixteen)
	VPBROADCASTD(sixteen, step)
	Label("list")
	load, _ := masked(left, 64, iota)
	x, y, some, n := ZMM(), ZMM(), K(), GP32()
	load(Mem{Base: ap}, x)
	VCMPPS(Imm(4), zero, x, some) // not equal, or NaN
	VPCOMPRESSD_Z(x, some, x)
	VMOVDQU32(x, Mem{Base: val, Index: count, Scale: 4})
	VPCOMPRESSD_Z(at, some, y)
	VMOVDQU32(y, Mem{Base: idx, Index: count, Scale: 4})
	KMOVW(some, n)
	POPCNTL(n, n)
	ADDQ(n.As64(), count)
	VPADDD(step, at, at)
	ADDQ(Imm(64), ap)
	SUBQ(Imm(16), left)
	JGT(LabelRef("list"))
}

// list256 is list512 with one element at a time.
func list256(a, val, idx reg.Register, count reg.GPVirtual, iota Mem) {
	at, left, zero := GP64(), GP64(), YMM()
	XORQ(at, at)
	Load(Param("k"), left)
	VXORPS(zero, zero, zero)
	Label("list")
	load, _ := masked(left, 32, iota)
	x, some, i, v := YMM(), GP32(), GP32(), GP32()
	load(Mem{Base: a, Index: at, Scale: 4}, x)
	VCMPPS(Imm(4), zero, x, x) // not equal, or NaN
	VMOVMSKPS(x, some)
	JMP(LabelRef("any"))
	Label("each")
	BSFL(some, i)
	ADDL(at.As32(), i)
	MOVL(i, Mem{Base: idx, Index: count, Scale: 4})
	MOVL(Mem{Base: a, Index: i.As64(), Scale: 4}, v)
	MOVL(v, Mem{Base: val, Index: count, Scale: 4})
	INCQ(count)
	LEAL(Mem{Base: some, Disp: -1}, v)
	ANDL(v, some)
	Label("any")
	TESTL(some, some)
	JNZ(LabelRef("each"))
	ADDQ(Imm(8), at)
	SUBQ(Imm(8), left)
	JGT(LabelRef("list"))
}
