package expert

import (
	"context"
	"math"
	"slices"

	"marsgym/agents/search"
	"marsgym/env/game"
	"marsgym/internal/core"
)

// maxSimulations bounds the memory that a mistyped number takes.
const maxSimulations = 100_000

// guided searches decisions by trees that the network's policy and values lead. Each
// row goes on to its next decision when its search is done, whatever the other rows do;
// what the network must evaluate in all rows is one batch.
type guided[S comparable] struct {
	episodes[S]
	rows  []guidedRow[S]
	trees *search.Trees[S]                    // [N]
	net   Network                             // of this search
	dense func(policy, values, obs []float32) // the same, of observations [n, D]
}

// treeExploration is the exploration of the trees. Chosen by the exact regret in Martian Dice, and
// by exploitability and matches in Mars is Ours! (docs/lab/search-exploration.md): networks that
// train with [search.DefaultExploration] are weaker.
var treeExploration = search.Exploration{C: 1}

// guidedRow is a row in a call of Search.
type guidedRow[S comparable] struct {
	root    *search.Gumbel // of the decision that is searched; or nil
	full    bool           // this decision has Simulations
	visits  []guidedVisit[S]
	values  []float64 // [visits, P] shares of the win by the search, then the targets
	ends    []float64 // [games ended, P] returns
	actions []game.Action
	q       []float32 // [actions] expected return of the mover
	logits  []float32 // [actions]
}

// guidedVisit is a decision of a row.
type guidedVisit[S comparable] struct {
	state    S
	mover    game.Player
	from, to int     // its policy target: actions, q and logits; none where they are equal
	searched bool    // it had several legal actions
	value    float64 // the network's share of the win for the mover, if it was searched
	strayed  bool    // a random action was taken
	skipped  bool    // it has no value target
	then     follow  // if terminated, with the next returns of ends
}

func newGuided[S comparable](s searcher[S]) *guided[S] {
	n := len(s.state)
	e := &guided[S]{episodes: newEpisodes(s), rows: make([]guidedRow[S], n), trees: search.NewTrees(s.rules, n, treeExploration)}
	e.dense = func(policy, values, obs []float32) {
		e.obs.Reset()
		e.obs.Append(obs)
		e.net(policy, values, e.obs)
	}
	return e
}

// Target implements [Expert].
func (e *guided[S]) Target() search.ValueTarget { return search.Decision }

// Reset implements [Expert].
func (e *guided[S]) Reset(seed uint64) {
	e.reset(seed, e.restart)
}

// restart starts an episode in row i.
func (e *guided[S]) restart(i int) {
	e.moves[i] = 0
	e.startEpisode(i, true)
}

// Search implements [Expert]: in every row it plays cfg.Decisions successive decisions,
// and searches those with several legal actions. The value target of a decision is that
// of TD(λ):
//
//	G(t) = (1−λ)·V(t) + λ·G(t+1)
//
// with V(t) the value of the root under the improved policy; after the end of a game G
// is its returns, and λ is 0 where the play explores and where it is cut. A decision
// with one legal action has λ = 1, and no target where it is the last.
//
// Source of the two numbers of simulations: Wu, "Accelerating self-play learning in Go",
// arXiv:1902.10565, section 3.1.
func (e *guided[S]) Search(ctx context.Context, dst []Targets, opt Options, net Network) error {
	found := &dst[0]
	found.reset(e.d)
	e.beginSearch(opt)
	for i := range e.rows {
		r := &e.rows[i]
		r.visits, r.values, r.ends = r.visits[:0], r.values[:0], r.ends[:0]
		r.actions, r.q, r.logits = r.actions[:0], r.q[:0], r.logits[:0]
		r.root = nil
	}
	e.net = net
	err := e.trees.Search(ctx, e.dense, func(i int) bool {
		if e.rows[i].root != nil {
			e.move(found, i, opt)
		}
		return e.next(found, i, opt)
	})
	if err != nil {
		return err
	}
	for i := range e.rows {
		r := &e.rows[i]
		e.addTargets(found, r, opt.Lambda)
		if e.cfg.Starts.Archives() {
			k := int(core.Uniform(&e.dice[i]) * float64(len(r.visits)))
			if v := &r.visits[k]; v.searched {
				g := r.values[k*e.spec.Players+int(v.mover)]
				e.archive.add(i, &v.state, math.Abs(e.spec.WinShare(g)-v.value))
			}
		}
	}
	return e.pool.err
}

