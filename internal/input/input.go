// Package input reads untrusted input: files of bounded size, JSON with known fields only,
// and names for quoting in errors.
package input

import (
	"bytes"
	"cmp"
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

// Read is [ReadFile] for an open file.
func Read(f *os.File, limit int64) ([]byte, error) {
	text, err := atomicfile.Read(f, limit)
	if err != nil {
		return nil, err
	}
	if text, err = Text(text); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return text, nil
}

// JSONError is an error in a JSON document, or in what it should hold.
type JSONError struct{ text string }

func (e *JSONError) Error() string { return e.text }

// DecodeJSON decodes one JSON document into v. It returns a [JSONError], also for keys that
// v does not have, letter for letter, or that an object has twice.
func DecodeJSON(text []byte, v any) error {
	text, err := Text(text)
	if err != nil {
		return &JSONError{err.Error()}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(v); err != nil {
		// encoding/json does not say where the error of a value that decodes itself is.
		var (
			typ *json.UnmarshalTypeError
			own *JSONError
		)
		if json.Valid(text) && !errors.As(err, &typ) && errors.As(checkKeys(text, reflect.TypeOf(v)), &own) {
			return own
		}
		return jsonError(text, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return &JSONError{"there is text after the JSON document"}
	}
	return checkKeys(text, reflect.TypeOf(v))
}

// DecodeLoosely is [DecodeJSON] without an error for such keys.
func DecodeLoosely(text []byte, v any) error {
	text, err := Text(text)
	if err != nil {
		return &JSONError{err.Error()}
	}
	if err := json.Unmarshal(text, v); err != nil {
		return jsonError(text, err)
	}
	return nil
}

// jsonError returns an error of encoding/json about text in other words. They are cut, since
// they can contain a whole name or number of the input.
func jsonError(text []byte, err error) *JSONError {
	var (
		syntax *json.SyntaxError
		typ    *json.UnmarshalTypeError
	)
	message := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case err == io.EOF, errors.As(err, &syntax) && len(bytes.TrimSpace(text)) == 0:
		message = "it is empty; want a JSON document"
	case errors.As(err, &syntax):
		if line := bytes.Count(text[:min(int64(len(text)), syntax.Offset)], []byte("\n")); line > 0 {
			message = fmt.Sprintf("line %d: %s", 1+line, message)
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
		message = "the end of the JSON document is missing"
	case errors.As(err, &typ):
		message = fmt.Sprintf("%s is %s; want %s", cmp.Or(typ.Field, "the document"), jsonValue(typ.Value), jsonType(typ.Type, typ.Value))
	}
	return &JSONError{Cut(message)}
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
	return fmt.Sprintf("%q... (%d bytes)", start(text, maxQuoted), len(text))
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
	return fmt.Sprintf("%s... (%d bytes)", start(text, maxShown), len(text))
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
			line, rest = start(line, maxLine), fmt.Sprintf("... (%d bytes)", len(line))
		}
		b.WriteString(Printable(strings.ToValidUTF8(line, "�")))
		b.WriteString(rest)
	}
	return b.String()
}

// start returns the start of text of at most limit bytes, without splitting a character.
func start(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
