package game_test

import (
	"slices"
	"testing"

	"marsgym/env/game"
)

// TestReadDice: as many numbers as dice are rolled, each a face.
func TestReadDice(t *testing.T) {
	const refused = "want 2 from 1 to 6, with spaces between"
	for _, tt := range []struct {
		text string
		want []int
		err  string
	}{
		{"3 4", []int{3, 4}, ""}, {" 1\t6 ", []int{1, 6}, ""},
		{"", nil, refused}, {"3", nil, refused}, {"3 4 5", nil, refused}, {"34", nil, refused}, {"3,4", nil, refused},
		{"0 1", nil, refused}, {"7 1", nil, refused}, {"1 -1", nil, refused}, {"1 1.5", nil, refused}, {"x 1", nil, refused}, {"1 99999999999999999999", nil, refused},
	} {
		got, err := game.ReadDice(tt.text, 2, 6)
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%q: %v, %v; want %v, %q", tt.text, got, err, tt.want, tt.err)
		}
	}
}
