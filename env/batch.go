package env

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/env/internal/core"
)

// Batch plays N games in lockstep. A row whose game has ended starts its next
// game within the same Step. One goroutine owns a Batch.
//
// Row i of a run rolls its dice from rand.NewPCG(seed, i) and draws its actions
// from rand.NewPCG(seed, 1<<62|i), wherever it lives: rows split over several
// batches play the same games.
type Batch interface {
	Spec() game.Spec
	// Len is N.
	Len() int
	// Buffers are the same for the life of the batch.
	Buffers() *Buffers
	// Reset starts a game in every row.
	Reset(seed uint64)
	// Restart starts a game in row i with the luck of any row, below 1<<32, of a
	// run of its own kind: whatever is done, turn n of the game has the same dice
	// and noise. Where the game has no [game.Planner], who knows its turns, they
	// are those of the row after Reset. AppendState does not keep this.
	Restart(i int, seed, row uint64)
	// Step takes Buffers.Action in every row. On an error, a *RowError for an
	// illegal action, nothing has changed.
	Step() error
	// Afterstates fills dst with the states just after each legal action.
	Afterstates(dst *Afterstates)
	// Decisions puts the positions of some rows to a policy, those of all rows
	// if rows is nil. It is good until the next Step or Decisions.
	Decisions(rows []int) Decisions
	// AppendState appends all that resuming needs: states, counts, generators.
	AppendState(dst []byte) ([]byte, error)
	// RestoreState takes back what AppendState wrote for a batch of this size.
	RestoreState(src []byte) error
}

// Buffers are what a batch shows and is told, by row. Obs, Mask, Player and
// Action speak of the position to act on next; Reward, Terminated and Truncated
// of the step just made.
type Buffers struct {
	Obs         []float32     // [N, D] what the player to act sees
	Mask        []bool        // [N, A] true where an action is legal
	Player      []game.Player // [N] who must act
	Action      []game.Action // [N] written by the policy
	Reward      []float32     // [N, P] earned by the last step, by seat
	Terminated  []bool        // [N] the last step ended the game by the rules
	Truncated   []bool        // [N] the last step hit the move limit, in decisions or in chance transitions without one
	FinalObs    []float32     // [N, D] last sight of a truncated game, else stale
	FinalPlayer []game.Player // [N] whose sight it is: who would have acted then, or acted last if chance goes on; else stale
	Noise       []rand.PCG    // [N] for the policy to draw its actions from
}

func newBuffers(n int, spec game.Spec) Buffers {
	d := spec.ObsLen()
	return Buffers{
		Obs:         make([]float32, n*d),
		Mask:        make([]bool, n*spec.Actions),
		Player:      make([]game.Player, n),
		Action:      make([]game.Action, n),
		Reward:      make([]float32, n*spec.Players),
		Terminated:  make([]bool, n),
		Truncated:   make([]bool, n),
		FinalObs:    make([]float32, n*d),
		FinalPlayer: make([]game.Player, n),
		Noise:       make([]rand.PCG, n),
	}
}

// Afterstates are the states just after each legal action of some rows, before
// any dice, as the mover sees them: the options of row i are Start[i] to
// Start[i+1]. The slices grow as needed and are used again.
type Afterstates struct {
	Obs    []float32     // [M, D]
	Action []game.Action // [M] ascending within a row
	Start  []int         // [N+1]

	legal []game.Action
}

// reset empties a for n rows.
func (a *Afterstates) reset(n int) {
	a.Obs, a.Action = a.Obs[:0], a.Action[:0]
	a.Start = append(core.Resize(a.Start, n+1)[:0], 0)
}

// add appends an option and returns where its observation [d] goes.
func (a *Afterstates) add(act game.Action, d int) []float32 {
	a.Action = append(a.Action, act)
	n := len(a.Obs)
	a.Obs = slices.Grow(a.Obs, d)[:n+d]
	return a.Obs[n:]
}

// RowError is an error in one row of a batch.
type RowError struct {
	Row    int
	Action game.Action
	Err    error
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d, action %d: %v", e.Row, e.Action, e.Err)
}

// Unwrap makes errors.Is(err, game.ErrIllegalAction) work.
func (e *RowError) Unwrap() error { return e.Err }

// afterstates fills dst with the options of representatives.
func afterstates[S comparable](rules *core.Rules[S], dst *Afterstates, shown []S) {
	d := rules.Spec().ObsLen()
	dst.reset(len(shown))
	for _, s := range shown {
		who := rules.CurrentPlayer(s)
		dst.legal = rules.Legal(dst.legal[:0], s)
		for _, a := range dst.legal {
			rules.Encode(dst.add(a, d), rules.After(s, a), who)
		}
		dst.Start = append(dst.Start, len(dst.Action))
	}
}
