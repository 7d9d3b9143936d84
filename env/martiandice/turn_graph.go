package martiandice

import (
	"maps"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/kernel/expectimax"
)

// turnGraph is the graph of a single turn, which is the same at every score. Earthling
// types are interchangeable, so the dice set aside are reduced to a hold, and rolls
// that offer the same choice are merged.
//
// A node is the number of what follows a choice. Nodes 0 to ends-1 are turns that
// have ended with that many points. Nodes ends to live-1 are the live holds, which may
// still score, and the last of them is the start of the turn. The other nodes are
// hopeless holds, with more tanks than rays can ever match: these turns always end
// without points.
type turnGraph struct {
	ends     int    // number of ends: 1 + the most points that a turn can score
	holds    []hold // [live] by node; those of ends are empty
	live     int    // number of ends and live holds
	hopeless []hold // by node less live

	forced    []edge        // rolls without a choice that matters
	choices   []choice      // other rolls
	decisions []State       // of choices: representatives, at no score
	first     []uint32      // [decisions+1] first index of each decision in actions and options
	actions   []game.Action // legal actions
	options   []uint16      // node after each action

	// The choices again, for best play: choices with the same options are merged.
	pairs []pair
	picks []pick
	lanes *expectimax.Graph // the ends and live holds again, for a turn in each lane

	scored func() *expectimax.Graph // see scoredGraph

	batches sync.Pool // of *turnBatch
	solved  solvedTurns

	node [maxDice + 1][maxDice + 1][maxDice + 1][4]uint16 // by tanks, rays, earthlings, types held
}

// hold is a class of dice set aside between rolls: those with the same numbers of
// tanks, rays, earthlings and earthling types.
type hold struct {
	tanks, rays, earthlings, types uint8
	points                         uint8 // score of stopping here
	forced, choices, pairs, picks  span  // results of rolling on
	decisions                      span  // decisions of its choices that no lower hold has
}

// span is a range of indices.
type span struct{ from, to uint32 }

// edge is a roll without a choice: its probability and the node after it.
type edge struct {
	prob float64
	to   uint16
}

// pair stands for rolls with the same two options, in the order of Legal.
type pair struct {
	prob float64
	a, b uint16
}

// pick stands for rolls with the same three options or more, in the order of Legal.
// The rest of to repeats the first.
type pick struct {
	prob float64
	to   [actions - 1]uint16
}

// choice stands for rolls with the same decision. Tanks of the roll are already set
// aside, so holds that differ in tanks have decisions in common.
type choice struct {
	prob     float64
	decision uint32
}

// aside returns the representative of a hold: the first type held has all earthlings
// but one of each other type.
func (h hold) aside() Counts {
	c := Counts{tank: h.tanks, ray: h.rays}
	for i := range int(h.types) {
		c[human+i] = 1
	}
	if h.types > 0 {
		c[human] = h.earthlings - h.types + 1
	}
	return c
}

// holdOf returns the hold of the dice set aside.
func (r *Rules) holdOf(c Counts) hold {
	h := hold{tanks: c[tank], rays: c[ray], points: uint8(r.turnPoints(c))}
	for t := human; t <= chicken; t++ {
		if c[t] > 0 {
			h.types++
			h.earthlings += c[t]
		}
	}
	return h
}

