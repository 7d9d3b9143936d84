package analysis

import (
	"math"
	"slices"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/internal/figure"
)

// price fills in the result. It goes through the game from its end, since the value
// before a forced action is that after it.
func (p *pricing) price() error {
	players := p.game.Rules.Spec().Players
	for _, v := range []*Value{&p.luck, &p.losses, &p.others, &p.correction} {
		v.Mean = make([]float64, players)
	}
	p.result.Seats = make([]Seat, players)
	if err := p.valueAll(); err != nil {
		return err
	}
	end := p.values[p.game.Position()]
	after := end
	p.result.Values = make([]Value, len(p.game.Steps)+1)
	p.result.Values[len(p.game.Steps)] = end
	for i := len(p.game.Steps) - 1; i >= 0; i-- {
		after = p.step(i, after)
		p.result.Values[i] = after
	}
	p.result.Ended = p.game.Position().CurrentPlayer() == game.Terminal
	for q := range p.result.Seats {
		s := &p.result.Seats[q]
		s.Name, s.Result, s.Start = p.game.Seats[q], end.Number(q), after.Number(q)
		s.Luck, s.Losses, s.Others, s.Correction = p.luck.change(q), p.losses.loss(q, math.Inf(1)), p.others.change(q), p.correction.change(q)
		s.Adjusted = figure.Clean(s.Result.Value - s.Luck.Value)
	}
	slices.Reverse(p.result.Decisions)
	return nil
}

// valueAll values all positions that the prices depend on, each once.
func (p *pricing) valueAll() error {
	var all []env.Position
	p.values, p.options = map[env.Position]Value{}, make([]*options, len(p.game.Steps))
	add := func(at env.Position) {
		if _, there := p.values[at]; !there {
			p.values[at] = Value{}
			all = append(all, at)
		}
	}
	add(p.game.Position())
	for i, s := range p.game.Steps {
		if forced(s) {
			continue
		}
		add(s.Before)
		if s.Chance() || !slices.Contains(p.seats, int(s.Before.CurrentPlayer())) {
			continue
		}
		o, err := optionsOf(s.Before)
		if err != nil {
			return err
		}
		p.options[i] = o
		for _, after := range o.after {
			add(after)
		}
	}
	values, err := p.valuer.Values(p.ctx, all)
	if err != nil {
		return err
	}
	for i, at := range all {
		p.values[at] = values[i]
	}
	for _, o := range p.options {
		if o != nil {
			o.rank(func(i int) Value { return p.values[o.after[i]] })
		}
	}
	return nil
}

// forced reports whether a step is an action without an alternative.
func forced(s env.Transition) bool { return !s.Chance() && len(s.Before.Legal()) == 1 }

// step adds step i, given the value after it, and returns the value before it.
func (p *pricing) step(i int, after Value) (before Value) {
	s := p.game.Steps[i]
	if forced(s) {
		return after
	}
	before = p.values[s.Before]
	if !s.Chance() {
		p.decision(i, s, before, after)
		return before
	}
	for q := range p.result.Seats {
		p.luck.addChange(q, before, after)
	}
	return before
}

// decision adds a decision with more than one option.
func (p *pricing) decision(i int, s env.Transition, before, after Value) {
	mover := int(s.Before.CurrentPlayer())
	d := Decision{Step: i, Seat: mover, Position: s.Before.String(), Action: p.game.Rules.ActionName(s.Action)}
	if p.options[i] != nil {
		p.compare(&d, s, before, after)
	} else {
		p.fall(&d, before, after)
	}
	seat := &p.result.Seats[mover]
	seat.Decisions++
	if d.Mistake() {
		seat.Mistakes++
	}
	p.result.Decisions = append(p.result.Decisions, d)
}

// fall prices a decision by the values of the positions before and after it.
func (p *pricing) fall(d *Decision, before, after Value) {
	for q := range p.result.Seats {
		if q == d.Seat {
			p.losses.addChange(q, after, before)
		} else {
			p.others.addChange(q, before, after)
		}
	}
	lost := Value{Mean: make([]float64, len(before.Mean))}
	lost.addChange(d.Seat, after, before)
	d.Value, d.Loss = before.Number(d.Seat), lost.loss(d.Seat, mostLost(before))
}

// compare prices a decision by the values of its options.
func (p *pricing) compare(d *Decision, s env.Transition, before, after Value) {
	o, mover := p.options[d.Step], d.Seat
	chosen := slices.Index(o.legal, s.Action)
	best := before // of best play
	if !p.valuer.Exact() {
		best = o.top
	}
	for q := range p.result.Seats {
		if q == mover {
			p.losses.addChange(q, o.values[chosen], o.top)
		} else {
			p.others.addChange(q, best, o.values[chosen])
		}
		if !p.valuer.Exact() {
			p.correction.addChange(q, before, best)
			p.correction.addChange(q, o.values[chosen], after)
		}
	}
	d.Value, d.Loss, d.Options = o.top.Number(mover), o.regret(chosen), o.ranked(p.game.Rules)
}
