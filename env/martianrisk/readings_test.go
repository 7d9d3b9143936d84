package martianrisk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env/martianrisk"
)

const (
	objectSentence = "The object is to eliminate all of your opponents' armies from the game through conquest."
	endingSentence = "The game ends when only one player has armies left on the map. That player wins."
	rollSentence   = "A player must roll at least a 3, therefore, in order to begin construction of any additional towers during the reinforcement phase of their turn, and must, then, fully occupy at least 2 unions in order to construct a full tower during the reinforcement phase."
	piecesSentence = "The lower section of a tower (the large piece) counts as three points, the middle section counts as two points, and the upper section counts as one point."
	splitSentence  = "place the split-off miniature tower into a region that they occupy that is adjacent to the region that the tower was originally in"
	smallSentence  = "they may place the medium piece into a region that is adjacent to the region that the tower was originally in and the small piece into a region that is adjacent to the region that they placed the medium piece in"
	bottomSentence = "Towers must be built from the bottom up and consist of one large, one medium, and one small piece."
	miniSentence   = "Miniature towers may be built upon, but only from the bottom up (so the only possibility is to place a small piece on top of a medium piece)."
)

// TestRanking tests the shares of the win at the end, each line with the sentence of the
// source that it follows from. Seat 3 holds all regions that a line does not name.
func TestRanking(t *testing.T) {
	const half = "OR:2 WA:1 CA:1 NV:1 ID:1 AZ:1 UT:1 MT:1" // eight of sixteen regions, with one army more
	const quarter = "OR:1 WA:1 CA:1 NV:1"
	const next = "ID:1 AZ:1 UT:1 MT:1"
	for _, test := range []struct {
		ranking  martianrisk.Ranking
		held     string
		want     []float64
		sentence string
	}{
		// Two are left of four, and the others get nothing.
		{martianrisk.Leader, "0 " + half, []float64{1, 0, 0, 0}, objectSentence},
		{martianrisk.Linear, "0 " + half, []float64{1, 0, 0, 0}, objectSentence},
		{martianrisk.Even, "0 " + half, []float64{.5, 0, 0, .5}, objectSentence},
		// They are equal: as many regions, and one point more each.
		{martianrisk.Leader, "0 " + half + "; 3 WY:2", []float64{.5, 0, 0, .5}, objectSentence},
		{martianrisk.Linear, "0 " + half + "; 3 WY:2", []float64{.5, 0, 0, .5}, objectSentence},
		{martianrisk.Leader, "0 " + half + "; 3 WY:1S", []float64{.5, 0, 0, .5}, objectSentence},
		{martianrisk.Leader, "0 " + half + "; 3 WY:1L", []float64{0, 0, 0, 1}, objectSentence},
		// Three are left, two of them equal.
		{martianrisk.Leader, "0 " + quarter + "; 1 " + next, []float64{0, 0, 0, 1}, objectSentence},
		{martianrisk.Linear, "0 " + quarter + "; 1 " + next, []float64{1. / 6, 1. / 6, 0, 2. / 3}, objectSentence},
		{martianrisk.Even, "0 " + quarter + "; 1 " + next, []float64{1. / 3, 1. / 3, 0, 1. / 3}, objectSentence},
		// Four are left. Regions count before armies.
		{martianrisk.Linear, "0 OR:9LMS; 1 WA:1 CA:1; 2 NV:2 ID:1", []float64{0, 1. / 6, 1. / 3, .5}, objectSentence},
		{martianrisk.Leader, "0 OR:9LMS; 1 WA:1 CA:1; 2 NV:2 ID:1", []float64{0, 0, 0, 1}, objectSentence},
		{martianrisk.Even, "0 OR:9LMS; 1 WA:1 CA:1; 2 NV:2 ID:1", []float64{.25, .25, .25, .25}, objectSentence},
		// One is left.
		{martianrisk.Leader, "3 WY:1", []float64{0, 0, 0, 1}, endingSentence},
		{martianrisk.Linear, "3 WY:1", []float64{0, 0, 0, 1}, endingSentence},
		{martianrisk.Even, "3 WY:1", []float64{0, 0, 0, 1}, endingSentence},
	} {
		r := rules(t, published(4, func(c *martianrisk.Config) { c.RegionsPerPlayer, c.Ranking, c.MaxRounds = 4, test.ranking, 1 }))
		mover := "@0" // the seat that began, and would be next at the limit
		if test.sentence == endingSentence {
			mover = "@3" // the winner
		}
		s := at(t, r, mover+" over", test.held)
		for p, ret := range r.Returns(nil, s) {
			if got := r.Spec().WinShare(ret); !(math.Abs(got-test.want[p]) <= 1e-12) {
				t.Errorf("%s, %q: seat %d gets %v, want %v; the sentence of the rules: %s", test.ranking, test.held, p, got, test.want[p], test.sentence)
			}
		}
	}
	if got := martianrisk.DefaultConfig().Ranking; got != martianrisk.Leader {
		t.Errorf("the default is %q, want %q", got, martianrisk.Leader)
	}
}

