// Command sgemm generates the amd64 kernels of package sgemm. Run it by go generate in the
// directory of that package.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"marsgym/tools/amd64/kernels"
)

func main() {
	ConstraintExpr("amd64,!purego")
	tile("tileAVX2", 6, YMM, 32)
	tile("tileAVX512", 8, ZMM, 64)
	transpose()
	lanes := iota()
	orders := order()
	listEights("listAVX2", false, lanes, orders)
	list("listAVX512", lanes)
	listEights("listDifferenceAVX2", true, lanes, orders)
	listDifference("listDifferenceAVX512", lanes)
	listGroup("listGroupAVX2", lanes, orders)
	gatherGroups("gatherGroupsAVX2", lanes)
	gather("gatherAVX2", YMM, 32, lanes)
	gather("gatherAVX512", ZMM, 64, lanes)
	sparse("sparseAVX512", lanes)
	sparsePairs("sparsePairs8AVX512", 8)
	sparsePairs("sparsePairs4AVX512", 4)
	relu()
	reluGrad()
	adam()
	kernels.Generate()
}

// tile generates a kernel for up to mr rows by one or two vectors of size bytes. Each
// number of rows has its own loop. In all of them an element is one chain of fused
// multiply-adds over ascending p, so its bits do not depend on the number of rows.
func tile(name string, mr int, vec func() reg.VecVirtual, size int) {
	TEXT(name, NOSPLIT, "func(rows, vecs, k int, a *float32, ars, acs int, b *float32, bs int, c *float32, cs int, add bool)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes c = a·b, or c += a·b if add is set, for rows 1 to %d, vecs 1", name, mr),
		fmt.Sprintf("or 2 vectors of %d columns, and k at least 1. Strides count elements: a by row", size/4),
		"(ars) and by p (acs), b by p (bs), c by row (cs).")
	rows, vecs := Load(Param("rows"), GP64()), Load(Param("vecs"), GP64())
	k := Load(Param("k"), GP64())
	a, b, c := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("c"), GP64())
	ars, acs := Load(Param("ars"), GP64()), Load(Param("acs"), GP64())
	bs, cs := Load(Param("bs"), GP64()), Load(Param("cs"), GP64())
	for _, s := range []reg.Register{ars, acs, bs, cs} {
		SHLQ(Imm(2), s)
	}
	// Rows 0 to 7 of a are a + i·ars with i = 1, 2 or 4 times 1, 3, 5 or 7.
	ars3, ars5, ars7 := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: ars, Index: ars, Scale: 2}, ars3)
	LEAQ(Mem{Base: ars, Index: ars, Scale: 4}, ars5)
	LEAQ(Mem{Base: ars3, Index: ars, Scale: 4}, ars7)
	row := []Mem{
		{Base: a},
		{Base: a, Index: ars, Scale: 1},
		{Base: a, Index: ars, Scale: 2},
		{Base: a, Index: ars3, Scale: 1},
		{Base: a, Index: ars, Scale: 4},
		{Base: a, Index: ars5, Scale: 1},
		{Base: a, Index: ars3, Scale: 2},
		{Base: a, Index: ars7, Scale: 1},
	}
	label := func(r, v int, s string) string { return fmt.Sprintf("r%dv%d%s", r, v, s) }
	for v := 2; v >= 1; v-- {
		if v == 2 {
			CMPQ(vecs, Imm(2))
			JNE(LabelRef("narrow"))
		} else {
			Label("narrow")
		}
		for r := mr; r > 1; r-- {
			CMPQ(rows, Imm(uint64(r)))
			JEQ(LabelRef(label(r, v, "")))
		}
		for r := 1; r <= mr; r++ {
			Label(label(r, v, ""))
			acc := make([][]reg.VecVirtual, r)
			each := func(f func(m Mem, acc reg.VecVirtual)) {
				at := GP64()
				MOVQ(c, at)
				for i := range acc {
					for j := range acc[i] {
						f(Mem{Base: at, Disp: j * size}, acc[i][j])
					}
					if i < r-1 {
						ADDQ(cs, at)
					}
				}
			}
			for i := range acc {
				acc[i] = make([]reg.VecVirtual, v)
				for j := range acc[i] {
					acc[i][j] = vec()
					zero(acc[i][j], size)
				}
			}
			CMPB(param("add"), Imm(0))
			JEQ(LabelRef(label(r, v, "loop")))
			each(func(m Mem, acc reg.VecVirtual) { VMOVUPS(m, acc) })
			Label(label(r, v, "loop"))
			bv := make([]reg.VecVirtual, v)
			for j := range bv {
				bv[j] = vec()
				VMOVUPS(Mem{Base: b, Disp: j * size}, bv[j])
			}
			for i := range acc {
				t := vec()
				VBROADCASTSS(row[i], t)
				for j := range bv {
					VFMADD231PS(bv[j], t, acc[i][j])
				}
			}
			ADDQ(acs, a)
			ADDQ(bs, b)
			DECQ(k)
			JNZ(LabelRef(label(r, v, "loop")))

			each(func(m Mem, acc reg.VecVirtual) { VMOVUPS(acc, m) })
			VZEROUPPER()
			RET()
		}
	}
}

