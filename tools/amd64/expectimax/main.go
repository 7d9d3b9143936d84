// Command expectimax generates the amd64 kernels of package expectimax. Run it by go generate in the
// directory of that package.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"marsgym/tools/amd64/kernels"
)

func main() {
	ConstraintExpr("amd64,!purego")
	for _, m := range []machine{{"AVX2", 32, YMM}, {"AVX512", 64, ZMM}} {
		m.solve()
		m.propagate()
	}
	kernels.Generate()
}

// The layout of the types of package expectimax, in bytes.
const (
	vecSize = 128

	nodeSize, nodeStop = 16, 12

	// A roll has the probability first, then the options. A pick has the number of
	// options between them, and its first few options are always different.
	to, number, optionSize = 8, 8, 4
	few, most              = 3, 5
)

// rolls is a kind of rolls: the name of the parameter with their address, the offset of
// their bounds in a node, and the binary logarithm of their size.
type rolls struct {
	name  string
	bound int
	shift uint64
}

var (
	edges = rolls{"edges", 0, 4}
	pairs = rolls{"pairs", 4, 4}
	picks = rolls{"picks", 8, 5}
)

// each emits a loop over the rolls of a node. body is called with a function that
// returns the address of the part of the roll at an offset.
func (r rolls) each(nodes reg.Register, body func(roll func(offset int) Mem)) {
	first, k, end := Load(Param(r.name), GP64()), GP64(), GP64()
	MOVL(Mem{Base: nodes, Disp: r.bound}, k.As32())
	MOVL(Mem{Base: nodes, Disp: nodeSize + r.bound}, end.As32())
	SHLQ(Imm(r.shift), k)
	SHLQ(Imm(r.shift), end)
	JMP(LabelRef(r.name + "_test"))
	Label(r.name)
	body(func(offset int) Mem { return Mem{Base: first, Index: k, Scale: 1, Disp: offset} })
	ADDQ(Imm(1<<r.shift), k)
	Label(r.name + "_test")
	CMPQ(k, end)
	JNE(LabelRef(r.name))
}

func place(at Mem) reg.Register {
	p := GP64()
	MOVL(at, p.As32())
	return p
}

// stop loads the offset of the end at which a node can stop, and jumps if it cannot.
func stop(nodes reg.Register, none string) reg.Register {
	p := GP64()
	MOVLQSX(Mem{Base: nodes, Disp: nodeStop}, p)
	TESTQ(p, p)
	JLT(LabelRef(none))
	return p
}

// option is the offset of an option, and its values.
type option struct {
	to    reg.Register
	value vector
}

// rest emits body for the places of the options of a pick after the first few, if there
// are any.
func (m machine) rest(roll func(int) Mem, label string, body func(to reg.Register)) {
	CMPL(roll(number), Imm(few))
	JLE(LabelRef(label))
	for o := few; o < most; o++ {
		body(place(roll(number + 4 + o*optionSize)))
	}
	Label(label)
}

// best loads the first few options of a pick and the values of the best of all. It reads
// the values of the other options from memory: AVX2 has no registers left for them.
func (m machine) best(roll func(int) Mem, value reg.Register) (first []option, best vector) {
	for o := range few {
		p := place(roll(number + 4 + o*optionSize))
		first = append(first, option{p, m.load(vec{value, p})})
	}
	best = m.max(m.max(first[0].value, first[1].value), first[2].value)
	m.rest(roll, "best", func(to reg.Register) { m.maxAt(vec{value, to}, best) })
	return first, best
}

func (m machine) solve() {
	TEXT("solve"+m.name, NOSPLIT, "func(n int, nodes, edges, pairs, picks, value, out, rolling *byte)")
	Pragma("noescape")
	n, nodes := Load(Param("n"), GP64()), Load(Param("nodes"), GP64())
	value, out, rolling := Load(Param("value"), GP64()), Load(Param("out"), GP64()), Load(Param("rolling"), GP64())

	Label("node")
	sum := m.zero()
	edges.each(nodes, func(roll func(int) Mem) {
		m.add(m.times(m.load(vec{value, place(roll(to))}), roll(0)), sum)
	})
	pairs.each(nodes, func(roll func(int) Mem) {
		v := m.load(vec{value, place(roll(to))})
		m.maxAt(vec{value, place(roll(to + optionSize))}, v)
		m.add(m.times(v, roll(0)), sum)
	})
	picks.each(nodes, func(roll func(int) Mem) {
		_, best := m.best(roll, value)
		m.add(m.times(best, roll(0)), sum)
	})
	m.store(sum, vec{base: rolling})
	m.maxAt(vec{value, stop(nodes, "none")}, sum)
	Label("none")
	m.store(sum, vec{base: out})
	ADDQ(Imm(vecSize), rolling)
	ADDQ(Imm(vecSize), out)
	ADDQ(Imm(nodeSize), nodes)
	DECQ(n)
	JNZ(LabelRef("node"))
	VZEROUPPER()
	RET()
}

func (m machine) propagate() {
	TEXT("propagate"+m.name, NOSPLIT, "func(n int, nodes, edges, pairs, picks, dist, reach, value, from, rolling *byte, tie float64)")
	Pragma("noescape")
	n, nodes := Load(Param("n"), GP64()), Load(Param("nodes"), GP64())
	reach, value := Load(Param("reach"), GP64()), Load(Param("value"), GP64())
	from, rolling := Load(Param("from"), GP64()), Load(Param("rolling"), GP64())
	slot, err := Param("tie").Resolve()
	if err != nil {
		panic(err)
	}
	tie, zero := m.broadcast(slot.Addr), m.zero()

	Label("node")
	p := m.load(vec{base: from})
	m.ifZero(p, "next")
	m.store(zero, vec{base: from})
	end := stop(nodes, "roll")
	least := m.load(vec{base: rolling})
	m.add(tie, least)
	m.take(vec{Load(Param("dist"), GP64()), end}, p, m.load(vec{value, end}), greater, least)
	m.ifZero(p, "next")
	Label("roll")
	edges.each(nodes, func(roll func(int) Mem) {
		m.addTo(vec{reach, place(roll(to))}, m.times(p, roll(0)))
	})
	pairs.each(nodes, func(roll func(int) Mem) {
		q, a, b := m.times(p, roll(0)), place(roll(to)), place(roll(to+optionSize))
		least := m.load(vec{value, a})
		m.add(tie, least)
		m.take(vec{reach, b}, q, m.load(vec{value, b}), greater, least)
		m.addTo(vec{reach, a}, q)
	})
	picks.each(nodes, func(roll func(int) Mem) {
		q := m.times(p, roll(0))
		first, least := m.best(roll, value)
		m.sub(tie, least)
		for _, o := range first {
			m.take(vec{reach, o.to}, q, o.value, atLeast, least)
		}
		m.rest(roll, "taken", func(to reg.Register) {
			m.take(vec{reach, to}, q, m.load(vec{value, to}), atLeast, least)
		})
	})
	Label("next")
	SUBQ(Imm(vecSize), from)
	SUBQ(Imm(vecSize), rolling)
	SUBQ(Imm(nodeSize), nodes)
	DECQ(n)
	JNZ(LabelRef("node"))
	VZEROUPPER()
	RET()
}
