// Package input reads untrusted input: files of bounded size, JSON with known fields only,
// and names for quoting in errors.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"marsgym/internal/atomicfile"
)

// Settings is the largest size of a settings file, in bytes. Chosen: the longest in this
// module has a few thousand bytes, and decoding JSON takes about twenty times its size of
// memory.
const Settings = 1 << 20

// ErrTooLarge is wrapped by the error for a file above the size limit.
var ErrTooLarge = atomicfile.ErrTooLarge

// ReadFile returns the content of a regular text file of at most limit bytes; see [Text].
// The error for a larger file wraps [ErrTooLarge].
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, limit)
}

// ReadSettings returns the content of a settings file that a flag names: a regular file or a pipe
// (see [atomicfile.ReadOnce]).
func ReadSettings(path string) ([]byte, error) {
	text, err := atomicfile.ReadOnce(path, Settings)
	return named(path, text, err)
}

// Read is [ReadFile] for an open file.
func Read(f *os.File, limit int64) ([]byte, error) {
	text, err := atomicfile.Read(f, limit)
	return named(f.Name(), text, err)
}

// named returns the text of a file, unless there was an error.
func named(path string, text []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if text, err = Text(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// JSONError is an error in a JSON document, or in what it should hold. [Placed] adds where.
type JSONError struct {
	text         string
	line, column int // from 1; 0 if they are not known
}

func (e *JSONError) Error() string { return e.text }

// Placed returns an error about a JSON document with the line and the column of the [JSONError]
// that it wraps, if there is one.
func Placed(err error) error {
	if e := (*JSONError)(nil); errors.As(err, &e) && e.line > 0 {
		return fmt.Errorf("line %d, column %d: %w", e.line, e.column, err)
	}
	return err
}

// Unplaced returns err without the line and the column, if it is a [JSONError]: of a document
// that the user has not seen.
func Unplaced(err error) error {
	if e, ok := err.(*JSONError); ok {
		return &JSONError{text: e.text}
	}
	return err
}

// place returns the line and the column of the character at an offset in text.
func place(text []byte, at int) (line, column int) {
	before := text[:max(0, min(at, len(text)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// Part returns the value of a key of a JSON object, or nil if there is none. Before it are as
// many lines and columns as in text, so that errors in the part have their place there. Like
// [DecodeJSON] it skips a byte order mark.
func Part(text []byte, key string) []byte {
	text, err := Text(text)
	if err != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil
		}
		if name == key {
			line, column := place(text, int(d.InputOffset())-len(value))
			return append([]byte(strings.Repeat("\n", line-1)+strings.Repeat(" ", column-1)), value...)
		}
	}
	return nil
}

// DecodeJSON decodes one JSON document into v. It returns a [JSONError], also for keys that
// v does not have, letter for letter, or that an object has twice.
func DecodeJSON(text []byte, v any) error {
	text, err := Text(text)
	if err != nil {
		return &JSONError{text: err.Error()}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(v); err != nil {
		// What encoding/json says of a value that does not fit depends on its version.
		if own := (*JSONError)(nil); json.Valid(text) && errors.As(checkKeys(text, reflect.TypeOf(v)), &own) {
			return own
		}
		return jsonError(text, err)
	}
	if _, err := d.Token(); err != io.EOF {
		line, column := place(text, int(d.InputOffset()))
		return &JSONError{"there is text after the JSON document", line, column}
	}
	return checkKeys(text, reflect.TypeOf(v))
}

// DecodeLoosely is [DecodeJSON] without an error for such keys.
func DecodeLoosely(text []byte, v any) error {
	text, err := Text(text)
	if err != nil {
		return &JSONError{text: err.Error()}
	}
	err = json.Unmarshal(text, v)
	if err == nil {
		return nil
	}
	c := newChecker(text, text, 0)
	c.loose = true
	if own := (*JSONError)(nil); json.Valid(text) && errors.As(c.value(reflect.TypeOf(v), ""), &own) {
		return own
	}
	return jsonError(text, err)
}

// jsonError returns an error of encoding/json about text in other words. They are cut, since
// they can contain a whole name or number of the input.
func jsonError(text []byte, err error) *JSONError {
	var syntax *json.SyntaxError
	message, at := strings.TrimPrefix(err.Error(), "json: "), -1
	switch {
	case err == io.EOF, errors.As(err, &syntax) && len(bytes.TrimSpace(text)) == 0:
		message = "it is empty; want a JSON document"
	case errors.As(err, &syntax):
		at = int(syntax.Offset) - 1 // it counts the character
		if message == "unexpected end of JSON input" {
			message, at = errEnd, len(text)
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
		message, at = errEnd, len(text)
	}
	e := &JSONError{text: Cut(message)}
	if at >= 0 {
		e.line, e.column = place(text, at)
	}
	return e
}

const errEnd = "the end of the JSON document is missing"

// start returns the offset of the value, the key or the bracket that ends at an offset of a JSON
// document.
func start(text []byte, end int) int {
	at := min(end, len(text)) - 1
	switch {
	case at < 0:
		return 0
	case text[at] == '"':
		for at--; at > 0 && (text[at] != '"' || text[at-1] == '\\'); at-- {
		}
	case text[at] != '[' && text[at] != '{':
		for ; at > 0 && !strings.ContainsRune(" \t\r\n,:[{", rune(text[at-1])); at-- {
		}
	}
	return at
}

// jsonValue names a value as encoding/json does, with an article.
func jsonValue(value string) string {
	switch number, ok := strings.CutPrefix(value, "number "); {
	case ok:
		return number
	case value == "bool":
		return "a boolean"
	case value == "array" || value == "object":
		return "an " + value
	}
	return "a " + value
}

// jsonType names what a type takes instead of a value.
func jsonType(t reflect.Type, value string) string {
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Float32, reflect.Float64:
		if strings.HasPrefix(value, "number ") {
			return "a smaller number"
		}
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	switch digits, ok := strings.CutPrefix(value, "number "); {
	case !ok || strings.ContainsAny(digits, ".eE"):
		return "a whole number"
	case digits[0] == '-':
		return "a larger whole number"
	}
	return "a smaller whole number"
}

// Largest lengths of input in errors, in bytes. Chosen.
const (
	maxQuoted = 64
	maxShown  = 512
	maxLine   = 4096
)

// Quote returns strconv.Quote(text), or the quoted start of a long text with its length.
func Quote(text string) string {
	if len(text) <= maxQuoted {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%q... (%d bytes)", begin(text, maxQuoted), len(text))
}

// Short returns err, or an error with the start of its text if that is long, as where it
// contains a whole name or number of the input.
func Short(err error) error {
	text := err.Error()
	if len(text) <= maxShown {
		return err
	}
	return errors.New(Cut(text))
}

// Cut returns text, or the start of a long text with its length. It is for compact JSON,
// which has no control characters.
func Cut(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return fmt.Sprintf("%s... (%d bytes)", begin(text, maxShown), len(text))
}

// Message returns the text of an error in a form that is safe for a terminal even if it
// contains foreign names: long lines are cut, and control characters except line breaks
// and tabs are escaped.
func Message(err error) string {
	var b strings.Builder
	for i, line := range strings.Split(err.Error(), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		rest := ""
		if len(line) > maxLine {
			line, rest = begin(line, maxLine), fmt.Sprintf("... (%d bytes)", len(line))
		}
		b.WriteString(Printable(strings.ToValidUTF8(line, "�")))
		b.WriteString(rest)
	}
	return b.String()
}

// begin returns the start of text of at most limit bytes, without splitting a character.
func begin(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
