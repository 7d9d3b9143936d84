package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// checkKeys returns a [JSONError] if an object of a JSON document has a key twice, or one
// that is not the name of a field of its type, letter for letter. encoding/json would take
// the last of two keys, and a key in another case. It also returns the error of the first
// value that does not fit its type, with its path and its place.
func checkKeys(text []byte, t reflect.Type) error {
	return newChecker(text, text, 0).value(t, "")
}

// checker goes through a JSON document, or a part of one that begins at an offset.
type checker struct {
	*json.Decoder
	text  []byte // of the document
	at    int
	loose bool // keys may be unknown, or there twice
}

func newChecker(text, part []byte, at int) *checker {
	d := json.NewDecoder(bytes.NewReader(part))
	d.UseNumber()
	return &checker{Decoder: d, text: text, at: at}
}

// value checks the next value, at a path such as "train.ppo". t is its type, or nil.
func (c *checker) value(t reflect.Type, path string) error { return c.field(field{t, false}, path) }

// field is a type, and whether its values stand in strings: the option "string" of a tag.
type field struct {
	t      reflect.Type
	quoted bool
}

// field is value for one of a struct.
func (c *checker) field(f field, path string) error {
	t := f.t
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		var own json.RawMessage
		if err := c.Decode(&own); err != nil {
			return err
		}
		at := c.at + int(c.InputOffset()) - len(own)
		if err := c.fits(t, own, path, at); err != nil || c.loose {
			return err
		}
		return newChecker(c.text, own, at).value(nil, path)
	}
	token, err := c.Token()
	if err != nil {
		return err
	}
	if t != nil && token != nil {
		at := start(c.text, c.at+int(c.InputOffset()))
		text := c.text[at : c.at+int(c.InputOffset())]
		switch quoted, ok := token.(string); {
		case f.quoted && (!ok || !json.Valid([]byte(quoted))):
			return c.fault("", at, fmt.Errorf("%s is %s; want a whole number in quotes, such as \"1\"", path, text))
		case f.quoted:
			text = []byte(quoted)
		case token == json.Delim('{'): // what is in it follows
			text = []byte("{}")
		case token == json.Delim('['):
			text = []byte("[]")
		}
		if err := c.fits(t, text, path, at); err != nil {
			return err
		}
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

// fits returns an error if a value of JSON, at a path and an offset, does not fit a type.
func (c *checker) fits(t reflect.Type, value []byte, path string, at int) error {
	err := json.Unmarshal(value, reflect.New(t).Interface())
	var typ *json.UnmarshalTypeError
	if !errors.As(err, &typ) {
		if err != nil {
			err = c.fault(path, at, err)
		}
		return err
	}
	return c.fault("", at, fmt.Errorf("%s is %s; want %s",
		cmp.Or(path, "the document"), jsonValue(typ.Value), jsonType(typ.Type, typ.Value)))
}

// fault is an error in what is at a path and an offset.
func (c *checker) fault(path string, at int, err error) error {
	e := &JSONError{text: Cut(err.Error())}
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
		if seen[key] && !c.loose {
			return c.fault(path, at, fmt.Errorf("the key %s is there twice; leave one out", Quote(key)))
		}
		seen[key] = true
		inner, ok := known[key]
		switch {
		case known != nil && !ok && !c.loose:
			return c.fault(path, at, Unknown("field", key, slices.Sorted(maps.Keys(known))))
		case t != nil && t.Kind() == reflect.Map:
			inner.t = t.Elem()
		}
		if err := c.field(inner, strings.TrimPrefix(path+"."+key, ".")); err != nil {
			return err
		}
	}
	_, err := c.Token()
	return err
}

// fieldsOf returns the fields of a struct by their names in JSON, or nil if t is no struct.
func fieldsOf(t reflect.Type) map[string]field {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	known := map[string]field{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		own := field{f.Type, options == "string"}
		switch {
		case tag == "-" || !f.IsExported() || f.Anonymous && name == "":
		case name != "":
			known[name] = own
		default:
			known[f.Name] = own
		}
	}
	return known
}
