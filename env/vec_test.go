package env_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/pig"
	"marsgym/internal/test/testgames"
)

// checkBatch compares a batch with rows played by the rules alone.
func checkBatch[S comparable](t *testing.T, rules game.Rules[S], wantTruncated bool) {
	const rows, first, seed, steps = 5, 3, 17, 400
	b := env.NewGame(rules).NewBatch(rows, first)
	b.Reset(seed)
	var want [rows][]transition
	for i := range rows {
		want[i] = referenceRow(rules, seed, uint64(first+i), steps)
	}
	terminated, truncated := 0, 0
	for k := range steps {
		act(b)
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			got := readRow(b, i)
			if !got.equal(want[i][k]) {
				t.Fatalf("step %d, row %d:\n got %+v\nwant %+v", k, i, got, want[i][k])
			}
			sum := 0.0
			for _, r := range got.reward {
				sum += float64(r)
			}
			if !(math.Abs(sum) <= 1e-6) || !got.terminated && slices.Max(got.reward) != 0 || got.terminated && slices.Max(got.reward) <= 0 {
				t.Fatalf("step %d, row %d: rewards are %v, terminated %v", k, i, got.reward, got.terminated)
			}
			if got.terminated {
				terminated++
			}
			if got.truncated {
				truncated++
			}
		}
	}
	if terminated == 0 || (truncated > 0) != wantTruncated {
		t.Errorf("%d games terminated and %d truncated: this tests nothing", terminated, truncated)
	}
}

func TestBatch(t *testing.T) {
	t.Run("pig", func(t *testing.T) { checkBatch(t, testgames.NewPig(t, 2, 20), false) })
	t.Run("pig for three", func(t *testing.T) { checkBatch(t, testgames.NewPig(t, 3, 20), false) })
	t.Run("pig, limited", func(t *testing.T) {
		checkBatch(t, testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 5), Moves: 3}, true)
	})
	t.Run("pig without optional interfaces", func(t *testing.T) { checkBatch(t, testgames.PlainPig{Rules: testgames.NewPig(t, 2, 20)}, false) })
	t.Run("martian dice", func(t *testing.T) { checkBatch(t, testgames.NewMartianDice(t, 2, 13, 10), false) })
	t.Run("martian dice, limited", func(t *testing.T) {
		checkBatch(t, testgames.LimitedMartianDice{Rules: testgames.NewMartianDice(t, 2, 5, 3), Moves: 20}, true)
	})
	t.Run("martian dice for three", func(t *testing.T) { checkBatch(t, testgames.NewMartianDice(t, 3, 7, 5), false) })
	t.Run("coin", func(t *testing.T) { checkBatch(t, testgames.Coin{}, false) })
}

func TestSplit(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.NewPig(t, 2, 20)),
		"martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 13, 10)),
	} {
		whole := g.NewBatch(4, 0)
		parts := []env.Batch{g.NewBatch(2, 0), g.NewBatch(2, 2)}
		for _, b := range append(parts, whole) {
			b.Reset(5)
		}
		for k := range 300 {
			for _, b := range append(parts, whole) {
				act(b)
				if err := b.Step(); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 4 {
				if got, want := readRow(parts[i/2], i%2), readRow(whole, i); !got.equal(want) {
					t.Fatalf("%s, step %d, row %d:\n got %+v\nwant %+v", name, k, i, got, want)
				}
			}
		}
	}
}

// playRows plays some steps and returns the transitions of some rows.
func playRows(t *testing.T, b env.Batch, steps int, rows ...int) (list []transition) {
	t.Helper()
	for range steps {
		act(b)
		if err := b.Step(); err != nil {
			t.Fatal(err)
		}
		for _, i := range rows {
			list = append(list, readRow(b, i))
		}
	}
	return list
}

func TestReset(t *testing.T) {
	b := env.NewGame(testgames.NewMartianDice(t, 2, 13, 10)).NewBatch(2, 0)
	play := func(seed uint64) []transition {
		b.Reset(seed)
		return playRows(t, b, 50, 0, 1)
	}
	first, other, again := play(1), play(2), play(1)
	if !slices.EqualFunc(first, again, transition.equal) {
		t.Error("the same seed plays other games")
	}
	if slices.EqualFunc(first, other, transition.equal) {
		t.Error("another seed plays the same games")
	}
	if first[0].equal(first[1]) && first[20].equal(first[21]) {
		t.Error("two rows play the same game")
	}
}

