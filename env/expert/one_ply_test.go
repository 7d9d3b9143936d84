package expert_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/expert"
	"marsgym/env/game"
	"marsgym/env/internal/testgames"
)

// ply searches one ply as the contract reads.
type ply[S comparable] struct {
	rules searchable[S]
	net   expert.Network
	how   expert.Options
}

func (o ply[S]) see(s S, who game.Player) []float32 {
	obs := make([]float32, o.rules.Spec().ObsLen())
	o.rules.Encode(obs, s, who)
	return obs
}

func (o ply[S]) after(s S, a game.Action) S {
	after, err := o.rules.Apply(s, a)
	if err != nil {
		panic(err)
	}
	return canonical(o.rules, after)
}

// leaf is what the network says that a state is worth to each seat, and how much
// it likes that as who has moved there.
func (o ply[S]) leaf(s S, who game.Player) (v []float64, like float64) {
	score, seen := []float32{0}, make([]float32, o.rules.Spec().Players)
	o.net(score, seen, o.see(s, who))
	v = o.rules.Returns(nil, s)
	for j := 0; j < len(v) && o.rules.CurrentPlayer(s) != game.Terminal; j++ {
		v[(j+int(who))%len(v)] = float64(seen[j])
	}
	if o.how.PolicyReplies {
		return v, float64(score[0])
	}
	return v, v[who]
}

// thought is what the network says of the move that it prefers.
func (o ply[S]) thought(s S) (best []float64) {
	who, most := o.rules.CurrentPlayer(s), 0.0
	for _, a := range o.rules.Legal(nil, s) {
		if v, like := o.leaf(o.after(s, a), who); best == nil || like > most+game.Tie {
			best, most = v, like
		}
	}
	return best
}

// next is what a state is worth in which the dice lie.
func (o ply[S]) next(s S, last game.Player) []float64 {
	if o.rules.CurrentPlayer(s) >= 0 {
		return o.thought(s)
	}
	v, _ := o.leaf(s, last)
	return v
}

// mover is the seat whose turn starts in s, -1 where none does.
func (o ply[S]) mover(s S) game.Player {
	if t, ok := any(o.rules).(game.TurnStarter[S]); ok {
		if who, ok := t.TurnStart(s); ok {
			return who
		}
	}
	return -1
}

// begins reports whether a turn starts in s.
func (o ply[S]) begins(s S) bool { return o.mover(s) >= 0 }

// found is what the search says that a state just after a move of who is worth.
func (o ply[S]) found(s S, who game.Player) []float64 {
	if o.begins(s) {
		v, _ := o.leaf(s, who)
		return v
	}
	return o.rolled(s, who)
}

