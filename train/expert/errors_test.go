package expert_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"marsgym/agents/search"
	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
	"marsgym/train/expert"
	"marsgym/train/method"
)

// withBot returns settings with a bot as the only opponent.
func withBot(c expert.Config, name string) expert.Config {
	c.Opponents = method.Opponents{Fraction: 1, Bots: method.Bots{name: 1}}
	return c
}

// TestNewExpertErrors: whatever the depth, a bot must exist, and all but one-move need a game with a win.
func TestNewExpertErrors(t *testing.T) {
	g := expert.NewGame[pig.State](testgames.NewPig(t, 2, 20))
	alone := expert.NewGame(testgames.NewMartianDice(t, 1, 3, 3))
	for _, depth := range depths {
		if _, err := expert.New(g, withBot(config(depth), "nobody"), 1, 0); err == nil || !strings.Contains(err.Error(), `pig has no bot "nobody"`) {
			t.Errorf("%s, an unknown bot: error %v", depth, err)
		}
		if _, err := expert.New(alone, config(depth), 1, 0); (depth == expert.OneMove) != (err == nil) || err != nil && !strings.Contains(err.Error(), "and search needs a game with a win") {
			t.Errorf("%s, a game without a win: error %v", depth, err)
		}
	}
}

// TestValidate has settings at their limits, and beyond.
func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name, want string
		set        func(c *expert.Config, x float64)
		depth      expert.Depth
		in, out    []float64
	}{
		{"turns", "turns is %v; want 1 to 1000", func(c *expert.Config, x float64) { c.Turns = int(x) }, expert.Turn, []float64{1, 1000}, []float64{0, 1001}},
		{"decisions", "decisions is %v; want 1 to 10000", func(c *expert.Config, x float64) { c.Decisions = int(x) }, expert.OneMove, []float64{1, 10_000}, []float64{0, 10_001}},
		{"outcomes", "outcomes is %v; want 1 to 10000", func(c *expert.Config, x float64) { c.Outcomes = int(x) }, expert.OneMove, []float64{1, 10_000}, []float64{0, 10_001}},
		{"outcomes of turns", "", func(c *expert.Config, x float64) { c.Outcomes = int(x) }, expert.Turn, []float64{0, 10_001}, nil},
		{"starts.sample", "starts.sample is %v; want 0 to 1", func(c *expert.Config, x float64) { c.Starts.Sample = x }, expert.OneMove, []float64{0, 1}, []float64{-0.1, 1.1, math.NaN()}},
		{"starts.walk", "starts.walk is %v; want 0 to 1", func(c *expert.Config, x float64) { c.Starts.Walk = x }, expert.OneMove, []float64{0, 1}, []float64{-0.1, 1.1}},
		{"starts.archive", "starts.archive is %v; want 0 to 1", func(c *expert.Config, x float64) { c.Starts.Archive = x }, expert.OneMove, []float64{0, 1}, []float64{-0.1, 1.1}},
		{"starts.disagree", "starts.disagree is %v; want 0 to 1", func(c *expert.Config, x float64) { c.Starts.Disagree = x }, expert.OneMove, []float64{0, 1}, []float64{-0.1, 1.1}},
		{"all starts", "starts (the sum) is %v; want at most 1", func(c *expert.Config, x float64) {
			c.Starts = expert.Starts{Sample: x / 4, Walk: x / 4, Archive: x / 4, Disagree: x / 4}
		}, expert.OneMove, []float64{0, 1}, []float64{1.25, 1 + 0x1p-28}},
		{"exploration_fraction", "exploration_fraction is %v; want 0 to 1", func(c *expert.Config, x float64) { c.ExplorationFraction = x }, expert.Turn, []float64{0, 1}, []float64{-0.1, 1.1}},
		{"exploration_rate", "exploration_rate is %v; want 0 to 1", func(c *expert.Config, x float64) { c.ExplorationRate = x }, expert.Turn, []float64{0, 1}, []float64{-0.1, 1.1, math.NaN()}},
		{"tree.simulations", "tree.simulations is %v; want 1 to 100000", func(c *expert.Config, x float64) { c.Tree.Simulations = int(x) }, expert.Search, []float64{1, 100_000}, []float64{0, 100_001}},
		{"tree.fast_simulations", "tree.fast_simulations is %v; want 0 to 100000", func(c *expert.Config, x float64) { c.Tree.FastSimulations = int(x) }, expert.Search, []float64{0, 100_000}, []float64{-1, 100_001}},
		{"tree.candidates", "tree.candidates is %v; want 2 to 100000", func(c *expert.Config, x float64) { c.Tree.Candidates = int(x) }, expert.Search, []float64{2, 100_000}, []float64{1, 100_001}},
		{"tree.full_fraction", "tree.full_fraction is %v; want 0 to 1", func(c *expert.Config, x float64) { c.Tree.FullFraction = x }, expert.Search, []float64{0, 1}, []float64{-0.1, 1.1}},
		{"the tree of turns", "", func(c *expert.Config, x float64) { c.Tree.Simulations = int(x) }, expert.Turn, []float64{-1}, nil},
	} {
		for _, x := range test.in {
			c := config(test.depth)
			c.Starts = expert.Starts{}
			if test.set(&c, x); c.Validate() != nil {
				t.Errorf("%s of %v: %v", test.name, x, c.Validate())
			}
		}
		for _, x := range test.out {
			c := config(test.depth)
			c.Starts = expert.Starts{}
			test.set(&c, x)
			want := strings.ReplaceAll(test.want, "%v", fmt.Sprint(x))
			if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s of %v: error %v; want %q", test.name, x, err, want)
			}
		}
	}
	if err := (expert.Config{Depth: "deep", Turns: 0, Decisions: 1}).Validate(); err == nil ||
		err.Error() != "depth is deep; want one of [\"one-move\" \"turn-exact\" \"search\"]\nturns is 0; want 1 to 1000" {
		t.Errorf("of two faults the error is %v", err)
	}
}

