package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// order returns constant data: for each mask of eight lanes the numbers of its lanes, a byte
// each, and then the others.
func order() Mem {
	m := GLOBL("order", RODATA|NOPTR)
	for mask := range 256 {
		var lanes uint64
		n := 0
		for _, in := range []int{1, 0} {
			for lane := range 8 {
				if mask>>lane&1 == in {
					lanes |= uint64(lane) << (8 * n)
					n++
				}
			}
		}
		DATA(8*mask, U64(lanes))
	}
	return m
}

// eights generates loops over blocks of eight columns of rows [k], without branches that depend
// on their elements: those are often mispredicted.
type eights struct {
	left, table, mask, bits reg.GPVirtual
	none, from, eight       reg.VecVirtual
	iota                    Mem
}

func newEights(iota, order Mem) *eights {
	e := &eights{GP64(), GP64(), GP64(), GP64(), YMM(), YMM(), YMM(), iota}
	Load(Param("k"), e.left)
	LEAQ(order, e.table)
	VXORPS(e.none, e.none, e.none)
	VXORPS(e.from, e.from, e.from)
	MOVL(U32(8), e.mask.As32())
	VMOVD(e.mask.As32(), e.eight.AsX())
	VPBROADCASTD(e.eight.AsX(), e.eight)
	return e
}

// loop generates the loop. block is called with a load of eight elements, and then the rows
// advance.
func (e *eights) loop(block func(load func(Mem, reg.VecVirtual)), rows ...reg.Register) {
	Label("eight")
	CMPQ(e.left, Imm(8))
	JLT(LabelRef("last"))
	block(func(m Mem, dst reg.VecVirtual) { VMOVUPS(m, dst) })
	VPADDD(e.eight, e.from, e.from)
	for _, x := range rows {
		ADDQ(Imm(32), x)
	}
	SUBQ(Imm(8), e.left)
	JMP(LabelRef("eight"))
	Label("last")
	TESTQ(e.left, e.left)
	JZ(LabelRef("end"))
	load, _ := maskedMoves(e.left, 32, e.iota)
	block(load)
	Label("end")
}

// chosen returns the numbers of the lanes in the mask, and then the others, and their columns.
func (e *eights) chosen(mask reg.GPVirtual) (lane, column reg.VecVirtual) {
	lane, column = YMM(), YMM()
	VPMOVZXBD(Mem{Base: e.table, Index: mask, Scale: 8}, lane)
	VPADDD(e.from, lane, column)
	return lane, column
}

// listEights generates a kernel that lists elements of a row, or of the difference of two.
func listEights(name string, difference bool, iota, order Mem) {
	signature, doc := "func(k int, x *float32, elements *int32) (count int)", "[listGo]"
	if difference {
		signature, doc = "func(k int, x, y *float32, elements *int32) (count int)", "[listDifferenceGo]"
	}
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name+" is "+doc+" for rows of k elements, at least 1. It writes up to spare elements",
		"after the last.")
	e := newEights(iota, order)
	x, elements, first := Load(Param("x"), GP64()), Load(Param("elements"), GP64()), GP64()
	rows := []reg.Register{x}
	if difference {
		rows = append(rows, Load(Param("y"), GP64()))
	}
	MOVQ(elements, first)
	e.loop(func(load func(Mem, reg.VecVirtual)) {
		v, other, differ := YMM(), e.none, YMM()
		load(Mem{Base: x}, v)
		if difference {
			other = YMM()
			load(Mem{Base: rows[1]}, other)
		}
		VCMPPS(Imm(4), other, v, differ) // not equal, or NaN
		if difference {
			VSUBPS(other, v, v)
		}
		VMOVMSKPS(differ, e.mask.As32())
		lane, column := e.chosen(e.mask)
		VPERMPS(v, lane, v)
		lo, hi, out := YMM(), YMM(), YMM()
		VUNPCKLPS(v, column, lo)
		VUNPCKHPS(v, column, hi)
		VPERM2F128(Imm(0x20), hi, lo, out)
		VMOVUPS(out, Mem{Base: elements})
		VPERM2F128(Imm(0x31), hi, lo, out)
		VMOVUPS(out, Mem{Base: elements, Disp: 32})
		POPCNTQ(e.mask, e.bits)
		LEAQ(Mem{Base: elements, Index: e.bits, Scale: 8}, elements)
	}, rows...)
	SUBQ(first, elements)
	SHRQ(Imm(3), elements)
	Store(elements, Return("count"))
	VZEROUPPER()
	RET()
}

// A group is some rows of A that use each row of b together if one of them needs it, which saves
// loads: rows that follow each other are often alike, such as the afterstates of a decision.
// Chosen to hide the latency of an addition and to fit in the registers: with more rows and fewer
// vectors, more of the products are of a 0.
const groupRows, groupVectors = 3, 4

