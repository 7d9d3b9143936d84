package env

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"marsgym/env/game"
	"marsgym/internal/core"
)

// Batch plays N games in lockstep. A row whose game has ended starts its next game
// within the same Step. One goroutine owns a Batch.
//
// Row i of a run samples chance from rand.NewPCG(seed, i) and actions from
// rand.NewPCG(seed, 1<<62|i), whichever Batch holds it: rows split over several
// batches play the same games.
type Batch interface {
	Spec() game.Spec
	// Len is N.
	Len() int
	// Buffers returns the buffers, which are the same for the life of the batch.
	Buffers() *Buffers
	// Reset starts a game in every row.
	Reset(seed uint64)
	// Restart starts a game in row i with common random numbers: two games restarted
	// with the same seed and row, below 1<<32, have the same chance and noise in turn n,
	// whatever actions were taken before. If the rules are no [game.TurnPlanner], the
	// row continues with the generators of that row after Reset. AppendState does not
	// store common random numbers.
	Restart(i int, seed, row uint64)
	// Next starts another game in row i and leaves its generators as they are. It costs
	// about as much as a Step.
	Next(i int)
	// Begin starts another game in some rows: with generators seeded as Reset(seeds[k])
	// does for row rows[k] or, if seeds is nil, with generators as they are.
	Begin(rows []int, seeds []uint64)
	// Place is Next from a position of the same game and config. It samples chance there,
	// and returns an error if the game ends before a decision.
	Place(i int, at Position) error
	// Step plays Buffers.Action in every row; a row whose action is [Hold] stays as it is.
	// On an error, a *RowError for an illegal action, nothing has changed.
	Step() error
	// Final returns the last position of the game of row i that ended in the last step.
	// It is undefined where none did.
	Final(i int) Position
	// Afterstates fills dst with the afterstate of each legal action.
	Afterstates(dst *Afterstates)
	// Outcomes fills dst with what can follow Buffers.Action in the rows where chance
	// follows it, if it has no more than limit outcomes before the next decision.
	Outcomes(dst *Outcomes, limit int)
	// Mark keeps the positions, counts and generators of all rows, and Rewind returns to
	// those that the last Mark kept. The results of the last step stay. Rows with common
	// random numbers stay at their turn of these.
	Mark()
	Rewind()
	// Decisions returns the decisions of some rows, or of all rows if rows is nil, for
	// a policy. It is valid until the next Step, Decisions or Act.
	Decisions(rows []int) Decisions
	// Act asks a policy for the decisions of rows, all in one call, and samples their
	// Buffers.Action from Buffers.Noise. If ctx is done it returns its error.
	Act(ctx context.Context, p Policy, rows []int) error
	// AppendState appends all that resuming needs: states, counts and generators.
	AppendState(dst []byte) ([]byte, error)
	// RestoreState restores what AppendState wrote for a batch of this size and of the same
	// rules. States of releases that did not name their rules are restored too.
	RestoreState(src []byte) error
}

// Hold is the action of a row that a Step leaves as it is.
const Hold game.Action = math.MinInt32

// Buffers hold the inputs and outputs of a batch, by row. Obs, Mask, Player and
// Action are of the next decision; Reward, Terminated and Truncated of the last step.
// A compact batch has Codes and FinalCodes in the place of Obs and FinalObs, which are nil.
type Buffers struct {
	Obs         []float32     // [N, D] observation of the current player
	Mask        []bool        // [N, A] true where an action is legal
	Player      []game.Player // [N] the current player
	Action      []game.Action // [N] written by the policy
	Reward      []float32     // [N, P] of the last step, by seat
	Terminated  []bool        // [N] the rules ended the game in the last step
	Truncated   []bool        // [N] a limit ended it: of decisions, or of successive chance transitions
	FinalObs    []float32     // [N, D] last observation of a game that ended in the last step, else stale
	FinalPlayer []game.Player // [N] its viewer: the current player or, where no seat is to move, the last one; else stale
	Noise       []rand.PCG    // [N] generators from which the policy samples actions

	Codes, FinalCodes []uint8 // [N, C] Obs and FinalObs of a compact batch (see [game.Codes]); else nil
}

// complete allocates the buffers of n rows that are nil and clears the others. It
// panics if one of those has another length. codes are those of a compact batch.
func (b *Buffers) complete(n int, spec game.Spec, codes *game.Codes) {
	d, c := spec.ObsLen(), 0
	if codes != nil {
		d, c = 0, codes.Len()
	}
	complete(&b.Codes, n*c)
	complete(&b.FinalCodes, n*c)
	complete(&b.Obs, n*d)
	complete(&b.Mask, n*spec.Actions)
	complete(&b.Player, n)
	complete(&b.Action, n)
	complete(&b.Reward, n*spec.Players)
	complete(&b.Terminated, n)
	complete(&b.Truncated, n)
	complete(&b.FinalObs, n*d)
	complete(&b.FinalPlayer, n)
	complete(&b.Noise, n)
}

func complete[T any](s *[]T, n int) {
	if *s == nil && n > 0 {
		*s = make([]T, n)
	}
	if len(*s) != n {
		panic(fmt.Sprintf("env: a buffer of %d elements; want %d", len(*s), n))
	}
	clear(*s)
}

// Afterstates are the states just after each legal action of some rows, before any
// chance, as observed by the mover. The options of row i are Start[i] to Start[i+1].
// The slices grow as needed and are reused.
type Afterstates struct {
	Obs    []float32     // [M, D]
	Action []game.Action // [M] ascending within a row
	Start  []int         // [N+1]

	legal []game.Action
}

// reset clears a for n rows.
func (a *Afterstates) reset(n int) {
	a.Obs, a.Action = a.Obs[:0], a.Action[:0]
	a.Start = append(core.Resize(a.Start, n+1)[:0], 0)
}

// add appends an option and returns the slice for its observation [d].
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
