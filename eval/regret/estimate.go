package regret

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"

	"marsgym/eval"
)

// Report is the result of a measurement. Its figures are shares of the win.
type Report struct {
	Method     string   `json:"method"` // "sampled regret"
	Agent      string   `json:"agent"`
	Others     []string `json:"others"` // agents in the other seats: one for all, or one each
	Games      int      `json:"games"`  // of complete sets, which the figures are of
	Truncated  int      `json:"truncated"`
	Seed       uint64   `json:"seed"`
	Confidence float64  `json:"confidence"`
	Stopped    bool     `json:"stopped"` // whether a bound on calls or cost has ended it

	Win  float64 `json:"win"` // of the policy, averaged over the seats
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Few reports whether the interval may be too narrow, since few sets differ; more games help.
	Few bool `json:"few"`
	// VarianceReduction is how many times as many games the mean of their results would need for an
	// interval as narrow; 0 if the sets do not differ.
	VarianceReduction float64 `json:"variance_reduction"`

	Regret            float64 `json:"regret"` // in a game
	RegretPerDecision float64 `json:"regret_per_decision"`
	Decisions         int     `json:"decisions"` // with more than one legal action
	Mistakes          int     `json:"mistakes"`  // with a regret
	Calls             int     `json:"calls"`
	Illegal           int     `json:"illegal"` // answers that named no legal action
	Drawn             int     `json:"drawn"`   // decisions in which an action was drawn instead
	Cost              float64 `json:"cost"`    // of all calls

	Worst []Mistake `json:"worst"` // those of the highest regret, each once
}

// report estimates from the games of the complete sets.
func (m *measurement) report(stopped bool) *Report {
	games, players := m.sets(), m.game.Spec().Players
	r := &Report{
		Method: "sampled regret", Agent: m.name, Others: []string{}, Games: len(games), Seed: m.Seed,
		Confidence: eval.Confidence, Stopped: stopped, High: 1, Few: true, Worst: worst(games, m.Worst),
	}
	for _, a := range m.Others {
		r.Others = append(r.Others, a.Name)
	}
	if len(games) == 0 {
		return r
	}
	for _, x := range games {
		r.Decisions, r.Mistakes, r.Illegal, r.Drawn = r.Decisions+x.Decisions, r.Mistakes+len(x.Mistakes), r.Illegal+x.Illegal, r.Drawn+x.Drawn
		r.Calls, r.Cost, r.Regret = r.Calls+x.Calls, r.Cost+x.Cost, r.Regret+x.Regret
		if x.Truncated {
			r.Truncated++
		}
	}
	r.RegretPerDecision = r.Regret / float64(max(1, r.Decisions))
	r.Regret /= float64(len(games))
	var adjusted, results []float64 // of each set
	for set := range slices.Chunk(games, players) {
		x, y := 0.0, 0.0
		for _, g := range set {
			x, y = x+g.Result-g.Luck, y+g.Result
		}
		adjusted, results = append(adjusted, x/float64(players)), append(results, y/float64(players))
	}
	r.Win, r.Low, r.High, r.Few = interval(adjusted)
	if v := stat.Variance(adjusted, nil); v > 1e-18 { // else it is rounding
		r.VarianceReduction = stat.Variance(results, nil) / v
	}
	return r
}

// worst returns the n mistakes of the highest regret, each with the number of times that it was made.
func worst(games []*Game, n int) []Mistake {
	list, at := []Mistake{}, map[[2]string]int{}
	for _, x := range games {
		for _, d := range x.Mistakes {
			key := [2]string{d.Position, d.Action}
			if i, there := at[key]; there {
				list[i].Times += d.Times
				continue
			}
			at[key] = len(list)
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b Mistake) int { return cmp.Compare(b.Regret, a.Regret) })
	return list[:min(n, len(list))]
}
