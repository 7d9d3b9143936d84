package gametest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"marsgym/env/game"
	"marsgym/env/game/message"
	"marsgym/env/game/picture"
	"marsgym/internal/colour"
)

// scenesChecked is the number of states whose scenes are checked. Chosen: they contain
// every phase of a game, and take a fraction of a second.
const scenesChecked = 2000

// checkScene checks the scene of a state.
func (c *checker[S]) checkScene(s S, mover game.Player, legal []game.Action) {
	scene := c.presenter.Scene(s)
	text, err := json.Marshal(scene)
	if err != nil {
		c.failAt(s, "a scene can be written as JSON", "%v", err)
		return
	}
	if again, _ := json.Marshal(c.presenter.Scene(s)); !bytes.Equal(again, text) {
		c.failAt(s, "Scene is a function of the state", "got %s, then %s", text, again)
	}
	for _, line := range []string{scene.Text.String(), scene.Goal.String()} {
		if strings.TrimSpace(line) == "" || strings.Contains(line, "\n") {
			c.failAt(s, "the text and the goal of a scene are a line each", "got %q", line)
		}
	}
	if scene.Player != mover {
		c.failAt(s, "a scene has the current player", "it is %d, want %d", scene.Player, mover)
	}
	c.checkSceneSeats(s, scene.Seats)
	c.checkSceneTracks(s, scene.Tracks)
	for _, t := range scene.Tracks {
		c.checkElement(s, legal, "track "+t.Name, t.Actions)
	}
	for _, group := range scene.Dice {
		for _, die := range group.Dice {
			if group.Name == "" || die.Count < 1 {
				c.failAt(s, "dice have a name and a number", "got %+v", group)
			}
			c.checkElement(s, legal, "dice "+group.Name, die.Actions)
		}
	}
	cells := slices.Clone(scene.Places)
	if scene.Map != nil {
		c.checkSceneMap(s, scene.Map)
		cells = append(cells, scene.Map.Cells...)
	}
	names := map[string]bool{}
	for _, cell := range cells {
		if cell.Name == "" || names[cell.Name] || strings.TrimSpace(cell.Text.String()) == "" {
			c.failAt(s, "cells have a name of their own and a text", "got %+v", cell)
		}
		names[cell.Name] = true
		for _, piece := range cell.Pieces {
			if piece.Kind == "" || piece.Seat < 0 || int(piece.Seat) >= c.spec.Players || piece.Count < 1 {
				c.failAt(s, "pieces belong to seats", "cell %s has %+v", cell.Name, piece)
			}
		}
		c.checkElement(s, legal, "cell "+cell.Name, cell.Actions)
	}
	for line := range strings.SplitSeq(colour.Strip(picture.Text(&scene, message.Speaker{})), "\n") {
		if n := utf8.RuneCountInString(line); n > 79 {
			c.failAt(s, "pictures as text have lines of 79 columns", "got %d in %q", n, line)
		}
	}
	if lines := picture.Explain(&scene, message.Speaker{}, "no such thing"); lines != nil {
		c.failAt(s, "a word that names nothing is not explained", "got %q", lines)
	}
	if mover == game.Chance {
		c.checkSceneRoll(s, scene.Roll)
	} else if scene.Roll != nil {
		c.failAt(s, "only rolls are entered", "got %+v", scene.Roll)
	}
	if mover < 0 {
		return
	}
	obs := make([]float32, c.spec.ObsLen())
	c.rules.Encode(obs, s, mover)
	if other, ok := c.drawn[sha256.Sum256(text)]; ok && !slices.Equal(other, obs) {
		c.failAt(s, "equal scenes have equal observations", "another state has the same scene")
	}
	c.drawn[sha256.Sum256(text)] = obs
}

// rollsEntered bounds the rolls of random faces until one is read. Chosen: of the tiles of Mars
// is Ours! that can be entered, one in 256 may be left.
const rollsEntered = 5000

