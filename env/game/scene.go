package game

import (
	"strconv"

	"marsgym/env/game/message"
)

// Scene is a position as data: seats with what they have, dice, a map with pieces, and
// tracks. Elements that have actions can be clicked: each lists the legal actions that
// belong to it. An action can belong to several elements, such as an attack to the regions
// at both ends of a border, or to none, such as to pass.
//
// Names, faces and kinds are English words, which are their own keys in the tables of package
// message. [Scene.In] puts a scene into a language.
type Scene struct {
	Text    message.Message `json:"text"`             // the next step, in one line
	Goal    message.Message `json:"goal"`             // how the game is won, in one line
	Warning message.Message `json:"-"`                // in a text: why nobody can win so
	Player  Player          `json:"player"`           // the current player: a seat, -1 for chance, -2 if the game is over
	Seats   []SceneSeat     `json:"seats"`            // [P]
	Dice    []SceneDice     `json:"dice,omitempty"`   // in the order in which they are looked at
	Roll    *SceneRoll      `json:"roll,omitempty"`   // of a chance state whose rules have [Presenter]; nil for none
	Map     *SceneMap       `json:"map,omitempty"`    // or nil
	Board   string          `json:"board,omitempty"`  // the position drawn in lines of text; "" for none
	Places  []SceneCell     `json:"places,omitempty"` // beside the map, such as laboratories; At and Outline are not set
	Tracks  []SceneTrack    `json:"tracks,omitempty"`
	Track   message.Message `json:"track,omitzero"` // what the levels of the tracks mean
	Options []SceneOption   `json:"options"`        // the legal actions, ascending
}

// SceneOption is a legal action. What can draw scenes offers those that belong to no
// element as buttons. A terminal lists actions of one kind together.
type SceneOption struct {
	Action Action          `json:"action"`
	Name   string          `json:"name"`          // as in [Presenter]
	Text   message.Message `json:"text,omitzero"` // what it does, as in [Presenter]
	// Kind, and Short behind it, are Text for a list in which Name stands beside them. Short may be
	// empty. env.Position sets Kind to Text for actions that Options leaves out.
	Kind  message.Message `json:"-"`
	Short message.Message `json:"-"`
}

// SceneSeat is what a seat has. Counts have the same names and groups in the same order for all
// seats.
type SceneSeat struct {
	Score  SceneScore        `json:"score"`
	Counts []SceneCount      `json:"counts,omitempty"`
	Notes  []message.Message `json:"notes,omitempty"` // a word or two each, such as "starts" or "passed"
}

// SceneScore is what decides the game.
type SceneScore struct {
	Name   string `json:"name"` // what is counted, such as "points"
	Value  int    `json:"value"`
	Gain   int    `json:"gain,omitempty"`   // points of the turn in progress, not yet in Value
	Target int    `json:"target,omitempty"` // that ends the game; 0 if nothing does
}

// SceneCount is a number of things.
type SceneCount struct {
	Name  string `json:"name"`            // in its group
	Group string `json:"group,omitempty"` // what it shares with others, such as "in supply"; or ""
	Value int    `json:"value"`
	Most  int    `json:"most,omitempty"` // the largest value that there can be; 0 if it is not shown
}

// SceneDice is a group of dice, such as those set aside.
type SceneDice struct {
	Name string          `json:"name"`
	Text message.Message `json:"text,omitzero"` // what they are worth, or what is done with them; a terminal shows its head
	Dice []SceneDie      `json:"dice"`
}

// SceneDie is a number of equal dice.
type SceneDie struct {
	Face    string   `json:"face"`            // a number or a word, such as "ray"; "" if it is to be rolled
	Label   string   `json:"label,omitempty"` // Face in a language; see [Scene.In]
	Count   int      `json:"count"`
	Actions []Action `json:"actions,omitempty"`
}

// SceneRoll is how a roll of [Presenter] is entered: some faces, one after the other. Their texts
// with Separator between them are what ReadRoll reads.
type SceneRoll struct {
	Faces     []SceneFace `json:"faces"`
	Count     int         `json:"count,omitempty"` // of dice; 0 if seats that tie roll again
	Separator string      `json:"separator,omitempty"`
}

// SceneFace is what a die can show.
type SceneFace struct {
	Text  string `json:"text"`            // as ReadRoll reads it
	Name  string `json:"name"`            // a number or a word, such as "ray"
	Label string `json:"label,omitempty"` // Name in a language
}

// NumberFaces returns the faces from low to high.
func NumberFaces(low, high int) (faces []SceneFace) {
	for n := low; n <= high; n++ {
		text := strconv.Itoa(n)
		faces = append(faces, SceneFace{Text: text, Name: text})
	}
	return faces
}

// SceneMap is a map of cells, in units of its own: x to the right, y downwards, from 0 to
// Width and Height.
type SceneMap struct {
	Width   float64         `json:"width"`
	Height  float64         `json:"height"`
	Unit    float64         `json:"unit"` // the diameter of the room that each cell has for its pieces
	Cells   []SceneCell     `json:"cells"`
	Borders [][2]int        `json:"borders"`         // cells that share a border, by index, each once
	Lines   bool            `json:"lines,omitempty"` // whether borders are drawn as lines, since the outlines do not touch
	Groups  []SceneGroup    `json:"groups,omitempty"`
	Group   string          `json:"group,omitempty"` // what groups are called, such as "union"
	Pays    message.Message `json:"pays,omitzero"`   // what a group pays
	Kinds   []SceneKind     `json:"kinds,omitempty"` // what the kinds of cells mean
}

