package expert_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/martiandice"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train/expert"
)

// searchable are rules that experts of all depths can search, and that have a solver.
type searchable[S comparable] interface {
	game.Rules[S]
	game.Sampler[S]
	game.TurnPlanner[S]
	game.Solver[S]
}

func canonical[S comparable](rules game.Rules[S], s S) S {
	if y, ok := rules.(game.Symmetry[S]); ok {
		s, _ = y.Canonical(s)
	}
	return s
}

// newSharedTies returns Martian Dice in which a tie that lasts is shared.
func newSharedTies(t testing.TB, players, dice, target int) *martiandice.Rules {
	t.Helper()
	c := martiandice.DefaultConfig()
	c.Players, c.Dice, c.Target, c.TieBreak, c.TieDice = players, dice, target, martiandice.Share, 1
	r, err := martiandice.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newExpert(t testing.TB, g env.Game, cfg expert.Config, rows, first int) *joined {
	t.Helper()
	e, err := expert.New(g, cfg, rows, first)
	if err != nil {
		t.Fatal(err)
	}
	return &joined{e, g.Spec().ObsLen(), make([]expert.Targets, e.Pieces()), sync.Mutex{}}
}

// network is an [expert.Network] of observations [n, D].
type network func(policy, values, obs []float32)

// sparse returns the network for observations of d numbers.
func sparse(net network, d int) expert.Network {
	return func(policy, values []float32, obs *models.Observations) { net(policy, values, dense(obs, d)) }
}

// dense returns observations [n, d], which may be nil.
func dense(o *models.Observations, d int) []float32 {
	if o == nil {
		return nil
	}
	obs := make([]float32, o.Len()*d)
	o.Dense(obs)
	return obs
}

// denseTargets are targets with observations [n, D].
type denseTargets struct {
	expert.Targets
	Obs, DecisionObs, AfterObs []float32
}

// joined is an Expert that joins the targets of all rows. It calls the network for one piece of
// them at a time.
type joined struct {
	expert.Expert
	d      int
	pieces []expert.Targets
	mu     sync.Mutex
}

func (w *joined) Search(ctx context.Context, dst *denseTargets, opt expert.Options, net network) error {
	err := w.Expert.Search(ctx, w.pieces, opt, sparse(func(policy, values, obs []float32) {
		w.mu.Lock()
		defer w.mu.Unlock()
		net(policy, values, obs)
	}, w.d))
	dst.Obs, dst.Value, dst.DecisionObs, dst.Row = dst.Obs[:0], dst.Value[:0], dst.DecisionObs[:0], dst.Row[:0]
	dst.Start, dst.Action, dst.AfterObs, dst.ActionValue, dst.Logit = dst.Start[:0], dst.Action[:0], dst.AfterObs[:0], dst.ActionValue[:0], dst.Logit[:0]
	dst.Decisions, dst.Games = 0, 0
	for _, p := range w.pieces {
		join(dst, denseTargets{p, dense(p.Obs, w.d), dense(p.DecisionObs, w.d), dense(p.AfterObs, w.d)}, w.d)
	}
	return err
}

var depths = []expert.Depth{expert.OneMove, expert.Turn, expert.Search}

// config returns settings that use every feature of a depth, but for starts that tests of
// their own compare.
func config(depth expert.Depth) expert.Config {
	c := expert.Config{Depth: depth, Turns: 2, Decisions: 1, Outcomes: 10_000, ExplorationFraction: 0.5, ExplorationRate: 0.3}
	switch depth {
	case expert.Turn:
		c.Starts.Sample = 0.4
	case expert.Search:
		c.Decisions = 3
		c.Tree = expert.Tree{Simulations: 20, FastSimulations: 5, FullFraction: 0.5, Candidates: 3}
	}
	return c
}

// allStarts are starts of every kind.
var allStarts = expert.Starts{Sample: 0.2, Walk: 0.2, Archive: 0.2, Disagree: 0.2}

// hashNetwork returns a network whose outputs are a hash of the observation: scores or
// logits, and shares of one win, half of which are multiples of a quarter, so that some tie.
func hashNetwork(spec game.Spec) network {
	p, d := spec.Players, spec.ObsLen()
	return func(scores, values, obs []float32) {
		for i := range len(values) / p {
			dice := rand.New(rand.NewPCG(binary.LittleEndian.Uint64([]byte(obsHash(obs[i*d:][:d]))), 1))
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
			k := len(scores) * p / len(values)
			for a := range k {
				scores[i*k+a] = dice.Float32()
			}
		}
	}
}

// obsHash returns a hash of an observation.
func obsHash(obs []float32) string {
	h := fnv.New64a()
	for _, x := range obs {
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
	}
	return string(h.Sum(nil))
}

// recorder are rules that record of which state each observation is.
type recorder[S comparable] struct {
	searchable[S]
	seen map[string]viewed[S]
}

// viewed is a state and the seat that observed it.
type viewed[S comparable] struct {
	state S
	who   game.Player
}

func (r recorder[S]) Encode(dst []float32, s S, who game.Player) {
	r.searchable.Encode(dst, s, who)
	recording.Lock()
	defer recording.Unlock()
	r.seen[obsHash(dst)] = viewed[S]{s, who}
}

// recording is held while observations are recorded or looked up.
var recording sync.Mutex

// at returns what an observation is of.
func (r recorder[S]) at(obs []float32) viewed[S] {
	recording.Lock()
	defer recording.Unlock()
	return r.seen[obsHash(obs)]
}

func (r recorder[S]) Canonical(s S) (S, []game.Action) {
	if y, ok := r.searchable.(game.Symmetry[S]); ok {
		return y.Canonical(s)
	}
	return s, nil
}

// merging are rules that would merge their chance, but have nothing to merge: with them the
// network values afterstates.
type merging[S comparable] struct{ recorder[S] }

func (merging[S]) Expand(*game.Expansion[S], S) bool { return false }

func newMerging[S comparable](rules searchable[S]) merging[S] {
	return merging[S]{recorder[S]{rules, map[string]viewed[S]{}}}
}

// checkExact checks that a search with exact values at its leaves finds exact values.
func checkExact[S comparable](t *testing.T, rules searchable[S]) {
	sol, err := rules.Solve(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := rules.Spec()
	p, d := spec.Players, spec.ObsLen()
	rec := recorder[S]{rules, map[string]viewed[S]{}}
	for _, test := range []struct {
		depth expert.Depth
		rules game.Rules[S]
		tol   float64
	}{
		{expert.OneMove, rec, 1e-3}, // it samples long roll-offs, of which there may be any number
		{expert.OneMove, merging[S]{rec}, 1e-6},
		{expert.Turn, rec, 1e-6},
	} {
		depth, tol := test.depth, test.tol
		clear(rec.seen)
		view := func(obs []float32) viewed[S] { return rec.at(obs) }
		exact := func(obs []float32) []float64 { // values [P] in the order of play from the viewer
			at := view(obs)
			v, err := sol.Value(nil, at.state)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Concat(v[at.who:], v[:at.who])
		}
		e := newExpert(t, expert.NewGame(test.rules), config(depth), 4, 0)
		e.Reset(3)
		var found denseTargets
		values, decisions, games := 0, 0, 0
		for range 40 {
			e.Search(t.Context(), &found, expert.Options{}, func(_, dst, obs []float32) {
				for i := range len(dst) / p {
					for j, v := range exact(obs[i*d:][:d]) {
						dst[i*p+j] = float32(v)
					}
				}
			})
			for i := range len(found.Obs) / d {
				values++
				for j, want := range exact(found.Obs[i*d:][:d]) {
					if got := found.Value[i*p+j]; !(math.Abs(float64(got)-want) <= tol) {
						t.Fatalf("%s: %+v has value %v, want %v", depth, view(found.Obs[i*d:][:d]), got, want)
					}
				}
			}
			for i, from := range found.Start[:len(found.Start)-1] {
				decisions++
				at := view(decisionObs(&found, i, d))
				want, err := sol.Options(nil, at.state)
				if err != nil {
					t.Fatal(err)
				}
				if got := found.Action[from:found.Start[i+1]]; !slices.Equal(got, rules.Legal(nil, at.state)) || rules.CurrentPlayer(at.state) != at.who {
					t.Fatalf("%s: actions %v in %+v", depth, got, at)
				}
				for k, w := range want {
					if got := found.ActionValue[int(from)+k]; !(math.Abs(float64(got)-w) <= tol) {
						t.Fatalf("%s: option %d of %+v has value %v, want %v", depth, k, at, got, w)
					}
					after := reference[S]{rules: rules}.after(at.state, found.Action[int(from)+k])
					if !slices.Equal(found.AfterObs[(int(from)+k)*d:][:d], reference[S]{rules: rules}.observe(after, at.who)) {
						t.Fatalf("%s: the observation after option %d of %+v is not that of %+v", depth, k, at, after)
					}
				}
			}
			games += found.Games
		}
		if values == 0 || decisions == 0 || games == 0 {
			t.Errorf("%s: %d values, %d decisions and %d games: this tests nothing", depth, values, decisions, games)
		}
	}
}

func TestExpertExact(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkExact(t, testgames.NewPig(t, 2, 15)) })
	t.Run("pig for three", func(t *testing.T) { checkExact(t, testgames.NewPig(t, 3, 8)) })
	t.Run("martian dice", func(t *testing.T) { checkExact(t, testgames.NewMartianDice(t, 2, 5, 5)) })
	t.Run("martian dice, shared", func(t *testing.T) { checkExact(t, newSharedTies(t, 2, 4, 3)) })
	t.Run("martian dice for three", func(t *testing.T) { checkExact(t, testgames.NewMartianDice(t, 3, 3, 3)) })
}

