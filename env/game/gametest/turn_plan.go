package gametest

import (
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
)

const (
	// turnsTried is the number of turns of the games that are solved, and of sampled
	// turns. Chosen, as the next two: the check takes about a second.
	turnsTried = 12
	// turnStates is the number of states up to which a turn is solved by backward
	// induction. Longer turns are played turnsPlayed times instead.
	turnStates  = 5000
	turnsPlayed = 3

	// startsSampled is the number of starts of turns that are sampled. If there are at
	// most startsListed different ones, all equally likely, one of them is missed with
	// a probability below one in a hundred million.
	startsSampled = 10_000
	startsListed  = startsSampled / 20

	// planTolerance is the rounding error allowed to a plan. Chosen: far below any
	// difference that matters, and above the error of a sum of many thousand terms.
	planTolerance = 1e-9
)

// checkTurns checks where the turns of the games start, and the plans of some of these
// turns and of sampled ones.
func (c *checker[S]) checkTurns(traces [][]S) {
	planner, ok := c.rules.(game.TurnPlanner[S])
	if !ok || len(c.errs) > 0 {
		return // the rules may not be fit to search
	}
	p := &planChecker[S]{checker: c, planner: planner, r: rand.New(rand.NewPCG(c.seed, math.MaxUint64-1))}
	start := traces[0][0]
	var met, sampled []S
	c.try(start, "TurnStart", func() { met = p.checkStarts(traces) })
	c.try(start, "SampleStart", func() { sampled = p.checkSamples(met) })
	if len(c.errs) > 0 {
		return
	}
	p.plan = planner.NewPlan()
	for range batchPlans {
		p.plans = append(p.plans, planner.NewPlan())
	}
	c.try(start, "TurnOf", func() { p.checkTurnOf(traces[0]) })
	step := 1 + len(met)/turnsTried
	for i := 0; i < len(met); i += step {
		c.try(met[i], "Plan", func() { p.checkTurn(met[i]) })
	}
	for _, s := range sampled {
		if c.check(s) {
			c.try(s, "Plan", func() { p.checkTurn(s) })
		}
	}
}

// batchPlans is the number of plans solved in one call of SolveAll. Chosen: more than
// the lanes of a vector register, and no power of two.
const batchPlans = 19

// The kinds of values at the ends of a turn.
const (
	distinctValues = iota // no two options tie
	fewValues             // some options tie
	equalValues           // all options tie
	valueKinds
)

type planChecker[S comparable] struct {
	*checker[S]
	planner game.TurnPlanner[S]
	plan    game.Plan[S]
	plans   []game.Plan[S] // [batchPlans]
	r       *rand.Rand
}

// mover returns the seat whose turn starts in s, or -1 if none does.
func (p *planChecker[S]) mover(s S) game.Player {
	if who, ok := p.planner.TurnStart(s); ok {
		return who
	}
	return -1
}

// checkStarts checks TurnStart in all games and returns the representatives of their
// distinct starts of turns.
func (p *planChecker[S]) checkStarts(traces [][]S) (starts []S) {
	seen := make(map[S]bool)
	for _, trace := range traces {
		turn := game.Player(-1)
		for _, s := range trace {
			who, begins := p.planner.TurnStart(s)
			same, also := p.planner.TurnStart(p.core.Representative(s))
			now := p.rules.CurrentPlayer(s)
			switch {
			case begins && (who < 0 || int(who) >= p.spec.Players):
				p.failAt(s, "TurnStart returns a seat", "got %d with %d players", who, p.spec.Players)
				return nil
			case begins && now != who && now != game.Chance:
				p.failAt(s, "TurnStart returns the seat that decides", "the turn of seat %d starts where CurrentPlayer is %d", who, now)
			case begins != also || begins && same != who:
				p.failAt(s, "TurnStart is that of the representative", "%d, %v in the representative, %d, %v in the state", same, also, who, begins)
			}
			if begins {
				turn = who
				if s = p.core.Representative(s); !seen[s] {
					seen[s] = true
					starts = append(starts, s)
				}
			} else if now >= 0 && now != turn {
				p.failAt(s, "every decision lies in a turn of its seat", "seat %d decides in a turn of %d", now, turn)
			}
		}
	}
	return starts
}

