package tablegame

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"marsgym/env/game"
	"marsgym/internal/core"
	"marsgym/internal/input"
)

// Limits. Chosen: a one-hot observation of the largest size is 64 kB, and games with cycles that people
// play end far earlier.
const (
	maxOneHot        = 1 << 14
	defaultMoveLimit = 10_000
)

// inDigits is the name of the field of an observation that holds the number of the state in binary digits.
const inDigits = "state_digits"

// State is a state of a table, by number.
type State struct{ At uint32 }

// Config identifies a table by the SHA-256 of its file.
type Config struct {
	Table string `json:"table"`
}

// Rules are the rules of a table.
type Rules struct {
	t     *Table
	spec  game.Spec
	d     int      // D
	names []string // of actions

	legal  []uint64 // legal actions of each state as bits, or nil
	bits   []uint64 // observations as bits, or nil
	chance int      // ChanceLimit

	unreached int             // number of states that cannot be reached
	first     int             // of them
	decisions func() []uint32 // that can be reached; listed once
}

// New returns the rules of a table, which it keeps and nobody may change from then on. An error names
// the state at fault.
func New(t *Table) (*Rules, error) {
	r, err := build(t)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", input.Cut(t.Name), err)
	}
	return r, nil
}

func build(t *Table) (*Rules, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	digest, err := t.digest()
	if err != nil {
		return nil, err
	}
	r := &Rules{t: t, names: t.actionNames()}
	r.spec = game.Spec{
		ID: t.Name + ".game", Title: t.Name, Version: 1, Config: Config{digest},
		Players: t.Players, Actions: t.Actions, MinPlayers: t.Players, MaxPlayers: t.Players,
		Observation: t.fields(), Information: game.PerfectInformation, Chance: game.Deterministic, MoveLimit: t.moveLimit(),
	}
	if slices.Contains(t.Mover, game.Chance) {
		r.spec.Chance = game.ExplicitStochastic
	}
	if win, loss, ok := t.win(); ok {
		r.spec.Win, r.spec.Loss = win, loss
	} else {
		r.spec.Unit = "points"
	}
	r.d, r.chance = r.spec.ObsLen(), r.spec.ChanceLimit()
	r.legal, r.bits = t.legalBits(), t.Observation.words()
	r.decisions = sync.OnceValue(func() (list []uint32) {
		for i, reached := range t.reach() {
			if reached && t.Mover[i] >= 0 {
				list = append(list, uint32(i))
			}
		}
		return list
	})
	for i, reached := range t.reach() {
		if !reached {
			if r.unreached == 0 {
				r.first = i
			}
			r.unreached++
		}
	}
	return r, nil
}

// Warning says what is odd about a table that can be played, or returns "".
func (r *Rules) Warning() string {
	var list []string
	if r.unreached > 0 {
		list = append(list, fmt.Sprintf("no play leads to %d of %d states, the first of which is state %d", r.unreached, len(r.t.Mover), r.first))
	}
	if r.spec.Observation[0].Name == inDigits {
		list = append(list, "it has no observations, so networks would see the number of a state in binary digits, from which they learn little; give it observations before you train one")
	}
	if len(list) == 0 {
		return ""
	}
	return r.spec.ID + ": " + strings.Join(list, "; ")
}

// Table returns the table, which nobody may change.
func (r *Rules) Table() *Table { return r.t }

// Digest returns the SHA-256 of the file of the table, in hex.
func (r *Rules) Digest() string { return r.spec.Config.(Config).Table }

// win returns the returns of a sole winner and of a loser, and reports whether the returns of all ends
// are shares of one win: in each, some seats share it equally and all others lose.
func (t *Table) win() (win, loss float64, ok bool) {
	if t.Players == 1 {
		return 0, 0, false
	}
	loss, win = slices.Min(t.Returns), slices.Max(t.Returns)
	shared := slices.Clone(t.Returns[:t.Players])
	for row := range slices.Chunk(t.Returns, t.Players) {
		copy(shared, row)
		slices.Sort(shared)
		most := shared[t.Players-1]
		winners := 0
		for _, v := range row {
			switch v {
			case most:
				winners++
			case loss:
			default:
				return 0, 0, false
			}
		}
		if d := most - (loss + (win-loss)/float64(winners)); d > game.Tie || d < -game.Tie {
			return 0, 0, false
		}
	}
	return win, loss, win > loss
}

// fields returns the parts of an observation.
func (t *Table) fields() []game.Field {
	n := len(t.Mover)
	state := game.Field{Name: "state", Len: n}
	switch {
	case t.Observation.Floats != nil:
		return []game.Field{{Name: "observation", Len: t.Observation.Len, Scales: []int{0}}}
	case t.Observation.Bytes != nil:
		return []game.Field{{Name: "observation", Len: t.Observation.Len}}
	case n > maxOneHot:
		state = game.Field{Name: inDigits, Len: bits.Len(uint(n - 1))}
	}
	if t.Players == 1 {
		return []game.Field{state}
	}
	return []game.Field{state, {Name: "seat", Len: t.Players}}
}

