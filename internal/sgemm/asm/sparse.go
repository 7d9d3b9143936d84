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

// list generates a kernel that lists the elements of a row that are not 0.
func list(name string, body func(x, val, idx, left reg.Register, count reg.GPVirtual, iota Mem), iota Mem) {
	TEXT(name, NOSPLIT, "func(k int, x, value *float32, index *int32) (count int)")
	Pragma("noescape")
	Doc(name + " is [listGo] for k elements, at least 1. It writes up to k+16 elements of value and index.")
	left := Load(Param("k"), GP64())
	x, val, idx := Load(Param("x"), GP64()), Load(Param("value"), GP64()), Load(Param("index"), GP64())
	count := GP64()
	XORQ(count, count)
	body(x, val, idx, left, count, iota)
	Store(count, Return("count"))
	VZEROUPPER()
	RET()
}

// gather generates a kernel that sums rows of b in registers: for eight vectors of
// columns, then for four, then for one, of which only the remaining columns are used.
// The vectors have size bytes. An element is one chain of fused multiply-adds, as in
// the kernels of tile.
func gather(name string, vec func() reg.VecVirtual, size int, iota Mem) {
	lanes := size / 4
	TEXT(name, NOSPLIT, "func(m, n int, start *int, index *int32, value, b *float32, ld int, c, init *float32, ldi int, floor float32)")
	Pragma("noescape")
	Doc(name + " is [gatherGo] for m and n at least 1, where rows of b and c have ld elements.")
	idx, val := Load(Param("index"), GP64()), Load(Param("value"), GP64())
	b := Load(Param("b"), GP64())
	ld, ldi := Load(Param("ld"), GP64()), Load(Param("ldi"), GP64())
	for _, s := range []reg.Register{ld, ldi} {
		SHLQ(Imm(2), s)
	}
	floor := vec()
	VBROADCASTSS(param("floor"), floor)
	for _, v := range []int{8, 4, 1} {
		label := func(s string) string { return fmt.Sprintf("v%d%s", v, s) }
		next, least := map[int]string{8: "v4", 4: "v1", 1: "done"}[v], v*lanes
		if v == 1 {
			least = 1
		}
		Label(label(""))
		CMPQ(param("n"), I32(least))
		JLT(LabelRef(next))
		c, init := Load(Param("c"), GP64()), Load(Param("init"), GP64())
		rows, start := Load(Param("m"), GP64()), Load(Param("start"), GP64())
		load := func(m Mem, dst reg.VecVirtual) { VMOVUPS(m, dst) }
		store := func(src reg.VecVirtual, m Mem) { VMOVUPS(src, m) }
		multiply := func(m Mem, x, acc reg.VecVirtual) { VFMADD231PS(m, x, acc) }
		if v == 1 {
			load, store = masked(Load(Param("n"), GP64()), size, iota)
			multiply = func(m Mem, x, acc reg.VecVirtual) {
				y := vec()
				load(m, y)
				VFMADD231PS(y, x, acc)
			}
		}
		i, end := GP64(), GP64()
		MOVQ(Mem{Base: start}, i)
		Label(label("row"))
		acc := make([]reg.VecVirtual, v)
		for j := range acc {
			acc[j] = vec()
			zero(acc[j], size)
		}
		TESTQ(init, init)
		JZ(LabelRef(label("sum")))
		for j := range acc {
			load(Mem{Base: init, Disp: j * size}, acc[j])
		}
		ADDQ(ldi, init)
		Label(label("sum"))
		ADDQ(Imm(8), start)
		MOVQ(Mem{Base: start}, end)
		CMPQ(i, end)
		JGE(LabelRef(label("set")))
		Label(label("loop"))
		at, x := GP64(), vec()
		MOVLQZX(Mem{Base: idx, Index: i, Scale: 4}, at)
		IMULQ(ld, at)
		VBROADCASTSS(Mem{Base: val, Index: i, Scale: 4}, x)
		for j := range acc {
			multiply(Mem{Base: b, Index: at, Scale: 1, Disp: j * size}, x, acc[j])
		}
		INCQ(i)
		CMPQ(i, end)
		JLT(LabelRef(label("loop")))
		Label(label("set"))
		for j := range acc {
			VMAXPS(acc[j], floor, acc[j]) // NaN stays NaN
			store(acc[j], Mem{Base: c, Disp: j * size})
		}
		ADDQ(ld, c)
		DECQ(rows)
		JNZ(LabelRef(label("row")))

		ADDQ(I32(v*size), b)
		for _, p := range []string{"c", "init"} {
			skip := label("skip" + p)
			if p == "init" {
				CMPQ(param(p), Imm(0))
				JEQ(LabelRef(skip))
			}
			ADDQ(I32(v*size), param(p))
			if p == "init" {
				Label(skip)
			}
		}
		SUBQ(I32(v*lanes), param("n"))
		JMP(LabelRef(label("")))
	}
	Label("done")
	VZEROUPPER()
	RET()
}