func TestAllocations(t *testing.T) {
	for name, b := range map[string]env.Batch{
		"pig":                    env.NewVec(testgames.NewPig(t, 2, 20), 64, 0),
		"pig, limited":           env.NewVec(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 20), Moves: 3}, 64, 0),
		"martian dice":           env.NewVec(testgames.NewMartianDice(t, 2, 13, 10), 64, 0),
		"martian dice for three": env.NewVec(testgames.NewMartianDice(t, 3, 5, 5), 64, 0),
	} {
		b.Reset(1)
		buf, n := b.Buffers(), b.Spec().Actions
		var after env.Afterstates
		b.Afterstates(&after)
		step := func() {
			for i := range buf.Action {
				a := int(buf.Noise[i].Uint64() % uint64(n))
				for !buf.Mask[i*n+a] {
					a = (a + 1) % n
				}
				buf.Action[i] = game.Action(a)
			}
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if got := testing.AllocsPerRun(500, step); got != 0 {
			t.Errorf("%s: %v allocations in Step, want 0", name, got)
		}
	}
}

// Step changes nothing where it returns an error.
func TestStepAtomic(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.NewPig(t, 2, 20)),
		"martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 13, 10)),
	} {
		b, twin := g.NewBatch(3, 0), g.NewBatch(3, 0)
		if err := b.Step(); err == nil || !strings.Contains(err.Error(), "Step before Reset") {
			t.Errorf("%s: Step before Reset: %v", name, err)
		}
		b.Reset(5)
		twin.Reset(5)
		refused := 0
		for range 100 {
			act(b)
			act(twin)
			before := snapshot(t, b)
			for _, a := range []game.Action{-1, game.Action(b.Spec().Actions), illegal(b, 2)} {
				if a == none {
					continue
				}
				refused++
				legal := b.Buffers().Action[2]
				b.Buffers().Action[2] = a
				err := b.Step()
				b.Buffers().Action[2] = legal
				var row *env.RowError
				if !errors.As(err, &row) || row.Row != 2 || row.Action != a || !errors.Is(err, game.ErrIllegalAction) {
					t.Fatalf("%s: action %d in row 2 gave error %v", name, a, err)
				}
				if after := snapshot(t, b); !before.equal(after) {
					t.Fatalf("%s: a refused step has changed something", name)
				}
			}
			for _, b := range []env.Batch{b, twin} {
				if err := b.Step(); err != nil {
					t.Fatal(err)
				}
			}
			for i := range b.Len() {
				if !readRow(b, i).equal(readRow(twin, i)) {
					t.Fatalf("%s: refused steps have changed the games", name)
				}
			}
		}
		if refused <= 200 {
			t.Errorf("%s: no action within range was illegal", name)
		}
	}
}

const none game.Action = -9

// illegal is an action that is illegal in row i, or none.
func illegal(b env.Batch, i int) game.Action {
	n := b.Spec().Actions
	if a := slices.Index(b.Buffers().Mask[i*n:(i+1)*n], false); a >= 0 {
		return game.Action(a)
	}
	return none
}

// frozen is a copy of all that a batch holds.
type frozen struct {
	rows  []transition
	state []byte
}

func snapshot(t *testing.T, b env.Batch) (f frozen) {
	t.Helper()
	for i := range b.Len() {
		f.rows = append(f.rows, readRow(b, i))
	}
	var err error
	if f.state, err = b.AppendState(nil); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f frozen) equal(g frozen) bool {
	return slices.EqualFunc(f.rows, g.rows, transition.equal) && slices.Equal(f.state, g.state)
}

// The last observation of a truncated game is that of the same game in a batch without
// the limit.
func TestTruncated(t *testing.T) {
	const rows = 50
	short, long := env.NewVec(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 100), Moves: 3}, rows, 0), env.NewVec(testgames.NewPig(t, 2, 100), rows, 0)
	short.Reset(3)
	long.Reset(3)
	for k := range 3 {
		for _, b := range []env.Batch{short, long} {
			for i := range rows {
				b.Buffers().Action[i] = pig.Roll
			}
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
		}
		for i := range rows {
			got, want := readRow(short, i), readRow(long, i)
			if got.terminated || got.truncated != (k == 2) || slices.Max(got.reward) != 0 {
				t.Fatalf("decision %d, row %d: terminated %v, truncated %v, reward %v", k+1, i, got.terminated, got.truncated, got.reward)
			}
			if k == 2 && (!slices.Equal(got.finalObs, want.obs) || got.finalPlayer != want.player) {
				t.Errorf("row %d: last observation %v of seat %d, want %v of seat %d", i, got.finalObs, got.finalPlayer, want.obs, want.player)
			}
			if k == 2 && (got.player != 0 || got.obs[0] != 0 || got.obs[4] != 0 || got.mask[pig.Hold]) {
				t.Errorf("row %d: no new game has started: seat %d observes %v", i, got.player, got.obs)
			}
		}
	}
}

