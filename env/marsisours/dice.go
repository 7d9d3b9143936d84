package marsisours

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/internal/firstplayer"
	"marsgym/internal/input"
	"marsgym/internal/random"
)

// AskRoll implements [game.Presenter].
func (r *Rules) AskRoll(s State) message.Message {
	switch s.Phase {
	case Laying:
		return message.New("ours.ask-tile", r.unitName(s.Place), "gsmt"[:len(r.board.units[s.Place])])
	case Drawing:
		return message.New("ours.ask-starter")
	case Scoring:
		return message.New("ours.ask-alchemy", message.Seat(s.firstWithDice()))
	}
	if s.Die > 0 {
		return message.New("ours.ask-again", message.Seat(s.Mover), s.Attackers, s.Die)
	}
	return message.New("ours.ask-attack", message.Seat(s.Mover), s.Attackers, message.Seat(s.defender()))
}

// unitName names the cells of unit i of the map, in the order of a roll.
func (r *Rules) unitName(i uint8) string {
	var names []string
	for _, c := range r.board.units[i] {
		names = append(names, r.board.name[c])
	}
	return strings.Join(names, " ")
}

// sceneRoll returns how a roll is entered: the terrain of a tile, or dice.
func (r *Rules) sceneRoll(s *State) *game.SceneRoll {
	roll := &game.SceneRoll{Faces: game.NumberFaces(1, faces), Count: 1, Separator: " "}
	switch s.Phase {
	case Laying:
		roll = &game.SceneRoll{Count: len(r.board.units[s.Place])}
		for t, letter := range terrainLetters {
			roll.Faces = append(roll.Faces, game.SceneFace{Text: string(letter), Name: terrainNames[t]})
		}
	case Drawing:
		roll.Count = 0
	case Rolling, Rerolling:
		roll.Count = s.attackDice()
	}
	return roll
}

// attackDice returns the number of dice of an attack: the attacker's and, unless it is
// known, the defender's.
func (s *State) attackDice() int {
	if s.Die > 0 {
		return int(s.Attackers)
	}
	return int(s.Attackers) + 1
}

// firstWithDice returns the first seat with alchemy dice.
func (s *State) firstWithDice() int {
	return slices.IndexFunc(s.Seats[:], func(seat Seat) bool { return seat.Dice > 0 })
}

// ReadRoll implements [game.Presenter]: the terrain of a tile, clockwise from the left above; the
// dice of the seats that decide who starts (see [firstplayer.Read]); the dice of the attacker and then that of the defender, unless it stays; or an
// alchemy die.
func (r *Rules) ReadRoll(s State, roll string) (State, error) {
	roll = strings.TrimSpace(roll)
	n := 1
	switch s.Phase {
	case Laying:
		for _, o := range r.Outcomes(nil, s) {
			if shows(roll, r.OutcomeName(s, o.State)) {
				return o.State, nil
			}
		}
		return s, message.NewError("ours.want-tile", input.Quote(roll), r.tilesText(&s))
	case Drawing:
		_, starter, err := firstplayer.Read(roll, r.cfg.Players, 1, faces)
		if err == nil {
			r.startGame(&s, starter)
		}
		return s, err
	case Rolling, Rerolling:
		n = s.attackDice()
	}
	dice, err := game.ReadDice(roll, n, faces)
	if err != nil {
		return s, err
	}
	if s.Phase == Scoring {
		r.scoreDie(&s, dice[0])
	} else {
		die, won := r.attackResult(&s, dice)
		r.resolveAttack(&s, die, won)
	}
	return s, nil
}

// tilesText lists the tiles that are left, such as "2 of gsmt, 1 of gtsm, turned as you like".
func (r *Rules) tilesText(s *State) message.Message {
	left, _ := r.tilesLeft(s)
	var list []message.Message
	for k, kind := range r.pool.kinds {
		if left[k] == 0 {
			continue
		}
		letters := ""
		for i := range r.pool.quarters {
			letters += terrainLetters[kind.code>>(2*i)&3:][:1]
		}
		list = append(list, message.New("ours.tiles", left[k], letters))
	}
	if r.pool.quarters > 1 {
		return message.New("ours.turned", list)
	}
	return message.New("{0}", list)
}

// shows reports whether a tile is the outcome of that name, in which an o is a cell that a
// station has covered: what the tile shows there is no longer known.
func shows(tile, outcome string) bool {
	if len(tile) != len(outcome) {
		return false
	}
	for i := range len(tile) {
		if covered := outcome[i] == 'o' && strings.IndexByte(terrainLetters, tile[i]) >= 0; tile[i] != outcome[i] && !covered {
			return false
		}
	}
	return true
}

// attackResult returns the defender's die and whether the attack is won, by the dice of
// the attacker and, unless it stays, that of the defender.
func (r *Rules) attackResult(s *State, dice []int) (die int, won bool) {
	k := int(s.Attackers)
	if die = int(s.Die); die == 0 {
		die = dice[k]
	}
	return die, slices.Max(dice[:k]) >= r.defence(s, die)
}

// DrawRoll implements [game.Presenter].
func (r *Rules) DrawRoll(s, next State, dice *rand.PCG) string {
	switch s.Phase {
	case Laying, Scoring:
		return r.OutcomeName(s, next)
	case Drawing:
		return firstplayer.Draw(r.cfg.Players, int(next.Start), func() int { return random.Below(dice, faces) + 1 })
	}
	leads := map[bool]*[faces + 1]bool{false: {}, true: {}} // by whether the attack is won and the defender's die
	r.attackResults(&s, func(result State, _ float64, die int, won bool) {
		leads[won][die] = result == next
	})
	n := s.attackDice()
	var rolls []int // of n dice each, equally likely
	d := make([]int, n)
	var roll func(i int)
	roll = func(i int) {
		if i == n {
			if die, won := r.attackResult(&s, d); leads[won][die] {
				rolls = append(rolls, d...)
			}
			return
		}
		for d[i] = 1; d[i] <= faces; d[i]++ {
			roll(i + 1)
		}
	}
	roll(0)
	if rolls == nil {
		return "" // next is no outcome
	}
	return strings.Trim(fmt.Sprint(rolls[random.Below(dice, len(rolls)/n)*n:][:n]), "[]")
}
