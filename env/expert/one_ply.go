package expert

import (
	"context"

	"marsgym/env/game"
	"marsgym/env/internal/core"
)

// onePly searches one ply: the value of a move is the expectation, over the dice
// that follow, of the network's value of the best next move. If the same seat moves
// again before any dice, it is the value of the best of those moves. If the move ends
// the turn, in rules with a [game.TurnPlanner], it is the network's value of the state
// in which the next turn starts.
type onePly[S comparable] struct {
	episodes[S]

	path []visit[S] // [decisions of a search, N]
	// [decisions of a search, N, P] values by the search of the move taken and of the
	// best move, and the network's value of the move that the network prefers.
	found, best, predicted []float64

	arrived   []arrival[S] // [N] how each row came to its decision
	expander  expander[S]
	known     map[expansionKey[S]]*expansion[S] // of this search
	all       []*expansion[S]                   // those of this search first, then others to reuse
	options   []option[S]                       // of the current decisions of all rows
	next      []*expansion[S]                   // after the options
	start     []int32                           // [N+1] into options
	estimates estimates                         // of this search
	requests  []request                         // of the current decisions
	scores    []float32                         // [requests]
	viewer    []game.Player                     // [leaves]
	second    []game.Action                     // legal actions after a move of the same seat
}

// expansionKey identifies an expansion. If dice is false, its only leaf is the state.
type expansionKey[S comparable] struct {
	afterstate[S]
	dice bool
}

// arrival is how a row came to a decision in the current search.
type arrival[S comparable] struct {
	direct    bool          // by a move of the same seat, with no dice between
	turnStart bool          // a turn started before the dice
	start     afterstate[S] // the state in which it started
	expansion *expansion[S] // of start
}

// option is a legal action of a row.
type option[S comparable] struct {
	after    S
	at       int // index of its estimate; unused where the row arrived directly
	from, to int // into next: the expansions among which its seat chooses
}

// visit is a decision of a row in a search.
type visit[S comparable] struct {
	state   S
	mover   game.Player
	target  int  // index of the value target of its afterstate; -1 if none
	running bool // the game goes on after it
	best    bool // the next move is the best one, or play is random
	direct  bool // the next move is by the same seat, with no dice between
}

// request is a state for the network to evaluate.
type request struct {
	at     int // index of its estimate
	viewer game.Player
	over   bool // the game is over: the network's value is not used, only its score
}

func newOnePly[S comparable](s searcher[S]) *onePly[S] {
	e := &onePly[S]{episodes: newEpisodes(s), arrived: make([]arrival[S], len(s.state)), known: map[expansionKey[S]]*expansion[S]{}}
	e.expander = newExpander(&e.rules)
	return e
}

// Reset implements [Expert].
func (e *onePly[S]) Reset(seed uint64) {
	e.reset(seed, e.restart)
}

// restart starts a game in row i. It skips games without a decision.
func (e *onePly[S]) restart(i int) {
	e.drawOpponents(i)
	for range 1000 {
		e.state[i], e.moves[i] = e.rules.Initial(), 0
		if e.rules.Settle(&e.state[i], &e.dice[i]) >= 0 {
			e.state[i], _ = e.rules.Canonical(e.state[i])
			return
		}
	}
	panic("expert: " + e.spec.ID + " has no decision")
}

// Search implements [Expert]: in every row it searches cfg.Decisions successive
// decisions and plays them. The value target of an afterstate is the search's value
// Q, corrected by how much the play that followed exceeded the network's value V:
//
//	G(t) = Q(t) + λ·(G(t+1) − V(t+1))
//
// Q is an expectation over the dice, which removes their variance; for λ = 1 errors
// of V cancel. If no dice lie between two moves, Q(t) is the Q of the best next move,
// which replaces V(t+1), and λ is 1. Where the play explores, unless all of it is
// random, the Q of the best move replaces G(t+1).
//
// Source: a control variate as in Burch, Schmid, Moravčík, Morrill and Bowling,
// "AIVAT", arXiv:1612.06915.
func (e *onePly[S]) Search(ctx context.Context, dst *Targets, opt Options, net Network) error {
	dst.reset()
	e.beginSearch(opt)
	e.path, e.found, e.best, e.predicted = e.path[:0], e.found[:0], e.best[:0], e.predicted[:0]
	e.estimates = estimates{p: e.spec.Players, value: e.estimates.value[:0], score: e.estimates.score[:0], byScore: opt.PolicyReplies}
	clear(e.known)
	for i := range e.state {
		e.sampleStart(i)
	}
	for range e.cfg.Decisions {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.evaluateLeaves(net, e.expand())
		for i := range e.state {
			e.move(dst, i, opt)
		}
	}
	e.correct(dst, opt.Lambda)
	return e.pool.err
}

