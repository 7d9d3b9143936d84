package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"marsgym/internal/test/golden"
	"marsgym/internal/web"
)

// TestGolden follows the recorded games of package env through the page: their addresses
// stay what they are, with dice of the seed and with typed ones, and lead to the same steps.
// Agents that go on from 20 moves before the end end as they did.
func TestGolden(t *testing.T) {
	a := newApp()
	for _, id := range []string{"pig", "martian-dice", "mars-is-ours-fast", "martian-risk-tiny"} {
		text, err := os.ReadFile("../../env/testdata/games/" + id + ".games")
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n\nmarsgym")
		var b strings.Builder
		for _, text := range []string{first, strings.Replace(first, "\nseed 7\n", "\n", 1)} {
			games := request[map[string][]web.Address](t, a, map[string]any{"do": "read", "text": text + "\n"})["games"]
			address, err := json.Marshal(games[0])
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s\n", address)
			v := request[web.View](t, a, fields("view", games[0]))
			for _, e := range v.Log {
				fmt.Fprintf(&b, "%d %s %d\n", e.Seat, e.Name, e.Used)
			}
			fmt.Fprintf(&b, "%s %v %q\n", v.Position, v.Ended, v.Result)
			if got := request[map[string]string](t, a, fields("write", games[0]))["text"]; got != text+"\n\n" {
				t.Errorf("%s: the address leads to\n%s", id, got)
			}
			if games[0].Typed {
				continue
			}
			v.Address.Moves = v.Address.Moves[:max(0, len(v.Address.Moves)-20)]
			for v.Ended = false; !v.Ended; {
				v = request[web.View](t, a, fields("play", v.Address))
			}
			if got := request[map[string]string](t, a, fields("write", v.Address))["text"]; got != text+"\n\n" {
				t.Errorf("%s: the agents have played\n%s", id, got)
			}
		}
		golden.Check(t, id+".txt", []byte(b.String()))
	}
}
