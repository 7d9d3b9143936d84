package martianrisk

import (
	"fmt"
	"math/bits"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// Scene implements [game.Presenter]: the seats, and the map with its armies, towers
// and unions.
func (r *Rules) Scene(s State) game.Scene {
	scene := game.Scene{Text: r.sceneText(&s), Goal: r.sceneGoal(&s), Player: r.CurrentPlayer(s), Map: r.sceneMap(&s)}
	if w := r.cfg.Warning(); w != "" && s.Phase <= Filling {
		scene.Warning = message.Detail(message.New("risk.locked"), message.Text(w))
	}
	for p := range r.cfg.Players {
		scene.Seats = append(scene.Seats, r.sceneSeat(&s, uint8(p)))
	}
	if scene.Player == game.Chance {
		scene.Roll = sceneRoll(&s)
	}
	for _, a := range r.Legal(nil, s) {
		if kind, rest := r.shortAction(&s, a); !kind.IsZero() {
			scene.Options = append(scene.Options, game.SceneOption{Action: a, Kind: kind, Short: rest})
		}
	}
	return scene
}

// sceneRoll returns how a roll is entered: totals of two dice, a die, or the dice of a battle.
func sceneRoll(s *State) *game.SceneRoll {
	switch s.Phase {
	case Ordering:
		return &game.SceneRoll{Faces: game.NumberFaces(lowTotal, highTotal), Separator: " "}
	case Rolling:
		return &game.SceneRoll{Faces: game.NumberFaces(1, sides), Count: 1}
	}
	return &game.SceneRoll{Faces: game.NumberFaces(1, sides), Count: 4, Separator: " "}
}

// sceneText describes the next step, or who has won alone.
func (r *Rules) sceneText(s *State) message.Message {
	if s.Phase == Over {
		for p, ret := range r.Returns(nil, *s) {
			if r.spec.WinShare(ret) > 1-game.Tie {
				wins := message.New("over.wins", message.Seat(p))
				if s.Own[p] != r.board.all {
					wins = message.Note(wins, message.New("risk.goal-leader", r.cfg.MaxRounds))
				}
				return wins
			}
		}
	}
	return r.headline(s)
}

// sceneGoal says how the game is won, and whether this turn decides it.
func (r *Rules) sceneGoal(s *State) message.Message {
	goal := message.New("risk.goal")
	if r.cfg.MaxRounds == 0 {
		return goal
	}
	ranking := "risk.goal-ranks"
	if r.cfg.Ranking == Leader {
		ranking = "risk.goal-leader"
	}
	goal = message.Note(goal, message.New(ranking, r.cfg.MaxRounds))
	if s.Phase != Over && r.lastTurn(s) {
		return message.Note(goal, message.New("risk.last-turn"))
	}
	return goal
}

// sceneSeat describes what a seat has.
func (r *Rules) sceneSeat(s *State, p uint8) game.SceneSeat {
	const supply = "in supply"
	seat := game.SceneSeat{
		Score: game.SceneScore{Name: "regions", Value: bits.OnesCount64(s.Own[p]), Target: r.n},
		Counts: []game.SceneCount{
			{Name: "armies", Value: s.onMap(p)},
			{Name: "unions", Value: r.bonus(s, p)},
			{Name: "armies", Group: supply, Value: r.supply(s, p)},
		},
	}
	if r.cfg.Trios > 0 {
		large, medium, small := r.pieces(s, p)
		if s.Phase == Small && p == s.Mover {
			small--
			seat.Notes = append(seat.Notes, message.New("risk.in-hand"))
		}
		seat.Counts = append(seat.Counts, game.SceneCount{Name: "large pieces", Group: supply, Value: large},
			game.SceneCount{Name: "medium pieces", Group: supply, Value: medium}, game.SceneCount{Name: "small pieces", Group: supply, Value: small})
	}
	if r.cfg.LostArmies == Out {
		seat.Counts = append(seat.Counts, game.SceneCount{Name: "armies lost", Value: int(s.Lost[p])})
	}
	if s.Phase != Ordering && s.Phase != Over && p == s.Start {
		seat.Notes = append(seat.Notes, message.New("starter"))
	}
	if s.Phase >= Rolling && s.Own[p] == 0 {
		seat.Notes = append(seat.Notes, message.New("out"))
	}
	if s.Phase == Over {
		switch share := r.spec.WinShare(r.Returns(nil, *s)[p]); {
		case share > 1-game.Tie:
			seat.Notes = append(seat.Notes, message.New("wins"))
		case share > game.Tie:
			seat.Notes = append(seat.Notes, message.New("risk.share", message.Figure(fmt.Sprintf("%.3g", share))))
		}
	}
	return seat
}

// sceneMap describes the regions, borders and unions.
func (r *Rules) sceneMap(s *State) *game.SceneMap {
	l := r.layout()
	m := &game.SceneMap{Width: l.width, Height: l.height, Unit: l.unit, Lines: l.lines}
	for i, place := range l.cells {
		m.Cells = append(m.Cells, game.SceneCell{
			Name: r.board.names[i], Text: r.sceneRegionText(s, i),
			At: place.at, Tile: r.cfg.Map.Regions[i].At, Anchor: place.anchor, Outline: place.outline,
			Pieces: r.scenePieces(s, i), Mark: r.sceneMark(s, i),
		})
	}
	if r.board.unions != nil {
		m.Group, m.Pays = "union", message.New("risk.pays")
	}
	for u, set := range r.board.unions {
		group := game.SceneGroup{Name: unionName(u), Holder: game.Chance}
		for rest := set; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest)
			group.Cells = append(group.Cells, i)
			m.Cells[i].Group = group.Name
		}
		for p, own := range s.Own {
			if set&^own == 0 {
				group.Holder = game.Player(p)
			}
		}
		m.Groups = append(m.Groups, group)
	}
	for _, e := range r.board.edges {
		if e[0] < e[1] {
			m.Borders = append(m.Borders, [2]int{int(e[0]), int(e[1])})
		}
	}
	for _, a := range r.Legal(nil, *s) {
		for _, i := range r.regionsOf(s, a) {
			m.Cells[i].Actions = append(m.Cells[i].Actions, a)
		}
	}
	return m
}

