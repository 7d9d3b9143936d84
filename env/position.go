package env

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/game/picture"
	"marsgym/internal/core"
	"marsgym/internal/input"
)

// Position is a state of a game whose type is hidden, for people and for look-ups.
// Its actions are those of the game, never of a representative.
type Position interface {
	// String returns the position in the game's notation.
	String() string
	// CurrentPlayer returns the seat to move, game.Chance or game.Terminal.
	CurrentPlayer() game.Player
	// Legal returns the legal actions in ascending order.
	Legal() []game.Action
	// Apply returns the position just after an action, before any chance.
	Apply(a game.Action) (Position, error)
	// Outcomes returns the successors of a chance position.
	Outcomes() []game.Outcome[Position]
	// OutcomeProbs appends the probabilities of Outcomes to dst, OutcomeAt returns the
	// successor i of them, and DrawOutcome draws i. They are faster, since they make no
	// Position of the others.
	OutcomeProbs(dst []float64) []float64
	OutcomeAt(i int) (Position, error)
	DrawOutcome(dice *rand.PCG) (i int, next Position)
	// Sample samples a successor of a chance position.
	Sample(dice *rand.PCG) Position
	// OutcomeName returns the name of an outcome of a chance position: without a
	// [game.Presenter] the String of the outcome. Outcome returns the outcome of a name.
	OutcomeName(outcome Position) string
	Outcome(name string) (Position, error)
	// Returns returns the return of each seat [P]: zeros before the end.
	Returns() []float64
	// Observe writes the observation of seat p to dst [D]. ObserveCodes writes its codes to dst
	// [C]; the game must have some (see [Game.Codes]).
	Observe(dst []float32, p game.Player)
	ObserveCodes(dst []uint8, p game.Player)
	// Decisions returns the position for a policy. A seat must be to move.
	Decisions() Decisions
	// Render draws the position as text in the words of a speaker (see [picture.Text]), and
	// DescribeAction describes a legal action. Without a [game.Presenter], Render is String and
	// descriptions are empty.
	Render(to message.Speaker) string
	DescribeAction(a game.Action) message.Message
	// AskRoll, ReadRoll and DrawRoll ask for, read and draw the roll of a chance position.
	// Without a [game.Presenter], a roll is the OutcomeName of its outcome.
	AskRoll() message.Message
	ReadRoll(roll string) (Position, error)
	DrawRoll(next Position, dice *rand.PCG) string
	// Narrate tells what happened from here to next, by the action a or the roll. Without a
	// [game.Presenter], it is the roll or, without one, the OutcomeName.
	Narrate(next Position, a game.Action, roll string) []message.Message
	// Scene returns the position as data for programs that draw it, with its options; nil
	// without a [game.Presenter].
	Scene() *game.Scene
	// Situation names the situation of the mover; "" without a [game.MistakeLabeler].
	Situation() string
	// Explain returns lines, in the words of a speaker, about what a lower-case word names here
	// (see [picture.Explain]); nil if it names nothing.
	Explain(to message.Speaker, word string) []string
}

type position[S comparable] struct {
	rules *core.Rules[S]
	s     S
}

// Representatives returns the representatives of positions of the game whose states are S.
func Representatives[S comparable](at []Position) []S {
	states := make([]S, len(at))
	for i, p := range at {
		own := p.(position[S])
		states[i] = own.rules.Representative(own.s)
	}
	return states
}

func (p position[S]) String() string {
	if p.rules.Presenter == nil {
		return fmt.Sprint(p.s)
	}
	return p.rules.Presenter.Format(p.s)
}

func (p position[S]) CurrentPlayer() game.Player { return p.rules.CurrentPlayer(p.s) }

func (p position[S]) Legal() []game.Action { return p.rules.Legal(nil, p.s) }

func (p position[S]) Apply(a game.Action) (Position, error) {
	s, err := p.rules.Apply(p.s, a)
	if err != nil {
		return nil, err
	}
	return position[S]{p.rules, s}, nil
}

func (p position[S]) Outcomes() []game.Outcome[Position] {
	var list []game.Outcome[Position]
	for _, o := range p.rules.Outcomes(nil, p.s) {
		list = append(list, game.Outcome[Position]{State: position[S]{p.rules, o.State}, Prob: o.Prob})
	}
	return list
}

func (p position[S]) OutcomeProbs(dst []float64) []float64 {
	for _, o := range p.rules.Outcomes(nil, p.s) {
		dst = append(dst, o.Prob)
	}
	return dst
}

func (p position[S]) OutcomeAt(i int) (Position, error) {
	list := p.rules.Outcomes(nil, p.s)
	if i < 0 || i >= len(list) {
		return nil, fmt.Errorf("outcome is %d; %s has %d: %w", i, p, len(list), game.ErrIllegalAction)
	}
	return position[S]{p.rules, list[i].State}, nil
}

func (p position[S]) DrawOutcome(dice *rand.PCG) (i int, next Position) {
	list := p.rules.Outcomes(nil, p.s)
	i = core.DrawOutcome(list, dice)
	return i, position[S]{p.rules, list[i].State}
}

func (p position[S]) Sample(dice *rand.PCG) Position {
	return position[S]{p.rules, p.rules.Sampler.Sample(p.s, dice)}
}

// draw is [core.Rules.Draw] from the position.
func (p position[S]) draw(dice *rand.PCG, turns *core.Turns, most int, visit func(Position)) {
	p.rules.Draw(&p.s, dice, turns, most, func(s S) { visit(position[S]{p.rules, s}) })
}

