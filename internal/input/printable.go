package input

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns text with its control characters, except line breaks and tabs, and those
// that turn the direction of text, escaped as \x1b. Bytes that are not UTF-8 stay, such as
// those of a character that is split over two texts.
func Printable(text string) string {
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	var b strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if isControl(r) {
			fmt.Fprintf(&b, "\\x%02x", r)
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}