// TestShares compares the shares of 1 to 6 seats with armies, many of them tied, with
// the mean over all orders in which the seats can be ranked.
func TestShares(t *testing.T) {
	places := map[martianrisk.Ranking][][]float64{ // by ranking, seats with armies and place
		martianrisk.Leader: {1: {1}, 2: {1, 0}, 3: {1, 0, 0}, 4: {1, 0, 0, 0}, 5: {1, 0, 0, 0, 0}, 6: {1, 0, 0, 0, 0, 0}},
		martianrisk.Linear: {1: {1}, 2: {1, 0}, 3: {2. / 3, 1. / 3, 0}, 4: {3. / 6, 2. / 6, 1. / 6, 0}, 5: {.4, .3, .2, .1, 0}, 6: {5. / 15, 4. / 15, 3. / 15, 2. / 15, 1. / 15, 0}},
		martianrisk.Even:   {1: {1}, 2: {.5, .5}, 3: {1. / 3, 1. / 3, 1. / 3}, 4: {.25, .25, .25, .25}, 5: {.2, .2, .2, .2, .2}, 6: {1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}},
	}
	for ranking, share := range places {
		r := rules(t, published(6, func(c *martianrisk.Config) { c.RegionsPerPlayer, c.Ranking = 4, ranking }))
		noise := rand.New(rand.NewPCG(1, 0))
		ties := 0
		for n := 1; n <= 6; n++ {
			for range 40 {
				seats := noise.Perm(6)[:n] // those with armies
				s := martianrisk.State{Phase: martianrisk.Over, Round: 100, Mover: uint8(seats[0])}
				for i := range 24 {
					p := seats[i%n]
					if i >= 20 {
						p = seats[noise.IntN(n)]
					}
					s.Own[p] |= 1 << i
					s.Armies[i] = 1
				}
				s.Armies[0] += uint8(noise.IntN(3))
				s.Small = 1 << 1
				rank := func(p int) (k int) {
					for i := range 24 {
						if s.Own[p]>>i&1 != 0 {
							k += 1000 + int(s.Armies[i]) + int(s.Small>>i&1)
						}
					}
					return k
				}
				want, orders := make([]float64, 6), 0.0
				permute(seats, func(order []int) {
					if !slices.IsSortedFunc(order, func(p, q int) int { return rank(q) - rank(p) }) {
						return
					}
					orders++
					for place, p := range order {
						want[p] += share[n][place]
					}
				})
				if orders > 1 {
					ties++
				}
				sum := 0.0
				for p, ret := range r.Returns(nil, s) {
					got := r.Spec().WinShare(ret)
					sum += got
					if !(math.Abs(got-want[p]/orders) <= 1e-12) {
						t.Errorf("%s, %d left: seat %d gets %v, want %v, in %q", ranking, n, p, got, want[p]/orders, r.Format(s))
					}
				}
				if !(math.Abs(sum-1) <= 1e-12) {
					t.Errorf("%s, %d left: the shares sum to %v in %q", ranking, n, sum, r.Format(s))
				}
			}
		}
		if ties == 0 {
			t.Errorf("%s: no seats were equal", ranking)
		}
	}
}

// permute calls yield with all orders of a list.
func permute(list []int, yield func([]int)) {
	var from func(k int)
	from = func(k int) {
		if k == len(list) {
			yield(list)
			return
		}
		for i := k; i < len(list); i++ {
			list[k], list[i] = list[i], list[k]
			from(k + 1)
			list[k], list[i] = list[i], list[k]
		}
	}
	from(0)
}

