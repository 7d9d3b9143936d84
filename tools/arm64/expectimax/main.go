// Command expectimax generates the arm64 kernels of package expectimax. Run it by go generate in the
// directory of that package.
package main

import "marsgym/tools/arm64/neon"

func main() { neon.Generate("arm64/expectimax", solve, propagate) }

// The layout of the types of package expectimax, in bytes.
const (
	vecSize            = 128
	nodeSize, nodeStop = 16, 12
)

// A Vec takes eight registers of two lanes. One load or store moves half of it.
const (
	registers = 8
	half      = registers / 2
	halfSize  = vecSize / 2
)

// kernel is a function with a register for each parameter.
type kernel struct {
	*neon.Func
	param map[string]neon.R
	prob  neon.V    // the probability of a roll
	to    []neon.R  // the places of its options: their offsets, then their addresses
	k     [2]neon.R // the place of the roll, and the end of the rolls of the node
}

func newKernel(file *neon.File, name, signature string, params ...string) *kernel {
	k := &kernel{Func: file.Func(name, signature), param: map[string]neon.R{}}
	for _, p := range params {
		k.param[p] = k.Load(p)
	}
	k.prob = k.V()
	for range most {
		k.to = append(k.to, k.R())
	}
	k.k = [2]neon.R{k.R(), k.R()}
	return k
}

// rolls is a kind of rolls: the name of the parameter with their address, the offset of
// their bounds in a node, and the binary logarithm of their size.
type rolls struct {
	name  string
	bound int
	shift int
}

// A pick has three options or more, at most five. If it has fewer than five, the first
// follows again in the places of the others.
const few, most = 3, 5

var (
	edges = rolls{"edges", 0, 4}
	pairs = rolls{"pairs", 4, 4}
	picks = rolls{"picks", 8, 5}
)

// each generates a loop over the rolls of a node, of each of which load loads all.
func (k *kernel) each(r rolls, load, body func()) {
	roll, end := k.k[0], k.k[1]
	for i, at := range k.k {
		k.Op("MOVWU", neon.At(k.param["nodes"], i*nodeSize+r.bound), at)
		k.Op("ADD", neon.Shifted(at, r.shift), k.param[r.name], at)
	}
	k.Op("CMP", end, roll)
	k.Op("BEQ", r.name+"_end")
	k.Label(r.name)
	k.Op("VLD1R.P", neon.At(roll, 8), neon.D2(k.prob))
	load()
	body()
	k.Label(r.name + "_test")
	k.Op("CMP", end, roll)
	k.Op("BNE", r.name)
	k.Label(r.name + "_end")
}

func (k *kernel) edges(body func()) {
	k.each(edges, func() { k.Op("MOVWU.P", neon.At(k.k[0], 8), k.to[0]) }, body)
}

func (k *kernel) pairs(body func()) {
	k.each(pairs, func() { k.Op("LDPW.P", neon.At(k.k[0], 8), neon.Pair(k.to[0], k.to[1])) }, body)
}

// picks generates the loop twice, for three options and for more.
func (k *kernel) picks(body func(options int)) {
	number := k.to[most-1] // until the last option is loaded
	k.each(picks, func() {
		for _, two := range [][2]neon.R{{number, k.to[0]}, {k.to[1], k.to[2]}} {
			k.Op("LDPW.P", neon.At(k.k[0], 8), neon.Pair(two[0], two[1]))
		}
		k.Op("CMP", few, number)
		k.Op("LDPW.P", neon.At(k.k[0], 8), neon.Pair(k.to[3], k.to[4]))
		k.Op("BGT", "more")
	}, func() {
		body(few)
		k.Op("B", picks.name+"_test")
		k.Label("more")
		body(most)
	})
}

// address adds base to the offsets of the first options.
func (k *kernel) address(base neon.R, options int) {
	for _, to := range k.to[:options] {
		k.Op("ADD", base, to)
	}
}

