package eval_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"marsgym/eval"
)

// luce returns the win share of an agent of rating i with agents of rating k in all
// other seats.
func luce(i, k float64, players int) float64 {
	s, o := math.Pow(10, i/400), math.Pow(10, k/400)
	return s / (s + float64(players-1)*o)
}

func TestRatings(t *testing.T) {
	want := []float64{0, -120, -1200, 35}
	for players := 2; players <= 4; players++ {
		win := make([][]float64, len(want))
		for i := range win {
			for k := range want {
				win[i] = append(win[i], luce(want[i], want[k], players))
			}
		}
		got, err := eval.Ratings(win, players)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-6) {
				t.Errorf("for %d players rating %d is %v; want %v", players, i, got[i], want[i])
			}
		}
	}
}

// TestRatingsOfInconsistentShares rates shares that no strengths explain. At the
// highest likelihood the shares of each agent have the sum that the model predicts.
func TestRatingsOfInconsistentShares(t *testing.T) {
	win := [][]float64{{0, 0.5, 0.2}, {0.3, 0, 0.6}, {0.35, 0.1, 0}}
	for players := 2; players <= 4; players++ {
		r, err := eval.Ratings(win, players)
		if err != nil {
			t.Fatal(err)
		}
		for i := range win {
			surplus := 0.0
			for k := range win {
				if k != i {
					surplus += win[i][k] - luce(r[i], r[k], players)
					surplus -= win[k][i] - luce(r[k], r[i], players)
				}
			}
			if !(math.Abs(surplus) <= 1e-9) {
				t.Errorf("for %d players agent %d wins %g more than its rating predicts", players, i, surplus)
			}
		}
	}
}

func TestRatingsErrors(t *testing.T) {
	for _, test := range []struct {
		win     [][]float64
		players int
		want    string
	}{
		{[][]float64{{0.5, 1}, {0, 0.5}}, 2, "agent 0 always wins or always loses"},
		{[][]float64{{0.5, math.NaN()}, {0.5, 0.5}}, 2, "the share of agent 0 against agent 1 is NaN"},
		{[][]float64{{0.5, 0.5}, {1.5, 0.5}}, 2, "the share of agent 1 against agent 0 is 1.5"},
		{[][]float64{{0.5, 0.5}, {0.5}}, 2, "agent 1 has shares against 1 agents; want 2"},
		{[][]float64{{0.5, 0.5}, {}}, 2, "agent 1 has shares against 0 agents; want 2"},
		{[][]float64{{0.5}}, 1, "ratings for 1 players; want at least 2"},
	} {
		if _, err := eval.Ratings(test.win, test.players); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v for %d players: %v; want %q", test.win, test.players, err, test.want)
		}
	}
}

// TestIntervals compares intervals of three agents with a brute-force profile: the ratings of one
// agent on a grid, each with the best rating of the other on a finer one.
func TestIntervals(t *testing.T) {
	results := []eval.Result{{A: 0, B: 1, Share: 0.6, Games: 40}, {A: 0, B: 2, Share: 0.9, Games: 40}, {A: 1, B: 2, Share: 1, Games: 40}}
	got, err := eval.Intervals(t.Context(), []float64{0, -70, -400}, 2, results)
	if err != nil {
		t.Fatal(err)
	}
	kl := func(x, p float64) float64 {
		sum := 0.0
		if x > 0 {
			sum += x * math.Log(x/p)
		}
		if x < 1 {
			sum += (1 - x) * math.Log((1-x)/(1-p))
		}
		return sum
	}
	loss := func(r [3]float64) (sum float64) {
		for _, x := range results {
			sum += kl(x.Share, luce(r[x.A], r[x.B], 2))
		}
		return sum
	}
	const step = 4
	best, profile := math.Inf(1), [3]map[int]float64{1: {}, 2: {}}
	for x := -1200; x <= 400; x += step {
		for y := -1200; y <= 400; y += step {
			l := loss([3]float64{0, float64(x), float64(y)})
			best = min(best, l)
			for i, r := range map[int]int{1: x, 2: y} {
				if old, there := profile[i][r]; !there || l < old {
					profile[i][r] = l
				}
			}
		}
	}
	for i := 1; i < 3; i++ {
		low, high := 400, -1200
		for r, l := range profile[i] {
			if l <= best+math.Log(200)/40 { // all matches have 40 games
				low, high = min(low, r), max(high, r)
			}
		}
		if !(math.Abs(got[i].Low-float64(low)) <= 2*step && math.Abs(got[i].High-float64(high)) <= 2*step) {
			t.Errorf("agent %d has %v; want %d to %d", i, got[i], low, high)
		}
	}
	if got[0] != (eval.Interval{}) {
		t.Errorf("the first agent has %v", got[0])
	}
}

