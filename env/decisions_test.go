package env_test

import (
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// notated are rules whose positions have a written form.
type notated[S comparable] interface {
	game.Rules[S]
	game.Presenter[S]
}

func TestDecisions(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkDecisions(t, testgames.NewPig(t, 3, 20)) })
	t.Run("martian dice", func(t *testing.T) { checkDecisions(t, testgames.NewMartianDice(t, 3, 13, 10)) })
}

// checkDecisions plays at random. It compares the decisions of some rows with the
// buffers, and their afterstates with the rules.
func checkDecisions[S comparable](t *testing.T, r notated[S]) {
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
			t.Fatal("the decisions of all rows differ from the buffers")
		}
		checkSparse(t, r, all)
		b.Afterstates(&after)
		checkAfterstates(t, r, all, &after)
		checkAfterstates(t, r, all, all.Afterstates())
		var texts []string
		for _, i := range rows {
			texts = append(texts, all.Position(i).String())
		}
		some := b.Decisions(rows)
		if some.Len() != len(rows) {
			t.Fatalf("%d decisions of %d rows", some.Len(), len(rows))
		}
		for k, i := range rows {
			if got := some.Position(k).String(); got != texts[k] {
				t.Errorf("row %d is in position %s, want %s", i, got, texts[k])
			}
			if !slices.Equal(some.Obs()[k*d:][:d], buf.Obs[i*d:][:d]) || !slices.Equal(some.Mask()[k*n:][:n], buf.Mask[i*n:][:n]) {
				t.Errorf("row %d has another observation or mask among some rows", i)
			}
			relabelled = relabelled || some.Relabel(k) != nil
		}
		checkSparse(t, r, some)
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

// checkSparse compares observations given as lists with the whole ones.
func checkSparse[S comparable](t *testing.T, r notated[S], d env.Decisions) {
	t.Helper()
	if _, ok := r.(game.SparseEncoder[S]); d.Sparse() != ok {
		t.Fatalf("lists of observations: %v; want %v", d.Sparse(), ok)
	} else if !ok {
		return
	}
	n := r.Spec().ObsLen()
	for i := range d.Len() {
		obs := make([]float32, n)
		for _, x := range d.AppendSparse(nil, i) {
			obs[x.Index] = x.Value
		}
		if !slices.Equal(obs, d.Obs()[i*n:][:n]) {
			t.Fatalf("the list of observation %d differs from it", i)
		}
	}
}

// checkAfterstates compares afterstates with the rules, action by action.
func checkAfterstates[S comparable](t *testing.T, r notated[S], d env.Decisions, got *env.Afterstates) {
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
		t.Fatalf("the options are %v from %v, want %v from %v, or their observations differ", got.Action, got.Start, acts, start)
	}
}
