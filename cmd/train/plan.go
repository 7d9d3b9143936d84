package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"marsgym/env"
	"marsgym/internal/cli"
	"marsgym/internal/input"
	"marsgym/train"
)

// sweep is a file that says which settings to try, such as
//
//	{
//	  "base": {"game": "pig", "train": {"steps": 2000000}},
//	  "grid": {"train.rows": [64, 128], "train.hidden": [[64], [128, 128]]},
//	  "random": {"runs": 8, "seed": 1, "draw": {"train.rate.0": {"log": [0.001, 0.02]}}},
//	  "seeds": [1, 2]
//	}
//
// which is 2·2·8·2 runs. Fields are named as in config.json, or, for an element
// of a list, with its index from 0.
type sweep struct {
	Base   json.RawMessage              `json:"base"`   // settings as in -config
	Grid   map[string][]json.RawMessage `json:"grid"`   // values by field; all combinations are tried
	Random *random                      `json:"random"` // each with all of the grid
	Seeds  []uint64                     `json:"seeds"`  // each variant is trained once with each; none is that of base
}

// random draws values of fields.
type random struct {
	Runs int             `json:"runs"` // draws
	Seed uint64          `json:"seed"`
	Draw map[string]draw `json:"draw"` // by field
}

// draw is how to draw a value: uniformly, it or its logarithm, between two.
type draw struct {
	Uniform []float64 `json:"uniform"`
	Log     []float64 `json:"log"`
	Int     bool      `json:"int"` // rounded to a whole number
}

// variant is a choice of settings.
type variant struct {
	values map[string]json.RawMessage // by field
	runs   []settings                 // one for each seed
}

// completion is complete for a certain command line.
type completion func(text []byte, a train.Algorithm) (settings, env.Game, error)

// plan is a sweep worked out.
type plan struct {
	text     []byte // of the file
	game     env.Game
	fields   []string
	variants []variant
}

// algorithmField decides which other fields there are.
const algorithmField = "train.algorithm"

