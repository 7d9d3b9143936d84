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

func list(name string, iota Mem) {
	TEXT(name, NOSPLIT, "func(k int, x *float32, elements *int32) (count int)")
	Pragma("noescape")
	Doc(name + " is [listGo] for a row of k elements, at least 1.")
	row := newRow(Load(Param("k"), GP64()), Load(Param("x"), GP64()), iota)
	elements, count, v := Load(Param("elements"), GP64()), GP64(), GP32()
	XORQ(count, count)
	row.nonZeros("", func(i reg.GPVirtual, x Mem) {
		MOVL(x, v)
		MOVL(i.As32(), Mem{Base: elements, Index: count, Scale: 8})
		MOVL(v, Mem{Base: elements, Index: count, Scale: 8, Disp: 4})
		INCQ(count)
	}, nil)
	Store(count, Return("count"))
	VZEROUPPER()
	RET()
}

// listDifference generates a kernel that lists the elements of the difference of two rows
// that are not 0.
func listDifference(name string, iota Mem) {
	TEXT(name, NOSPLIT, "func(k int, x, y *float32, elements *int32) (count int)")
	Pragma("noescape")
	Doc(name + " is [listDifferenceGo] for rows of k elements, at least 1.")
	row := newRow(Load(Param("k"), GP64()), Load(Param("x"), GP64()), iota)
	row.y = Load(Param("y"), GP64())
	elements, count, v := Load(Param("elements"), GP64()), GP64(), XMM()
	XORQ(count, count)
	row.nonZeros("", func(i reg.GPVirtual, x Mem) {
		VMOVSS(x, v)
		VSUBSS(Mem{Base: row.y, Index: i, Scale: 4}, v, v)
		MOVL(i.As32(), Mem{Base: elements, Index: count, Scale: 8})
		VMOVSS(v, Mem{Base: elements, Index: count, Scale: 8, Disp: 4})
		INCQ(count)
	}, nil)
	Store(count, Return("count"))
	VZEROUPPER()
	RET()
}

// row generates loops over the elements of a row x [k] that are not 0 or, if y is set, not
// those of y.
type row struct {
	k, x, from, mask, i reg.GPVirtual
	zero                reg.VecVirtual
	iota                Mem
	y                   reg.Register
}

func newRow(k, x reg.Register, iota Mem) *row {
	r := &row{k.(reg.GPVirtual), x.(reg.GPVirtual), GP64(), GP64(), GP64(), ZMM(), iota, nil}
	zero(r.zero, 64)
	return r
}

// nonZeros generates the loops. The labels start with label. each is called with the
// number and the place of an element, and masked, if it is not nil, with a bit mask of
// the elements to come.
func (r *row) nonZeros(label string, each func(i reg.GPVirtual, x Mem), masked func(reg.GPVirtual)) {
	block := func(label string, step int) {
		if masked != nil {
			masked(r.mask)
		}
		TESTQ(r.mask, r.mask)
		JZ(LabelRef(label + "next"))
		Label(label + "each")
		TZCNTQ(r.mask, r.i)
		BLSRQ(r.mask, r.mask)
		ADDQ(r.from, r.i)
		each(r.i, Mem{Base: r.x, Index: r.i, Scale: 4})
		TESTQ(r.mask, r.mask)
		JNZ(LabelRef(label + "each"))
		Label(label + "next")
		ADDQ(Imm(uint64(step)), r.from)
	}
	of := func(base reg.Register, j int) Mem { return Mem{Base: base, Index: r.from, Scale: 4, Disp: j * 64} }
	at := func(j int) Mem { return of(r.x, j) }
	// other returns what the elements of vector j are compared with. load reads a vector.
	other := func(j int, load func(...Op)) reg.VecVirtual {
		if r.y == nil {
			return r.zero
		}
		y := ZMM()
		load(of(r.y, j), y)
		return y
	}
	left := GP64()
	XORQ(r.from, r.from)
	// Four vectors at a time: the end of the inner loop is often mispredicted.
	Label(label + "four")
	MOVQ(r.k, left)
	SUBQ(r.from, left)
	CMPQ(left, Imm(64))
	JLT(LabelRef(label + "one"))
	var k [4]reg.OpmaskVirtual
	for j := range k {
		k[j] = K()
		VCMPPS(Imm(4), at(j), other(j, VMOVUPS), k[j]) // not equal, or NaN
	}
	KUNPCKWD(k[0], k[1], k[0])
	KUNPCKWD(k[2], k[3], k[2])
	KUNPCKDQ(k[0], k[2], k[0])
	KMOVQ(k[0], r.mask)
	block(label+"four", 64)
	JMP(LabelRef(label + "four"))
	Label(label + "one")
	MOVQ(r.k, left)
	SUBQ(r.from, left)
	JLE(LabelRef(label + "end"))
	n, some := ZMM(), K()
	VPBROADCASTD(left.As32(), n)
	VPCMPD(Imm(6), r.iota, n, some) // not ≤
	y := other(0, func(ops ...Op) { VMOVUPS_Z(ops[0], some, ops[1]) })
	VCMPPS(Imm(4), at(0), y, some, some)
	KMOVW(some, r.mask.As32())
	block(label+"one", 16)
	JMP(LabelRef(label + "one"))
	Label(label + "end")
}