// decisionObs returns the observation [D] of decision i.
func decisionObs(l *denseTargets, i, d int) []float32 {
	if len(l.Row) > 0 {
		return l.Obs[int(l.Row[i])*d:][:d]
	}
	return l.DecisionObs[i*d:][:d]
}

// join appends the targets of further rows, of observations of d numbers.
func join(dst *denseTargets, more denseTargets, d int) {
	for _, row := range more.Row {
		dst.Row = append(dst.Row, row+int32(len(dst.Obs)/d))
	}
	if len(dst.Start) == 0 {
		dst.Start = append(dst.Start, 0)
	}
	for _, k := range more.Start[1:] {
		dst.Start = append(dst.Start, k+int32(len(dst.Action)))
	}
	dst.Obs, dst.Value, dst.DecisionObs = append(dst.Obs, more.Obs...), append(dst.Value, more.Value...), append(dst.DecisionObs, more.DecisionObs...)
	dst.Action, dst.AfterObs, dst.ActionValue = append(dst.Action, more.Action...), append(dst.AfterObs, more.AfterObs...), append(dst.ActionValue, more.ActionValue...)
	dst.Logit = append(dst.Logit, more.Logit...)
	dst.Decisions += more.Decisions
	dst.Games += more.Games
}

// equal reports whether targets differ by no more than tol.
func equal(a, b denseTargets, tol float64) bool {
	near := func(x, y []float32) bool {
		return slices.EqualFunc(x, y, func(x, y float32) bool { return math.Abs(float64(x)-float64(y)) <= tol })
	}
	return slices.Equal(a.Start, b.Start) && slices.Equal(a.Row, b.Row) && slices.Equal(a.Action, b.Action) && a.Decisions == b.Decisions && a.Games == b.Games &&
		near(a.Obs, b.Obs) && near(a.DecisionObs, b.DecisionObs) && near(a.AfterObs, b.AfterObs) && near(a.Value, b.Value) && near(a.ActionValue, b.ActionValue) && near(a.Logit, b.Logit)
}

