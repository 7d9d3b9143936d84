package main

import (
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

// listPair generates the kernel that lists the columns in which one of two rows is not 0.
func listPair(name string, iota, order Mem) {
	TEXT(name, NOSPLIT, "func(k int, x, y *float32, column *int32, xs, ys *float32) (columns, count int)")
	Pragma("noescape")
	Doc(name+" lists the columns in which one of two rows of k elements, at least 1, is not 0,",
		"and the elements of both. It returns the number of columns, and of elements that are not 0,",
		"and writes up to spare numbers after the last.")
	e := newEights(iota, order)
	x, y := Load(Param("x"), GP64()), Load(Param("y"), GP64())
	column, xs, ys := Load(Param("column"), GP64()), Load(Param("xs"), GP64()), Load(Param("ys"), GP64())
	n, count, other := GP64(), GP64(), GP64()
	XORQ(n, n)
	XORQ(count, count)
	e.loop(func(load func(Mem, reg.VecVirtual)) {
		v, w, differ := YMM(), YMM(), YMM()
		load(Mem{Base: x}, v)
		load(Mem{Base: y}, w)
		VCMPPS(Imm(4), e.none, v, differ) // not equal, or NaN
		VMOVMSKPS(differ, e.mask.As32())
		VCMPPS(Imm(4), e.none, w, differ)
		VMOVMSKPS(differ, other.As32())
		for _, m := range []reg.GPVirtual{e.mask, other} {
			POPCNTQ(m, e.bits)
			ADDQ(e.bits, count)
		}
		ORQ(other, e.mask)
		lane, columns := e.chosen(e.mask)
		VPERMPS(v, lane, v)
		VPERMPS(w, lane, w)
		VMOVUPS(columns, Mem{Base: column, Index: n, Scale: 4})
		VMOVUPS(v, Mem{Base: xs, Index: n, Scale: 4})
		VMOVUPS(w, Mem{Base: ys, Index: n, Scale: 4})
		POPCNTQ(e.mask, e.bits)
		ADDQ(e.bits, n)
	}, x, y)
	Store(n, Return("columns"))
	Store(count, Return("count"))
	VZEROUPPER()
	RET()
}

// gatherPairs generates the kernel for the sums of pairs of rows, which share the loads of b.
func gatherPairs(name string, iota Mem) {
	const size = 32
	TEXT(name, NOSPLIT, "func(pairs, n int, start *int, column *int32, xs, ys, b *float32, ld int, c *float32, second int, init *float32, ldi int, floor float32)")
	Pragma("noescape")
	Doc(name+" is [gatherGo] for pairs, at least 1, of rows that listPairAVX2 has listed, and for",
		"32 columns, or up to 8 if n is less. The second row of a pair, and the first of the next,",
		"is second elements further in c and ldi further in init. Rows of b have ld elements.")
	start, column := Load(Param("start"), GP64()), Load(Param("column"), GP64())
	factors := []reg.Register{Load(Param("xs"), GP64()), Load(Param("ys"), GP64())}
	b, ld := Load(Param("b"), GP64()), Load(Param("ld"), GP64())
	c, init := Load(Param("c"), GP64()), Load(Param("init"), GP64())
	SHLQ(Imm(2), ld)
	SHLQ(Imm(2), param("ldi"))
	SHLQ(Imm(2), param("second"))
	e, at := GP64(), GP64()
	for _, v := range []int{4, 1} {
		label := map[int]string{4: "wide", 1: "narrow"}[v]
		load := func(m Mem, dst reg.VecVirtual) { VMOVUPS(m, dst) }
		store := func(src reg.VecVirtual, m Mem) { VMOVUPS(src, m) }
		Label(label)
		MOVQ(Mem{Base: start}, e)
		if v > 1 {
			CMPQ(param("n"), Imm(uint64(8*v)))
			JLT(LabelRef("narrow"))
		} else {
			load, store = maskedMoves(Load(Param("n"), GP64()), size, iota)
		}
		var acc [2][]reg.VecVirtual
		Label(label + "pair")
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
		ADDQ(Imm(8), start)
		JMP(LabelRef(label + "test"))
		Label(label + "each")
		MOVLQZX(Mem{Base: column, Index: e, Scale: 4}, at)
		IMULQ(ld, at)
		var factor [2]reg.VecVirtual
		for r := range factor {
			factor[r] = YMM()
			VBROADCASTSS(Mem{Base: factors[r], Index: e, Scale: 4}, factor[r])
		}
		for j := range v {
			w := YMM()
			load(Mem{Base: b, Index: at, Scale: 1, Disp: j * size}, w)
			for r := range acc {
				VFMADD231PS(w, factor[r], acc[r][j])
			}
		}
		INCQ(e)
		Label(label + "test")
		CMPQ(e, Mem{Base: start})
		JLT(LabelRef(label + "each"))
		floor := YMM()
		VBROADCASTSS(param("floor"), floor)
		for r := range acc {
			for j := range acc[r] {
				VMAXPS(acc[r][j], floor, acc[r][j]) // NaN stays NaN
				store(acc[r][j], Mem{Base: c, Disp: j * size})
			}
			ADDQ(param("second"), c)
		}
		DECQ(param("pairs"))
		JNZ(LabelRef(label + "pair"))
		VZEROUPPER()
		RET()
	}
}