// TestStateOfOtherRules: a state is refused by a batch with other settings, even if its
// states are possible there, and that of an older release, without a tag, is not.
func TestStateOfOtherRules(t *testing.T) {
	open := func(id string, players int, config string) env.Batch {
		g, err := catalog.Open(id, players, []byte(config))
		if err != nil {
			t.Fatal(err)
		}
		return g.NewBatch(2, 0)
	}
	for _, test := range []struct {
		id      string
		players int
		a, b    string
	}{
		{"pig", 2, `{"target": 100}`, `{"target": 99}`},
		{"pig", 2, `{"target": 99}`, `{"target": 100}`},
		{"martian-dice", 2, `{"target": 25}`, `{"target": 24}`},
		{"martian-dice", 3, `{"target": 24}`, `{"target": 25}`},
		{"mars-is-ours", 2, `{"income_counts_stone": true}`, `{"income_counts_stone": false}`},
	} {
		a, same, b := open(test.id, test.players, test.a), open(test.id, test.players, test.a), open(test.id, test.players, test.b)
		a.Reset(1)
		state, err := a.AppendState(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := same.RestoreState(state); err != nil {
			t.Errorf("%s %s: %v", test.id, test.a, err)
		}
		if err := b.RestoreState(state); err == nil || !strings.Contains(err.Error(), "other settings") {
			t.Errorf("%s: the state of %s in %s: %v", test.id, test.a, test.b, err)
		}
		clear(state[4:8])
		if err := b.RestoreState(state); err != nil {
			t.Errorf("%s: the state of an older release: %v", test.id, err)
		}
	}
}

func TestAppendState(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 20), Moves: 7}),
		"martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 13, 10)),
	} {
		step := func(b env.Batch) {
			act(b)
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
		}
		b := g.NewBatch(3, 7)
		b.Reset(5)
		for range 77 {
			step(b)
		}
		saved, err := b.AppendState([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		if string(saved[:6]) != "before" {
			t.Errorf("%s: AppendState does not append", name)
		}
		saved = saved[6:]
		resumed := g.NewBatch(3, 7)
		resumed.Reset(1)
		resumed.Restart(0, 1, 1) // its common random numbers end with its game
		if err := resumed.RestoreState(saved); err != nil {
			t.Fatal(err)
		}
		for k := range 200 {
			for i := range b.Len() {
				got, want := readRow(resumed, i), readRow(b, i)
				if k == 0 { // the last step is not part of the state
					want.action, want.reward, want.terminated = got.action, got.reward, false
					want.truncated, want.finalObs, want.finalPlayer = false, nil, 0
				}
				if !got.equal(want) {
					t.Fatalf("%s, step %d, row %d:\n got %+v\nwant %+v", name, k, i, got, want)
				}
			}
			step(b)
			step(resumed)
		}
		before := snapshot(t, resumed)
		wrong := slices.Clone(saved)
		wrong[0]++ // the number of rows
		for want, src := range map[string][]byte{
			"env: 0 bytes of state for 3 rows":                  nil,
			fmt.Sprintf("env: %d bytes of state", len(saved)-1): saved[:len(saved)-1],
			fmt.Sprintf("env: %d bytes of state", len(saved)+1): append(slices.Clone(saved), 0),
			"env: the state of 4 rows for a batch of 3":         wrong,
		} {
			if err := resumed.RestoreState(src); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", name, err, want)
			}
		}
		if err := g.NewBatch(2, 7).RestoreState(saved); err == nil || !strings.Contains(err.Error(), "bytes of state for 2 rows") {
			t.Errorf("%s: the state of three rows is restored to two: %v", name, err)
		}
		if !before.equal(snapshot(t, resumed)) {
			t.Errorf("%s: a refused state has changed something", name)
		}
	}
}

