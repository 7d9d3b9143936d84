package game

import "errors"

// ErrNoOdds is the error where a game quotes no odds.
var ErrNoOdds = errors.New("no odds to look up")

// AllOdds is the question that every Bookmaker answers, with all it has.
const AllOdds = "all"

// Bookmaker is kept by rules with a part that can be worked out apart from any
// position, such as an attack.
type OddsTables interface {
	// Odds answers a question in the game's own words, such as "5 against 3"; the
	// error for another says what can be asked.
	OddsTables(question string) ([]Table, error)
}

// Table is a table as data.
type Table struct {
	Name    string   `json:"name"`  // lower case, words joined by underscores
	Title   string   `json:"title"` // for people
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"` // [rows, columns] of string, int or float64
}
