package gametest

import (
	"math"
	"slices"

	"marsgym/env/game"
)

// turn is one turn, whose states are representatives.
type turn[S comparable] struct {
	start S
	mover game.Player
	end   []int       // [n] index of the representative of each end of the plan
	index map[S]int   // of distinct ends
	pay   [][]float64 // [distinct ends][P] values by seat

	// All states but the ends, if there are not too many. The start is node 0.
	node    []node[S]
	at      map[S]int // nodes by state, without the start, which may also be an end
	order   []int     // nodes, each after its successors, cycles excepted
	reached []bool    // [distinct ends]
}

type node[S comparable] struct {
	state S
	prob  []float64 // of the successors; nil where the mover decides
	to    []int     // successors: a node, or -1 minus the index of a distinct end
	value []float64 // [P] by seat
}

// follow returns the successors of s; prob is nil where a seat decides.
func (p *planChecker[S]) follow(s S) (next []S, prob []float64) {
	for _, o := range p.rules.Outcomes(nil, s) {
		next, prob = append(next, p.core.Representative(o.State)), append(prob, o.Prob)
	}
	for _, a := range p.rules.Legal(nil, s) {
		after, _ := p.rules.Apply(s, a)
		next = append(next, p.core.Representative(after))
	}
	return next, prob
}

// within reports whether s, which is none of the ends, belongs to the turn. If it does
// not, an end is missing.
func (p *planChecker[S]) within(t *turn[S], s S) bool {
	who := p.rules.CurrentPlayer(s)
	if p.mover(s) >= 0 || who != game.Chance && who != t.mover {
		p.failAt(t.start, "Begin returns every end", "%s is missing", p.text(s))
		return false
	}
	return true
}

// list adds the states of the turn from s on, and returns false if there are more than
// turnStates. s gets the next number.
func (p *planChecker[S]) list(t *turn[S], s S) bool {
	if len(t.node) == turnStates {
		return false
	}
	i := len(t.node)
	next, prob := p.follow(s)
	t.node = append(t.node, node[S]{state: s, prob: prob, to: make([]int, len(next)), value: make([]float64, p.spec.Players)})
	for k, s := range next {
		to, ok := t.index[s]
		if ok {
			t.reached[to] = true
			t.node[i].to[k] = -1 - to
			continue
		}
		if to, ok = t.at[s]; !ok {
			to = len(t.node)
			t.at[s] = to
			if !p.within(t, s) || !p.list(t, s) {
				return false
			}
		}
		t.node[i].to[k] = to
	}
	t.order = append(t.order, i)
	return true
}

// valueOf returns the values [P] of a node or an end.
func (t *turn[S]) valueOf(to int) []float64 {
	if to < 0 {
		return t.pay[-1-to]
	}
	return t.node[to].value
}

// solve computes the values of all nodes by backward induction, repeated until nothing
// changes if there are cycles.
func (t *turn[S]) solve() {
	for change := 1.0; change > planTolerance/turnStates; {
		change = 0
		for _, i := range t.order {
			n := &t.node[i]
			value := make([]float64, len(n.value))
			var options []float64
			for k, to := range n.to {
				w := t.valueOf(to)
				options = append(options, w[t.mover])
				for j := range value {
					if n.prob != nil {
						value[j] += n.prob[k] * w[j]
					}
				}
			}
			if n.prob == nil {
				copy(value, t.valueOf(n.to[game.BestOption(options)]))
			}
			for j := range value {
				change = max(change, math.Abs(value[j]-n.value[j]))
			}
			n.value = value
		}
	}
}

// compareListed compares a plan with backward induction over the turn.
func (p *planChecker[S]) compareListed(t *turn[S], value []float64) {
	t.solve()
	if want := t.node[0].value; !near(value, want) {
		p.failAt(t.start, "Value is that of backward induction", "got %v, want %v", value, want)
	}
	for _, n := range t.node {
		if n.prob == nil {
			p.checkOptions(t, n.state, func(k int) float64 { return t.valueOf(n.to[k])[t.mover] })
		}
	}
}

// checkOptions compares the options of a decision with the values of its successors.
func (p *planChecker[S]) checkOptions(t *turn[S], s S, want func(k int) float64) {
	legal := p.rules.Legal(nil, s)
	got := p.options(s)
	for k := range got {
		if w := want(k); !(math.Abs(got[k]-w) <= planTolerance) {
			p.failAt(s, "Options are those of backward induction", "%s has value %v, want %v, in the turn from %s",
				p.action(legal[k]), got[k], w, p.text(t.start))
			return
		}
	}
}

// options returns what the plan appends for a decision, or nil if that is not one
// number for each legal action.
func (p *planChecker[S]) options(s S) []float64 {
	return p.appended(s, "Options", len(p.rules.Legal(nil, s)), func(dst []float64) []float64 { return p.plan.Options(dst, s) })
}

// comparePlayed plays a turn that has too many states, and compares the options of each
// decision that it reaches with those of the next decisions.
func (p *planChecker[S]) comparePlayed(t *turn[S], value []float64) {
	if want := p.innerValue(t, t.start); !(math.Abs(value[t.mover]-want) <= planTolerance) {
		p.failAt(t.start, "Value is that of backward induction", "got %v for the mover, want %v", value[t.mover], want)
	}
	for range turnsPlayed {
		for s, within := t.start, true; within; {
			next, prob := p.follow(s)
			if prob == nil {
				p.checkOptions(t, s, func(k int) float64 { return p.moverValue(t, next[k]) })
			}
			s = next[p.r.IntN(len(next))]
			if _, ended := t.index[s]; ended || !p.within(t, s) {
				within = false
			}
		}
	}
}

// moverValue returns the mover's value of s by the options of the plan: s is an end, a
// decision, or a chance state that leads to these.
func (p *planChecker[S]) moverValue(t *turn[S], s S) float64 {
	if i, ok := t.index[s]; ok {
		return t.pay[i][t.mover]
	}
	return p.innerValue(t, s)
}

// innerValue is moverValue of a state that is not taken for an end.
func (p *planChecker[S]) innerValue(t *turn[S], s S) float64 {
	next, prob := p.follow(s)
	if prob == nil {
		if options := p.options(s); options != nil {
			return slices.Max(options)
		}
		return math.NaN()
	}
	sum := 0.0
	for k, s := range next {
		sum += prob[k] * p.moverValue(t, s)
	}
	return sum
}
