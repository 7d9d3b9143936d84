package catalog_test

import (
	"testing"

	"marsgym/env"
	"marsgym/env/catalog"
)

// TestSolvable checks which games solvers accept.
func TestSolvable(t *testing.T) {
	for _, test := range []struct {
		id      string
		players int
		want    bool
	}{
		{"martian-dice", 1, true},
		{"martian-dice", 5, true},
		{"martian-dice", 6, false},
		{"mars-is-ours", 2, false},
		{"mars-is-ours-fast", 2, true},
		{"martian-risk", 3, false},
		{"martian-risk-small", 3, false},
		{"martian-risk-tiny", 2, true},
		{"martian-risk-tiny", 3, false},
		{"martian-risk-tiny", 4, false},
		{"pig", 2, true},
		{"pig", 3, false},
	} {
		g, err := catalog.Open(test.id, test.players, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := env.Solvable(g); got != test.want {
			t.Errorf("%s for %d is solved: %v, want %v", test.id, test.players, got, test.want)
		}
	}
}
