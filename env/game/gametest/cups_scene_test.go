package gametest_test

import (
	"math"

	"marsgym/env/game"
	"marsgym/env/game/message"
)

// cupsScene draws the cups as a map of two cells in one group, with the points of both
// seats as pieces, a track and dice.
func cupsScene(g *cups, s state) game.Scene {
	scene := game.Scene{Text: message.New("turn {0}", s.Turns), Goal: message.New("most points win"), Player: g.currentPlayer(s)}
	square := func(x float64) [][]game.ScenePoint { return [][]game.ScenePoint{{{x, 0}, {x + 1, 0}, {x + 1, 1}}} }
	scene.Map = &game.SceneMap{Width: 2, Height: 1, Unit: 1, Borders: [][2]int{{0, 1}}, Groups: []game.SceneGroup{{Name: "cups", Cells: []int{0, 1}, Holder: -1}}}
	for i, name := range []string{"left", "right"} {
		scene.Map.Cells = append(scene.Map.Cells, game.SceneCell{
			Name: name, Text: message.New("{0}", s.Cup[i]), Group: "cups", At: game.ScenePoint{float64(i) + 0.5, 0.5}, Outline: square(float64(i)),
		})
	}
	table := game.SceneCell{Name: "table", Text: message.New("points")}
	track := game.SceneTrack{Name: "points", Levels: make([]message.Message, 20), Brief: make([]string, 20)}
	for p, n := range s.Score {
		scene.Seats = append(scene.Seats, game.SceneSeat{
			Score: game.SceneScore{Name: "points", Value: int(n)}, Counts: []game.SceneCount{{Name: "turns", Value: int(s.Turns), Most: 6}},
		})
		if n > 0 {
			table.Pieces = append(table.Pieces, game.ScenePiece{Kind: "point", Seat: game.Player(p), Count: int(n)})
		}
		track.At = append(track.At, int(n))
	}
	scene.Places, scene.Tracks = []game.SceneCell{table}, []game.SceneTrack{track}
	die := game.SceneDie{Count: 1}
	for _, a := range g.legal(nil, s) {
		if a == pass {
			die.Actions = []game.Action{pass}
			continue
		}
		scene.Map.Cells[a].Actions = []game.Action{a}
	}
	scene.Dice = []game.SceneDice{{Name: "to roll", Dice: []game.SceneDie{die}}}
	if scene.Player == game.Chance {
		scene.Roll = &game.SceneRoll{Count: 1}
		for _, o := range g.outcomes(nil, s) {
			name := g.outcomeName(s, o.State)
			scene.Roll.Faces = append(scene.Roll.Faces, game.SceneFace{Text: name, Name: name})
		}
	}
	return scene
}

// brokenScenes break a clause of Scene. Each changes a scene that is sound.
var brokenScenes = []breach{
	{"Scene does not panic", func(g *cups) { g.scene = func(state) game.Scene { panic("oh") } }},
	{"Scene is a function of the state", func(g *cups) {
		n := 0
		spoil(g, func(_ state, x *game.Scene) { n++; x.Text = message.New("{0}", n) })
	}},
	{"a scene can be written as JSON", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Map.Unit = math.NaN() }) }},
	{"the text and the goal of a scene are a line each", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Text = message.New("two\nlines") }) }},
	{"the text and the goal of a scene are a line each", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Goal = message.Message{} }) }},
	{"a scene has the current player", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Player = 0 }) }},
	{"a scene has all seats", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Seats = x.Seats[:1] }) }},
	{"seats count the same things", func(g *cups) {
		spoil(g, func(_ state, x *game.Scene) { x.Seats[1].Counts[0].Name = "rounds" })
	}},
	{"counts have a name and keep to their limit", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Seats[1].Counts[0].Most = 3 }) }},
	{"tracks have a level for each seat", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Tracks[0].At[1] = -1 }) }},
	{"dice have a name and a number", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Dice[0].Dice[0].Count = 0 }) }},
	{"the elements of a scene list legal actions", func(g *cups) {
		spoil(g, func(_ state, x *game.Scene) { x.Map.Cells[0].Actions = []game.Action{left} })
	}},
	{"the elements of a scene list legal actions", func(g *cups) {
		spoil(g, func(s state, x *game.Scene) {
			if x.Player >= 0 {
				x.Dice[0].Dice[0].Actions = append(g.legal(nil, s), g.legal(nil, s)...)
			}
		})
	}},
	{"the elements of a scene list legal actions", func(g *cups) {
		spoil(g, func(_ state, x *game.Scene) { x.Tracks[0].Actions = []game.Action{9} })
	}},
	{"a scene says how a roll is entered", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Roll = nil }) }},
	{"ReadRoll reads rolls as a scene enters them", func(g *cups) {
		spoil(g, func(_ state, x *game.Scene) {
			if x.Roll != nil {
				x.Roll.Count = 2
			}
		})
	}},
	{"only rolls are entered", func(g *cups) {
		spoil(g, func(_ state, x *game.Scene) {
			x.Roll = &game.SceneRoll{Faces: game.NumberFaces(0, 20), Count: 2, Separator: ","}
		})
	}},
	{"cells have a name of their own", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Places[0].Name = "left" }) }},
	{"cells have a name of their own and a text", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Map.Cells[1].Text = message.New(" ") }) }},
	{"cells lie on the map", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Map.Cells[1].At[0] = 3 }) }},
	{"cells lie on the map", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Map.Cells[1].Outline[0][2][1] = -1 }) }},
	{"borders join two cells", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Map.Borders[0] = [2]int{1, 2} }) }},
	{"borders join two cells, each once", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Map.Borders = [][2]int{{0, 1}, {1, 0}} }) }},
	{"a cell is in one group at most", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Map.Groups[0].Cells = []int{0, 1, 1} }) }},
	{"cells name their group", func(g *cups) { spoil(g, func(_ state, x *game.Scene) { x.Map.Groups[0].Cells = []int{0} }) }},
	{"pieces belong to seats", func(g *cups) {
		spoil(g, func(_ state, x *game.Scene) {
			x.Map.Cells[0].Pieces = []game.ScenePiece{{Kind: "point", Seat: 2, Count: 1}}
		})
	}},
	{"equal scenes have equal observations", func(g *cups) {
		spoil(g, func(_ state, x *game.Scene) {
			for p := range x.Seats {
				x.Seats[p].Score.Value, x.Tracks[0].At[p], x.Places[0].Pieces = 0, 0, nil
			}
		})
	}},
}

// spoil changes the scenes of g.
func spoil(g *cups, change func(s state, x *game.Scene)) {
	g.scene = func(s state) game.Scene {
		scene := cupsScene(g, s)
		change(s, &scene)
		return scene
	}
}
