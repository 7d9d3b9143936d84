package input_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marsgym/internal/atomicfile"
	"marsgym/internal/input"
)

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("12345678"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := input.ReadFile(path, 8); err != nil || string(text) != "12345678" {
		t.Errorf("a file of the largest size: %q, %v", text, err)
	}
	text, err := input.ReadFile(path, 7)
	if text != nil || !errors.Is(err, input.ErrTooLarge) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "at most 7 bytes") {
		t.Errorf("a file that is too large: %q, %v", text, err)
	}
	if _, err := input.ReadFile(filepath.Dir(path), 100); !errors.Is(err, atomicfile.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
}

func TestDecodeJSON(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	for _, test := range []struct{ text, want string }{
		{`{"rows": 3}`, ""},
		{`{"rowz": 3}`, `unknown field "rowz"`},
		{`{"` + long + `": 3}`, `unknown field "éé`},
		{`{"rows": 1` + strings.Repeat("0", 1<<20) + `}`, "rows is 100"},
		{`{"rows": 3} {}`, "after the JSON document"},
		{" ", "it is empty"},
		{"{\n\n3}", "invalid character '3'"},
		{`{"rows": `, "the end of the JSON document is missing"},
		{`[]`, "the document is an array; want an object"},
		{`{"rows": 1.5}`, "rows is 1.5; want a whole number"},
		{`{"rows": true}`, "rows is a boolean; want a whole number"},
		{`{"rows": 9223372036854775808}`, "rows is 9223372036854775808; want a smaller whole number"},
		{`{"rows": -9223372036854775809}`, "rows is -9223372036854775809; want a larger whole number"},
		{`{"part": {"rate": "x"}}`, "part.rate is a string; want a number"},
		{`{"part": {"rate": 1e400}}`, "part.rate is 1e400; want a smaller number"},
		{`{"part": {"name": {}}}`, "part.name is an object; want a string"},
		{`{"part": {"on": 0}}`, "part.on is a number; want a boolean"},
		{`{"part": 0}`, "part is a number; want an object"},
		{`{"list": ""}`, "list is a string; want an array"},
		{`{"list": [1, {}]}`, "list[1] is an object; want a whole number"},
		{`{"rows": null, "seed": 1}`, `seed is 1; want a whole number in quotes, such as "1"`},
		{`{"seed": "x"}`, `seed is "x"; want a whole number in quotes, such as "1"`},
		{`{"seed": "-1"}`, "seed is -1; want a larger whole number"},
	} {
		var v struct {
			Rows int `json:"rows"`
			Part struct {
				Rate float64 `json:"rate"`
				Name string  `json:"name"`
				On   bool    `json:"on"`
			} `json:"part"`
			List []int  `json:"list"`
			Seed uint64 `json:"seed,string"`
		}
		err := input.DecodeJSON([]byte(test.text), &v)
		if test.want == "" {
			if err != nil || v.Rows != 3 {
				t.Errorf("%s: %+v, %v", test.text, v, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 1000 || strings.ContainsRune(err.Error(), '�') {
			t.Errorf("%.20s: %.1000v; want a short error with %q", test.text, err, test.want)
		}
	}
}

// TestDecodeLoosely: unknown keys and keys that are there twice pass, values that do not fit do not.
func TestDecodeLoosely(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"own": 1, "rows": 2, "rows": 3}`, ""},
		{"{\"own\": 1, \"rows\": 2,\n\"rows\": []}", "line 2, column 9: rows is an array; want a whole number"},
		{`{"rows": 3} 4`, "line 1, column 13: invalid character '4'"},
	} {
		var v struct {
			Rows int `json:"rows"`
		}
		err := input.Placed(input.DecodeLoosely([]byte(test.text), &v))
		if test.want == "" && (err != nil || v.Rows != 3) || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%s: %+v, %v; want %q", test.text, v, err, test.want)
		}
	}
}

// TestPlaced: errors in JSON say where, also in a part of a document.
func TestPlaced(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"{\n\n  3}", "line 3, column 3: invalid character '3'"},
		{"{\"rows\": ,}", "line 1, column 10: invalid character ','"},
		{"{\n\"rows\":\n", "line 3, column 1: the end of the JSON document is missing"},
		{"{}\n {}", "line 2, column 3: there is text after the JSON document"},
		{"{\n\"é\": 1, \"rowz\": 3}", "line 2, column 1: unknown field \"é\""},
		{"{\n \"rows\": 3,\n  \"rowz\": 3}", "line 3, column 3: unknown field \"rowz\""},
		{"{\"rows\": 3,\n\"rows\": 3}", "line 2, column 1: the key \"rows\" is there twice"},
		{"{\n\"rows\": \"a long \\\" string\"}", "line 2, column 9: rows is a string; want a whole number"},
		{"{\n\"rows\": -1.5 }", "line 2, column 9: rows is -1.5; want a whole number"},
		{"{\n\"rows\": true}", "line 2, column 9: rows is a boolean"},
		{"{\n\"rows\": [1]}", "line 2, column 9: rows is an array"},
		{"{\n\"rows\": {\"a\": 1}}", "line 2, column 9: rows is an object"},
		{"{\"list\": [{\"a\": 1},\n {\"b\": 2}]}", "line 2, column 3: list[1]: unknown field \"b\""},
		{"{\"own\":\n {\"x\": \"y\"}}", "line 2, column 2: own is a string; want a number"},
		{"{\"own\":\n {\"x\": 1, \"x\": 1}}", "line 2, column 11: own: the key \"x\" is there twice"},
		{"", "it is empty"},
	} {
		var v struct {
			Rows int `json:"rows"`
			List []struct {
				A int `json:"a"`
			} `json:"list"`
			Own own `json:"own"`
		}
		whole := "{\n  \"before\": [1, 2],\n  \"part\": "
		err := input.Placed(input.DecodeJSON([]byte(test.text), &v))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v; want %q", test.text, err, test.want)
		}
		part := input.Part([]byte(whole+test.text+"}"), "part")
		if part == nil { // it is no JSON
			continue
		}
		if err = input.Placed(input.DecodeJSON(part, &v)); err == nil { // what is wrong follows the part
			continue
		}
		line, column := 0, 0
		fmt.Sscanf(test.want, "line %d, column %d:", &line, &column)
		if line == 1 {
			column += len("  \"part\": ")
		}
		if want := fmt.Sprintf("line %d, column %d:", line+2, column); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q as a part: %v; want %q", test.text, err, want)
		}
	}
}

func TestRange(t *testing.T) {
	if got := input.Range(1, 10) + ", " + input.Range(2, 2); got != "1 to 10, 2" {
		t.Error(got)
	}
}

func TestQuote(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"pig", `"pig"`},
		{"a\x1b[2J\nb", `"a\x1b[2J\nb"`},
		{strings.Repeat("x", 64), `"` + strings.Repeat("x", 64) + `"`},
		{strings.Repeat("x", 65), `"` + strings.Repeat("x", 64) + `"... (65 bytes)`},
		{"x" + strings.Repeat("é", 40), `"x` + strings.Repeat("é", 31) + `"... (81 bytes)`},
	} {
		if got := input.Quote(test.text); got != test.want {
			t.Errorf("%q: got %s, want %s", test.text, got, test.want)
		}
	}
}

func TestMessage(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"no such file\nto continue:\n\n\tgo run ./cmd/train", "no such file\nto continue:\n\n\tgo run ./cmd/train"},
		{"a name \x1b[2Jé\r\u009b", `a name \x1b[2Jé\x0d\x9b`},
		{"a\u202eb", `a\x202eb`},
		{"first\n" + strings.Repeat("x", 5000) + "\nlast", "first\n" + strings.Repeat("x", 4096) + "... (5000 bytes)\nlast"},
	} {
		if got := input.Message(errors.New(test.text)); got != test.want {
			t.Errorf("%.100q: got %.100q, want %.100q", test.text, got, test.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"3", 3, ""},
		{"12", 12, ""},
		{"2", 0, `points "2" is not a number from 3 to 12`},
		{"13", 0, `points "13" is not a number from 3 to 12`},
		{"+4", 0, `points "+4" is not a number from 3 to 12`},
		{"04", 0, `points "04" is not a number from 3 to 12`},
		{"", 0, `points "" is not a number from 3 to 12`},
		{"4.0", 0, `points "4.0" is not a number from 3 to 12`},
	} {
		n, err := input.Number("points", test.text, 3, 12)
		if text := fmt.Sprint(err); n != test.n || text != test.want && (test.want != "" || err != nil) {
			t.Errorf("%q: %d, %v; want %d, %s", test.text, n, err, test.n, test.want)
		}
	}
}
