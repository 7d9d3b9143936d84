package martiandice

import (
	"fmt"

	"marsgym/env/game"
	"marsgym/env/game/chart"
)

// placeNames are the names of the places in a round of two.
var placeNames = [2]string{"Moving first in the round", "Moving second in the round"}

const (
	ownTotal   = "own total (points)"
	otherTotal = "other's total (points)"
	lead       = "lead: own total less the other's (points)"
)

// Charts implements [game.Solution]: for two players the probability of winning, the
// risk that best play takes, and when it stops.
func (s *Solution) Charts() ([]chart.Chart, error) {
	if s.starts.players != 2 {
		return nil, s.noCharts()
	}
	charts := []chart.Chart{s.winChart(), s.riskChart()}
	if c, ok := s.stopChart(); ok {
		charts = append(charts, c)
	}
	return charts, nil
}

// PolicyCharts implements [game.Solution]: for two players the loss of one turn by the
// policy, with best play in all later turns.
func (s *Solution) PolicyCharts(p game.TabularPolicy, name string) ([]chart.Chart, error) {
	own, ok := p.(*tabularPolicy)
	if !ok || own.s != s {
		return nil, fmt.Errorf("martian-dice: the policy of %s belongs to another solution", name)
	}
	if s.starts.players != 2 {
		return nil, s.noCharts()
	}
	var charts []chart.Chart
	for m, place := range []string{"first", "second"} {
		loss := &chart.Map{Label: "win probability lost (percentage points)"}
		s.fillScores(loss, m, func(start int) float64 { return 100 * s.turnLoss(start, own.ending(start)) })
		loss.Edges = lossEdges(loss.Z)
		charts = append(charts, chart.Chart{
			Name:  "regret-" + place,
			Title: fmt.Sprintf("Martian Dice: what each turn of %s loses, moving %s in the round", name, place),
			Caption: fmt.Sprintf("Each cell is the start of a turn at these totals; the other player always plays best. "+
				"Left: the probability that the player about to roll wins by best play; 50 %% at the black line. "+
				"Right: the loss when %s plays this one turn and best play all later ones.", name),
			Panels: []chart.Panel{
				s.scorePanel("Probability of winning by best play", s.winMap(m)),
				s.scorePanel("Loss in this turn", loss),
			},
		})
	}
	return charts, nil
}

func (s *Solution) noCharts() error {
	return fmt.Errorf("martian-dice for %d: %w; only the game for two has charts", s.starts.players, game.ErrNoCharts)
}

// turnLoss returns the share of the win that the mover loses when its turn has these
// probabilities dist [ends] of its ends, instead of those of best play.
func (s *Solution) turnLoss(start int, dist []float64) float64 {
	_, m := s.starts.at(start)
	sol := s.turnFrom(start)
	loss := s.value[start*s.starts.players+m]
	for k, p := range dist {
		loss -= float64(p * sol.value[k])
	}
	return max(0, loss) // it is below zero only by rounding
}

// winChart shows the probability of winning by the totals.
func (s *Solution) winChart() chart.Chart {
	return chart.Chart{
		Name:  "win-probability",
		Title: "Martian Dice: probability of winning when both play best",
		Caption: fmt.Sprintf("Each cell is the start of a turn at these totals. Blue: the player about to roll wins with more than 50 %%; red: with less; "+
			"50 %% at the black line. In the right panel, where the other has %d or more, this turn is the last.", s.starts.target),
		Panels: []chart.Panel{s.scorePanel(placeNames[0], s.winMap(0)), s.scorePanel(placeNames[1], s.winMap(1))},
	}
}

func (s *Solution) winMap(m int) *chart.Map {
	win := chart.Percent("probability of winning (%)")
	s.fillScores(win, m, func(start int) float64 { return 100 * s.value[start*2+m] })
	return win
}

// fillScores sets a map to f over the starts of turns of place m, by own total and the
// other's.
func (s *Solution) fillScores(g *chart.Map, m int, f func(start int) float64) {
	own, other := [2]int{0, s.starts.target - 1}, [2]int{0, s.starts.radix(1-m, m) - 1}
	g.Fill(own, other, func(own, other int) float64 { return f(s.startAt(m, own, other)) })
}

// startAt returns the number of a start of a turn of place m.
func (s *Solution) startAt(m, own, other int) int {
	var score [2]uint8
	score[m], score[1-m] = uint8(own), uint8(other)
	return s.starts.index(score[:], m)
}