// sums generates the sums of multiples of rows of b in registers, for rows of c with
// sixteen vectors of columns if wide is set, eight, four, or one of which the first n
// columns are used. Vectors
// have size bytes. An element is one chain of fused multiply-adds, as in the kernels of
// tile. If gate is set, and its parameter is not nil, elements become 0 where those of
// gate are not above 0. row generates the loop over the elements of a row of A and calls
// add with the number of a row of b and the place of its factor.
func sums(vec func() reg.VecVirtual, size int, iota Mem, wide, gate bool, row func(label string, add func(i reg.GPVirtual, x Mem))) {
	b, ld := Load(Param("b"), GP64()), Load(Param("ld"), GP64())
	c, init := Load(Param("c"), GP64()), Load(Param("init"), GP64())
	SHLQ(Imm(2), ld)
	SHLQ(Imm(2), param("ldi"))
	floor, x, at := vec(), vec(), GP64()
	VBROADCASTSS(param("floor"), floor)
	for _, v := range []int{16, 8, 4, 1} {
		if v == 16 && !wide {
			continue
		}
		label := fmt.Sprintf("v%d", v)
		load := func(m Mem, dst reg.VecVirtual) { VMOVUPS(m, dst) }
		store := func(src reg.VecVirtual, m Mem) { VMOVUPS(src, m) }
		add := func(m Mem, acc reg.VecVirtual) { VFMADD231PS(m, x, acc) }
		Label(label)
		if v > 1 {
			CMPQ(param("n"), I32(v*size/4))
			JLT(LabelRef(map[int]string{16: "v8", 8: "v4", 4: "v1"}[v]))
		} else {
			load, store = maskedMoves(Load(Param("n"), GP64()), size, iota)
			add = func(m Mem, acc reg.VecVirtual) {
				y := vec()
				load(m, y)
				VFMADD231PS(y, x, acc)
			}
		}
		acc := make([]reg.VecVirtual, v)
		Label(label + "row")
		for j := range acc {
			acc[j] = vec()
			zero(acc[j], size)
		}
		TESTQ(init, init)
		JZ(LabelRef(label + "sum"))
		for j := range acc {
			load(Mem{Base: init, Disp: j * size}, acc[j])
		}
		ADDQ(param("ldi"), init)
		Label(label + "sum")
		row(label, func(i reg.GPVirtual, factor Mem) {
			VBROADCASTSS(factor, x)
			MOVQ(i, at)
			IMULQ(ld, at)
			for j := range acc {
				add(Mem{Base: b, Index: at, Scale: 1, Disp: j * size}, acc[j])
			}
		})
		for j := range acc {
			VMAXPS(acc[j], floor, acc[j]) // NaN stays NaN
		}
		if gate {
			MOVQ(param("gate"), at)
			TESTQ(at, at)
			JZ(LabelRef(label + "store"))
			none := vec()
			zero(none, size)
			for j := range acc {
				y := vec()
				load(Mem{Base: at, Disp: j * size}, y)
				keepPositive(acc[j], y, none, size)
			}
			ADDQ(ld, param("gate"))
			Label(label + "store")
		}
		for j := range acc {
			store(acc[j], Mem{Base: c, Disp: j * size})
		}
		ADDQ(ld, c)
		DECQ(param("m")) // in memory: registers are scarce
		JNZ(LabelRef(label + "row"))
		JMP(LabelRef("done"))
	}
	Label("done")
}

