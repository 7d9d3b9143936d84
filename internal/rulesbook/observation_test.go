package rulesbook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/internal/rulesbook"
)

// TestObservation: the pages say what each field of an observation means, whatever the number of
// players.
func TestObservation(t *testing.T) {
	for _, e := range catalog.List() {
		g, err := catalog.Open(e.ID, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for players := g.Spec().MinPlayers; players <= g.Spec().MaxPlayers; players++ {
			g, err := catalog.Open(e.ID, players, nil)
			if err != nil { // the maps of Martian Risk are for some numbers of players
				continue
			}
			spec := g.Spec()
			_, meanings := rulesbook.Observation(spec)
			for i, f := range spec.Observation {
				if len(meanings[i]) < 6 || strings.ContainsAny(meanings[i], "`|") {
					t.Errorf("%s for %d: the meaning of %q is %q", e.ID, players, f.Name, meanings[i])
				}
			}
		}
	}
}

// TestObservationByPage: each game has the meanings of its own table, and the notes of its page.
func TestObservationByPage(t *testing.T) {
	for _, x := range []struct{ id, config, field, meaning, note string }{
		{"pig", `{}`, "over", "1 if the game is over", "the count, exactly"},
		{"mars-is-ours", `{}`, "phase", "one-hot: laying tiles", "Places are the F cells"},
		{"mars-is-ours-fast", `{}`, "phase", "one-hot: drawing the starter, acting", "Places are the F cells"},
		{"martian-risk-tiny", `{"max_rounds": 2}`, "rounds left, one-hot to 20", "the rounds after this one", "Regions are in the order of the map"},
		{"martian-dice", `{"max_rounds": 9}`, "share of rounds left", "", "The table gives the lengths"},
	} {
		g, err := catalog.Open(x.id, 0, json.RawMessage(x.config))
		if err != nil {
			t.Fatal(err)
		}
		notes, meanings := rulesbook.Observation(g.Spec())
		if !strings.HasPrefix(notes, "Observations. Nothing is hidden") || !strings.Contains(notes, x.note) {
			t.Errorf("%s: the notes are %q; want %q among them", x.id, notes, x.note)
		}
		found := false
		for i, f := range g.Spec().Observation {
			if f.Name == x.field {
				found = true
				if m := meanings[i]; !strings.HasPrefix(m, x.meaning) || x.meaning == "" && m != "" {
					t.Errorf("%s: %q means %q; want %q", x.id, f.Name, m, x.meaning)
				}
			}
		}
		if !found {
			t.Errorf("%s has no field %q", x.id, x.field)
		}
	}
}

// TestObservationOfTable: a table is described by no page, even if its name begins like one.
func TestObservationOfTable(t *testing.T) {
	notes, meanings := rulesbook.Observation(game.Spec{ID: "mars-is-ours-2.game", Observation: []game.Field{{Name: "phase", Len: 1}}})
	if strings.Contains(notes, "Places are the F cells") || meanings[0] != "" {
		t.Errorf("the notes are %q, and the field means %q", notes, meanings[0])
	}
}
