package martiandice

import (
	"maps"
	"slices"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/lanes"
)

// turn is the graph of a single turn, the same at every score. Earthling types
// are interchangeable, so what is set aside comes down to a hold, and the rolls
// that offer the same choice are one.
//
// What a choice leads to is a code: below ends, the turn ends with so many
// points; below len(holds), a hold that may still score; above, one with more
// tanks than rays can ever match, which ends with no points whatever follows.
type turnGraph struct {
	ends     int    // codes of ended turns: 0 to the most points a turn can score
	holds    []hold // by code; those below ends are empty, the last live one is the start
	live     int    // codes below live are ends or live holds
	hopeless []hold // hopeless holds, by code less live

	forced    []edge        // rolls that leave no choice that matters
	choices   []choice      // rolls that do
	decisions []State       // that choices come to: representatives, at no score
	first     []uint32      // [decisions+1]; where the next two begin for each
	actions   []game.Action // the legal actions
	options   []uint16      // where they lead

	// The choices once more, for best play: those that lead to the same are one.
	pairs []pair
	picks []pick
	lanes *lanes.Graph // again, of the live codes, for eight turns at once

	batches sync.Pool // of *octet

	node [maxDice + 1][maxDice + 1][maxDice + 1][4]uint16 // by tanks, rays, earthlings, types held
}

// hold is what is set aside between rolls.
type hold struct {
	tanks, rays, earthlings, types uint8
	points                         uint8 // what stopping scores
	forced, choices, pairs, picks  span  // what rolling on leads to
	decisions                      span  // of its choices, those that no hold below has
}

// span is a range of indices.
type span struct{ from, to uint32 }

// edge is a roll without a choice: where it leads, and how likely.
type edge struct {
	prob float64
	to   uint16
}

// pair is some rolls with two different options, in the order of Legal.
type pair struct {
	prob float64
	a, b uint16
}

// pick is some rolls with more; what is left of to repeats the first.
type pick struct {
	prob float64
	to   [actions - 1]uint16
}

// choice is some rolls that come to the same decision. Rolled tanks are set aside
// already, so holds that differ in tanks share decisions.
type choice struct {
	prob     float64
	decision uint32
}

// aside is the representative of a hold: the first type held takes all but one
// of each other.
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

// holdOf is the hold of what is set aside.
func (r *Rules) holdOf(c Counts) hold {
	h := hold{tanks: c[tank], rays: c[ray], points: uint8(r.Points(c))}
	for t := human; t <= chicken; t++ {
		if c[t] > 0 {
			h.types++
			h.earthlings += c[t]
		}
	}
	return h
}

// newTurn builds the graph from the rules: it walks the holds that can be
// reached, fewest free dice last, and sorts them the other way round.
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
	return t
}

// hopeless reports whether a hold has more tanks than rays can ever match.
func (r *Rules) hopeless(h hold) bool { return int(h.tanks) > int(h.rays)+r.freeIn(h) }

// freeIn is the number of dice that are not set aside.
func (r *Rules) freeIn(h hold) int {
	return r.cfg.Dice - int(h.tanks) - int(h.rays) - int(h.earthlings)
}