// rolled is what a state just after a move of who is worth, over its dice.
func (o ply[S]) rolled(s S, who game.Player) []float64 {
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

// worth is the same, but the best move of who if he moves again.
func (o ply[S]) worth(s S, who game.Player) (best []float64) {
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

// step is a move of a row.
type step struct {
	mover         game.Player
	lesson        int       // into Lessons.Value, or -1
	taken         []float64 // what the search says of the move
	best, thought []float64 // and of the best; the network of what it prefers
	joined        bool      // it is the best, or play is random
	direct        bool      // the move before was of the same seat, and no dice lie between
	last          bool      // of its game
}

// row plays a row for a number of searches.
func (o ply[S]) row(cfg expert.Config, seed, row uint64, searches int) []expert.Targets {
	list := make([]expert.Targets, searches)
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
		var begun S // where the last move led, or the draw
		drawn := false
		if cfg.RestartFraction > 0 && chance() < cfg.RestartFraction {
			begun = any(o.rules).(game.StartSampler[S]).SampleStart(dice)
			s, moves, drawn = settle(begun), 0, true
			begun = canonical(o.rules, begun)
		}
		for range cfg.Decisions {
			who, legal := o.rules.CurrentPlayer(s), o.rules.Legal(nil, s)
			var options [][]float64
			best := 0
			for k, a := range legal {
				options = append(options, o.worth(o.after(s, a), who))
				if options[k][who] > options[best][who]+game.Tie {
					best = k
				}
			}
			if n := len(path); n > 0 && !path[n-1].last && o.begins(begun) {
				last := &path[n-1]
				last.taken, last.lesson = o.rolled(begun, last.mover), len(l.Value)
				o.teach(l, begun, last.mover, last.taken)
			} else if n == 0 && drawn {
				p := game.Player(o.rules.Spec().Players)
				last := (o.mover(begun) + p - 1) % p
				o.teach(l, begun, last, o.rolled(begun, last))
			}
			l.Decisions++
			choice := best
			if len(legal) > 1 {
				strays := chance() < cfg.ExplorationFraction
				if o.how.RandomPlay || strays {
					if u := chance(); o.how.RandomPlay || u < cfg.ExplorationRate {
						choice = int(chance() * float64(len(legal)))
					}
				}
			}
			direct := len(path) > 0 && !path[len(path)-1].last && path[len(path)-1].mover == who && o.rules.CurrentPlayer(begun) == who
			at := step{mover: who, lesson: -1, direct: direct, taken: options[choice], best: options[best], thought: o.thought(s), joined: o.how.RandomPlay || choice == best}
			differ := false
			for k, a := range legal {
				after := o.after(s, a)
				differ = differ || math.Abs(options[k][who]-options[0][who]) > game.Tie
				if direct || o.rules.CurrentPlayer(after) == game.Terminal || o.begins(after) {
					continue
				}
				if k == choice {
					at.lesson = len(l.Value)
				}
				o.teach(l, after, who, options[k])
			}
			if differ {
				l.DecisionObs = append(l.DecisionObs, o.see(s, who)...)
				for k, a := range legal {
					l.Action, l.ActionValue = append(l.Action, a), append(l.ActionValue, float32(options[k][who]))
					l.AfterObs = append(l.AfterObs, o.see(o.after(s, a), who)...)
				}
				l.Start = append(l.Start, int32(len(l.Action)))
			}
			begun = o.after(s, legal[choice])
			s, moves = settle(begun), moves+1
			if limit := o.rules.Spec().MoveLimit; o.rules.CurrentPlayer(s) == game.Terminal || limit > 0 && moves == limit {
				l.Games++
				at.last = true
				s, moves = settle(o.rules.Initial()), 0
			}
			path = append(path, at)
		}
		for t := range path {
			if at := path[t]; at.lesson >= 0 {
				for j, g := range o.came(path[t:]) {
					l.Value[at.lesson+(j+len(at.taken)-int(at.mover))%len(at.taken)] = float32(g)
				}
			}
		}
	}
	return list
}

// teach adds what a state is worth, as who sees it.
func (o ply[S]) teach(l *expert.Targets, s S, who game.Player, worth []float64) {
	l.Obs = append(l.Obs, o.see(s, who)...)
	for j := range worth {
		l.Value = append(l.Value, float32(worth[(j+int(who))%len(worth)]))
	}
}

// came is what the first step of a path is worth, with what came of it.
func (o ply[S]) came(path []step) []float64 {
	g := slices.Clone(path[0].taken)
	if path[0].last || len(path) == 1 {
		return g
	}
	then := path[1].best
	if path[1].joined {
		then = o.came(path[1:])
	}
	if path[1].direct {
		return slices.Clone(then)
	}
	for j := range g {
		g[j] += o.how.Lambda * (then[j] - path[1].thought[j])
	}
	return g
}

// recursed compares lessons of one ply, and the games played, with plain
// recursion.
func recursed[S comparable](t *testing.T, rules searchable[S]) {
	t.Helper()
	for _, how := range []expert.Options{{}, {Lambda: 1, PolicyReplies: true}, {Lambda: 0.7}, {Lambda: 0.5, RandomPlay: true}} {
		cfg := search(expert.OnePly)
		cfg.Decisions = 1 + int(4*how.Lambda)
		if _, plans := any(rules).(game.StartSampler[S]); plans && how.Lambda == 0.7 {
			cfg.RestartFraction = 0.4
		}
		compare(t, env.NewGame[S](rules), cfg, how, func(seed, row uint64, searches int) []expert.Targets {
			return ply[S]{rules, hashed(rules.Spec()), how}.row(cfg, seed, row, searches)
		})
	}
}

// compare compares an expert with the lessons of its rows.
func compare(t *testing.T, g env.Game, cfg expert.Config, how expert.Options, row func(seed, row uint64, searches int) []expert.Targets) {
	t.Helper()
	const first, searches, seed = 5, 80, 11
	rows := 3
	if cfg.Decisions > 1 {
		rows = 1 // or else their lessons take turns
	}
	want := make([]expert.Targets, searches)
	for i := range uint64(rows) {
		for k, l := range row(seed, first+i, searches) {
			join(&want[k], l)
		}
	}
	e := newExpert(t, g, cfg, rows, first)
	e.Reset(seed)
	var got expert.Targets
	games := 0
	for k := range want {
		e.Search(t.Context(), &got, how, hashed(g.Spec()))
		if !alike(got, want[k], 1e-6) {
			t.Fatalf("%+v, search %d:\n got %+v\nwant %+v", how, k, got, want[k])
		}
		games += got.Games
	}
	if games == 0 {
		t.Error("no game has ended: this tests nothing")
	}
}

func TestOnePly(t *testing.T) {
	t.Run("pig", func(t *testing.T) { recursed(t, testgames.NewPig(t, 2, 12)) })
	t.Run("pig for three", func(t *testing.T) { recursed(t, testgames.NewPig(t, 3, 10)) })
	t.Run("pig for four, limited", func(t *testing.T) { recursed(t, testgames.LimitedPig{Rules: testgames.NewPig(t, 4, 100), Moves: 7}) })
	t.Run("martian dice", func(t *testing.T) { recursed(t, testgames.NewMartianDice(t, 2, 5, 3)) })
	t.Run("martian dice, shared", func(t *testing.T) { recursed(t, shared(t, 2, 4, 3)) })
	t.Run("martian dice for three", func(t *testing.T) { recursed(t, testgames.NewMartianDice(t, 3, 3, 2)) })
	t.Run("martian dice for four", func(t *testing.T) { recursed(t, testgames.NewMartianDice(t, 4, 4, 2)) })
	t.Run("martian dice, limited", func(t *testing.T) {
		recursed(t, testgames.LimitedMartianDice{Rules: testgames.NewMartianDice(t, 2, 5, 100), Moves: 9})
	})
}
