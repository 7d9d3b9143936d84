package env_test

import (
	"math"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/internal/testgames"
	"marsgym/env/martiandice"
)

// written are rules that decisions can be compared with.
type written[S comparable] interface {
	game.Rules[S]
	game.Notation[S]
}

func TestDecisions(t *testing.T) {
	t.Run("pig", func(t *testing.T) { decide(t, testgames.NewPig(t, 3, 20)) })
	t.Run("martian dice", func(t *testing.T) { decide(t, testgames.NewMartianDice(t, 3, 13, 10)) })
}

// decide plays, and compares decisions about some rows with what the buffers
// show of them, and the options with what the rules make of each legal action.
func decide[S comparable](t *testing.T, r written[S]) {
	spec := r.Spec()
	d, n := spec.ObsLen(), spec.Actions
	b := env.NewVec(r, 6, 0)
	b.Reset(4)
	rows := []int{4, 0, 5}
	var after env.Afterstates
	relabelled := false
	for range 200 {
		buf := b.Buffers()
		all := b.Decisions(nil)
		if all.Len() != b.Len() || !slices.Equal(all.Obs(), buf.Obs) || !slices.Equal(all.Mask(), buf.Mask) {
			t.Fatal("decisions about all rows are not what the buffers show")
		}
		b.Afterstates(&after)
		checkAfterstates(t, r, all, &after)
		checkAfterstates(t, r, all, all.Afterstates())
		var texts []string
		for _, i := range rows {
			texts = append(texts, all.Position(i).String())
		}
		some := b.Decisions(rows)
		if some.Len() != len(rows) {
			t.Fatalf("%d decisions about %d rows", some.Len(), len(rows))
		}
		for k, i := range rows {
			if got := some.Position(k).String(); got != texts[k] {
				t.Errorf("row %d stands at %s, want %s", i, got, texts[k])
			}
			if !slices.Equal(some.Obs()[k*d:][:d], buf.Obs[i*d:][:d]) || !slices.Equal(some.Mask()[k*n:][:n], buf.Mask[i*n:][:n]) {
				t.Errorf("row %d is shown differently among some rows", i)
			}
			relabelled = relabelled || some.Relabel(k) != nil
		}
		checkAfterstates(t, r, some, some.Afterstates())
		act(b)
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := r.(game.Symmetry[S]); relabelled != ok {
		t.Errorf("actions relabelled: %v; symmetry: %v", relabelled, ok)
	}
}

// checkAfterstates compares options with the rules, action by action.
func checkAfterstates[S comparable](t *testing.T, r written[S], d env.Decisions, got *env.Afterstates) {
	t.Helper()
	canonical := func(s S) (S, []game.Action) {
		if y, ok := r.(game.Symmetry[S]); ok {
			return y.Canonical(s)
		}
		return s, nil
	}
	var obs []float32
	var acts []game.Action
	start := []int{0}
	row := make([]float32, r.Spec().ObsLen())
	for i := range d.Len() {
		s, err := r.Parse(d.Position(i).String())
		if err != nil {
			t.Fatal(err)
		}
		c, label := canonical(s)
		if !slices.Equal(label, d.Relabel(i)) {
			t.Fatalf("the actions of %s are relabelled %v, want %v", r.Format(s), d.Relabel(i), label)
		}
		for _, a := range r.Legal(nil, c) {
			after, err := r.Apply(c, a)
			if err != nil {
				t.Fatal(err)
			}
			after, _ = canonical(after)
			r.Encode(row, after, r.CurrentPlayer(s))
			obs, acts = append(obs, row...), append(acts, a)
		}
		start = append(start, len(acts))
	}
	if !slices.Equal(got.Obs, obs) || !slices.Equal(got.Action, acts) || !slices.Equal(got.Start, start) {
		t.Fatalf("options are %v from %v, want %v from %v, or they look otherwise", got.Action, got.Start, acts, start)
	}
}

// Ask answers in the actions of the position at hand.
func TestAsk(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 5, 4))
	sol, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"0-0@0 roll R1C1K3", "0-0@0 aside C1 roll R1H1K2", "0-0@0 aside K2 roll R1H1C1", "0-3@1 aside T1K1", "3-1@1 aside H1K2 roll R1C1",
	} {
		p, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		options, err := sol.Options(p)
		if err != nil {
			t.Fatal(err)
		}
		probs, err := env.ActionProbabilities(t.Context(), sol.Policy(), p, g.Spec().Actions)
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for k, a := range p.Legal() {
			got += probs[a] * (options[k] + 1) // which is above zero
		}
		if want := slices.Max(options) + 1; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("at %s best play is %v, where options are worth %v", text, probs, options)
		}
	}
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func TestDraw(t *testing.T) {
	b := env.NewGame(testgames.NewPig(t, 2, 20)).NewBatch(1, 0)
	b.Reset(1)
	probs := []float64{0, 0.25, 0, 0.75, 0}
	const n = 100_000
	var count [5]int
	for range n {
		count[env.SampleAction(probs, &b.Buffers().Noise[0])]++
	}
	for a, p := range probs {
		// Six standard deviations.
		if got := float64(count[a]) / n; !(math.Abs(got-p) <= 6*math.Sqrt(p*(1-p)/n)) {
			t.Errorf("action %d was drawn %v of the time, want %v", a, got, p)
		}
	}
}

