package martiandice

import (
	"context"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"marsgym/env/game"
	"marsgym/env/tabular"
)

// reading is a policy by hashes that records the states which it is called with.
type reading struct {
	r     *Rules
	mixed bool // it plays all actions
	asked map[State]bool
}

func (p *reading) Probs(dst []float64, states []State) error {
	clear(dst)
	for i, s := range states {
		p.asked[s] = true
		legal := p.r.Legal(nil, s)
		h := fnv.New32a()
		h.Write(append(s.Aside[:], s.Roll[:]...))
		h.Write(s.Score[:])
		pick := int(h.Sum32()>>8) % len(legal)
		for k, a := range legal {
			switch {
			case p.mixed:
				dst[i*int(actions)+int(a)] = float64(1+(pick+k)%len(legal)) / float64(len(legal)*(len(legal)+1)/2)
			case k == pick:
				dst[i*int(actions)+int(a)] = 1
			}
		}
	}
	return nil
}

// readAll returns what a policy does in the turn from a start, in all decisions.
func (s *Solution) readAll(t *testing.T, p game.Policy[State], start int) *turnPolicy {
	t.Helper()
	play, n := newTurnPolicy(s.turn), s.turn.decisionsPerTurn()
	states, probs := make([]State, n), make([]float64, n*int(actions))
	for i := range states {
		states[i] = s.turn.decision(s.turnStart(start), uint32(i))
	}
	if err := p.Probs(probs, states); err != nil {
		t.Fatal(err)
	}
	for d := range s.turn.decisions {
		option := play.option[s.turn.first[d]:s.turn.first[d+1]]
		for k, a := range s.turn.actions[s.turn.first[d]:s.turn.first[d+1]] {
			option[k] = probs[d*int(actions)+int(a)]
		}
		if err := tabular.Normalise(option); err != nil {
			t.Fatal(err)
		}
	}
	for i := s.turn.ends; i < s.turn.start(); i++ {
		play.roll[i] = probs[(len(s.turn.decisions)+i-s.turn.ends)*int(actions)+int(Roll)]
	}
	return play
}

// A policy is called with the decisions that it reaches and no others. The probabilities of the
// ends are the same to the bit as those of a policy that is called with all decisions.
func TestReadsWhatIsReached(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &Solution{r: r, turn: r.graph(), starts: newStarts(r.cfg)}
	for _, mixed := range []bool{false, true} {
		p := &reading{r: r, mixed: mixed, asked: map[State]bool{}}
		const from, to = 700, 709 // more than one call of the policy
		got, err := s.tabulateRows(context.Background(), p, from, to)
		if err != nil {
			t.Fatal(err)
		}
		reached := map[State]bool{}
		for start := from; start < to; start++ {
			play, want := s.readAll(t, &reading{r, mixed, map[State]bool{}}, start), make([]float64, s.turn.ends)
			play.propagate(s.turn, want)
			if row := got[(start-from)*s.turn.ends:][:s.turn.ends]; !slices.Equal(row, want) {
				t.Fatalf("start %d, mixed %v: the ends have the probabilities %v; want %v", start, mixed, row, want)
			}
			for i := range s.turn.decisionsPerTurn() {
				if d := len(s.turn.decisions); i < d && play.decisionReach[i] > 0 || i >= d && play.reach[s.turn.ends+i-d] > 0 {
					reached[s.turn.decision(s.turnStart(start), uint32(i))] = true
				}
			}
		}
		if all := (to - from) * s.turn.decisionsPerTurn(); mixed != (len(reached) == all) {
			t.Errorf("mixed %v: %d of %d decisions are reached", mixed, len(reached), all)
		}
		for state := range p.asked {
			if !reached[state] {
				t.Fatalf("mixed %v: the policy is called at %s, which it does not reach", mixed, r.Format(state))
			}
		}
		if len(p.asked) != len(reached) {
			t.Errorf("mixed %v: the policy is called with %d of %d decisions that it reaches", mixed, len(p.asked), len(reached))
		}
	}
}

// TestReaderShares reads a policy that is the same at all starts from several of them at once. It
// can fail under the race detector only.
func TestReaderShares(t *testing.T) {
	r, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &Solution{r: r, turn: r.graph(), starts: newStarts(r.cfg)}
	starts := make([]int, 20)
	for i := range starts {
		starts[i] = 700 + i
	}
	reader := s.newPolicyReader(newGreedy(r, s.turn))
	for range 3 {
		err := reader.each(t.Context(), starts, func(_ int, play *turnPolicy) error {
			time.Sleep(time.Millisecond) // so that several cores read
			play.propagate(s.turn, make([]float64, s.turn.ends))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
