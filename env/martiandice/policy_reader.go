package martiandice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"marsgym/env/game"
	"marsgym/env/tabular"
	"marsgym/internal/parallel"
)

// maxRows is the number of rows of one call of a policy, rounded up to whole starts.
// Chosen: states and answers take some 10 MB, and the plays of the starts up to 25 MB.
const maxRows = 80_000

// policyReader reads the probabilities of a policy in the turns from some starts. It
// reuses its memory.
type policyReader struct {
	s             *Solution
	policy        game.Policy[State]
	scorer        game.AfterstateScorer[State] // the policy, or nil
	ignoresScores bool                         // the policy has the same probabilities at all starts
	shared        *turnPolicy                  // those probabilities, once read
	rows          int                          // rows for one start
	startsPerCall int

	states []State
	movers []game.Player
	out    []float64     // probabilities [rows, A], or scores [rows]
	plays  []*turnPolicy // [starts] of the turns that are read together
}

func (s *Solution) newPolicyReader(p game.Policy[State]) *policyReader {
	pr := &policyReader{s: s, policy: p, rows: s.turn.decisionsPerTurn()}
	switch p := p.(type) {
	case *greedy, game.Uniform[State]:
		pr.ignoresScores = true
	case game.AfterstateScorer[State]:
		pr.scorer, pr.rows = p, s.turn.afterstatesPerTurn()
	}
	pr.startsPerCall = 1 + maxRows/(1+pr.rows)
	return pr
}

// each calls f on all cores with the index of each start in starts and the policy's
// probabilities in the turn from there, in the states that it reaches. f must not retain play.
func (pr *policyReader) each(ctx context.Context, starts []int, f func(i int, play *turnPolicy) error) error {
	for len(pr.plays) < len(starts) {
		pr.plays = append(pr.plays, newTurnPolicy(pr.s.turn))
	}
	if !pr.ignoresScores || pr.shared == nil {
		read := starts
		if pr.ignoresScores {
			read = starts[:1]
		}
		call := pr.walk
		if pr.scorer != nil {
			call = pr.score
		}
		if err := call(ctx, read); err != nil {
			return err
		}
		if pr.ignoresScores {
			pr.shared, pr.plays[0] = pr.plays[0], newTurnPolicy(pr.s.turn)
		}
	}
	return parallel.ForContext(ctx, len(starts), 1, func(i, _ int) error {
		play := pr.plays[i]
		if pr.ignoresScores {
			play.roll, play.option = pr.shared.roll, pr.shared.option
		}
		return f(i, play)
	})
}

// score calls a scorer for the turns from some starts, with all afterstates.
func (pr *policyReader) score(ctx context.Context, starts []int) error {
	n := len(starts) * pr.rows
	pr.states, pr.movers = slices.Grow(pr.states[:0], n)[:n], slices.Grow(pr.movers[:0], n)[:n]
	pr.out = slices.Grow(pr.out[:0], n)[:n]
	err := parallel.ForContext(ctx, len(starts), 1, func(i, _ int) error {
		pr.s.fillAfterstates(pr.states[i*pr.rows:][:pr.rows], pr.movers[i*pr.rows:][:pr.rows], pr.s.turnStart(starts[i]))
		return nil
	})
	if err != nil {
		return err
	}
	if err := pr.scorer.Score(pr.out, pr.states, pr.movers); err != nil {
		return err
	}
	return parallel.ForContext(ctx, len(starts), 1, func(i, _ int) error {
		scores := pr.out[i*pr.rows:][:pr.rows]
		if slices.ContainsFunc(scores, math.IsNaN) {
			return errors.New("the policy's scores contain NaN")
		}
		pr.plays[i].choose(pr.s.turn, pr.scorer, scores)
		return nil
	})
}

// walk calls a policy for the turns from some starts, with the decisions that it reaches. It
// goes through the holds by descending number of free dice, as a turn does.
func (pr *policyReader) walk(ctx context.Context, starts []int) error {
	t, r := pr.s.turn, pr.s.r
	for _, play := range pr.plays[:len(starts)] {
		clear(play.reached)
		clear(play.arises)
		play.reached[t.start()] = true
	}
	for to := t.live; to > t.ends; {
		from := to - 1
		for from > t.ends && r.freeIn(t.holds[from-1]) == r.freeIn(t.holds[to-1]) {
			from--
		}
		if err := pr.ask(ctx, starts, func(play *turnPolicy) { play.askRoll(t, from, to) }); err != nil {
			return err
		}
		if err := pr.ask(ctx, starts, func(play *turnPolicy) { play.askTypes(t, from, to) }); err != nil {
			return err
		}
		to = from
	}
	return nil
}