// regionsOf returns the regions that a legal action belongs to: both ends of a border.
func (r *Rules) regionsOf(s *State, a game.Action) []int {
	edge := func(e [2]byte) []int { return []int{int(e[0]), int(e[1])} }
	switch {
	case a == r.end:
		return nil
	case a == r.stack:
		return []int{int(s.To)}
	case a >= r.small:
		return []int{int(a - r.small)}
	case a >= r.split:
		return edge(r.board.edges[a-r.split])
	case a >= r.occupy:
		return nil
	case a >= r.battle:
		return edge(r.board.edges[a-r.battle])
	case a >= r.piece:
		return []int{int(a - r.piece)}
	}
	return []int{int(a)}
}

// scenePieces returns the armies and the tower of a region, from the bottom up.
func (r *Rules) scenePieces(s *State, i int) (list []game.ScenePiece) {
	p := s.owner(i)
	if p < 0 {
		return nil
	}
	add := func(kind string, n int) {
		if n > 0 {
			list = append(list, game.ScenePiece{Kind: kind, Seat: game.Player(p), Count: n})
		}
	}
	add("army", int(s.Armies[i]))
	add("large", int(s.Large>>i&1))
	add("medium", int(s.Medium>>i&1))
	add("small", int(s.Small>>i&1))
	return list
}

// sceneMark marks the regions of a battle, of the move after it, or of a split tower.
func (r *Rules) sceneMark(s *State, i int) string {
	switch {
	case s.From == s.To && s.Phase != Small:
	case i == int(s.To):
		return "to"
	case i == int(s.From) && s.Phase != Small:
		return "from"
	}
	return ""
}

// sceneRegionText describes a region.
func (r *Rules) sceneRegionText(s *State, i int) message.Message {
	p := s.owner(i)
	if p < 0 {
		return message.New("risk.free")
	}
	var tower []message.Message
	for _, piece := range r.scenePieces(s, i) {
		if piece.Kind != "army" {
			tower = append(tower, message.New(piece.Kind))
		}
	}
	if tower != nil {
		return message.New("risk.armies-tower", message.Seat(p), s.Armies[i], tower)
	}
	return message.New("risk.armies", message.Seat(p), s.Armies[i])
}