// load loads the next half of a Vec, and store stores one. Both go on to the other half.
func (k *kernel) load(at neon.R, x []neon.V)  { k.Op("VLD1.P", neon.At(at, halfSize), neon.D2(x...)) }
func (k *kernel) store(x []neon.V, at neon.R) { k.Op("VST1.P", neon.D2(x...), neon.At(at, halfSize)) }

// op generates an operation on vectors of equal length. A vector of one register stands
// for one whose registers are all alike.
func (k *kernel) op(name string, dst, x, y []neon.V) {
	for i := range dst {
		k.Word(name, neon.Double, dst[i], x[i%len(x)], y[i%len(y)])
	}
}

// whole returns all registers of two halves.
func whole(x [2][]neon.V) []neon.V { return append(x[0][:half:half], x[1]...) }

// vec allocates the registers of a Vec.
func (k *kernel) vec() [2][]neon.V { return [2][]neon.V{k.Vectors(half), k.Vectors(half)} }

// loadAll and storeAll move a Vec and leave its address in at behind it.
func (k *kernel) loadAll(at neon.R, x [2][]neon.V) {
	for _, x := range x {
		k.load(at, x)
	}
}

func (k *kernel) storeAll(x [2][]neon.V, at neon.R) {
	for _, x := range x {
		k.store(x, at)
	}
}

// stop loads the offset of the end at which a node can stop into a register, and jumps if
// it cannot.
func (k *kernel) stop(to neon.R, none string) {
	k.Op("MOVW", neon.At(k.param["nodes"], nodeStop), to)
	k.Op("TBNZ", 63, to, none)
}

func solve(file *neon.File) {
	k := newKernel(file, "solveNEON", "func(n int, nodes *node, edges *edge, pairs *pair, picks *pick, value, out, rolling *float64)",
		"n", "nodes", "edges", "pairs", "picks", "value", "out", "rolling")
	value, prob := k.param["value"], []neon.V{k.prob}
	sum, best, next := k.vec(), k.vec(), k.vec()
	// add adds the product of the probability and the values of the best option.
	add := func(options int) {
		k.address(value, options)
		k.loadAll(k.to[0], best)
		for _, to := range k.to[1:options] {
			k.loadAll(to, next)
			k.op("fmax", whole(best), whole(best), whole(next))
		}
		k.op("fmul", whole(best), whole(best), prob)
		k.op("fadd", whole(sum), whole(sum), whole(best))
	}
	k.Label("node")
	k.Zero(whole(sum)...)
	k.edges(func() { add(1) })
	k.pairs(func() { add(2) })
	k.picks(add)
	k.storeAll(sum, k.param["rolling"])
	end := k.to[0]
	k.stop(end, "none")
	k.Op("ADD", value, end)
	k.loadAll(end, next)
	k.op("fmax", whole(sum), whole(sum), whole(next))
	k.Label("none")
	k.storeAll(sum, k.param["out"])
	k.Op("ADD", nodeSize, k.param["nodes"])
	k.Op("SUBS", 1, k.param["n"])
	k.Op("BNE", "node")
	k.Op("RET")
}

