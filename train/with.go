package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"marsgym/internal/input"
)

// With returns s, complete settings, with other values in JSON of some fields of train, such as
// "train.learning_rate.0". The defaults of other fields do not change, also if train.algorithm does.
func (s Settings) With(values map[string]json.RawMessage) (Settings, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return s, err
	}
	var object any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a seed may have more digits than a float64
	if err := d.Decode(&object); err != nil {
		return s, err
	}
	for _, field := range slices.Sorted(maps.Keys(values)) {
		if field == "train.shards" {
			return s, ErrShards
		}
		if !strings.HasPrefix(field, "train.") {
			return s, fmt.Errorf("want train.FIELD, such as train.rows, in the place of %s", input.Quote(field))
		}
		if err := put(object, field, values[field]); err != nil {
			return s, err
		}
	}
	if text, err = json.Marshal(object); err != nil {
		return s, err
	}
	var changed Settings
	if err := input.DecodeJSON(text, &changed); err != nil {
		return s, input.Unplaced(err) // of text that the user has not seen
	}
	return changed, nil
}

// put sets the value of a field of a JSON document. Only the last part of its path may be new, as
// documents leave out some fields that are 0.
func put(object any, field string, value json.RawMessage) error {
	path := strings.Split(field, ".")
	for i, name := range path {
		last := i == len(path)-1
		switch o := object.(type) {
		case map[string]any:
			next, ok := o[name]
			if !ok && !last {
				return fmt.Errorf("no field %s: the settings of this run have no %s%s", input.Quote(field), strings.Join(path[:i+1], "."), input.Hint(name, slices.Sorted(maps.Keys(o))))
			}
			if last {
				o[name] = value
			}
			object = next
		case []any:
			if len(o) == 0 {
				return fmt.Errorf("no field %s: the list %s is empty", input.Quote(field), strings.Join(path[:i], "."))
			}
			k, err := strconv.Atoi(name)
			if err != nil || k < 0 || k >= len(o) {
				return fmt.Errorf("no field %s: want %s in the place of %s", input.Quote(field), input.Range(0, len(o)-1), input.Quote(name))
			}
			if last {
				o[k] = value
			}
			object = o[k]
		default:
			return fmt.Errorf("no field %s: %s has no parts, or varies as a whole", input.Quote(field), strings.Join(path[:i], "."))
		}
	}
	return nil
}