// keepPositive sets the elements of x to 0 where those of y are not above those of none,
// which are 0, nor NaN. It overwrites y.
func keepPositive(x, y, none reg.Register, size int) {
	if size == 64 {
		keep := K()
		VCMPPS(Imm(6), none, y, keep) // not ≤
		VMOVAPS_Z(x, keep, x)
		return
	}
	VCMPPS(Imm(6), none, y, y)
	VANDPS(y, x, x)
}

func gather(name string, vec func() reg.VecVirtual, size int, iota Mem) {
	TEXT(name, NOSPLIT, "func(m, n int, start *int, elements *int32, b *float32, ld int, c, init *float32, ldi int, floor float32)")
	Pragma("noescape")
	Doc(name+" is [gatherGo] for m and n at least 1, and for the first columns, as many as",
		"kernel.columns returns, or 256 with AVX-512 if there are as many. Rows of b and c have",
		"ld elements.")
	start, elements := Load(Param("start"), GP64()), Load(Param("elements"), GP64())
	e, i := GP64(), GP64()
	MOVQ(Mem{Base: start}, e)
	sums(vec, size, iota, size == 64, false, func(label string, add func(i reg.GPVirtual, x Mem)) {
		ADDQ(Imm(8), start)
		JMP(LabelRef(label + "test"))
		Label(label + "each")
		MOVLQZX(Mem{Base: elements, Index: e, Scale: 8}, i)
		add(i, Mem{Base: elements, Index: e, Scale: 8, Disp: 4})
		INCQ(e)
		Label(label + "test")
		CMPQ(e, Mem{Base: start})
		JLT(LabelRef(label + "each"))
	})
	VZEROUPPER()
	RET()
}

func sparse(name string, iota Mem) {
	TEXT(name, NOSPLIT, "func(m, n, k int, a, b *float32, ld int, c, init *float32, ldi int, floor float32, gate *float32) (count int)")
	Pragma("noescape")
	Doc(name+" is [sparseGo] for m, n and k at least 1, and for the first columns, as many as",
		"kernel.columns returns. Rows of b, c and gate have ld elements.")
	r := newRow(Load(Param("k"), GP64()), Load(Param("a"), GP64()), iota)
	count := GP64()
	XORQ(count, count)
	sums(ZMM, 64, iota, false, true, func(label string, add func(i reg.GPVirtual, x Mem)) {
		r.nonZeros(label, add, func(mask reg.GPVirtual) {
			bits := GP64()
			POPCNTQ(mask, bits)
			ADDQ(bits, count)
		})
		LEAQ(Mem{Base: r.x, Index: r.k, Scale: 4}, r.x)
	})
	Store(count, Return("count"))
	VZEROUPPER()
	RET()
}