// sampleStart restarts row i from another start with the probability of cfg.Starts.
func (e *onePly[S]) sampleStart(i int) {
	e.arrived[i] = arrival[S]{}
	s, ok := e.drawStart(i)
	if !ok {
		return
	}
	var from arrival[S]
	if mover, ok := e.rules.TurnStart(s); ok {
		from = arrival[S]{turnStart: true, start: afterstate[S]{state: e.rules.Representative(s), mover: core.Previous(mover, e.spec.Players)}}
	}
	if e.rules.Settle(&s, &e.dice[i]) >= 0 {
		e.state[i], _ = e.rules.Canonical(s)
		e.moves[i], e.arrived[i] = 0, from
		e.drawOpponents(i)
	}
}

// startsTurn reports whether a turn starts in s.
func (e *onePly[S]) startsTurn(s S) bool {
	_, ok := e.rules.TurnStart(s)
	return ok
}

// move adds the targets of the decision of row i and takes an action.
func (e *onePly[S]) move(dst *Targets, i int, opt Options) {
	s, via := e.state[i], e.arrived[i]
	who := e.rules.CurrentPlayer(s)
	options := e.options[e.start[i]:e.start[i+1]]
	e.values = e.values[:0]
	for _, o := range options {
		e.values = append(e.values, e.optionValues(o, who)[who])
	}
	dst.Decisions++
	e.legal = e.rules.Legal(e.legal[:0], s)
	choice, best := 0, 0
	if len(options) > 1 {
		e.addDecision(dst, s, who, e.legal, e.values, opt, false)
		best = e.choose(e.values, 0, nil)
		choice = e.act(i, s, who, e.legal, e.values, e.explorationRate(opt, &e.dice[i]), opt)
	}
	var last *visit[S] // the previous decision of the same game, or nil
	if at := len(e.path) - len(e.state); at >= 0 && e.path[at].running {
		last = &e.path[at]
		last.best, last.direct = opt.RandomPlay || choice == best, via.direct
	}
	if via.turnStart {
		if last != nil {
			last.target = len(dst.Obs) / e.d
			copy(e.found[(len(e.path)-len(e.state))*e.spec.Players:], via.expansion.value)
		}
		e.addValue(dst, via.start.state, via.start.mover, via.expansion.value)
	}
	e.found = append(e.found, e.optionValues(options[choice], who)...)
	e.best = append(e.best, e.optionValues(options[best], who)...)
	if via.direct {
		e.predicted = append(e.predicted, e.optionValues(options[best], who)...)
	} else {
		e.predicted = append(e.predicted, e.estimates.values(e.prefer(options, who))...)
	}
	v := visit[S]{state: s, mover: who, target: -1}
	for k, o := range options {
		if via.direct || e.rules.CurrentPlayer(o.after) == game.Terminal || e.startsTurn(o.after) {
			continue
		}
		if k == choice {
			v.target = len(dst.Obs) / e.d
		}
		e.addValue(dst, o.after, who, e.optionValues(o, who))
	}
	after := options[choice].after
	if e.advance(i, after) {
		dst.Games++
		e.arrived[i] = arrival[S]{}
		e.restart(i)
	} else {
		v.running = true
		e.arrived[i] = arrival[S]{direct: e.rules.CurrentPlayer(after) == who, turnStart: e.startsTurn(after), start: afterstate[S]{after, who}}
	}
	e.state[i], _ = e.rules.Canonical(e.state[i])
	e.path = append(e.path, v)
}

// optionValues returns the search's values of an option by seat [P].
func (e *onePly[S]) optionValues(o option[S], who game.Player) []float64 {
	best := e.next[o.from].value
	for _, f := range e.next[o.from+1 : o.to] {
		if f.value[who] > best[who]+game.Tie {
			best = f.value
		}
	}
	return best
}

// prefer returns the index of the estimate of the option that the network prefers.
func (e *onePly[S]) prefer(options []option[S], who game.Player) int {
	best := options[0].at
	for _, o := range options[1:] {
		if e.estimates.prefers(o.at, best, who) {
			best = o.at
		}
	}
	return best
}

