// In package ppo for the pool, of which a run reports only three numbers.
package ppo

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/train/method"
)

// newTestPool returns a pool for the rows of a rollout, which may be nil.
func newTestPool(t *testing.T, cfg method.Opponents, g env.Game, r *rollout) *pool {
	t.Helper()
	var list []*rollout
	if r != nil {
		list = append(list, r)
		r.openings = newOpenings(Openings{}, r.batch.Buffers())
	}
	p, err := newPool(cfg, g, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPopulationBots has bots as opponents while a population is trained, if its networks are
// part of the model.
func TestPopulationBots(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"players": 3, "dice": 5, "target": 6}`)
	mlp := network(t, g, models.Score)
	cfg := method.Opponents{Fraction: 1, Bots: map[string]float64{"greedy": 0.25}, Population: 2, PopulationSteps: 0.25, Power: 2}
	for _, ensemble := range []bool{false, true} {
		cfg.Ensemble = ensemble
		training := []float64{1}
		if ensemble {
			training = []float64{0.75, 0.25}
		}
		p := newTestPool(t, cfg, g, nil)
		for networks, want := range [][]float64{training, training, {0, 0.25, 0.375, 0.375}} {
			if p.begin(mlp, 0); !slices.Equal(p.prob, want) {
				t.Errorf("ensemble %v, %d networks: probabilities %v; want %v", ensemble, networks, p.prob, want)
			}
			if networks < 2 {
				p.join(mlp.Clone())
			}
		}
	}
}

func TestPoolDraw(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, `{"players": 3, "dice": 5, "target": 6}`)
	mlp := network(t, g, models.Score)
	r := newRollout(g.NewBatch(4, 0), 0, models.Score, Config{Horizon: 1})
	bots := map[string]float64{"random": 0.1, "greedy": 0.3}
	p := newTestPool(t, method.Opponents{Fraction: 1, Bots: bots, Size: 3, Interval: 0.25, Power: 2}, g, r)

	// draws returns how often each opponent is drawn, and how often each seat learns
	// in a game with opponents in the other two.
	const n = 100_000
	noise := rand.NewPCG(1, 0)
	draws := func() (opponents [6]float64, learns [3]float64) {
		for range n {
			r.pool.newGame(2, noise)
			own := 0
			seats := r.pool.rows[2]
			for seat, k := range seats {
				if k == itself {
					own++
					learns[seat]++
				}
				opponents[k]++
				if a, b := seats[(seat+1)%3], seats[(seat+2)%3]; k > itself && int(k) <= len(bots) && max(a, b) != k {
					t.Fatalf("%v: a bot has not all other seats", seats)
				}
			}
			opponents[itself]-- // the seat that learns in any case
			if own == 0 {
				t.Fatal("no seat learns")
			}
		}
		return opponents, learns
	}
	check := func(want []float64) {
		t.Helper()
		opponents, _ := draws()
		if len(p.prob) != len(want) {
			t.Fatalf("%d opponents; want %d", len(p.prob), len(want))
		}
		for k, w := range want {
			if !(math.Abs(p.prob[k]-w) <= 1e-12) {
				t.Errorf("opponent %d has probability %v; want %v", k, p.prob[k], w)
			}
			if !(math.Abs(opponents[k]/(2*n)-w) <= 0.01) {
				t.Errorf("opponent %d is drawn for %v of %d seats; want a fraction of %v", k, opponents[k], 2*n, w)
			}
		}
	}
	check([]float64{0.6, 0.3, 0.1}) // without a copy the network itself
	p.begin(mlp, 0.75)
	p.Won, p.Games = []float64{1, 1, 10, 50, 75}, []float64{100, 100, 100, 100, 100}
	p.begin(mlp, 0.9)
	check([]float64{0, 0.3, 0.1, 0.6 * 0.81 / 1.1225, 0.6 * 0.25 / 1.1225, 0.6 * 0.0625 / 1.1225})
	_, learns := draws()
	for seat, x := range learns {
		if !(math.Abs(x/n-1./3) <= 0.01) {
			t.Errorf("seat %d learns in %v of %d games", seat, x, n)
		}
	}

	// Without copies the network itself plays in their place.
	alone := newRollout(g.NewBatch(4, 0), 0, models.Score, Config{Horizon: 1})
	q := newTestPool(t, method.Opponents{Fraction: 1, Bots: bots, Interval: 0.25}, g, alone)
	q.begin(mlp, 1)
	if len(q.mlp) != 0 || !(math.Abs(q.prob[itself]-0.6) <= 1e-12) {
		t.Errorf("without copies the pool has %d, and probabilities %v", len(q.mlp), q.prob)
	}

	// A game counts for each opponent in it.
	r.pool.reset()
	for _, test := range []struct {
		seats   []uint16
		returns []float32
	}{
		{[]uint16{5, 0, 1}, []float32{-0.5, 1, -0.5}}, // better than both
		{[]uint16{0, 5, 2}, []float32{-0.5, 1, -0.5}}, // worse than 5, equal to 2
		{[]uint16{0, 5, 5}, []float32{0, 0, 0}},
		{[]uint16{0, 0, 5}, []float32{1, -0.5, -0.5}}, // two seats learn
	} {
		r.pool.rows[0] = test.seats
		r.pool.gameOver(0, test.returns)
	}
	m := p.end()
	for k, want := range map[int][2]float64{
		1: {decay*1 + (1-decay)*priorGames/2 + 1, decay*100 + (1-decay)*priorGames + 1},
		2: {decay*1 + (1-decay)*priorGames/2 + 0.5, decay*100 + (1-decay)*priorGames + 1},
		3: {decay*10 + (1-decay)*priorGames/2, decay*100 + (1-decay)*priorGames},
		5: {decay*75 + (1-decay)*priorGames/2 + 1 + 1 + 1.5, decay*100 + (1-decay)*priorGames + 1 + 1 + 2 + 2},
	} {
		if won, games := p.Won[k-1], p.Games[k-1]; !(math.Abs(won-want[0]) <= 1e-9) || !(math.Abs(games-want[1]) <= 1e-9) {
			t.Errorf("%v of %v games won against opponent %d; want %v of %v", won, games, k, want[0], want[1])
		}
	}
	// Shares are of the games that were played: 3.5 of 6 against opponent 5.
	if m.Opponents != 5 || m.Bots["greedy"].Value() != 1 || m.Bots["random"].Value() != 0.5 || m.MinWin.Value() != 0.5 || !(math.Abs(m.Win.Value()-(1+0.5+3.5/6)/3) <= 1e-12) {
		t.Errorf("metrics %+v; want shares of the games that were played", m)
	}
	r.pool.reset()
	r.pool.rows[0] = []uint16{5, 0, 3}
	r.pool.gameOver(0, []float32{-0.5, 1, -0.5})
	p.end()
	if got, want := p.Met[4], (0.99*3.5+1)/(0.99*6+1); !(math.Abs(got.Won/got.Games-want) <= 1e-12) {
		t.Errorf("%+v of the games against opponent 5; want a share of %v", got, want)
	}

	// The share does not fall in rollouts without games.
	for range 3 {
		r.pool.reset()
		if m := p.end(); !(math.Abs(m.Bots["greedy"].Value()-1) <= 1e-12) || !(math.Abs(m.Bots["random"].Value()-0.5) <= 1e-12) {
			t.Errorf("after a rollout without games the shares are %v and %v; want 1 and 0.5", m.Bots["greedy"].Value(), m.Bots["random"].Value())
		}
	}

	// The next copy replaces the oldest.
	p.begin(mlp, 1)
	if p.Won[2] != priorGames/2 || p.Games[2] != priorGames || p.Met[2] != (tally{}) || len(p.mlp) != 3 {
		t.Errorf("a fourth copy: %d opponents, the first with %v of %v", len(p.mlp), p.Won[2], p.Games[2])
	}
}

func network(t *testing.T, g env.Game, head models.Head) *models.MLP {
	t.Helper()
	s := g.Spec()
	mlp, err := models.NewMLP(models.Shape{Obs: s.ObsLen(), Hidden: []int{8}, Head: head, Actions: s.Actions, Players: s.Players}, rand.NewPCG(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return mlp
}

// TestPoolRefuses restores invalid checkpoints.
func TestPoolRefuses(t *testing.T) {
	g := testgames.Open(t, "pig", 0, `{"target": 10}`)
	mlp := network(t, g, models.Score)
	weights := mlp.WeightBytes()
	wild := bytes.Clone(weights)
	copy(wild, []byte{0, 0, 0xc0, 0x7f}) // not a number
	const valid = `"met": [{"won": 1, "games": 2}, {"won": 0, "games": 0}], "won": [5, 5], "games": [10, 10], "rows": [[[0, 2], [1, 0]]]`
	for _, test := range []struct {
		state   string
		weights []byte
		want    string
	}{
		{`"bots": ["random"], ` + valid, weights, ""},
		{valid, weights, `the run plays against []; want ["random"]`},
		{`"bots": ["greedy"], ` + valid, weights, `the run plays against ["greedy"]`},
		{`"bots": ["random"], "won": [5, 0], "games": [10, 0]`, weights, "counts of 2 and 2 opponents, a population of 0, and 0 parts"},
		{`"bots": ["random"], "met": [{}, {}], "won": [5, 0], "games": [10, 0], "rows": [[]]`, weights, "0 of 0 games"},
		{`"bots": ["random"], "met": [{}, {}], "won": [11, 5], "games": [10, 10], "rows": [[]]`, weights, "11 of 10 games"},
		{`"bots": ["random"], "met": [{}, {}], "won": [-1, 5], "games": [10, 10], "rows": [[]]`, weights, "-1 of 10 games"},
		{`"bots": ["random"], "won": [5], "games": [10], "rows": [[]]`, weights, "counts of 1 and 1 opponents"},
		{`"bots": ["random"], "met": [], "won": [5, 5], "games": [10, 10], "rows": [[[0, 2], [1, 0]]]`, weights, "counts of 2 and 2 opponents"},
		{`"bots": ["random"], "met": [{"won": 3, "games": 2}, {"won": 0, "games": 0}], "won": [5, 5], "games": [10, 10], "rows": [[[0, 2], [1, 0]]]`, weights, "3 of 2 games played"},
		{`"bots": ["random"], "met": [{}, {}], "won": [5, 5], "games": [10, 10], "rows": [[]]`, weights, "0 rows in part 0; want 2"},
		{`"bots": ["random"], "met": [{}, {}], "won": [5, 5], "games": [10, 10], "rows": [[[0, 1], [0]]]`, weights, "opponents [0]; want 2 from 0 to 2"},
		{`"bots": ["random"], "met": [{}, {}], "won": [5, 5], "games": [10, 10], "rows": [[[0, 1], [0, 3]]]`, weights, "opponents [0 3]; want 2 from 0 to 2"},
		{`"bots": ["random"], "met": [{}, {}], "won": [5, 5], "games": [10, 10], "rows": [[[0, 1], [-1, 0]]]`, weights, "number -1"},
		{`"bots": ["random"], ` + valid, weights[4:], "bytes"},
		{`"bots": ["random"], ` + valid, wild, "opponent 0: "},
	} {
		b := g.NewBatch(2, 0)
		b.Reset(1)
		cfg := method.Opponents{Fraction: 1, Bots: map[string]float64{"random": 0.5}, Size: 3, Interval: 0.25, Power: 2}
		p := newTestPool(t, cfg, g, newRollout(b, 0, models.Score, Config{Horizon: 1}))
		blobs := map[string][]byte{"pool": []byte(`{"taken": 1, ` + test.state + `}`), method.OpponentBlob(0): test.weights}
		err := p.restore(blobs, mlp)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v; want %q", test.state, err, test.want)
		}
	}
}

// TestPoolSeats plays Pig against an opponent that always rolls, and so wins almost
// no game, and against a copy of the network.
func TestPoolSeats(t *testing.T) {
	for _, head := range []models.Head{models.Score, models.Logits} {
		g := testgames.Open(t, "pig", 0, `{"players": 3, "target": 200}`)
		b := g.NewBatch(32, 0)
		b.Reset(1)
		r := newRollout(b, 0, head, Config{Horizon: 4000, Gamma: 1, Lambda: 0.85})
		p := newTestPool(t, method.Opponents{Fraction: 0.5, Size: 2, Interval: 0.1, Power: 1}, g, r)
		mlp := network(t, g, head)
		p.begin(mlp, 0.2)
		if head == models.Logits {
			layers := p.mlp[0].Layers()
			layers[len(layers)-1].B[0] = 50
		} else {
			p.policies[0] = roller{g.Spec().Actions}
		}
		if err := r.play(t.Context(), mlp); err != nil {
			t.Fatal(err)
		}
		p.end()
		if w := p.Won[0] / p.Games[0]; !(w > 0.75) { // a game won by a copy in the third seat counts one half
			t.Errorf("%s: wins %v of the games against an opponent that does not stop", head, w)
		}
		if w := p.Won[1] / p.Games[1]; !(math.Abs(w-0.5) <= 0.1) {
			t.Errorf("%s: wins %v of the games against copies of itself", head, w)
		}
		for i := range r.n {
			var learns [3]bool
			games, most := 0, 0
			for at := i; at < len(r.mover); at += r.n {
				if r.start[at] < r.start[at+1] {
					learns[r.mover[at]] = true
				}
				if r.ended[at] == running {
					continue
				}
				seats := 0
				for _, ok := range learns {
					if ok {
						seats++
					}
				}
				if games > 0 { // the first began with an empty pool
					most = max(most, seats)
				}
				games, learns = games+1, [3]bool{}
			}
			if pooled := i%2 == 0; pooled && most != 1 || !pooled && most != 3 {
				t.Errorf("%s: in row %d up to %d seats learn in a game, of %d games", head, i, most, games)
			}
		}
	}
}

// roller always takes action 0.
type roller struct{ actions int }

func (r roller) Probs(dst []float64, d env.Decisions) error {
	clear(dst)
	for i := range d.Len() {
		dst[i*r.actions] = 1
	}
	return nil
}

func TestBetter(t *testing.T) {
	for _, test := range [][3]float32{{1, -1, 1}, {-1, 1, 0}, {-20, -20, 0.5}} {
		if got := better(test[0], test[1]); got != float64(test[2]) {
			t.Errorf("a return of %v against %v: %v; want %v", test[0], test[1], got, test[2])
		}
	}
}