// checkTurnOf compares the starts of turns that the decisions of a game tell with those in
// which they started.
func (p *planChecker[S]) checkTurnOf(trace []S) {
	var ends []S
	for _, s := range trace {
		if _, begins := p.planner.TurnStart(s); begins {
			ends = slices.Clone(p.plan.Begin(p.core.Representative(s)))
		}
		if p.rules.CurrentPlayer(s) < 0 {
			continue
		}
		start := p.core.Representative(p.planner.TurnOf(p.core.Representative(s)))
		if who, begins := p.planner.TurnStart(start); !begins || who != p.rules.CurrentPlayer(s) {
			p.failAt(s, "a turn of the seat starts in TurnOf", "none does in %s", p.text(start))
			return
		}
		if !slices.Equal(p.plan.Begin(start), ends) {
			p.failAt(s, "the ends from TurnOf are those of the turn", "others follow %s", p.text(start))
			return
		}
	}
}

// checkSamples samples starts of turns and returns the representatives of a few. If
// there are not many, each start that the games reached must be among them.
func (p *planChecker[S]) checkSamples(met []S) (sampled []S) {
	r := rand.NewPCG(p.seed, math.MaxUint64-2)
	seen := make(map[string]bool)
	for range startsSampled {
		again := *r
		s := p.planner.SampleStart(r)
		if t := p.planner.SampleStart(&again); t != s {
			p.failAt(s, "SampleStart is a function of the generator", "then it sampled %s", p.text(t))
			return nil
		}
		s = p.core.Representative(s)
		who := p.mover(s)
		if who < 0 {
			p.failAt(s, "SampleStart samples a start of a turn", "no turn starts there")
			return nil
		}
		if key := p.observationKey(s, who); !seen[key] {
			seen[key] = true
			if len(sampled) < turnsTried {
				sampled = append(sampled, s)
			}
		}
		if len(seen) > startsListed {
			return sampled
		}
	}
	for _, s := range met {
		if !seen[p.observationKey(s, p.mover(s))] {
			p.failAt(s, "SampleStart may return every start of a turn", "it sampled %d different ones, none with the observation of this one", len(seen))
		}
	}
	return sampled
}

// checkTurn checks the plan of the turn that starts in s, for each kind of values.
func (p *planChecker[S]) checkTurn(s S) {
	t := &turn[S]{start: s, mover: p.mover(s), index: make(map[S]int), at: make(map[S]int)}
	ends := p.plan.Begin(s)
	distinct := make(map[S]bool)
	for _, end := range ends {
		if distinct[end] {
			p.failAt(s, "Begin returns each end once", "%s is listed twice", p.text(end))
		}
		distinct[end] = true
		p.checkEnd(s, end)
		if _, ok := t.index[p.core.Representative(end)]; !ok {
			t.index[p.core.Representative(end)] = len(t.pay)
			t.pay = append(t.pay, nil)
		}
		t.end = append(t.end, t.index[p.core.Representative(end)])
	}
	ends = slices.Clone(ends)
	t.reached = make([]bool, len(t.pay))
	listed := p.list(t, s)
	for i, end := range ends {
		if listed && !t.reached[t.end[i]] {
			p.failAt(s, "Begin returns no state that cannot end the turn", "%s cannot", p.text(end))
		}
	}
	if len(p.errs) > 0 {
		return
	}
	for kind := range valueKinds {
		p.solve(t, kind)
		value := p.appended(s, "Value", p.spec.Players, p.plan.Value)
		if value == nil {
			return
		}
		if listed {
			p.compareListed(t, value)
		} else {
			p.comparePlayed(t, value)
		}
	}
}

// checkEnd checks an end of the turn that starts in s.
func (p *planChecker[S]) checkEnd(s, end S) {
	const mark = 12345
	got, known := p.plan.Known([]float64{mark}, end)
	if !known {
		if p.mover(end) < 0 {
			p.failAt(s, "the next turn starts in an end, or it is Known", "neither holds in %s", p.text(end))
		}
		if len(got) != 1 || got[0] != mark {
			p.failAt(end, "Known appends nothing if it returns false", "to [%d] it appended %v", mark, got)
		}
		return
	}
	if len(got) != 1+p.spec.Players || got[0] != mark {
		p.failAt(end, "Known appends one number for each seat", "[%d] became %v, with %d players", mark, got, p.spec.Players)
		return
	}
	want, ok := p.expected(end)
	if !ok {
		p.failAt(end, "Known returns false where a seat has a choice", "it returns true")
	} else if want != nil && !near(got[1:], want) {
		p.failAt(end, "Known appends the expected returns", "got %v, want %v", got[1:], want)
	}
}

