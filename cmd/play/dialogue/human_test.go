package dialogue_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"marsgym/cmd/play/dialogue"
	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/colour"
	"marsgym/internal/test/testgames"
)

// choose is chooseIn for Martian Dice.
func choose(t *testing.T, position, script string, hints func(env.Position) ([]dialogue.Hint, error)) (choice, screen string, err error) {
	t.Helper()
	return chooseIn(t, testgames.Open(t, "martian-dice", 0, "{}"), position, script, hints)
}

// chooseIn lets a person who types script choose in a position. It returns the name of the
// action and the output.
func chooseIn(t *testing.T, g env.Game, position, script string, hints func(env.Position) ([]dialogue.Hint, error)) (choice, screen string, err error) {
	t.Helper()
	p, err := g.Parse(position)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	h := dialogue.NewHuman(g, strings.NewReader(script), &out)
	h.Hints = hints
	probs, err := env.ActionProbabilities(t.Context(), h, p, g.Spec().Actions)
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
		{"a word", choosing, "cows\n", "cows", "rolled      2 rays, 1 human, 5 cows, 3 chickens"},
		{"a letter", choosing, "h\n", "humans", ""},
		{"the same letter", holding, "r\n", "roll", "[r]oll   roll 4 dice; 3 % of rolls make the turn worth 0"},
		{"capitals and spaces", choosing, "  RaYs \n", "rays", ""},
		{"no line feed", choosing, "rays", "rays", ""},
		{"empty lines", choosing, "\n\n \t\r\nrays\n", "rays", "> > > > "},
		{"an arrow key", choosing, "\x1b[C\nrays\n", "rays", "> No: the line has control characters, such as those of arrow keys, or is not UTF-8; type it again.\n> "},
		{"the byte zero", choosing, "humans\x00\nrays\n", "rays", "> No: the line has control characters"},
		{"no UTF-8", choosing, "\xffhumans\nrays\n", "rays", "> No: the line has control characters"},
		{"ambiguous", choosing, "c\nco\n", "cows", "No: \"c\" could be cows or chickens.\n> "},
		{"ambiguous, the other", choosing, "c\nch\n", "chickens", ""},
		{"no longer ambiguous", some, "c\n", "cows", "[c]ows"},
		{"not rolled", some, "ch\nr\n", "rays", "No: no chickens were rolled.\n"},
		{"taken already", "3-5@0 aside T2H4 roll R2H5", "humans\nrays\n", "rays", "No: humans are set aside already, and may be taken once a turn.\n"},
		{"too early", choosing, "stop\nrays\n", "rays", "No: choose a type to set aside first.\n"},
		{"too late", holding, "cows\ns\n", "stop", "No: a type is set aside already, roll or stop.\n"},
		{"nonsense", some, "x\nc\n", "cows", "No: \"x\" is no action here; ? lists them.\n"},
		{"too long", holding, "rolling\nstop\n", "stop", "No: \"rolling\" is no action here, but roll is.\n"},
		{"the end of a long line", choosing, strings.Repeat("x", 1e5) + "\nrays\n", "rays", "> No: the line is longer than 1000 bytes.\n> "},
		{"an action at the beginning of a long line", choosing, "humans" + strings.Repeat(" ", 5000) + "x\nrays\n", "rays", "> No: the line is longer than 1000 bytes.\n> "},
		{"help about a word", choosing, "? ch\n? zz\nrays\n", "rays", ">   [ch]ickens   keep 3 chickens; 8 dice left\n> Nothing here is named \"zz\".\n> "},
		{"help", choosing, "?\nrays\n", "rays", ">   [r]ays       keep 2 rays; 9 dice left\n  [h]umans     keep 1 human; 10 dice left\n  [co]ws       keep 5 cows; 6 dice left\n  [ch]ickens   keep 3 chickens; 8 dice left\n> "},
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
		if choice, _, err := choose(t, choosing, script, nil); !errors.Is(err, dialogue.ErrQuit) {
			t.Errorf("%q: chose %q, %v; want ErrQuit", script, choice, err)
		}
	}
}

