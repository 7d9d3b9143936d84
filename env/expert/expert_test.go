package expert_test

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/expert"
	"marsgym/env/game"
	"marsgym/env/internal/testgames"
	"marsgym/env/martiandice"
	"marsgym/env/pig"
)

// searchable are rules that experts of both depths can search, and that are solved.
type searchable[S comparable] interface {
	game.Rules[S]
	game.Sampler[S]
	game.StartSampler[S]
	game.TurnPlanner[S]
	game.Solver[S]
}

func canonical[S comparable](rules game.Rules[S], s S) S {
	if y, ok := rules.(game.Symmetry[S]); ok {
		s, _ = y.Canonical(s)
	}
	return s
}

// shared is Martian Dice with ties that may be shared.
func shared(t testing.TB, players, dice, target int) *martiandice.Rules {
	t.Helper()
	c := martiandice.DefaultConfig()
	c.Players, c.Dice, c.Target, c.TieBreak, c.TieDice = players, dice, target, martiandice.Share, 1
	r, err := martiandice.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newExpert(t testing.TB, g env.Game, cfg expert.Config, rows, first int) expert.Expert {
	t.Helper()
	e, err := g.NewExpert(cfg, rows, first)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var depths = []expert.Depth{expert.OnePly, expert.Turn}

// search are settings in which everything happens.
func search(depth expert.Depth) expert.Config {
	c := expert.Config{Depth: depth, RestartFraction: 0.4, Turns: 2, Decisions: 1, ExplorationFraction: 0.5, ExplorationRate: 0.3}
	if depth == expert.OnePly {
		c.RestartFraction = 0 // which the recursion does not know
	}
	return c
}

// hashed is a network whose answers are a hash of the observation: shares of one
// win, of which half are quarters, so that there are ties, and scores.
func hashed(spec game.Spec) expert.Network {
	p, d := spec.Players, spec.ObsLen()
	return func(scores, values, obs []float32) {
		for i := range len(values) / p {
			dice := rand.New(rand.NewPCG(binary.LittleEndian.Uint64([]byte(sightKey(obs[i*d:][:d]))), 1))
			share := make([]float64, p)
			rest := 1.0
			for j := range share[1:] {
				share[j] = rest * dice.Float64()
				rest -= share[j]
			}
			if share[p-1] = rest; dice.IntN(2) == 0 {
				clear(share)
				for range 4 {
					share[dice.IntN(p)] += 0.25
				}
			}
			for j, x := range share {
				values[i*p+j] = float32(spec.Return(x))
			}
			if scores != nil {
				scores[i] = dice.Float32()
			}
		}
	}
}

// sightKey is a hash of an observation.
func sightKey(obs []float32) string {
	h := fnv.New64a()
	for _, x := range obs {
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
	}
	return string(h.Sum(nil))
}

// spied are rules that remember which state looked how.
type spied[S comparable] struct {
	searchable[S]
	seen map[string]viewed[S]
}

type viewed[S comparable] struct {
	state S
	who   game.Player
}

func (r spied[S]) Encode(dst []float32, s S, who game.Player) {
	r.searchable.Encode(dst, s, who)
	r.seen[sightKey(dst)] = viewed[S]{s, who}
}

func (r spied[S]) Canonical(s S) (S, []game.Action) {
	if y, ok := r.searchable.(game.Symmetry[S]); ok {
		return y.Canonical(s)
	}
	return s, nil
}

// exact checks that a search upon exact values finds exact values.
func exact[S comparable](t *testing.T, rules searchable[S]) {
	sol, err := rules.Solve(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := rules.Spec()
	p, d := spec.Players, spec.ObsLen()
	for _, depth := range depths {
		spy := spied[S]{rules, map[string]viewed[S]{}}
		look := func(obs []float32) viewed[S] { return spy.seen[sightKey(obs)] }
		worth := func(obs []float32) []float64 { // to each seat, in the order of play from the viewer
			at := look(obs)
			v, err := sol.Value(nil, at.state)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Concat(v[at.who:], v[:at.who])
		}
		e := newExpert(t, env.NewGame[S](spy), search(depth), 4, 0)
		e.Reset(3)
		var l expert.Targets
		values, decisions, games := 0, 0, 0
		for range 40 {
			e.Search(t.Context(), &l, expert.Options{}, func(_, dst, obs []float32) {
				for i := range len(dst) / p {
					for j, v := range worth(obs[i*d:][:d]) {
						dst[i*p+j] = float32(v)
					}
				}
			})
			for i := range len(l.Obs) / d {
				values++
				for j, want := range worth(l.Obs[i*d:][:d]) {
					if got := l.Value[i*p+j]; !(math.Abs(float64(got)-want) <= 1e-6) {
						t.Fatalf("%s: %+v is worth %v, want %v", depth, look(l.Obs[i*d:][:d]), got, want)
					}
				}
			}
			for i, from := range l.Start[:len(l.Start)-1] {
				decisions++
				at := look(l.DecisionObs[i*d:][:d])
				want, err := sol.Options(nil, at.state)
				if err != nil {
					t.Fatal(err)
				}
				if got := l.Action[from:l.Start[i+1]]; !slices.Equal(got, rules.Legal(nil, at.state)) || rules.CurrentPlayer(at.state) != at.who {
					t.Fatalf("%s: options %v of %+v", depth, got, at)
				}
				for k, w := range want {
					if got := l.ActionValue[int(from)+k]; !(math.Abs(float64(got)-w) <= 1e-6) {
						t.Fatalf("%s: option %d of %+v is worth %v, want %v", depth, k, at, got, w)
					}
					after := ply[S]{rules: rules}.after(at.state, l.Action[int(from)+k])
					if !slices.Equal(l.AfterObs[(int(from)+k)*d:][:d], ply[S]{rules: rules}.see(after, at.who)) {
						t.Fatalf("%s: option %d of %+v leads elsewhere than to %+v", depth, k, at, after)
					}
				}
			}
			games += l.Games
		}
		if values == 0 || decisions == 0 || games == 0 {
			t.Errorf("%s: %d values, %d decisions and %d games: this tests nothing", depth, values, decisions, games)
		}
	}
}

func TestExpertExact(t *testing.T) {
	t.Run("pig", func(t *testing.T) { exact(t, testgames.NewPig(t, 2, 15)) })
	t.Run("pig for three", func(t *testing.T) { exact(t, testgames.NewPig(t, 3, 8)) })
	t.Run("martian dice", func(t *testing.T) { exact(t, testgames.NewMartianDice(t, 2, 5, 5)) })
	t.Run("martian dice, shared", func(t *testing.T) { exact(t, shared(t, 2, 4, 3)) })
	t.Run("martian dice for three", func(t *testing.T) { exact(t, testgames.NewMartianDice(t, 3, 3, 3)) })
}

// join appends the lessons of further rows.
func join(l *expert.Targets, more expert.Targets) {
	if len(l.Start) == 0 {
		l.Start = []int32{0}
	}
	for _, k := range more.Start[1:] {
		l.Start = append(l.Start, k+int32(len(l.Action)))
	}
	l.Obs, l.Value, l.DecisionObs = append(l.Obs, more.Obs...), append(l.Value, more.Value...), append(l.DecisionObs, more.DecisionObs...)
	l.Action, l.AfterObs, l.ActionValue = append(l.Action, more.Action...), append(l.AfterObs, more.AfterObs...), append(l.ActionValue, more.ActionValue...)
	l.Decisions += more.Decisions
	l.Games += more.Games
}

// alike reports whether two lessons differ by no more than tol.
func alike(a, b expert.Targets, tol float64) bool {
	near := func(x, y []float32) bool {
		return slices.EqualFunc(x, y, func(x, y float32) bool { return math.Abs(float64(x)-float64(y)) <= tol })
	}
	return slices.Equal(a.Start, b.Start) && slices.Equal(a.Action, b.Action) && a.Decisions == b.Decisions && a.Games == b.Games &&
		near(a.Obs, b.Obs) && near(a.DecisionObs, b.DecisionObs) && near(a.AfterObs, b.AfterObs) && near(a.Value, b.Value) && near(a.ActionValue, b.ActionValue)
}

// tables are games for experts of both depths.
func tables(t testing.TB) map[string]env.Game {
	list := map[string]env.Game{"martian dice, shared": env.NewGame(shared(t, 3, 4, 4))}
	for n, name := range map[int]string{2: " for two", 3: " for three", 4: " for four"} {
		list["pig"+name] = env.NewGame[pig.State](testgames.NewPig(t, n, 20))
		list["martian dice"+name] = env.NewGame(testgames.NewMartianDice(t, n, 5, 5))
	}
	return list
}

// eachTable calls f with each game, searched to each depth.
func eachTable(t *testing.T, f func(t *testing.T, g env.Game, cfg expert.Config)) {
	for name, g := range tables(t) {
		for _, depth := range depths {
			t.Run(name+", "+string(depth), func(t *testing.T) { f(t, g, search(depth)) })
		}
	}
}

// Rows draw from their own generators, wherever they live.
func TestExpertSplit(t *testing.T) {
	eachTable(t, func(t *testing.T, g env.Game, cfg expert.Config) {
		value := hashed(g.Spec())
		whole := newExpert(t, g, cfg, 5, 7)
		parts := []expert.Expert{newExpert(t, g, cfg, 2, 7), newExpert(t, g, cfg, 3, 9)}
		for _, e := range append(parts, whole) {
			e.Reset(2)
		}
		var l expert.Targets
		for k := range 60 {
			var got expert.Targets
			for _, e := range parts {
				e.Search(t.Context(), &l, expert.Options{}, value)
				join(&got, l)
			}
			whole.Search(t.Context(), &l, expert.Options{}, value)
			if !alike(got, l, 0) {
				t.Fatalf("search %d: two parts find\n%+v\nand the whole\n%+v", k, got, l)
			}
		}
	})
}

func TestExpertState(t *testing.T) {
	eachTable(t, func(t *testing.T, g env.Game, cfg expert.Config) {
		value := hashed(g.Spec())
		e := newExpert(t, g, cfg, 3, 4)
		e.Reset(8)
		var want, got expert.Targets
		for range 33 {
			e.Search(t.Context(), &want, expert.Options{}, value)
		}
		saved, err := e.AppendState([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		if string(saved[:6]) != "before" {
			t.Error("AppendState does not append")
		}
		saved = saved[6:]
		resumed := newExpert(t, g, cfg, 3, 4)
		if err := resumed.RestoreState(saved); err != nil {
			t.Fatal(err)
		}
		for what, src := range map[string][]byte{
			"nothing": nil, "too little": saved[:len(saved)-1], "too much": append(slices.Clone(saved), 0),
		} {
			if err := resumed.RestoreState(src); err == nil {
				t.Errorf("%s is restored", what)
			}
		}
		if err := newExpert(t, g, cfg, 2, 4).RestoreState(saved); err == nil {
			t.Error("the state of three rows is restored to two")
		}
		for k := range 60 { // what was refused has changed nothing
			e.Search(t.Context(), &want, expert.Options{}, value)
			resumed.Search(t.Context(), &got, expert.Options{}, value)
			if !alike(got, want, 0) {
				t.Fatalf("search %d after it: got\n%+v\nwant\n%+v", k, got, want)
			}
		}
		var last []byte
		for _, x := range []expert.Expert{e, resumed} {
			state, err := x.AppendState(nil)
			if err != nil || last != nil && !slices.Equal(state, last) {
				t.Errorf("the states after it differ, %v", err)
			}
			last = state
		}
	})
}

// A state in which nothing can be searched is refused.
func TestExpertStateUnsound(t *testing.T) {
	for _, depth := range depths {
		e := newExpert(t, env.NewGame[pig.State](testgames.NewPig(t, 2, 20)), search(depth), 1, 0)
		e.Reset(1)
		saved, err := e.AppendState(nil)
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(saved[12:], uint32(pig.Rolling)) // the phase
		if err := e.RestoreState(saved); err == nil {
			t.Errorf("%s: a die in the air is restored", depth)
		}
	}
}

func TestNewExpert(t *testing.T) {
	for _, test := range []struct {
		name string
		g    env.Game
		cfg  expert.Config
		want error // nil for any
	}{
		{"no plans", env.NewGame[testgames.Face](testgames.Coin{}), search(expert.Turn), expert.ErrUnsupported},
		{"no winner", env.NewGame(testgames.NewMartianDice(t, 1, 3, 3)), search(expert.OnePly), expert.ErrUnsupported},
		{"no depth", env.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Turns: 1, Decisions: 1}, nil},
		{"no turns", env.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Depth: expert.Turn, Decisions: 1}, nil},
		{"no moves", env.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Depth: expert.Turn, Turns: 1}, nil},
		{"no share", env.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Depth: expert.Turn, Turns: 1, Decisions: 1, ExplorationRate: math.NaN()}, nil},
	} {
		if _, err := test.g.NewExpert(test.cfg, 1, 0); err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: got error %v, want %v", test.name, err, test.want)
		}
	}
	e := newExpert(t, env.NewGame[testgames.Face](testgames.Coin{}), search(expert.OnePly), 2, 0)
	e.Reset(1)
	var l expert.Targets
	e.Search(t.Context(), &l, expert.Options{}, hashed(testgames.Coin{}.Spec()))
	if l.Decisions != 2 || l.Games != 2 || !slices.Equal(l.ActionValue, []float32{1, -1, 1, -1}) {
		t.Errorf("of a coin there is nothing to learn but %+v", l)
	}
}

// What has been searched before is searched again without an allocation, but for
// one that drawing the start of a turn may take.
func TestExpertAllocations(t *testing.T) {
	eachTable(t, func(t *testing.T, g env.Game, cfg expert.Config) {
		const rows, searches = 4, 50
		e := newExpert(t, g, cfg, rows, 0)
		var l expert.Targets
		value := func(_, dst, _ []float32) { clear(dst) }
		most := 0.0
		if cfg.Depth == expert.Turn {
			most = rows * searches
		}
		if n := testing.AllocsPerRun(2, func() {
			e.Reset(1)
			for range searches {
				e.Search(t.Context(), &l, expert.Options{}, value)
			}
		}); n > most {
			t.Errorf("%v allocations in %d searches, want at most %v", n, searches, most)
		}
	})
}