// expected returns the expected returns from s on, by the rules; ok is false if a seat
// has a choice. They are nil if chance may go on for ever.
func (p *planChecker[S]) expected(s S) (pay []float64, ok bool) {
	pay = make([]float64, p.spec.Players)
	now := []game.Outcome[S]{{State: s, Prob: 1}}
	for range turnStates {
		var next []game.Outcome[S]
		at := make(map[S]int)
		for _, x := range now {
			if x.Prob < planTolerance/turnStates {
				continue
			}
			follow := []game.Outcome[S]{}
			switch p.rules.CurrentPlayer(x.State) {
			case game.Terminal:
				for j, v := range p.rules.Returns(nil, x.State) {
					pay[j] += x.Prob * v
				}
			case game.Chance:
				follow = p.rules.Outcomes(nil, x.State)
			default:
				legal := p.rules.Legal(nil, x.State)
				if len(legal) > 1 {
					return nil, false
				}
				after, _ := p.rules.Apply(x.State, legal[0])
				follow = append(follow, game.Outcome[S]{State: after, Prob: 1})
			}
			for _, o := range follow {
				i, ok := at[o.State]
				if !ok {
					i = len(next)
					at[o.State] = i
					next = append(next, game.Outcome[S]{State: o.State})
				}
				next[i].Prob += x.Prob * o.Prob
			}
		}
		if now = next; len(now) == 0 {
			return pay, true
		}
	}
	return nil, true
}

// solve samples values of the ends and solves the turn.
func (p *planChecker[S]) solve(t *turn[S], kind int) {
	for i := range t.pay {
		t.pay[i] = p.sampleValues(kind, t.mover)
	}
	var values []float64
	for _, i := range t.end {
		values = append(values, t.pay[i]...)
	}
	given := slices.Clone(values)
	p.planner.SolveAll([]game.Plan[S]{p.plan}, [][]float64{values})
	if !slices.Equal(given, values) {
		p.failAt(t.start, "SolveAll leaves the values unchanged", "%v became %v", given, values)
	}
	p.solveAll(t, values)
}

// solveAll solves the turn many times in one call of SolveAll.
func (p *planChecker[S]) solveAll(t *turn[S], values []float64) {
	var all [][]float64
	for _, plan := range p.plans {
		plan.Begin(t.start)
		all = append(all, slices.Clone(values))
	}
	p.planner.SolveAll(p.plans, all)
	want := p.plan.Value(nil)
	for i, plan := range p.plans {
		if got := plan.Value(nil); !slices.Equal(got, want) {
			p.failAt(t.start, "SolveAll solves each as if it were alone", "plan %d of %d has value %v, want %v", i, len(p.plans), got, want)
		}
	}
}

// sampleValues samples expected returns [P] of an end: shares of one win, or any
// numbers if there is no win.
func (p *planChecker[S]) sampleValues(kind int, mover game.Player) []float64 {
	n := p.spec.Players
	pay := make([]float64, n)
	switch kind {
	case distinctValues:
		sum := 0.0
		for j := range pay {
			pay[j] = p.r.ExpFloat64()
			sum += pay[j]
		}
		for j := range pay {
			pay[j] /= sum
		}
	case fewValues:
		for range 4 {
			pay[p.r.IntN(n)] += 0.25
		}
	case equalValues:
		pay[mover] = 0.5
		if n > 1 {
			pay[(int(mover)+1+p.r.IntN(n-1))%n] = 0.5
		}
	}
	if p.spec.HasWin() {
		for j, x := range pay {
			pay[j] = p.spec.Return(x)
		}
	}
	return pay
}

// appended returns the n numbers that a method of the plan appends, or nil if it
// appends another number of them.
func (p *planChecker[S]) appended(s S, method string, n int, f func(dst []float64) []float64) []float64 {
	const mark = 12345
	got := f([]float64{mark})
	if len(got) != 1+n || got[0] != mark {
		p.failAt(s, method+" appends its numbers", "[%d] became %v, want %d more", mark, got, n)
		return nil
	}
	return got[1:]
}

func near(got, want []float64) bool {
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= planTolerance) {
			return false
		}
	}
	return true
}