// newTurnGraph builds the graph from the rules. It enumerates the holds that can be
// reached, and sorts them by ascending number of free dice.
func (r *Rules) newTurnGraph() *turnGraph {
	t := &turnGraph{ends: r.cfg.maxPoints() + 1, first: []uint32{0}}
	seen := map[hold]bool{{}: true}
	reached := []hold{{}}
	for i := 0; i < len(reached); i++ {
		if r.hopeless(reached[i]) {
			continue
		}
		r.eachRoll(reached[i], func(_ float64, s State) {
			r.eachOption(s, func(a game.Action, c Counts) {
				if h := r.holdOf(c); a != Stop && c.total() < r.cfg.Dice && !seen[h] {
					seen[h] = true
					reached = append(reached, h)
				}
			})
		})
	}
	slices.SortStableFunc(reached, func(a, b hold) int { return r.freeIn(a) - r.freeIn(b) })
	t.holds = make([]hold, t.ends, t.ends+len(reached))
	for _, h := range reached {
		if r.hopeless(h) {
			t.hopeless = append(t.hopeless, h)
		} else {
			t.holds = append(t.holds, h)
		}
	}
	t.live = len(t.holds)
	for i, h := range t.holds[t.ends:] {
		t.node[h.tanks][h.rays][h.earthlings][h.types] = uint16(t.ends + i)
	}
	for i, h := range t.hopeless {
		t.node[h.tanks][h.rays][h.earthlings][h.types] = uint16(t.live + i)
	}
	decisions := map[State]uint32{}
	for i := t.ends; i < t.live; i++ {
		r.addRolls(t, i, decisions)
	}
	t.buildLanes()
	t.scored = sync.OnceValue(t.scoredGraph)
	return t
}

// hopeless reports whether a hold has more tanks than rays can ever match.
func (r *Rules) hopeless(h hold) bool { return int(h.tanks) > int(h.rays)+r.freeIn(h) }

// freeIn returns the number of dice that are not set aside.
func (r *Rules) freeIn(h hold) int {
	return r.cfg.Dice - int(h.tanks) - int(h.rays) - int(h.earthlings)
}

// eachRoll calls f with each result of rolling on from h: in phase Select if there is
// something to choose.
func (r *Rules) eachRoll(h hold, f func(prob float64, s State)) {
	s := State{Aside: h.aside()}
	for _, x := range r.results[r.freeIn(h)] {
		after := s
		after.Aside[tank] += x.Counts[tank]
		after.Roll = x.Counts
		after.Roll[tank] = 0
		if !stuck(&after) {
			after.Phase = Select
		}
		f(x.prob, after)
	}
}

// eachOption calls f with each legal action of s and the dice set aside after it.
func (r *Rules) eachOption(s State, f func(a game.Action, aside Counts)) {
	for _, a := range r.Legal(nil, s) {
		f(a, s.asideAfter(a))
	}
}

// nodeOf returns the node of a turn with c set aside, which is over if ended is set or
// no dice are left.
func (r *Rules) nodeOf(t *turnGraph, c Counts, ended bool) uint16 {
	h := r.holdOf(c)
	if ended || c.total() == r.cfg.Dice {
		return uint16(h.points)
	}
	if r.hopeless(h) && t.node[h.tanks][h.rays][h.earthlings][h.types] == 0 {
		return 0 // reached from a hopeless hold only, and not in the graph
	}
	return t.node[h.tanks][h.rays][h.earthlings][h.types]
}

// representative returns the decision, equivalent to s, that policies are called with:
// types are sorted, and all dice that cannot be set aside have the same type.
func (r *Rules) representative(s State) State {
	s, _ = r.Canonical(s)
	var blocked uint8
	for t := human; t <= chicken; t++ {
		if s.Aside[t] > 0 {
			blocked += s.Roll[t]
			s.Roll[t] = 0
		}
	}
	if blocked > 0 {
		s.Roll[human] = blocked // humans are held, as the first type in order
	}
	s.Aside = r.holdOf(s.Aside).aside()
	return s
}

