package expert_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/marsisours"
	"marsgym/env/martianrisk"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
	"marsgym/train/expert"
)

// sampled are rules whose chance can be sampled.
type sampled[S comparable] interface {
	game.Rules[S]
	game.Sampler[S]
}

// moveReference searches one move by plain recursion, as the comments of oneMove state.
type moveReference[S comparable] struct {
	rules sampled[S]
	net   network
	opt   expert.Options
}

func (o moveReference[S]) observe(s S) []float32 {
	obs := make([]float32, o.rules.Spec().ObsLen())
	o.rules.Encode(obs, s, o.rules.CurrentPlayer(s))
	return obs
}

func (o moveReference[S]) after(s S, a game.Action) S {
	after, err := o.rules.Apply(s, a)
	if err != nil {
		panic(err)
	}
	return canonical(o.rules, after)
}

// predicted returns the network's values of a decision by seat, or the returns at the
// end of the game.
func (o moveReference[S]) predicted(s S) []float64 {
	v, who := o.rules.Returns(nil, s), o.rules.CurrentPlayer(s)
	if who >= 0 {
		output := make([]float32, len(v))
		o.net(nil, output, o.observe(s))
		for j, x := range output {
			v[(j+int(who))%len(v)] = float64(x)
		}
	}
	return v
}

// expected returns the expectation of predicted over the chance from s on.
func (o moveReference[S]) expected(s S) []float64 {
	if o.rules.CurrentPlayer(s) != game.Chance {
		return o.predicted(canonical(o.rules, s))
	}
	sum := make([]float64, o.rules.Spec().Players)
	for _, x := range o.rules.Outcomes(nil, s) {
		for j, v := range o.expected(x.State) {
			sum[j] += x.Prob * v
		}
	}
	return sum
}

// moveStep is a decision of a row.
type moveStep struct {
	mover            game.Player
	found, predicted []float64
	follows, last    bool
}

// row returns the targets of a row for a number of searches.
func (o moveReference[S]) row(cfg expert.Config, seed, row uint64, searches int) []denseTargets {
	list := make([]denseTargets, searches)
	dice := rand.NewPCG(seed, row)
	chance := func() float64 { return float64(dice.Uint64()>>11) / (1 << 53) }
	var s S
	var explores bool
	moves := 0
	settle := func() {
		for o.rules.CurrentPlayer(s) == game.Chance {
			s = o.rules.Sample(s, dice)
		}
		s = canonical(o.rules, s)
	}
	begin := func() {
		s, moves = o.rules.Initial(), 0
		settle()
		explores = chance() < cfg.ExplorationFraction
	}
	begin()
	for i := range list {
		l := &list[i]
		l.Start = []int32{0}
		var path []moveStep
		for range cfg.Decisions {
			who, legal := o.rules.CurrentPlayer(s), o.rules.Legal(nil, s)
			var values []float64
			best, differ := 0, false
			for k, a := range legal {
				values = append(values, o.expected(o.after(s, a))[who])
				if values[k] > values[best]+game.Tie {
					best = k
				}
				differ = differ || math.Abs(values[k]-values[0]) > game.Tie
			}
			l.Decisions++
			if differ {
				l.Row = append(l.Row, int32(len(l.Obs)/o.rules.Spec().ObsLen()))
				for k, a := range legal {
					l.Action, l.ActionValue = append(l.Action, a), append(l.ActionValue, float32(values[k]))
					obs := make([]float32, o.rules.Spec().ObsLen())
					o.rules.Encode(obs, o.after(s, a), who)
					l.AfterObs = append(l.AfterObs, obs...)
				}
				l.Start = append(l.Start, int32(len(l.Action)))
			}
			choice := best
			if len(legal) > 1 && (o.opt.RandomPlay || explores) {
				if u := chance(); o.opt.RandomPlay || u < cfg.ExplorationRate {
					choice = int(chance() * float64(len(legal)))
				}
			}
			at := moveStep{mover: who, predicted: o.predicted(s), follows: o.opt.RandomPlay || choice == best}
			if o.opt.RandomPlay {
				best = choice
			}
			at.found = o.expected(o.after(s, legal[best]))
			l.Obs = append(l.Obs, o.observe(s)...)
			s = o.after(s, legal[choice])
			settle()
			moves++
			if limit := o.rules.Spec().MoveLimit; o.rules.CurrentPlayer(s) == game.Terminal || limit > 0 && moves == limit {
				l.Games++
				at.last = true
				begin()
			}
			path = append(path, at)
		}
		for t := range path {
			g := o.corrected(path[t:])
			for j := range g {
				l.Value = append(l.Value, float32(g[(j+int(path[t].mover))%len(g)]))
			}
		}
	}
	return list
}

