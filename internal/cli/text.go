package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"marsgym/internal/figure"
)

// Percent formats a share of the win for a column (see [figure.Percent]).
func Percent(x float64) string { return fmt.Sprintf("%10s %%", figure.Percent(x, 6)) }

// Interval formats an interval of a share of the win.
func Interval(confidence, low, high float64) string {
	return fmt.Sprintf("%.0f %% interval %s to %s %%", 100*confidence, figure.Percent(low, 3), figure.Percent(high, 3))
}

// Widest returns the length of the longest name.
func Widest(names []string) int {
	n := 0
	for _, name := range names {
		n = max(n, len(name))
	}
	return n
}

// Columns writes rows of cells. align has a letter for each of the first columns: l if they are
// aligned on the left, or r. The others are aligned on the right.
func Columns(b *strings.Builder, align string, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			width[k] = max(width[k], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for k, cell := range row {
			space := strings.Repeat(" ", width[k]-utf8.RuneCountInString(cell))
			if k < len(align) && align[k] == 'l' {
				line += "  " + cell + space
			} else {
				line += "  " + space + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
