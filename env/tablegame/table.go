package tablegame

import "marsgym/env/game"

// Table is a game as a list of its states. A state may have up to 65,535 actions or outcomes.
type Table struct {
	Name    string // in lower case, digits, "-" and "_": "tic_tac_toe"
	About   string // a line about the game, or ""
	Players int    // P, at least 1
	Actions int    // A, the number of action numbers

	// MoveLimit is that of [game.Spec]. 0 stands for the default: none where no state can recur,
	// else 10,000.
	MoveLimit int

	// Graph says where the states lead. The outcomes of a chance state differ, and their
	// probabilities are above 0 and sum to 1.
	Graph
	Action []uint16 // numbers of the legal actions, ascending in each state; parallel to Next

	// Observation is what the seats see; without one they see the number of the state.
	Observation Observation

	StateText  Texts // by state: a position as people read it, in one or more lines; may be empty
	ActionText Texts // by action number; may be empty
}

// Graph says where the states lead, which are numbered from 0, the initial one. Its memory is 7 bytes a
// state, 4 an action, 12 an outcome, and the returns.
type Graph struct {
	Mover []game.Player // [states]
	// First [states] is the index of the first action of a decision in Next, that of the first
	// outcome of a chance state in Outcome and Probability, or the row of an end in Returns.
	// Count [states] is the number of its actions or outcomes.
	First []uint32
	Count []uint16

	Next        []uint32  // successors of decisions, in the order of Legal
	Outcome     []uint32  // successors of chance states
	Probability []float64 // of outcomes
	Returns     []float64 // by seat [*, P]
}

// Successors returns the successors of state i.
func (g *Graph) Successors(i uint32) []uint32 {
	first, n := uint(g.First[i]), uint(g.Count[i])
	switch g.Mover[i] {
	case game.Terminal:
		return nil
	case game.Chance:
		return g.Outcome[first : first+n]
	}
	return g.Next[first : first+n]
}

// Ascends reports whether every successor has a higher number, so that no state can recur.
func (g *Graph) Ascends() bool {
	for i := range uint32(len(g.Mover)) {
		for _, j := range g.Successors(i) {
			if j <= i {
				return false
			}
		}
	}
	return true
}

// Observation holds an observation of Len numbers for each state and seat [states, Seats, Len], in
// Floats or in Bytes.
type Observation struct {
	Seats, Len int // Seats is P, or 1 if all seats see the same
	Floats     []float32
	Bytes      []byte
}

// Texts are texts in UTF-8, one after the other.
type Texts struct {
	Bytes []byte
	End   []uint64 // of each text in Bytes
}

// At returns text i, or "" where there are none.
func (t *Texts) At(i int) string {
	if len(t.End) == 0 {
		return ""
	}
	from := uint64(0)
	if i > 0 {
		from = t.End[i-1]
	}
	return string(t.Bytes[from:t.End[i]])
}

// Append adds a text at the end.
func (t *Texts) Append(text string) {
	t.Bytes = append(t.Bytes, text...)
	t.End = append(t.End, uint64(len(t.Bytes)))
}

// actions returns the legal actions of a state in which a seat is to move.
func (t *Table) actions(at uint32) []uint16 {
	first := uint(t.First[at])
	return t.Action[first : first+uint(t.Count[at])]
}

// row returns the returns of an end [P].
func (t *Table) row(at uint32) []float64 {
	first := int(t.First[at]) * t.Players
	return t.Returns[first : first+t.Players]
}

// moveLimit returns the limit of moves of the spec.
func (t *Table) moveLimit() int {
	if t.MoveLimit == 0 && !t.Ascends() {
		return defaultMoveLimit
	}
	return t.MoveLimit
}
