package marsisours

import (
	"math/bits"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// Kinds of cells that are no terrain.
const (
	stationKind = "station"
	plainKind   = "ground" // without terrain: in the quick game, or not laid yet
)

// Scene implements [game.Presenter]: the seats, the map, the labs and the tracks.
func (r *Rules) Scene(s State) game.Scene {
	scene := game.Scene{Text: r.headline(&s), Goal: r.sceneGoal(), Player: r.CurrentPlayer(s), Map: r.sceneMap(&s)}
	for p := range r.cfg.Players {
		scene.Seats = append(scene.Seats, r.sceneSeat(&s, p))
	}
	actions := r.placeActions(&s)
	for i := range scene.Map.Cells {
		scene.Map.Cells[i].Actions = actions[i]
	}
	for _, a := range r.appendLegal(nil, &s) {
		if kind, rest := r.shortAction(&s, int(a)); !kind.IsZero() {
			scene.Options = append(scene.Options, game.SceneOption{Action: a, Kind: kind, Short: rest})
		}
	}
	if scene.Player == game.Chance {
		scene.Roll = r.sceneRoll(&s)
	}
	if r.fast {
		return scene
	}
	for l, name := range labNames {
		place := firstLab + l
		scene.Places = append(scene.Places, game.SceneCell{
			Name: name, Text: message.New("ours.cell", message.New("lab"), r.describeRobot(&s, place)), Kind: "lab", Power: labEffect(l),
			Pieces: r.scenePieces(&s, place), Mark: r.sceneMark(&s, place), Actions: actions[place],
		})
	}
	scene.Track = message.New("ours.track")
	for t := range products {
		track := game.SceneTrack{Name: terrainNames[t]}
		for level := range r.levels {
			reward, text := r.rewards[t][level], message.Message{}
			if reward != (Reward{}) {
				text = reward.text()
			}
			track.Levels, track.Brief = append(track.Levels, text), append(track.Brief, reward.short())
		}
		for p := range r.cfg.Players {
			track.At = append(track.At, int(s.Seats[p].Track[t]))
		}
		if s.Phase == Cashing {
			for _, a := range r.appendLegal(nil, &s) {
				if (int(a)-r.act.cash)>>t&1 == 1 {
					track.Actions = append(track.Actions, a)
				}
			}
		}
		scene.Tracks = append(scene.Tracks, track)
	}
	return scene
}

// sceneGoal says how the game is won.
func (r *Rules) sceneGoal() message.Message {
	if r.fast {
		return message.Note(message.New("ours.goal-quick", message.New(fastScores[r.cfg.FastCount])), message.New("ours.goal-tie"))
	}
	return message.New("ours.goal", lastRound)
}

// fastScores names the robots that count in the quick game.
var fastScores = map[Count]string{
	CountMap: "robots on the map", CountMapAndHand: "robots on the map and in hand", CountAll: "robots, the junkyard too",
}

// sceneSeat describes what a seat has.
func (r *Rules) sceneSeat(s *State, p int) game.SceneSeat {
	const robots = "robots"
	seat := &s.Seats[p]
	onMap := bits.OnesCount64(s.Robots[p] &^ allLabs)
	view := game.SceneSeat{Score: game.SceneScore{Name: "money", Value: int(seat.Money)}}
	if r.fast {
		view.Score = game.SceneScore{Name: fastScores[r.cfg.FastCount], Value: r.counted(s, p)}
		view.Counts = []game.SceneCount{{Name: "in hand", Group: robots, Value: int(seat.Hand)}, {Name: "in the junkyard", Group: robots, Value: int(seat.Junk)}}
	} else {
		view.Counts = []game.SceneCount{
			{Name: "tokens", Value: int(seat.Tokens), Most: maxTokens},
			{Name: "in hand", Group: robots, Value: int(seat.Hand)},
			{Name: "in the junkyard", Group: robots, Value: int(seat.Junk)},
			{Name: "on the map", Group: robots, Value: onMap},
			{Name: "in labs", Group: robots, Value: bits.OnesCount64(s.Robots[p] & allLabs)},
			{Name: "alchemy dice", Value: int(seat.Dice)},
		}
	}
	if s.Phase > Drawing && s.Phase < Scoring && p == int(s.Start) {
		view.Notes = append(view.Notes, message.New("starter"))
	}
	if s.Passed>>p&1 == 1 {
		view.Notes = append(view.Notes, message.New("passed"))
	}
	if winners := r.winners(s); s.Phase == Over && winners>>p&1 == 1 {
		note := "wins"
		if bits.OnesCount8(winners) > 1 {
			note = "shares the win"
		}
		view.Notes = append(view.Notes, message.New(note))
	}
	return view
}

// sceneMap describes the cells. Each is a square of side 1.
func (r *Rules) sceneMap(s *State) *game.SceneMap {
	b := r.board
	m := &game.SceneMap{Unit: 1}
	for c := range b.cells {
		x, y := float64(b.col[c]), float64(b.row[c])
		m.Width, m.Height = max(m.Width, x+1), max(m.Height, y+1)
		cell := game.SceneCell{
			Name: b.name[c], Kind: r.cellKind(s, c), At: game.ScenePoint{x + 0.5, y + 0.5}, Tile: [2]int{b.col[c], b.row[c]},
			Outline: [][]game.ScenePoint{{{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}}},
			Pieces:  r.scenePieces(s, c), Mark: r.sceneMark(s, c),
		}
		cell.Text = r.describeRobot(s, c)
		switch {
		case cell.Kind == stationKind:
			cell.Text = message.New("ours.space-station")
		case cell.Kind == plainKind && !r.fast:
			cell.Text = message.New("ours.no-tile")
		case !r.fast:
			cell.Text = message.New("ours.cell", message.New(cell.Kind), cell.Text)
		}
		m.Cells = append(m.Cells, cell)
		for set := b.neighbours[c] >> (c + 1) << (c + 1); set != 0; set &= set - 1 {
			m.Borders = append(m.Borders, [2]int{c, bits.TrailingZeros64(set)})
		}
	}
	m.Kinds = []game.SceneKind{{Kind: stationKind, Text: message.Note(message.New("ours.walk", maxSteps), message.New("ours.no-stand")), Sign: "()", Colour: "48;5;16;38;5;231"}}
	if !r.fast {
		for t, name := range terrainNames[:products] {
			m.Kinds = append(m.Kinds, game.SceneKind{Kind: name, Text: message.New("ours.product"), Sign: terrainLetters[t : t+1], Colour: groundColour[t]})
		}
		m.Kinds = append(m.Kinds, game.SceneKind{Kind: terrainNames[stone], Text: message.New("ours.stone", stonePay), Sign: "#", Colour: groundColour[stone]})
	}
	return m
}

// cellKind returns the kind of a cell.
func (r *Rules) cellKind(s *State, c int) string {
	switch {
	case r.board.stations>>c&1 == 1:
		return stationKind
	case r.fast:
		return plainKind
	case r.board.stone>>c&1 == 1:
		return terrainNames[stone]
	case r.groundLetter(s, c) == '?':
		return plainKind
	}
	return terrainNames[s.terrainAt(c)]
}

// scenePieces returns the robot of a place, if there is one.
func (r *Rules) scenePieces(s *State, place int) []game.ScenePiece {
	p, ok := s.owner(place)
	if !ok {
		return nil
	}
	return []game.ScenePiece{{Kind: "robot", Seat: game.Player(p), Count: 1, Lying: !r.fast && s.Standing>>place&1 == 0}}
}

// sceneMark marks the target of an attack.
func (r *Rules) sceneMark(s *State, place int) string {
	if s.Attackers > 0 && int(s.Place) == place {
		return "to"
	}
	return ""
}

// placeActions returns the legal actions of each place.
func (r *Rules) placeActions(s *State) (list [firstLab + labs][]game.Action) {
	a := &r.act
	for _, action := range r.appendLegal(nil, s) {
		slot, x := -1, int(action)
		switch {
		case x < a.attack:
			slot = x
		case x < a.pass:
			slot, _ = a.target(x)
		case x >= a.down && x < a.skip:
			slot = x - a.down
		}
		if slot >= 0 {
			list[r.place[slot]] = append(list[r.place[slot]], action)
		}
	}
	return list
}

// text describes a reward, such as "3 money, 1 robot".
func (w Reward) text() message.Message {
	var list []message.Message
	for _, part := range []struct {
		n    int
		name string
	}{{w.Money, "money"}, {w.Tokens, "token"}, {w.Dice, "die"}, {w.Robots, "robot"}} {
		if part.n > 0 {
			list = append(list, message.Count(part.n, part.name))
		}
	}
	if list == nil {
		return message.New("nothing")
	}
	return message.New("{0}", list)
}

// describeRobot describes the robot of a place.
func (r *Rules) describeRobot(s *State, place int) message.Message {
	p, ok := s.owner(place)
	switch seat := message.Seat(p); {
	case !ok:
		return message.New("ours.no-robot")
	case r.fast:
		return message.New("ours.robot", seat)
	case s.Standing>>place&1 == 1:
		return message.New("ours.robot-standing", seat)
	default:
		return message.New("ours.robot-lying", seat)
	}
}
