package models

import (
	"marsgym/env/game"
	"marsgym/internal/kernel/sgemm"
)

// CodeReader reads observations from their codes. Several goroutines may use it at the same time.
type CodeReader struct{ codes *sgemm.Codes }

// NewCodeReader returns a reader of these codes.
func NewCodeReader(c *game.Codes) *CodeReader {
	type kind struct{ scale, width int }
	values, known := c.Values, map[kind]int{{0, 2}: 0} // where those of a kind start
	first := make([]int, len(c.Scales))
	for i, scale := range c.Scales {
		k := kind{scale, c.Start[i+1] - c.Start[i]}
		at, ok := known[k]
		if !ok {
			at = len(values)
			known[k] = at
			quotients := make([]float32, 1<<(8*k.width))
			game.Quotients(quotients, scale)
			values = append(values[:at:at], quotients...)
		}
		first[i] = at
	}
	return &CodeReader{sgemm.NewCodes(c.Start, first, values)}
}

// AppendCodes appends the observations with these codes [m, C]. It panics if they are not codes of
// observations of D numbers.
func (o *Observations) AppendCodes(r *CodeReader, codes []uint8) { o.rows.AppendCodes(r.codes, codes) }
