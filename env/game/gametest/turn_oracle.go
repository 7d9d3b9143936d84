package gametest

import (
	"math"
	"slices"

	"marsgym/env/game"
)

// turn is a turn as the rules play it, by representatives.
type turn[S comparable] struct {
	begin S
	mover game.Player
	end   []int       // [n] for each end of the plan, which of the following it is
	index map[S]int   // of distinct ends
	pay   [][]float64 // [distinct ends][P]

	// All states but the ends, if the turn is listed. The start is node 0.
	node    []node[S]
	at      map[S]int // nodes by state, the start left out: it may also be an end
	order   []int     // nodes, each behind those that follow it, but for cycles
	reached []bool    // [distinct ends]
}

type node[S comparable] struct {
	state S
	prob  []float64 // of what follows; nil where the mover decides
	to    []int     // nodes, or -1 less the index of a distinct end
	value []float64 // [P]
}

// follow is what may follow s; prob is nil where a seat decides.
func (p *planChecker[S]) follow(s S) (next []S, prob []float64) {
	for _, o := range p.rules.Outcomes(nil, s) {
		next, prob = append(next, p.rep(o.State)), append(prob, o.Prob)
	}
	for _, a := range p.rules.Legal(nil, s) {
		after, _ := p.rules.Apply(s, a)
		next = append(next, p.rep(after))
	}
	return next, prob
}

// within reports whether the turn goes on in s, which is none of its ends. If it
// does not, an end is missing.
func (p *planChecker[S]) within(t *turn[S], s S) bool {
	who := p.rules.CurrentPlayer(s)
	if p.mover(s) >= 0 || who != game.Chance && who != t.mover {
		p.failAt(t.begin, "Begin returns every end", "%s is missing", p.text(s))
		return false
	}
	return true
}

// list lists the turn from s on, which gets the next number. It reports false
// if that is too much.
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

// worth is what a node or an end is worth [P].
func (t *turn[S]) worth(to int) []float64 {
	if to < 0 {
		return t.pay[-1-to]
	}
	return t.node[to].value
}

// induct works out what all nodes are worth, from the last to the first, again
// and again if there are cycles.
func (t *turn[S]) induct() {
	for change := 1.0; change > planTolerance/turnStates; {
		change = 0
		for _, i := range t.order {
			n := &t.node[i]
			value := make([]float64, len(n.value))
			best := t.worth(n.to[0])
			for k, to := range n.to {
				w := t.worth(to)
				if n.prob == nil {
					if w[t.mover] > best[t.mover]+game.Tie {
						best = w
					}
					continue
				}
				for j := range value {
					value[j] += n.prob[k] * w[j]
				}
			}
			if n.prob == nil {
				copy(value, best)
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
	t.induct()
	if want := t.node[0].value; !near(value, want) {
		p.failAt(t.begin, "Value is that of backward induction", "got %v, want %v", value, want)
	}
	for _, n := range t.node {
		if n.prob == nil {
			p.checkOptions(t, n.state, func(k int) float64 { return t.worth(n.to[k])[t.mover] })
		}
	}
}

// checkOptions compares the options of a decision with what they lead to.
func (p *planChecker[S]) checkOptions(t *turn[S], s S, want func(k int) float64) {
	legal := p.rules.Legal(nil, s)
	got := p.options(s)
	for k := range got {
		if w := want(k); !(math.Abs(got[k]-w) <= planTolerance) {
			p.failAt(s, "Options are those of backward induction", "%s is worth %v, want %v, in the turn from %s",
				p.action(legal[k]), got[k], w, p.text(t.begin))
			return
		}
	}
}

// options is what the plan appends for a decision, or nil if that is not one
// number for each legal action.
func (p *planChecker[S]) options(s S) []float64 {
	return p.appended(s, "Options", len(p.rules.Legal(nil, s)), func(dst []float64) []float64 { return p.plan.Options(dst, s) })
}

// comparePlayed plays a turn that is too long to list, and compares what each
// option that it comes by is worth with the options that follow.
func (p *planChecker[S]) comparePlayed(t *turn[S], value []float64) {
	if want := p.behind(t, t.begin); !(math.Abs(value[t.mover]-want) <= planTolerance) {
		p.failAt(t.begin, "Value is that of backward induction", "got %v for the mover, want %v", value[t.mover], want)
	}
	for range turnsPlayed {
		for s, within := t.begin, true; within; {
			next, prob := p.follow(s)
			if prob == nil {
				p.checkOptions(t, s, func(k int) float64 { return p.back(t, next[k]) })
			}
			s = next[p.r.IntN(len(next))]
			if _, ended := t.index[s]; ended || !p.within(t, s) {
				within = false
			}
		}
	}
}

// back is what s is worth to the mover by the options of the plan: s is an end,
// a decision, or a roll that leads to these.
func (p *planChecker[S]) back(t *turn[S], s S) float64 {
	if i, ok := t.index[s]; ok {
		return t.pay[i][t.mover]
	}
	return p.behind(t, s)
}

// behind is back where s is not taken for an end.
func (p *planChecker[S]) behind(t *turn[S], s S) float64 {
	next, prob := p.follow(s)
	if prob == nil {
		if options := p.options(s); options != nil {
			return slices.Max(options)
		}
		return math.NaN()
	}
	sum := 0.0
	for k, s := range next {
		sum += prob[k] * p.back(t, s)
	}
	return sum
}
