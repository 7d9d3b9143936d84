package input

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// byteOrderMark is what Windows editors write before text in UTF-8.
const byteOrderMark = "\ufeff"

// errUTF16 is returned for text in UTF-16.
var errUTF16 = errors.New("the text is in UTF-16; save it as UTF-8")

// Text returns text in UTF-8 without the byte order mark that it may begin with. Text in
// UTF-16 is an error.
func Text(b []byte) ([]byte, error) {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(b, []byte(mark)) {
			return nil, errUTF16
		}
	}
	// Without a mark, every other byte of the first letters is 0.
	if len(b) >= 2 && (b[0] == 0) != (b[1] == 0) {
		return nil, errUTF16
	}
	return bytes.TrimPrefix(b, []byte(byteOrderMark)), nil
}

// Line is [Text] for a line, which may be the first of a file that was appended to another.
func Line(line string) (string, error) {
	if b, err := Text([]byte(line[:min(4, len(line))])); err != nil || len(b) == len(line) {
		return line, err
	}
	return strings.TrimPrefix(line, byteOrderMark), nil
}

// Width returns the number of columns of text on a terminal, which has two for a Chinese sign.
func Width(text string) (columns int) {
	for _, r := range text {
		columns++
		if unicode.Is(unicode.Han, r) || r >= 0x3000 && r < 0x3040 || r > 0xff00 && r < 0xff61 {
			columns++
		}
	}
	return columns
}

// Fit returns text in lines of width columns, without a newline at its end. What fits stays as it is.
func Fit(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	var b strings.Builder
	Wrap(&b, "", "", text, width)
	return strings.TrimSuffix(b.String(), "\n")
}

// Wrap writes text in lines of width columns. The first one begins with first and the
// others with rest, which is as wide.
func Wrap(b *strings.Builder, first, rest, text string, width int) {
	for _, line := range Lines(first, rest, strings.Fields(text), " ", func(line string) bool { return Width(line) <= width }) {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// Lines returns words in lines, with space between two of them. The first line begins with
// first and the others with rest. A line has a word, and more of them as long as it fits.
func Lines(first, rest string, words []string, space string, fits func(line string) bool) (lines []string) {
	line, empty := first, true
	for _, word := range words {
		switch longer := line + space + word; {
		case empty:
			line, empty = line+word, false
		case fits(longer):
			line = longer
		default:
			lines = append(lines, line)
			line = rest + word
		}
	}
	return append(lines, line)
}

// Number returns the number from lo to hi that text is, without a sign or a zero before it.
// The error begins with what, which names the number.
func Number(what, text string, lo, hi int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < lo || n > hi || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%s %q is not a number from %d to %d", what, text, lo, hi)
	}
	return n, nil
}

// Range names the whole numbers from lo to hi.
func Range(lo, hi int) string {
	if lo == hi {
		return strconv.Itoa(lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}