func (p position[S]) OutcomeName(outcome Position) string {
	own, ok := outcome.(position[S])
	if p.rules.Presenter == nil || !ok {
		return outcome.String()
	}
	return p.rules.Presenter.OutcomeName(p.s, own.s)
}

func (p position[S]) Outcome(name string) (Position, error) {
	for _, o := range p.rules.Outcomes(nil, p.s) {
		if next := (position[S]{p.rules, o.State}); p.OutcomeName(next) == name {
			return next, nil
		}
	}
	return nil, fmt.Errorf("%s is no outcome of %s", input.Quote(name), input.Quote(p.String()))
}

func (p position[S]) Returns() []float64 { return p.rules.Returns(nil, p.s) }

func (p position[S]) Observe(dst []float32, who game.Player) { p.rules.Encode(dst, p.s, who) }

func (p position[S]) ObserveCodes(dst []uint8, who game.Player) {
	p.rules.Rules.(game.CompactEncoder[S]).EncodeCompact(dst, p.s, who)
}

func (p position[S]) Decisions() Decisions { return p.decisions([]Position{p}) }

// DecisionsOf returns positions of one game, at least one, for one call of a policy. A
// seat must be to move in each.
func DecisionsOf(positions []Position) Decisions {
	return positions[0].(interface {
		decisions(all []Position) Decisions
	}).decisions(positions)
}

func (p position[S]) decisions(all []Position) Decisions {
	q := &decisionBatch[S]{rules: *p.rules}
	for _, x := range all {
		s := x.(position[S]).s
		shown, label := p.rules.Canonical(s)
		q.add(s, shown, label)
	}
	return q
}

func (p position[S]) Render(to message.Speaker) string {
	if p.rules.Presenter == nil {
		return p.String()
	}
	scene := p.rules.Presenter.Scene(p.s)
	return picture.Text(&scene, to)
}

func (p position[S]) DescribeAction(a game.Action) message.Message {
	if p.rules.Presenter == nil {
		return message.Message{}
	}
	return p.rules.Presenter.DescribeAction(p.s, a)
}

func (p position[S]) AskRoll() message.Message {
	if p.rules.Presenter == nil {
		return message.New("ask.outcome")
	}
	return p.rules.Presenter.AskRoll(p.s)
}

func (p position[S]) ReadRoll(roll string) (Position, error) {
	if p.rules.Presenter == nil {
		return p.Outcome(roll)
	}
	s, err := p.rules.Presenter.ReadRoll(p.s, roll)
	if err != nil {
		return nil, err
	}
	return position[S]{p.rules, s}, nil
}

func (p position[S]) DrawRoll(next Position, dice *rand.PCG) string {
	if p.rules.Presenter == nil {
		return p.OutcomeName(next)
	}
	return p.rules.Presenter.DrawRoll(p.s, next.(position[S]).s, dice)
}

func (p position[S]) Narrate(next Position, a game.Action, roll string) []message.Message {
	switch {
	case p.rules.Presenter != nil:
		return p.rules.Presenter.Narrate(nil, p.s, next.(position[S]).s, a, roll)
	case p.CurrentPlayer() != game.Chance:
		return nil
	}
	return []message.Message{message.Text(cmp.Or(roll, p.OutcomeName(next)))}
}

func (p position[S]) Situation() string {
	if l, ok := p.rules.Rules.(game.MistakeLabeler[S]); ok && p.CurrentPlayer() >= 0 {
		return l.Situation(p.s)
	}
	return ""
}

func (p position[S]) Explain(to message.Speaker, word string) []string {
	if scene := p.Scene(); scene != nil {
		return picture.Explain(scene, to, word)
	}
	return nil
}

func (p position[S]) Scene() *game.Scene {
	if p.rules.Presenter == nil {
		return nil
	}
	scene := p.rules.Presenter.Scene(p.s)
	own, legal := scene.Options, p.Legal()
	scene.Options = make([]game.SceneOption, 0, len(legal))
	for _, a := range legal {
		text := p.DescribeAction(a)
		o := game.SceneOption{Action: a, Name: p.rules.ActionName(a), Text: text, Kind: text}
		if len(own) > 0 && own[0].Action == a {
			o.Kind, o.Short, own = own[0].Kind, own[0].Short, own[1:]
		}
		scene.Options = append(scene.Options, o)
	}
	return &scene
}

// ActionProbabilities returns the probabilities [A] of a policy in a position. It returns an
// error if no seat is to move there, or if actions is not A.
func ActionProbabilities(ctx context.Context, p Policy, at Position, actions int) ([]float64, error) {
	switch {
	case p == nil || at == nil:
		return nil, errors.New("env: the policy or the position is nil")
	case at.CurrentPlayer() < 0:
		return nil, fmt.Errorf("env: no seat is to move in %q", at)
	}
	d := at.Decisions()
	if want := len(d.Mask()); actions != want {
		return nil, fmt.Errorf("env: %d actions; want %d, the Actions of the game's Spec", actions, want)
	}
	probs := make([]float64, actions)
	if err := Probs(ctx, p, probs, d); err != nil {
		return nil, err
	}
	label := d.Relabel(0)
	if label == nil {
		return probs, nil
	}
	real := make([]float64, actions)
	for a, q := range probs {
		real[label[a]] += q
	}
	return real, nil
}