// addRolls fills in the results of rolling on from hold i, and merges equivalent rolls.
// It numbers the decisions by their states.
func (r *Rules) addRolls(t *turnGraph, i int, decisions map[State]uint32) {
	h := &t.holds[i]
	forced := map[uint16]float64{}
	at := map[uint32]int{} // choices by decision
	h.forced.from, h.choices.from, h.decisions.from = uint32(len(t.forced)), uint32(len(t.choices)), uint32(len(t.decisions))
	r.eachRoll(*h, func(prob float64, s State) {
		if s.Phase != Select {
			forced[r.nodeOf(t, s.Aside, true)] += prob
			return
		}
		s = r.representative(s)
		d, ok := decisions[s]
		if !ok {
			from := len(t.options)
			same := true
			r.eachOption(s, func(a game.Action, c Counts) {
				node := r.nodeOf(t, c, a == Stop)
				t.options, t.actions = append(t.options, node), append(t.actions, a)
				same = same && t.merged(node) == t.merged(t.options[from])
			})
			if same {
				forced[t.merged(t.options[from])] += prob
				t.options, t.actions = t.options[:from], t.actions[:from]
				return
			}
			d = uint32(len(t.decisions))
			decisions[s] = d
			t.decisions, t.first = append(t.decisions, s), append(t.first, uint32(len(t.options)))
		}
		if k, ok := at[d]; ok {
			t.choices[k].prob += prob
			return
		}
		at[d] = len(t.choices)
		t.choices = append(t.choices, choice{prob, d})
	})
	for _, node := range slices.Sorted(maps.Keys(forced)) {
		t.forced = append(t.forced, edge{forced[node], node})
	}
	h.forced.to, h.choices.to, h.decisions.to = uint32(len(t.forced)), uint32(len(t.choices)), uint32(len(t.decisions))
	pairs, picks := t.merge(h, t.merged)
	h.pairs.from, h.picks.from = uint32(len(t.pairs)), uint32(len(t.picks))
	t.pairs, t.picks = append(t.pairs, pairs...), append(t.picks, picks...)
	h.pairs.to, h.picks.to = uint32(len(t.pairs)), uint32(len(t.picks))
}

// merge returns the choices of a hold as rolls with two options and with more, of which
// those with the same options are one. Options with the same number are the same.
func (t *turnGraph) merge(h *hold, number func(node uint16) uint16) (pairs []pair, picks []pick) {
	at := map[pick]int{} // by options, without probability
	for _, c := range t.choices[h.choices.from:h.choices.to] {
		var key pick
		n := 0
		for _, node := range t.optionsOf(int(c.decision)) {
			if node = number(node); !slices.Contains(key.to[:n], node) {
				key.to[n] = node
				n++
			}
		}
		for i := n; i < len(key.to); i++ {
			key.to[i] = key.to[0]
		}
		i, ok := at[key]
		switch {
		case ok && n == 2:
			pairs[i].prob += c.prob
		case ok:
			picks[i].prob += c.prob
		case n == 2:
			at[key] = len(pairs)
			pairs = append(pairs, pair{c.prob, key.to[0], key.to[1]})
		default:
			at[key] = len(picks)
			picks = append(picks, pick{c.prob, key.to})
		}
	}
	return pairs, picks
}

// optionsOf returns the node after each legal action of a decision.
func (t *turnGraph) optionsOf(d int) []uint16 { return t.options[t.first[d]:t.first[d+1]] }

// merged maps nodes that have the same value for all payoffs to one of them.
func (t *turnGraph) merged(node uint16) uint16 {
	if int(node) >= t.live {
		return 0
	}
	return node
}

// start returns the node of the start of a turn.
func (t *turnGraph) start() int { return t.live - 1 }

// nodes returns the number of nodes.
func (t *turnGraph) nodes() int { return t.live + len(t.hopeless) }

// solve fills value [nodes] with the value of the turn under best play from each node
// on, given the payoffs of its ends in value[:ends], and rolling [live] with the value
// of rolling on. The conversions of products forbid fusing them with a sum, so that a
// [turnBatch] has the same bits.
func (t *turnGraph) solve(value, rolling []float64) {
	for i := t.live; i < t.nodes(); i++ {
		value[i] = value[0]
	}
	for i := t.ends; i < t.live; i++ {
		h := &t.holds[i]
		sum := 0.0
		for _, e := range t.forced[h.forced.from:h.forced.to] {
			sum += float64(e.prob * value[e.to])
		}
		for _, c := range t.pairs[h.pairs.from:h.pairs.to] {
			sum += float64(c.prob * max(value[c.a], value[c.b]))
		}
		for i := h.picks.from; i < h.picks.to; i++ {
			sum += float64(t.picks[i].prob * bestValue(value, t.picks[i].to[:]))
		}
		rolling[i] = sum
		value[i] = max(sum, value[h.points])
	}
	value[t.start()] = rolling[t.start()]
}

