package game

import (
	"context"
	"errors"
	"math/rand/v2"

	"marsgym/env/game/message"
)

// This file holds all that a game can offer beyond its Rules. Each interface is looked up by
// a type assertion on the rules. Without any of them a game can be played and trained.

// Presenter is implemented by rules whose positions people read, draw, type and record.
// Every game of env/catalog has one.
type Presenter[S comparable] interface {
	// Format writes a position; Parse reads it back to the same state.
	Format(s S) string
	Parse(text string) (S, error)
	// ActionName names an action in lower case, without spaces. DescribeAction says,
	// without that name, what the legal action a does in s, such as "place a robot on
	// c4"; by [message.Note] it may add what follows from it, such as odds.
	ActionName(a Action) string
	DescribeAction(s S, a Action) message.Message
	// OutcomeName names the outcome next of the chance state s in one word, such as
	// the dice that it shows. The names of the outcomes of a state differ.
	OutcomeName(s, next S) string
	// Scene describes s for whoever looks on: nothing in it depends on a viewer. Where a
	// seat is to move, scenes that are equal come from equal observations. Options holds
	// the legal actions, ascending, that have a short text; the other ones, names and texts
	// are left to the caller (see [SceneOption]).
	// Outlines may be shared and are read-only. Pictures as text follow from it too.
	Scene(s S) Scene

	// Chance is dice, tiles or lots that people see. A roll is all that they see of it, as
	// text; an outcome keeps only what later play can depend on, so that several rolls
	// can lead to it. AskRoll says in one line what is rolled in the chance state s, and
	// how to type it.
	AskRoll(s S) message.Message
	// ReadRoll returns the state after a roll in the chance state s, or an error, such as a
	// [message.Error], that says what is wrong with it.
	ReadRoll(s S, roll string) (S, error)
	// DrawRoll returns a roll from s to its outcome next, in the form that ReadRoll
	// reads. It draws one from dice with its probability given next. If next is no outcome, it
	// returns any text.
	DrawRoll(s, next S, dice *rand.PCG) string
	// Narrate appends what happened from s to next, beyond the action: dice, losses,
	// income, scores. a is the action or, where s is a chance state, has no meaning; roll is
	// the roll there. Without a roll the first message there says what the outcome is,
	// whatever the dice show.
	Narrate(dst []message.Message, s, next S, a Action, roll string) []message.Message
}

// Bots is implemented by rules with hand-written bots, such as one that is greedy for points.
type Bots[S comparable] interface {
	// BotNames lists the bots, the strongest last. Bot returns one of them, which is called with
	// representatives (see [Symmetry]).
	BotNames() []string
	Bot(name string) (Policy[S], error)
}

// Sampler is implemented by rules that sample chance in constant time.
type Sampler[S comparable] interface {
	// Sample samples a successor of the chance state s, distributed as Outcomes.
	Sample(s S, r *rand.PCG) S
	// NewRows returns what plays a batch of n rows faster than one by one, with the same
	// results to the bit, for one goroutine; nil if nothing does.
	NewRows(n int) Rows[S, float32]
}

// CompactEncoder is implemented by rules whose observations can be shown as bytes, so that large
// batches stay in the caches of a processor.
type CompactEncoder[S comparable] interface {
	// Codes returns how bytes stand for the observations, always the same ones, or an error that
	// wraps [ErrNoCodes] if they do not with this config.
	Codes() (*Codes, error)
	// EncodeCompact writes the codes of Encode(s, p) to dst [C], every byte of it.
	EncodeCompact(dst []uint8, s S, p Player)
	// NewCompactRows is NewRows of a [Sampler] with rows that show codes; it may return nil.
	NewCompactRows(n int) Rows[S, uint8]
}

// Symmetry is implemented by rules with positions that differ only in labels.
type Symmetry[S comparable] interface {
	// Canonical returns the representative of all positions equivalent to s and, for
	// each action of the representative, the action of s that it stands for. relabel
	// is shared and read-only; nil is the identity.
	//
	// Canonical commutes with Apply and with Outcomes, and the representative of a
	// representative is itself.
	Canonical(s S) (c S, relabel []Action)
}

