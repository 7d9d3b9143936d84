package game

import "math/rand/v2"

// Sampler is implemented by rules that sample chance in constant time.
type Sampler[S comparable] interface {
	// Sample samples a successor of the chance state s, distributed as Outcomes.
	Sample(s S, r *rand.PCG) S
}

// Notation is implemented by rules whose positions and actions have a written form.
type Notation[S comparable] interface {
	// Format writes a position; Parse reads it back to the same state.
	Format(s S) string
	Parse(text string) (S, error)
	// ActionName names an action in lower case, without spaces.
	ActionName(a Action) string
}

// OutcomeNamer is implemented by rules that name the outcomes of chance states, so that
// people can read and type them. An outcome without a name is written as its position.
type OutcomeNamer[S comparable] interface {
	// OutcomeName names the outcome next of the chance state s in one word, such as
	// the dice that it shows. The names of the outcomes of a state differ.
	OutcomeName(s, next S) string
}

// Renderer is implemented by rules that describe positions and moves for people.
type Renderer[S comparable] interface {
	// Render draws the position in a few lines of text.
	Render(s S) string
	// DescribeAction describes in a few words what the legal action a does in s.
	DescribeAction(s S, a Action) string
}

// Dice is implemented by rules whose chance is dice, tiles or lots that people see. A
// roll is all that they see of it, as text; an outcome keeps only what later play can
// depend on, so that several rolls can lead to it.
type Dice[S comparable] interface {
	// AskRoll says in one line what is rolled in the chance state s, and how to type it.
	AskRoll(s S) string
	// ReadRoll returns the state after a roll in the chance state s, or an error that
	// says what is wrong with it.
	ReadRoll(s S, roll string) (S, error)
	// DrawRoll returns a roll from s to its outcome next, in the form that ReadRoll
	// reads. It draws one from dice with its probability given next.
	DrawRoll(s, next S, dice *rand.PCG) string
}

// Narrator is implemented by rules that tell what a transition did.
type Narrator[S comparable] interface {
	// Narrate appends lines that say with numbers what happened from s to next, beyond
	// the action: dice, losses, income, scores. a is the action or, where s is a chance
	// state, has no meaning; roll is the roll there, of [Dice]. Without a roll the first
	// line there says in words what the outcome is, whatever the dice show.
	Narrate(dst []string, s, next S, a Action, roll string) []string
}

// Explainer is implemented by rules whose boards have places and things to ask about.
type Explainer[S comparable] interface {
	// Explain returns lines about what a lower-case word names in s, such as a place
	// with its neighbours; nil if it names nothing.
	Explain(s S, word string) []string
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

// MistakeLabeler is implemented by rules that name mistakes. The labels are few and
// fixed, so that costs can be summed by label.
type MistakeLabeler[S comparable] interface {
	// Kind names the mistake of playing a in s where best is better, such as "stopped
	// too early".
	Kind(s S, a, best Action) string
	// Situation names the situation of the mover of s, such as "behind".
	Situation(s S) string
}
