// Package colour formats text in the 256 colours of a terminal.
package colour

import (
	"regexp"
	"strings"
)

// Seats are the colour codes of the seats: the text on a background of red, blue,
// yellow, green, purple and white.
var Seats = [...]string{
	"48;5;196;38;5;231", "48;5;27;38;5;231", "48;5;226;38;5;16",
	"48;5;34;38;5;231", "48;5;90;38;5;231", "48;5;252;38;5;16",
}

const (
	Dim  = "2"
	Bold = "1;4" // also underlined, to be visible on any background
)

// Paint returns text between the colour code and a reset.
func Paint(code, text string) string { return "\x1b[" + code + "m" + text + "\x1b[0m" }

var codes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Between returns text with f applied to all between its colour codes.
func Between(text string, f func(string) string) string {
	var out strings.Builder
	end := 0
	for _, at := range codes.FindAllStringIndex(text, -1) {
		out.WriteString(f(text[end:at[0]]))
		out.WriteString(text[at[0]:at[1]])
		end = at[1]
	}
	out.WriteString(f(text[end:]))
	return out.String()
}

// Strip returns text without colour codes.
func Strip(text string) string { return codes.ReplaceAllString(text, "") }
