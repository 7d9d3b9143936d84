package gametest

import (
	"marsgym/env/game"
	"marsgym/internal/kernel/elementary"
)

// checkOddsTables checks all tables, and that an unknown question is refused.
func (c *checker[S]) checkOddsTables(b game.OddsTables) {
	if _, err := b.OddsTables("no such question"); err == nil {
		c.fail("OddsTables refuses an unknown question", "it returned tables")
	}
	tables, err := b.OddsTables(game.AllOdds)
	if err != nil || len(tables) == 0 {
		c.fail("OddsTables answers AllOdds", "got %d tables and error %v", len(tables), err)
	}
	for _, t := range tables {
		for i, row := range t.Rows {
			if len(row) != len(t.Columns) {
				c.fail("OddsTables have a cell for each column", "row %d of %s has %d cells for %d columns", i, t.Name, len(row), len(t.Columns))
			}
			for k, cell := range row {
				switch x := cell.(type) {
				case string, int:
					continue
				case float64:
					if elementary.Finite(x) {
						continue
					}
				}
				c.fail("cells of OddsTables are strings and finite numbers", "row %d of %s has %v in column %d", i, t.Name, cell, k)
			}
		}
	}
}
