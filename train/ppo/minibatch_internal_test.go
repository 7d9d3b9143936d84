// In package ppo for the minibatches of an iteration.
package ppo

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"marsgym/env/game"
	"marsgym/internal/test/testgames"
	"marsgym/models"
	"marsgym/models/gorgonia"
	"marsgym/models/losstest"
	"marsgym/train/method"
)

// minibatches returns the blocks of each minibatch of an iteration of Pig, in order.
func minibatches(t *testing.T, cfg Config, rows int) (r *PPO, all [][]block) {
	t.Helper()
	g := testgames.Open(t, "pig", 2, `{"target": 20}`)
	learner, err := gorgonia.New(network(t, g, models.Logits), models.DefaultAdam())
	if err != nil {
		t.Fatal(err)
	}
	l := &losstest.Learner{Learner: learner}
	l.OnFit = func(shards []models.Shard) {
		var blocks []block
		for k := range shards {
			blocks = append(blocks, r.shards[k].blocks...)
		}
		all = append(all, blocks)
	}
	cfg.Gamma, cfg.Lambda, cfg.ClipRange = 1, 0.85, 0.2
	if r, err = New(cfg, Options{Seed: 5, Rows: rows, ValueCoef: 1, LearningRate: func(float64) float64 { return 0 }}, g, l); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Iterate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	return r, all
}

// TestMinibatches: a minibatch has as many blocks of 16 decisions as hold those of the settings. The
// last one also has what would be less than half of another.
func TestMinibatches(t *testing.T) {
	for _, test := range []struct {
		blocks, minibatch int
		want              []int
	}{
		{2, 32, []int{2}}, {3, 32, []int{2, 1}},
		{5, 64, []int{5}}, {6, 64, []int{4, 2}}, {8, 64, []int{4, 4}}, {9, 64, []int{4, 5}},
		{3, 1, []int{1, 1, 1}}, {3, 16, []int{1, 1, 1}}, {3, 17, []int{2, 1}}, {9, 65, []int{5, 4}},
	} {
		_, all := minibatches(t, Config{Horizon: test.blocks, Minibatch: test.minibatch, Epochs: 1}, 16)
		var got []int
		for _, blocks := range all {
			got = append(got, len(blocks))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%d blocks in minibatches of %d decisions: %v; want %v", test.blocks, test.minibatch, got, test.want)
		}
	}
}

// TestOrder: each epoch has all decisions once, in blocks that are shuffled (Fisher and Yates) by
// the stream of the run.
func TestOrder(t *testing.T) {
	r, all := minibatches(t, Config{Horizon: 7, Minibatch: 48, Epochs: 2}, 34)
	if len(r.rollouts) != 2 {
		t.Fatalf("%d rollouts; want 2", len(r.rollouts))
	}
	var want []block // 17 rows, so the last block of a rollout is shorter
	for k := range int32(2) {
		for from := int32(0); from < 7*17; from += 16 {
			want = append(want, block{k, from, min(from+16, 7*17)})
		}
	}
	got := slices.Concat(all...)
	if len(got) != 2*len(want) {
		t.Fatalf("%d blocks in two epochs; want %d in each", len(got), len(want))
	}
	stream := rand.NewPCG(5, method.ShuffleStream)
	for epoch := range 2 {
		for i := len(want) - 1; i > 0; i-- {
			j, _ := bits.Mul64(stream.Uint64(), uint64(i+1))
			want[i], want[j] = want[j], want[i]
		}
		if got := got[epoch*len(want):][:len(want)]; !slices.Equal(got, want) {
			t.Errorf("epoch %d has the blocks %v; want %v", epoch, got, want)
		}
	}
	if r.stream != *stream {
		t.Error("the stream has drawn other numbers")
	}
}

// TestParts: work is split into as many parts as it allows, up to 64.
func TestParts(t *testing.T) {
	for _, test := range []struct{ n, least, want int }{{0, 8, 1}, {7, 8, 1}, {8, 8, 1}, {15, 8, 1}, {16, 8, 2}, {511, 8, 63}, {512, 8, 64}, {600, 8, 64}} {
		if got := parts(test.n, test.least); got != test.want {
			t.Errorf("%d things in parts of at least %d: %d parts; want %d", test.n, test.least, got, test.want)
		}
	}
	if one, two := parts(15, partBlock), parts(16, partBlock); one != 1 || two != 2 {
		t.Errorf("15 and 16 blocks are %d and %d shards; want 1 and 2", one, two)
	}
	if score, logits := partRows(models.Score), partRows(models.Logits); score != 2 || logits != 16 {
		t.Errorf("parts of at least %d and %d rows; want 2 and 16", score, logits)
	}
}

