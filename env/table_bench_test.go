package env_test

import (
	"testing"

	"marsgym/env"
	"marsgym/internal/test/testgames"
)

// BenchmarkTable measures tic-tac-toe as a table, with the 27 numbers of an observation of OpenSpiel.
func BenchmarkTable(b *testing.B) {
	r := testgames.NewTicTacToe()
	benchmarkRows(b, func(n int) env.Batch { return env.NewVec(r, n, 0) })
}
