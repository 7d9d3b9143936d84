package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"marsgym/env"
	"marsgym/internal/input"
	"marsgym/train"
)

// document is a sweep in JSON.
type document struct {
	Base   json.RawMessage              `json:"base"`   // settings of all runs, see [train.ReadDraft]
	Grid   map[string][]json.RawMessage `json:"grid"`   // values by field; all combinations are tried
	Random *random                      `json:"random"` // each with all of the grid
	Seeds  []uint64                     `json:"seeds"`  // each variant is trained once with each; none is that of base
	League *League                      `json:"league"`
}

// League is how the runs of a sweep are compared at its end: by matches of all of them
// against each other. Whoever calls [Plan.Run] plays them.
type League struct {
	Games int    `json:"games"` // of each match; 0 stands for 2,000
	Seed  uint64 `json:"seed"`  // of its dice; 0 stands for a number that no run has by default
	// Lookahead is the number of plies by which the runs look ahead; nil is the policy
	// head.
	Lookahead *int `json:"lookahead"`
	// Against are further agents of the league, such as a bot of the game or a model
	// file. They cannot be the best.
	Against []string `json:"against"`
}

// Defaults of a league. Chosen: ratings within some 20 points; the letters of "league".
const (
	leagueGames = 2000
	leagueSeed  = 0x6c6561677565
)

// Plan is a sweep with all settings worked out.
type Plan struct {
	Game     env.Game
	Fields   []string  // that vary, sorted
	Variants []Variant // at least one
	League   *League   // or nil
	text     []byte    // of the document
}

// Variant is one choice of the fields that vary.
type Variant struct {
	Values map[string]json.RawMessage // by field
	Runs   []train.Settings           // one for each seed; as many in each variant
}

// Runs returns the number of runs.
func (p *Plan) Runs() int { return len(p.Variants) * len(p.Variants[0].Runs) }

// maxRuns of a sweep. Chosen: a run takes a second at the least.
const maxRuns = 10_000

// algorithmField decides which other fields there are.
const algorithmField = "train.algorithm"

// Parse reads a sweep, and checks all of it: it solves and trains nothing. Its errors are all of
// settings.
func Parse(text []byte) (*Plan, error) {
	var d document
	if err := input.DecodeJSON(text, &d); err != nil {
		return nil, err
	}
	if d.Base = input.Part(text, "base"); d.Base == nil {
		d.Base = []byte("{}")
	}
	if n := d.runs(); n > maxRuns {
		return nil, fmt.Errorf("grid, random and seeds make %.4g runs; want at most %d", n, maxRuns)
	}
	for i, seed := range d.Seeds {
		if slices.Contains(d.Seeds[:i], seed) {
			return nil, fmt.Errorf("seeds has %d twice", seed)
		}
	}
	all, err := d.values()
	if err != nil {
		return nil, err
	}
	draft, err := train.ReadDraft(d.Base)
	if err != nil {
		return nil, err
	}
	p := &Plan{text: text, League: d.League}
	if p.Game, err = draft.Open(); err != nil {
		return nil, err
	}
	bases := map[string]train.Settings{} // by algorithm: completing them takes a moment
	known := map[string]bool{}           // the settings of the variants so far, in JSON
	for _, values := range all {
		v := Variant{Values: values}
		p.Fields = slices.Sorted(maps.Keys(values))
		name := values[algorithmField]
		base, ok := bases[string(name)]
		if !ok {
			var a train.Algorithm
			if name != nil {
				if err := json.Unmarshal(name, &a); err != nil {
					return nil, fmt.Errorf("%s: %w", algorithmField, err)
				}
			}
			if base, err = draft.Complete(p.Game, a); err != nil {
				return nil, err
			}
			bases[string(name)] = base
		}
		s, err := with(base, values, p.Game, d.League != nil)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		if known[string(text)] {
			return nil, fmt.Errorf("%s makes the same run twice; leave one out", describe(values))
		}
		known[string(text)] = true
		seeds := d.Seeds
		if len(seeds) == 0 {
			seeds = []uint64{s.Train.Seed}
		}
		for _, seed := range seeds {
			s.Train.Seed = seed
			v.Runs = append(v.Runs, s)
		}
		p.Variants = append(p.Variants, v)
	}
	if l := p.League; l != nil {
		if l.Games < 0 || l.Lookahead != nil && *l.Lookahead < 0 {
			return nil, errors.New("league.games and league.lookahead are 0 or more")
		}
		l.Games, l.Seed = cmp.Or(l.Games, leagueGames), cmp.Or(l.Seed, leagueSeed)
	}
	return p, nil
}

// describe names the values of a variant.
func describe(values map[string]json.RawMessage) string {
	var list []string
	for _, field := range slices.Sorted(maps.Keys(values)) {
		list = append(list, fmt.Sprintf("%s %s", input.Quote(field), values[field]))
	}
	return input.Cut(strings.Join(list, " with "))
}

// runs returns the number of runs, which may be too large for an int.
func (d *document) runs() float64 {
	n := float64(max(1, len(d.Seeds)))
	if d.Random != nil {
		n *= float64(d.Random.Runs)
	}
	for _, values := range d.Grid {
		n *= float64(len(values))
	}
	return n
}

// values lists the values of the fields in each variant.
func (d *document) values() ([]map[string]json.RawMessage, error) {
	all := []map[string]json.RawMessage{{}}
	if d.Random != nil {
		var err error
		if all, err = d.Random.values(d.Grid); err != nil {
			return nil, err
		}
	}
	for _, field := range slices.Sorted(maps.Keys(d.Grid)) {
		if len(d.Grid[field]) == 0 {
			return nil, fmt.Errorf("grid, %s: no values", input.Quote(field))
		}
		var wider []map[string]json.RawMessage
		for _, values := range all {
			for _, x := range d.Grid[field] {
				v := maps.Clone(values)
				v[field] = x
				wider = append(wider, v)
			}
		}
		all = wider
	}
	return all, nil
}

// with returns settings for a game with other values of fields. Without a league they
// need exact evaluations.
func with(base train.Settings, values map[string]json.RawMessage, g env.Game, league bool) (s train.Settings, err error) {
	text, err := json.Marshal(base)
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
		switch {
		case field == "train.shards":
			err = train.ErrShards
		case field == "train.seed":
			err = errors.New("list seeds under seeds, not train.seed")
		case !strings.HasPrefix(field, "train."):
			err = fmt.Errorf("%s cannot vary, only fields of train: strengths in different games do not compare", input.Quote(field))
		default:
			err = put(object, field, values[field])
		}
		if err != nil {
			return s, err
		}
	}
	if text, err = json.Marshal(object); err != nil {
		return s, err
	}
	if err := input.DecodeJSON(text, &s); err != nil {
		return s, input.Unplaced(err) // of text that is not the sweep's
	}
	if err := s.Train.Check(g); err != nil {
		return s, err
	}
	if s.Train.Evaluations == 0 && !league {
		return s, errors.New("train.evaluations is 0; want at least 1, for strengths to compare")
	}
	return s, nil
}

// put replaces the value of a field of a JSON document.
func put(object any, field string, value json.RawMessage) error {
	path := strings.Split(field, ".")
	for i, name := range path {
		last := i == len(path)-1
		switch o := object.(type) {
		case map[string]any:
			next, ok := o[name]
			if !ok {
				return input.Unknown("field", name, slices.Sorted(maps.Keys(o)))
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