// TestStrictRoll tests what can be built after a roll, under both readings. The unions
// are {OK OR SD} and {MT NE NM}.
func TestStrictRoll(t *testing.T) {
	const one, two = "0 OK:1 OR:1 SD:1 CA:1L", "0 OK:1 OR:1 SD:1 MT:1 NE:1 NM:1 CA:1L"
	const low = "a tower is begun with a roll of 3 or 4"
	for _, test := range []struct {
		strict   bool
		held     string
		die      int
		build    string // actions, one after the other; the last is refused if why is not ""
		why      string
		want     string // part of the notation of the result
		sentence string
	}{
		{true, "0 OR:1 CA:1L", 2, "or+", "OR needs a large piece (3 points), and you have 2 points", "reinforce 2", rollSentence},
		{true, "0 OR:1 CA:1L", 3, "or+", "", "OR:1L", rollSentence},
		{true, one, 2, "or+", low, "reinforce 3 low", rollSentence}, // a 2 and a union do not count as a 3
		{true, two, 1, "or+", low, "reinforce 3 low", rollSentence},
		{true, two, 2, "or+", low, "reinforce 4 low", rollSentence},
		{true, one, 3, "or+", "", "OR:1L", rollSentence},
		{true, one, 2, "ca+", "", "CA:1LM", piecesSentence}, // begun before
		{true, two, 1, "ca+ ca+", "", "CA:1LMS", piecesSentence},
		{true, one, 2, "or", "", "reinforce 2", rollSentence}, // no tower could be begun any more
		{true, "0 OK:1L OR:1L SD:1L CA:1L NV:1L ID:1", 2, "id+", "what is in your supply", "reinforce 3", rollSentence},
		{true, "0 OK:1L OR:1L SD:1M", 2, "wa", "not occupied by your own armies", "reinforce 3", rollSentence},
		{true, two, 4, "or+ or+ or+", "", "OR:1LMS", rollSentence},
		{true, two, 3, "or+ or+ or+", "tower pieces are placed when you reinforce", "OR:1LM", rollSentence},
		{false, one, 2, "or+", "", "OR:1L", rollSentence},
		{false, two, 1, "or+", "", "OR:1L", rollSentence},
		{false, "0 OR:1 CA:1L", 2, "or+", "OR needs a large piece (3 points), and you have 2 points", "reinforce 2", rollSentence},
	} {
		r := rules(t, published(3, func(c *martianrisk.Config) { c.StrictRoll = test.strict }))
		s := r.Outcomes(nil, at(t, r, "@0 roll", test.held))[test.die-1].State
		failed := t.Failed()
		if build := strings.Fields(test.build); test.why == "" {
			s = do(t, r, s, build...)
		} else {
			s = do(t, r, s, build[:len(build)-1]...)
			checkIllegal(t, r, s, build[len(build)-1], test.why)
		}
		if !strings.Contains(r.Format(s)+" ", " "+test.want+" ") || strings.Contains(r.Format(s), "low") != strings.Contains(test.want, "low") {
			t.Errorf("strict %v, a %d with %q, then %s: %q, want %q", test.strict, test.die, test.held, test.build, r.Format(s), test.want)
		}
		if t.Failed() && !failed {
			t.Logf("the rules say: %s", test.sentence)
		}
	}
	r := rules(t, published(3, nil))
	for head, want := range map[string]string{"reinforce 2": "low: the roll does not prevent a tower here", "reinforce 3": ""} { // "low" is written only where it matters
		text := strings.Replace(r.Format(at(t, r, "@0 "+head, one)), head, head+" low", 1)
		if _, err := r.Parse(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q returns the error %v, want %q", text, err, want)
		}
	}
	if !martianrisk.DefaultConfig().StrictRoll {
		t.Error("by default the points of unions begin towers")
	}
}