// games returns games for experts of all depths, by name.
func games(t testing.TB) map[string]env.Game {
	list := map[string]env.Game{"martian dice, shared": expert.NewGame(newSharedTies(t, 3, 4, 4))}
	for n, name := range map[int]string{2: " for two", 3: " for three", 4: " for four"} {
		list["pig"+name] = expert.NewGame[pig.State](testgames.NewPig(t, n, 20))
		list["martian dice"+name] = expert.NewGame(testgames.NewMartianDice(t, n, 5, 5))
	}
	return list
}

// options are those of a search in the middle of a run.
var options = expert.Options{Lambda: 0.7, Temperature: 0.1}

// eachGame calls f with each game and the settings of each depth, with all kinds of starts.
func eachGame(t *testing.T, f func(t *testing.T, g env.Game, cfg expert.Config)) {
	for name, g := range games(t) {
		for _, depth := range depths {
			cfg := config(depth)
			cfg.Starts = allStarts
			t.Run(name+", "+string(depth), func(t *testing.T) { f(t, g, cfg) })
		}
	}
}

// Rows draw from their own generators, whichever expert holds them.
func TestExpertSplit(t *testing.T) {
	eachGame(t, func(t *testing.T, g env.Game, cfg expert.Config) {
		value := hashNetwork(g.Spec())
		whole := newExpert(t, g, cfg, 5, 7)
		parts := []*joined{newExpert(t, g, cfg, 2, 7), newExpert(t, g, cfg, 3, 9)}
		for _, e := range append(parts, whole) {
			e.Reset(2)
		}
		var found denseTargets
		for k := range 60 {
			var got denseTargets
			for _, e := range parts {
				e.Search(t.Context(), &found, options, value)
				join(&got, found, g.Spec().ObsLen())
			}
			whole.Search(t.Context(), &found, options, value)
			if !equal(got, found, 0) {
				t.Fatalf("search %d: two experts find\n%+v\nand one for all rows\n%+v", k, got, found)
			}
		}
	})
}

