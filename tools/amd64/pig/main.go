// Command pig generates the amd64 kernels of package pig. Run it by go generate in the directory of
// that package.
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
	step()
	show()
	kernels.Generate()
}

// A kernel holds four rows, one in each 64-bit lane of a register, in the order 0, 2, 1, 3, as
// unpacking leaves them. A state has two words: the scores of eight seats; and, above the scores of
// two more, the turn total, the seat and the phase.
const (
	totalShift, seatShift, phaseShift = 16, 24, 32

	terminal = 0xFE // game.Terminal as a byte
)

type lanes = reg.VecVirtual

// The constants of rand.PCG, in math/rand/v2/pcg.go.
const (
	mulHi, mulLo = 2549297995355413924, 4865540595714422341
	incHi, incLo = 6364136223846793005, 1442695040888963407
	cheapMul     = 0xda942042e4dd58b5
)

var constants = map[[4]uint64]Mem{}

// words returns the address of four constants, one a lane.
func words(x [4]uint64) Mem {
	m, ok := constants[x]
	if !ok {
		m = GLOBL(fmt.Sprintf("words%d", len(constants)), RODATA|NOPTR)
		for i, w := range x {
			DATA(8*i, U64(w))
		}
		constants[x] = m
	}
	return m
}

// all returns the address of one constant in all lanes.
func all(x uint64) Mem { return words([4]uint64{x, x, x, x}) }

// op returns the result of an instruction in a new register. Only the first operand can be in memory,
// so that of an instruction with a constant second they trade places: it must be commutative.
func op[F func(x, y, r Op) | func(...Op)](f F, x, y Op) lanes {
	if m, ok := y.(Mem); ok {
		x, y = m, x
	}
	r := YMM()
	switch f := any(f).(type) {
	case func(x, y, r Op):
		f(x, y, r)
	case func(...Op):
		f(x, y, r)
	}
	return r
}

func add(x, y Op) lanes              { return op(VPADDQ, x, y) }
func and(x, y Op) lanes              { return op(VPAND, x, y) }
func xor(x, y Op) lanes              { return op(VPXOR, x, y) }
func or(x, y Op) lanes               { return op(VPOR, x, y) }
func left(n uint64, x Op) lanes      { return op(VPSLLQ, Imm(n), x) }
func right(n uint64, x Op) lanes     { return op(VPSRLQ, Imm(n), x) }
func mul(x, y Op) lanes              { return op(VPMULUDQ, x, y) } // of the low halves
func greater(x lanes, than Op) lanes { return op(VPCMPGTQ, than, x) }
func but(x, not Op) lanes            { return op(VPANDN, x, not) }

// low returns the low words of the products x·k.
func low(x lanes, k uint64) lanes {
	cross := add(mul(right(32, x), all(k)), mul(x, all(k>>32)))
	return add(left(32, cross), mul(x, all(k)))
}

// draw returns the next state of generators, and the numbers from 0 to n-1 that random.Below makes
// of their outputs.
func draw(hi, lo lanes, n uint64) (nextHi, nextLo, x lanes) {
	// lo·mulLo, by halves.
	y := right(32, lo)
	ac, bc, ad, bd := mul(all(mulLo), lo), mul(all(mulLo), y), mul(all(mulLo>>32), lo), mul(all(mulLo>>32), y)
	middle := add(ad, add(right(32, ac), and(bc, all(1<<32-1)))) // which does not overflow
	top := add(add(bd, right(32, bc)), right(32, middle))
	product := op(func(a, b, r Op) { VPBLENDD(Imm(0xAA), a, b, r) }, left(32, middle), ac)
	// The other products, of which the low words count.
	nextHi = add(add(add(low(hi, mulLo), low(lo, mulHi)), top), all(incHi))
	nextLo = add(product, all(incLo))
	// A sum below incLo has a carry. AVX2 compares signed words.
	const sign = 1 << 63
	carry := YMM()
	VMOVDQU(all(incLo^sign), carry)
	VPCMPGTQ(xor(nextLo, all(sign)), carry, carry)
	nextHi = op(VPSUBQ, carry, nextHi)
	// DXSM.
	u := low(xor(nextHi, right(32, nextHi)), cheapMul)
	u = xor(u, right(48, u))
	odd := or(nextLo, all(1))
	cross := add(mul(right(32, u), odd), mul(right(32, odd), u))
	u = add(left(32, cross), mul(u, odd))
	x = add(mul(right(32, u), all(n)), right(32, mul(u, all(n))))
	return nextHi, nextLo, right(32, x)
}

