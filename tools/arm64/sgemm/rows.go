package main

import (
	"fmt"

	"marsgym/tools/arm64/neon"
)

func list(file *neon.File) {
	f := file.Func("listNEON", "func(k int, x *float32, elements *int32) (count int)")
	l := newLister(f)
	magnitude := f.V() // all bits but the sign
	f.Op("VMOVI", 0xff, magnitude.B16())
	f.Op("VUSHR", 1, magnitude.S4(), magnitude.S4())
	value := f.R()
	l.loops(func(v []neon.V) {
		f.Op("VLD1", neon.At(l.x, 0), neon.S4(v...))
		for _, v := range v {
			f.Op("VCMTST", magnitude.S4(), v.S4(), v.S4())
		}
	}, "AND", func(at neon.R) {
		f.Op("MOVWU", neon.Index(l.x, at), value)
		l.append(value)
	}, func(skip string) {
		f.Op("MOVWU", neon.At(l.x, 0), value)
		f.Op("TSTW", 0x7fffffff, value)
		f.Op("BEQ", skip)
		l.append(value)
	})
}

// listDifference generates a kernel that lists the elements of the difference of two rows
// that are not 0.
func listDifference(file *neon.File) {
	f := file.Func("listDifferenceNEON", "func(k int, x, y *float32, elements *int32) (count int)")
	l := newLister(f)
	y := f.Load("y")
	l.rows = append(l.rows, y)
	other, a, b, value := f.Vectors(4), f.V(), f.V(), f.R()
	subtract := func() {
		f.Op("FSUBS", b.F(), a.F(), a.F())
		f.Op("FMOVS", a.F(), value)
		l.append(value)
	}
	l.loops(func(v []neon.V) {
		f.Op("VLD1", neon.At(l.x, 0), neon.S4(v...))
		f.Op("VLD1", neon.At(y, 0), neon.S4(other...))
		for i, v := range v {
			f.Word("fcmeq", neon.Single, v, v, other[i])
		}
	}, "BIC", func(at neon.R) {
		f.Op("FMOVS", neon.Index(l.x, at), a.F())
		f.Op("FMOVS", neon.Index(y, at), b.F())
		subtract()
	}, func(skip string) {
		f.Op("FMOVS", neon.At(l.x, 0), a.F())
		f.Op("FMOVS", neon.At(y, 0), b.F())
		f.Op("FCMPS", b.F(), a.F())
		f.Op("BEQ", skip)
		subtract()
	})
}

// lister generates loops over the elements of a row x [k] that list some of them.
type lister struct {
	f           *neon.Func
	k, x        neon.R
	from        neon.R   // the column of the next element
	column      neon.R   // of the element that append lists
	first, next neon.R   // the places of the first and of the next element of the list
	rows        []neon.R // the places in all rows, which x is the first of
}

func newLister(f *neon.Func) *lister {
	l := &lister{f: f, k: f.Load("k"), x: f.Load("x"), first: f.Load("elements"), from: f.R(), column: f.R(), next: f.R()}
	l.rows = []neon.R{l.x}
	f.Op("MOVD", l.first, l.next)
	f.Op("MOVD", "ZR", l.from)
	return l
}

// append lists an element of that value.
func (l *lister) append(value neon.R) {
	l.f.Op("STPW.P", neon.Pair(l.column, value), neon.At(l.next, 8))
}

// loops generates the loops, and the return. Sixteen elements at a time are tested by
// test, which fills vectors with bits: all or none for each element. An element is listed
// if they are set and choose is "AND", or clear and it is "BIC". each lists the element
// at bytes after the next one, where at is the register with that offset. If the row has at least sixteen elements, the last
// block overlaps the one before it; else single handles each element, and jumps to the
// label if it is not listed.
func (l *lister) loops(test func(v []neon.V), choose string, each func(at neon.R), single func(skip string)) {
	const block = 16
	f := l.f
	v := f.Vectors(4)
	// A mask has four bits for each element, of which that of the lowest is used: the
	// number of that bit is the offset of the element in bytes.
	mask, rest, at, lowest, last := f.R(), f.R(), f.R(), f.R(), f.R()
	f.Op("MOVD", "$0x1111111111111111", lowest)
	list := func(label string) {
		test(v)
		f.Op("VUZP1", v[1].H8(), v[0].H8(), v[0].H8())
		f.Op("VUZP1", v[3].H8(), v[2].H8(), v[2].H8())
		f.Op("VUZP1", v[2].B16(), v[0].B16(), v[0].B16())
		f.Word("shrn", neon.Bytes, v[0], v[0])
		f.Op("FMOVD", v[0].F(), mask)
		f.Op(choose, mask, lowest, mask)
		f.Op("CBZ", mask, label+"next")
		f.Label(label + "each")
		f.Op("RBIT", mask, at)
		f.Op("CLZ", at, at)
		f.Op("SUB", 1, mask, rest)
		f.Op("AND", rest, mask)
		f.Op("ADD", fmt.Sprintf("%s>>2", at), l.from, l.column)
		each(at)
		f.Op("CBNZ", mask, label+"each")
		f.Label(label + "next")
	}
	advance := func(n int) {
		f.Op("ADD", n, l.from)
		for _, row := range l.rows {
			f.Op("ADD", 4*n, row)
		}
	}
	f.Op("SUBS", block, l.k, last)
	f.Op("BLT", "few")
	f.Label("blocks")
	list("block")
	advance(block)
	f.Op("CMP", last, l.from)
	f.Op("BLE", "blocks")

	f.Comment("The rest: its last element is that of the row.")
	f.Op("SUBS", last, l.from, rest)
	f.Op("CMP", block, rest)
	f.Op("BEQ", "done")
	f.Op("SUB", rest, l.from)
	for _, row := range l.rows {
		f.Op("SUB", neon.Shifted(rest, 2), row)
	}
	f.Op("LSL", 2, rest)
	f.Op("LSL", rest, lowest)
	list("rest")
	f.Op("B", "done")

	f.Label("few")
	f.Op("MOVD", l.from, l.column)
	single("skip")
	f.Label("skip")
	advance(1)
	f.Op("CMP", l.k, l.from)
	f.Op("BLT", "few")

	f.Label("done")
	f.Op("SUB", l.first, l.next)
	f.Op("LSR", 3, l.next)
	f.Op("MOVD", l.next, f.Param("count"))
	f.Op("RET")
}