// bestValue returns the value of the best option.
func bestValue(value []float64, options []uint16) float64 {
	v := value[options[0]]
	for _, node := range options[1:] {
		v = max(v, value[node])
	}
	return v
}

// bestOption returns the index of the best option (see [game.BestOption]).
func bestOption(value []float64, options []uint16) int {
	var values [actions]float64
	for i, node := range options {
		values[i] = value[node]
	}
	return game.BestOption(values[:len(options)])
}

// propagateBest adds to dist [ends] the probability of each end under the best play
// that solve has found, given the initial probabilities reach [nodes]. It clears reach.
func (t *turnGraph) propagateBest(dist, reach, value, rolling []float64) {
	for i := t.live - 1; i >= t.ends; i-- {
		p := reach[i]
		reach[i] = 0
		if p == 0 {
			continue
		}
		h := &t.holds[i]
		if i != t.start() && value[h.points] > rolling[i]+game.Tie {
			dist[h.points] += p
			continue
		}
		t.rollOn(reach, i, p, value)
	}
	t.collectEnds(dist, reach)
}

// rollOn adds to reach p times the probability of each node after rolling on from hold
// i under best play.
func (t *turnGraph) rollOn(reach []float64, i int, p float64, value []float64) {
	h := &t.holds[i]
	for _, e := range t.forced[h.forced.from:h.forced.to] {
		reach[e.to] += float64(p * e.prob)
	}
	for _, c := range t.pairs[h.pairs.from:h.pairs.to] {
		to := c.a
		if value[c.b] > value[c.a]+game.Tie {
			to = c.b
		}
		reach[to] += float64(p * c.prob)
	}
	for i := h.picks.from; i < h.picks.to; i++ {
		c := &t.picks[i]
		reach[c.to[bestOption(value, c.to[:])]] += float64(p * c.prob)
	}
}

// collectEnds moves the probabilities of ends and hopeless holds from reach to dist.
func (t *turnGraph) collectEnds(dist, reach []float64) {
	for i, p := range reach[:t.ends] {
		dist[i] += p
	}
	clear(reach[:t.ends])
	for _, p := range reach[t.live:] {
		dist[0] += p
	}
	clear(reach[t.live:])
}

// propagate is propagateBest for a policy that rolls on with probability roll [live]
// and takes options with probability option [options]. It leaves the reach
// probabilities of live holds in reach, and of decisions in decisionReach [decisions].
func (t *turnGraph) propagate(dist, reach, decisionReach, roll, option []float64) {
	clear(decisionReach)
	for i := t.live - 1; i >= t.ends; i-- {
		h, p := &t.holds[i], reach[i]
		if i != t.start() {
			dist[h.points] += float64(p * (1 - roll[i]))
			p *= roll[i]
		}
		if p > 0 {
			for _, e := range t.forced[h.forced.from:h.forced.to] {
				reach[e.to] += float64(p * e.prob)
			}
			for _, c := range t.choices[h.choices.from:h.choices.to] {
				decisionReach[c.decision] += float64(p * c.prob)
			}
		}
		// All holds with these decisions have been visited.
		for d := h.decisions.from; d < h.decisions.to; d++ {
			if p := decisionReach[d]; p > 0 {
				for k := t.first[d]; k < t.first[d+1]; k++ {
					reach[t.options[k]] += float64(p * option[k])
				}
			}
		}
	}
	t.collectEnds(dist, reach)
}