// pairs loads the two words of four rows, which begin at p.
func pairs(p Mem) (first, second lanes) {
	a, b := YMM(), YMM()
	VMOVDQU(p, a)
	VMOVDQU(p.Offset(32), b)
	return op(VPUNPCKLQDQ, b, a), op(VPUNPCKHQDQ, b, a)
}

// putPairs stores what pairs loads.
func putPairs(first, second lanes, p Mem) {
	VMOVDQU(op(VPUNPCKLQDQ, second, first), p)
	VMOVDQU(op(VPUNPCKHQDQ, second, first), p.Offset(32))
}

// actions loads actions of four rows.
func actions(p Mem) lanes {
	x, r := XMM(), YMM()
	VPSHUFD(Imm(0b11_01_10_00), p, x)
	VPMOVZXDQ(x, r)
	return r
}

// pack moves the low bytes of the lanes, size of each, to the low end of a register in the order of
// the rows.
func pack(x lanes, size int) lanes {
	shuffle := [4]uint64{1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1} // zeros
	for lane, row := range []int{0, 2, 1, 3} {
		for k := range size {
			at := 8 * (row*size + k)
			shuffle[lane/2*2] &^= 0xFF << at
			shuffle[lane/2*2] |= uint64(lane%2*8+k) << at
		}
	}
	y, high := op(VPSHUFB, words(shuffle), x), XMM()
	VEXTRACTI128(Imm(1), y, high)
	VPOR(high, y.AsX(), high)
	return high
}

// parameter broadcasts a parameter.
func parameter(broadcast func(...Op), name string) lanes {
	slot, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := YMM()
	broadcast(slot.Addr, r)
	return r
}

func step() {
	TEXT("stepAVX2", NOSPLIT, "func(blocks int, states, actions, dice, players *byte, seats, last uint64) bool")
	Pragma("noescape")
	Doc("stepAVX2 is Step for 4·blocks rows, blocks at least 1, of up to 8 seats. It reports whether all", "actions are legal. last is the target less 1.")
	at := func(name string) Mem { return Mem{Base: Load(Param(name), GP64())} }
	blocks, states, acts := Load(Param("blocks"), GP64()), at("states"), at("actions")

	fault, n, s, a := YMM(), GP64(), Mem{Base: GP64()}, Mem{Base: GP64()}
	VPXOR(fault, fault, fault)
	MOVQ(blocks, n)
	MOVQ(states.Base, s.Base)
	MOVQ(acts.Base, a.Base)
	Label("check")
	{
		_, q := pairs(s)
		act := actions(a)
		nothing := right(63, op(VPSUBQ, all(1), and(right(totalShift, q), all(0xFF))))
		VPOR(or(or(right(1, act), and(act, nothing)), right(phaseShift, q)), fault, fault)
	}
	ADDQ(Imm(64), s.Base)
	ADDQ(Imm(16), a.Base)
	DECQ(n)
	JNZ(LabelRef("check"))
	legal := GP8()
	VPTEST(fault, fault)
	SETEQ(legal)
	Store(legal, ReturnIndex(0))
	JNE(LabelRef("done"))

	dice, players := at("dice"), at("players")
	seats, last := parameter(VPBROADCASTQ, "seats"), parameter(VPBROADCASTQ, "last")
	Label("row")
	roll := op(VPSUBQ, all(1), actions(acts)) // all bits where the die is rolled, else none
	oldHi, oldLo := pairs(dice)
	hi, lo, face := draw(oldHi, oldLo, 6)
	keep := func(x, old lanes) lanes { return op(func(a, b, r Op) { VPBLENDVB(roll, a, b, r) }, x, old) }
	putPairs(keep(hi, oldHi), keep(lo, oldLo), dice)

	scores, q := pairs(states)
	rolled := and(add(face, all(1)), roll)
	more := greater(rolled, all(1)) // where the turn goes on
	seat := and(right(seatShift, q), all(0xFF))
	bit := left(3, seat)
	was, total := and(op(VPSRLVQ, bit, scores), all(0xFF)), and(right(totalShift, q), all(0xFF))
	score := add(was, but(total, roll))
	total = and(add(total, rolled), more)
	over := and(greater(add(score, total), last), more)
	score = add(score, and(total, over))
	total = but(total, over)
	next := add(add(seat, all(1)), more)
	next = but(next, op(VPCMPEQQ, seats, next)) // the first seat after the last
	scores = xor(scores, op(VPSLLVQ, bit, xor(was, score)))
	q = or(or(left(totalShift, total), left(seatShift, next)), and(over, all(2<<phaseShift)))
	putPairs(scores, q, states)
	who := or(but(next, over), and(over, all(terminal)))
	VMOVD(pack(who, 1).AsX(), players)

	ADDQ(Imm(64), states.Base)
	ADDQ(Imm(16), acts.Base)
	ADDQ(Imm(64), dice.Base)
	ADDQ(Imm(4), players.Base)
	DECQ(blocks)
	JNZ(LabelRef("row"))
	Label("done")
	VZEROUPPER()
	RET()
}

