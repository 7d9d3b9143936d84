package expert_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
	"marsgym/train/expert"
)

// reference searches one move, with values of afterstates, by plain recursion, as the
// comments of oneMove state.
type reference[S comparable] struct {
	rules searchable[S]
	net   network
	opt   expert.Options
}

func (o reference[S]) observe(s S, who game.Player) []float32 {
	obs := make([]float32, o.rules.Spec().ObsLen())
	o.rules.Encode(obs, s, who)
	return obs
}

// after returns the representative of the state just after an action.
func (o reference[S]) after(s S, a game.Action) S {
	after, err := o.rules.Apply(s, a)
	if err != nil {
		panic(err)
	}
	return canonical(o.rules, after)
}

// leaf returns the network's values of an afterstate by seat, seen by who, and the number
// by which who prefers it.
func (o reference[S]) leaf(s S, who game.Player) (v []float64, preference float64) {
	score, output := []float32{0}, make([]float32, o.rules.Spec().Players)
	o.net(score, output, o.observe(s, who))
	v = o.rules.Returns(nil, s)
	for j := 0; j < len(v) && o.rules.CurrentPlayer(s) != game.Terminal; j++ {
		v[(j+int(who))%len(v)] = float64(output[j])
	}
	if o.opt.PolicyReplies {
		return v, float64(score[0])
	}
	return v, v[who]
}

// predicted returns the network's values of the move that it prefers.
func (o reference[S]) predicted(s S) (best []float64) {
	who, most := o.rules.CurrentPlayer(s), 0.0
	for _, a := range o.rules.Legal(nil, s) {
		if v, x := o.leaf(o.after(s, a), who); best == nil || x > most+game.Tie {
			best, most = v, x
		}
	}
	return best
}

// next returns the values of a state after the dice.
func (o reference[S]) next(s S, last game.Player) []float64 {
	if o.rules.CurrentPlayer(s) >= 0 {
		return o.predicted(s)
	}
	v, _ := o.leaf(s, last)
	return v
}

// mover returns the seat whose turn starts in s, or -1 if none does.
func (o reference[S]) mover(s S) game.Player {
	if t, ok := any(o.rules).(game.TurnPlanner[S]); ok {
		if who, ok := t.TurnStart(s); ok {
			return who
		}
	}
	return -1
}

// startsTurn reports whether a turn starts in s.
func (o reference[S]) startsTurn(s S) bool { return o.mover(s) >= 0 }

// found returns the search's values of a state just after a move of who.
func (o reference[S]) found(s S, who game.Player) []float64 {
	if o.startsTurn(s) {
		v, _ := o.leaf(s, who)
		return v
	}
	return o.rolled(s, who)
}

// rolled returns the expectation of the values over the dice after a move of who.
func (o reference[S]) rolled(s S, who game.Player) []float64 {
	if o.rules.CurrentPlayer(s) != game.Chance {
		return o.next(s, who)
	}
	sum := make([]float64, o.rules.Spec().Players)
	for _, x := range o.rules.Outcomes(nil, s) {
		for j, v := range o.next(canonical(o.rules, x.State), who) {
			sum[j] += x.Prob * v
		}
	}
	return sum
}

// optionValue is found, or that of the best second move if who moves again.
func (o reference[S]) optionValue(s S, who game.Player) (best []float64) {
	if o.rules.CurrentPlayer(s) != who {
		return o.found(s, who)
	}
	for _, a := range o.rules.Legal(nil, s) {
		if v := o.found(o.after(s, a), who); best == nil || v[who] > best[who]+game.Tie {
			best = v
		}
	}
	return best
}

// step is a decision of a row.
type step struct {
	mover           game.Player
	target          int       // into Targets.Value, or -1
	taken           []float64 // the search's values of the move taken
	best, predicted []float64 // the search's of the best move; the network's of the move that it prefers
	isBest          bool      // the move taken is the best one, or play is random
	direct          bool      // the previous move was by the same seat, with no dice between
	last            bool      // the last decision of its game
}

