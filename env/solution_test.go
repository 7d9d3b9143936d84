package env_test

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/env/internal/testgames"
)

// hidden is a player of the game's own as one who is not: a solution that would
// know it has to ask.
type hidden struct{ p env.Policy }

func (h hidden) Probs(dst []float64, d env.Decisions) error { return h.p.Probs(dst, d) }

// taste is a policy by a hash of the states just after its actions.
type taste struct{ argmax bool }

func (taste) Score(dst []float64, obs []float32) error {
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

func (s taste) Choose(probs, scores []float64) {
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

func (s taste) Probs(dst []float64, d env.Decisions) error {
	after := d.Afterstates()
	clear(dst)
	n := len(dst) / d.Len()
	scores, probs := make([]float64, len(after.Action)), make([]float64, len(after.Action))
	if err := s.Score(scores, after.Obs); err != nil {
		return err
	}
	for i := range d.Len() {
		from, to := after.Start[i], after.Start[i+1]
		s.Choose(probs[from:to], scores[from:to])
		for k := from; k < to; k++ {
			dst[i*n+int(after.Action[k])] = probs[k]
		}
	}
	return nil
}

// byMask is the random player, who looks at nothing but the mask.
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

// Policies from outside, who know no states, must be priced as those who do.
func TestOutsiders(t *testing.T) {
	for name, g := range map[string]env.Game{
		"pig":                    env.NewGame(testgames.NewPig(t, 2, 15)),
		"martian dice":           env.NewGame(testgames.NewMartianDice(t, 2, 4, 4)),
		"martian dice for three": env.NewGame(testgames.NewMartianDice(t, 3, 3, 3)),
	} {
		sol, err := g.Solve(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		player := func(name string) env.Policy {
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
			"random":       {player("random"), byMask{}},
			"greedy":       {player("greedy"), hidden{player("greedy")}},
			"best":         {sol.Policy(), hidden{sol.Policy()}},
			"taste, mixed": {taste{}, hidden{taste{}}},
			"taste":        {taste{true}, hidden{taste{true}}},
		} {
			var values [2][]float64
			for k, p := range pair {
				st, err := sol.Tabulate(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				for seat := range g.Spec().Players {
					seats := make([]game.TabularPolicy, g.Spec().Players)
					for i := range seats {
						seats[i] = best
					}
					seats[seat] = st
					v, err := sol.Evaluate(t.Context(), seats)
					if err != nil {
						t.Fatal(err)
					}
					values[k] = append(values[k], v...)
					seats[(seat+1)%len(seats)] = st
					most, err := sol.BestResponse(t.Context(), seats, game.Player(seat))
					if err != nil {
						t.Fatal(err)
					}
					values[k] = append(values[k], most)
				}
			}
			for i, want := range values[0] {
				if got := values[1][i]; !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("%s, %s: values from outside are %v, from inside %v", name, what, values[1], values[0])
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
		t.Errorf("the game is worth %v, %v", value, err)
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
		t.Errorf("options are worth %v, %v; the position %v", options, err, value)
	}
	foreign := env.NewGame(testgames.NewPig(t, 2, 15)).Initial()
	if v, err := sol.Value(foreign); err == nil {
		t.Errorf("a position of another game is worth %v", v)
	}
	if v, err := sol.Options(foreign); err == nil {
		t.Errorf("in a position of another game the options are worth %v", v)
	}
	if _, err := env.NewGame(testgames.Coin{}).Solve(t.Context(), nil); !errors.Is(err, game.ErrNoSolution) {
		t.Errorf("a game without a solver: error %v, want ErrNoSolution", err)
	}
}