// masked returns a load and a store of the first cols lanes of a vector of size bytes,
// or of all lanes if there are fewer. Other lanes are 0 after a load.
func masked(cols reg.Register, size int, iota Mem) (load func(Mem, reg.VecVirtual), store func(reg.VecVirtual, Mem)) {
	if size == 64 {
		n, k := ZMM(), K()
		VPBROADCASTD(cols.(reg.GPVirtual).As32(), n)
		VPCMPD(Imm(6), iota, n, k) // not ≤
		return func(m Mem, dst reg.VecVirtual) { VMOVUPS_Z(m, k, dst) },
			func(src reg.VecVirtual, m Mem) { VMOVUPS(src, k, m) }
	}
	x, n := XMM(), YMM()
	VMOVD(cols.(reg.GPVirtual).As32(), x)
	VPBROADCASTD(x, n)
	VPCMPGTD(iota, n, n)
	return func(m Mem, dst reg.VecVirtual) { VMASKMOVPS(m, n, dst) },
		func(src reg.VecVirtual, m Mem) { VMASKMOVPS(src, n, m) }
}

// list512 lists 16 elements at a time. It adds the number of those that are not 0 to
// count.
func list512(x, val, idx, left reg.Register, count reg.GPVirtual, iota Mem) {
	at, step, none := ZMM(), ZMM(), ZMM()
	VMOVDQU32(iota, at)
	VPXORD(none, none, none)
	sixteen := GP32()
	MOVL(U32(16), sixteen)
	VPBROADCASTD(sixteen, step)
	Label("list")
	y, some, n := ZMM(), K(), GP32()
	load, _ := masked(left, 64, iota)
	load(Mem{Base: x}, y)
	VCMPPS(Imm(4), none, y, some) // not equal, or NaN
	VPCOMPRESSD_Z(y, some, y)
	VMOVDQU32(y, Mem{Base: val, Index: count, Scale: 4})
	VPCOMPRESSD_Z(at, some, y)
	VMOVDQU32(y, Mem{Base: idx, Index: count, Scale: 4})
	KMOVW(some, n)
	POPCNTL(n, n)
	ADDQ(n.As64(), count)
	VPADDD(step, at, at)
	ADDQ(Imm(64), x)
	SUBQ(Imm(16), left)
	JGT(LabelRef("list"))
}

// list256 tests eight elements at a time, and lists one at a time.
func list256(x, val, idx, left reg.Register, count reg.GPVirtual, iota Mem) {
	at, none := GP64(), YMM()
	XORQ(at, at)
	VXORPS(none, none, none)
	Label("list")
	load, _ := masked(left, 32, iota)
	y, some, i, v := YMM(), GP32(), GP32(), GP32()
	load(Mem{Base: x, Index: at, Scale: 4}, y)
	VCMPPS(Imm(4), none, y, y) // not equal, or NaN
	VMOVMSKPS(y, some)
	JMP(LabelRef("any"))
	Label("each")
	BSFL(some, i)
	ADDL(at.As32(), i)
	MOVL(i, Mem{Base: idx, Index: count, Scale: 4})
	MOVL(Mem{Base: x, Index: i.As64(), Scale: 4}, v)
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
