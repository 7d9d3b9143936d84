// In package expert for what is drawn on either side of a limit.
package expert

import (
	"math"
	"math/rand/v2"
	"testing"

	"marsgym/env/pig"
	"marsgym/internal/core"
	"marsgym/internal/test/dice"
)

// below is the number that precedes u among those that are drawn.
func below(u float64) float64 { return u - 0x1p-53 }

// TestChoose: a random option is taken if the number drawn is below the rate; with a rate of 0 none
// is drawn.
func TestChoose(t *testing.T) {
	e := &searcher[pig.State]{}
	values := []float64{0, 3, 1, 2}
	if got := e.choose(values, 0, nil); got != 1 {
		t.Errorf("the best option is %d; want 1", got)
	}
	if got := e.choose([]float64{math.NaN(), math.NaN()}, 0, nil); got != 0 {
		t.Errorf("without a number the best option is %d; want 0", got)
	}
	if got := e.choose(values, 0.25, dice.At(0.25)); got != 1 {
		t.Errorf("with the number 0.25 and a rate of 0.25 option %d is taken; want 1", got)
	}
	r := dice.At(below(0.25))
	next := *r
	next.Uint64()
	want := int(core.Uniform(&next) * 4)
	if got := e.choose(values, 0.25, r); got != want || want == 1 {
		t.Errorf("with a number below the rate option %d is taken; want %d, and not the best", got, want)
	}
}

func TestExplorationRate(t *testing.T) {
	e := &searcher[pig.State]{cfg: Config{ExplorationFraction: 0.25, ExplorationRate: 0.125}}
	for _, test := range []struct {
		u      float64
		random bool
		want   float64
	}{{below(0.25), false, 0.125}, {0.25, false, 0}, {below(0.25), true, 1}, {0.25, true, 1}} {
		r := dice.At(test.u)
		if got := e.explorationRate(Options{RandomPlay: test.random}, r); got != test.want {
			t.Errorf("with %v and random play %v the rate is %v; want %v", test.u, test.random, got, test.want)
		}
		after := dice.At(test.u)
		if after.Uint64(); *r != *after {
			t.Errorf("with random play %v not one number is drawn", test.random)
		}
	}
}

func TestSampleSoftmax(t *testing.T) {
	for _, test := range []struct {
		scores []float32
		u      float64
		want   int
	}{
		{[]float32{0, 0}, 0, 0}, {[]float32{0, 0}, below(0.5), 0}, {[]float32{0, 0}, 0.5, 1}, {[]float32{0, 0}, below(1), 1},
		{[]float32{1000, 0}, below(1), 0}, {[]float32{0, 1000}, 0, 1}, {[]float32{0, 1000}, 0x1p-53, 1},
		{[]float32{float32(math.Log(3)), 0}, 0.74, 0}, {[]float32{float32(math.Log(3)), 0}, 0.76, 1},
	} {
		if got := sampleSoftmax(test.scores, dice.At(test.u)); got != test.want {
			t.Errorf("of the scores %v, %v draws %d; want %d", test.scores, test.u, got, test.want)
		}
	}
}

// TestArchive fills the archive of the second of two rows, and more.
func TestArchive(t *testing.T) {
	x := newArchive[pig.State](2)
	for k := range ArchiveSize + 3 {
		if got, want := x.len(1), min(k, ArchiveSize); got != want {
			t.Fatalf("after %d positions it has %d; want %d", k, got, want)
		}
		x.add(1, &pig.State{Score: [10]uint8{uint8(k % 200)}, Total: uint8(k / 200)}, float64(k%100))
	}
	if x.len(0) != 0 {
		t.Errorf("the other row has %d positions", x.len(0))
	}
	for k, number := range map[int]int{0: ArchiveSize, 2: ArchiveSize + 2, 3: 3, ArchiveSize - 1: ArchiveSize - 1} {
		s, err := x.state(1, k)
		if want := (pig.State{Score: [10]uint8{uint8(number % 200)}, Total: uint8(number / 200)}); err != nil || s != want || x.difference(1, k) != float32(number%100) {
			t.Errorf("position %d is %+v with the difference %v, %v; want %+v with %v", k, s, x.difference(1, k), err, want, number%100)
		}
	}
	for _, want := range []int{99, 199, 98} { // of equal differences the first
		if got := x.takeWorst(1); got != want || x.difference(1, got) != 0 {
			t.Errorf("the worst position is %d, and has the difference %v then; want %d and 0", got, x.difference(1, got), want)
		}
	}
	x.reset()
	if x.len(1) != 0 || x.difference(1, 3) != 0 {
		t.Errorf("after a reset row 1 has %d positions", x.len(1))
	}
}

