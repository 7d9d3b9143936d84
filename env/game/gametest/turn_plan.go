package gametest

import (
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
)

const (
	// turnsTried is how many turns of the games, and as many drawn, are planned.
	// Chosen, as the next two: all takes about a second.
	turnsTried = 12
	// turnStates is the size up to which a turn is listed. Longer ones are played
	// so many times instead.
	turnStates  = 5000
	turnsPlayed = 3

	// startsDrawn is how many starts are drawn. If they are among one in
	// twentieth as many, one of a fair chance is missed once in a hundred million.
	startsDrawn  = 10_000
	startsListed = startsDrawn / 20

	// planTolerance is the rounding error allowed to a plan. Chosen: far below
	// any difference that matters, and above a sum of many thousand terms.
	planTolerance = 1e-9
)

// checkTurns checks the turns of the games, and plans some of them and some that
// are sampled.
func (c *checker[S]) checkTurns(traces [][]S) {
	starter, ok := c.rules.(game.TurnStarter[S])
	if !ok || len(c.errs) > 0 {
		return // the games may not be sound to search
	}
	p := &planChecker[S]{checker: c, starter: starter, r: rand.New(rand.NewPCG(c.seed, math.MaxUint64-1))}
	start := traces[0][0]
	var met, drawn []S
	c.try(start, "TurnStart", func() { met = p.checkStarts(traces) })
	if sampler, ok := c.rules.(game.StartSampler[S]); ok {
		c.try(start, "SampleStart", func() { drawn = p.checkSamples(sampler, met) })
	}
	planner, ok := c.rules.(game.TurnPlanner[S])
	if !ok || len(c.errs) > 0 {
		return
	}
	p.plan = planner.NewPlan()
	if p.batch, ok = c.rules.(game.BatchTurnPlanner[S]); ok {
		for range twins {
			p.twins = append(p.twins, planner.NewPlan())
		}
	}
	step := 1 + len(met)/turnsTried
	for i := 0; i < len(met); i += step {
		c.try(met[i], "Plan", func() { p.checkTurn(met[i]) })
	}
	for _, s := range drawn {
		if c.check(s) {
			c.try(s, "Plan", func() { p.checkTurn(s) })
		}
	}
}

// twins is the number of plans solved in one call of SolveAll. Chosen: more than a
// vector register holds, and no power of two.
const twins = 19

// The kinds of values that turns are planned against.
const (
	distinctPay = iota // no two options tie
	fewPays            // some do
	samePay            // all do
	lots
)

type planChecker[S comparable] struct {
	*checker[S]
	starter game.TurnStarter[S]
	plan    game.Plan[S]
	batch   game.BatchTurnPlanner[S] // or nil
	twins   []game.Plan[S]           // of batch
	r       *rand.Rand
}

// rep is the representative of s.
func (p *planChecker[S]) rep(s S) S {
	if p.symmetry != nil {
		s, _ = p.symmetry.Canonical(s)
	}
	return s
}

// mover is the seat whose turn starts in s, -1 where none does.
func (p *planChecker[S]) mover(s S) game.Player {
	if who, ok := p.starter.TurnStart(s); ok {
		return who
	}
	return -1
}

