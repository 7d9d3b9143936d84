package env_test

import (
	"errors"
	"slices"
	"testing"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/test/testgames"
)

// TestSessionLimit: a session is over after as many decisions as a batch allows, once the chance
// after the last of them is drawn; going back opens it again.
func TestSessionLimit(t *testing.T) {
	const limit = 3
	s := env.NewSession(env.NewGame(testgames.LimitedPig{Rules: testgames.NewPig(t, 2, 200), Moves: limit}))
	s.Seed(1)
	for range 2 {
		for n := 1; n <= limit; n++ {
			if s.AtLimit() || s.Over() {
				t.Fatalf("over after %d decisions", n-1)
			}
			if err := s.Apply(0); err != nil {
				t.Fatal(err)
			}
			if s.AtLimit() || s.Over() {
				t.Errorf("over after %d decisions, before the die", n)
			}
			s.Settle()
		}
		if !s.AtLimit() || !s.Over() || len(s.Steps) != 2*limit {
			t.Errorf("not over after %d decisions", limit)
		}
		if s.Undo(2*limit - 1); s.AtLimit() || s.Over() || s.Position() != s.At(2*limit-1) {
			t.Error("over before the last die")
		}
		if s.Settle(); !s.AtLimit() {
			t.Error("not over after the last die again")
		}
		s.Begin(s.Rules.Initial())
	}
	if err := s.Apply(1); !errors.Is(err, game.ErrIllegalAction) || len(s.Steps) > 0 {
		t.Errorf("hold at first: %v after %d steps", err, len(s.Steps))
	}
}

// TestSessionResumes: a history and a seed are all that going on with a game needs, and neither what
// is shown nor what is only sampled changes it.
func TestSessionResumes(t *testing.T) {
	g := env.NewGame(testgames.NewMartianDice(t, 2, 13, 25))
	uniform := make([]float64, g.Spec().Actions)
	play := func(s *env.Session, steps int) (sampled []game.Action) {
		for len(s.Steps) < steps {
			if s.Position().CurrentPlayer() == game.Chance {
				s.Roll()
				continue
			}
			legal := s.Position().Legal()
			clear(uniform)
			for _, a := range legal {
				uniform[a] = 1 / float64(len(legal))
			}
			a := s.Sample(uniform)
			if again := s.Sample(uniform); again != a {
				t.Errorf("the next choice is %d, and then %d", a, again)
			}
			sampled = append(sampled, a)
			if err := s.Apply(a); err != nil {
				t.Fatal(err)
			}
		}
		return sampled
	}
	whole := env.NewSession(g)
	whole.Seed(7)
	all := play(whole, 40)
	for _, half := range []int{0, 1, 2, 17} {
		s := env.NewSession(g)
		choices := 0
		for _, x := range whole.Steps[:half] {
			if x.Chance() {
				s.Chance(x.After)
			} else if err := s.Apply(x.Action); err != nil {
				t.Fatal(err)
			} else {
				choices++
			}
		}
		s.Seed(7)
		if rest := play(s, 40); !slices.Equal(rest, all[choices:]) || s.Position() != whole.Position() {
			t.Errorf("from step %d on the choices are %v, to %s; want %v, to %s", half, rest, s.Position(), all[choices:], whole.Position())
		}
	}
	// The dice that are shown follow from the seed too.
	first, again, other := env.NewSession(g), env.NewSession(g), env.NewSession(g)
	first.Seed(1)
	again.Seed(1)
	other.Seed(2)
	differ := false
	for _, x := range whole.Steps {
		if !x.Chance() {
			continue
		}
		shown := first.Show(x)
		if same := again.Show(x); same != shown {
			t.Errorf("from %s to %s the roll is %q, and with the same seed %q", x.Before, x.After, shown, same)
		}
		if next, err := x.Before.ReadRoll(shown); err != nil || next != x.After {
			t.Errorf("the roll %q leads from %s to %s, %v; want %s", shown, x.Before, next, err, x.After)
		}
		differ = differ || other.Show(x) != shown
	}
	if !differ {
		t.Error("another seed shows the same dice")
	}
}

// TestSessionReadsRolls: a typed roll is a step with that roll, and a wrong one none.
func TestSessionReadsRolls(t *testing.T) {
	s := env.NewSession(env.NewGame(testgames.NewPig(t, 2, 100)))
	s.Seed(1)
	if err := s.Apply(0); err != nil {
		t.Fatal(err)
	}
	if err := s.ReadRoll("7"); err == nil || len(s.Steps) != 1 {
		t.Errorf("a roll of 7: %v, %d steps", err, len(s.Steps))
	}
	if err := s.ReadRoll("5"); err != nil || len(s.Steps) != 2 || s.Steps[1].Roll != "5" || s.Position().String() != "0-0@0 turn 5" || !s.Steps[1].Chance() || s.Steps[0].Chance() {
		t.Errorf("a roll of 5: %v, %+v", err, s.Steps)
	}
	if told := s.Steps[1].Told(); len(told) == 0 || told[0].IsZero() {
		t.Errorf("of a roll is told %q", told)
	}
}
