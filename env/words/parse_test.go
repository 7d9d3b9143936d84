package words_test

import (
	"fmt"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/tablegame"
	"marsgym/env/words"
	"marsgym/internal/test/testgames"
)

// TestParseAction: answers as models write them. want is the name of the action, "" for none.
func TestParseAction(t *testing.T) {
	const (
		pig  = "47-15@1 turn 12"                                                                                                // roll 0, hold 1
		dice = "2-0@1 aside R7"                                                                                                 // roll 4, stop 5
		tiny = "1-3@1 attack start 0 ; A:2LMS ; B:2L C:1MS D:2 round 3"                                                         // b>a 9, end 29
		risk = "4-3-5@2 reinforce 2 start 2 ; CA:1 AZ:1 UT:1 CO:2LMS ; MT:2MS NM:1 ND:2L ; OR:1 WA:1L NV:1 ID:1M WY:1S round 2" // or 0, wa+ 13
		mars = "2-1@0 start 1 hand 2-3 junk 2-2 passed 1 robots o.Bo/..A./..../o.Ao"                                            // place-b1 0, place-a2 2
	)
	for _, tt := range []struct{ game, position, answer, want string }{
		{"pig", pig, "roll", "roll"},
		{"pig", pig, "ROLL", "roll"},
		{"pig", pig, "**Hold**", "hold"},
		{"pig", pig, "I could roll, but I hold.", "hold"}, // the last of several
		{"pig", pig, "My options are `hold` and `roll`. With 12 points at risk I'd rather hold!", "hold"},
		{"pig", pig, "[roll]", "roll"},
		{"pig", pig, "[roll] because to hold would be too early", "roll"},
		{"pig", pig, "【HOLD】，因為 roll 太危險", "hold"},
		{"pig", pig, "Let me think.\n```\nhold\n```\nTo roll would be greedy.", "hold"},
		{"pig", pig, "```json\n{\"action\": \"hold\", \"reason\": \"to roll is a risk\"}\n```", "hold"},
		{"pig", pig, `{"action": 0}`, "roll"},
		{"pig", pig, `{"thoughts": "hold?", "best_move":"roll","confidence":0.7}`, "roll"},
		{"pig", pig, "<think>I want to hold</think>roll", "roll"},
		{"pig", pig, "<think>hold</think>\n\nI'm not sure.", ""},
		{"pig", pig, "<think>I should roll. But", ""}, // cut off
		{"pig", pig, "[THINK]roll[/THINK]Action: hold", "hold"},
		{"pig", pig, "Final answer: roll, since 12 points are few and hold wins less", "roll"},
		{"pig", pig, "<action>roll</action> rather than hold", "roll"},
		{"pig", pig, `The best choice is \boxed{hold}.`, "hold"},
		{"pig", pig, "1", "hold"},
		{"pig", pig, "1.", "hold"},
		{"pig", pig, "[1]", "hold"},
		{"pig", pig, "I choose 0.", "roll"},
		{"pig", pig, "Option 1", "hold"},
		{"pig", pig, "[0] roll: roll the die\n[1] hold: bank 12 points\n\nI will roll.", "roll"},
		{"pig", pig, "I have 1 die and 47 points against 15.", ""},
		{"pig", pig, "Ich wähle roll.", "roll"},
		{"pig", pig, "Antwort: hold", "hold"},
		{"pig", pig, "我選擇hold。", "hold"},
		{"pig", pig, "Ich behalte die Punkte, also hold, nicht roll-on", "hold"},
		{"pig", pig, "Würfle, ich mag Risiko", ""},
		{"pig", pig, "I'm sorry, but I can't help with gambling.", ""},
		{"pig", pig, "I cannot choose an action.", ""},
		{"pig", pig, "", ""},
		{"pig", pig, " \n\t", ""},
		{"pig", pig, "\xff\xfe roll", "roll"},
		{"pig", pig, "Action: 7", ""},         // illegal
		{"pig", pig, "[2] or [hold]", "hold"}, // the last
		{"pig", pig, "rolling, scroll, holding", ""},
		{"pig", pig, "re-roll", ""},
		{"martian-dice", dice, "end the turn with 0 points", "stop"},
		{"martian-dice", dice, "Ich will den Zug mit 0 Punkten beenden.", "stop"},
		{"martian-dice", dice, "以 0 分結束這一輪。", "stop"},
		{"martian-dice", dice, "I might roll, yet: [rays]", ""}, // points out an illegal one
		{"martian-risk-tiny", tiny, "b>a", "b>a"},
		{"martian-risk-tiny", tiny, "B -> A", "b>a"},
		{"martian-risk-tiny", tiny, "I attack B → A", "b>a"},
		{"martian-risk-tiny", tiny, `{"action": "b\u003ea"}`, "b>a"},
		{"martian-risk-tiny", tiny, "c>d", ""},
		{"martian-risk-tiny", tiny, strings.Repeat("a>", 1<<19) + "\nb>a", "b>a"}, // in linear time
		{"martian-risk-tiny", tiny, "I end here", "end"},
		{"martian-risk-small", risk, "Reinforce WA+ or nothing", "wa+"},
		{"martian-risk-small", risk, "I put an army into OR", "or"},
		{"martian-risk-small", risk, "wy or not wy", ""}, // words of a language, not names
		{"martian-risk-small", risk, "[wa]", "wa"},
		{"martian-risk-small", risk, "OR>CA", ""},
		{"mars-is-ours-fast", mars, "place-b1", "place-b1"},
		{"mars-is-ours-fast", mars, "Place B1", "place-b1"},
		{"mars-is-ours-fast", mars, "PLACE_A2", "place-a2"},
		{"mars-is-ours-fast", mars, "place‑a2", "place-a2"},
		{"mars-is-ours-fast", mars, "I'd pass, or rather [place-c4]", ""}, // taken
		{"mars-is-ours-fast", mars, "place-b12", ""},
	} {
		g, err := catalog.Open(tt.game, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Parse(tt.position)
		if err != nil {
			t.Fatal(tt.position, err)
		}
		got := ""
		parser := words.NewParser(g)
		if a, ok := parser.Parse(p, tt.answer); ok {
			got = g.ActionName(a)
		}
		if got != tt.want {
			t.Errorf("%s, %q: %q, want %q", tt.game, tt.answer, got, tt.want)
		}
		long := strings.Repeat("To hold or to roll? ", 600_000) + "\n" + tt.answer // 12 MB
		if tt.want != "" && tt.game == "pig" && strings.HasPrefix(tt.answer, "Final") {
			if a, ok := parser.Parse(p, long); !ok || g.ActionName(a) != tt.want {
				t.Errorf("a long answer: %v, %t", a, ok)
			}
		}
	}
}

// TestParseTable: the texts of a table's actions are its names if they differ, else descriptions. Short
// ones must be in capitals or pointed out, since they may be words.
func TestParseTable(t *testing.T) {
	same := testgames.TicTacToe()
	same.ActionText = tablegame.Texts{}
	for a := range same.Actions {
		same.ActionText.Append([]string{"a", "b", "Go there"}[a%3])
	}
	numbered, err := tablegame.New(same)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rules        *tablegame.Rules
		answer, want string
	}{
		{testgames.NewTicTacToe(), "i do not know; a1 was bad", ""},
		{testgames.NewTicTacToe(), "the rule of a3 paper", ""},
		{testgames.NewTicTacToe(), "I play A3", "a3"},
		{testgames.NewTicTacToe(), "[b2]", "b2"},
		{numbered, "that is a good question", ""},
		{numbered, "a word, [b], and a reason", "1"},
		{numbered, "B is better", "1"},
		{numbered, "well, go there and not here", "2"},
		{numbered, "go there, not elsego there", "2"},
	} {
		g := catalog.OpenTable(tt.rules)
		p, err := g.Parse("s0")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if a, ok := words.NewParser(g).Parse(p, tt.answer); ok {
			got = g.ActionName(a)
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.answer, got, tt.want)
		}
	}
}

// TestParseNames: legal actions of positions of every game are read by their names, also in capitals
// and in brackets.
func TestParseNames(t *testing.T) {
	eachPosition(t, 6, func(s *sampled) {
		if s.at.CurrentPlayer() < 0 {
			return
		}
		legal := s.at.Legal()
		for range 3 { // more would take long
			a := legal[len(s.seen)*7%len(legal)]
			s.seen[fmt.Sprint(len(s.seen))] = ""
			name := s.game.ActionName(a)
			for _, answer := range []string{name, strings.ToUpper(name), "[" + name + "]", "I choose [" + strings.ToUpper(name) + "]."} {
				if got, ok := s.parser.Parse(s.at, answer); !ok || got != a {
					s.Errorf("%s: %q is read as %d, %t; want %d", s.at, answer, got, ok, a)
				}
			}
		}
	})
}