// next plays the forced moves of row i up to a decision, and begins its search. It returns
// false if the row has played all its decisions.
func (e *guided[S]) next(dst *Targets, i int, opt Options) bool {
	r := &e.rows[i]
	for len(r.visits) < e.cfg.Decisions {
		s := e.state[i]
		e.legal = e.rules.Legal(e.legal[:0], s)
		if len(e.legal) > 1 {
			simulations := e.cfg.Tree.FastSimulations
			if r.full = core.Uniform(&e.dice[i]) < e.cfg.Tree.FullFraction; r.full {
				simulations = e.cfg.Tree.Simulations
			}
			if opt.RandomPlay {
				simulations = 0
			}
			// With less than four simulations each, chance would decide among them.
			candidates := max(2, min(e.cfg.Tree.Candidates, simulations/4))
			r.root = e.trees.Begin(i, s, search.Halving{Simulations: simulations, Candidates: candidates, Temperature: opt.Temperature, Dice: &e.dice[i]})
			return true
		}
		r.visits = append(r.visits, guidedVisit[S]{state: s, mover: e.rules.CurrentPlayer(s)})
		r.values = append(r.values, make([]float64, e.spec.Players)...)
		e.play(dst, i, e.legal[0])
	}
	return false
}

// move ends the search of row i and takes an action.
func (e *guided[S]) move(dst *Targets, i int, opt Options) {
	r := &e.rows[i]
	t := r.root
	p := e.spec.Players
	at := len(r.values)
	r.values = slices.Grow(r.values, p)[:at+p]
	best := t.Result(r.values[at:])
	v := guidedVisit[S]{state: e.state[i], mover: t.Mover, searched: true, value: t.Value[t.Mover], from: len(r.actions)}
	if r.full && !opt.RandomPlay {
		for k, a := range t.Action {
			r.actions = append(r.actions, a)
			r.q = append(r.q, float32(e.spec.Return(t.Q[k*p+int(t.Mover)])))
			r.logits = append(r.logits, float32(t.Logit[k]))
		}
	}
	v.to = len(r.actions)
	if k, ok := e.reply(i, v.state, v.mover, t.Action, opt); ok {
		best, v.strayed = k, k != best
	} else if rate := e.explorationRate(opt, &e.dice[i]); rate > 0 && core.Uniform(&e.dice[i]) < rate {
		best, v.strayed = int(core.Uniform(&e.dice[i])*float64(len(t.Action))), !opt.RandomPlay
	}
	r.visits = append(r.visits, v)
	e.play(dst, i, t.Action[best])
}

// play takes an action in row i, and starts another game if it ends this one.
func (e *guided[S]) play(dst *Targets, i int, a game.Action) {
	r := &e.rows[i]
	dst.Decisions++
	then := e.advance(i, e.rules.After(e.state[i], a))
	r.visits[len(r.visits)-1].then = then
	switch then {
	case running:
		return
	case terminated:
		r.ends = e.rules.Returns(r.ends, e.state[i])
	}
	dst.Games++
	e.restart(i)
}

// addTargets adds the targets of a row.
func (e *guided[S]) addTargets(dst *Targets, r *guidedRow[S], lambda float64) {
	p := e.spec.Players
	var next []float64 // [P] G(t+1) in shares of the win, or nil
	ends := len(r.ends)
	for at := len(r.visits) - 1; at >= 0; at-- {
		v, g := &r.visits[at], r.values[at*p:][:p]
		switch v.then {
		case terminated:
			ends -= p
			next = r.ends[ends:][:p]
			for j, x := range next {
				next[j] = e.spec.WinShare(x)
			}
		case truncated:
			next = nil
		}
		for j := range g {
			switch {
			case next != nil && !v.searched:
				g[j] = next[j]
			case next != nil && !v.strayed:
				g[j] += float64(lambda * (next[j] - g[j]))
			}
		}
		if v.skipped = next == nil && !v.searched; !v.skipped {
			next = g
		}
	}
	for at, v := range r.visits {
		if v.skipped {
			continue
		}
		g := r.values[at*p:][:p]
		for j, x := range g {
			g[j] = e.spec.Return(x)
		}
		if v.from < v.to {
			dst.Row = append(dst.Row, int32(dst.Obs.Len()))
			dst.Action = append(dst.Action, r.actions[v.from:v.to]...)
			dst.ActionValue = append(dst.ActionValue, r.q[v.from:v.to]...)
			dst.Logit = append(dst.Logit, r.logits[v.from:v.to]...)
			dst.Start = append(dst.Start, int32(len(dst.Action)))
		}
		e.addValue(dst, v.state, v.mover, g)
	}
}