// listGroup generates the kernel that lists the columns in which a row of a group is not 0.
func listGroup(name string, iota, order Mem) {
	TEXT(name, NOSPLIT, "func(k int, x *float32, column *int32, value *float32, stride int) (columns, count int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s lists the columns in which one of %d rows of k elements, at least 1, is not 0,", name, groupRows),
		"and the elements of each row there, stride apart. It returns the number of columns, and of",
		"elements that are not 0, and writes up to spare numbers after the last.")
	e := newEights(iota, order)
	x := Load(Param("x"), GP64()).(reg.GPVirtual)
	column, value := Load(Param("column"), GP64()), Load(Param("value"), GP64()).(reg.GPVirtual)
	k, stride := Load(Param("k"), GP64()).(reg.GPVirtual), Load(Param("stride"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(2), k)
	SHLQ(Imm(2), stride)
	rows, values := apart(x, k), apart(value, stride)
	n, count, some := GP64(), GP64(), GP64()
	XORQ(n, n)
	XORQ(count, count)
	e.loop(func(load func(Mem, reg.VecVirtual)) {
		XORQ(e.mask, e.mask)
		var v [groupRows]reg.VecVirtual
		for r := range v {
			differ := YMM()
			v[r] = YMM()
			load(rows[r], v[r])
			VCMPPS(Imm(4), e.none, v[r], differ) // not equal, or NaN
			VMOVMSKPS(differ, some.As32())
			ORQ(some, e.mask)
			POPCNTQ(some, e.bits)
			ADDQ(e.bits, count)
		}
		lane, columns := e.chosen(e.mask)
		VMOVUPS(columns, Mem{Base: column})
		for r := range v {
			VPERMPS(v[r], lane, v[r])
			VMOVUPS(v[r], values[r])
		}
		POPCNTQ(e.mask, e.bits)
		ADDQ(e.bits, n)
		LEAQ(Mem{Base: column, Index: e.bits, Scale: 4}, column)
		LEAQ(Mem{Base: value, Index: e.bits, Scale: 4}, value)
	}, x)
	Store(n, Return("columns"))
	Store(count, Return("count"))
	VZEROUPPER()
	RET()
}

// apart returns the places of the rows of a group, of which the first is at x.
func apart(x, stride reg.GPVirtual) [groupRows]Mem {
	return [groupRows]Mem{{Base: x}, {Base: x, Index: stride, Scale: 1}, {Base: x, Index: stride, Scale: 2}}
}

// gatherGroups generates the kernel for the sums of groups.
func gatherGroups(name string, iota Mem) {
	const size = 32
	TEXT(name, NOSPLIT, "func(groups, n int, start *int, column *int32, value *float32, stride int, b *float32, ld int, c *float32, init *float32, ldi int, floor float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is [gatherGo] for groups, at least 1, of rows that listGroupAVX2 has listed, and", name),
		"for the first columns: 32, 16 or up to 8 of them. Rows of b and c have ld elements.")
	start, column := Load(Param("start"), GP64()), Load(Param("column"), GP64())
	value, stride := Load(Param("value"), GP64()).(reg.GPVirtual), Load(Param("stride"), GP64()).(reg.GPVirtual)
	b, ld := Load(Param("b"), GP64()), Load(Param("ld"), GP64())
	c, init := Load(Param("c"), GP64()), Load(Param("init"), GP64())
	SHLQ(Imm(2), ld)
	SHLQ(Imm(2), param("ldi"))
	SHLQ(Imm(2), stride)
	values := apart(value, stride)
	left, at := GP64(), GP64()
	for v := groupVectors; v > 0; v /= 2 {
		label := fmt.Sprintf("v%d", v)
		load := func(m Mem, dst reg.VecVirtual) { VMOVUPS(m, dst) }
		store := func(src reg.VecVirtual, m Mem) { VMOVUPS(src, m) }
		Label(label)
		if v > 1 {
			CMPQ(param("n"), Imm(uint64(8*v)))
			JLT(LabelRef(fmt.Sprintf("v%d", v/2)))
		} else {
			load, store = maskedMoves(Load(Param("n"), GP64()), size, iota)
		}
		var acc [groupRows][]reg.VecVirtual
		Label(label + "group")
		for r := range acc {
			acc[r] = make([]reg.VecVirtual, v)
			for j := range acc[r] {
				acc[r][j] = YMM()
				VXORPS(acc[r][j], acc[r][j], acc[r][j])
			}
		}
		TESTQ(init, init)
		JZ(LabelRef(label + "sum"))
		for r := range acc {
			for j := range acc[r] {
				load(Mem{Base: init, Disp: j * size}, acc[r][j])
			}
			ADDQ(param("ldi"), init)
		}
		Label(label + "sum")
		MOVQ(Mem{Base: start, Disp: 8}, left)
		SUBQ(Mem{Base: start}, left)
		JZ(LabelRef(label + "store"))
		Label(label + "each")
		MOVLQZX(Mem{Base: column}, at)
		IMULQ(ld, at)
		var factor [groupRows]reg.VecVirtual
		for r := range factor {
			factor[r] = YMM()
			VBROADCASTSS(values[r], factor[r])
		}
		for j := range v {
			w := YMM()
			load(Mem{Base: b, Index: at, Scale: 1, Disp: j * size}, w)
			for r := range acc {
				VFMADD231PS(w, factor[r], acc[r][j])
			}
		}
		ADDQ(Imm(4), column)
		ADDQ(Imm(4), value)
		DECQ(left)
		JNZ(LabelRef(label + "each"))
		Label(label + "store")
		ADDQ(Imm(8), start)
		floor := YMM()
		VBROADCASTSS(param("floor"), floor)
		for r := range acc {
			for j := range acc[r] {
				VMAXPS(acc[r][j], floor, acc[r][j]) // NaN stays NaN
				store(acc[r][j], Mem{Base: c, Disp: j * size})
			}
			ADDQ(ld, c)
		}
		DECQ(param("groups"))
		JNZ(LabelRef(label + "group"))
		VZEROUPPER()
		RET()
	}
}
