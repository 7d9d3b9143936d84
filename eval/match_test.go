package eval_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/record"
	"marsgym/eval"
	"marsgym/internal/test/fulltest"
	"marsgym/internal/test/testgames"
)

// failing is a policy that returns an error.
type failing struct{}

var errFailing = errors.New("cannot play")

func (failing) Probs([]float64, env.Decisions) error { return errFailing }

// always is a policy that takes one action, legal or not.
type always struct{ a game.Action }

func (p always) Probs(dst []float64, d env.Decisions) error {
	clear(dst)
	for i := range d.Len() {
		dst[i*len(dst)/d.Len()+int(p.a)] = 1
	}
	return nil
}

// TestMatchRepeats: the result of a match depends on its seed and not on the number of
// cores.
func TestMatchRepeats(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 4, reducedDice)
	random := bot(t, g, "random")
	seats := []*agents.Agent{random, bot(t, g, "greedy"), random, random}
	play := func(cores int, seed uint64) eval.Match {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		m, err := eval.PlayDuplicate(t.Context(), g, seats, 5001, seed, nil) // some rows play one game more than others
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	want := play(1, 1)
	for _, cores := range []int{1, 2, 7} {
		if got := play(cores, 1); !reflect.DeepEqual(got, want) {
			t.Errorf("on %d cores %+v, on one %+v", cores, got, want)
		}
	}
	if got := play(2, 2); reflect.DeepEqual(got.Win, want.Win) {
		t.Errorf("seeds 1 and 2 both give %v", got.Win)
	}
	near(t, "the sum of shares", want.Win[0]+want.Win[1]+want.Win[2]+want.Win[3], 1, 1e-12)
}

