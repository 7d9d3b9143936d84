package tablegame_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/game/gametest"
	"marsgym/env/game/message"
	"marsgym/env/tablegame"
)

// centipede is a game of two seats whose returns have no constant sum: each may take the larger part of
// a pot that grows while both pass.
func centipede(rounds int) *tablegame.Table {
	t := &tablegame.Table{Name: "centipede", Players: 2, Actions: 2}
	add := func(mover game.Player, first int, count uint16) {
		t.Mover, t.First, t.Count = append(t.Mover, mover), append(t.First, uint32(first)), append(t.Count, count)
	}
	for i := range rounds { // state 2i moves, 2i+1 is the end by taking
		add(game.Player(i%2), len(t.Next), 2)
		t.Action, t.Next = append(t.Action, 0, 1), append(t.Next, uint32(2*i+1), uint32(2*i+2))
		add(game.Terminal, i, 0)
		large, small := float64(i+2), float64(i)
		if i%2 == 1 {
			large, small = small, large
		}
		t.Returns = append(t.Returns, large, small)
	}
	add(game.Terminal, rounds, 0)
	t.Returns = append(t.Returns, float64(rounds), float64(rounds))
	return t
}

// kingmaker is a game for three: seat 0 passes or asks, and seat 1, who gains nothing by either, then
// chooses between the wins of seats 0 and 2.
func kingmaker() *tablegame.Table {
	return &tablegame.Table{
		Name: "kingmaker", Players: 3, Actions: 2,
		Graph: tablegame.Graph{
			Mover: []game.Player{0, 1, -2, -2, -2},
			First: []uint32{0, 2, 0, 1, 2}, Count: []uint16{2, 2, 0, 0, 0},
			Next:    []uint32{4, 1, 3, 2},
			Returns: []float64{2, -1, -1, -1, -1, 2, 0.5, 0.5, -1},
		},
		Action: []uint16{0, 1, 0, 1},
	}
}

// TestSums: values of games without a constant sum, and of games for three, are vectors. In the centipede
// the first seat takes at once, although both would have more at the end. The kingmaker is indifferent,
// and the lower index wins: so the first seat does not ask.
func TestSums(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		table    *tablegame.Table
		win      bool
		value    []float64 // of best play
		uniform  []float64 // if all play at random
		response []float64 // of each seat to random play of the others
	}{
		{centipede(4), false, []float64{2, 0}, []float64{0.5*2 + 0.25*1 + 0.125*4 + 0.0625*3 + 0.0625*4, 0.5*0 + 0.25*3 + 0.125*2 + 0.0625*5 + 0.0625*4},
			[]float64{0.5*1 + 0.5*4, 0.5*0 + 0.5*(0.5*2+0.5*5)}},
		{kingmaker(), true, []float64{0.5, 0.5, -1}, []float64{0.5*0.5 + 0.25*2 - 0.25, 0.5*0.5 - 0.5, -0.5 + 0.25*-1 + 0.25*2},
			[]float64{0.5, 0.5*0.5 - 0.5, -0.5 + 0.25*-1 + 0.25*2}},
	} {
		t.Run(tt.table.Name, func(t *testing.T) {
			r := listed(t, tt.table)
			if err := gametest.Check(r); err != nil {
				t.Error(err)
			}
			if r.Spec().HasWin() != tt.win {
				t.Errorf("the game has a win: %v; want %v", !tt.win, tt.win)
			}
			g := env.NewGame(game.Rules[tablegame.State](r))
			sol, err := g.Solve(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			near := func(what string, got, want []float64) {
				t.Helper()
				if len(got) != len(want) || slices.ContainsFunc(want, func(v float64) bool { return math.IsNaN(v) }) {
					t.Fatalf("%s: %v; want %v", what, got, want)
				}
				for seat := range want {
					if !(math.Abs(got[seat]-want[seat]) <= 1e-12) {
						t.Errorf("%s: %v; want %v", what, got, want)
						return
					}
				}
			}
			value, err := sol.Value(g.Initial())
			if err != nil {
				t.Fatal(err)
			}
			near("best play", value, tt.value)
			random, err := g.Bot("random")
			if err != nil {
				t.Fatal(err)
			}
			table, err := sol.Tabulate(ctx, random)
			if err != nil {
				t.Fatal(err)
			}
			seats := slices.Repeat([]game.TabularPolicy{table}, tt.table.Players)
			got, err := sol.Evaluate(ctx, seats)
			if err != nil {
				t.Fatal(err)
			}
			near("random play", got, tt.uniform)
			var responses []float64
			for seat := range game.Player(tt.table.Players) {
				v, err := sol.BestResponse(ctx, seats, seat)
				if err != nil {
					t.Fatal(err)
				}
				responses = append(responses, v)
			}
			near("responses", responses, tt.response)
		})
	}
}