// ScenePoint is a place on a map: x, y.
type ScenePoint [2]float64

// SceneCell is a cell of a map, such as a square, a region or a laboratory.
type SceneCell struct {
	Name    string          `json:"name"`             // unique, as in the names of actions or in upper case
	Label   string          `json:"label,omitempty"`  // Name in a language, of a place
	Text    message.Message `json:"text"`             // what it is and what stands there, in one line
	At      ScenePoint      `json:"at"`               // where its pieces are drawn
	Tile    [2]int          `json:"-"`                // column and row in a text
	Anchor  *ScenePoint     `json:"anchor,omitempty"` // inside the outline, where At is outside; a line joins them
	Outline [][]ScenePoint  `json:"outline,omitempty"`
	Kind    string          `json:"kind,omitempty"`  // one word, such as "gem"
	Power   message.Message `json:"power,omitzero"`  // what it does for the seat that holds it
	Group   string          `json:"group,omitempty"` // the name of a SceneGroup
	Pieces  []ScenePiece    `json:"pieces,omitempty"`
	Mark    string          `json:"mark,omitempty"` // "from" or "to" during an attack or a move
	Actions []Action        `json:"actions,omitempty"`
}

// ScenePiece is a number of equal pieces.
type ScenePiece struct {
	Kind  string `json:"kind"` // one word: "robot", "army", "large", "medium" or "small"
	Seat  Player `json:"seat"`
	Count int    `json:"count"`
	Lying bool   `json:"lying,omitempty"`
}

// SceneGroup is a group of cells that pays whoever holds all of them.
type SceneGroup struct {
	Name   string `json:"name"`
	Cells  []int  `json:"cells"`  // by index
	Holder Player `json:"holder"` // the seat that holds all cells, or -1
}

// SceneKind explains a kind of cells.
type SceneKind struct {
	Kind   string          `json:"kind"`
	Label  string          `json:"label,omitempty"` // Kind in a language
	Text   message.Message `json:"text"`
	Sign   string          `json:"-"` // in a text: one character, or two where no piece can stand
	Colour string          `json:"-"` // of the sign: a code of a terminal
}

// SceneTrack is a track on which each seat has a marker.
type SceneTrack struct {
	Name    string            `json:"name"`
	Label   string            `json:"label,omitempty"` // Name in a language
	Levels  []message.Message `json:"levels"`          // what each level pays, from level 0 on; empty for nothing
	Brief   []string          `json:"-"`               // the same in a text, in letters such as 3t1d
	At      []int             `json:"at"`              // the level of each seat [P]
	Actions []Action          `json:"actions,omitempty"`
}

// In puts all texts of a scene into the words of a speaker, whose language is then the only one that
// the scene has. It changes what s points to.
func (s *Scene) In(to message.Speaker) {
	say := func(list ...*message.Message) {
		for _, m := range list {
			if !m.IsZero() {
				*m = message.Text(to.Say(*m))
			}
		}
	}
	name := func(word string) string {
		if word == "" {
			return ""
		}
		return to.Word(word)
	}
	say(&s.Text, &s.Goal, &s.Warning, &s.Track)
	for i := range s.Options {
		say(&s.Options[i].Text, &s.Options[i].Kind, &s.Options[i].Short)
	}
	for i := range s.Seats {
		seat := &s.Seats[i]
		seat.Score.Name = name(seat.Score.Name)
		for k := range seat.Counts {
			seat.Counts[k].Name, seat.Counts[k].Group = name(seat.Counts[k].Name), name(seat.Counts[k].Group)
		}
		for k := range seat.Notes {
			say(&seat.Notes[k])
		}
	}
	for i := range s.Dice {
		dice := &s.Dice[i]
		dice.Name = name(dice.Name)
		say(&dice.Text)
		for k := range dice.Dice {
			dice.Dice[k].Label = name(dice.Dice[k].Face)
		}
	}
	if s.Roll != nil {
		for i := range s.Roll.Faces {
			s.Roll.Faces[i].Label = name(s.Roll.Faces[i].Name)
		}
	}
	if m := s.Map; m != nil {
		m.Group = name(m.Group)
		say(&m.Pays)
		for i := range m.Cells {
			say(&m.Cells[i].Text)
		}
		for i := range m.Kinds {
			m.Kinds[i].Label = name(m.Kinds[i].Kind)
			say(&m.Kinds[i].Text)
		}
	}
	for i := range s.Places {
		place := &s.Places[i]
		place.Label = name(place.Name)
		say(&place.Text, &place.Power)
	}
	for i := range s.Tracks {
		track := &s.Tracks[i]
		track.Label = name(track.Name)
		for k := range track.Levels {
			say(&track.Levels[k])
		}
	}
}
