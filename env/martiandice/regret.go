package martiandice

import (
	"context"
	"fmt"
	"slices"

	"marsgym/env/game"
)

// Regrets implements [game.Solution]. Like Expand it asks about tables where seat 0
// starts; the states that it yields are those of the seat's own table.
func (s *Solution) Regrets(ctx context.Context, p game.Policy[State], seat game.Player, yield func(game.Regret[State]) error) error {
	players := s.starts.players
	if seat < 0 || int(seat) >= players {
		return fmt.Errorf("martian-dice: seat %d; want 0 to %d", seat, players-1)
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

// walk follows a game in which one place plays a policy and the others their
// best, from the lowest total score to the highest.
type regretWalk struct {
	s            *Solution
	first, place int       // the seat that starts; the place of the policy
	prob         float64   // of all games that start so
	dist         []float64 // [starts, ends]; how a turn ends
	reach        []float64 // [starts]; expected number of times a game that it begins
}

func (w *regretWalk) run(ctx context.Context, p game.Policy[State], yield func(game.Regret[State]) error) error {
	s := w.s
	a := s.newPolicyReader(p)
	for _, vectors := range s.starts.vectors() {
		var turns []int // of the policy, that can come up
		for _, v := range vectors {
			if score := s.starts.vector(v); w.fillReach(score) {
				turns = append(turns, s.starts.index(score[:], w.place))
			}
		}
		for part := range slices.Chunk(turns, a.startsPerCall) {
			found := make([][]game.Regret[State], len(part))
			err := a.each(ctx, part, func(i int, play *turnPolicy) (err error) {
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

// arrive fills reach, at these scores, with how often turns that score lead
// there. It reports whether the policy may yet be to move.
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
				in += w.reach[i] * w.dist[i*ends+k]
			}
		}
		w.reach[t.index(score[:], m)] = in
		sum += in
	}
	return sum > 0
}

// turn completes reach and dist at the scores of a turn of the policy, and
// prices what it does in it.
func (w *regretWalk) turn(start int, play *turnPolicy) ([]game.Regret[State], error) {
	s, ends := w.s, w.s.turn.ends
	score, _ := s.starts.at(start)
	first := s.starts.firstToMove(score)
	// Turns without points lead to the next place and, unless somebody has
	// reached the target, round the table.
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

// price lists what the policy loses in a turn: by rolling on or not, then by
// what it keeps.
func (w *regretWalk) regrets(start int, play *turnPolicy) (list []game.Regret[State]) {
	s, t := w.s, w.s.turn
	at, pl := w.turnStart(start), s.turnFrom(start)
	unit := s.ret(1) - s.ret(0)
	add := func(state State, a, best game.Action, reach, prob, loss float64) {
		if reach > 0 && prob > 0 && loss > game.Tie {
			list = append(list, game.Regret[State]{State: state, Action: a, Best: best, Reach: reach, Prob: prob, Loss: loss * unit})
		}
	}
	reach := w.reach[start]
	for i := t.start() - 1; i >= t.ends; i-- {
		if in := reach * play.reach[i]; in > 0 {
			h := &t.holds[i]
			state := withDice(at, h.aside(), Counts{}, Decide)
			gain := pl.rolling[i] - pl.value[h.points]
			add(state, Stop, Roll, in, 1-play.roll[i], gain)
			add(state, Roll, Stop, in, play.roll[i], -gain)
		}
	}
	for k, p := range play.decisionReach {
		if p == 0 {
			continue
		}
		from, to := t.first[k], t.first[k+1]
		options, acts := t.options[from:to], t.actions[from:to]
		most := bestValue(pl.value, options)
		for j, prob := range play.option[from:to] {
			if loss := most - pl.value[options[j]]; prob > 0 && loss > game.Tie {
				best := acts[bestOption(pl.value, options)]
				add(withDice(at, t.decisions[k].Aside, t.decisions[k].Roll, Select), acts[j], best, reach*p, prob, loss)
			}
		}
	}
	return list
}

// state is the start of a turn, by seat.
func (w *regretWalk) turnStart(start int) State {
	p := w.s.starts.players
	score, m := w.s.starts.at(start)
	at := State{Seat: uint8((w.first + m) % p), Start: uint8(w.first)}
	for i := range p {
		at.Score[(w.first+i)%p] = score[i]
	}
	return at
}