// corrected returns the values of the first decision of a path, corrected by the rest.
func (o moveReference[S]) corrected(path []moveStep) []float64 {
	g := slices.Clone(path[0].found)
	if path[0].follows && !path[0].last && len(path) > 1 {
		for j, x := range o.corrected(path[1:]) {
			g[j] += o.opt.Lambda * (x - path[1].predicted[j])
		}
	}
	return g
}

// checkOneMove compares the targets of one move, and the games played, with plain
// recursion.
func checkOneMove[S comparable](t *testing.T, rules sampled[S]) {
	t.Helper()
	for _, opt := range []expert.Options{{}, {Lambda: 0.7}, {Lambda: 0.5, RandomPlay: true}} {
		cfg := config(expert.OneMove)
		cfg.Decisions = 1 + int(8*opt.Lambda)
		compare(t, expert.NewGame[S](rules), cfg, opt, func(seed, row uint64, searches int) []denseTargets {
			return moveReference[S]{rules, hashNetwork(rules.Spec()), opt}.row(cfg, seed, row, searches)
		})
	}
}

func TestOneMove(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkOneMove(t, testgames.NewPig(t, 2, 12)) })
	t.Run("pig for four, limited", func(t *testing.T) {
		checkOneMove(t, testgames.LimitedPig{Rules: testgames.NewPig(t, 4, 100), Moves: 7})
	})
	t.Run("mars is ours, quick", func(t *testing.T) {
		r, err := marsisours.New(marsisours.FastConfig())
		if err != nil {
			t.Fatal(err)
		}
		checkOneMove(t, r)
	})
	t.Run("martian risk, tiny", func(t *testing.T) {
		r, err := martianrisk.New(martianrisk.TinyConfig())
		if err != nil {
			t.Fatal(err)
		}
		checkOneMove(t, r)
	})
}

// rolled is Pig after a first roll.
type rolled struct{ *pig.Rules }

func (r rolled) Initial() pig.State {
	s, err := r.Apply(r.Rules.Initial(), r.Legal(nil, r.Rules.Initial())[0])
	if err != nil {
		panic(err)
	}
	return slices.MaxFunc(r.Outcomes(nil, s), func(a, b game.Outcome[pig.State]) int { return int(a.State.Total) - int(b.State.Total) }).State
}

// Where chance has more outcomes than are listed, the values of actions are unbiased
// samples.
func TestOneMoveSamples(t *testing.T) {
	const searches = 4000
	rules := testgames.NewPig(t, 2, 20)
	g := expert.NewGame[pig.State](rolled{rules})
	net := hashNetwork(g.Spec())
	first := func(outcomes int, seed uint64) []float32 {
		cfg := config(expert.OneMove)
		cfg.Outcomes = outcomes
		e := newExpert(t, g, cfg, 1, 0)
		e.Reset(seed)
		var found denseTargets
		if err := e.Search(t.Context(), &found, expert.Options{}, net); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(found.ActionValue)
	}
	exact := first(10_000, 1)
	sum, squares, other := make([]float64, len(exact)), make([]float64, len(exact)), 0
	for seed := range uint64(searches) {
		for k, v := range first(2, seed) {
			sum[k] += float64(v)
			squares[k] += float64(v) * float64(v)
			if v != exact[k] {
				other++
			}
		}
	}
	for k, want := range exact {
		mean := sum[k] / searches
		deviation := math.Sqrt((squares[k]/searches - mean*mean) / searches)
		if !(math.Abs(mean-float64(want)) <= 4*deviation+1e-6) {
			t.Errorf("action %d has the mean value %v, want %v within four standard deviations of %v", k, mean, want, deviation)
		}
	}
	if other == 0 {
		t.Error("nothing was sampled: this tests nothing")
	}
}
