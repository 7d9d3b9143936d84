package analysis

import (
	"slices"

	"marsgym/env"
	"marsgym/env/game"
	"marsgym/record"
)

// price fills in the result. It goes through the game from its end, since the value
// before a forced action is that after it.
func (p *pricing) price() error {
	players := p.game.Rules.Spec().Players
	for _, v := range []*Value{&p.luck, &p.losses, &p.others, &p.correction} {
		v.Mean = make([]float64, players)
	}
	p.result.Seats = make([]Seat, players)
	end, err := p.value(p.game.Position())
	if err != nil {
		return err
	}
	after := end
	for i := len(p.game.Steps) - 1; i >= 0; i-- {
		if after, err = p.step(i, after); err != nil {
			return err
		}
	}
	p.result.Ended = p.game.Position().CurrentPlayer() == game.Terminal
	for q := range p.result.Seats {
		s := &p.result.Seats[q]
		s.Name, s.Result, s.Start = p.game.Seats[q], end.Number(q), after.Number(q)
		s.Luck, s.Losses, s.Others, s.Correction = p.luck.Number(q), p.losses.Number(q), p.others.Number(q), p.correction.Number(q)
		s.Adjusted = s.Result.Value - s.Luck.Value
	}
	slices.Reverse(p.result.Decisions)
	return nil
}

// value returns the value of a position.
func (p *pricing) value(at env.Position) (Value, error) {
	list, err := p.valuer.Values(p.ctx, []env.Position{at})
	if err != nil {
		return Value{}, err
	}
	return list[0], nil
}

// step adds step i, given the value after it, and returns the value before it.
func (p *pricing) step(i int, after Value) (before Value, err error) {
	s := p.game.Steps[i]
	mover := int(s.Before.CurrentPlayer())
	if mover >= 0 && len(s.Before.Legal()) == 1 {
		return after, nil
	}
	if before, err = p.value(s.Before); err != nil {
		return before, err
	}
	if mover < 0 {
		for q := range p.result.Seats {
			p.luck.addChange(q, before, after)
		}
		return before, nil
	}
	return before, p.decision(i, s, mover, before, after)
}

// decision adds a decision with more than one option.
func (p *pricing) decision(i int, s record.Step, mover int, before, after Value) error {
	o, err := optionsOf(p.ctx, s.Before, p.valuer)
	if err != nil {
		return err
	}
	chosen := 0
	for k, a := range o.legal {
		if a == s.Action {
			chosen = k
		}
	}
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
	d := Decision{
		Step: i, Seat: mover, Position: s.Before.String(), Action: p.game.Rules.ActionName(s.Action),
		Value: o.top.Number(mover), Loss: o.regret(chosen, mover), Options: o.ranked(p.game.Rules, mover),
	}
	seat := &p.result.Seats[mover]
	seat.Decisions++
	if d.Mistake() {
		seat.Mistakes++
	}
	p.result.Decisions = append(p.result.Decisions, d)
	return nil
}