// TestMerge tests the targets of the pieces of a split tower, under all readings.
func TestMerge(t *testing.T) {
	// NV touches them all, CA touches OR and AZ, OR touches ID.
	const held = "0 NV:1LMS OR:1 CA:1L ID:1M AZ:1LM UT:1S; 1 MT:1; 2 WA:1"
	for _, test := range []struct {
		large, small bool
		splits       string // all legal splits
		split        string // one of them
		smalls       string // the legal actions for the small piece, if there is a choice
		choice       string // one of them
		want         string // parts of the notation of the result
		sentence     string
	}{
		{true, true, "nv/or nv/ca az/ca", "nv/ca", "small:or small:az stack", "stack", "NV:1L CA:1LMS", splitSentence},
		{true, true, "nv/or nv/ca az/ca", "nv/ca", "small:or small:az stack", "small:az", "NV:1L CA:1LM AZ:1LMS", smallSentence},
		{true, true, "nv/or nv/ca az/ca", "nv/ca", "small:or small:az stack", "small:or", "NV:1L CA:1LM OR:1S", smallSentence},
		{true, true, "nv/or nv/ca az/ca", "nv/or", "small:id stack", "small:id", "NV:1L OR:1M ID:1MS CA:1L", miniSentence},
		{true, true, "nv/or nv/ca az/ca", "az/ca", "", "", "AZ:1L CA:1LM NV:1LMS", bottomSentence},
		{true, false, "nv/or nv/ca az/ca", "nv/ca", "small:or small:az stack", "small:az", "NV:1L CA:1LM AZ:1LMS", smallSentence},
		{true, false, "nv/or nv/ca az/ca", "nv/or", "", "", "NV:1L OR:1MS ID:1M CA:1L", bottomSentence}, // never S on L
		{false, true, "nv/or", "nv/or", "small:id stack", "small:id", "NV:1L OR:1M ID:1MS CA:1L", miniSentence},
		{false, true, "nv/or", "nv/or", "small:id stack", "stack", "NV:1L OR:1MS ID:1M", splitSentence},
		{false, false, "nv/or", "nv/or", "", "", "NV:1L OR:1MS ID:1M CA:1L", splitSentence},
	} {
		r := rules(t, published(3, func(c *martianrisk.Config) { c.MergeLarge, c.MergeSmall = test.large, test.small }))
		t.Run(fmt.Sprintf("large=%v,small=%v,%s,%s", test.large, test.small, test.split, test.choice), func(t *testing.T) {
			s := at(t, r, "@0 fortify", held)
			if got := strings.Join(names(r, s), " "); got != test.splits+" end" {
				t.Errorf("the legal actions are %q, want %q", got, test.splits+" end")
			}
			for _, name := range []string{"nv/ca", "nv/id", "nv/az", "nv/ut", "az/ca", "az/ut"} {
				if !strings.Contains(test.splits, name) {
					checkIllegal(t, r, s, name, "has a tower on which no medium piece goes")
				}
			}
			s = do(t, r, s, test.split)
			if test.smalls != "" {
				if again, err := r.Parse(r.Format(s)); err != nil || again != s {
					t.Errorf("%q is read as %+v, %v", r.Format(s), again, err)
				}
				if got := strings.Join(names(r, s), " "); got != test.smalls {
					t.Errorf("the actions for the small piece are %q, want %q", got, test.smalls)
				}
				for _, name := range []string{"small:nv", "small:ca", "small:id", "small:az", "small:ut"} {
					if !strings.Contains(test.smalls, name) {
						checkIllegal(t, r, s, name, "where a small piece can stand")
					}
				}
				s = do(t, r, s, test.choice)
			}
			checkParts(t, r, s, append(strings.Fields(test.want), "@1 roll")...)
			if t.Failed() {
				t.Logf("the rules say: %s", test.sentence)
			}
		})
	}
	// The turn ends if no tower can be split.
	for large, want := range map[bool]string{true: "@0 fortify", false: "@1 roll"} {
		r := rules(t, published(3, func(c *martianrisk.Config) { c.MergeLarge = large }))
		s := do(t, r, at(t, r, "@0 attack", "0 NV:2LMS CA:1L; 1 OR:1"), "end")
		checkParts(t, r, s, want)
		_, err := r.Parse(strings.Replace(r.Format(at(t, r, "@0 attack", "0 NV:1L CA:2LM OR:1; 1 MT:1")), "attack", "small CA", 1))
		if (err == nil) != large || err != nil && !strings.Contains(err.Error(), "small: no medium piece was moved there") {
			t.Errorf("merge_large %v: a medium piece put on a large one returns the error %v", large, err)
		}
	}
	if c := martianrisk.DefaultConfig(); !c.MergeLarge || !c.MergeSmall {
		t.Error("by default split pieces do not go on other pieces")
	}
}

// TestReadings tests other readings of open questions of the rules.
func TestReadings(t *testing.T) {
	one := rules(t, published(3, func(c *martianrisk.Config) { c.OneAttack = true }))
	s := fight(t, one, do(t, one, at(t, one, "@0 attack", "0 NV:4LM WA:2 AZ:1; 1 CA:2"), "nv>ca"), true)
	if got := strings.Join(names(one, s), " "); got != "nv>ca end" {
		t.Errorf("with one attack a turn the legal actions are %s", got)
	}
	checkIllegal(t, one, s, "wa>or", "there is one attack a turn")
	checkParts(t, one, do(t, one, fight(t, one, do(t, one, s, "nv>ca"), true), "move:1"), "@0 fortify")

	out := rules(t, published(3, func(c *martianrisk.Config) { c.LostArmies = martianrisk.Out }))
	s = fight(t, out, do(t, out, at(t, out, "@0 attack", "0 NV:12 CA:10; 1 OR:2"), "nv>or"), false)
	s = fight(t, out, do(t, out, s, "nv>or"), true)
	checkParts(t, out, s, "lost 1 CA:10 NV:11", "lost 1 OR:1")
	s.Phase, s.Points = martianrisk.Reinforce, 4
	checkParts(t, out, do(t, out, s, "nv", "nv", "nv"), "NV:14", "@0 attack") // 24 of 25, and a point is lost

	zero := rules(t, published(3, func(c *martianrisk.Config) { c.MaxRounds = 0 }))
	if zero.Spec().MoveLimit == 0 {
		t.Error("a game without a round limit has no move limit either")
	}
}
