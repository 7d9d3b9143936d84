// Package input takes in what others wrote: files of bounded size, JSON whose
// fields are all known, and names that errors can quote.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Settings is the largest file of settings, in bytes. Chosen: the longest of ours
// has a few thousand, and reading JSON takes some twenty times its size of memory.
const Settings = 1 << 20

// ErrTooLarge is returned for a file that is larger than any of its kind.
var ErrTooLarge = errors.New("the file is too large")

// ReadFile returns the content of a file, which may be a pipe, of at most so many
// bytes. The error of a larger one wraps [ErrTooLarge].
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, most)
}

// Read is [ReadFile] of a file that is open.
func Read(f *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%s: %w; want at most %d bytes", f.Name(), ErrTooLarge, most)
	}
	return text, nil
}

// DecodeJSON reads one JSON document, whose fields must all be known, into v.
func DecodeJSON(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err == io.EOF {
		return errors.New("it is empty; want a JSON document")
	} else if err != nil {
		return Short(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind the JSON document")
	}
	return nil
}

// Bounds of what errors say of the input, in bytes. Chosen.
const (
	mostQuoted = 64
	mostShown  = 512
	mostLine   = 4096
)

// Quote is text as strconv.Quote has it, or the beginning of a long one.
func Quote(text string) string {
	if len(text) <= mostQuoted {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%q... (%d bytes)", begin(text, mostQuoted), len(text))
}

// Short is err, or the beginning of one that says too much, as those of
// encoding/json do that hold a whole name or number.
func Short(err error) error {
	text := err.Error()
	if len(text) <= mostShown {
		return err
	}
	return errors.New(Cut(text))
}

// Cut is text, or the beginning of a long one. It is for JSON, which holds no
// control characters once it is compact.
func Cut(text string) string {
	if len(text) <= mostShown {
		return text
	}
	return fmt.Sprintf("%s... (%d bytes)", begin(text, mostShown), len(text))
}

// Message is the text of an error as a terminal may show it, whatever foreign names
// it holds: long lines cut, and control characters escaped but for line breaks and
// tabs.
func Message(err error) string {
	var b strings.Builder
	for i, line := range strings.Split(err.Error(), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		rest := ""
		if len(line) > mostLine {
			line, rest = begin(line, mostLine), fmt.Sprintf("... (%d bytes)", len(line))
		}
		for _, r := range line {
			if unicode.IsControl(r) && r != '\t' {
				fmt.Fprintf(&b, "\\x%02x", r)
			} else {
				b.WriteRune(r)
			}
		}
		b.WriteString(rest)
	}
	return b.String()
}

// begin is the beginning of text, of at most so many bytes, in whole characters.
func begin(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
