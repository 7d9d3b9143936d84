package input_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"marsgym/internal/input"
)

// inUTF16 returns text in UTF-16, of either order of bytes.
func inUTF16(text string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

// TestText: a byte order mark is skipped, and UTF-16 is named, in files and in JSON.
func TestText(t *testing.T) {
	const text = `{"rows": 3}`
	path := filepath.Join(t.TempDir(), "file")
	for _, test := range []struct{ name, text, want string }{
		{"plain", text, ""},
		{"a byte order mark", "\ufeff" + text, ""},
		{"UTF-16, little end first", inUTF16("\ufeff"+text, false), "UTF-16; save it as UTF-8"},
		{"UTF-16, big end first", inUTF16("\ufeff"+text, true), "UTF-16; save it as UTF-8"},
		{"UTF-16 without a mark, little end first", inUTF16(text, false), "UTF-16"},
		{"UTF-16 without a mark, big end first", inUTF16(text, true), "UTF-16"},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := input.ReadFile(path, 100)
		if test.want == "" && (err != nil || string(got) != text) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: a file is read as %q, %v; want the error %q", test.name, got, err, test.want)
		}
		var v struct {
			Rows int `json:"rows"`
		}
		for _, decode := range []func([]byte, any) error{input.DecodeJSON, input.DecodeLoosely} {
			err := decode([]byte(test.text), &v)
			if test.want == "" && (err != nil || v.Rows != 3) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s: %v; want the error %q", test.name, err, test.want)
			}
		}
	}
	if got, err := input.Line("\ufeffgame pig"); got != "game pig" || err != nil {
		t.Errorf("a line with a byte order mark is %q, %v", got, err)
	}
	if _, err := input.Line(inUTF16("game pig", false)); err == nil || !strings.Contains(err.Error(), "the text is in UTF-16; save it as UTF-8") {
		t.Errorf("a line in UTF-16: %v", err)
	}
}

// own decodes itself.
type own struct{ sum float64 }

func (o *own) UnmarshalJSON(text []byte) error {
	var list map[string]float64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for _, x := range list {
		o.sum += x
	}
	return nil
}

// TestKeys: keys that occur twice, in another case or misspelt are refused, at any depth,
// with the known keys.
func TestKeys(t *testing.T) {
	type Embedded struct {
		Seed int `json:"seed"`
	}
	type document struct {
		Embedded
		Rows  int `json:"rows"`
		Parts []struct {
			Rate float64 `json:"learning_rate"`
		} `json:"parts"`
		Pointer *struct {
			On bool `json:"on,omitempty"`
		} `json:"pointer"`
		Named  map[string]Embedded `json:"named"`
		Bots   own                 `json:"bots"`
		Raw    json.RawMessage     `json:"raw"`
		Any    any                 `json:"any"`
		Plain  int
		Hidden int `json:"-"`
	}
	for _, test := range []struct{ text, want string }{
		{`{"rows": 1, "seed": 2, "parts": [{"learning_rate": 1}, {}], "pointer": {"on": true}, "named": {"a": {"seed": 1}, "A": {}}, "bots": {"a": 1}, "raw": {"x": [{"y": 1}]}, "any": {"X": 1, "x": 2}, "Plain": 1}`, ""},
		{`{"rows": 1, "rows": 2}`, `the key "rows" is there twice; leave one out`},
		{`{"rows": 1, "\u0072ows": 2}`, `the key "rows" is there twice`},
		{`{"rows": 1, "Rows": 2}`, `unknown field "Rows"; want one of: Plain, any, bots, named, parts, pointer, raw, rows, seed; did you mean rows?`},
		{`{"ROWS": 1}`, "did you mean rows?"},
		{`{"Seed": 1}`, "did you mean seed?"},
		{`{"plain": 1}`, "did you mean Plain?"},
		{`{"Hidden": 1}`, `unknown field "Hidden"`},
		{`{"Embedded": {}}`, `unknown field "Embedded"`},
		{`{"parts": [{}, {"learning_rat": 1}]}`, `parts[1]: unknown field "learning_rat"; want one of: learning_rate; did you mean learning_rate?`},
		{`{"parts": [{"learning_rate": 1, "learning_rate": 1}]}`, `parts[0]: the key "learning_rate" is there twice`},
		{`{"pointer": {"On": true}}`, `pointer: unknown field "On"`},
		{`{"named": {"a": {"Seed": 1}}}`, `named.a: unknown field "Seed"`},
		{`{"named": {"a": {}, "a": {}}}`, `named: the key "a" is there twice`},
		{`{"bots": {"a": 1, "a": 2}}`, `bots: the key "a" is there twice`},
		{`{"raw": {"x": [{"y": 1, "y": 2}]}}`, `raw.x[0]: the key "y" is there twice`},
		// How much of the path encoding/json names depends on the release of Go.
		{`{"parts": [{}, {"learning_rate": "x"}]}`, "learning_rate is a string; want a number"},
		{`{"named": {"a": {}}, "bots": {"a": "x"}}`, " is a string; want a number"},
		{`{"any": {"x": 1, "x": 2}}`, `any: the key "x" is there twice`},
	} {
		var v document
		err := input.DecodeJSON([]byte(test.text), &v)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v; want the error %q", test.text, err, test.want)
		}
	}
}
