package expert

import (
	"context"
	"math"

	"marsgym/agents/search"
	"marsgym/env/game"
	"marsgym/internal/core"
)

// oneMove searches one move: the value of a legal action is the expectation, over the
// chance that follows, of the network's value of the next decision, or of the returns
// where the game ends before one.
//
// In a game that merges its chance ([game.ChanceExpander]) the network values afterstates,
// which many outcomes share: the value of a decision is that of the afterstate that its
// mover prefers. There
//   - a move after which the same seat moves again, with no dice between, has the value of
//     the best of the moves that follow, since the network alone would only repeat itself;
//   - a move that ends the turn, in rules with a [game.TurnPlanner], has the network's value
//     of the state in which the next turn starts. The dice of that turn are listed once the
//     row has arrived there.
type oneMove[S comparable] struct {
	episodes[S]
	merges     game.ChanceExpander[S] // nil where the network values decisions
	expansions expansions[S]
	explores   []bool // [N] whether the episode does; empty where each decision draws that

	path []visit[S] // [decisions of a search, N]
	// [decisions of a search, N, P] values by the search of the move taken and of the
	// decision, and the network's value of the decision.
	taken, found, predicted []float64

	arrived []arrival[S]  // [N] how each row came to its decision
	own     []*expansion  // [N] the network's value of the decision
	options []option[S]   // of the current decisions of all rows
	next    []*expansion  // after the options
	start   []int32       // [N+1] into options
	second  []game.Action // legal actions after a move of the same seat
	best    []float64     // [options]
}

// visit is a decision of a row in a search.
type visit[S comparable] struct {
	state   S
	mover   game.Player
	target  int  // index of the value target of the decision or of the afterstate; -1 if none
	running bool // the game goes on after it
	follows bool // the move taken is the best one, or play is random
	direct  bool // the move before it was by the same seat, with no dice between
}

// arrival is how a row of a game that merges its chance came to a decision in the current
// search.
type arrival[S comparable] struct {
	direct    bool          // by a move of the same seat, with no dice between
	turnStart bool          // a turn started before the dice
	start     afterstate[S] // the state in which it started
	expansion *expansion    // of start
}

// option is a legal action of a row.
type option[S comparable] struct {
	after    S
	from, to int // into next: the expansions among which its seat chooses
}

func newOneMove[S comparable](s searcher[S]) *oneMove[S] {
	n := len(s.state)
	e := &oneMove[S]{episodes: newEpisodes(s), arrived: make([]arrival[S], n), own: make([]*expansion, n)}
	if e.merges, _ = s.rules.Rules.(game.ChanceExpander[S]); e.merges == nil {
		e.explores = make([]bool, n)
		e.saved = append(e.saved, e.explores)
	}
	e.expansions = newExpansions(&e.searcher, e.merges)
	return e
}

// Target implements [Expert].
func (e *oneMove[S]) Target() search.ValueTarget {
	if e.merges != nil {
		return search.Afterstate
	}
	return search.Decision
}

// Reset implements [Expert].
func (e *oneMove[S]) Reset(seed uint64) {
	e.reset(seed, e.restart)
}

// restart starts an episode in row i.
func (e *oneMove[S]) restart(i int) {
	e.startEpisode(i, e.merges == nil)
	e.moves[i], e.arrived[i] = 0, arrival[S]{}
	if e.merges == nil {
		e.explores[i] = core.Uniform(&e.dice[i]) < e.cfg.ExplorationFraction
	}
}