func (s *Solution) scorePanel(title string, m *chart.Map) chart.Panel {
	return chart.Panel{Title: title, X: chart.Axis{Label: ownTotal}, Y: chart.Axis{Label: otherTotal}, Map: m}
}

// lossEdges returns round edges, each about twice the last, up to 5 percentage points,
// so that charts can be compared, or above that to the largest loss.
func lossEdges(z [][]float64) []float64 {
	most := 0.0
	for _, row := range z {
		for _, x := range row {
			most = max(most, x)
		}
	}
	up := []float64{0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5}
	for _, e := range []float64{10, 20, 50, 100} {
		if most > up[len(up)-1] {
			up = append(up[1:], e)
		}
	}
	return append([]float64{0}, up...)
}

// riskChart shows how often turns score nothing and many points under best play, by
// the lead.
func (s *Solution) riskChart() chart.Chart {
	own, t := s.starts.target/2, s.turn
	big := t.ends / 2
	var none, many [2]chart.Line
	for m := range 2 {
		none[m].Name, many[m].Name = placeNames[m], placeNames[m]
		for other := s.starts.target - 1; other >= 0; other-- {
			sol := s.turnFrom(s.startAt(m, own, other))
			sum := 0.0
			for _, p := range sol.dist[big:] {
				sum += p
			}
			none[m].X = append(none[m].X, float64(own-other))
			none[m].Y = append(none[m].Y, 100*sol.dist[0])
			many[m].X = append(many[m].X, float64(own-other))
			many[m].Y = append(many[m].Y, 100*sum)
		}
	}
	return chart.Chart{
		Name:  "risk",
		Title: "Martian Dice: the risk that best play takes",
		Caption: fmt.Sprintf("How the turns of a player with %d points end under best play. Left of 0 the player is behind. "+
			"Where a curve rises to the left, best play takes more risk when behind: more turns without points, and more with many.", own),
		Panels: []chart.Panel{
			{Title: "Risk", X: chart.Axis{Label: lead}, Y: chart.Axis{Label: "turns that score nothing (%)"}, Lines: none[:]},
			{Title: "Reward", X: chart.Axis{Label: lead}, Y: chart.Axis{Label: fmt.Sprintf("turns that score %d points or more (%%)", big)}, Lines: many[:]},
		},
	}
}

// stopChart shows when to stop with as many rays as tanks and two types of earthlings.
// It reports whether a turn can reach such positions.
func (s *Solution) stopChart() (chart.Chart, bool) {
	dice := s.r.cfg.Dice
	tanks, own, t := dice/4, s.starts.target/2, s.turn
	var nodes []int
	y := chart.Axis{Label: "points in hand (dice left to roll)"}
	for e := 2; e < dice-2*tanks; e++ {
		node := int(t.node[tanks][tanks][e][2])
		if node == 0 {
			break
		}
		nodes = append(nodes, node)
		y.Ticks = append(y.Ticks, chart.Tick{At: float64(e), Label: fmt.Sprintf("%d (%d)", e, dice-2*tanks-e)})
	}
	if nodes == nil {
		return chart.Chart{}, false
	}
	c := chart.Chart{
		Name:  "when-to-stop",
		Title: fmt.Sprintf("Martian Dice: when best play stops, with %d tanks and %d rays", tanks, tanks),
		Caption: fmt.Sprintf("A player with %d points has set %d tanks, %d death rays and two types of earthlings aside. "+
			"Red: best play stops; blue: it rolls on; the darker, the larger the difference. Left of 0 the player is behind.", own, tanks, tanks),
	}
	for m := range 2 {
		g := &chart.Map{
			Label: "win probability gained by rolling (percentage points)", Diverging: true,
			Edges: []float64{-100, -10, -5, -2, -1, 0, 1, 2, 5, 10, 100},
			Z:     make([][]float64, len(nodes)),
		}
		for i := range nodes {
			g.Y = append(g.Y, y.Ticks[i].At)
		}
		for other := min(own+t.ends-1, s.starts.radix(1-m, m)-1); other >= 0; other-- {
			g.X = append(g.X, float64(own-other))
			sol := s.turnFrom(s.startAt(m, own, other))
			for i, node := range nodes {
				g.Z[i] = append(g.Z[i], 100*(sol.rolling[node]-sol.value[t.holds[node].points]))
			}
		}
		c.Panels = append(c.Panels, chart.Panel{
			Title: placeNames[m], X: chart.Axis{Label: lead}, Y: y, Map: g,
		})
	}
	return c, true
}
