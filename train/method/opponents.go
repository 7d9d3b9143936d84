package method

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/internal/core"
	"marsgym/internal/random"
)

// Opponents holds the settings of who plays against the network in training.
type Opponents struct {
	Fraction float64 `json:"fraction"` // of the rows, in whose games one seat learns and opponents have the others
	// Bots maps bots of the game to the fractions of these games in which they have all
	// other seats. In the others each seat draws a network: of the population, or an older
	// copy. If there are none yet, the network itself plays there and learns.
	Bots Bots `json:"bots"`
	// Population is the number of networks of other seeds that PPO trains first, in games
	// against themselves. PopulationSteps is the fraction of the run that each takes.
	Population      int     `json:"population"`
	PopulationSteps float64 `json:"population_steps"`
	// Ensemble makes the model of a run the mean of the network and its population, each with
	// the share of the run that trains it as its weight, see [models.Mean]. The population
	// then meets Bots as the network does.
	Ensemble bool    `json:"ensemble"`
	Size     int     `json:"size"`     // older copies, at most; 0 for none
	Interval float64 `json:"interval"` // fraction of the training of the network from one copy to the next
	// Power prefers strong networks: one that loses a fraction w of its games is
	// sampled in proportion to (1−w)^Power. Expert iteration samples all alike.
	Power float64 `json:"power"`
}

// Stage returns the number of networks of the population that are trained at a fraction x
// of the run, and the fraction of the training of the next, or of the network itself.
func (o Opponents) Stage(x float64) (int, float64) {
	if o.Population == 0 {
		return 0, x
	}
	if k := int(x / o.PopulationSteps); k < o.Population {
		return k, x/o.PopulationSteps - float64(k)
	}
	first := float64(float64(o.Population) * o.PopulationSteps)
	return o.Population, (x - first) / (1 - first)
}

// Due reports whether a copy is due at a fraction x of the training of the network, after
// taken copies.
func (o Opponents) Due(taken int, x float64) bool {
	return o.Fraction > 0 && o.Size > 0 && o.Networks() > 0 && float64(taken+1)*o.Interval <= x
}

// Trained returns the number of networks that are trained first: none where no network
// is an opponent.
func (o Opponents) Trained() int {
	if o.Fraction == 0 || o.Networks() <= 0 {
		return 0
	}
	return o.Population
}

// Averaged reports whether the model of a run is more than the network.
func (o Opponents) Averaged() bool { return o.Ensemble && o.Trained() > 0 }

// Meets reports whether opponents play in a row of the run. Such rows are spread evenly.
func (o Opponents) Meets(row int) bool {
	before := func(n int) float64 { return math.Round(o.Fraction * float64(n)) }
	return before(row) < before(row+1)
}

// Draw draws who decides in each of the seats [P] of a game that begins: the network itself,
// number 0, in one seat, and opponents in the others, the same bot in all or a network in each.
// The first of the probabilities is that of the network itself as an opponent; those of bots,
// and then of other networks, follow.
func Draw(seats []uint16, prob []float64, bots int, dice *rand.PCG) {
	draw := func() int { return int(core.SampleAction(prob, dice)) }
	learner, first := random.Below(dice, len(seats)), draw()
	for seat := range seats {
		k := first
		switch {
		case seat == learner:
			k = 0
		case first > bots:
			for k = draw(); k <= bots; k = draw() {
			}
		}
		seats[seat] = uint16(k)
	}
}

// Bots are bots of a game with a fraction for each.
type Bots map[string]float64

// UnmarshalJSON replaces all bots by those of a JSON object.
func (b *Bots) UnmarshalJSON(text []byte) error {
	var list map[string]float64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*b = list
	return nil
}

// Networks returns the fraction of the games with opponents in which these are networks.
func (o Opponents) Networks() float64 {
	rest := 1.0
	for _, name := range slices.Sorted(maps.Keys(o.Bots)) {
		rest -= o.Bots[name]
	}
	if math.Abs(rest) < 1e-9 { // rounding
		return 0
	}
	return rest
}