// sampledPig samples one start, which no game reaches.
type sampledPig struct{ *pig.Rules }

var sampledStart = pig.State{Score: [10]uint8{17, 17}}

func (sampledPig) SampleStart(*rand.PCG) pig.State { return sampledStart }

// TestDrawStart draws starts with numbers on the limits between the kinds, and just below them.
func TestDrawStart(t *testing.T) {
	archived := pig.State{Score: [10]uint8{16, 16}, Total: 2}
	rules := core.New[pig.State](sampledPig{newPig(t, 20)})
	cfg := Config{Depth: OneMove, Starts: Starts{Sample: 0.25, Walk: 0.25, Archive: 0.25, Disagree: 0.125}}
	for _, test := range []struct {
		u    float64
		want string
	}{
		{0, "sample"}, {below(0.25), "sample"}, {0.25, "walk"}, {below(0.5), "walk"}, {0.5, "archive"}, {below(0.75), "archive"},
		{0.75, "disagree"}, {below(0.875), "disagree"}, {0.875, "none"}, {below(1), "none"},
	} {
		for _, filled := range []bool{true, false} {
			e, err := newSearcher(rules, cfg, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			if filled {
				e.archive.add(0, &archived, 1)
			}
			e.dice[0] = *dice.At(test.u)
			got := "none"
			if s, ok := e.drawStart(0); ok {
				switch {
				case s == sampledStart:
					got = "sample"
				case s == archived && e.archive.difference(0, 0) == 0:
					got = "disagree"
				case s.Score[0] >= 16 && s.Score[1] >= 16 && s != archived && e.archive.difference(0, 0) == 1: // play goes on from it
					got = "archive"
				case s.Score[0] < 16 || s.Score[1] < 16:
					got = "walk"
				default:
					t.Errorf("the start is %+v", s)
				}
			}
			want := test.want
			if !filled && (want == "archive" || want == "disagree") {
				want = "none"
			}
			if got != want {
				t.Errorf("with %v and an archive that is filled: %v, the start is of the kind %s; want %s", test.u, filled, got, want)
			}
		}
	}
	e, err := newSearcher(rules, Config{Depth: OneMove}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	e.dice[0] = *dice.At(0)
	if _, ok := e.drawStart(0); ok || e.dice[0] != *dice.At(0) {
		t.Error("without starts one is drawn, or a number is")
	}
}

// TestWalk: each of the positions of a game is equally likely. In Pig to 2 points a game has another
// one after each 1 that is rolled, and in every second of them seat 1 moves.
func TestWalk(t *testing.T) {
	const draws = 10_000
	e, err := newSearcher(core.New[pig.State](newPig(t, 2)), Config{Depth: OneMove}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, r := 0.0, rand.NewPCG(1, 0)
	for range draws {
		second += float64(e.walk(r).Seat) / draws
	}
	want := 0.0
	for n := 1; n < 20; n++ { // positions
		want += 5 * math.Pow(6, float64(-n)) * float64(n/2) / float64(n)
	}
	if !(math.Abs(second-want) <= 4*math.Sqrt(want*(1-want)/draws)) { // four standard deviations
		t.Errorf("seat 1 moves in %v of the positions; want %v", second, want)
	}
}

// newPig returns Pig for two. Package testgames would import this one.
func newPig(t *testing.T, target int) *pig.Rules {
	t.Helper()
	r, err := pig.New(pig.Config{Players: 2, Target: target})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
