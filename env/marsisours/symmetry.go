package marsisours

import (
	"marsgym/env/game"
)

// view is the board seen from another side: turned, or in a mirror.
type view struct {
	to      [maxCells]uint8                 // where a cell goes
	from    [maxCells]uint8                 // and what comes there
	image   [(maxCells + 7) / 8][256]uint64 // of each byte of a set of cells
	relabel []game.Action
}

func newViews(b *board) []view { return nil }

// Canonical keeps [game.Symmetry].
func (r *Rules) Canonical(s State) (State, []game.Action) { return s, nil }
