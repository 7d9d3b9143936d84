package game

import "context"

// RowTabulator is implemented by rules whose solutions store a policy in rows that can be
// computed apart from each other, and without the solution: by many processes.
type RowTabulator[S comparable] interface {
	// TableSize returns the number of rows of a table, and that of numbers in a row; 0 rows
	// where the solutions of a config have no tables.
	TableSize() (rows, width int)
	// TabulateRows returns the rows from <= i < to [to-from, width] of the table of a
	// policy, to the bits of [Solution.Tabulate]. The policy must be no look-ahead, and
	// not one of [Solution.Policy].
	TabulateRows(ctx context.Context, p Policy[S], from, to int) ([]float64, error)
}

// TableReader is implemented by the solutions of a [RowTabulator].
type TableReader[S comparable] interface {
	Solution[S]
	// ReadTable returns a policy in tabular form, given all rows of its table [rows, width],
	// which it keeps. It returns an error for rows that are no probabilities.
	ReadTable(p Policy[S], table []float64) (TabularPolicy, error)
}