// Next starts another game in one row alone; the row's generators go on.
func TestNext(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.NewPig(t, 2, 20)),
		"martian dice": env.NewGame(testgames.NewMartianDice(t, 2, 13, 10)),
	} {
		b := g.NewBatch(3, 0)
		b.Reset(5)
		begin := readRow(b, 1)
		differ := false
		for range 20 {
			act(b)
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
			others := []transition{readRow(b, 0), readRow(b, 2)}
			b.Next(1)
			if !readRow(b, 0).equal(others[0]) || !readRow(b, 2).equal(others[1]) {
				t.Errorf("%s: another row has changed", name)
			}
			d := b.Spec().ObsLen()
			at, initial := b.Decisions([]int{1}).Position(0), g.Initial()
			if initial.CurrentPlayer() >= 0 && at.String() != initial.String() {
				t.Errorf("%s: the game starts at %s, want %s", name, at, initial)
			}
			differ = differ || !slices.Equal(b.Buffers().Obs[d:2*d], begin.obs)
		}
		if differ != (g.Initial().CurrentPlayer() < 0) {
			t.Errorf("%s: the games start with other dice: %v", name, differ)
		}
	}
}

// Final is the position whose observation FinalObs is, and after which the rewards are
// paid.
func TestFinal(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":          env.NewGame(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 20), Moves: 30}),
		"martian dice": env.NewGame(testgames.NewMartianDice(t, 3, 5, 5)),
	} {
		b := g.NewBatch(8, 0)
		b.Reset(5)
		spec, buf := b.Spec(), b.Buffers()
		d, p, ended := spec.ObsLen(), spec.Players, 0
		obs := make([]float32, d)
		for range 300 {
			act(b)
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
			for i := range b.Len() {
				if !buf.Terminated[i] && !buf.Truncated[i] {
					continue
				}
				ended++
				last := b.Final(i)
				last.Observe(obs, buf.FinalPlayer[i])
				if !slices.Equal(obs, buf.FinalObs[i*d:(i+1)*d]) {
					t.Fatalf("%s: the last position is %s, and its last observation another", name, last)
				}
				if over := last.CurrentPlayer() == game.Terminal; over != buf.Terminated[i] {
					t.Fatalf("%s: the last position is %s, terminated is %v", name, last, buf.Terminated[i])
				}
				for seat, r := range last.Returns() {
					if buf.Reward[i*p+seat] != float32(r) {
						t.Fatalf("%s: the last position %s pays %v, the batch %v", name, last, last.Returns(), buf.Reward[i*p:][:p])
					}
				}
			}
		}
		if ended == 0 {
			t.Errorf("%s: no game ended", name)
		}
	}
}

// A batch over the caller's buffers plays as one with its own.
func TestNewBatchOver(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 13, 10))
	spec := g.Spec()
	obs := make([]float32, 3*spec.ObsLen())
	for i := range obs {
		obs[i] = 7 // is cleared
	}
	b, twin := g.NewBatchOver(env.Buffers{Obs: obs, Reward: make([]float32, 6)}, 3, 4), g.NewBatch(3, 4)
	if &b.Buffers().Obs[0] != &obs[0] {
		t.Error("the buffer is not used")
	}
	b.Reset(5)
	twin.Reset(5)
	for range 200 {
		act(b)
		act(twin)
		for _, b := range []env.Batch{b, twin} {
			if err := b.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if !snapshot(t, b).equal(snapshot(t, twin)) {
			t.Fatal("the batches differ")
		}
	}
}

func TestNewVecPanics(t *testing.T) {
	for want, f := range map[string]func(){
		"env: a batch of 0 rows from row 0":  func() { env.NewVec(testgames.NewPig(t, 2, 20), 0, 0) },
		"env: a batch of 1 rows from row -1": func() { env.NewVec(testgames.NewPig(t, 2, 20), 1, -1) },
		"env: a buffer of 3 elements; want 4": func() {
			env.NewGame(testgames.NewPig(t, 2, 20)).NewBatchOver(env.Buffers{Mask: make([]bool, 3)}, 2, 0)
		},
		"marsgym: coin has no decision": func() { env.NewVec(tails{}, 1, 0).Reset(1) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

// tails is a coin that always ends the game.
type tails struct{ testgames.Coin }

func (tails) Initial() testgames.Face { return testgames.Face{Side: 1} }
