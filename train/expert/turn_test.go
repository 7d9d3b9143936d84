package expert_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/train/expert"
)

// turnReference searches whole turns by plain recursion.
type turnReference[S comparable] struct {
	reference[S]
	plan game.Plan[S]    // for Known only
	memo map[S][]float64 // of one turn
}

// ended returns the values of a state that ends a turn, and reports whether s does.
func (o turnReference[S]) ended(s S) (v []float64, ok bool) {
	if who := o.mover(s); who >= 0 {
		v, _ := o.leaf(s, who)
		return v, true
	}
	if o.rules.CurrentPlayer(s) < 0 {
		return o.plan.Known(nil, s)
	}
	return nil, false
}

// inside returns the values of a state of a turn, ends included.
func (o turnReference[S]) inside(s S) []float64 {
	v, ok := o.memo[s]
	if !ok {
		if v, ok = o.ended(s); !ok {
			v = o.inner(s)
		}
		o.memo[s] = v
	}
	return v
}

// inner returns the values of a state of a turn that does not end it.
func (o turnReference[S]) inner(s S) (v []float64) {
	who := o.rules.CurrentPlayer(s)
	if who == game.Chance {
		v = make([]float64, o.rules.Spec().Players)
		for _, x := range o.rules.Outcomes(nil, s) {
			for j, w := range o.inside(canonical(o.rules, x.State)) {
				v[j] += x.Prob * w
			}
		}
		return v
	}
	for _, a := range o.rules.Legal(nil, s) {
		if w := o.inside(o.after(s, a)); v == nil || w[who] > v[who]+game.Tie {
			v = w
		}
	}
	return v
}

// row returns the targets of a row for a number of searches.
func (o turnReference[S]) row(cfg expert.Config, seed, row uint64, searches int) []denseTargets {
	list := make([]denseTargets, searches)
	dice := rand.NewPCG(seed, row)
	chance := func() float64 { return float64(dice.Uint64()>>11) / (1 << 53) }
	settle := func(s S) (_ S, games int) {
		for o.mover(s) < 0 {
			if o.rules.CurrentPlayer(s) == game.Terminal {
				s = o.rules.Initial()
				games++
			} else {
				s = o.rules.Sample(s, dice)
			}
		}
		return canonical(o.rules, s), games
	}
	s, _ := settle(o.rules.Initial())
	for i := range list {
		l := &list[i]
		l.Start = []int32{0}
		begin, restart := s, chance() < cfg.Starts.Sample
		if restart {
			begin = canonical(o.rules, o.rules.SampleStart(dice))
		}
		clear(o.memo)
		who, v := o.mover(begin), o.inner(begin)
		l.Obs = o.observe(begin, who)
		for j := range v {
			l.Value = append(l.Value, float32(v[(j+int(who))%len(v)]))
		}
		for n := range cfg.Turns {
			end := o.play(l, begin, cfg, dice, chance)
			if n == 0 {
				s = map[bool]S{true: s, false: end}[restart]
			}
		}
		if !restart {
			s, l.Games = settle(s)
		}
	}
	return list
}

// play plays a turn and returns its end.
func (o turnReference[S]) play(l *denseTargets, s S, cfg expert.Config, dice *rand.PCG, chance func() float64) S {
	explores := chance() < cfg.ExplorationFraction
	for {
		if who := o.rules.CurrentPlayer(s); who == game.Chance {
			s = canonical(o.rules, o.rules.Sample(s, dice))
		} else {
			legal := o.rules.Legal(nil, s)
			l.Decisions++
			best := 0
			var values []float64
			for k, a := range legal {
				values = append(values, o.inside(o.after(s, a))[who])
				if values[k] > values[best]+game.Tie {
					best = k
				}
			}
			if slices.Max(values) > slices.Min(values)+game.Tie {
				l.DecisionObs = append(l.DecisionObs, o.observe(s, who)...)
				for k, a := range legal {
					l.Action, l.ActionValue = append(l.Action, a), append(l.ActionValue, float32(values[k]))
					l.AfterObs = append(l.AfterObs, o.observe(o.after(s, a), who)...)
				}
				l.Start = append(l.Start, int32(len(l.Action)))
			}
			if len(legal) > 1 && explores && chance() < cfg.ExplorationRate {
				best = int(chance() * float64(len(legal)))
			}
			s = o.after(s, legal[best])
		}
		if _, ok := o.ended(s); ok {
			return s
		}
	}
}

func TestTurnExact(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkTurnExact(t, testgames.NewPig(t, 2, 12)) })
	t.Run("pig for four", func(t *testing.T) { checkTurnExact(t, testgames.NewPig(t, 4, 20)) })
	t.Run("martian dice", func(t *testing.T) { checkTurnExact(t, testgames.NewMartianDice(t, 2, 5, 3)) })
	t.Run("martian dice, shared", func(t *testing.T) { checkTurnExact(t, newSharedTies(t, 2, 4, 3)) })
	t.Run("martian dice for three", func(t *testing.T) { checkTurnExact(t, testgames.NewMartianDice(t, 3, 3, 2)) })
	t.Run("martian dice for four", func(t *testing.T) { checkTurnExact(t, testgames.NewMartianDice(t, 4, 4, 2)) })
}

// checkTurnExact compares the targets of whole turns, and the games played, with plain
// recursion.
func checkTurnExact[S comparable](t *testing.T, rules searchable[S]) {
	value := hashNetwork(rules.Spec())
	compare(t, expert.NewGame[S](rules), config(expert.Turn), expert.Options{}, func(seed, row uint64, searches int) []denseTargets {
		return turnReference[S]{reference[S]{rules: rules, net: value}, rules.NewPlan(), map[S][]float64{}}.row(config(expert.Turn), seed, row, searches)
	})
}
