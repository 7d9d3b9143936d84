package game

import "strconv"

// Scene is a position as data: seats with what they have, dice, a map with pieces, and
// tracks. Elements that have actions can be clicked: each lists the legal actions that
// belong to it. An action can belong to several elements, such as an attack to the regions
// at both ends of a border, or to none, such as to pass.
type Scene struct {
	Text    string        `json:"text"`             // the next step, in one line
	Goal    string        `json:"goal"`             // how the game is won, in one line
	Warning string        `json:"-"`                // in a text: why nobody can win so
	Player  Player        `json:"player"`           // the current player: a seat, -1 for chance, -2 if the game is over
	Seats   []SceneSeat   `json:"seats"`            // [P]
	Dice    []SceneDice   `json:"dice,omitempty"`   // in the order in which they are looked at
	Roll    *SceneRoll    `json:"roll,omitempty"`   // of a chance state whose rules have [Presenter]; nil for none
	Map     *SceneMap     `json:"map,omitempty"`    // or nil
	Places  []SceneCell   `json:"places,omitempty"` // beside the map, such as laboratories; At and Outline are not set
	Tracks  []SceneTrack  `json:"tracks,omitempty"`
	Track   string        `json:"track,omitempty"` // what the levels of the tracks mean
	Options []SceneOption `json:"options"`         // the legal actions, ascending
}

// SceneOption is a legal action. What can draw scenes offers those that belong to no
// element as buttons. Actions whose short texts differ only in what comes after a colon are of
// one kind, which a terminal lists together.
type SceneOption struct {
	Action Action `json:"action"`
	Name   string `json:"name"`           // as in [Presenter]
	Text   string `json:"text,omitempty"` // what it does, as in [Presenter]
	Short  string `json:"-"`              // the same for a list in which its name stands beside it; env.Position sets it to Text for actions that Options leaves out
}

// SceneSeat is what a seat has. Counts have the same names and groups in the same order for all
// seats.
type SceneSeat struct {
	Score  SceneScore   `json:"score"`
	Counts []SceneCount `json:"counts,omitempty"`
	Notes  []string     `json:"notes,omitempty"` // a word or two each, such as "starts" or "passed"
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
	Name string     `json:"name"`
	Text string     `json:"text,omitempty"` // what they are worth, or what is done with them
	Dice []SceneDie `json:"dice"`
}

// SceneDie is a number of equal dice.
type SceneDie struct {
	Face    string   `json:"face"` // a number or a word, such as "ray"; "" if it is to be rolled
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
	Text string `json:"text"` // as ReadRoll reads it
	Name string `json:"name"` // a number or a word, such as "ray"
}

// NumberFaces returns the faces from low to high.
func NumberFaces(low, high int) (faces []SceneFace) {
	for n := low; n <= high; n++ {
		text := strconv.Itoa(n)
		faces = append(faces, SceneFace{text, text})
	}
	return faces
}

// SceneMap is a map of cells, in units of its own: x to the right, y downwards, from 0 to
// Width and Height.
type SceneMap struct {
	Width   float64      `json:"width"`
	Height  float64      `json:"height"`
	Unit    float64      `json:"unit"` // the diameter of the room that each cell has for its pieces
	Cells   []SceneCell  `json:"cells"`
	Borders [][2]int     `json:"borders"`         // cells that share a border, by index, each once
	Lines   bool         `json:"lines,omitempty"` // whether borders are drawn as lines, since the outlines do not touch
	Groups  []SceneGroup `json:"groups,omitempty"`
	Group   string       `json:"group,omitempty"` // what groups are called, such as "union"
	Pays    string       `json:"pays,omitempty"`  // what a group pays
	Kinds   []SceneKind  `json:"kinds,omitempty"` // what the kinds of cells mean
}

// ScenePoint is a place on a map: x, y.
type ScenePoint [2]float64

// SceneCell is a cell of a map, such as a square, a region or a laboratory.
type SceneCell struct {
	Name    string         `json:"name"`             // unique, as in the names of actions or in upper case
	Text    string         `json:"text"`             // what it is and what stands there, in one line
	At      ScenePoint     `json:"at"`               // where its pieces are drawn
	Tile    [2]int         `json:"-"`                // column and row in a text
	Anchor  *ScenePoint    `json:"anchor,omitempty"` // inside the outline, where At is outside; a line joins them
	Outline [][]ScenePoint `json:"outline,omitempty"`
	Kind    string         `json:"kind,omitempty"`  // one word, such as "gem"
	Power   string         `json:"power,omitempty"` // what it does for the seat that holds it
	Group   string         `json:"group,omitempty"` // the name of a SceneGroup
	Pieces  []ScenePiece   `json:"pieces,omitempty"`
	Mark    string         `json:"mark,omitempty"` // "from" or "to" during an attack or a move
	Actions []Action       `json:"actions,omitempty"`
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
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Sign   string `json:"-"` // in a text: one character, or two where no piece can stand
	Colour string `json:"-"` // of the sign: a code of a terminal
}

// SceneTrack is a track on which each seat has a marker.
type SceneTrack struct {
	Name    string   `json:"name"`
	Levels  []string `json:"levels"` // what each level pays, from level 0 on; "" for nothing
	At      []int    `json:"at"`     // the level of each seat [P]
	Actions []Action `json:"actions,omitempty"`
}