func TestHumanHints(t *testing.T) {
	hints := func(env.Position) ([]dialogue.Hint, error) {
		return []dialogue.Hint{{Text: "wins 60 %", Value: 0.6}, {Text: "wins 40 %", Value: 0.4}}, nil
	}
	_, screen, _ := choose(t, holding, "roll\n", hints)
	if want := "  [r]oll   roll 4 dice; 3 % of rolls make the turn worth 0   wins 60 %\n  [s]top   end the turn with 4 points                        wins 40 %\n"; !strings.Contains(screen, want) {
		t.Errorf("no\n%s\nin the output\n%s", want, screen)
	}
	broken := errors.New("broken")
	if _, _, err := choose(t, holding, "roll\n", func(env.Position) ([]dialogue.Hint, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("with broken hints: %v", err)
	}
}

// TestHumanGroups: many options are listed by their kinds, and named by parts of their
// names.
func TestHumanGroups(t *testing.T) {
	g := testgames.Open(t, "mars-is-ours-fast", 0, "{}")
	const position = "3-2@1 start 0 hand 2-3 junk 1-1 robots oA.o/.AB./.BA./o..o"
	for script, want := range map[string]string{
		"d2\n":               "place-d2",
		"place d2\n":         "place-d2",
		"pl d2\n":            "place-d2",
		"a b2 x2\n":          "attack-b2-x2",
		"b2\nb2 1\nb2-x1":    "attack-b2-x1",
		"zz\nd2 b2\np\npass": "pass",
	} {
		choice, screen, err := chooseIn(t, g, position, script, nil)
		if err != nil || choice != want {
			t.Errorf("%q is %s, want %s: %v\n%s", script, choice, want, err, screen)
		}
		if list := "\n  place a robot:  c1  a2  d2  a3  d3  b4  c4\n"; !strings.Contains(screen, list) {
			t.Errorf("no %q in\n%s", list, screen)
		}
		for line := range strings.Lines(colour.Strip(screen)) {
			if len([]rune(line)) > 80 {
				t.Errorf("%d columns: %s", len([]rune(line)), line)
			}
		}
	}
}

// TestHumanPart: a part of the name of the only attack does not start it, such as that of a
// cell where no robot can be placed; its beginning does, and so does any part of an action
// that the screen lists without its beginning.
func TestHumanPart(t *testing.T) {
	g := testgames.Open(t, "mars-is-ours-fast", 0, "{}")
	const position = "1-1@1 start 0 hand 4-4 junk 1-1 robots oA.o/.B../..../o..o"
	for script, want := range map[string]string{"b1\nd2\n": "place-d2", "x1\nd2\n": "place-d2", "a b1\n": "attack-b1-x1", "d2\n": "place-d2"} {
		choice, screen, err := chooseIn(t, g, position, script, nil)
		if err != nil || choice != want {
			t.Errorf("%q is %s, want %s: %v\n%s", script, choice, want, err, screen)
		}
		text := " is only a part of attack-b1-x1; type its beginning too.\n"
		if strings.Contains(screen, text) != strings.Contains(script, "\nd2") {
			t.Errorf("%q: %q in\n%s", script, text, screen)
		}
	}
}

// TestHumanConfirm: an action with a warning is played if it is typed again.
func TestHumanConfirm(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, "{}")
	p, err := g.Parse(choosing)
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{"rays\nrays\n": "rays", "rays\ncows\n": "cows", "cows\n": "cows", "rays\nx\nrays\n": "rays"} {
		var out strings.Builder
		h := dialogue.NewHuman(g, strings.NewReader(script), &out)
		h.Confirm = func(_ env.Position, a game.Action) (string, error) {
			if g.ActionName(a) == "rays" {
				return "Careful.", nil
			}
			return "", nil
		}
		probs, err := env.ActionProbabilities(t.Context(), h, p, g.Spec().Actions)
		if err != nil {
			t.Fatal(err)
		}
		for a, q := range probs {
			if name := g.ActionName(game.Action(a)); q == 1 && name != want {
				t.Errorf("%q is %s, want %s", script, name, want)
			}
		}
		if warned := strings.Contains(out.String(), "Careful.\nType it again"); warned != strings.HasPrefix(script, "rays") {
			t.Errorf("%q: warned %v\n%s", script, warned, out.String())
		}
	}
}

// TestHumanCommand: a command is no action, and its error ends the choice.
func TestHumanCommand(t *testing.T) {
	g := testgames.Open(t, "martian-dice", 0, "{}")
	p, err := g.Parse(choosing)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	h := dialogue.NewHuman(g, strings.NewReader("hum x\nstop now\nrays\n"), io.Discard)
	var seen []string
	h.Command = func(_ env.Position, words []string) (bool, error) {
		seen = append(seen, strings.Join(words, " "))
		if words[0] == "stop" {
			return true, stop
		}
		return words[0] == "hum", nil
	}
	if _, err := env.ActionProbabilities(t.Context(), h, p, g.Spec().Actions); err != stop || strings.Join(seen, ",") != "hum x,stop now" {
		t.Errorf("the commands %q and the error %v", seen, err)
	}
}
