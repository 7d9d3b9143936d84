package env_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
)

// ply searches one ply as the contract reads.
type ply[S comparable] struct {
	rules searchable[S]
	value func(dst, obs []float32)
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

// leaf is what a state is worth to each seat as a viewer sees it.
func (o ply[S]) leaf(s S, viewer game.Player) []float64 {
	if o.rules.Turn(s) == game.Nobody {
		return o.rules.Returns(nil, s)
	}
	seen := make([]float32, o.rules.Spec().Players)
	o.value(seen, o.see(s, viewer))
	v := make([]float64, len(seen))
	for j, x := range seen {
		v[(j+int(viewer))%len(v)] = float64(x)
	}
	return v
}

// next is what a state is worth in which the dice lie.
func (o ply[S]) next(s S, last game.Player) (best []float64) {
	who := o.rules.Turn(s)
	if who < 0 {
		return o.leaf(s, last)
	}
	for _, a := range o.rules.Legal(nil, s) {
		if v := o.leaf(o.after(s, a), who); best == nil || v[who] > best[who]+game.Tie {
			best = v
		}
	}
	return best
}

// worth is what a state just after a move of who is worth.
func (o ply[S]) worth(s S, who game.Player) []float64 {
	if o.rules.Turn(s) != game.Chance {
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

// row plays a row for a number of searches.
func (o ply[S]) row(cfg env.ExpertConfig, seed, row uint64, searches int) []env.Lessons {
	list := make([]env.Lessons, searches)
	dice := rand.NewPCG(seed, row)
	chance := func() float64 { return float64(dice.Uint64()>>11) / (1 << 53) }
	settle := func(s S) S {
		for o.rules.Turn(s) == game.Chance {
			s = o.rules.Sample(s, dice)
		}
		return canonical(o.rules, s)
	}
	s, moves := settle(o.rules.Initial()), 0
	for i := range list {
		l := &list[i]
		who, legal := o.rules.Turn(s), o.rules.Legal(nil, s)
		l.Decisions, l.Start = 1, []int32{0}
		var worth []float64
		best := 0
		for k, a := range legal {
			after := o.after(s, a)
			v := o.worth(after, who)
			worth = append(worth, v[who])
			if v[who] > worth[best]+game.Tie {
				best = k
			}
			if o.rules.Turn(after) != game.Nobody {
				l.Obs = append(l.Obs, o.see(after, who)...)
				for j := range v {
					l.Value = append(l.Value, float32(v[(j+int(who))%len(v)]))
				}
			}
		}
		if len(legal) > 1 && slices.Max(worth) > slices.Min(worth)+game.Tie {
			l.Seen = o.see(s, who)
			for k, a := range legal {
				l.Action, l.Worth = append(l.Action, a), append(l.Worth, float32(worth[k]))
				l.After = append(l.After, o.see(o.after(s, a), who)...)
			}
			l.Start = append(l.Start, int32(len(legal)))
		}
		if len(legal) > 1 && chance() < cfg.Strays && chance() < cfg.Stray {
			best = int(chance() * float64(len(legal)))
		}
		s, moves = settle(o.after(s, legal[best])), moves+1
		if limit := o.rules.Spec().MoveLimit; o.rules.Turn(s) == game.Nobody || limit > 0 && moves == limit {
			l.Games++
			s, moves = settle(o.rules.Initial()), 0
		}
	}
	return list
}

// recursed compares lessons of one ply, and the games played, with plain
// recursion.
func recursed[S comparable](t *testing.T, rules searchable[S]) {
	value := hashed(rules.Spec())
	compare(t, env.Of[S](rules), search(env.OnePly), func(seed, row uint64, searches int) []env.Lessons {
		return ply[S]{rules, value}.row(search(env.OnePly), seed, row, searches)
	})
}

// compare compares an expert with the lessons of its rows.
func compare(t *testing.T, g env.Game, cfg env.ExpertConfig, row func(seed, row uint64, searches int) []env.Lessons) {
	const rows, first, searches, seed = 3, 5, 80, 11
	want := make([]env.Lessons, searches)
	for i := range uint64(rows) {
		for k, l := range row(seed, first+i, searches) {
			join(&want[k], l)
		}
	}
	e := newExpert(t, g, cfg, rows, first)
	e.Reset(seed)
	var got env.Lessons
	games := 0
	for k := range want {
		e.Search(&got, env.Manner{}, hashed(g.Spec()))
		if !alike(got, want[k], 1e-6) {
			t.Fatalf("search %d:\n got %+v\nwant %+v", k, got, want[k])
		}
		games += got.Games
	}
	if games == 0 {
		t.Error("no game has ended: this tests nothing")
	}
}

func TestOnePly(t *testing.T) {
	t.Run("pig", func(t *testing.T) { recursed(t, newPig(t, 2, 12)) })
	t.Run("pig for three", func(t *testing.T) { recursed(t, newPig(t, 3, 10)) })
	t.Run("pig for four, limited", func(t *testing.T) { recursed(t, limited{newPig(t, 4, 100), 7}) })
	t.Run("martian dice", func(t *testing.T) { recursed(t, newMartianDice(t, 2, 5, 3)) })
	t.Run("martian dice, shared", func(t *testing.T) { recursed(t, shared(t, 2, 4, 3)) })
	t.Run("martian dice for three", func(t *testing.T) { recursed(t, newMartianDice(t, 3, 3, 2)) })
	t.Run("martian dice for four", func(t *testing.T) { recursed(t, newMartianDice(t, 4, 4, 2)) })
	t.Run("martian dice, limited", func(t *testing.T) { recursed(t, cut{newMartianDice(t, 2, 5, 100), 9}) })
}

// TestJoined: searches one after the other are those of single moves, but that
// with λ = 1 a state just after a move is worth what the next search says, where
// the play went on to the best.
func TestJoined(t *testing.T) {
	g, err := catalog.Open("martian-dice", 3, []byte(`{"dice": 4, "target": 5}`))
	if err != nil {
		t.Fatal(err)
	}
	value, p := hashed(g.Spec()), g.Spec().Players
	cfg := search(env.OnePly)
	single := newExpert(t, g, cfg, 1, 0)
	cfg.Moves = 6
	apart, joined := newExpert(t, g, cfg, 1, 0), newExpert(t, g, cfg, 1, 0)
	for _, e := range []env.Expert{single, apart, joined} {
		e.Reset(1)
	}
	moved := 0
	for range 50 {
		var one, want, all, got env.Lessons
		var from []int // the first value of each move in want
		for range cfg.Moves {
			single.Search(&one, env.Manner{}, value)
			from = append(from, len(want.Value))
			join(&want, one)
		}
		apart.Search(&all, env.Manner{}, value)
		if !alike(all, want, 0) {
			t.Fatalf("%d moves in one search:\n got %+v\nwant %+v", cfg.Moves, all, want)
		}
		joined.Search(&got, env.Manner{Lambda: 1}, value)
		for i := range from {
			to := len(want.Value)
			if i+1 < len(from) {
				to = from[i+1]
			}
			for at := from[i]; at < to; at += p {
				now := sorted(got.Value[at : at+p])
				if slices.Equal(now, sorted(want.Value[at:at+p])) {
					continue
				}
				moved++
				known := slices.Equal(now, []float32{-0.5, -0.5, 1}) || slices.Equal(now, []float32{-0.5, 0.25, 0.25}) || slices.Equal(now, []float32{0, 0, 0})
				for k := to; k < len(got.Value); k += p {
					known = known || slices.Equal(now, sorted(got.Value[k:k+p]))
				}
				if !known || i+1 == len(from) {
					t.Fatalf("move %d: %v has become %v, which no later one has, nor an end", i, want.Value[at:at+p], got.Value[at:at+p])
				}
			}
		}
	}
	if moved < 50 {
		t.Errorf("%d values have changed", moved)
	}
}

func sorted(x []float32) []float32 { return slices.Sorted(slices.Values(x)) }
