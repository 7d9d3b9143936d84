package game

import "errors"

// ErrNoOdds is returned where a game has no tables of odds.
var ErrNoOdds = errors.New("no odds tables")

// AllOdds is the question that every implementation of [OddsTables] answers with
// all of its tables.
const AllOdds = "all"

// OddsTables is implemented by rules with a part whose odds do not depend on the
// rest of the position, such as one attack.
type OddsTables interface {
	// OddsTables answers a question in the game's own words, such as "5 against 3".
	// The error for an unknown question lists the questions that have an answer.
	OddsTables(question string) ([]Table, error)
}

// Table is a table as data.
type Table struct {
	Name    string   `json:"name"`  // lower case, words joined by underscores
	Title   string   `json:"title"` // for people
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"` // [rows, columns] of string, int or float64
}
