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
	if n := s.runs(); n > maxRuns {
		return nil, fmt.Errorf("grid, random and seeds make %.4g runs; want at most %d", n, maxRuns)
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

// maxRuns of a sweep. Chosen: a run takes a second at the least.
const maxRuns = 10_000

// runs is how many runs there are; a number of them may be too large for an int.
func (s *sweep) runs() float64 {
	n := float64(max(1, len(s.Seeds)))
	if s.Random != nil {
		n *= float64(s.Random.Runs)
	}
	for _, values := range s.Grid {
		n *= float64(len(values))
	}
	return n
}

// values lists what the fields are in each variant.
func (s *sweep) values() ([]map[string]json.RawMessage, error) {
	all := []map[string]json.RawMessage{{}}
	if r := s.Random; r != nil {
		if r.Runs < 1 {
			return nil, fmt.Errorf("random.runs is %d; want at least 1", r.Runs)
		}
		all = nil
		for i := range r.Runs {
			values := map[string]json.RawMessage{}
			stream := rand.New(rand.NewPCG(r.Seed, uint64(i)))
			for _, field := range slices.Sorted(maps.Keys(r.Draw)) {
				if _, twice := s.Grid[field]; twice {
					return nil, fmt.Errorf("%s is both in grid and in random", input.Quote(field))
				}
				x, err := r.Draw[field].value(stream.Float64())
				if err != nil {
					return nil, fmt.Errorf("random.draw, %s: %w", input.Quote(field), err)
				}
				values[field] = x
			}
			all = append(all, values)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(s.Grid)) {
		if len(s.Grid[field]) == 0 {
			return nil, fmt.Errorf("grid, %s: no values", input.Quote(field))
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
// to three digits: more tell nothing, unless those lie beyond a bound.
func (d draw) value(u float64) (json.RawMessage, error) {
	ends, x := slices.Concat(d.Uniform, d.Log), 0.0
	if len(ends) != 2 || d.Uniform != nil && d.Log != nil || !(ends[0] <= ends[1]) {
		return nil, errors.New(`want "uniform" or "log" with two numbers, the lower first`)
	}
	low, high := ends[0], ends[1]
	switch {
	case d.Uniform != nil:
		x = (1-u)*low + u*high // high-low may be infinite
	case !(low > 0):
		return nil, errors.New(`"log" needs numbers above 0`)
	default:
		x = math.Exp((1-u)*math.Log(low) + u*math.Log(high)) // so may high/low
	}
	if d.Int {
		if low, high = math.Ceil(low), math.Floor(high); low > high {
			return nil, fmt.Errorf("no whole number is from %v to %v", ends[0], ends[1])
		}
		return strconv.AppendFloat(nil, min(max(math.Round(x), low), high), 'f', 0, 64), nil
	}
	text := strconv.AppendFloat(nil, x, 'g', 3, 64)
	if short, err := strconv.ParseFloat(string(text), 64); err != nil || short < low || short > high { // an error is an overflow
		text = strconv.AppendFloat(nil, min(max(x, low), high), 'g', -1, 64)
	}
	return text, nil
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
			err = fmt.Errorf("%s cannot vary, only fields of train: what is won in one game does not compare with another", input.Quote(field))
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
				return fmt.Errorf("no field %s: want 0 to %d in the place of %s", input.Quote(field), len(o)-1, input.Quote(name))
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
