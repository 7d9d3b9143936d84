package expert_test

import (
	"errors"
	"strings"
	"testing"

	"marsgym/agents/search"
	"marsgym/env"
	"marsgym/env/catalog"
	"marsgym/internal/test/testgames"
	"marsgym/train/expert"
)

// TestGames: all games of the catalog have experts, and others by their own handle, which can also
// be searched.
func TestGames(t *testing.T) {
	march := testgames.March{Length: 3, Moves: 5}
	own := expert.NewGame(march)
	if _, err := search.New(own, search.Config{Simulations: 1}, nil); err != nil {
		t.Error(err)
	}
	list := []env.Game{own}
	for _, id := range catalog.IDs() {
		list = append(list, testgames.Open(t, id, 0, "{}"))
	}
	for _, g := range list {
		if _, err := expert.New(g, config(expert.OneMove), 1, 0); err != nil {
			t.Error(err)
		}
	}
	_, err := expert.New(env.NewGame(march), config(expert.OneMove), 1, 0)
	if want := "this handle of march has no experts, make it with expert.NewGame"; !errors.Is(err, expert.ErrUnsupported) || !strings.Contains(err.Error(), want) {
		t.Errorf("a plain handle: %v; want %q", err, want)
	}
}