func propagate(file *neon.File) {
	k := newKernel(file, "propagateNEON", "func(n int, nodes *node, edges *edge, pairs *pair, picks *pick, dist, reach, value, from, rolling *float64, tie float64)",
		"n", "nodes", "edges", "pairs", "picks", "dist", "reach", "value", "from", "rolling")
	value, reach, from := k.param["value"], k.param["reach"], k.param["from"]
	prob, tie, p := []neon.V{k.prob}, []neon.V{k.V()}, k.vec()
	q, x, least, sum, part := k.Vectors(half), k.Vectors(half), k.Vectors(half), k.Vectors(half), k.V()
	k.Op("FMOVD", k.Param("tie"), tie[0].F())
	k.Op("VDUP", tie[0].D(0), tie[0].D2())
	var at []neon.R // the reach of each option
	for range most {
		at = append(at, k.R())
	}

	// add adds q to half a Vec.
	add := func(at neon.R, q []neon.V) {
		k.Op("VLD1", neon.At(at, 0), neon.D2(sum...))
		k.op("fadd", sum, sum, q)
		k.store(sum, at)
	}
	// take adds q to half a Vec and sets it to 0, both in the lanes of choice.
	take := func(at neon.R, q, choice []neon.V) {
		k.Op("VLD1", neon.At(at, 0), neon.D2(sum...))
		for i := range q {
			k.Op("VAND", q[i].B16(), choice[i].B16(), part.B16())
			k.Word("fadd", neon.Double, sum[i], sum[i], part)
			k.Word("bic", neon.Bytes, q[i], q[i], choice[i])
		}
		k.store(sum, at)
	}
	// places fills in the addresses of options.
	places := func(options int) {
		for o, to := range k.to[:options] {
			k.Op("ADD", reach, to, at[o])
		}
		k.address(value, options)
	}
	// ifZero jumps if p is 0 in all lanes.
	ifZero := func(label string) {
		lo, hi := k.to[0], k.to[1]
		k.Op("VORR", p[0][0].B16(), p[0][1].B16(), part.B16())
		for _, p := range whole(p)[2:] {
			k.Op("VORR", p.B16(), part.B16(), part.B16())
		}
		k.Op("VMOV", part.D(0), lo)
		k.Op("VMOV", part.D(1), hi)
		k.Op("ORR", lo, hi)
		k.Op("CBZ", hi, label)
	}

	k.Label("node")
	k.Op("MOVD", from, at[0])
	k.loadAll(at[0], p)
	ifZero("next")
	k.Zero(sum...)
	k.Op("MOVD", from, at[0])
	k.storeAll([2][]neon.V{sum, sum}, at[0])
	end := k.to[0]
	k.stop(end, "roll")
	k.Op("MOVD", k.param["rolling"], at[1])
	k.Op("ADD", k.param["dist"], end, at[0])
	k.Op("ADD", value, end)
	for _, p := range p {
		k.load(at[1], least)
		k.op("fadd", least, least, tie)
		k.load(end, x)
		k.op("fcmgt", x, x, least)
		take(at[0], p, x)
	}
	ifZero("next")

	k.Label("roll")
	k.edges(func() {
		k.address(reach, 1)
		for _, p := range p {
			k.op("fmul", q, p, prob)
			add(k.to[0], q)
		}
	})
	k.pairs(func() {
		places(2)
		for _, p := range p {
			k.load(k.to[0], least)
			k.op("fadd", least, least, tie)
			k.load(k.to[1], x)
			k.op("fcmgt", x, x, least)
			k.op("fmul", q, p, prob)
			take(at[1], q, x)
			add(at[0], q)
		}
	})
	k.picks(func(options int) {
		places(options)
		for _, p := range p {
			k.Op("VLD1", neon.At(k.to[0], 0), neon.D2(least...))
			for _, to := range k.to[1:options] {
				k.Op("VLD1", neon.At(to, 0), neon.D2(x...))
				k.op("fmax", least, least, x)
			}
			k.op("fsub", least, least, tie)
			k.op("fmul", q, p, prob)
			for o, to := range k.to[:options-1] {
				k.load(to, x)
				k.op("fcmge", x, x, least)
				take(at[o], q, x)
			}
			// What is left chooses the last option, or is 0 if that is the first again.
			k.Op("ADD", halfSize, k.to[options-1])
			add(at[options-1], q)
		}
	})

	k.Label("next")
	k.Op("SUB", vecSize, from)
	k.Op("SUB", vecSize, k.param["rolling"])
	k.Op("SUB", nodeSize, k.param["nodes"])
	k.Op("SUBS", 1, k.param["n"])
	k.Op("BNE", "node")
	k.Op("RET")
}
