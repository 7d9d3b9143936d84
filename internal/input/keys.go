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
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return checkValue(d, t, "")
}

// checkValue checks the next value, at a path such as "train.ppo". t is its type, or nil.
func checkValue(d *json.Decoder, t reflect.Type, path string) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		var own json.RawMessage
		if err := d.Decode(&own); err != nil {
			return err
		}
		if err := json.Unmarshal(own, reflect.New(t).Interface()); err != nil {
			return fault(path, err)
		}
		inner := json.NewDecoder(bytes.NewReader(own))
		inner.UseNumber()
		return checkValue(inner, nil, path)
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return checkObject(d, t, path)
	case json.Delim('['):
		var element reflect.Type
		if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
			element = t.Elem()
		}
		for i := 0; d.More(); i++ {
			if err := checkValue(d, element, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	return err
}

// fault is an error in a value at a path.
func fault(path string, err error) error {
	if path == "" {
		return &JSONError{err.Error()}
	}
	return &JSONError{Cut(path) + ": " + err.Error()}
}

// checkObject checks an object after its brace.
func checkObject(d *json.Decoder, t reflect.Type, path string) error {
	known, seen := fieldsOf(t), map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := token.(string)
		if seen[key] {
			return fault(path, fmt.Errorf("the key %s is there twice; leave one out", Quote(key)))
		}
		seen[key] = true
		inner, ok := known[key]
		switch {
		case known != nil && !ok:
			return fault(path, Unknown("field", key, slices.Sorted(maps.Keys(known))))
		case t != nil && t.Kind() == reflect.Map:
			inner = t.Elem()
		}
		if err := checkValue(d, inner, strings.TrimPrefix(path+"."+key, ".")); err != nil {
			return err
		}
	}
	_, err := d.Token()
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