func TestPosition(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 13, 25))
	start := g.Initial()
	if start.String() != "0-0@0" || start.CurrentPlayer() != game.Chance || start.Legal() != nil {
		t.Errorf("the game begins at %s, with %v to act", start, start.CurrentPlayer())
	}
	sum := 0.0
	for _, o := range start.Outcomes() {
		sum += o.Prob
	}
	if !(math.Abs(sum-1) <= 1e-12) {
		t.Errorf("the outcomes have probability %v", sum)
	}
	p, err := g.Parse("13-17@1 aside T3R2H4")
	if err != nil {
		t.Fatal(err)
	}
	if p.CurrentPlayer() != 1 || !slices.Equal(p.Legal(), []game.Action{martiandice.Roll, martiandice.Stop}) || p.Outcomes() != nil {
		t.Errorf("%s is for %v to decide between %v", p, p.CurrentPlayer(), p.Legal())
	}
	after, err := p.Apply(martiandice.Roll)
	if err != nil || after.String() != "13-17@1 aside T3R2H4 rolling" {
		t.Errorf("rolling leads to %v, %v", after, err)
	}
	if _, err := p.Apply(martiandice.Rays); err == nil {
		t.Error("an illegal action is applied")
	}
	if p.DescribeAction(martiandice.Roll) != "roll 4 dice" || p.Render() == p.String() {
		t.Errorf("rolling is explained as %q in\n%s", p.DescribeAction(martiandice.Roll), p.Render())
	}
	over, err := g.Parse("27-28 over 1")
	if err != nil || over.CurrentPlayer() != game.Terminal || !slices.Equal(over.Returns(), []float64{-1, 1}) {
		t.Errorf("%v, won by seat 1, pays %v, %v", over, over.Returns(), err)
	}
	if _, err := g.Parse("13"); err == nil {
		t.Error("a position that is none is read")
	}
	bare := env.NewGame(testgames.Coin{})
	if _, err := bare.Parse("0"); err == nil {
		t.Error("a game without notation reads a position")
	}
	if p := bare.Initial(); p.Render() != p.String() || p.DescribeAction(0) != "" || bare.ActionName(1) != "1" {
		t.Errorf("a game without a guide draws %q", p.Render())
	}
}

func TestPlayers(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 13, 25))
	if got := g.BotNames(); got[0] != "random" || !slices.Contains(got, "greedy") {
		t.Errorf("players are %v", got)
	}
	if _, err := g.Bot("nobody"); err == nil {
		t.Error("there is a player named nobody")
	}
	p, err := g.Bot("random")
	if err != nil {
		t.Fatal(err)
	}
	at, err := g.Parse("0-0@0 aside T2 roll R3H4C4")
	if err != nil {
		t.Fatal(err)
	}
	probs, err := env.ActionProbabilities(t.Context(), p, at, g.Spec().Actions)
	if want := []float64{1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0, 0}; err != nil || !slices.Equal(probs, want) {
		t.Errorf("at random: %v, %v; want %v", probs, err, want)
	}
}