// TestKinds: what an expert of each depth values, and how many rows a part of a run has.
func TestKinds(t *testing.T) {
	rules := testgames.NewPig(t, 2, 20)
	plain, merges := expert.NewGame[pig.State](rules), expert.NewGame[pig.State](newMerging[pig.State](rules))
	for _, test := range []struct {
		depth        expert.Depth
		target       search.ValueTarget
		pieces, part int
	}{{expert.OneMove, search.Decision, 1, 1}, {expert.Turn, search.TurnStart, 3, 16}, {expert.Search, search.Decision, 1, 2}} {
		e := newExpert(t, plain, config(test.depth), 5, 0)
		if e.Target() != test.target || e.Pieces() != test.pieces {
			t.Errorf("%s: targets are of kind %v, in %d pieces; want %v in %d", test.depth, e.Target(), e.Pieces(), test.target, test.pieces)
		}
		if got := config(test.depth).PartRows(); got != test.part {
			t.Errorf("%s: %d rows in a part; want %d", test.depth, got, test.part)
		}
	}
	if got := newExpert(t, merges, config(expert.OneMove), 1, 0).Target(); got != search.Afterstate {
		t.Errorf("in a game that merges its chance targets are of kind %v", got)
	}
	if !(expert.Starts{Archive: 0.1}).Archives() || !(expert.Starts{Disagree: 0.1}).Archives() || (expert.Starts{Sample: 0.5, Walk: 0.5}).Archives() {
		t.Error("only starts of archive and disagree need an archive")
	}
}

// TestInterrupt: a search whose context is done returns its error.
func TestInterrupt(t *testing.T) {
	g := expert.NewGame[pig.State](testgames.NewPig(t, 2, 20))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, depth := range depths {
		e := newExpert(t, g, config(depth), 3, 0)
		e.Reset(1)
		var found denseTargets
		if err := e.Search(ctx, &found, expert.Options{Temperature: 0.1}, hashNetwork(g.Spec())); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", depth, err)
		}
	}
}