// readPlan reads a sweep and works out all its settings.
func readPlan(path string, complete completion) (*plan, error) {
	text, err := input.ReadFile(path, input.Settings)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(text, complete)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func newPlan(text []byte, complete completion) (*plan, error) {
	var s sweep
	if err := input.DecodeJSON(text, &s); err != nil {
		return nil, err
	}
	if s.Base == nil {
		s.Base = []byte("{}")
	}
	for i, seed := range s.Seeds {
		if slices.Contains(s.Seeds[:i], seed) {
			return nil, fmt.Errorf("seeds has %d twice", seed)
		}
	}
	p := &plan{text: text}
	all, err := s.values()
	if err != nil {
		return nil, err
	}
	bases := map[string]settings{} // by algorithm: to complete them takes a moment
	for _, values := range all {
		v := variant{values: values}
		p.fields = slices.Sorted(maps.Keys(values))
		name := values[algorithmField]
		base, ok := bases[string(name)]
		if !ok {
			var a train.Algorithm
			if name != nil {
				if err := json.Unmarshal(name, &a); err != nil {
					return nil, fmt.Errorf("%s: %w", algorithmField, err)
				}
			}
			if base, p.game, err = complete(s.Base, a); err != nil {
				return nil, err
			}
			bases[string(name)] = base
		}
		set, err := base.with(values, p.game)
		if err != nil {
			return nil, err
		}
		seeds := s.Seeds
		if len(seeds) == 0 {
			seeds = []uint64{set.Train.Seed}
		}
		for _, seed := range seeds {
			set.Train.Seed = seed
			v.runs = append(v.runs, set)
		}
		p.variants = append(p.variants, v)
	}
	return p, nil
}

// values lists what the fields are in each variant.
func (s *sweep) values() ([]map[string]json.RawMessage, error) {
	all := []map[string]json.RawMessage{{}}
	if r := s.Random; r != nil {
		if !(r.Runs > 0 && r.Runs <= 10_000) {
			return nil, fmt.Errorf("random.runs is %d; want 1 to 10000", r.Runs)
		}
		all = nil
		for i := range r.Runs {
			values := map[string]json.RawMessage{}
			stream := rand.New(rand.NewPCG(r.Seed, uint64(i)))
			for _, field := range slices.Sorted(maps.Keys(r.Draw)) {
				if _, twice := s.Grid[field]; twice {
					return nil, fmt.Errorf("%s is both in grid and in random", field)
				}
				x, err := r.Draw[field].value(stream.Float64())
				if err != nil {
					return nil, fmt.Errorf("random.draw, %s: %w", field, err)
				}
				values[field] = x
			}
			all = append(all, values)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(s.Grid)) {
		if len(s.Grid[field]) == 0 {
			return nil, fmt.Errorf("grid, %s: no values", field)
		}
		var wider []map[string]json.RawMessage
		for _, values := range all {
			for _, x := range s.Grid[field] {
				v := maps.Clone(values)
				v[field] = x
				wider = append(wider, v)
			}
		}
		all = wider
	}
	return all, nil
}

// value turns a number drawn from 0 to 1 into one between the bounds, in JSON,
// to three digits: more tell nothing.
func (d draw) value(u float64) (json.RawMessage, error) {
	ends, x := slices.Concat(d.Uniform, d.Log), 0.0
	switch {
	case len(ends) != 2 || d.Uniform != nil && d.Log != nil || !(ends[0] <= ends[1]):
		return nil, errors.New(`want "uniform" or "log" with two numbers, the lower first`)
	case d.Uniform != nil:
		x = ends[0] + u*(ends[1]-ends[0])
	case !(ends[0] > 0):
		return nil, errors.New(`"log" needs numbers above 0`)
	default:
		x = ends[0] * math.Pow(ends[1]/ends[0], u)
	}
	if d.Int {
		return strconv.AppendFloat(nil, math.Round(x), 'f', 0, 64), nil
	}
	return strconv.AppendFloat(nil, x, 'g', 3, 64), nil
}

// with returns settings for a game with other values of fields.
func (s settings) with(values map[string]json.RawMessage, g env.Game) (set settings, err error) {
	text, err := json.Marshal(s)
	if err != nil {
		return set, err
	}
	var object any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a seed may have more digits than a float64
	if err := d.Decode(&object); err != nil {
		return set, err
	}
	for _, field := range slices.Sorted(maps.Keys(values)) {
		switch {
		case field == "train.seed":
			err = errors.New("list seeds under seeds, not train.seed")
		case !strings.HasPrefix(field, "train."):
			err = fmt.Errorf("%s cannot vary, only fields of train: what is won in one game does not compare with another", field)
		default:
			err = put(object, field, values[field])
		}
		if err != nil {
			return set, err
		}
	}
	if text, err = json.Marshal(object); err != nil {
		return set, err
	}
	if err := input.DecodeJSON(text, &set); err != nil {
		return set, err
	}
	if err := set.check(g); err != nil {
		return set, err
	}
	if set.Train.Evaluations == 0 {
		return set, errors.New("evaluations is 0; want at least 1, to have something to compare")
	}
	return set, nil
}

// put gives a field of a JSON document another value.
func put(object any, field string, value json.RawMessage) error {
	path := strings.Split(field, ".")
	for i, name := range path {
		last := i == len(path)-1
		switch o := object.(type) {
		case map[string]any:
			next, ok := o[name]
			if !ok {
				return cli.Unknown("field", name, slices.Sorted(maps.Keys(o)))
			}
			if last {
				o[name] = value
			}
			object = next
		case []any:
			k, err := strconv.Atoi(name)
			if err != nil || k < 0 || k >= len(o) {
				return fmt.Errorf("no field %s: want 0 to %d in the place of %s", field, len(o)-1, name)
			}
			if last {
				o[k] = value
			}
			object = o[k]
		default:
			return fmt.Errorf("no field %s: %s has no parts, or varies as a whole", field, strings.Join(path[:i], "."))
		}
	}
	return nil
}