// checkStarts follows the turns of all games and returns the representatives of
// their distinct starts.
func (p *planChecker[S]) checkStarts(traces [][]S) (starts []S) {
	seen := make(map[S]bool)
	for _, trace := range traces {
		turn := game.Player(-1)
		for _, s := range trace {
			who, begins := p.starter.TurnStart(s)
			same, also := p.starter.TurnStart(p.rep(s))
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
				if s = p.rep(s); !seen[s] {
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

// checkSamples samples starts of turns and returns the representatives of a few. If
// there are not many, each that was met must be among them.
func (p *planChecker[S]) checkSamples(sampler game.StartSampler[S], met []S) (drawn []S) {
	r := rand.NewPCG(p.seed, math.MaxUint64-2)
	seen := make(map[string]bool)
	for range startsDrawn {
		again := *r
		s := sampler.SampleStart(r)
		if t := sampler.SampleStart(&again); t != s {
			p.failAt(s, "SampleStart is a function of the generator", "then it sampled %s", p.text(t))
			return nil
		}
		s = p.rep(s)
		who := p.mover(s)
		if who < 0 {
			p.failAt(s, "SampleStart samples a start of a turn", "no turn starts there")
			return nil
		}
		if key := p.observationKey(s, who); !seen[key] {
			seen[key] = true
			if len(drawn) < turnsTried {
				drawn = append(drawn, s)
			}
		}
		if len(seen) > startsListed {
			return drawn
		}
	}
	for _, s := range met {
		if !seen[p.observationKey(s, p.mover(s))] {
			p.failAt(s, "SampleStart may return every start of a turn", "it sampled %d, and none that looks like this", len(seen))
		}
	}
	return drawn
}

// checkTurn plans the turn that begins in s, against each kind of values.
func (p *planChecker[S]) checkTurn(s S) {
	t := &turn[S]{begin: s, mover: p.mover(s), index: make(map[S]int), at: make(map[S]int)}
	ends := p.plan.Begin(s)
	distinct := make(map[S]bool)
	for _, end := range ends {
		if distinct[end] {
			p.failAt(s, "Begin returns each end once", "%s comes twice", p.text(end))
		}
		distinct[end] = true
		p.checkEnd(s, end)
		if _, ok := t.index[p.rep(end)]; !ok {
			t.index[p.rep(end)] = len(t.pay)
			t.pay = append(t.pay, nil)
		}
		t.end = append(t.end, t.index[p.rep(end)])
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
	for lot := range lots {
		p.solve(t, lot)
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

// checkEnd checks an end of the turn that begins in s.
func (p *planChecker[S]) checkEnd(s, end S) {
	const mark = 12345
	got, known := p.plan.Known([]float64{mark}, end)
	if !known {
		if p.mover(end) < 0 {
			p.failAt(s, "the next turn starts in an end, or it is Known", "neither is so in %s", p.text(end))
		}
		if len(got) != 1 || got[0] != mark {
			p.failAt(end, "Known appends nothing to what is not known", "to [%d] it made %v", mark, got)
		}
		return
	}
	if len(got) != 1+p.spec.Players || got[0] != mark {
		p.failAt(end, "Known appends one number for each seat", "to [%d] it made %v, with %d players", mark, got, p.spec.Players)
		return
	}
	want, ok := p.expected(end)
	if !ok {
		p.failAt(end, "Known is where nothing is left to decide", "a seat has a choice")
	} else if want != nil && !near(got[1:], want) {
		p.failAt(end, "Known is what the rest of the game pays", "got %v, want %v", got[1:], want)
	}
}

// expected is what the game pays from s on, by the rules; ok is false where a
// seat has a choice. It is nil where the dice never come to an end.
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

// solve draws what the ends are worth and has the turn planned.
func (p *planChecker[S]) solve(t *turn[S], lot int) {
	for i := range t.pay {
		t.pay[i] = p.drawPay(lot, t.mover)
	}
	var values []float64
	for _, i := range t.end {
		values = append(values, t.pay[i]...)
	}
	given := slices.Clone(values)
	p.plan.Solve(values)
	if !slices.Equal(given, values) {
		p.failAt(t.begin, "Solve leaves the values as they are", "%v became %v", given, values)
	}
	if p.batch != nil {
		p.solveAll(t, values)
	}
}

// solveAll plans the turn many times over, in one go.
func (p *planChecker[S]) solveAll(t *turn[S], values []float64) {
	var all [][]float64
	for _, twin := range p.twins {
		twin.Begin(t.begin)
		all = append(all, slices.Clone(values))
	}
	p.batch.SolveAll(p.twins, all)
	want := p.plan.Value(nil)
	for i, twin := range p.twins {
		if got := twin.Value(nil); !slices.Equal(got, want) {
			p.failAt(t.begin, "SolveAll is Solve of each", "plan %d of %d is worth %v, want %v", i, len(p.twins), got, want)
		}
	}
}

// drawPay draws expected returns of an end: shares of one win, or any numbers.
func (p *planChecker[S]) drawPay(lot int, mover game.Player) []float64 {
	n := p.spec.Players
	pay := make([]float64, n)
	switch lot {
	case distinctPay:
		sum := 0.0
		for j := range pay {
			pay[j] = p.r.ExpFloat64()
			sum += pay[j]
		}
		for j := range pay {
			pay[j] /= sum
		}
	case fewPays:
		for range 4 {
			pay[p.r.IntN(n)] += 0.25
		}
	case samePay:
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

// appended is what a method of the plan appends, or nil if that is not n numbers.
func (p *planChecker[S]) appended(s S, method string, n int, f func(dst []float64) []float64) []float64 {
	const mark = 12345
	got := f([]float64{mark})
	if len(got) != 1+n || got[0] != mark {
		p.failAt(s, method+" appends its numbers", "to [%d] it made %v, want %d more", mark, got, n)
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