// correct corrects the value targets by the play that followed (see Search).
func (e *onePly[S]) correct(dst *Targets, lambda float64) {
	n, p := len(e.state), e.spec.Players
	for at := len(e.path) - 1; at >= 0; at-- {
		v, next := e.path[at], at+n
		if !v.running || next >= len(e.path) {
			continue
		}
		result, lambda := e.best, lambda
		if v.direct {
			lambda = 1 // the value of this move is that of the next
		}
		if v.best {
			result = e.found
		}
		for j := range p {
			g := &e.found[at*p+j]
			*g += float64(lambda * (result[next*p+j] - e.predicted[next*p+j]))
		}
		if v.target >= 0 {
			game.MoverOrder(dst.Value[v.target*p:][:p], e.found[at*p:][:p], v.mover)
		}
	}
	e.archiveDecisions(e.best, e.predicted, func(at int) (*S, game.Player) { return &e.path[at].state, e.path[at].mover })
}

// expand lists the options of all rows and their expansions. It returns the number of
// expansions that were known before.
func (e *onePly[S]) expand() (known int) {
	known = len(e.known)
	e.options, e.next, e.start = e.options[:0], e.next[:0], append(e.start[:0], 0)
	e.obs, e.requests = e.obs[:0], e.requests[:0]
	for i, s := range e.state {
		if via := &e.arrived[i]; via.turnStart {
			via.expansion = e.expansion(expansionKey[S]{via.start, true})
		}
		who := e.rules.CurrentPlayer(s)
		e.legal = e.rules.Legal(e.legal[:0], s)
		for _, a := range e.legal {
			after := e.rules.After(s, a)
			o := option[S]{after: after, from: len(e.next)}
			if !e.arrived[i].direct {
				o.at = e.addEstimate(after, who)
			}
			if e.rules.CurrentPlayer(after) == who {
				e.second = e.rules.Legal(e.second[:0], after)
				for _, a := range e.second {
					e.addNext(afterstate[S]{e.rules.After(after, a), who})
				}
			} else {
				e.addNext(afterstate[S]{after, who})
			}
			o.to = len(e.next)
			e.options = append(e.options, o)
		}
		e.start = append(e.start, int32(len(e.options)))
	}
	return known
}

// addNext adds the expansion after a move.
func (e *onePly[S]) addNext(after afterstate[S]) {
	e.next = append(e.next, e.expansion(expansionKey[S]{after, !e.startsTurn(after.state)}))
}

// expansion returns an expansion, and lists its moves if it is new in this search.
func (e *onePly[S]) expansion(key expansionKey[S]) *expansion[S] {
	f, ok := e.known[key]
	if ok {
		return f
	}
	if n := len(e.known); n == len(e.all) {
		e.all = append(e.all, &expansion[S]{value: make([]float64, e.spec.Players)})
	}
	f = e.all[len(e.known)]
	e.known[key] = f
	if key.dice {
		e.expander.list(f, key.state)
	} else {
		f.setLeaf(key.state)
	}
	e.viewer = core.Resize(e.viewer, len(f.Leaf))
	move := f.Move
	for _, b := range f.Branch {
		viewer := b.Mover
		if viewer < 0 {
			viewer = key.mover
		}
		for _, k := range move[:b.Moves] {
			e.viewer[k] = viewer
		}
		move = move[b.Moves:]
	}
	f.from = len(e.estimates.score)
	for k, s := range f.Leaf {
		e.addEstimate(s, e.viewer[k])
	}
	return f
}

// addEstimate adds an afterstate to estimate and returns the index of its estimate.
func (e *onePly[S]) addEstimate(s S, viewer game.Player) (at int) {
	at = len(e.estimates.score)
	over := e.rules.CurrentPlayer(s) == game.Terminal
	if e.estimates.byScore || !over {
		e.requests = append(e.requests, request{at, viewer, over})
		e.obs = e.observe(e.obs, s, viewer)
	}
	e.estimates.value = e.rules.Returns(e.estimates.value, s) // zeros, unless it is over
	e.estimates.score = append(e.estimates.score, 0)
	return at
}

// evaluateLeaves calls the network and backs up the new expansions: all but the first
// known.
func (e *onePly[S]) evaluateLeaves(net Network, known int) {
	var scores []float32
	if e.estimates.byScore {
		e.scores = core.Resize(e.scores, len(e.requests))
		scores = e.scores
	}
	e.evaluate(net, scores)
	for i, x := range e.requests {
		if scores != nil {
			e.estimates.score[x.at] = scores[i]
		}
		if !x.over {
			e.seatValues(e.estimates.values(x.at), i, x.viewer)
		}
	}
	for _, f := range e.all[known:len(e.known)] {
		f.backUp(&e.estimates)
	}
}