// row returns the targets of a row for a number of searches.
func (o reference[S]) row(cfg expert.Config, seed, row uint64, searches int) []denseTargets {
	list := make([]denseTargets, searches)
	dice := rand.NewPCG(seed, row)
	chance := func() float64 { return float64(dice.Uint64()>>11) / (1 << 53) }
	settle := func(s S) S {
		for o.rules.CurrentPlayer(s) == game.Chance {
			s = o.rules.Sample(s, dice)
		}
		return canonical(o.rules, s)
	}
	s, moves := settle(o.rules.Initial()), 0
	for i := range list {
		l := &list[i]
		l.Start = []int32{0}
		var path []step
		var arrived S // the state after the last move, or the sampled start
		sampled := false
		if cfg.Starts.Sample > 0 && chance() < cfg.Starts.Sample {
			arrived = any(o.rules).(game.TurnPlanner[S]).SampleStart(dice)
			s, moves, sampled = settle(arrived), 0, true
			arrived = canonical(o.rules, arrived)
		}
		for range cfg.Decisions {
			who, legal := o.rules.CurrentPlayer(s), o.rules.Legal(nil, s)
			var options [][]float64
			best := 0
			for k, a := range legal {
				options = append(options, o.optionValue(o.after(s, a), who))
				if options[k][who] > options[best][who]+game.Tie {
					best = k
				}
			}
			if n := len(path); n > 0 && !path[n-1].last && o.startsTurn(arrived) {
				last := &path[n-1]
				last.taken, last.target = o.rolled(arrived, last.mover), len(l.Value)
				o.addValue(l, arrived, last.mover, last.taken)
			} else if n == 0 && sampled {
				p := game.Player(o.rules.Spec().Players)
				last := (o.mover(arrived) + p - 1) % p
				o.addValue(l, arrived, last, o.rolled(arrived, last))
			}
			l.Decisions++
			choice := best
			if len(legal) > 1 {
				explores := chance() < cfg.ExplorationFraction
				if o.opt.RandomPlay || explores {
					if u := chance(); o.opt.RandomPlay || u < cfg.ExplorationRate {
						choice = int(chance() * float64(len(legal)))
					}
				}
			}
			direct := len(path) > 0 && !path[len(path)-1].last && path[len(path)-1].mover == who && o.rules.CurrentPlayer(arrived) == who
			at := step{mover: who, target: -1, direct: direct, taken: options[choice], best: options[best], predicted: o.predicted(s), isBest: o.opt.RandomPlay || choice == best}
			differ := false
			for k, a := range legal {
				after := o.after(s, a)
				differ = differ || math.Abs(options[k][who]-options[0][who]) > game.Tie
				if direct || o.rules.CurrentPlayer(after) == game.Terminal || o.startsTurn(after) {
					continue
				}
				if k == choice {
					at.target = len(l.Value)
				}
				o.addValue(l, after, who, options[k])
			}
			if differ {
				l.DecisionObs = append(l.DecisionObs, o.observe(s, who)...)
				for k, a := range legal {
					l.Action, l.ActionValue = append(l.Action, a), append(l.ActionValue, float32(options[k][who]))
					l.AfterObs = append(l.AfterObs, o.observe(o.after(s, a), who)...)
				}
				l.Start = append(l.Start, int32(len(l.Action)))
			}
			arrived = o.after(s, legal[choice])
			s, moves = settle(arrived), moves+1
			if limit := o.rules.Spec().MoveLimit; o.rules.CurrentPlayer(s) == game.Terminal || limit > 0 && moves == limit {
				l.Games++
				at.last = true
				s, moves = settle(o.rules.Initial()), 0
			}
			path = append(path, at)
		}
		for t := range path {
			if at := path[t]; at.target >= 0 {
				for j, g := range o.corrected(path[t:]) {
					l.Value[at.target+(j+len(at.taken)-int(at.mover))%len(at.taken)] = float32(g)
				}
			}
		}
	}
	return list
}

// addValue adds a value target.
func (o reference[S]) addValue(l *denseTargets, s S, who game.Player, values []float64) {
	l.Obs = append(l.Obs, o.observe(s, who)...)
	for j := range values {
		l.Value = append(l.Value, float32(values[(j+int(who))%len(values)]))
	}
}

