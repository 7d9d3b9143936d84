package search_test

import (
	"testing"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/test/testgames"
)

// TestGames: all games of the catalog can be searched, and others by their own handle.
func TestGames(t *testing.T) {
	list := []env.Game{search.NewGame(testgames.March{Length: 3, Moves: 5})}
	for _, id := range catalog.IDs() {
		list = append(list, testgames.Open(t, id, 0, "{}"))
	}
	for _, g := range list {
		if _, err := search.New(g, search.Config{Simulations: 1}, nil); err != nil {
			t.Error(err)
		}
		if _, err := search.NewLookahead(g, 0, &search.Evaluator{Target: search.Decision}); err != nil {
			t.Error(err)
		}
	}
	plain := env.NewGame(testgames.March{Length: 3, Moves: 5})
	_, err := search.New(plain, search.Config{Simulations: 1}, nil)
	if want := "search: this handle of march cannot be searched; make it with search.NewGame"; err == nil || err.Error() != want {
		t.Errorf("a plain handle: %v; want %q", err, want)
	}
}
