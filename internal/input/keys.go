package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// checkKeys returns a [JSONError] if an object of a JSON document has a key twice, or one
// that is not the name of a field of its type, letter for letter. encoding/json would take
// the last of two keys, and a key in another case. Of values that decode themselves it
// returns the error, with the path that encoding/json does not give.
func checkKeys(text []byte, t reflect.Type) error {
	return newChecker(text, text, 0).value(t, "")
}

// checker goes through a JSON document, or a part of one that begins at an offset.
type checker struct {
	*json.Decoder
	text   []byte // of the document
	at     int
	failed bool // a value that decodes itself has failed
}

func newChecker(text, part []byte, at int) *checker {
	d := json.NewDecoder(bytes.NewReader(part))
	d.UseNumber()
	return &checker{Decoder: d, text: text, at: at}
}

// value checks the next value, at a path such as "train.ppo". t is its type, or nil.
func (c *checker) value(t reflect.Type, path string) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		var own json.RawMessage
		if err := c.Decode(&own); err != nil {
			return err
		}
		at := c.at + int(c.InputOffset()) - len(own)
		if err := json.Unmarshal(own, reflect.New(t).Interface()); err != nil {
			c.failed = true
			return c.fault(path, at, err)
		}
		return newChecker(c.text, own, at).value(nil, path)
	}
	token, err := c.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return c.object(t, path)
	case json.Delim('['):
		var element reflect.Type
		if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
			element = t.Elem()
		}
		for i := 0; c.More(); i++ {
			if err := c.value(element, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		_, err = c.Token()
	}
	return err
}

// fault is an error in what is at a path and an offset.
func (c *checker) fault(path string, at int, err error) error {
	e := &JSONError{text: err.Error()}
	if path != "" {
		e.text = Cut(path) + ": " + e.text
	}
	e.line, e.column = place(c.text, at)
	return e
}

// object checks an object after its brace.
func (c *checker) object(t reflect.Type, path string) error {
	known, seen := fieldsOf(t), map[string]bool{}
	for c.More() {
		token, err := c.Token()
		if err != nil {
			return err
		}
		key, at := token.(string), start(c.text, c.at+int(c.InputOffset()))
		if seen[key] {
			return c.fault(path, at, fmt.Errorf("the key %s is there twice; leave one out", Quote(key)))
		}
		seen[key] = true
		inner, ok := known[key]
		switch {
		case known != nil && !ok:
			return c.fault(path, at, Unknown("field", key, slices.Sorted(maps.Keys(known))))
		case t != nil && t.Kind() == reflect.Map:
			inner = t.Elem()
		}
		if err := c.value(inner, strings.TrimPrefix(path+"."+key, ".")); err != nil {
			return err
		}
	}
	_, err := c.Token()
	return err
}

// fieldsOf returns the types of the fields of a struct by their names in JSON, or nil if t
// is no struct.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	known := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported() || f.Anonymous && name == "":
		case name != "":
			known[name] = f.Type
		default:
			known[f.Name] = f.Type
		}
	}
	return known
}
