package martiandice

import (
	"marsgym/env/game"
)

// merged is what may follow a roll, as far as it matters.
type merged struct {
	choices []mergedRoll
	dead    []float64 // [points] probability that the turn ends so
}

// mergedRoll are all rolls that leave the same choice.
type mergedRoll struct {
	aside, roll Counts
	prob        float64
}

// Merged keeps [game.Merger]: dice that cannot be set aside are left out.
func (r *Rules) Merged(dst []game.Outcome[State], s State) []game.Outcome[State] {
	if s.Phase != Rolling {
		return r.Outcomes(dst, s)
	}
	known, ok := r.merged.Load(s.Aside)
	if !ok {
		known, _ = r.merged.LoadOrStore(s.Aside, r.merge(s.Aside))
	}
	m := known.(*merged)
	after := s
	after.Phase = Select
	for _, x := range m.choices {
		after.Aside, after.Roll = x.aside, x.roll
		dst = append(dst, game.Outcome[State]{State: after, Prob: x.prob})
	}
	for points, p := range m.dead {
		if p > 0 {
			dst = append(dst, game.Outcome[State]{State: r.score(s, points), Prob: p})
		}
	}
	return dst
}

// merge lists what may follow when so much is set aside.
func (r *Rules) merge(aside Counts) *merged {
	m := &merged{dead: make([]float64, maxDice+maxBonus+1)}
	at := map[State]int{}
	start := State{Aside: aside}
	for _, x := range r.of[r.free(&start)] {
		s := start
		s.Aside[tank] += x.Counts[tank]
		s.Roll = x.Counts
		s.Roll[tank] = 0
		if stuck(&s) {
			m.dead[r.Points(s.Aside)] += x.prob
			continue
		}
		for t := human; t <= chicken; t++ {
			if s.Aside[t] > 0 {
				s.Roll[t] = 0
			}
		}
		s, _ = r.Canonical(s)
		i, ok := at[s]
		if !ok {
			i = len(m.choices)
			at[s] = i
			m.choices = append(m.choices, mergedRoll{aside: s.Aside, roll: s.Roll})
		}
		m.choices[i].prob += x.prob
	}
	return m
}