// TestIntervalCoverage: for two agents the intervals contain the rating in 99 % of all matches,
// counted exactly, whatever the number of games and the strength.
func TestIntervalCoverage(t *testing.T) {
	for _, games := range []int{1, 5, 50} {
		intervals := make([]eval.Interval, games+1)
		for won := range intervals {
			r, err := eval.Intervals(t.Context(), []float64{0, 0}, 2, []eval.Result{{A: 1, B: 0, Share: float64(won) / float64(games), Games: float64(games)}})
			if err != nil {
				t.Fatal(err)
			}
			intervals[won] = r[1]
		}
		for rating := -900.0; rating <= 900; rating += 50 {
			p, covered := luce(rating, 0, 2), 0.0
			for won, x := range intervals {
				a, _ := math.Lgamma(float64(games + 1))
				b, _ := math.Lgamma(float64(won + 1))
				c, _ := math.Lgamma(float64(games - won + 1))
				if x.Low <= rating && rating <= x.High {
					covered += math.Exp(a - b - c + float64(won)*math.Log(p) + float64(games-won)*math.Log(1-p))
				}
			}
			if !(covered >= eval.Confidence) {
				t.Errorf("%d games, rating %v: covered with probability %v", games, rating, covered)
			}
		}
	}
}

// TestIntervalOneSided: who loses all has no lower end, and the upper end falls with the number of
// games.
func TestIntervalOneSided(t *testing.T) {
	last := math.Inf(1)
	for _, games := range []float64{10, 50, 500} {
		for players := 2; players <= 4; players++ {
			r, err := eval.Intervals(t.Context(), []float64{0, -500}, players, []eval.Result{{A: 1, B: 0, Share: 0, Games: games}})
			if err != nil {
				t.Fatal(err)
			}
			worst := math.Pow(0.005, 1/games) // what others win with a probability of 0.5 % in all games
			want := 400 * math.Log10((1-worst)/worst*float64(players-1))
			if !math.IsInf(r[1].Low, -1) || !(math.Abs(r[1].High-want) <= 0.01) {
				t.Errorf("%v games for %d: %v; want below %.1f", games, players, r[1], want)
			}
			if players == 2 {
				if !(r[1].High < last) {
					t.Errorf("%v games: %v, and before below %v", games, r[1], last)
				}
				last = r[1].High
			}
		}
	}
}

// TestIntervalText: an infinite end is null in JSON, and said in words.
func TestIntervalText(t *testing.T) {
	inf := math.Inf(1)
	for x, want := range map[eval.Interval]string{
		{Low: -30.06, High: 12}: "-30.1 to 12.0", {Low: -0.03, High: 0}: "0.0 to 0.0", {Low: -inf, High: -381.2}: "below -381.2", {Low: 466, High: inf}: "above 466.0", {Low: -inf, High: inf}: "unbounded",
	} {
		if x.String() != want {
			t.Errorf("%v; want %s", x, want)
		}
	}
	b, err := json.Marshal([]eval.End{eval.End(-inf), 1.5})
	if err != nil || string(b) != "[null,1.5]" {
		t.Fatalf("%s, %v", b, err)
	}
	var ends []eval.End
	if err := json.Unmarshal(b, &ends); err != nil || !math.IsNaN(float64(ends[0])) || ends[1] != 1.5 {
		t.Errorf("%v, %v", ends, err)
	}
}