func zero(x reg.Register, size int) {
	if size == 64 {
		VPXORD(x, x, x)
	} else {
		VXORPS(x, x, x)
	}
}

func param(name string) Op {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// transpose generates the kernel that transposes blocks of 8 by 8.
func transpose() {
	TEXT("transpose8", NOSPLIT, "func(blocks int, dst *float32, ds int, src *float32, ss int)")
	Pragma("noescape")
	Doc("transpose8 sets dst[p·ds + j] = src[j·ss + p] for j below 8 and p below",
		"8·blocks, blocks at least 1.")
	blocks := Load(Param("blocks"), GP64())
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	ds, ss := Load(Param("ds"), GP64()), Load(Param("ss"), GP64())
	SHLQ(Imm(2), ds)
	SHLQ(Imm(2), ss)
	ss3, src4 := GP64(), GP64()
	LEAQ(Mem{Base: ss, Index: ss, Scale: 2}, ss3)
	LEAQ(Mem{Base: src, Index: ss, Scale: 4}, src4)

	Label("loop")
	// Three stages, in pairs, quadruples and halves: each doubles the number of
	// adjacent elements that come from successive rows.
	var r, s, q [8]reg.VecVirtual
	for j := range r {
		base := src
		if j >= 4 {
			base = src4
		}
		m := []Mem{{Base: base}, {Base: base, Index: ss, Scale: 1}, {Base: base, Index: ss, Scale: 2}, {Base: base, Index: ss3, Scale: 1}}[j%4]
		r[j] = YMM()
		VMOVUPS(m, r[j])
	}
	for j := 0; j < 8; j += 2 {
		s[j], s[j+1] = YMM(), YMM()
		VUNPCKLPS(r[j+1], r[j], s[j])
		VUNPCKHPS(r[j+1], r[j], s[j+1])
	}
	for h := 0; h < 8; h += 4 {
		for j := range 2 {
			lo, hi := YMM(), YMM()
			VUNPCKLPD(s[h+j+2], s[h+j], lo)
			VUNPCKHPD(s[h+j+2], s[h+j], hi)
			q[h+2*j], q[h+2*j+1] = lo, hi
		}
	}
	out := func(p int, imm uint64) {
		t := YMM()
		VPERM2F128(Imm(imm), q[4+p], q[p], t)
		VMOVUPS(t, Mem{Base: dst})
		ADDQ(ds, dst)
	}
	for p := range 4 {
		out(p, 0x20)
	}
	for p := range 4 {
		out(p, 0x31)
	}
	ADDQ(Imm(32), src)
	ADDQ(Imm(32), src4)
	DECQ(blocks)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
