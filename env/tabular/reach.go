package tabular

// bitset is a set of positions.
type bitset []uint64

func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

// reach is a set of positions that can come up.
type reach struct {
	nodes
	set  bitset
	todo []uint32 // of the set, not expanded
	node Node     // working memory
}

func newReach(x nodes) reach { return reach{nodes: x, set: make(bitset, (x.Len()+63)/64)} }

// add adds a position.
func (w *reach) add(at uint32) {
	if !w.set.has(at) {
		w.set[at>>6] |= 1 << (at & 63)
		w.todo = append(w.todo, at)
	}
}

// follow adds the positions after the moves of n whose probability is above zero; all if probs
// is nil.
func (w *reach) follow(n *Node, probs []float64) {
	for k, m := range n.Moves {
		if probs == nil || probs[k] > 0 {
			m.each(func(to uint32, _ float64) { w.add(to) })
		}
	}
}

// expand calls f with each position of the set and its node, until none is left. f
// follows moves.
func (w *reach) expand(f func(at uint32, n *Node)) {
	for len(w.todo) > 0 {
		at := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.Node(&w.node, at)
		f(at, &w.node)
	}
}

// reachable returns the positions that can come up from a start if the roles play policies. A
// role without one may play anything.
func reachable(x nodes, start uint32, policies []*policyTable) bitset {
	w := newReach(x)
	w.add(start)
	w.expand(func(at uint32, n *Node) { w.follow(n, n.under(policies, at)) })
	return w.set
}
