package input

import (
	"bytes"
	"errors"
	"strings"
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