func TestExpertState(t *testing.T) {
	eachGame(t, func(t *testing.T, g env.Game, cfg expert.Config) {
		value := hashNetwork(g.Spec())
		e := newExpert(t, g, cfg, 3, 4)
		e.Reset(8)
		var want, got denseTargets
		for range 33 {
			e.Search(t.Context(), &want, options, value)
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
		for _, src := range [][]byte{nil, saved[:len(saved)-1], append(slices.Clone(saved), 0)} {
			if err := resumed.RestoreState(src); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d bytes of state for 3 rows of %s; want %d", len(src), g.Spec().ID, len(saved))) {
				t.Errorf("a state of %d bytes: %v", len(src), err)
			}
		}
		if err := newExpert(t, g, cfg, 2, 4).RestoreState(saved); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d bytes of state for 2 rows", len(saved))) {
			t.Errorf("the state of three rows is restored to two: %v", err)
		}
		for k := range 60 { // the refused states have changed nothing
			e.Search(t.Context(), &want, options, value)
			resumed.Search(t.Context(), &got, options, value)
			if !equal(got, want, 0) {
				t.Fatalf("search %d after restoring: got\n%+v\nwant\n%+v", k, got, want)
			}
		}
		var last []byte
		for _, x := range []*joined{e, resumed} {
			state, err := x.AppendState(nil)
			if err != nil || last != nil && !slices.Equal(state, last) {
				t.Errorf("the states after that differ, error %v", err)
			}
			last = state
		}
	})
}