// Offsets in the state of one row of Pig: its state and its generator, and then what is saved beside.
const (
	pigBytes  = 16
	rowBytes  = pigBytes + 20
	ringBytes = pigBytes + 4 // a position of an archive, with the difference of its values
)

// TestArchiveErrors damages positions of an archive.
func TestArchiveErrors(t *testing.T) {
	g := expert.NewGame[pig.State](testgames.NewPig(t, 2, 20))
	for _, depth := range depths {
		cfg := config(depth)
		cfg.Starts = expert.Starts{Archive: 0.1}
		e := newExpert(t, g, cfg, 1, 0)
		e.Reset(1)
		var found denseTargets
		for range 3 {
			if err := e.Search(t.Context(), &found, options, hashNetwork(g.Spec())); err != nil {
				t.Fatal(err)
			}
		}
		saved, err := e.AppendState(nil)
		if err != nil {
			t.Fatal(err)
		}
		count := int(binary.LittleEndian.Uint32(saved[rowBytes:]))
		if count == 0 {
			t.Fatalf("%s: the archive is empty", depth)
		}
		last := rowBytes + 4 + (count-1)*ringBytes
		for _, test := range []struct {
			at   int
			bits uint32
			want string
		}{
			{last + pigBytes, math.Float32bits(0), ""},
			{last + pigBytes, math.Float32bits(-1), "archive of row 0: the difference of the values is -1"},
			{last + pigBytes, math.Float32bits(float32(math.NaN())), "archive of row 0: the difference of the values is NaN"},
			{last + 12, uint32(pig.Rolling), "archive of row 0: no search can start from the state"},
			{last + 12, 99, "archive of row 0: not a state of the game"},
			{last + ringBytes + 12, 99, ""}, // it has no position there yet
			{0, 0xffff, "row 0: "},          // scores
		} {
			b := append([]byte(nil), saved...)
			binary.LittleEndian.PutUint32(b[test.at:], test.bits)
			if err := e.RestoreState(b); test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), "expert: the state of pig: ") || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s: with %#x at %d the error is %v; want %q", depth, test.bits, test.at, err, test.want)
			}
		}
	}
}

// TestOpponentErrors restores opponents that cannot exist, and plays against copies that are missing
// and a bot that fails.
func TestOpponentErrors(t *testing.T) {
	rules := testgames.NewPig(t, 2, 20)
	g := expert.NewGame[pig.State](holder{rules})
	net := hashNetwork(g.Spec())
	copied := sparse(net, g.Spec().ObsLen())
	for _, depth := range depths {
		cfg := config(depth)
		cfg.Starts, cfg.Opponents = expert.Starts{}, method.Opponents{Fraction: 1, Bots: method.Bots{"holder": 0.5}}
		e := newExpert(t, g, cfg, 1, 0)
		e.Reset(1)
		saved, err := e.AppendState(nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range map[uint16]string{expert.MaxCopies + 1: "", expert.MaxCopies + 2: "opponent 1002; want at most 1001"} {
			binary.LittleEndian.PutUint16(saved[rowBytes+2:], k)
			if err := e.RestoreState(saved); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: of opponent %d the error is %v; want %q", depth, k, err, want)
			}
		}

		// A game that begins with three copies goes on with two.
		e.Reset(1)
		search := func(copies ...expert.Network) error {
			var found denseTargets
			return e.Search(t.Context(), &found, expert.Options{Temperature: 0.1, Copies: copies}, net)
		}
		refused := 0
		for range 200 {
			if err := search(copied, copied, copied); err != nil {
				t.Fatal(err)
			}
			if err := search(copied, copied); err != nil {
				if want := "expert: an opponent is copy 2 of 2"; err.Error() != want {
					t.Fatalf("%s: error %v; want %q", depth, err, want)
				}
				refused++
			}
		}
		if refused == 0 {
			t.Errorf("%s: no search has missed a copy", depth)
		}

		broken := expert.NewGame[pig.State](breaker{rules})
		e = newExpert(t, broken, withBot(cfg, "breaker"), 1, 0)
		e.Reset(1)
		var last error
		for range 20 {
			if err := search(); err != nil {
				last = err
			}
		}
		if want := "expert: a bot of pig: the bot is broken"; last == nil || last.Error() != want {
			t.Errorf("%s: error %v; want %q", depth, last, want)
		}
	}
}

