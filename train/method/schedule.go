package method

import (
	"encoding/json"
	"fmt"
	"math"

	"marsgym/internal/kernel/elementary"
)

// Schedule is a setting that changes during a run, from the first number to the
// last along half a cosine.
type Schedule [2]float64

// UnmarshalJSON reads a list of exactly two numbers.
func (s *Schedule) UnmarshalJSON(text []byte) error {
	var list []float64
	if err := json.Unmarshal(text, &list); err != nil || len(list) != 2 {
		return fmt.Errorf("%s: want two numbers, the first and the last", text)
	}
	copy(s[:], list)
	return nil
}

// At returns the setting at a fraction x of the run.
func (s Schedule) At(x float64) float64 {
	return s[1] + float64((s[0]-s[1])*(1+elementary.Cos(math.Pi*x))/2)
}