// TurnPlanner is implemented by rules that solve one turn exactly, given the values of the
// states in which it ends. A turn is all decisions of one seat, with the chance between them,
// until the next turn starts or no seat has a decision left. Every decision lies in a turn of
// its seat.
type TurnPlanner[S comparable] interface {
	// TurnStart returns the seat whose turn starts in s and reports whether one
	// does. s may be a chance state, such as the state before a first roll.
	TurnStart(s S) (mover Player, ok bool)
	// TurnOf returns a state in which the turn of the decision s can have started. The
	// ends of a turn from there are those of the turn.
	TurnOf(s S) S
	// SampleStart samples a state in which a turn starts. For each such state that
	// the game can reach, SampleStart returns one with the same observation to its
	// mover with a probability that is not negligible.
	SampleStart(r *rand.PCG) S
	// NewPlan returns a plan. One goroutine owns it and may reuse it.
	NewPlan() Plan[S]
	// SolveAll computes best play of the turns of plans, ties to the lowest index, each as
	// if it were alone. All plans come from NewPlan of these rules. values[i] [n, P] are the
	// expected returns of the ends of plans[i] by seat; in a game with a win each row sums
	// to one win and P-1 losses, up to rounding.
	SolveAll(plans []Plan[S], values [][]float64)
}

// Solver is implemented by rules that can be solved exactly.
type Solver[S comparable] interface {
	// Solve returns the exact solution, or an error that wraps ErrNoSolution if the
	// config has none, also if ctx is done. It calls progress, if not nil, from time to
	// time with the fraction done, 0 to 1.
	Solve(ctx context.Context, progress func(done float64)) (Solution[S], error)
}

// ResumableSolver is implemented by solvers of so much work that solutions are stored in
// files, and tables of policies are computed by many processes.
type ResumableSolver[S comparable] interface {
	Solver[S]
	// SolveFrom is Solve that starts from w; the zero value starts at the beginning.
	// Whenever progress is called, and when SolveFrom returns, w holds all that is
	// needed to resume or, if w.Done is 1, the solution. SolveFrom checks the bounds
	// that SolverState states and trusts the values within them.
	SolveFrom(ctx context.Context, w *SolverState, progress func(done float64)) (StoredSolution[S], error)
	// StateSize returns the number of values of a SolverState and the value of Next
	// when it is complete, or an error that wraps ErrNoSolution; Solve may still find a
	// solution that is not stored.
	StateSize() (values int, steps int64, err error)
	// Estimate returns the cost of a solution before it is started.
	Estimate() Estimate
	// TableSize returns the number of rows of the table of a policy, which can be computed
	// apart from each other and without the solution, and that of numbers in a row; 0 rows
	// where the solutions of a config have no tables.
	TableSize() (rows, width int)
	// TabulateRows returns the rows from <= i < to [to-from, width] of the table of a
	// policy, to the bits of [Solution.Tabulate]. The policy must be no look-ahead, and
	// not one of [Solution.Policy].
	TabulateRows(ctx context.Context, p Policy[S], from, to int) ([]float64, error)
}

// MistakeLabeler is implemented by rules that name mistakes. The labels are few and
// fixed, so that costs can be summed by label.
type MistakeLabeler[S comparable] interface {
	// Kind names the mistake of playing a in s where best is better, such as "stopped
	// too early". Labels are English, and their own keys in the tables of package message.
	Kind(s S, a, best Action) string
	// Situation names the situation of the mover of s, such as "behind".
	Situation(s S) string
}

// ChanceExpander is implemented by rules that expand chance nodes faster than outcome
// by outcome, or that merge outcomes which play cannot tell apart.
type ChanceExpander[S comparable] interface {
	// Expand fills dst with what can follow the representative of a chance state, and
	// reports whether it did; if not, the caller uses Outcomes. Decisions in which the
	// same seat has the same moves may share a branch, and so may equivalent states
	// without a decision. Each leaf is listed once and belongs to branches of one
	// seat. All but Leaf, which belongs to dst, is shared and read-only.
	Expand(dst *Expansion[S], s S) bool
}

// SparseEncoder is implemented by rules that list the numbers of an observation that
// are not 0, which takes less time than to fill the observation and search it for them.
type SparseEncoder[S comparable] interface {
	// EncodeSparse appends to dst the numbers of Encode(s, p) that are not 0, in the
	// order of their indices.
	EncodeSparse(dst []Element, s S, p Player) []Element
}

// Element is a number of an observation that is not 0.
type Element struct {
	Index int32
	Value float32
}

// OddsTables is implemented by rules with a part whose odds do not depend on the
// rest of the position, such as one attack.
type OddsTables interface {
	// OddsTables answers a question in the game's own words, such as "5 against 3".
	// The error for an unknown question lists the questions that have an answer.
	OddsTables(question string) ([]Table, error)
}

// ErrNoOdds is returned where a game has no tables of odds.
var ErrNoOdds = errors.New("no odds tables")

// AllOdds is the question that every implementation of [OddsTables] answers with
// all of its tables.
const AllOdds = "all"

// Table is a table as data.
type Table struct {
	Name    string   `json:"name"`  // lower case, words joined by underscores
	Title   string   `json:"title"` // for people
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"` // [rows, columns] of string, int or float64
}