// breaker is Pig with a bot that always fails.
type breaker struct{ *pig.Rules }

func (breaker) BotNames() []string                         { return []string{"breaker"} }
func (breaker) Bot(string) (game.Policy[pig.State], error) { return breaker{}, nil }
func (breaker) Probs([]float64, []pig.State) error         { return errors.New("the bot is broken") }

// TestNoTurn: in a game without a turn no row can start.
func TestNoTurn(t *testing.T) {
	e := newExpert(t, expert.NewGame[pig.State](rolled{testgames.NewPig(t, 2, 20)}), config(expert.Turn), 1, 0)
	defer func() {
		if got, want := recover(), "expert: no turn of pig starts"; got != want {
			t.Errorf("%v; want %q", got, want)
		}
	}()
	e.Reset(1)
}

// TestFirstOpponents: the first games have opponents too.
func TestFirstOpponents(t *testing.T) {
	g := expert.NewGame[pig.State](holder{testgames.NewPig(t, 2, 20)})
	for _, depth := range depths {
		cfg := withBot(config(depth), "holder")
		cfg.Starts = expert.Starts{}
		e := newExpert(t, g, cfg, 1, 0)
		e.Reset(1)
		if _, seats := decodeRow(t, e, 2); seats[0]+seats[1] != 1 {
			t.Errorf("%s: the opponents are %v; want the bot in one of the seats", depth, seats)
		}
	}
}

// TestTurnStartTargets: where the network values afterstates, a search that starts within a turn has
// no target for the start of that turn.
func TestTurnStartTargets(t *testing.T) {
	rules := newMerging[pig.State](testgames.NewPig(t, 2, 20))
	cfg := config(expert.OneMove)
	cfg.Starts = expert.Starts{Walk: 1}
	e := newExpert(t, expert.NewGame[pig.State](rules), cfg, 1, 0)
	e.Reset(1)
	d := rules.Spec().ObsLen()
	var found denseTargets
	starts, others := 0, 0
	for range 200 {
		if err := e.Search(t.Context(), &found, expert.Options{}, hashNetwork(rules.Spec())); err != nil {
			t.Fatal(err)
		}
		for i := range len(found.Obs) / d {
			s := rules.at(found.Obs[i*d:][:d]).state
			switch _, start := rules.TurnStart(s); {
			case start:
				starts++
			case s.Phase == pig.Rolling:
				others++
			default:
				t.Fatalf("there is a target of %+v, which is neither the start of a turn nor after a move", s)
			}
		}
	}
	if starts == 0 || others == 0 {
		t.Errorf("%d targets of starts of turns, and %d of moves: this tests nothing", starts, others)
	}
}

// alike is a march of three actions that lead to the same state.
type alike struct{ testgames.March }

func (m alike) Spec() game.Spec {
	s := m.March.Spec()
	s.Actions = 3
	return s
}

func (m alike) Legal(dst []game.Action, s testgames.Mile) []game.Action {
	if int(s.At) < m.Length {
		dst = append(dst, 0, 1, 2)
	}
	return dst
}

func (m alike) Apply(s testgames.Mile, _ game.Action) (testgames.Mile, error) {
	return m.March.Apply(s, 0)
}

// TestLeavesOnce: a state that several actions lead to is evaluated once, beside the decision itself.
func TestLeavesOnce(t *testing.T) {
	e := newExpert(t, expert.NewGame[testgames.Mile](alike{testgames.March{Length: 3}}), config(expert.OneMove), 1, 0)
	e.Reset(1)
	var found denseTargets
	for _, want := range []int{2, 2, 1} { // the end of the game is known
		err := e.Search(t.Context(), &found, expert.Options{}, func(_, values, obs []float32) {
			clear(values)
			if len(obs) != want {
				t.Errorf("the network evaluates the positions %v; want %d of them", obs, want)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