// corrected returns the values of the first step of a path, corrected by the rest.
func (o reference[S]) corrected(path []step) []float64 {
	g := slices.Clone(path[0].taken)
	if path[0].last || len(path) == 1 {
		return g
	}
	then := path[1].best
	if path[1].isBest {
		then = o.corrected(path[1:])
	}
	if path[1].direct {
		return slices.Clone(then)
	}
	for j := range g {
		g[j] += o.opt.Lambda * (then[j] - path[1].predicted[j])
	}
	return g
}

// checkAfterstates compares the targets of one move, with values of afterstates, and the games played, with plain
// recursion.
func checkAfterstates[S comparable](t *testing.T, rules searchable[S]) {
	t.Helper()
	for _, opt := range []expert.Options{{}, {Lambda: 1, PolicyReplies: true}, {Lambda: 0.7}, {Lambda: 0.5, RandomPlay: true}} {
		cfg := config(expert.OneMove)
		cfg.Decisions = 1 + int(4*opt.Lambda)
		if _, samples := any(rules).(game.TurnPlanner[S]); samples && opt.Lambda == 0.7 {
			cfg.Starts.Sample = 0.4
		}
		compare(t, expert.NewGame[S](rules), cfg, opt, func(seed, row uint64, searches int) []denseTargets {
			return reference[S]{rules, hashNetwork(rules.Spec()), opt}.row(cfg, seed, row, searches)
		})
	}
}

// compare compares the targets of an expert with those of its rows.
func compare(t *testing.T, g env.Game, cfg expert.Config, opt expert.Options, row func(seed, row uint64, searches int) []denseTargets) {
	t.Helper()
	const first, seed = 5, 11
	searches := 40
	if fulltest.On() {
		searches = 80
	}
	rows := 3
	if cfg.Decisions > 1 {
		rows = 1 // otherwise targets of different rows alternate
	}
	want := make([]denseTargets, searches)
	for i := range uint64(rows) {
		for k, l := range row(seed, first+i, searches) {
			join(&want[k], l, g.Spec().ObsLen())
		}
	}
	e := newExpert(t, g, cfg, rows, first)
	e.Reset(seed)
	var got denseTargets
	games := 0
	for k := range want {
		e.Search(t.Context(), &got, opt, hashNetwork(g.Spec()))
		if !equal(got, want[k], 1e-6) {
			t.Fatalf("%+v, search %d:\n got %+v\nwant %+v", opt, k, got, want[k])
		}
		games += got.Games
	}
	if games == 0 {
		t.Error("no game ended: this tests nothing")
	}
}

func TestAfterstates(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkAfterstates(t, newMerging[pig.State](testgames.NewPig(t, 2, 12))) })
	t.Run("pig for three", func(t *testing.T) { checkAfterstates(t, newMerging[pig.State](testgames.NewPig(t, 3, 10))) })
	t.Run("pig for four, limited", func(t *testing.T) {
		checkAfterstates(t, newMerging[pig.State](testgames.LimitedPig{Rules: testgames.NewPig(t, 4, 100), Moves: 7}))
	})
	t.Run("martian dice", func(t *testing.T) { checkAfterstates(t, testgames.NewMartianDice(t, 2, 5, 3)) })
	t.Run("martian dice, shared", func(t *testing.T) { checkAfterstates(t, newSharedTies(t, 2, 4, 3)) })
	t.Run("martian dice for three", func(t *testing.T) { checkAfterstates(t, testgames.NewMartianDice(t, 3, 3, 2)) })
	t.Run("martian dice for four", func(t *testing.T) { checkAfterstates(t, testgames.NewMartianDice(t, 4, 4, 2)) })
	t.Run("martian dice, limited", func(t *testing.T) {
		if !fulltest.On() {
			t.Skip("takes seconds")
		}
		checkAfterstates(t, testgames.LimitedMartianDice{Rules: testgames.NewMartianDice(t, 2, 5, 100), Moves: 9})
	})
}