// checkSceneRoll checks that a roll of the faces is read.
func (c *checker[S]) checkSceneRoll(s S, roll *game.SceneRoll) {
	if roll == nil || len(roll.Faces) == 0 {
		c.failAt(s, "a scene says how a roll is entered", "got %+v", roll)
		return
	}
	dice := rand.New(rand.NewPCG(c.seed, 0))
	texts := make([]string, cmp.Or(roll.Count, c.spec.Players))
	for range rollsEntered {
		for i := range texts {
			texts[i] = roll.Faces[dice.IntN(len(roll.Faces))].Text
		}
		if _, err := c.presenter.ReadRoll(s, strings.Join(texts, roll.Separator)); err == nil {
			return
		}
	}
	c.failAt(s, "ReadRoll reads rolls as a scene enters them", "it reads none of %+v", roll)
}

// checkElement checks the actions of an element.
func (c *checker[S]) checkElement(s S, legal []game.Action, element string, actions []game.Action) {
	for i, a := range actions {
		if _, ok := slices.BinarySearch(legal, a); !ok || i > 0 && actions[i-1] >= a {
			c.failAt(s, "the elements of a scene list legal actions, ascending", "%s lists %d; legal are %d", element, actions, legal)
		}
	}
}

// checkSceneSeats checks what the seats have.
func (c *checker[S]) checkSceneSeats(s S, seats []game.SceneSeat) {
	if len(seats) != c.spec.Players {
		c.failAt(s, "a scene has all seats", "it has %d, want %d", len(seats), c.spec.Players)
		return
	}
	for _, seat := range seats {
		same := seat.Score.Name == seats[0].Score.Name && len(seat.Counts) == len(seats[0].Counts)
		for i, n := range seat.Counts {
			same = same && n.Name == seats[0].Counts[i].Name && n.Group == seats[0].Counts[i].Group
			if n.Name == "" || n.Most > 0 && n.Value > n.Most {
				c.failAt(s, "counts have a name and keep to their limit", "got %+v", n)
			}
		}
		if !same || seat.Score.Name == "" {
			c.failAt(s, "seats count the same things", "got %+v and %+v", seats[0], seat)
		}
	}
}

// checkSceneTracks checks the markers of the seats.
func (c *checker[S]) checkSceneTracks(s S, tracks []game.SceneTrack) {
	for _, t := range tracks {
		ok := t.Name != "" && len(t.At) == c.spec.Players
		for _, level := range t.At {
			ok = ok && level >= 0 && level < len(t.Levels)
		}
		if !ok {
			c.failAt(s, "tracks have a level for each seat", "got %+v", t)
		}
	}
}

// checkSceneMap checks that a map is whole.
func (c *checker[S]) checkSceneMap(s S, m *game.SceneMap) {
	on := func(p game.ScenePoint) bool {
		return p[0] >= 0 && p[0] <= m.Width && p[1] >= 0 && p[1] <= m.Height && !math.IsNaN(p[0]+p[1])
	}
	for _, cell := range m.Cells {
		ok := on(cell.At) && (cell.Anchor == nil || on(*cell.Anchor)) && len(cell.Outline) > 0
		for _, ring := range cell.Outline {
			ok = ok && len(ring) >= 3 && !slices.ContainsFunc(ring, func(p game.ScenePoint) bool { return !on(p) })
		}
		if !ok {
			c.failAt(s, "cells lie on the map", "%g wide, %g high: %+v", m.Width, m.Height, cell)
		}
	}
	seen := map[[2]int]bool{}
	for _, b := range m.Borders {
		i, k := min(b[0], b[1]), max(b[0], b[1])
		if i < 0 || i == k || k >= len(m.Cells) || seen[[2]int{i, k}] {
			c.failAt(s, "borders join two cells, each once", "got %d", b)
		}
		seen[[2]int{i, k}] = true
	}
	groups := make([]string, len(m.Cells))
	for _, g := range m.Groups {
		for _, i := range g.Cells {
			if i < 0 || i >= len(m.Cells) || groups[i] != "" {
				c.failAt(s, "a cell is in one group at most", "got %+v", g)
				return
			}
			groups[i] = g.Name
		}
	}
	for i, cell := range m.Cells {
		if cell.Group != groups[i] {
			c.failAt(s, "cells name their group", "%s names %q, want %q", cell.Name, cell.Group, groups[i])
		}
	}
}
