package expert

import (
	"context"
	"fmt"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// oneMove searches one move: the value of a legal action is the expectation, over the
// chance that follows, of the network's value of the next decision, or of the returns
// where the game ends before one.
type oneMove[S comparable] struct {
	episodes[S]
	explores []uint8 // [N] 1 where the episode explores

	path      []played[S] // [decisions of a search, N]
	found     []float64   // [decisions of a search, N, P] values by the search of the move that the value target assumes
	predicted []float64   // [decisions of a search, N, P] the network's values of the decision

	known    map[S]int32  // by leaf: its index in this search
	estimate []float64    // [leaves, P] the network's values, or returns, by seat
	requests []leafViewer // leaves that the network has to evaluate
	own      []int32      // [N] the leaf that is the current decision
	leaves   []weighted   // of the actions of all rows
	ends     []int32      // [actions of all rows] into leaves
	outcomes [][]game.Outcome[S]
}

// played is a decision of a row in a search.
type played[S comparable] struct {
	state   S
	mover   game.Player
	target  int  // index of its value target
	running bool // the episode goes on after it
	follows bool // the move taken is the best one, or play is random
}

// weighted is a leaf with its probability.
type weighted struct {
	leaf int32
	prob float64
}

// leafViewer is a leaf and the seat that observes it.
type leafViewer struct {
	leaf   int32
	viewer game.Player
}

func newOneMove[S comparable](s searcher[S]) *oneMove[S] {
	n := len(s.state)
	return &oneMove[S]{episodes: newEpisodes(s), explores: make([]uint8, n), own: make([]int32, n), known: map[S]int32{}}
}

// Reset implements [Expert].
func (e *oneMove[S]) Reset(seed uint64) {
	e.reset(seed, e.restart)
}

// restart starts an episode in row i.
func (e *oneMove[S]) restart(i int) {
	e.startEpisode(i)
	e.moves[i], e.explores[i] = 0, 0
	if core.Uniform(&e.dice[i]) < e.cfg.ExplorationFraction {
		e.explores[i] = 1
	}
}

// Search implements [Expert]: in every row it searches cfg.Decisions successive
// decisions and plays them. The value target of a decision is the value Q of the best
// action by the search, corrected by how much the play that followed exceeded the
// network's value V of the next decision:
//
//	G(t) = Q(t) + λ·(G(t+1) − V(t+1))
//
// Q is an expectation over chance, which removes its variance. After a move that is not
// the best one there is no correction. While all play is random, Q is that of the move
// taken.
//
// Source: a control variate as in Burch, Schmid, Moravčík, Morrill and Bowling,
// "AIVAT", arXiv:1612.06915.
func (e *oneMove[S]) Search(ctx context.Context, dst *Targets, opt Options, net Network) error {
	dst.reset()
	e.beginSearch(opt)
	e.path, e.found, e.predicted, e.estimate = e.path[:0], e.found[:0], e.predicted[:0], e.estimate[:0]
	clear(e.known)
	for range e.cfg.Decisions {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.expand()
		e.evaluateLeaves(net)
		first := 0
		for i := range e.state {
			first = e.move(dst, i, first, opt)
		}
	}
	e.correct(dst, opt.Lambda)
	return e.pool.err
}

// expand lists the leaves of all actions of all rows.
func (e *oneMove[S]) expand() {
	e.obs, e.requests, e.leaves, e.ends = e.obs[:0], e.requests[:0], e.leaves[:0], append(e.ends[:0], 0)
	for i, s := range e.state {
		who := e.rules.CurrentPlayer(s)
		e.own[i] = e.leaf(s, who)
		e.legal = e.rules.Legal(e.legal[:0], s)
		for _, a := range e.legal {
			e.spread(e.rules.After(s, a), who, 1, e.cfg.Outcomes, 0, &e.dice[i])
			e.ends = append(e.ends, int32(len(e.leaves)))
		}
	}
}

// maxLevels is the number of successive chance states whose outcomes are listed. Chosen.
const maxLevels = 4

// spread adds the leaves that follow s, which is reached with probability prob, or most
// samples of them where chance has more outcomes than that.
func (e *oneMove[S]) spread(s S, who game.Player, prob float64, most, level int, dice *rand.PCG) {
	if e.rules.CurrentPlayer(s) != game.Chance {
		if level > 0 { // else it is a representative
			s = e.rules.Representative(s)
		}
		e.leaves = append(e.leaves, weighted{e.leaf(s, who), prob})
		return
	}
	if level < maxLevels {
		if level == len(e.outcomes) {
			e.outcomes = append(e.outcomes, nil)
		}
		e.outcomes[level] = e.rules.Outcomes(e.outcomes[level][:0], s)
		if n := len(e.outcomes[level]); n <= most {
			for k := range n {
				o := &e.outcomes[level][k]
				e.spread(o.State, who, prob*o.Prob, most/n, level+1, dice)
			}
			return
		}
	}
	for range most {
		t := s
		e.rules.Settle(&t, dice)
		e.leaves = append(e.leaves, weighted{e.leaf(e.rules.Representative(t), who), prob / float64(most)})
	}
}

// leaf returns the index of a leaf. If it is new, it is added to the requests.
func (e *oneMove[S]) leaf(s S, who game.Player) int32 {
	if at, ok := e.known[s]; ok {
		return at
	}
	at := int32(len(e.estimate) / e.spec.Players)
	e.known[s] = at
	e.estimate = e.rules.Returns(e.estimate, s) // zeros, unless it is over
	viewer := e.rules.CurrentPlayer(s)
	if viewer == game.Terminal {
		return at
	}
	if viewer == game.Chance { // after ChanceLimit transitions
		viewer = who
	}
	e.requests = append(e.requests, leafViewer{at, viewer})
	e.obs = e.observe(e.obs, s, viewer)
	return at
}

// evaluateLeaves calls the network with the requests.
func (e *oneMove[S]) evaluateLeaves(net Network) {
	e.evaluate(net, nil)
	for i, x := range e.requests {
		e.seatValues(e.leafValue(x.leaf), i, x.viewer)
	}
}

// leafValue returns the values of a leaf by seat [P].
func (e *oneMove[S]) leafValue(at int32) []float64 {
	return e.estimate[int(at)*e.spec.Players:][:e.spec.Players]
}

// expectation appends the expected values of the leaves of an action by seat [P].
func (e *oneMove[S]) expectation(dst []float64, action int) []float64 {
	n := len(dst)
	for range e.spec.Players {
		dst = append(dst, 0)
	}
	for _, x := range e.leaves[e.ends[action]:e.ends[action+1]] {
		for j, v := range e.leafValue(x.leaf) {
			dst[n+j] += float64(x.prob * v)
		}
	}
	return dst
}

// move adds the targets of the decision of row i, whose actions begin with index first,
// and takes an action. It returns the index after its actions.
func (e *oneMove[S]) move(dst *Targets, i, first int, opt Options) int {
	s := e.state[i]
	who := e.rules.CurrentPlayer(s)
	e.legal = e.rules.Legal(e.legal[:0], s)
	e.values = e.values[:0]
	for k := range e.legal {
		sum := 0.0
		for _, x := range e.leaves[e.ends[first+k]:e.ends[first+k+1]] {
			sum += float64(x.prob * e.leafValue(x.leaf)[who])
		}
		e.values = append(e.values, sum)
	}
	dst.Decisions++
	end := first + len(e.legal)
	choice, best := 0, 0
	if len(e.legal) > 1 {
		e.addDecision(dst, s, who, e.legal, e.values, opt, true)
		rate := 0.0
		if opt.RandomPlay {
			rate = 1
		} else if e.explores[i] != 0 {
			rate = e.cfg.ExplorationRate
		}
		best = e.choose(e.values, 0, nil)
		choice = e.act(i, s, who, e.legal, e.values, rate, opt)
	}
	v := played[S]{state: s, mover: who, target: len(dst.Value) / e.spec.Players, follows: opt.RandomPlay || choice == best}
	if opt.RandomPlay {
		best = choice
	}
	e.found = e.expectation(e.found, first+best)
	e.predicted = append(e.predicted, e.leafValue(e.own[i])...)
	e.addValue(dst, s, who, e.found[len(e.found)-e.spec.Players:])

	if e.advance(i, e.rules.After(s, e.legal[choice])) {
		dst.Games++
		e.restart(i)
	} else {
		v.running = true
		e.state[i] = e.rules.Representative(e.state[i])
	}
	e.path = append(e.path, v)
	return end
}

// correct corrects the value targets by the play that followed (see Search), and adds a
// decision of each row to its archive.
func (e *oneMove[S]) correct(dst *Targets, lambda float64) {
	n, p := len(e.state), e.spec.Players
	for at := len(e.path) - 1; at >= 0; at-- {
		v, next := e.path[at], at+n
		if !v.running || !v.follows || next >= len(e.path) {
			continue
		}
		for j := range p {
			e.found[at*p+j] += float64(lambda * (e.found[next*p+j] - e.predicted[next*p+j]))
		}
		game.MoverOrder(dst.Value[v.target*p:][:p], e.found[at*p:][:p], v.mover)
	}
	e.archiveDecisions(e.found, e.predicted, func(at int) (*S, game.Player) { return &e.path[at].state, e.path[at].mover })
}

// AppendState implements [Expert].
func (e *oneMove[S]) AppendState(dst []byte) ([]byte, error) {
	dst, err := e.episodes.AppendState(dst)
	if err != nil {
		return nil, err
	}
	return append(dst, e.explores...), nil
}

// RestoreState implements [Expert].
func (e *oneMove[S]) RestoreState(src []byte) error {
	explores, err := e.restore(src, len(e.explores))
	if err != nil {
		return err
	}
	copy(e.explores, explores)
	for i, x := range e.explores {
		if x > 1 {
			return fmt.Errorf("expert: row %d explores %d; want 0 or 1", i, x)
		}
	}
	return nil
}
