package env_test

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// opaque hides the type of a policy, so that a solution cannot tell that it is a policy
// over states or an AfterstateScorer.
type opaque struct{ p env.Policy }

func (h opaque) Probs(dst []float64, d env.Decisions) error { return h.p.Probs(dst, d) }

// hashScorer scores afterstates by a hash of their observations.
type hashScorer struct{ argmax bool }

func (hashScorer) Score(dst []float64, obs []float32) error {
	d := len(obs) / len(dst)
	for i := range dst {
		sum := fnv.New64a()
		for _, x := range obs[i*d:][:d] {
			sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
		dst[i] = float64(sum.Sum64()>>11) / (1 << 53)
	}
	return nil
}

func (s hashScorer) Greedy() bool { return s.argmax }

func (s hashScorer) Choose(probs, scores []float64, first []uint32) {
	for i, from := range first[:len(first)-1] {
		s.choose(probs[from:first[i+1]], scores[from:first[i+1]])
	}
}

func (s hashScorer) choose(probs, scores []float64) {
	best := 0
	for i, x := range scores {
		probs[i] = x / total(scores)
		if x > scores[best] {
			best = i
		}
	}
	if s.argmax {
		clear(probs)
		probs[best] = 1
	}
}

func (s hashScorer) Probs(dst []float64, d env.Decisions) error {
	after := d.Afterstates()
	clear(dst)
	n := len(dst) / d.Len()
	scores, probs := make([]float64, len(after.Action)), make([]float64, len(after.Action))
	if err := s.Score(scores, after.Obs); err != nil {
		return err
	}
	for i := range d.Len() {
		from, to := after.Start[i], after.Start[i+1]
		s.choose(probs[from:to], scores[from:to])
		for k := from; k < to; k++ {
			dst[i*n+int(after.Action[k])] = probs[k]
		}
	}
	return nil
}

// byMask is the random bot, as a policy that reads the mask alone.
type byMask struct{}

func (byMask) Probs(dst []float64, d env.Decisions) error {
	n := len(dst) / d.Len()
	for i := range d.Len() {
		mask, row := d.Mask()[i*n:][:n], dst[i*n:][:n]
		legal := 0.0
		for a, ok := range mask {
			row[a] = 0
			if ok {
				row[a] = 1
				legal++
			}
		}
		for a := range row {
			row[a] /= legal
		}
	}
	return nil
}

// A policy over observations has the same exact values as the same policy over states,
// and an AfterstateScorer the same as its probabilities.
func TestObservationPolicies(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":                    env.NewGame(testgames.NewPig(t, 2, 15)),
		"martian dice":           env.NewGame(testgames.NewMartianDice(t, 2, 4, 4)),
		"martian dice for three": env.NewGame(testgames.NewMartianDice(t, 3, 3, 3)),
	} {
		sol, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		bot := func(name string) env.Policy {
			p, err := g.Bot(name)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		best, err := sol.Tabulate(t.Context(), sol.Policy())
		if err != nil {
			t.Fatal(err)
		}
		for what, pair := range map[string][2]env.Policy{
			"random":       {bot("random"), byMask{}},
			"greedy":       {bot("greedy"), opaque{bot("greedy")}},
			"best":         {sol.Policy(), opaque{sol.Policy()}},
			"hash, mixed":  {hashScorer{}, opaque{hashScorer{}}},
			"hash, argmax": {hashScorer{true}, opaque{hashScorer{true}}},
		} {
			var values [2][]float64
			for k, p := range pair {
				tabular, err := sol.Tabulate(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				for seat := range g.Spec().Players {
					seats := make([]game.TabularPolicy, g.Spec().Players)
					for i := range seats {
						seats[i] = best
					}
					seats[seat] = tabular
					v, err := sol.Evaluate(t.Context(), seats)
					if err != nil {
						t.Fatal(err)
					}
					values[k] = append(values[k], v...)
					seats[(seat+1)%len(seats)] = tabular
					most, err := sol.BestResponse(t.Context(), seats, game.Player(seat))
					if err != nil {
						t.Fatal(err)
					}
					values[k] = append(values[k], most)
				}
			}
			for i, want := range values[0] {
				if got := values[1][i]; !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("%s, %s: got values %v, want %v", name, what, values[1], values[0])
					break
				}
			}
		}
	}
}

func TestSolution(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 4, 4))
	sol, err := g.Solve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	value, err := sol.Value(g.Initial())
	if err != nil || len(value) != 2 || !(math.Abs(value[0]+value[1]) <= 1e-12) {
		t.Errorf("the game has the values %v, error %v", value, err)
	}
	if facts := sol.Facts(); len(facts) != 1 || facts[0].Name != "expected_turn_score" {
		t.Errorf("facts are %v", facts)
	}
	if !(sol.Residual() < 1e-12) {
		t.Errorf("residual is %v", sol.Residual())
	}
	// The value of a decision is that of its best option.
	p, err := g.Parse("1-2@1 roll R1H1C2")
	if err != nil {
		t.Fatal(err)
	}
	value, err = sol.Value(p)
	if err != nil {
		t.Fatal(err)
	}
	options, err := sol.Options(p)
	if err != nil || len(options) != 3 || !(math.Abs(max(options[0], options[1], options[2])-value[1]) <= 1e-12) {
		t.Errorf("options are %v, error %v; the value of the position is %v", options, err, value)
	}
	foreign := env.NewGame(testgames.NewPig(t, 2, 15)).Initial()
	if v, err := sol.Value(foreign); err == nil || !strings.Contains(err.Error(), "position 0-0@0 is of another game") {
		t.Errorf("a position of another game has the values %v, %v", v, err)
	}
	if v, err := sol.Options(foreign); err == nil || !strings.Contains(err.Error(), "position 0-0@0 is of another game") {
		t.Errorf("a position of another game has the options %v, %v", v, err)
	}
	if _, err := env.NewGame(testgames.Coin{}).Solve(t.Context(), nil); !errors.Is(err, game.ErrNoSolution) {
		t.Errorf("a game without a solver: error %v, want ErrNoSolution", err)
	}
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}