// A state without a decision or start of a turn is refused.
func TestExpertStateInvalid(t *testing.T) {
	for _, depth := range depths {
		e := newExpert(t, expert.NewGame[pig.State](testgames.NewPig(t, 2, 20)), config(depth), 1, 0)
		e.Reset(1)
		saved, err := e.AppendState(nil)
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(saved[12:], uint32(pig.Rolling)) // the phase
		if err := e.RestoreState(saved); err == nil || !strings.Contains(err.Error(), "the state of pig: row 0: no search can start from the state") {
			t.Errorf("%s: a state with a rolling die: %v", depth, err)
		}
	}
}

// samples returns settings with sampled starts.
func samples(depth expert.Depth) expert.Config {
	c := config(depth)
	c.Starts.Sample = 0.5
	return c
}

func TestNewExpert(t *testing.T) {
	for _, test := range []struct {
		name string
		g    env.Game
		cfg  expert.Config
		want string
		is   error // or nil
	}{
		{"no plans", expert.NewGame[testgames.Face](testgames.Coin{}), config(expert.Turn), "coin does not solve turns", expert.ErrUnsupported},
		{"no winner", expert.NewGame(testgames.NewMartianDice(t, 1, 3, 3)), config(expert.Turn), "search needs a game with a win", expert.ErrUnsupported},
		{"no starts", expert.NewGame[testgames.Face](testgames.Coin{}), samples(expert.OneMove), "starts.sample is 0.5: coin", expert.ErrNoStartSampler},
		{"too many starts", expert.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Depth: expert.OneMove, Turns: 1, Decisions: 1, Outcomes: 1, Starts: expert.Starts{Walk: 0.6, Archive: 0.6}}, "starts (the sum) is 1.2; want at most 1", nil},
		{"no outcomes", expert.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Depth: expert.OneMove, Turns: 1, Decisions: 1}, "outcomes is 0; want 1 to", nil},
		{"no depth", expert.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Turns: 1, Decisions: 1, Outcomes: 1}, "depth is ; want one of", nil},
		{"no turns", expert.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Depth: expert.Turn, Decisions: 1, Outcomes: 1}, "turns is 0; want 1 to", nil},
		{"no decisions", expert.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Depth: expert.Turn, Turns: 1, Outcomes: 1}, "decisions is 0; want 1 to", nil},
		{"rate not a number", expert.NewGame[pig.State](testgames.NewPig(t, 2, 20)), expert.Config{Depth: expert.Turn, Turns: 1, Decisions: 1, Outcomes: 1, ExplorationRate: math.NaN()}, "exploration_rate is NaN; want 0 to 1", nil},
	} {
		if _, err := expert.New(test.g, test.cfg, 1, 0); err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("%s: got error %v, want %q", test.name, err, test.want)
		}
	}
	e := newExpert(t, expert.NewGame[testgames.Face](testgames.Coin{}), config(expert.OneMove), 2, 0)
	e.Reset(1)
	var found denseTargets
	e.Search(t.Context(), &found, expert.Options{}, hashNetwork(testgames.Coin{}.Spec()))
	if found.Decisions != 2 || found.Games != 2 || !slices.Equal(found.ActionValue, []float32{1, -1, 1, -1}) {
		t.Errorf("the targets of a coin are %+v", found)
	}
}

// Searches of states that were searched before do not allocate, except that sampling the
// start of a turn may allocate once, and the two loops over the rows of whole turns a few times.
func TestExpertAllocations(t *testing.T) {
	eachGame(t, func(t *testing.T, g env.Game, cfg expert.Config) {
		const rows, searches = 4, 50
		e := newExpert(t, g, cfg, rows, 0)
		value := func(_, dst []float32, _ *models.Observations) { clear(dst) }
		most := 0.0
		if cfg.Depth == expert.Turn {
			most = (rows + 12) * searches
		}
		if n := testing.AllocsPerRun(2, func() {
			e.Reset(1)
			for range searches {
				e.Expert.Search(t.Context(), e.pieces, options, value)
			}
		}); n > most {
			t.Errorf("%v allocations in %d searches, want at most %v", n, searches, most)
		}
	})
}