// maskedMoves returns a load and a store of the first cols lanes of a vector of size bytes,
// or of all lanes if there are fewer. Other lanes are 0 after a load.
func maskedMoves(cols reg.Register, size int, iota Mem) (load func(Mem, reg.VecVirtual), store func(reg.VecVirtual, Mem)) {
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

// sparsePairs generates the kernel for pairs of rows of A and some vectors of columns.
// Both rows use each row of b that one of them needs, which saves loads: rows that follow
// each other are often alike, such as the afterstates of a decision.
func sparsePairs(name string, vectors int) {
	const size = 64
	TEXT(name, NOSPLIT, "func(pairs, k int, a, b *float32, ld int, c, init *float32, ldi int, floor float32, gate *float32) (count int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is [sparseGo] for the first %d columns of 2·pairs rows, pairs and k", name, 16*vectors),
		"at least 1. Rows of b, c and gate have ld elements.")
	k, x, ld := Load(Param("k"), GP64()), Load(Param("a"), GP64()), Load(Param("ld"), GP64())
	SHLQ(Imm(2), k)
	SHLQ(Imm(2), ld)
	SHLQ(Imm(2), param("ldi"))
	none := ZMM()
	zero(none, size)
	from, i, at, count := GP64(), GP64(), GP64(), GP64()
	XORQ(count, count)
	mask := [2]reg.GPVirtual{GP64(), GP64()}
	factor := [2]reg.VecVirtual{ZMM(), ZMM()}
	acc := [2][]reg.VecVirtual{make([]reg.VecVirtual, vectors), make([]reg.VecVirtual, vectors)}
	Label("pair")
	MOVQ(param("init"), at)
	for r := range acc {
		for j := range acc[r] {
			acc[r][j] = ZMM()
			zero(acc[r][j], size)
		}
	}
	TESTQ(at, at)
	JZ(LabelRef("sum"))
	for r := range acc {
		for j := range acc[r] {
			VMOVUPS(Mem{Base: at, Disp: j * size}, acc[r][j])
		}
		ADDQ(param("ldi"), at)
	}
	MOVQ(at, param("init"))
	Label("sum")
	XORQ(from, from) // in bytes of a row of A
	wb, y := GP64(), GP64()
	MOVQ(param("b"), wb)
	LEAQ(Mem{Base: x, Index: k, Scale: 1}, y)

	Label("block")
	var part [4]reg.OpmaskVirtual
	for j := range part {
		part[j] = K()
	}
	rows := []reg.GPVirtual{x.(reg.GPVirtual), y}
	// masks generates the masks of the elements of both rows that are not 0, or NaN:
	// of the next 64 elements or, if last is set, of as many as are left.
	masks := func(last bool) {
		for r, row := range rows {
			for j := range part {
				x := Mem{Base: row, Index: from, Scale: 1, Disp: j * size}
				if !last {
					VCMPPS(Imm(4), x, none, part[j])
					continue
				}
				MOVQ(at, i)
				SHRQ(Imm(uint64(16*j)), i)
				KMOVW(i.As32(), part[j])
				VCMPPS(Imm(4), x, none, part[j], part[j])
			}
			KUNPCKWD(part[0], part[1], part[0])
			KUNPCKWD(part[2], part[3], part[2])
			KUNPCKDQ(part[0], part[2], part[0])
			KMOVQ(part[0], mask[r])
			POPCNTQ(mask[r], i)
			ADDQ(i, count)
		}
	}
	MOVQ(k, i)
	SUBQ(from, i)
	CMPQ(i, I32(256))
	JLT(LabelRef("last"))
	masks(false)
	JMP(LabelRef("sums"))
	Label("last")
	SHRQ(Imm(2), i)
	MOVQ(I32(-1), at)
	SHLXQ(i, at, at)
	NOTQ(at)
	masks(true)
	Label("sums")
	ORQ(mask[1], mask[0])
	JZ(LabelRef("next"))
	Label("each")
	TZCNTQ(mask[0], i)
	BLSRQ(mask[0], mask[0])
	LEAQ(Mem{Base: from, Index: i, Scale: 4}, at)
	for r, row := range rows {
		VBROADCASTSS(Mem{Base: row, Index: at, Scale: 1}, factor[r])
	}
	IMULQ(ld, i)
	for j := range vectors {
		w := ZMM()
		VMOVUPS(Mem{Base: wb, Index: i, Scale: 1, Disp: j * size}, w)
		for r := range acc {
			VFMADD231PS(w, factor[r], acc[r][j])
		}
	}
	TESTQ(mask[0], mask[0])
	JNZ(LabelRef("each"))
	Label("next")
	ADDQ(I32(256), from)
	MOVQ(ld, i)
	SHLQ(Imm(6), i)
	ADDQ(i, wb)
	CMPQ(from, k)
	JLT(LabelRef("block"))

	LEAQ(Mem{Base: y, Index: k, Scale: 1}, x)
	c := wb
	MOVQ(param("c"), c)
	VBROADCASTSS(param("floor"), factor[0])
	for r := range acc {
		for j := range acc[r] {
			VMAXPS(acc[r][j], factor[0], acc[r][j]) // NaN stays NaN
		}
	}
	MOVQ(param("gate"), at)
	TESTQ(at, at)
	JZ(LabelRef("store"))
	for r := range acc {
		for j := range acc[r] {
			t := ZMM()
			VMOVUPS(Mem{Base: at, Disp: j * size}, t)
			keepPositive(acc[r][j], t, none, size)
		}
		ADDQ(ld, at)
	}
	MOVQ(at, param("gate"))
	Label("store")
	for r := range acc {
		for j := range acc[r] {
			VMOVUPS(acc[r][j], Mem{Base: c, Disp: j * size})
		}
		ADDQ(ld, c)
	}
	MOVQ(c, param("c"))
	DECQ(param("pairs"))
	JNZ(LabelRef("pair"))
	Store(count, Return("count"))
	VZEROUPPER()
	RET()
}