// eachRoll calls f with each result of rolling on from h.
func (r *Rules) eachRoll(h hold, f func(prob float64, s State)) {
	s := State{Aside: h.aside()}
	for _, x := range r.of[r.freeIn(h)] {
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

// eachOption calls f with each legal action of s and what it leaves set aside.
func (r *Rules) eachOption(s State, f func(a game.Action, aside Counts)) {
	for _, a := range r.Legal(nil, s) {
		f(a, s.asideAfter(a))
	}
}

// leads is the code of a turn in which c is set aside and, if ended, over.
func (r *Rules) nodeOf(t *turnGraph, c Counts, ended bool) uint16 {
	h := r.holdOf(c)
	if ended || c.total() == r.cfg.Dice {
		return uint16(h.points)
	}
	if r.hopeless(h) && t.node[h.tanks][h.rays][h.earthlings][h.types] == 0 {
		return 0 // from a hopeless hold: not in the graph
	}
	return t.node[h.tanks][h.rays][h.earthlings][h.types]
}

// representative is the choice like s that is shown to policies: types in order,
// and the dice that cannot be kept all of one type.
func (r *Rules) representative(s State) State {
	s, _ = r.Canonical(s)
	var useless uint8
	for t := human; t <= chicken; t++ {
		if s.Aside[t] > 0 {
			useless += s.Roll[t]
			s.Roll[t] = 0
		}
	}
	if useless > 0 {
		s.Roll[human] = useless // held, as the first type in order
	}
	s.Aside = r.holdOf(s.Aside).aside()
	return s
}

// addRolls fills in what rolling on from hold i leads to, merging rolls that
// come to the same. It numbers the decisions by their states.
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
				code := r.nodeOf(t, c, a == Stop)
				t.options, t.actions = append(t.options, code), append(t.actions, a)
				same = same && t.merged(code) == t.merged(t.options[from])
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
	for _, code := range slices.Sorted(maps.Keys(forced)) {
		t.forced = append(t.forced, edge{forced[code], code})
	}
	h.forced.to, h.choices.to, h.decisions.to = uint32(len(t.forced)), uint32(len(t.choices)), uint32(len(t.decisions))
	t.merge(h)
}

// merge fills in pairs and more from the choices of a hold.
func (t *turnGraph) merge(h *hold) {
	h.pairs.from, h.picks.from = uint32(len(t.pairs)), uint32(len(t.picks))
	at := map[pick]int{} // by options, without probability
	for _, c := range t.choices[h.choices.from:h.choices.to] {
		var key pick
		n := 0
		for _, code := range t.optionsOf(int(c.decision)) {
			if code = t.merged(code); !slices.Contains(key.to[:n], code) {
				key.to[n] = code
				n++
			}
		}
		for i := n; i < len(key.to); i++ {
			key.to[i] = key.to[0]
		}
		i, ok := at[key]
		switch {
		case ok && n == 2:
			t.pairs[i].prob += c.prob
		case ok:
			t.picks[i].prob += c.prob
		case n == 2:
			at[key] = len(t.pairs)
			t.pairs = append(t.pairs, pair{c.prob, key.to[0], key.to[1]})
		default:
			at[key] = len(t.picks)
			t.picks = append(t.picks, pick{c.prob, key.to})
		}
	}
	h.pairs.to, h.picks.to = uint32(len(t.pairs)), uint32(len(t.picks))
}

// optionsOf is where the legal actions of a decision lead.
func (t *turnGraph) optionsOf(d int) []uint16 { return t.options[t.first[d]:t.first[d+1]] }

// worth maps codes that are worth the same whatever the payoffs to one of them.
func (t *turnGraph) merged(code uint16) uint16 {
	if int(code) >= t.live {
		return 0
	}
	return code
}

// start is the code of the start of a turn.
func (t *turnGraph) start() int { return t.live - 1 }

// codes is the number of codes.
func (t *turnGraph) nodes() int { return t.live + len(t.hopeless) }

// solve fills value [codes] with what a turn is worth under best play from
// each code on, given value[:ends], what its end with so many points pays, and
// rolling [live] with what rolling on is worth. Its products are converted, which
// forbids fusing them with a sum, so that an [octet] has the same bits.
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

// bestWorth is what the best of some options is worth.
func bestValue(value []float64, options []uint16) float64 {
	v := value[options[0]]
	for _, code := range options[1:] {
		v = max(v, value[code])
	}
	return v
}

// bestOption is the index of the best of some options, the first among ties.
func bestOption(value []float64, options []uint16) int {
	i := 0
	for v := bestValue(value, options) - game.Tie; value[options[i]] < v; {
		i++
	}
	return i
}

// spreadBest adds to dist [ends] how a turn ends under the best play that solve
// found, from the codes to which reach [codes] gives a probability; it clears
// reach.
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

// rollOn adds to reach what rolling on from hold i leads to under best play,
// times p.
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

// settle moves what has reached the end of the turn, or no longer can score,
// from reach to dist.
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

// spread is spreadBest for play that rolls on with probability roll [live] and
// takes options with probability pick [options]. It leaves reach as it is for
// the live holds, and in choosing [decisions] how likely each decision comes up.
func (t *turnGraph) propagate(dist, reach, choosing, roll, pick []float64) {
	clear(choosing)
	for i := t.live - 1; i >= t.ends; i-- {
		h, p := &t.holds[i], reach[i]
		if i != t.start() {
			dist[h.points] += p * (1 - roll[i])
			p *= roll[i]
		}
		if p > 0 {
			for _, e := range t.forced[h.forced.from:h.forced.to] {
				reach[e.to] += p * e.prob
			}
			for _, c := range t.choices[h.choices.from:h.choices.to] {
				choosing[c.decision] += p * c.prob
			}
		}
		// All that lead to these have been seen.
		for d := h.decisions.from; d < h.decisions.to; d++ {
			if p := choosing[d]; p > 0 {
				for k := t.first[d]; k < t.first[d+1]; k++ {
					reach[t.options[k]] += p * pick[k]
				}
			}
		}
	}
	t.collectEnds(dist, reach)
}