// ask calls the policy with the decisions that list adds to asked of each play, and stores what
// it chooses.
func (pr *policyReader) ask(ctx context.Context, starts []int, list func(play *turnPolicy)) error {
	plays, n := pr.plays[:len(starts)], 0
	parallel.For(len(plays), 1, func(i, _ int) {
		plays[i].asked = plays[i].asked[:0]
		list(plays[i])
	})
	first := make([]int, len(plays)) // row of each play
	for i, play := range plays {
		first[i] = n
		n += len(play.asked)
	}
	if n == 0 {
		return ctx.Err()
	}
	pr.states, pr.out = slices.Grow(pr.states[:0], n)[:n], slices.Grow(pr.out[:0], n*int(actions))[:n*int(actions)]
	parallel.For(len(plays), 1, func(i, _ int) {
		at := pr.s.turnStart(starts[i])
		for k, d := range plays[i].asked {
			pr.states[first[i]+k] = pr.s.turn.decision(at, d)
		}
	})
	if err := game.Probs(ctx, pr.policy, pr.out, pr.states); err != nil {
		return err
	}
	return parallel.ForContext(ctx, len(plays), 1, func(i, _ int) error {
		for k, d := range plays[i].asked {
			k += first[i]
			if err := plays[i].store(pr.s.turn, d, pr.out[k*int(actions):][:actions]); err != nil {
				return fmt.Errorf("at %s the policy gives %w", pr.s.r.Format(pr.states[k]), err)
			}
		}
		return nil
	})
}

// decisionsPerTurn returns the number of decisions of a turn: which type to set aside
// after each roll, and whether to roll on from each hold.
func (t *turnGraph) decisionsPerTurn() int { return len(t.decisions) + t.start() - t.ends }

// decision returns decision i of the turn that starts in at: first those of which type to set
// aside, and then whether to roll on from each live hold.
func (t *turnGraph) decision(at State, i uint32) State {
	if n := uint32(len(t.decisions)); i >= n {
		return withDice(at, t.holds[t.ends+int(i-n)].aside(), Counts{}, Decide)
	}
	d := &t.decisions[i]
	return withDice(at, d.Aside, d.Roll, Select)
}

// afterstatesPerTurn returns the number of afterstates of a turn.
func (t *turnGraph) afterstatesPerTurn() int { return t.nodes() - 1 + t.start() - t.ends }

// fillAfterstates fills dst and movers [afterstatesPerTurn] with the afterstates of the turn
// that starts in at: by node, without the start, and then the live holds after the
// decision to roll.
func (s *Solution) fillAfterstates(dst []State, movers []game.Player, at State) {
	t := s.turn
	for i := range movers {
		movers[i] = game.Player(at.Seat)
	}
	dst = dst[:0]
	for k := range t.ends {
		dst = append(dst, s.r.score(at, k))
	}
	for _, h := range t.holds[t.ends:t.start()] {
		dst = append(dst, withDice(at, h.aside(), Counts{}, Decide))
	}
	for _, h := range t.hopeless {
		dst = append(dst, withDice(at, h.aside(), Counts{}, Decide))
	}
	for _, h := range t.holds[t.ends:t.start()] {
		dst = append(dst, withDice(at, h.aside(), Counts{}, Rolling))
	}
}

// turnStart returns the start of a turn, given its number.
func (s *Solution) turnStart(start int) State {
	score, m := s.starts.at(start)
	return State{Score: score, Seat: uint8(m)}
}

func withDice(s State, aside, roll Counts, phase Phase) State {
	s.Aside, s.Roll, s.Phase = aside, roll, phase
	return s
}