// Spec implements [game.Rules].
func (r *Rules) Spec() game.Spec { return r.spec }

// Initial implements [game.Rules].
func (r *Rules) Initial() State { return State{} }

// CurrentPlayer implements [game.Rules].
func (r *Rules) CurrentPlayer(s State) game.Player { return r.t.Mover[s.At] }

// Legal implements [game.Rules].
func (r *Rules) Legal(dst []game.Action, s State) []game.Action {
	if r.t.Mover[s.At] < 0 {
		return dst
	}
	for _, a := range r.t.actions(s.At) {
		dst = append(dst, game.Action(a))
	}
	return dst
}

// Outcomes implements [game.Rules].
func (r *Rules) Outcomes(dst []game.Outcome[State], s State) []game.Outcome[State] {
	if r.t.Mover[s.At] != game.Chance {
		return dst
	}
	first := uint(r.t.First[s.At])
	for k, to := range r.t.Successors(s.At) {
		dst = append(dst, game.Outcome[State]{State: State{to}, Prob: r.t.Probability[first+uint(k)]})
	}
	return dst
}

// Apply implements [game.Rules].
func (r *Rules) Apply(s State, a game.Action) (State, error) {
	switch mover := r.t.Mover[s.At]; {
	case mover == game.Terminal:
		return s, game.ErrGameOver
	case mover == game.Chance:
		return s, fmt.Errorf("chance is to move in state %d: %w", s.At, game.ErrIllegalAction)
	}
	if to, ok := r.t.play(s.At, a); ok {
		return State{to}, nil
	}
	return s, fmt.Errorf("state %d has no action %d: %w", s.At, a, game.ErrIllegalAction)
}

// play returns the successor of a decision by an action, and reports whether it is legal.
func (t *Table) play(at uint32, a game.Action) (to uint32, ok bool) {
	list := t.actions(at)
	// The numbers ascend, so that k is at most a. Where all are legal, it is a.
	for k := min(int(a), len(list)-1); k >= 0; k-- {
		switch n := game.Action(list[k]); {
		case n == a:
			return t.Next[uint(t.First[at])+uint(k)], true
		case n < a:
			return 0, false
		}
	}
	return 0, false
}

// Returns implements [game.Rules].
func (r *Rules) Returns(dst []float64, s State) []float64 {
	if r.t.Mover[s.At] == game.Terminal {
		return append(dst, r.t.row(s.At)...)
	}
	for range r.t.Players {
		dst = append(dst, 0)
	}
	return dst
}

// Encode implements [game.Rules].
func (r *Rules) Encode(dst []float32, s State, p game.Player) {
	o := &r.t.Observation
	from := int(s.At) * o.Len
	if o.Seats > 1 {
		from = (int(s.At)*o.Seats + int(p)) * o.Len
	}
	switch n := len(r.t.Mover); {
	case r.bits != nil:
		words := (o.Len + 63) / 64
		for k, x := range r.bits[from/o.Len*words:][:words] {
			spread(dst[64*k:min(64*(k+1), o.Len)], x)
		}
		return
	case o.Floats != nil:
		copy(dst, o.Floats[from:from+o.Len])
		return
	case o.Bytes != nil:
		for i, x := range o.Bytes[from : from+o.Len] {
			dst[i] = float32(x)
		}
		return
	case n <= maxOneHot:
		clear(dst)
		dst[s.At] = 1
		dst = dst[n:]
	default:
		digits := bits.Len(uint(n - 1))
		clear(dst[digits:])
		for i := range digits {
			dst[i] = float32(s.At >> i & 1)
		}
		dst = dst[digits:]
	}
	if len(dst) > 0 {
		dst[p] = 1
	}
}

// Sample implements [game.Sampler].
func (r *Rules) Sample(s State, dice *rand.PCG) State { return State{r.t.sample(s.At, dice)} }

// sample samples a successor of a chance state, as [core.DrawOutcome] does.
func (t *Table) sample(at uint32, dice *rand.PCG) uint32 {
	first, n := uint(t.First[at]), uint(t.Count[at])
	probs := t.Probability[first : first+n]
	u := core.Uniform(dice)
	k := uint(0)
	for ; k < n-1; k++ {
		if u -= probs[k]; u < 0 {
			break
		}
	}
	return t.Outcome[first+k]
}

// actionNames returns the texts of actions as words in lower case, if they differ; else the numbers.
func (t *Table) actionNames() []string {
	names, seen := make([]string, t.Actions), map[string]bool{}
	for a := range names {
		word := strings.Join(strings.Fields(strings.ToLower(t.ActionText.At(a))), "-")
		if word == "" || seen[word] {
			for b := range names {
				names[b] = fmt.Sprint(b)
			}
			return names
		}
		names[a], seen[word] = word, true
	}
	return names
}
