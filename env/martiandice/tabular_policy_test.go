package martiandice_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"marsgym/env/game"
	"marsgym/env/martiandice"
)

// hashed is a policy whose scores are hashes of observations: they look random, and equal
// observations have equal scores.
type hashed struct {
	r      *martiandice.Rules
	salt   byte
	argmax bool
}

// score returns a number from 0 to 1 for a and the observation of s by seat p.
func (h hashed) score(s martiandice.State, p game.Player, a game.Action) float64 {
	s, _ = h.r.Canonical(s)
	obs := make([]float32, h.r.Spec().ObsLen())
	h.r.Encode(obs, s, p)
	sum := fnv.New64a()
	sum.Write([]byte{h.salt, byte(a)})
	for _, x := range obs {
		sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
	}
	return float64(sum.Sum64()>>11) / (1 << 53)
}

// Greedy implements [game.AfterstateScorer].
func (h hashed) Greedy() bool { return h.argmax }

// Choose implements [game.AfterstateScorer].
func (h hashed) Choose(probs, scores []float64, first []uint32) {
	for i, from := range first[:len(first)-1] {
		h.choose(probs[from:first[i+1]], scores[from:first[i+1]])
	}
}

func (h hashed) choose(probs, scores []float64) {
	best, sum := 0, 0.0
	for i, x := range scores {
		if x > scores[best]+game.Tie {
			best = i
		}
		sum += x
	}
	for i, x := range scores {
		probs[i] = x / sum
	}
	if h.argmax {
		clear(probs)
		probs[best] = 1
	}
}

// valid returns an error for positions that Parse rejects: policies are called only with
// positions of the game.
func valid(r *martiandice.Rules, s martiandice.State) error {
	_, err := r.Parse(r.Format(s))
	return err
}

// byAction scores actions. It is no AfterstateScorer.
type byAction struct{ h hashed }

func (b byAction) Probs(dst []float64, states []martiandice.State) error {
	clear(dst)
	n := b.h.r.Spec().Actions
	for i, s := range states {
		if err := valid(b.h.r, s); err != nil {
			return err
		}
		legal := b.h.r.Legal(nil, s)
		scores, probs := make([]float64, len(legal)), make([]float64, len(legal))
		for k, a := range legal {
			scores[k] = b.h.score(s, b.h.r.CurrentPlayer(s), a)
		}
		b.h.choose(probs, scores)
		for k, a := range legal {
			dst[i*n+int(a)] = probs[k]
		}
	}
	return nil
}

// byAfterstate is an AfterstateScorer.
type byAfterstate struct{ hashed }

func (b byAfterstate) Score(dst []float64, after []martiandice.State, movers []game.Player) error {
	for i, s := range after {
		if err := valid(b.r, s); err != nil {
			return err
		}
		dst[i] = b.score(s, movers[i], -1)
	}
	return nil
}

func (b byAfterstate) Probs(dst []float64, states []martiandice.State) error {
	clear(dst)
	n := b.r.Spec().Actions
	for i, s := range states {
		legal := b.r.Legal(nil, s)
		scores, probs := make([]float64, len(legal)), make([]float64, len(legal))
		for k, a := range legal {
			after, err := b.r.Apply(s, a)
			if err != nil {
				return err
			}
			scores[k] = b.score(after, b.r.CurrentPlayer(s), -1)
		}
		b.choose(probs, scores)
		for k, a := range legal {
			dst[i*n+int(a)] = probs[k]
		}
	}
	return nil
}

type policy = game.Policy[martiandice.State]

// policies returns policies of every kind that Tabulate distinguishes.
func policies(t testing.TB, r *martiandice.Rules) []policy {
	t.Helper()
	greedy, err := r.Bot("greedy")
	if err != nil {
		t.Fatal(err)
	}
	return []policy{
		greedy,
		game.Uniform[martiandice.State]{Rules: r},
		byAction{hashed{r, 1, false}}, byAction{hashed{r, 2, true}},
		byAfterstate{hashed{r, 3, false}}, byAfterstate{hashed{r, 12, true}},
	}
}

