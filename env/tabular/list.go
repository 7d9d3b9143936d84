package tabular

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/intern"
)

// list is a [Numbering] of all positions that the rules can reach. The number of a position is
// higher than those of its successors, except where positions can recur; the initial position
// has the highest. Roles are seats.
type list[S comparable] struct {
	graph
	rules  core.Rules[S]
	states intern.Table[S] // representatives, by number
}

// graph is where the positions of a list lead.
type graph struct {
	players     int
	equalReturn float64       // return of each seat if all have the same
	unique      bool          // best play has one value: one seat, or two whose returns have a constant sum
	mover       []game.Player // [positions]

	// Row i of edges is that of position i:
	//   - of a seat: its successors, in the order of Legal;
	//   - of chance: where their probabilities begin in rows, then the successors;
	//   - of an end: where its returns [P] begin in rows.
	edges edgeRows
	rows  numberRows

	// parts are the strongly connected components, each after all its successors. Successive
	// components without a cycle are one part.
	parts []span
}

// span is a range of positions, from the end of the span before it.
type span struct {
	end    uint32
	cyclic bool // they can recur
}

// Number implements [Numbering]. It numbers chance too.
func (l *list[S]) Number(s S) (at uint32, first game.Player, err error) {
	at, ok := l.states.Find(l.rules.Representative(s))
	if !ok {
		err = errors.New("no play leads to it")
	}
	return at, 0, err
}

// State implements [Numbering].
func (l *list[S]) State(at uint32, _ game.Player) S { return l.states.Key(at) }

// initial returns the number of the initial position.
func (g *graph) initial() uint32 { return uint32(g.Len() - 1) }

// Len implements [Numbering].
func (g *graph) Len() int { return len(g.mover) }

// Node implements [Numbering].
func (g *graph) Node(n *Node, at uint32) {
	n.Mover, n.Moves, n.Probs = g.mover[at], n.Moves[:0], nil
	for _, to := range g.next(at) {
		n.Moves = append(n.Moves, Move{To: to, Prob: 1})
	}
	if n.Mover == game.Chance {
		n.Probs = g.probs(at)
	}
}

// Layers implements [Numbering]. The parts are not solved at once, so that all are in one layer,
// although they depend on each other.
func (g *graph) Layers() []int { return []int{len(g.parts)} }

// Part implements [Numbering].
func (g *graph) Part(p *Part, _, part int) {
	p.Clear(1)
	from, to := g.span(part)
	for i := from; i < to; i++ {
		p.Lists[0] = append(p.Lists[0], i)
	}
	p.Cyclic = g.parts[part].cyclic
}

// span returns the range of positions of a part.
func (g *graph) span(part int) (from, to uint32) {
	if part > 0 {
		from = g.parts[part-1].end
	}
	return from, g.parts[part].end
}

// next returns the successors of position i.
func (g *graph) next(i uint32) []uint32 {
	row := g.edges.row(i)
	return row[skipped(g.mover[i], len(row)):]
}

// skipped returns how many numbers of a row of edges are not successors.
func skipped(mover game.Player, length int) int {
	switch mover {
	case game.Terminal:
		return length
	case game.Chance:
		return 1
	}
	return 0
}

// probs returns the probabilities of the successors of a position of chance.
func (g *graph) probs(i uint32) []float64 {
	row := g.edges.row(i)
	return g.rows.numbers[row[0]:][:len(row)-1]
}

// returns returns the returns [P] of an end.
func (g *graph) returns(i uint32) []float64 {
	return g.rows.numbers[g.edges.row(i)[0]:][:g.players]
}

// edgeRows are rows of at least one number, in blocks that are never copied.
type edgeRows struct {
	first  []uint32   // [rows] the block in which a row begins, and where, in edgeBits
	blocks [][]uint32 // of up to 2^edgeBits numbers, or of one row
	n      int        // numbers
}

// edgeBits is the logarithm of the size of a block. Chosen: the list of blocks fits into a cache,
// and the last block wastes little.
const edgeBits = 16

// row returns a row.
func (r *edgeRows) row(i uint32) []uint32 {
	at := r.first[i]
	block := r.blocks[at>>edgeBits][at&(1<<edgeBits-1):]
	if int(i)+1 < len(r.first) {
		if next := r.first[i+1]; next>>edgeBits == at>>edgeBits {
			return block[:next-at]
		}
	}
	return block
}

// add adds a row of n numbers and returns it.
func (r *edgeRows) add(n int) []uint32 {
	last := len(r.blocks) - 1
	if last < 0 || len(r.blocks[last])+n > 1<<edgeBits {
		var block []uint32
		if last++; last > 0 {
			block = make([]uint32, 0, max(n, 1<<edgeBits))
		}
		r.blocks = append(r.blocks, block)
	}
	block := r.blocks[last]
	from := len(block)
	r.first = append(r.first, uint32(last<<edgeBits+from))
	block = slices.Grow(block, n)[:from+n]
	r.blocks[last] = block
	r.n += n
	return block[from:]
}

// numberRows stores rows of numbers, such as the probabilities of a die. Most are equal to
// others, and are stored once.
type numberRows struct {
	numbers []float64
	known   map[string]uint32 // where rows begin in numbers
	key     []byte
}

// add returns where a row begins in numbers.
func (r *numberRows) add(row []float64) uint32 {
	const most = 1 << 16 // rows that are compared with others; chosen: they are few, or nearly all differ
	r.key = r.key[:0]
	for _, x := range row {
		r.key = binary.LittleEndian.AppendUint64(r.key, math.Float64bits(x))
	}
	at, ok := r.known[string(r.key)]
	if !ok {
		at = uint32(len(r.numbers))
		r.numbers = append(r.numbers, row...)
		if len(r.known) < most {
			if r.known == nil {
				r.known = map[string]uint32{}
			}
			r.known[string(r.key)] = at
		}
	}
	return at
}
