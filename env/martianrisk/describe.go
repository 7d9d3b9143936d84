package martianrisk

import (
	"fmt"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/figure"
)

// headline describes the next step.
func (r *Rules) headline(s *State) message.Message {
	step := r.step(s)
	if s.Round > 0 {
		return message.New("risk.round", s.Round, r.cfg.MaxRounds, step)
	}
	return step
}

// step describes the next step without the round.
func (r *Rules) step(s *State) message.Message {
	name, mover := func(i uint8) string { return r.board.names[i] }, message.Seat(s.Mover)
	setup := func(key string) message.Message {
		return message.New("risk.setup", message.New(key, mover), r.cfg.SetupArmies-s.onMap(s.Mover))
	}
	switch s.Phase {
	case Ordering:
		return message.New("risk.ordering")
	case Towers, Claiming:
		return setup("risk.occupies")
	case Filling:
		return setup("risk.adds")
	case Rolling:
		return message.New("roll.die", mover)
	case Reinforce:
		text := message.New("risk.reinforcing", mover, s.Points)
		if s.Low != 0 {
			return message.Note(text, message.New("risk.needs-roll"))
		}
		return text
	case Attack:
		return message.New("risk.attacking", mover)
	case Battle:
		return message.New("risk.battling", mover, name(s.From), name(s.To))
	case Occupy:
		return message.New("risk.occupying", mover, name(s.To))
	case Fortify:
		return message.New("risk.fortifying", mover)
	case Small:
		return message.New("risk.splitting", mover, name(s.To))
	}
	if s.Own[s.Mover] == r.board.all {
		return message.New("risk.conquered", mover)
	}
	var shares []message.Message
	for p, ret := range r.Returns(nil, *s) {
		shares = append(shares, message.New("seat.count", message.Seat(p), message.Figure(fmt.Sprintf("%.4g", r.spec.WinShare(ret)))))
	}
	return message.New("risk.over", shares)
}

func unionName(i int) string { return string(rune('a' + i%26)) }

// DescribeAction implements [game.Presenter]. For an attack it includes the odds.
func (r *Rules) DescribeAction(s State, a game.Action) message.Message {
	name := func(i game.Action) string { return r.board.names[i] }
	switch {
	case a == r.end:
		return r.describeEnd(&s)
	case a == r.stack:
		return message.New("risk.stack", r.board.names[s.To])
	case a >= r.small:
		if onto := s.onto(int(a - r.small)); !onto.IsZero() {
			return message.Note(message.New("risk.small", name(a-r.small)), onto)
		}
		return message.New("risk.small", name(a-r.small))
	case a >= r.split:
		e := r.board.edges[a-r.split]
		split := message.New("risk.split", r.board.names[e[0]], r.board.names[e[1]], s.onto(int(e[1])))
		return message.Note(split, message.New("risk.split-stays"))
	case a >= r.occupy:
		n := int(a-r.occupy) + 1
		return message.Note(message.New("risk.occupy", n, r.board.names[s.From], r.board.names[s.To]), message.New("risk.occupy-stay", int(s.Armies[s.From])-n))
	case a >= r.battle:
		e := r.board.edges[a-r.battle]
		battle, conquest := BattleOdds(s.height(e[0])-s.height(e[1])), s.conquest(e).Odds
		return message.Note(message.New("risk.battle", r.board.names[e[1]], r.board.names[e[0]], s.Armies[e[0]], s.Armies[e[1]], message.Seat(s.owner(int(e[1])))),
			message.New("risk.battle-odds", message.Figure(figure.Chance(battle)), r.board.names[e[1]], message.Figure(figure.Chance(conquest))))
	case a >= r.piece:
		_, size, cost := s.nextPiece(int(a - r.piece))
		return message.Note(message.New("risk.piece", message.New(size), name(a-r.piece)), message.Count(cost, "point"))
	}
	return r.describePlacing(&s, "", name(a))
}

// shortAction returns the kind of an action that has many of its kind, and what tells it from them;
// nothing for others.
func (r *Rules) shortAction(s *State, a game.Action) (kind, rest message.Message) {
	switch {
	case a == r.end || a == r.stack:
		return kind, rest
	case a >= r.small:
		return message.New("risk.kind.small"), s.onto(int(a - r.small))
	case a >= r.split:
		return message.New("risk.kind.split"), s.onto(int(r.board.edges[a-r.split][1]))
	case a >= r.occupy:
		n := int(a-r.occupy) + 1
		return message.New("risk.kind.occupy", r.board.names[s.From], r.board.names[s.To]), message.New("risk.kind.stay", int(s.Armies[s.From])-n)
	case a >= r.battle:
		return message.New("risk.kind.battle"), message.New("{0}", message.Figure(figure.Chance(s.conquest(r.board.edges[a-r.battle]).Odds)))
	case a >= r.piece:
		_, size, cost := s.nextPiece(int(a - r.piece))
		return message.New("risk.kind.piece"), message.New("risk.kind.cost", message.New(size), cost)
	}
	return r.describePlacing(s, "kind."), rest
}

// describePlacing describes the placing of an army by the keys below "risk." that begin with kind.
func (r *Rules) describePlacing(s *State, kind string, region ...any) message.Message {
	switch {
	case s.Phase == Towers && r.cfg.Trios > 0:
		return message.New("risk."+kind+"place-tower", region...)
	case s.Phase == Reinforce:
		return message.Note(message.New("risk."+kind+"place", region...), message.Count(1, "point"))
	}
	return message.New("risk."+kind+"place", region...)
}

// describeBattle describes the losses of a battle.
func (r *Rules) describeBattle(s, next *State) message.Message {
	from, to := r.board.names[s.From], r.board.names[s.To]
	mover, defender := message.Seat(s.Mover), s.owner(int(s.To))
	switch left := s.Armies[s.To] - 1; {
	case next.Own[s.Mover]>>s.To&1 == 0 && next.Armies[s.To] == s.Armies[s.To]:
		return message.New("risk.battle-lost", from, s.Armies[s.From]-1)
	case left > 0:
		return message.New("risk.battle-won", to, left)
	case next.Own[defender] == 0:
		return message.New("risk.falls-out", to, mover, message.Seat(defender))
	}
	return message.New("risk.falls", to, mover)
}

// onto describes what a piece is put onto in a region: its tower, or nothing.
func (s *State) onto(i int) message.Message {
	if s.tower(i) == "" {
		return message.Message{}
	}
	return message.New("risk.onto", towerName(s.tower(i)))
}

// towerName names the pieces of a tower.
func towerName(tower string) message.Message { return message.New("risk.tower." + tower) }

// describeEnd describes the end of a phase.
func (r *Rules) describeEnd(s *State) message.Message {
	switch s.Phase {
	case Reinforce:
		return message.Note(message.New("risk.end-reinforce"), message.New("risk.end-lost", s.Points))
	case Attack:
		return message.New("risk.end-attack")
	}
	return message.New("risk.end-fortify")
}

// conquest returns the odds of an attack across a border that is fought to its end.
func (s *State) conquest(e [2]byte) Conquest {
	return NewConquest(int(s.Armies[e[0]]), int(s.Armies[e[1]]), s.height(e[0])-s.height(e[1]))
}
