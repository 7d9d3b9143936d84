package pig

import (
	"fmt"
	"math"

	"marsgym/env/game"
	"marsgym/env/game/chart"
)

// Facts implements [game.Solution]: there are none.
func (s *Solution) Facts() []game.Fact { return nil }

// Charts implements [game.Solution]: for two players when to hold, and the probability
// of winning.
func (s *Solution) Charts() ([]chart.Chart, error) {
	if s.r.cfg.Players != 2 {
		return nil, fmt.Errorf("pig for %d: %w; only the game for two has charts", s.r.cfg.Players, game.ErrNoCharts)
	}
	target := s.r.cfg.Target
	hold := &chart.Map{Label: "turn total at which to hold (points)"}
	for _, e := range []int{0, 15, 18, 20, 22, 24, 26, 30, 50} { // chosen: most values are near 22
		if e < target {
			hold.Edges = append(hold.Edges, float64(e))
		}
	}
	hold.Edges = append(hold.Edges, float64(target))
	win := chart.Percent("probability of winning (%)")
	fill := func(m *chart.Map, f func(at State, win float64) float64) {
		m.Fill([2]int{0, target - 1}, [2]int{0, target - 1}, func(own, other int) float64 {
			at := State{Score: [maxPlayers]uint8{uint8(own), uint8(other)}}
			v, err := s.Value(nil, at)
			if err != nil { // no turn scores 1
				return math.NaN()
			}
			return f(at, 100*s.r.spec.WinShare(v[0]))
		})
	}
	fill(hold, func(at State, _ float64) float64 { return float64(s.holdAt(at)) })
	fill(win, func(_ State, win float64) float64 { return win })
	panel := func(title string, m *chart.Map) chart.Panel {
		return chart.Panel{Title: title, X: chart.Axis{Label: "own score (points)"}, Y: chart.Axis{Label: "other's score (points)"}, Map: m}
	}
	return []chart.Chart{{
		Name:  "best-play",
		Title: "Pig: when to hold, and the probability of winning, when both play best",
		Caption: "Each cell is the start of a turn at these scores. Left: the lowest turn total at which best play holds, or the total that wins. " +
			"Right: the probability that the player about to roll wins; 50 % at the black line.",
		Panels: []chart.Panel{panel("When to hold", hold), panel("Probability of winning", win)},
	}}, nil
}

// holdAt returns the lowest turn total at which best play holds in the turn that starts
// in at, or else the total that wins.
func (s *Solution) holdAt(at State) int {
	need := s.r.cfg.Target - int(at.Score[at.Seat])
	for total := 2; total < need; total++ {
		at.Total = uint8(total)
		if v, err := s.Options(nil, at); err == nil && v[Hold] > v[Roll]+game.Tie {
			return total
		}
	}
	return need
}
