package input

import (
	"fmt"
	"strings"
)

// UnknownError is the error of a name that is not among the known names.
type UnknownError struct {
	Kind  string // what is named, such as "game" or "agent"
	Name  string
	Known []string
}

// Unknown returns an [UnknownError].
func Unknown(kind, name string, known []string) error { return &UnknownError{kind, name, known} }

// Error lists the known names and, if one is close, suggests it.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown %s %s; want one of: %s%s", e.Kind, Quote(e.Name), strings.Join(e.Known, ", "), Hint(e.Name, e.Known))
}

// Hint is the end of an error that suggests a known name, or "" if none is close.
func Hint(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Nearest returns the known name with the fewest edits from name, in any case. It returns "" if
// that takes more than one edit for every three letters, or if name is longer than
// any known name could be.
func Nearest(name string, known []string) string {
	if len(name) > 100 {
		return ""
	}
	best, limit := "", (len(name)+2)/3
	for _, k := range known {
		if d := edits(strings.ToLower(name), strings.ToLower(k)); d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// edits returns the number of letters to insert, delete, replace or swap with a
// neighbour to turn a into b (the optimal string alignment distance).
func edits(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := 1
			if a[i-1] == b[j-1] {
				replace = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