// turnPolicy is a policy in one turn.
type turnPolicy struct {
	roll          []float64 // [live] probability of rolling on
	option        []float64 // [options] probability of each option of the decisions
	reach         []float64 // [nodes] reach probabilities
	decisionReach []float64 // [decisions] reach probabilities

	// Working memory of walk.
	reached, arises []bool   // [nodes] and [decisions]; whether the policy can reach them
	asked           []uint32 // decisions of the next call

	// Working memory of choose.
	scores     []float64 // [options or 2·holds]
	rollOrStop []float64 // [2·holds] probabilities of rolling on and of stopping
	pairs      []uint32  // 0, 2, 4, ... 2·holds
}

func newTurnPolicy(t *turnGraph) *turnPolicy {
	holds := t.start() - t.ends // in which a seat decides whether to roll on
	tp := &turnPolicy{
		roll: make([]float64, t.live), option: make([]float64, len(t.options)),
		reach: make([]float64, t.nodes()), decisionReach: make([]float64, len(t.decisions)),
		reached: make([]bool, t.nodes()), arises: make([]bool, len(t.decisions)),
		scores: make([]float64, max(len(t.options), 2*holds)), rollOrStop: make([]float64, 2*holds),
	}
	for i := range holds + 1 {
		tp.pairs = append(tp.pairs, uint32(2*i))
	}
	return tp
}

// askRoll asks whether to roll on from the holds from <= i < to that are reached.
func (tp *turnPolicy) askRoll(t *turnGraph, from, to int) {
	for i := from; i < min(to, t.start()); i++ {
		if tp.reached[i] {
			tp.asked = append(tp.asked, uint32(len(t.decisions)+i-t.ends))
		}
	}
}

// askTypes rolls on from the holds from <= i < to that are reached, and asks for the types to
// set aside after it that no lower hold needs too.
func (tp *turnPolicy) askTypes(t *turnGraph, from, to int) {
	for i := from; i < to; i++ {
		if !tp.reached[i] || i != t.start() && tp.roll[i] == 0 {
			continue
		}
		h := &t.holds[i]
		for _, e := range t.forced[h.forced.from:h.forced.to] {
			tp.reached[e.to] = true
		}
		for _, c := range t.choices[h.choices.from:h.choices.to] {
			tp.arises[c.decision] = true
		}
	}
	for d := t.holds[from].decisions.from; d < t.holds[to-1].decisions.to; d++ {
		if tp.arises[d] {
			tp.asked = append(tp.asked, d)
		}
	}
}

// store stores the probabilities probs [A] of a decision, and follows those above 0.
func (tp *turnPolicy) store(t *turnGraph, decision uint32, probs []float64) error {
	if n := uint32(len(t.decisions)); decision >= n {
		if err := tabular.Normalise(probs[Roll:]); err != nil {
			return err
		}
		tp.roll[t.ends+int(decision-n)] = probs[Roll]
		return nil
	}
	from, to := t.first[decision], t.first[decision+1]
	option := tp.option[from:to]
	for j, act := range t.actions[from:to] {
		option[j] = probs[act]
	}
	if err := tabular.Normalise(option); err != nil {
		return err
	}
	for j, node := range t.options[from:to] {
		if option[j] > 0 {
			tp.reached[node] = true
		}
	}
	return nil
}

// propagate adds to dist [ends] the probability of each end of the turn, and leaves
// the reach probabilities of live holds in reach and of decisions in decisionReach.
func (tp *turnPolicy) propagate(t *turnGraph, dist []float64) {
	clear(tp.reach)
	tp.reach[t.start()] = 1
	t.propagate(dist, tp.reach, tp.decisionReach, tp.roll, tp.option)
}

// choose fills roll and option from the scores of the afterstates, which are in the
// order of fillAfterstates.
func (tp *turnPolicy) choose(t *turnGraph, p game.AfterstateScorer[State], scores []float64) {
	for j, node := range t.options {
		if int(node) > t.start() {
			node--
		}
		tp.scores[j] = scores[node]
	}
	p.Choose(tp.option, tp.scores[:len(t.options)], t.first)
	rolls := scores[t.nodes()-1:]
	for i := range rolls {
		tp.scores[2*i], tp.scores[2*i+1] = rolls[i], scores[t.holds[t.ends+i].points] // roll on, or stop
	}
	p.Choose(tp.rollOrStop, tp.scores[:2*len(rolls)], tp.pairs)
	for i := range rolls {
		tp.roll[t.ends+i] = tp.rollOrStop[2*i]
	}
}
