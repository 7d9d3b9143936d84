package agents_test

import (
	"errors"
	"strings"
	"testing"

	"marsgym/agents"
	"marsgym/env"
	"marsgym/env/game"
)

// choose lets a person who types script choose in a position of Martian Dice. It
// returns the name of the action and the output.
func choose(t *testing.T, position, script string, hints func(env.Position) ([]string, error)) (choice, screen string, err error) {
	t.Helper()
	g := open(t, "martian-dice", "{}")
	p, err := g.Parse(position)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	probs, err := env.ActionProbabilities(t.Context(), agents.NewHuman(g, strings.NewReader(script), &out, hints), p, g.Spec().Actions)
	for a, q := range probs {
		if q == 1 {
			choice += g.ActionName(game.Action(a))
		}
	}
	return choice, out.String(), err
}

const (
	choosing = "3-5@0 aside T2 roll R2H1C5K3"
	some     = "3-5@0 aside T2H4 roll R2C5" // humans are set aside already, and no chickens were rolled
	holding  = "3-5@0 aside T2R3H4"
)

func TestHuman(t *testing.T) {
	tests := []struct {
		name, position, script, choice string
		screen                         string // a part of the output
	}{
		{"a word", choosing, "cows\n", "cows", "rolled   2 rays, 1 human, 5 cows, 3 chickens"},
		{"a letter", choosing, "h\n", "humans", ""},
		{"the same letter", holding, "r\n", "roll", "[r]oll   roll 4 dice"},
		{"capitals and spaces", choosing, "  RaYs \n", "rays", ""},
		{"no line feed", choosing, "rays", "rays", ""},
		{"empty lines", choosing, "\n\nrays\n", "rays", "> > > "},
		{"ambiguous", choosing, "c\nco\n", "cows", "No: c could be cows or chickens.\n> "},
		{"ambiguous, the other", choosing, "c\nch\n", "chickens", ""},
		{"no longer ambiguous", some, "c\n", "cows", "[c]ows"},
		{"not rolled", some, "ch\nr\n", "rays", "No: no chickens were rolled.\n"},
		{"taken already", "3-5@0 aside T2H4 roll R2H5", "humans\nrays\n", "rays", "No: humans are set aside already, and may be taken once a turn.\n"},
		{"too early", choosing, "stop\nrays\n", "rays", "No: choose a type to set aside first.\n"},
		{"too late", holding, "cows\ns\n", "stop", "No: a type is set aside already, roll or stop.\n"},
		{"nonsense", some, "x\nc\n", "cows", "No: x is not one of rays, cows.\n"},
		{"too long", holding, "rolling\nstop\n", "stop", "No: rolling is not one of roll, stop.\n"},
		{"help", choosing, "?\nrays\n", "rays", "in brackets; quit ends the game.\n  [r]ays       keep 2, 9 dice left\n  [h]umans     keep 1, 10 dice left\n  [co]ws       keep 5, 6 dice left\n  [ch]ickens   keep 3, 8 dice left\n> "},
	}
	for _, tt := range tests {
		choice, screen, err := choose(t, tt.position, tt.script, nil)
		if choice != tt.choice || err != nil || !strings.Contains(screen, tt.screen) {
			t.Errorf("%s: chose %q, %v; want %q, and %q in\n%s", tt.name, choice, err, tt.choice, tt.screen, screen)
		}
	}
}

func TestHumanQuits(t *testing.T) {
	for _, script := range []string{"", "quit\n", "q\n", "EXIT\n", "c\nx\nquit\n", "stop\n"} {
		if choice, _, err := choose(t, choosing, script, nil); !errors.Is(err, agents.ErrQuit) {
			t.Errorf("%q: chose %q, %v; want ErrQuit", script, choice, err)
		}
	}
}

func TestHumanHints(t *testing.T) {
	hints := func(env.Position) ([]string, error) { return []string{"wins 60 %", "wins 40 %"}, nil }
	_, screen, _ := choose(t, holding, "roll\n", hints)
	if want := "  [r]oll   roll 4 dice                  wins 60 %\n  [s]top   end the turn with 4 points   wins 40 %\n"; !strings.Contains(screen, want) {
		t.Errorf("no\n%s\nin the output\n%s", want, screen)
	}
	broken := errors.New("broken")
	if _, _, err := choose(t, holding, "roll\n", func(env.Position) ([]string, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("with broken hints: %v", err)
	}
}
