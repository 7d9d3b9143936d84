package env

import (
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/env/pig"
)

// Fans that are forgotten and listed again must be the same. It takes too long
// to come to that from outside.
func TestForget(t *testing.T) {
	r, err := pig.New(pig.Config{Players: 2, Target: 10})
	if err != nil {
		t.Fatal(err)
	}
	const most = 60
	alike := func(a, b *leaf[pig.State]) bool { return a.moved == b.moved }
	k := newKit[pig.State](r)
	x, forgets := newFans(k), newFans(k)
	forgets.most = most
	after := moved[pig.State]{r.Initial(), 0}
	listed, met := 0, map[moved[pig.State]]*fan[pig.State]{}
	for i := range 2000 {
		x.begin()
		forgets.begin()
		want, _ := x.of(after)
		got, again := forgets.of(after)
		if !slices.Equal(got.branch, want.branch) || !slices.Equal(got.move, want.move) || !slices.EqualFunc(got.leaf, want.leaf, alike) {
			t.Fatalf("search %d: from %+v\n got %+v\nwant %+v", i, after, got, want)
		}
		if twice, ok := forgets.of(after); again || !ok || twice != got {
			t.Fatalf("search %d: a fan is new %v at first, and then %v", i, !again, !ok)
		}
		if met[after] != got {
			listed++
		}
		met[after] = got
		moves := 0
		for _, f := range []map[moved[pig.State]]*fan[pig.State]{forgets.now, forgets.old} {
			for _, f := range f {
				moves += len(f.move)
			}
		}
		if moves > 2*(most+12) { // a fan has 12 moves at most
			t.Fatalf("search %d: %d moves are remembered", i, moves)
		}
		if after = got.leaf[i%len(got.leaf)].moved; r.Turn(after.state) == game.Nobody {
			after = moved[pig.State]{r.Initial(), 0}
		}
	}
	if listed <= len(met) {
		t.Errorf("%d fans were listed, of %d: none was forgotten", listed, len(met))
	}
}