// gather generates the kernel for rows of A that are listed. It adds multiples of rows of
// b in registers. An element is one chain of fused multiply-adds, as in the kernel of
// tile.
func gather(file *neon.File) {
	f := file.Func("gatherNEON", "func(m, n int, start *int, elements *int32, b *float32, ld int, c, init *float32, ldi int, floor float32)")
	m, n, start, elements := f.Load("m"), f.Load("n"), f.Load("start"), f.Load("elements")
	b, ld, c, init, ldi := f.Load("b"), f.Load("ld"), f.Load("c"), f.Load("init"), f.Load("ldi")
	e, end, i, at := f.R(), f.R(), f.R(), f.R()
	f.Op("LSL", 2, ld)
	f.Op("LSL", 2, ldi)
	floor, x := f.V(), f.V()
	f.Op("FMOVS", f.Param("floor"), floor.F())
	f.Op("VDUP", fmt.Sprintf("V%d.S[0]", floor), floor.S4())
	f.Op("MOVD.P", neon.At(start, 8), e)
	f.Op("ADD", neon.Shifted(e, 3), elements, e)

	// rows generates the loop over the rows for some columns.
	rows := func(label string, columns int) {
		single := columns < lanes
		count := columns // of registers
		if !single {
			count /= lanes
		}
		acc := f.Vectors(count)
		y := f.Vectors(min(count, 12))
		// move calls one for each register and its place from at on, or four for as many
		// registers as one instruction moves and for at, which then rises.
		move := func(regs []neon.V, one func(mem string, v neon.V), four func(mem, list string)) {
			if single {
				for j, v := range regs {
					one(neon.At(at, 4*j), v)
				}
				return
			}
			for j := 0; j < len(regs); j += 4 {
				group := regs[j:min(j+4, len(regs))]
				four(neon.At(at, 16*len(group)), neon.S4(group...))
			}
		}
		load := func(regs []neon.V) {
			move(regs, func(mem string, v neon.V) { f.Op("FMOVS", mem, v.F()) },
				func(mem, list string) { f.Op("VLD1.P", mem, list) })
		}

		f.Label(label + "row")
		f.Op("CBZ", init, label+"zero")
		f.Op("MOVD", init, at)
		load(acc)
		f.Op("ADD", ldi, init)
		f.Op("B", label+"sum")
		f.Label(label + "zero")
		f.Zero(acc...)
		f.Label(label + "sum")
		f.Op("MOVD.P", neon.At(start, 8), end)
		f.Op("ADD", neon.Shifted(end, 3), elements, end)
		f.Op("CMP", end, e)
		f.Op("BEQ", label+"limit")
		f.Label(label + "each")
		f.Op("MOVWU.P", neon.At(e, 4), i)
		if single {
			f.Op("FMOVS.P", neon.At(e, 4), x.F())
		} else {
			f.Op("VLD1R.P", neon.At(e, 4), neon.S4(x))
		}
		f.Op("MADD", i, b, ld, at)
		for j := 0; j < count; j += len(y) {
			y := y[:min(len(y), count-j)]
			load(y)
			for k, y := range y {
				if acc := acc[j+k]; single {
					f.Op("FMADDS", y.F(), acc.F(), x.F(), acc.F())
				} else {
					f.Op("VFMLA", x.S4(), y.S4(), acc.S4())
				}
			}
		}
		f.Op("CMP", end, e)
		f.Op("BNE", label+"each")
		f.Label(label + "limit")
		for j, v := range acc { // not a maximum: -0 and NaN stay what they are
			below := y[j%len(y)]
			f.Word("fcmgt", neon.Single, below, floor, v)
			f.Op("VBIT", below.B16(), floor.B16(), v.B16())
		}
		f.Op("MOVD", c, at)
		move(acc, func(mem string, v neon.V) { f.Op("FMOVS", v.F(), mem) },
			func(mem, list string) { f.Op("VST1.P", list, mem) })
		f.Op("ADD", ld, c)
		f.Op("SUBS", 1, m)
		f.Op("BNE", label+"row")
		f.Op("RET")
		f.Free(acc...)
		f.Free(y...)
	}
	for _, columns := range []int{64, 32, 16, 8, 4, 3, 2, 1} {
		label, next := fmt.Sprintf("n%d", columns), fmt.Sprintf("below%d", columns)
		if columns > 1 {
			f.Op("CMP", columns, n)
			f.Op("BLT", next)
		}
		rows(label, columns)
		if columns > 1 {
			f.Label(next)
		}
	}
}