// Search implements [Expert]: in every row it searches cfg.Decisions successive
// decisions and plays them. The value of the move taken is the value Q of the search,
// corrected by how much the play that followed exceeded the network's value V of the next
// decision:
//
//	G(t) = Q(t) + λ·(D(t+1) − V(t+1))
//
// with D(t) = G(t) where the move taken is the best one, or play is random, and else the
// Q of the best move. Q is an expectation over chance, which removes its variance; for
// λ = 1 errors of V cancel. If no dice lie between two moves of a seat, of which the
// network values the afterstates, Q(t) is the Q of the best next move, which replaces
// V(t+1), and λ is 1.
//
// The value targets are D of the decisions or G of the afterstates.
//
// Source: a control variate as in Burch, Schmid, Moravčík, Morrill and Bowling,
// "AIVAT", arXiv:1612.06915.
func (e *oneMove[S]) Search(ctx context.Context, all []Targets, opt Options, net Network) error {
	dst := &all[0]
	dst.reset(e.d)
	e.beginSearch(opt)
	e.path, e.taken, e.found, e.predicted = e.path[:0], e.taken[:0], e.found[:0], e.predicted[:0]
	e.expansions.begin(opt.PolicyReplies)
	if e.merges != nil {
		for i := range e.state {
			e.sampleStart(i)
		}
	}
	for range e.cfg.Decisions {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.expand()
		e.expansions.evaluate(net)
		for i := range e.state {
			e.move(dst, i, opt)
		}
	}
	e.correct(dst, opt.Lambda)
	return e.pool.err
}

// sampleStart restarts row i from another start with the probability of cfg.Starts.
func (e *oneMove[S]) sampleStart(i int) {
	e.arrived[i] = arrival[S]{}
	s, ok := e.drawStart(i)
	if !ok {
		return
	}
	var from arrival[S]
	if mover, ok := e.rules.TurnStart(s); ok {
		from = arrival[S]{turnStart: true, start: afterstate[S]{e.rules.Representative(s), core.Previous(mover, e.spec.Players)}}
	}
	if e.rules.Settle(&s, &e.dice[i]) >= 0 {
		e.state[i] = e.rules.Representative(s)
		e.moves[i], e.arrived[i] = 0, from
		e.drawOpponents(i)
	}
}

// startsTurn reports whether a turn starts in s.
func (e *oneMove[S]) startsTurn(s S) bool {
	_, ok := e.rules.TurnStart(s)
	return ok
}

// expand lists the options of all rows, with what can follow them.
func (e *oneMove[S]) expand() {
	e.expansions.next()
	e.options, e.next, e.start = e.options[:0], e.next[:0], append(e.start[:0], 0)
	for i, s := range e.state {
		via, who := &e.arrived[i], e.rules.CurrentPlayer(s)
		if via.turnStart {
			via.expansion = e.expansions.of(via.start, true, nil)
		}
		if !via.direct {
			e.own[i] = e.expansions.of(afterstate[S]{s, who}, true, nil)
		}
		e.legal = e.rules.Legal(e.legal[:0], s)
		for _, a := range e.legal {
			after := e.rules.After(s, a)
			o := option[S]{after: after, from: len(e.next)}
			if e.merges != nil && e.rules.CurrentPlayer(after) == who {
				e.second = e.rules.Legal(e.second[:0], after)
				for _, a := range e.second {
					e.addNext(i, e.rules.After(after, a), who)
				}
			} else {
				e.addNext(i, after, who)
			}
			o.to = len(e.next)
			e.options = append(e.options, o)
		}
		e.start = append(e.start, int32(len(e.options)))
	}
}

// addNext adds the expansion after a move in row i.
func (e *oneMove[S]) addNext(i int, after S, who game.Player) {
	chance := e.merges == nil || !e.startsTurn(after)
	e.next = append(e.next, e.expansions.of(afterstate[S]{after, who}, chance, &e.dice[i]))
}

// optionValues returns the search's values of an option by seat [P].
func (e *oneMove[S]) optionValues(o option[S], who game.Player) []float64 {
	if o.to == o.from+1 {
		return e.next[o.from].value
	}
	e.best = e.best[:0]
	for _, f := range e.next[o.from:o.to] {
		e.best = append(e.best, f.value[who])
	}
	return e.next[o.from+max(0, game.BestOption(e.best))].value
}

// explorationRate returns the fraction of random actions in the decision of row i.
func (e *oneMove[S]) explorationRate(i int, opt Options) float64 {
	switch {
	case e.merges != nil:
		return e.episodes.explorationRate(opt, &e.dice[i])
	case opt.RandomPlay:
		return 1
	case e.explores[i]:
		return e.cfg.ExplorationRate
	}
	return 0
}

