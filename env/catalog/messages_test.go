package catalog_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"marsgym/env/catalog"
	"marsgym/env/game"
	"marsgym/env/game/message"
)

// words finds letters outside the holes of a sentence.
var words = regexp.MustCompile(`\{\d\}|[A-Za-z]{2}`)

// spoken are keys of messages, with where they came up.
type spoken map[string]string

// add adds the keys of a message and of those in it.
func (s spoken) add(m message.Message, where string) {
	if m.IsZero() {
		return
	}
	for _, word := range words.FindAllString(m.Key, -1) {
		if word[0] != '{' {
			s[m.Key] = where
		}
	}
	for _, arg := range m.Args {
		switch x := arg.(type) {
		case message.Message:
			s.add(x, where)
		case []message.Message:
			for _, y := range x {
				s.add(y, where)
			}
		}
	}
}

// word adds a word that is its own key.
func (s spoken) word(text, where string) { s.add(message.New(text), where) }

// scene adds what a scene says.
func (s spoken) scene(scene *game.Scene, where string) {
	s.add(scene.Text, where)
	s.add(scene.Goal, where)
	s.add(scene.Track, where)
	for _, o := range scene.Options {
		s.add(o.Text, where)
		s.add(o.Kind, where)
		s.add(o.Short, where)
	}
	for _, seat := range scene.Seats {
		s.word(seat.Score.Name, where)
		for _, n := range seat.Counts {
			s.word(n.Name, where)
			s.word(n.Group, where)
		}
		for _, note := range seat.Notes {
			s.add(note, where)
		}
	}
	for _, d := range scene.Dice {
		s.word(d.Name, where)
		s.add(d.Text, where)
		for _, die := range d.Dice {
			s.word(die.Face, where)
		}
	}
	if scene.Roll != nil {
		for _, face := range scene.Roll.Faces {
			s.word(face.Name, where)
		}
	}
	if m := scene.Map; m != nil {
		s.word(m.Group, where)
		s.add(m.Pays, where)
		for _, c := range m.Cells {
			s.add(c.Text, where)
		}
		for _, k := range m.Kinds {
			s.word(k.Kind, where)
			s.add(k.Text, where)
		}
	}
	for _, p := range scene.Places {
		s.word(p.Name, where)
		s.add(p.Text, where)
		s.add(p.Power, where)
	}
	for _, t := range scene.Tracks {
		s.word(t.Name, where)
		for _, pay := range t.Levels {
			s.add(pay, where)
		}
	}
}

// TestMessages plays random games of every preset: every language has a sentence for all that they
// say.
func TestMessages(t *testing.T) {
	said := spoken{}
	for key := range message.English().Messages {
		if strings.HasPrefix(key, "agent.") || strings.HasPrefix(key, "words.") {
			said[key] = "texts for agents"
		}
	}
	for _, e := range catalog.List() {
		said.word(e.About, e.ID)
		for players := 1; players <= 4; players++ {
			g, err := catalog.Open(e.ID, players, nil)
			if err != nil {
				continue
			}
			said.add(g.Spec().Called(), e.ID)
			said.word(g.Spec().Unit, e.ID)
			choices, dice := rand.New(rand.NewPCG(3, uint64(players))), rand.NewPCG(4, uint64(players))
			for range 2 {
				for at := g.Initial(); ; {
					where := e.ID + " " + at.String()
					said.scene(at.Scene(), where)
					said.word(at.Situation(), where)
					mover := at.CurrentPlayer()
					if mover == game.Terminal {
						break
					}
					next, action, roll := at, game.Action(0), ""
					if mover == game.Chance {
						said.add(at.AskRoll(), where)
						next = at.Sample(dice)
						if choices.IntN(2) == 0 {
							roll = at.DrawRoll(next, dice)
						}
					} else {
						legal := at.Legal()
						action = legal[choices.IntN(len(legal))]
						if next, err = at.Apply(action); err != nil {
							t.Fatal(err)
						}
					}
					for _, m := range at.Narrate(next, action, roll) {
						said.add(m, where)
					}
					at = next
				}
			}
		}
	}
	for key, where := range said {
		for _, l := range message.Languages()[1:] {
			if l.Messages[key] == "" {
				t.Errorf("%s has no %q, of %s", l.Name, key, where)
			}
		}
	}
}
