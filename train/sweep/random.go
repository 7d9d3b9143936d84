package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"marsgym/internal/input"
	"marsgym/internal/kernel/elementary"
)

// random draws values of fields.
type random struct {
	Runs int             `json:"runs"` // draws
	Seed uint64          `json:"seed"`
	Draw map[string]draw `json:"draw"` // by field
}

// draw is a distribution between two bounds, uniform in the value or its logarithm.
type draw struct {
	Uniform []float64 `json:"uniform"`
	Log     []float64 `json:"log"`
	Int     bool      `json:"int"` // rounded to a whole number
}

// maxRedraws of values that are those of an earlier draw. Chosen: far more than a distribution
// with enough values needs.
const maxRedraws = 1000

// values lists the values of each draw, no two of which are the same. Fields of the grid may not
// be drawn.
func (r *random) values(grid map[string][]json.RawMessage) (all []map[string]json.RawMessage, err error) {
	if r.Runs < 1 {
		return nil, fmt.Errorf("random.runs is %d; want at least 1", r.Runs)
	}
	for field := range r.Draw {
		if _, twice := grid[field]; twice {
			return nil, fmt.Errorf("%s is both in grid and in random", input.Quote(field))
		}
	}
	known := map[string]bool{}
	for i := range r.Runs {
		stream := rand.New(rand.NewPCG(r.Seed, uint64(i)))
		for redraws := 0; ; redraws++ {
			values := map[string]json.RawMessage{}
			for _, field := range slices.Sorted(maps.Keys(r.Draw)) {
				if values[field], err = r.Draw[field].value(stream.Float64()); err != nil {
					return nil, fmt.Errorf("random.draw, %s: %w", input.Quote(field), err)
				}
			}
			if text := fmt.Sprint(values); !known[text] {
				known[text], all = true, append(all, values)
				break
			}
			if redraws == maxRedraws {
				return nil, fmt.Errorf("random.runs is %d, but random.draw has only %d different values, it seems; lower random.runs, or draw from more", r.Runs, len(all))
			}
		}
	}
	return all, nil
}

// value maps a number u in [0, 1) to one between the bounds, in JSON. It is rounded
// to three digits, unless that lies beyond a bound.
func (d draw) value(u float64) (json.RawMessage, error) {
	ends, x := slices.Concat(d.Uniform, d.Log), 0.0
	if len(ends) != 2 || d.Uniform != nil && d.Log != nil || !(ends[0] <= ends[1]) {
		return nil, errors.New(`want "uniform" or "log" with two numbers, the lower first`)
	}
	low, high := ends[0], ends[1]
	switch {
	case d.Uniform != nil:
		x = float64((1-u)*low) + float64(u*high) // high-low may be infinite
	case !(low > 0):
		return nil, errors.New(`"log" needs numbers above 0`)
	default:
		x = elementary.Exp(float64((1-u)*elementary.Log(low)) + float64(u*elementary.Log(high))) // so may high/low
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
