package gametest

import (
	"math"

	"marsgym/env/game"
)

// checkOdds checks the tables of a Bookmaker, and that it refuses what it does
// not understand.
func (c *checker[S]) checkOdds(b game.OddsTables) {
	if _, err := b.OddsTables("no such question"); err == nil {
		c.fail("Odds refuses what is no question", "it answers")
	}
	tables, err := b.OddsTables(game.AllOdds)
	if err != nil || len(tables) == 0 {
		c.fail("Odds answers for all", "got %d tables and error %v", len(tables), err)
	}
	for _, t := range tables {
		for i, row := range t.Rows {
			if len(row) != len(t.Columns) {
				c.fail("Odds are tables without holes", "row %d of %s has %d cells for %d columns", i, t.Name, len(row), len(t.Columns))
			}
			for k, cell := range row {
				switch x := cell.(type) {
				case string, int:
					continue
				case float64:
					if !math.IsNaN(x) && !math.IsInf(x, 0) {
						continue
					}
				}
				c.fail("Odds are words and finite numbers", "row %d of %s has %v in column %d", i, t.Name, cell, k)
			}
		}
	}
}