// move adds the targets of the decision of row i and takes an action.
func (e *oneMove[S]) move(dst *Targets, i int, opt Options) {
	s, via := e.state[i], e.arrived[i]
	who, options := e.rules.CurrentPlayer(s), e.options[e.start[i]:e.start[i+1]]
	e.values = e.values[:0]
	for _, o := range options {
		e.values = append(e.values, e.optionValues(o, who)[who])
	}
	dst.Decisions++
	e.legal = e.rules.Legal(e.legal[:0], s)
	choice, best := 0, 0
	if len(options) > 1 {
		e.addDecision(dst, s, who, e.legal, e.values, opt, e.merges == nil)
		best = e.choose(e.values, 0, nil)
		choice = e.act(i, s, who, e.legal, e.values, e.explorationRate(i, opt), opt)
	}
	v := visit[S]{state: s, mover: who, target: -1, follows: opt.RandomPlay || choice == best, direct: via.direct}
	taken, found := e.optionValues(options[choice], who), e.optionValues(options[best], who)
	if v.direct {
		e.predicted = append(e.predicted, found...)
	} else {
		e.predicted = append(e.predicted, e.own[i].value...)
	}
	if v.follows {
		found = taken
	}
	e.taken, e.found = append(e.taken, taken...), append(e.found, found...)
	if e.merges != nil {
		v.target = e.addAfterstates(dst, via, options, choice, who)
	} else {
		v.target = dst.Obs.Len()
		e.addValue(dst, s, who, found)
	}
	after := options[choice].after
	if e.advance(i, after) != running {
		dst.Games++
		e.restart(i)
	} else {
		v.running = true
		if e.merges != nil {
			e.arrived[i] = arrival[S]{direct: e.rules.CurrentPlayer(after) == who, turnStart: e.startsTurn(after), start: afterstate[S]{after, who}}
		}
	}
	e.path = append(e.path, v)
}

// addAfterstates adds the values of the start of the turn in which the row has arrived, and
// of the options of its decision. It returns the index of the target of the choice, or -1.
func (e *oneMove[S]) addAfterstates(dst *Targets, via arrival[S], options []option[S], choice int, who game.Player) (target int) {
	if via.turnStart {
		if at := len(e.path) - len(e.state); at >= 0 && e.path[at].running { // the previous decision of the same game
			e.path[at].target = dst.Obs.Len()
			copy(e.taken[at*e.spec.Players:], via.expansion.value)
		}
		e.addValue(dst, via.start.state, via.start.mover, via.expansion.value)
	}
	target = -1
	for k, o := range options {
		if via.direct || e.rules.CurrentPlayer(o.after) == game.Terminal || e.startsTurn(o.after) {
			continue
		}
		if k == choice {
			target = dst.Obs.Len()
		}
		e.addValue(dst, o.after, who, e.optionValues(o, who))
	}
	return target
}

// correct corrects the value targets by the play that followed (see Search), and adds a
// decision of each row to its archive.
func (e *oneMove[S]) correct(dst *Targets, lambda float64) {
	n, p, targets := len(e.state), e.spec.Players, e.found
	if e.merges != nil {
		targets = e.taken
	}
	for at := len(e.path) - 1; at >= 0; at-- {
		v := e.path[at]
		if next := at + n; v.running && next < len(e.path) {
			lambda := lambda
			if e.path[next].direct {
				lambda = 1 // the value of this move is that of the next
			}
			for j := range p {
				e.taken[at*p+j] += float64(lambda * (e.found[next*p+j] - e.predicted[next*p+j]))
			}
		}
		if v.follows {
			copy(e.found[at*p:], e.taken[at*p:][:p])
		}
		if v.target >= 0 {
			game.MoverOrder(dst.Value[v.target*p:][:p], targets[at*p:][:p], v.mover)
		}
	}
	for i := range e.archive.count {
		at := i + n*int(core.Uniform(&e.dice[i])*float64(e.cfg.Decisions))
		v := &e.path[at]
		k := at*p + int(v.mover)
		e.archive.add(i, &v.state, math.Abs(e.found[k]-e.predicted[k]))
	}
}
