package expert_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/expert"
	"marsgym/env/game"
	"marsgym/env/internal/testgames"
)

// whole searches whole turns as the contract reads.
type whole[S comparable] struct {
	ply[S]
	plan game.Plan[S]    // asked what is known, and no more
	memo map[S][]float64 // of one turn
}

// ended is what a state is worth that ends a turn.
func (o whole[S]) ended(s S) (v []float64, ok bool) {
	if who := o.mover(s); who >= 0 {
		v, _ := o.leaf(s, who)
		return v, true
	}
	if o.rules.CurrentPlayer(s) < 0 {
		return o.plan.Known(nil, s)
	}
	return nil, false
}

// inside is what a state of a turn is worth, its end included.
func (o whole[S]) inside(s S) []float64 {
	v, ok := o.memo[s]
	if !ok {
		if v, ok = o.ended(s); !ok {
			v = o.begun(s)
		}
		o.memo[s] = v
	}
	return v
}

// begun is what a state of a turn is worth that does not end it.
func (o whole[S]) begun(s S) (v []float64) {
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

// row plays a row for a number of searches.
func (o whole[S]) row(cfg expert.Config, seed, row uint64, searches int) []expert.Targets {
	list := make([]expert.Targets, searches)
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
		begin, anew := s, chance() < cfg.RestartFraction
		if anew {
			begin = canonical(o.rules, o.rules.SampleStart(dice))
		}
		clear(o.memo)
		who, v := o.mover(begin), o.begun(begin)
		l.Obs = o.see(begin, who)
		for j := range v {
			l.Value = append(l.Value, float32(v[(j+int(who))%len(v)]))
		}
		for n := range cfg.Turns {
			end := o.play(l, begin, cfg, dice, chance)
			if n == 0 {
				s = map[bool]S{true: s, false: end}[anew]
			}
		}
		if !anew {
			s, l.Games = settle(s)
		}
	}
	return list
}

// play plays a turn.
func (o whole[S]) play(l *expert.Targets, s S, cfg expert.Config, dice *rand.PCG, chance func() float64) S {
	strays := chance() < cfg.ExplorationFraction
	for {
		if who := o.rules.CurrentPlayer(s); who == game.Chance {
			s = canonical(o.rules, o.rules.Sample(s, dice))
		} else {
			legal := o.rules.Legal(nil, s)
			l.Decisions++
			best := 0
			var worth []float64
			for k, a := range legal {
				worth = append(worth, o.inside(o.after(s, a))[who])
				if worth[k] > worth[best]+game.Tie {
					best = k
				}
			}
			if slices.Max(worth) > slices.Min(worth)+game.Tie {
				l.DecisionObs = append(l.DecisionObs, o.see(s, who)...)
				for k, a := range legal {
					l.Action, l.ActionValue = append(l.Action, a), append(l.ActionValue, float32(worth[k]))
					l.AfterObs = append(l.AfterObs, o.see(o.after(s, a), who)...)
				}
				l.Start = append(l.Start, int32(len(l.Action)))
			}
			if len(legal) > 1 && strays && chance() < cfg.ExplorationRate {
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
	t.Run("pig", func(t *testing.T) { planned(t, testgames.NewPig(t, 2, 12)) })
	t.Run("pig for four", func(t *testing.T) { planned(t, testgames.NewPig(t, 4, 20)) })
	t.Run("martian dice", func(t *testing.T) { planned(t, testgames.NewMartianDice(t, 2, 5, 3)) })
	t.Run("martian dice, shared", func(t *testing.T) { planned(t, shared(t, 2, 4, 3)) })
	t.Run("martian dice for three", func(t *testing.T) { planned(t, testgames.NewMartianDice(t, 3, 3, 2)) })
	t.Run("martian dice for four", func(t *testing.T) { planned(t, testgames.NewMartianDice(t, 4, 4, 2)) })
}

// planned compares lessons of whole turns, and the games played, with plain
// recursion.
func planned[S comparable](t *testing.T, rules searchable[S]) {
	value := hashed(rules.Spec())
	compare(t, env.NewGame[S](rules), search(expert.Turn), expert.Options{}, func(seed, row uint64, searches int) []expert.Targets {
		return whole[S]{ply[S]{rules: rules, net: value}, rules.NewPlan(), map[S][]float64{}}.row(search(expert.Turn), seed, row, searches)
	})
}