func tabulate(t testing.TB, sol game.Solution[martiandice.State], p policy) game.TabularPolicy {
	t.Helper()
	g, err := sol.Tabulate(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// checkRows compares the rows of policies with those announced.
func checkRows(t *testing.T, sol game.Solution[martiandice.State], list []policy, tables []game.TabularPolicy) {
	t.Helper()
	for i, p := range list {
		_, scorer := p.(game.AfterstateScorer[martiandice.State])
		if got, want := tables[i].Rows(), sol.Rows(scorer); got != want {
			t.Errorf("policy %d, scorer %v: %d rows; want %d", i, scorer, got, want)
		}
	}
}

// Every policy against every other, and best responses to them, must have the values of
// the tabular solution.
func TestEvaluate(t *testing.T) {
	const tol = 1e-11
	for name, cfg := range reduced {
		if name == "solitaire at once" {
			continue // some of these policies would never score
		}
		t.Run(name, func(t *testing.T) {
			sampled(t, cfg)
			t.Parallel()
			r := newRules(t, cfg)
			fast, slow := solve(t, r), solveTabular(t, r)
			list := append(policies(t, r), fast.Policy())
			var a, b []game.TabularPolicy
			for _, p := range list[:len(list)-1] {
				a, b = append(a, tabulate(t, fast, p)), append(b, tabulate(t, slow, p))
			}
			checkRows(t, fast, list[2:len(list)-1], a[2:]) // the others ignore the scores
			a, b = append(a, tabulate(t, fast, fast.Policy())), append(b, tabulate(t, slow, slow.Policy()))
			for i := range list {
				for j := range list {
					if cfg.Players == 1 && j > 0 {
						break
					}
					// Of four seats, the first and third have policy i, the others j.
					seats, oracle := make([]game.TabularPolicy, cfg.Players), make([]game.TabularPolicy, cfg.Players)
					for k := range seats {
						at := []int{i, j}[k%2]
						seats[k], oracle[k] = a[at], b[at]
					}
					compare(t, fast, slow, seats, oracle, tol)
				}
			}
		})
	}
}

// compare evaluates the same policies by two solutions.
func compare(t *testing.T, fast, slow game.Solution[martiandice.State], seats, oracle []game.TabularPolicy, tol float64) {
	t.Helper()
	got, err := fast.Evaluate(ctx, []float64{7}, seats)
	if err != nil {
		t.Fatal(err)
	}
	want, err := slow.Evaluate(ctx, []float64{7}, oracle)
	if err != nil {
		t.Fatal(err)
	}
	if !near(got, want, tol) {
		t.Errorf("got %v, want %v", got, want)
	}
	for seat := range game.Player(len(seats)) {
		got, err := fast.BestResponse(ctx, seats, seat)
		if err != nil {
			t.Fatal(err)
		}
		want, err := slow.BestResponse(ctx, oracle, seat)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got-want) <= tol) {
			t.Errorf("the best response of seat %d has value %v, want %v", seat, got, want)
		}
	}
}

// scaled gives probabilities that do not quite sum to one, as of float32.
type scaled struct{ policy }

func (s scaled) Probs(dst []float64, states []martiandice.State) error {
	err := s.policy.Probs(dst, states)
	for i := range dst {
		dst[i] *= 1 + 5e-6
	}
	return err
}

func TestNormalise(t *testing.T) {
	r := newRules(t, small(2, 3, 4, nil))
	sol := solve(t, r)
	p := byAction{hashed{r, 1, false}}
	g, h := tabulate(t, sol, p), tabulate(t, sol, scaled{p})
	want, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{g, g})
	if err != nil {
		t.Fatal(err)
	}
	got, err := sol.Evaluate(ctx, nil, []game.TabularPolicy{h, h})
	if err != nil || !near(got, want, 1e-12) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}
