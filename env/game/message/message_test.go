package message_test

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marsgym/env/game/message"
)

var hole = regexp.MustCompile(`\{(\d)`)

// holes returns the numbers of the holes of a sentence.
func holes(sentence string) (list []string) {
	for _, m := range hole.FindAllStringSubmatch(sentence, -1) {
		list = append(list, m[1])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestTables: every language has every message, with the same holes. Rules are only in the languages
// of their pages.
func TestTables(t *testing.T) {
	keys := map[string]string{} // with the English sentences
	for _, l := range message.Languages() {
		for key := range l.Messages {
			keys[key] = key
		}
	}
	for key, sentence := range message.English().Messages {
		keys[key] = sentence
	}
	for _, l := range message.Languages()[1:] {
		for key, english := range keys {
			switch own, ok := l.Messages[key]; {
			case !ok && strings.HasPrefix(key, "rules."):
			case strings.TrimSpace(own) == "" && key != ", ":
				t.Errorf("%s has no %q", l.Name, key)
			case !slices.Equal(holes(own), holes(english)):
				t.Errorf("%s: %q has other holes than %q", l.Name, own, english)
			case strings.Count(own, "{") != strings.Count(own, "}"):
				t.Errorf("%s: a hole of %q does not end", l.Name, own)
			}
		}
	}
	for key, english := range message.English().Messages {
		if strings.Count(english, "{") != strings.Count(english, "}") {
			t.Errorf("a hole of %q, %q, does not end", key, english)
		}
	}
}

func TestSay(t *testing.T) {
	bust := message.New("pig.bust", message.Seat(1), 5, 10)
	dice := message.New("{0}", []message.Message{message.Count(1, "die"), message.Count(2, "ray"), message.Count(3, "star")})
	tie := message.New("tie.again", []message.Seat{0, 1, 2})
	note := message.Note(message.New("pig.roll"), message.Detail(message.New("tax"), message.Text("{0} %")))
	taxed := message.Detail(message.New("tax"), message.Text("2"))
	lost := message.New("dice.lost", message.Figure("0.5"))
	for _, tt := range []struct {
		code  string
		names []string
		m     message.Message
		want  string
	}{
		{"en", nil, bust, "a 1 ends the turn: seat 1 loses 5 points and has 10"},
		{"en", []string{"A", ""}, bust, "a 1 ends the turn: you lose 5 points and have 10"},
		{"de", []string{"A", ""}, bust, "eine 1 beendet den Zug: Du verlierst 5 Punkte und hast 10"},
		{"de", []string{"", "Stufe 2"}, bust, "eine 1 beendet den Zug: Stufe 2 verliert 5 Punkte und hat 10"},
		{"zh", []string{"", "等級 2"}, bust, "擲到 1，這一輪結束：等級 2 失去 5 分，有 10 分"},
		{"en", nil, dice, "1 die, 2 rays, 3 × star"},
		{"zh", nil, dice, "1 顆骰子、2 個死光、3 × star"},
		{"en", nil, tie, "seats 0, 1 and 2 tie and roll again"},
		{"de", []string{"", "A", "B"}, tie, "du, A und B liegen gleichauf und werfen noch einmal"},
		{"de", nil, note, "würfeln; Steuer: {0} %"},
		{"de", nil, note.Head(), "würfeln"},
		{"de", nil, taxed.After(message.Detail(message.New("tax"), bust)), "2"},
		{"de", nil, taxed.After(note), "Steuer: 2"},
		{"de", nil, lost, "nach 0,5 % der Würfe sind keine Punkte mehr möglich"},
		{"zh", nil, lost, "0.5 % 的擲骰之後，這一輪不可能再得分"},
		{"de", nil, message.Message{}, ""},
		{"en", nil, message.New("{0|one|{1|{2}|b}} {3} {x} {", 2, message.Seat(0), 7), "b {3} {x} {"},
		{"en", nil, message.New("own key {0|of a robot|of {0} robots}", 2), "own key of 2 robots"},
	} {
		if got := (message.Speaker{Language: message.Find(tt.code), Names: tt.names}).Say(tt.m); got != tt.want {
			t.Errorf("%s: %q; want %q", tt.code, got, tt.want)
		}
	}
}

// TestFourth: a table is all that a language needs.
func TestFourth(t *testing.T) {
	text, err := os.ReadFile("testdata/eo.json")
	if err != nil {
		t.Fatal(err)
	}
	l, err := message.Read("eo", text)
	if err != nil {
		t.Fatal(err)
	}
	to := message.Speaker{Language: l, Names: []string{"", "Nivelo 2"}}
	for _, tt := range []struct {
		m    message.Message
		want string
	}{
		{message.New("pig.bust", message.Seat(0), 5, 10), "1 finas la vicon: vi perdas 5 poentojn kaj havas 10"},
		{message.New("pig.bust", message.Seat(1), 5, 10), "1 finas la vicon: Nivelo 2 perdas 5 poentojn kaj havas 10"},
		{message.New("{0}", []message.Message{message.Count(1, "ray"), message.Count(3, "ray")}), "1 radio, 3 radioj"},
		{message.New("dice.lost", message.Figure("0.5")), "post 0,5 % de ĵetoj la vico restas sen poentoj"},
		{message.New("tie.again", []message.Seat{0, 1}), "vi kaj Nivelo 2 egalas kaj rejetas"},
		{message.New("pig.one"), "a 1 ends the turn without points"}, // what the table lacks is English
	} {
		if got := to.Say(tt.m); got != tt.want {
			t.Errorf("%q; want %q", got, tt.want)
		}
	}
	if _, err := message.Read("xx", []byte("{")); err == nil || !strings.Contains(err.Error(), "the language xx") {
		t.Errorf("a damaged table: %v", err)
	}
}

func TestError(t *testing.T) {
	cause := errors.New("the game is over")
	err := message.NewError("move {0}: {1}", 3, cause)
	if err.Error() != "move 3: the game is over" || !errors.Is(err, cause) {
		t.Errorf("the error is %q and wraps its cause: %v", err, errors.Is(err, cause))
	}
	to := message.Speaker{Language: message.Find("de")}
	for _, tt := range []struct {
		err  error
		want string
	}{{err, "Zug 3: die Partie ist zu Ende"}, {cause, "die Partie ist zu Ende"}, {errors.New("no {0} entry"), "no {0} entry"}} {
		if got := to.Error(tt.err); got != tt.want {
			t.Errorf("%q; want %q", got, tt.want)
		}
	}
}

func TestJSON(t *testing.T) {
	type document struct {
		Text  message.Message `json:"text"`
		Empty message.Message `json:"empty,omitzero"`
	}
	text, err := json.Marshal(document{Text: message.New("over.wins", message.Seat(1))})
	if err != nil || string(text) != `{"text":"over: seat 1 wins"}` {
		t.Fatalf("%s, %v", text, err)
	}
	var back document
	if err := json.Unmarshal(text, &back); err != nil || back.Text.String() != "over: seat 1 wins" {
		t.Errorf("%q, %v", back.Text, err)
	}
}

func TestNames(t *testing.T) {
	player := func(seat int) string { return "player " + string(rune('1'+seat)) }
	for _, tt := range []struct{ agents, want []string }{
		{[]string{"", "greedy"}, []string{"", "greedy"}},
		{[]string{"exact", "", "greedy", ""}, []string{"exact", "player 2", "greedy", "player 4"}},
		{[]string{"greedy", "", "greedy", "random"}, []string{"greedy A", "", "greedy B", "random"}},
	} {
		if got := message.Names(tt.agents, player, " "); !slices.Equal(got, tt.want) {
			t.Errorf("%q are called %q, want %q", tt.agents, got, tt.want)
		}
	}
	to := message.Speaker{Language: message.Find("zh"), Names: []string{"", "A"}}
	for seat, want := range []string{"你", "A", "座位 2"} {
		if got := to.Name(message.Seat(seat)); got != want {
			t.Errorf("seat %d is called %q, want %q", seat, got, want)
		}
	}
}