// TestWin: returns are shares of a win only if winners share it equally and all others lose.
func TestWin(t *testing.T) {
	for _, tt := range []struct {
		players   int
		returns   []float64
		win, loss float64
	}{
		{2, []float64{1, -1, -1, 1, 0, 0}, 1, -1},
		{2, []float64{1, 0, 0, 1, 0.5, 0.5}, 1, 0},
		{3, []float64{2, -1, -1, 0.5, -1, 0.5, 0, 0, 0}, 2, -1},
		{2, []float64{1, -1, -1, 1, 0.5, -0.5}, 0, 0},
		{2, []float64{1, -1, -1, 1, 1, 1}, 0, 0},
		{2, []float64{0, 0}, 0, 0},
		{3, []float64{1, 0, -1}, 0, 0},
		{1, []float64{1, -1}, 0, 0},
	} {
		x := coin()
		x.Players, x.Returns = tt.players, tt.returns
		x.First[4] = 0
		if tt.players == 1 {
			x.Mover[2] = 0
		}
		if s := listed(t, x).Spec(); s.Win != tt.win || s.Loss != tt.loss {
			t.Errorf("%v: win %v, loss %v; want %v and %v", tt.returns, s.Win, s.Loss, tt.win, tt.loss)
		}
	}
}

// TestScores: a scene shows returns as scores if they are integers, and exactly if not.
func TestScores(t *testing.T) {
	r := listed(t, kingmaker())
	for _, tt := range []struct {
		state  uint32
		values []int
		notes  []string
	}{
		{0, []int{0, 0, 0}, []string{"", "", ""}}, {2, []int{2, -1, -1}, []string{"", "", ""}}, {4, []int{0, 0, -1}, []string{"0.5", "0.5", ""}},
	} {
		for i, seat := range r.Scene(tablegame.State{At: tt.state}).Seats {
			if note := (message.Speaker{}).SayAll(seat.Notes); seat.Score.Value != tt.values[i] || strings.Join(note, " ") != tt.notes[i] {
				t.Errorf("state %d, seat %d: %d points, note %q; want %d, %q", tt.state, i, seat.Score.Value, note, tt.values[i], tt.notes[i])
			}
		}
	}
}

// large is a table of n states: a decision, chance or an end of a game for two, each with two successors
// among the next few states.
func large(n int) *tablegame.Table {
	t := &tablegame.Table{Name: "large", Players: 2, Actions: 4}
	r := rand.New(rand.NewPCG(1, 1))
	t.Returns = []float64{1, -1, -1, 1, 0, 0}
	for i := range n {
		switch k := r.IntN(4); {
		case i >= n-9:
			t.Mover, t.First, t.Count = append(t.Mover, game.Terminal), append(t.First, uint32(r.IntN(3))), append(t.Count, 0)
		case k == 0:
			t.Mover, t.First, t.Count = append(t.Mover, game.Chance), append(t.First, uint32(len(t.Outcome))), append(t.Count, 2)
			t.Outcome, t.Probability = append(t.Outcome, uint32(i+1), uint32(i+2+r.IntN(7))), append(t.Probability, 0.25, 0.75)
		default:
			t.Mover, t.First, t.Count = append(t.Mover, game.Player(k&1)), append(t.First, uint32(len(t.Next))), append(t.Count, 2)
			t.Action, t.Next = append(t.Action, uint16(r.IntN(2)), uint16(2+r.IntN(2))), append(t.Next, uint32(i+1), uint32(i+2+r.IntN(7)))
		}
	}
	return t
}