// TestMatchContainsExact: the interval of 20,000 games contains the exact value of the
// published game.
func TestMatchContainsExact(t *testing.T) {
	fulltest.Gate(t)
	r := published(t)
	exact := pair(t, r.evaluator, r.greedy, r.exact)
	if !(exact.WinFirst < first && exact.WinSecond < second) {
		t.Errorf("greedy wins %g and %g; best play %g and %g", exact.WinFirst, exact.WinSecond, first, second)
	}
	m, err := eval.PlayDuplicate(t.Context(), r.game, []*agents.Agent{r.greedy, r.exact}, 20_000, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(m.Low[0] <= exact.Win && exact.Win <= m.High[0]) {
		t.Errorf("greedy wins %.6f, and in a match %.6f to %.6f", exact.Win, m.Low[0], m.High[0])
	}
	if m.High[0]-m.Low[0] > 0.02 {
		t.Errorf("the interval %.6f to %.6f of 20,000 games is too wide", m.Low[0], m.High[0])
	}
}

// TestCoverage: about one interval in a hundred misses the exact value.
func TestCoverage(t *testing.T) {
	fulltest.Gate(t)
	if testing.Short() {
		t.Skip("plays 90,000 games")
	}
	r := reduced(t, 3)
	entrants := []*agents.Agent{r.greedy, r.random, r.exact}
	exact, err := r.evaluator.Multiplayer(t.Context(), entrants)
	if err != nil {
		t.Fatal(err)
	}
	const matches = 300
	missed := 0
	for seed := range uint64(matches) {
		m, err := eval.PlayDuplicate(t.Context(), r.game, entrants, 300, seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !(m.Low[0] <= exact.Mean && exact.Mean <= m.High[0]) {
			missed++
		}
	}
	// 3 are expected; 11 or more have a probability of 3 in 10,000.
	if missed == 0 || missed > 10 {
		t.Errorf("%d of %d intervals miss the exact value", missed, matches)
	}
}

// TestDuplicate: if the agents have the same policy, each set ends with equal shares;
// if they differ, the variance is still below that of independent games.
func TestDuplicate(t *testing.T) {
	r := newTestGame(t, "martian-dice", 3, `{"dice": 4, "target": 6}`)
	same := []*agents.Agent{r.random, {Name: "random 2", Policy: r.random.Policy}, {Name: "random 3", Policy: r.random.Policy}}
	m, err := eval.PlayDuplicate(t.Context(), r.game, same, 300, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range m.Win {
		near(t, "the share of "+m.Seats[i], w, 1.0/3, 1e-6)
		if !(m.Low[i] < 0.32 && 0.35 < m.High[i]) {
			t.Errorf("100 equal sets give the interval %g to %g", m.Low[i], m.High[i])
		}
	}
	m, err = eval.PlayDuplicate(t.Context(), r.game, []*agents.Agent{r.greedy, r.exact, r.exact}, most(30_000, 900), 1, nil)
	if err != nil || !(m.VarianceReduction > 1.5) {
		t.Errorf("the variance is reduced by a factor of %g, %v", m.VarianceReduction, err)
	}
}

// TestEverySeat: every agent sits in every seat equally often.
func TestEverySeat(t *testing.T) {
	r, games := reduced(t, 3), most(10_000, 1000)
	entrants := []*agents.Agent{r.exact, r.random, r.greedy}
	want := make([]float64, 3)
	for k := range entrants {
		win, err := r.evaluator.WinShares(t.Context(), []*agents.Agent{entrants[k], entrants[(k+1)%3], entrants[(k+2)%3]})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range win {
			want[(k+i)%3] += x / 3
		}
	}
	last := 0.0
	m, err := eval.PlayDuplicate(t.Context(), r.game, entrants, games, 1, func(done float64) { last = done })
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"exact", "random", "greedy"} {
		if m.Seats[i] != name || !(m.Low[i] <= want[i] && want[i] <= m.High[i]) {
			t.Errorf("%s wins %g, and in a match %s wins %g to %g", name, want[i], m.Seats[i], m.Low[i], m.High[i])
		}
	}
	if m.Games != games+2 || m.Method != "match" || m.Seed != 1 {
		t.Errorf("the match is %+v; want %d games, a multiple of three", m, games+2)
	}
	if last != 1 {
		t.Errorf("the last progress is %g, want 1", last)
	}
	again, err := eval.PlayDuplicate(t.Context(), r.game, entrants, games, 1, nil)
	if err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// TestEqualSets: sets that all have one result reduce the variance by no number, although their
// mean is rounded.
func TestEqualSets(t *testing.T) {
	g := reduced(t, 3)
	for _, games := range []int{30, 300, 3000} {
		m, err := eval.PlayDuplicate(t.Context(), g.game, []*agents.Agent{g.greedy, g.greedy, g.greedy}, games, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.VarianceReduction != 0 {
			t.Errorf("%d games: %v", games, m.VarianceReduction)
		}
	}
}

// TestTruncated: games that the move limit truncates are won by nobody.
func TestTruncated(t *testing.T) {
	g := testgames.Open(t, "pig", 2, `{"target": 250}`)
	reckless := &agents.Agent{Name: "reckless", Policy: always{0}} // never holds
	m, err := eval.PlayDuplicate(t.Context(), g, []*agents.Agent{reckless, reckless}, 3, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Games != 4 || m.Truncated != 4 || m.Win[0] != 0 || m.Win[1] != 0 {
		t.Errorf("the match is %+v; want only truncated games", m)
	}
}

func TestMatchErrors(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 2, reducedDice)
	greedy := bot(t, g, "greedy")
	two := []*agents.Agent{greedy, greedy}
	play := func(seats []*agents.Agent, games int) error {
		_, err := eval.PlayDuplicate(t.Context(), g, seats, games, 1, nil)
		return err
	}
	for _, test := range []struct {
		seats []*agents.Agent
		games int
		want  string
	}{{two[:1], 10, "1 agents in a game for 2 players"}, {nil, 10, "0 agents in a game for 2 players"}, {two, 0, "a match of 0 games; want 1 to 10000000"}} {
		if err := play(test.seats, test.games); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d games of %d agents: %v; want %q", test.games, len(test.seats), err, test.want)
		}
	}
	if err := play([]*agents.Agent{greedy, {Name: "broken", Policy: failing{}}}, 10); !errors.Is(err, errFailing) || !strings.Contains(err.Error(), "broken") {
		t.Errorf("an agent that fails: %v", err)
	}
	var row *env.RowError
	if err := play([]*agents.Agent{greedy, {Name: "cheat", Policy: always{5}}}, 10); !errors.Is(err, game.ErrIllegalAction) || !errors.As(err, &row) {
		t.Errorf("an illegal action: %v", err)
	}
	alone := testgames.Open(t, "martian-dice", 1, reducedDice)
	if _, err := eval.PlayDuplicate(t.Context(), alone, two[:1], 10, 1, nil); err == nil || !strings.Contains(err.Error(), "counts turns") {
		t.Errorf("a match of solitaire: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eval.PlayDuplicate(ctx, g, two, 10, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestProgress: half of the way through a match of games that are equally long, about half
// of them are over.
func TestProgress(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	g := testgames.Open(t, "martian-risk-tiny", 2, "{}")
	var done []float64
	if _, err := eval.PlayDuplicate(t.Context(), g, []*agents.Agent{bot(t, g, "random"), bot(t, g, "greedy")}, 1000, 1, func(x float64) { done = append(done, x) }); err != nil {
		t.Fatal(err)
	}
	if half := done[len(done)/2]; half < 0.3 || half > 0.7 {
		t.Errorf("half of the way through, %v is done", half)
	}
}

// TestRecord: the recorded games of a match are those that were played, in all seats, and
// can be read again.
func TestRecord(t *testing.T) {
	for _, tt := range []struct {
		id, config string
		players    int
	}{{"martian-dice", reducedDice, 3}, {"pig", `{"target": 20}`, 2}, {"mars-is-ours-fast", `{}`, 2}} {
		g := testgames.Open(t, tt.id, tt.players, tt.config)
		entrants := []*agents.Agent{bot(t, g, "greedy")}
		for len(entrants) < tt.players {
			entrants = append(entrants, bot(t, g, "random"))
		}
		var text bytes.Buffer
		m, err := eval.RecordDuplicate(t.Context(), nil, g, entrants, 60, 3, nil, func(rec *record.Game) error { return rec.Write(&text) })
		if err != nil {
			t.Fatal(err)
		}
		plain, err := eval.PlayDuplicate(t.Context(), g, entrants, 60, 3, nil)
		if err != nil || !reflect.DeepEqual(m, plain) {
			t.Errorf("%s: recorded, the match is %+v; not recorded, %+v, %v", tt.id, m, plain, err)
		}
		games, won := 0, 0.0
		for rec, err := range record.Read(&text, catalog.Open) {
			if err != nil {
				t.Fatal(err)
			}
			games++
			for seat, r := range rec.Position().Returns() {
				if rec.Seats[seat] == "greedy" {
					won += g.Spec().WinShare(r)
				}
			}
			if *rec.Seed != 3 || rec.Truncated {
				t.Errorf("%s: game %d has the seed %d, truncated %v", tt.id, games, *rec.Seed, rec.Truncated)
			}
		}
		if games != m.Games || !(math.Abs(won/float64(games)-m.Win[0]) <= 1e-6) {
			t.Errorf("%s: greedy won %v of %d recorded games, and in the match %v of %d", tt.id, won, games, m.Win[0], m.Games)
		}
	}
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	two := []*agents.Agent{bot(t, g, "greedy"), bot(t, g, "random")}
	if _, err := eval.RecordDuplicate(t.Context(), nil, g, two, 4, 1, nil, func(*record.Game) error { return errFailing }); !errors.Is(err, errFailing) {
		t.Errorf("a failing write: %v", err)
	}
}

// TestNotes: no line compares with dice that make no difference.
func TestNotes(t *testing.T) {
	for reduction, want := range map[float64]string{0: "", 1.25: " 1.2 times", 999: " 999.0 times", 1143771333935364.2: " more than 1000 times"} {
		if got := (eval.Match{VarianceReduction: reduction}).Notes(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%v: %q; want %q", reduction, got, want)
		}
	}
}
