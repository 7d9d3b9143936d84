package input

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
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

// Fit returns text in lines of width columns, without a newline at its end. What fits stays as it is.
func Fit(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	var b strings.Builder
	Wrap(&b, "", "", text, width)
	return strings.TrimSuffix(b.String(), "\n")
}

// Wrap writes text in lines of width columns. The first one begins with first and the
// others with rest, which is as wide.
func Wrap(b *strings.Builder, first, rest, text string, width int) {
	line, n := first, utf8.RuneCountInString(first)
	empty := true
	for word := range strings.FieldsSeq(text) {
		size := utf8.RuneCountInString(word)
		if !empty && n+1+size > width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, n, empty = rest, utf8.RuneCountInString(rest), true
		}
		if !empty {
			line, n = line+" ", n+1
		}
		line, n, empty = line+word, n+size, false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// Range names the whole numbers from lo to hi.
func Range(lo, hi int) string {
	if lo == hi {
		return strconv.Itoa(lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}