// TestLarge: the states of a large table that play reaches have the values of backward induction, by a
// loop of its own.
func TestLarge(t *testing.T) {
	x := large(100_000)
	r := listed(t, x)
	sol, err := r.Solve(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	value := make([]float64, len(x.Mover)) // of seat 0
	for i := len(value) - 1; i >= 0; i-- {
		first := x.First[i]
		switch x.Mover[i] {
		case game.Terminal:
			value[i] = x.Returns[2*first]
		case game.Chance:
			value[i] = 0.25*value[x.Outcome[first]] + 0.75*value[x.Outcome[first+1]]
		case 0:
			value[i] = max(value[x.Next[first]], value[x.Next[first+1]])
		case 1:
			value[i] = min(value[x.Next[first]], value[x.Next[first+1]])
		}
	}
	reached := make([]bool, len(value))
	reached[0] = true
	for i, want := range value {
		got, err := sol.Value(nil, tablegame.State{At: uint32(i)})
		if !reached[i] {
			if err == nil || !strings.Contains(err.Error(), "no play leads to it") {
				t.Fatalf("state %d, which no play reaches, is worth %v, %v", i, got, err)
			}
			continue
		}
		for _, j := range x.Successors(uint32(i)) {
			reached[j] = true
		}
		if err != nil || !(math.Abs(got[0]-want) <= game.Tie && math.Abs(got[1]+want) <= game.Tie) {
			t.Fatalf("state %d is worth %v, %v; want %v", i, got, err, want)
		}
	}
}

// TestMemory: a table takes at most 16 bytes a state, 6 an action and 12 an outcome, in its file and, when
// it is read from there, in memory.
func TestMemory(t *testing.T) {
	x := large(200_000)
	path := filepath.Join(t.TempDir(), "x.game")
	if err := listed(t, x).Save(path); err != nil {
		t.Fatal(err)
	}
	limit := 16*len(x.Mover) + 6*len(x.Next) + 12*len(x.Outcome) + 8*len(x.Returns) + 10_000
	if info, err := os.Stat(path); err != nil || info.Size() > int64(limit) {
		t.Errorf("the file has %d bytes, %v; want at most %d", info.Size(), err, limit)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		for range 2 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	r, err := tablegame.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := heap() - before; got > uint64(limit) {
		t.Errorf("the table takes %d bytes; want at most %d", got, limit)
	}
	runtime.KeepAlive(r)
	runtime.KeepAlive(x)
}

// TestNoAllocations: batches allocate nothing in a step, also where actions are many and chance moves.
func TestNoAllocations(t *testing.T) {
	many := large(1000)
	many.Actions = 100
	for name, table := range map[string]*tablegame.Table{"tic-tac-toe": tables(t)["tic-tac-toe"], "one-hot": tables(t)["one-hot"], "pig": tables(t)["pig"], "many actions": many} {
		batch := env.NewVec(listed(t, table), 16, 0)
		batch.Reset(1)
		buf, actions := batch.Buffers(), table.Actions
		if n := testing.AllocsPerRun(200, func() {
			for i := range buf.Action {
				buf.Action[i] = game.Action(slices.Index(buf.Mask[i*actions:][:actions], true))
			}
			if err := batch.Step(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations in a step", name, n)
		}
	}
}

// BenchmarkTenMillion measures a table of ten million states: the check of it, and its solution.
func BenchmarkTenMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("takes long")
	}
	const n = 10_000_000
	x := large(n)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			listed(b, x)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/state")
	})
	r := listed(b, x)
	b.Run("solve", func(b *testing.B) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for b.Loop() {
			sol, err := r.Solve(context.Background(), nil)
			if err != nil {
				b.Fatal(err)
			}
			if b.N == 1 {
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/n, "B/state")
			}
			runtime.KeepAlive(sol)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/state")
	})
}