// row is the size of an observation of two seats in bytes: the scores, from the viewer's; 1 and 0 for
// the seat whose turn it is; the turn total; and two zeros.
const row = 7 * 4

func show() {
	TEXT("showAVX2", NOSPLIT, "func(blocks int, states, obs, mask *byte, target uint64)")
	Pragma("noescape")
	Doc("showAVX2 is Show for 4·blocks rows, blocks at least 1, of two seats.")
	at := func(name string) Mem { return Mem{Base: Load(Param(name), GP64())} }
	blocks, states, obs, mask := Load(Param("blocks"), GP64()), at("states"), at("obs"), at("mask")
	target := parameter(VPBROADCASTD, "target")
	VCVTDQ2PS(target, target)

	Label("row")
	scores, q := pairs(states)
	seat := and(right(seatShift, q), all(1))
	bit := left(3, seat)
	own, other := and(op(VPSRLVQ, bit, scores), all(0xFF)), and(op(VPSRLVQ, xor(bit, all(8)), scores), all(0xFF))
	total := and(right(totalShift, q), all(0xFF))
	over := func(x lanes) lanes { // target
		r := YMM()
		VCVTDQ2PS(x, r)
		VDIVPS(target, r, r)
		return r
	}
	points, turn := over(or(own, left(32, other))), over(total)
	const one = 0x3F800000 // 1 and 0 as numbers
	for k, r := range []lanes{op(VPUNPCKLQDQ, all(one), points), op(VPUNPCKHQDQ, all(one), points)} {
		high := XMM()
		VEXTRACTI128(Imm(1), r, high)
		VMOVDQU(r.AsX(), obs.Offset(2*k*row))
		VMOVDQU(high, obs.Offset((2*k+1)*row))
	}
	high := XMM()
	VEXTRACTI128(Imm(1), turn, high)
	for k, r := range []Op{turn.AsX(), high} {
		VMOVLPS(r, obs.Offset(k*row+16))
		VMOVHPS(r, obs.Offset((2+k)*row+16))
	}
	// Roll is legal, and hold where the turn total is above 0.
	VMOVQ(pack(or(all(1), and(greater(total, zero()), all(1<<8))), 2).AsX(), mask)

	ADDQ(Imm(64), states.Base)
	ADDQ(Imm(4*row), obs.Base)
	ADDQ(Imm(8), mask.Base)
	DECQ(blocks)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

func zero() lanes {
	r := YMM()
	VPXOR(r, r, r)
	return r
}
