package eval

import (
	"context"
	"errors"

	"marsgym/agents"
	"marsgym/env"
)

// Match is the outcome of sampled games, played in mirrored sets: as many games
// as there are seats, with the same dice, the agents in each rotation over the
// seats. What luck gives one agent in one game it gives another in the next. The
// sets are independent of each other, and the intervals are of their means.
type Match struct {
	Method     string    `json:"method"` // "match"
	Seats      []string  `json:"seats"`  // the agents, in the order in which they sit
	Win        []float64 `json:"win"`    // by agent, the mean over its seats; a shared win counts by its share
	Low        []float64 `json:"low"`    // of the interval around Win
	High       []float64 `json:"high"`
	Confidence float64   `json:"confidence"`
	Games      int       `json:"games"`
	Truncated  int       `json:"truncated"` // of Games: cut off, won by nobody
	Seed       uint64    `json:"seed"`
	// VarianceReduction is how many times as many games with dice of their own
	// would have told as much of the first agent; 0 if all sets ended alike.
	VarianceReduction float64 `json:"variance_reduction,omitempty"`
}

// Rotate plays a match of at least so many games between agents [P]. The outcome
// depends on the seed, not on the number of cores.
func PlayDuplicate(ctx context.Context, g env.Game, who []*agents.Agent, games int, seed uint64, progress func(done float64)) (Match, error) {
	if len(who) == 0 {
		return Match{}, errors.New("no agents")
	}
	if err := checkGames(games); err != nil {
		return Match{}, err
	}
	m, err := newMirror(g, who, seed)
	if err != nil {
		return Match{}, err
	}
	if err := m.play(ctx, (games+len(who)-1)/len(who), progress); err != nil {
		return Match{}, err
	}
	return m.match(), nil
}

// match sums up.
func (m *mirror) match() Match {
	r := Match{
		Method: "match", Seats: names(m.who), Confidence: Confidence,
		Games: len(m.share) / len(m.who), Truncated: m.truncated, Seed: m.seed,
	}
	for agent := range m.who {
		var sets sample
		for set := range m.sets() {
			sets.add(m.mean(set, agent))
		}
		low, high := sets.interval()
		r.Win, r.Low, r.High = append(r.Win, sets.mean()), append(r.Low, low), append(r.High, high)
		if agent == 0 && sets.variance() > 0 {
			r.VarianceReduction = m.apart() / sets.variance()
		}
	}
	return r
}

// mean is the share of the win of an agent in a set.
func (m *mirror) mean(set, agent int) float64 {
	p, sum := len(m.who), 0.0
	for r := range p {
		sum += m.share[(set*p+r)*p+agent]
	}
	return sum / float64(p)
}

// unpaid is the share of the win that nobody has had in a set, for its games
// were cut off.
func (m *mirror) unpaid(set int) float64 {
	x := 1.0
	for agent := range m.who {
		x -= m.mean(set, agent)
	}
	return x
}

// apart is the variance that the first agent's share of a set would have if its
// games had nothing in common.
func (m *mirror) apart() float64 {
	p, sum := len(m.who), 0.0
	for r := range p {
		var games sample
		for set := range m.sets() {
			games.add(m.share[(set*p+r)*p])
		}
		sum += games.variance()
	}
	return sum / float64(p*p)
}
