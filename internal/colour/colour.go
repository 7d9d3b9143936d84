// Package colour writes text in the colours of a terminal that has 256 of them.
package colour

import "regexp"

// Seats are the colours of the seats: their number on a ground that tells them
// apart, red, blue, yellow, green, purple and white.
var Seats = [...]string{
	"48;5;196;38;5;231", "48;5;27;38;5;231", "48;5;226;38;5;16",
	"48;5;34;38;5;231", "48;5;90;38;5;231", "48;5;252;38;5;16",
}

const (
	Dim  = "2"
	Bold = "1;4" // underlined too, to be seen on any ground
)

// Paint wraps text in codes that colour it.
func Paint(code, text string) string { return "\x1b[" + code + "m" + text + "\x1b[0m" }

var codes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Strip is text without codes of colours.
func Strip(text string) string { return codes.ReplaceAllString(text, "") }
