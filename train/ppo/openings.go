package ppo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/random"
)

// Openings holds the settings of games that begin with random actions, in every seat.
// These are not trained on.
type Openings struct {
	Fraction  float64 `json:"fraction"`  // of the games
	Decisions int     `json:"decisions"` // the most random actions of such a game: their number is uniform in 1..Decisions
}

// openings are the games of a rollout's rows that begin with random actions.
type openings struct {
	cfg   Openings
	left  []int // [n] random actions to come
	legal []game.Action
}

// newOpenings returns the openings of games that begin in all rows.
func newOpenings(cfg Openings, buf *env.Buffers) *openings {
	o := &openings{cfg: cfg, left: make([]int, len(buf.Noise))}
	for i := range o.left {
		o.newGame(i, &buf.Noise[i])
	}
	return o
}

// newGame draws the opening of the game that begins in row i from the row's own
// generator.
func (o *openings) newGame(i int, noise *rand.PCG) {
	o.left[i] = 0
	if o.cfg.Fraction > 0 && float64(noise.Uint64()>>11)/(1<<53) < o.cfg.Fraction {
		o.left[i] = 1 + random.Below(noise, o.cfg.Decisions)
	}
}

// act writes random legal actions in the rows in an opening, and reports in opening [n]
// which these are.
func (o *openings) act(opening []bool, buf *env.Buffers, actions int) {
	for i := range o.left {
		opening[i] = o.left[i] > 0
		if opening[i] {
			o.left[i]--
			o.legal = appendLegal(o.legal[:0], buf.Mask[i*actions:(i+1)*actions])
			buf.Action[i] = o.legal[random.Below(&buf.Noise[i], len(o.legal))]
		}
	}
}

// openingsBlob is the name of the openings of all rows in a checkpoint.
const openingsBlob = "openings"

// saveOpenings adds the openings of rollouts to a checkpoint.
func saveOpenings(blobs map[string][]byte, rollouts []*rollout) (err error) {
	if rollouts[0].openings.cfg.Fraction == 0 {
		return nil
	}
	var left [][]int
	for _, r := range rollouts {
		left = append(left, r.openings.left)
	}
	blobs[openingsBlob], err = json.Marshal(left)
	return err
}

// restoreOpenings reads what saveOpenings wrote.
func restoreOpenings(blobs map[string][]byte, rollouts []*rollout) error {
	cfg := rollouts[0].openings.cfg
	if cfg.Fraction == 0 {
		return nil
	}
	var left [][]int
	if err := json.Unmarshal(blobs[openingsBlob], &left); err != nil {
		return fmt.Errorf("openings: %w", err)
	}
	if len(left) != len(rollouts) {
		return fmt.Errorf("openings: %d parts; want %d", len(left), len(rollouts))
	}
	for k, r := range rollouts {
		if len(left[k]) != r.n {
			return fmt.Errorf("openings: %d rows in part %d; want %d", len(left[k]), k, r.n)
		}
		for _, n := range left[k] {
			if n < 0 || n > cfg.Decisions {
				return fmt.Errorf("openings: %d random actions to come; want 0 to %d", n, cfg.Decisions)
			}
		}
		copy(r.openings.left, left[k])
	}
	return nil
}

// appendLegal appends the legal actions of a mask [A].
func appendLegal(dst []game.Action, mask []bool) []game.Action {
	for a, ok := range mask {
		if ok {
			dst = append(dst, game.Action(a))
		}
	}
	return dst
}

// resize returns s with n elements, whose values do not matter.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