// TestNormaliser: only the advantages of decisions with options count.
func TestNormaliser(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []int // of each decision
		adv     []float32
		in, out float32
	}{
		{"one", []int{2}, []float32{3}, 3, 0},
		{"two", []int{2, 3}, []float32{3.25, 2.75}, 3.25, 1},
		{"two beside forced ones", []int{0, 2, 0, 2}, []float32{9, 3.25, -9, 2.75}, 2.5, -2},
		{"equal ones", []int{2, 2, 2}, []float32{0.1, 0.1, 0.1}, 0.1, 0},
		{"none", []int{0}, []float32{3}, 0, 0},
	} {
		var list []*rollout
		for k, n := range test.options { // a rollout for each, of the second of two seats
			list = append(list, &rollout{p: 2, mover: []game.Player{1}, start: []int32{0, int32(n)}, adv: []float32{100, test.adv[k]}})
		}
		if got := normaliser(list)(test.in); !(math.Abs(float64(got-test.out)) <= 1e-5) {
			t.Errorf("%s: %v becomes %v; want %v", test.name, test.in, got, test.out)
		}
	}
}

// TestLossLimits has a single decision, whose loss is a mean of one term, on the limits of the clip.
func TestLossLimits(t *testing.T) {
	const sure = 1000 // a logit of an action that is certain
	half := float32(math.Log(0.5))
	for _, test := range []struct {
		name            string
		logit, logp     float32
		clip, advantage float64
		gradient        float64 // in the first logit; that in the second is its negative
		clipped         float64
	}{
		{"within", 0, half, 0.2, 1, -0.5, 0},
		{"on both limits, a good move", sure, 0, 0, 1, 0, 0},
		{"on both limits, a bad move", sure, 0, 0, -1, 0, 0},
		{"above, a good move", 0, half - 0.25, 0.2, 1, 0, 1},
		{"above, a bad move", 0, half - 0.25, 0.2, -1, 0.5 * math.Exp(0.25), 0},
		{"above, a move like others", 0, half - 0.25, 0.2, 0, 0, 0},
		{"below, a bad move", 0, half + 0.25, 0.2, -1, 0, 1},
		{"below, a move like others", 0, half + 0.25, 0.2, 0, 0, 0},
	} {
		r := &rollout{
			head: models.Logits, spec: game.Spec{Actions: 2}, p: 2, mover: []game.Player{1}, random: make([]bool, 1),
			value: []float32{1, 2}, adv: []float32{0.5, -0.5}, start: []int32{0, 2}, option: []game.Action{0, 1},
			chosen: make([]int32, 1), logp: []float32{test.logp},
		}
		s := &shard{rollouts: []*rollout{r}, blocks: []block{{0, 0, 1}}, first: []int{0}, bySeat: make([]float32, 2), target: make([]float32, 2)}
		scale := func(float32) float32 { return float32(test.advantage) }
		dpolicy, dvalues := make([]float32, 2), make([]float32, 2)
		s.loss(terms{positions: 1, choices: 1, scale: scale, clip: test.clip, value: 2})([]float32{test.logit, 0}, []float32{3, 1}, dpolicy, dvalues)
		if !(math.Abs(float64(dpolicy[0])-test.gradient) <= 1e-6) || !(math.Abs(float64(dpolicy[1])+test.gradient) <= 1e-6) {
			t.Errorf("%s: the gradient in the logits is %v; want %v and its negative", test.name, dpolicy, test.gradient)
		}
		if s.losses.Clipped.Value() != test.clipped {
			t.Errorf("%s: a fraction of %v is clipped; want %v", test.name, s.losses.Clipped.Value(), test.clipped)
		}
		if want := []float32{2 * (3 - 1.5), 2 * (1 - 1.5)}; !slices.Equal(dvalues, want) { // both targets are 1.5
			t.Errorf("%s: the gradient in the values is %v; want %v", test.name, dvalues, want)
		}
	}
}
