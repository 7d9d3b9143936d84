package martiandice

import (
	"context"
	"slices"

	"marsgym/env/game"
)

// Regrets implements [game.Solution]. Like Tabulate it calls the policy with games in
// which seat 0 starts. The states that it yields are those of the actual games.
func (s *Solution) Regrets(ctx context.Context, p game.Policy[State], seat game.Player, yield func(game.Regret[State]) error) error {
	players := s.starts.players
	if err := s.CheckSeat(seat); err != nil {
		return err
	}
	if _, ok := p.(*bestPolicy); ok {
		return nil
	}
	n := s.r.firstSeats()
	for first := range n {
		w := &regretWalk{
			s: s, first: first, place: (int(seat) + players - first) % players, prob: 1 / float64(n),
			dist: make([]float64, s.starts.count()*s.turn.ends), reach: make([]float64, s.starts.count()),
		}
		if err := w.run(ctx, p, yield); err != nil {
			return err
		}
	}
	return nil
}

// regretWalk computes the regrets of a policy in one place against best play in all
// others, from the lowest total score to the highest.
type regretWalk struct {
	s            *Solution
	first, place int       // the seat that starts; the place of the policy
	prob         float64   // that this seat starts
	dist         []float64 // [starts, ends] probability of each end of the turn
	reach        []float64 // [starts] expected number of times that the turn comes up in a game
}

func (w *regretWalk) run(ctx context.Context, p game.Policy[State], yield func(game.Regret[State]) error) error {
	s := w.s
	reader := s.newPolicyReader(p)
	var vectors []uint32
	for total := range s.starts.totals() {
		vectors = s.starts.vectors(vectors[:0], total)
		var turns []int // starts of turns of the policy that can come up
		for _, v := range vectors {
			if score := s.starts.vector(v); w.fillReach(score) {
				turns = append(turns, s.starts.index(score[:], w.place))
			}
		}
		for part := range slices.Chunk(turns, reader.startsPerCall) {
			found := make([][]game.Regret[State], len(part))
			err := reader.each(ctx, part, func(i int, play *turnPolicy) (err error) {
				found[i], err = w.turn(part[i], play)
				return err
			})
			if err != nil {
				return err
			}
			for _, list := range found {
				for _, r := range list {
					if err := yield(r); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// fillReach fills reach at these scores, counting only turns with points that lead
// there. It reports whether a turn of the policy can come up at these scores.
func (w *regretWalk) fillReach(score [maxPlayers]uint8) bool {
	t, ends := &w.s.starts, w.s.turn.ends
	first := t.firstToMove(score)
	if w.place < first {
		return false
	}
	sum := 0.0
	for m := first; m < t.players; m++ {
		in := 0.0
		if m == 0 && score == ([maxPlayers]uint8{}) {
			in = w.prob
		}
		last, from := (m+t.players-1)%t.players, score
		for k := 1; k < min(ends, int(score[last])+1); k++ {
			from[last]--
			if int(from[last]) < t.target {
				i := t.index(from[:], last)
				in += float64(w.reach[i] * w.dist[i*ends+k])
			}
		}
		w.reach[t.index(score[:], m)] = in
		sum += in
	}
	return sum > 0
}

// turn completes reach and dist at the scores of a turn of the policy, and returns the
// regrets of the turn.
func (w *regretWalk) turn(start int, play *turnPolicy) ([]game.Regret[State], error) {
	s, ends := w.s, w.s.turn.ends
	score, _ := s.starts.at(start)
	first := s.starts.firstToMove(score)
	// Turns without points lead to the next place and, unless a place has reached the
	// target, form a cycle.
	again, back := 1.0, 0.0
	for m := first; m < s.starts.players; m++ {
		i := s.starts.index(score[:], m)
		dist := w.dist[i*ends:][:ends]
		if i == start {
			play.propagate(s.turn, dist)
		} else {
			copy(dist, s.turnFrom(i).dist)
		}
		again *= dist[0]
		back = (back + w.reach[i]) * dist[0]
	}
	pass := 0.0
	if first == 0 {
		if again > endlessProb {
			return nil, s.endlessError(score)
		}
		pass = back / (1 - again)
	}
	for m := first; m < s.starts.players; m++ {
		i := s.starts.index(score[:], m)
		w.reach[i] += pass
		pass = w.reach[i] * w.dist[i*ends]
	}
	return w.regrets(start, play), nil
}

// regrets returns the regrets of a turn: first those of rolling on and stopping, then
// those of the types set aside.
func (w *regretWalk) regrets(start int, play *turnPolicy) (list []game.Regret[State]) {
	s, t := w.s, w.s.turn
	at, sol := w.turnStart(start), s.turnFrom(start)
	unit := s.ret(1) - s.ret(0)
	add := func(state State, a, best game.Action, reach, prob, loss float64) {
		if reach > 0 && prob > 0 && loss > game.Tie {
			list = append(list, game.Regret[State]{State: state, Action: a, Best: best, Reach: reach, Prob: prob, Loss: loss * unit})
		}
	}
	reach := w.reach[start]
	for i := t.start() - 1; i >= t.ends; i-- {
		if times := reach * play.reach[i]; times > 0 {
			h := &t.holds[i]
			state := withDice(at, h.aside(), Counts{}, Decide)
			gain := sol.rolling[i] - sol.value[h.points]
			add(state, Stop, Roll, times, 1-play.roll[i], gain)
			add(state, Roll, Stop, times, play.roll[i], -gain)
		}
	}
	for k, p := range play.decisionReach {
		if p == 0 {
			continue
		}
		from, to := t.first[k], t.first[k+1]
		options, acts := t.options[from:to], t.actions[from:to]
		most := bestValue(sol.value, options)
		for j, prob := range play.option[from:to] {
			if loss := most - sol.value[options[j]]; prob > 0 && loss > game.Tie {
				best := acts[bestOption(sol.value, options)]
				add(withDice(at, t.decisions[k].Aside, t.decisions[k].Roll, Select), acts[j], best, reach*p, prob, loss)
			}
		}
	}
	return list
}

// turnStart returns the start of a turn, given its number, in a game that seat w.first
// starts.
func (w *regretWalk) turnStart(start int) State {
	p := w.s.starts.players
	score, m := w.s.starts.at(start)
	at := State{Seat: uint8((w.first + m) % p), Start: uint8(w.first)}
	game.SeatOrder(at.Score[:p], score[:p], game.Player(w.first))
	return at
}
