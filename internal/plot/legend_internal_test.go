// In package plot for the styles of lines.
package plot

import (
	"fmt"
	"testing"
)

// TestLineStyles: no two names of a chart have lines of the same style.
func TestLineStyles(t *testing.T) {
	known := map[string]int{}
	for i := range 60 {
		style := fmt.Sprintf("%+v", lineStyle(i))
		if k, ok := known[style]; ok {
			t.Errorf("lines %d and %d have the same style, %s", k+1, i+1, style)
		}
		known[style] = i
	}
}
